// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of DCCP packets (RFC 4340 section 5.8). */
#include "wire.h"

#include <string.h>

#define ONE_BYTE	32	/* types below it have neither a length nor a value */
#define OPTION_HEADER	2	/* type and length */

uint64_t fdccp_get_number(const uint8_t *value, size_t len)
{
	uint64_t number = 0;

	for (size_t i = 0; i < len; i++)
		number = number << 8 | value[i];
	return number;
}

void fdccp_put_number(uint8_t *value, size_t len, uint64_t number)
{
	while (len > 0) {
		value[--len] = number;
		number >>= 8;
	}
}

/* Reads the option at @walk->at, of which there is at least the type. */
static int read_option(struct fdccp_option_walk *walk, struct fdccp_option *option)
{
	size_t left = walk->end - walk->at;
	size_t len = 1;

	option->type = walk->at[0];
	option->value = walk->end;
	option->len = 0;
	if (option->type >= ONE_BYTE) {
		len = left < OPTION_HEADER ? 0 : walk->at[1];
		if (len < OPTION_HEADER || len > left) {
			walk->at = walk->end;
			return -1;
		}
		option->value = walk->at + OPTION_HEADER;
		option->len = len - OPTION_HEADER;
	}
	walk->at += len;
	return 1;
}

int fdccp_option_next(struct fdccp_option_walk *walk, struct fdccp_option *option)
{
	option->mandatory = false;
	while (walk->at < walk->end) {
		uint8_t type = *walk->at;

		if (type != FDCCP_OPT_PADDING && type != FDCCP_OPT_MANDATORY)
			return read_option(walk, option);
		if (type == FDCCP_OPT_MANDATORY && option->mandatory)
			break;
		/* Mandatory before Padding has no effect */
		option->mandatory = type == FDCCP_OPT_MANDATORY;
		walk->at++;
	}
	option->type = FDCCP_OPT_MANDATORY;
	option->value = walk->end;
	option->len = 0;
	return option->mandatory ? -1 : 0;
}

bool fdccp_option_find(const struct fdccp_packet *packet, uint8_t type,
		       struct fdccp_option *option)
{
	struct fdccp_option_walk walk = { packet->options, packet->options + packet->options_len };

	while (fdccp_option_next(&walk, option) == 1)
		if (option->type == type)
			return true;
	return false;
}

int fdccp_write_option(struct fdccp_writer *w, uint8_t type, const void *value, size_t len)
{
	if (len > FDCCP_OPTION_VALUE_MAX || OPTION_HEADER + len > (size_t)(w->end - w->at))
		return -1;
	w->at[0] = type;
	w->at[1] = OPTION_HEADER + len;
	if (len > 0)
		memcpy(w->at + OPTION_HEADER, value, len);
	w->at += OPTION_HEADER + len;
	return 0;
}

int fdccp_write_flag(struct fdccp_writer *w, uint8_t type)
{
	if (w->at >= w->end)
		return -1;
	*w->at++ = type;
	return 0;
}
