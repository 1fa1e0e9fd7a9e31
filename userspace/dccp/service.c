// SPDX-License-Identifier: GPL-2.0-or-later
/* Service codes as text (RFC 4340 section 8.1.2). */
#include "freshlink-dccp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* the characters of the form "SC:", which a program may also write without "SC:" */
#define CHARACTERS								\
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+.*/?@"

/* Fewer than four characters are filled up with spaces. */
static int parse_characters(const char *text, size_t least, uint32_t *service)
{
	size_t len = strspn(text, CHARACTERS);

	if (text[len] != '\0' || len < least || len > 4)
		return -EINVAL;
	*service = 0;
	for (size_t i = 0; i < 4; i++)
		*service = *service << 8 | (uint8_t)(i < len ? text[i] : ' ');
	return 0;
}

/* Return: the digit's value, 16 if it is none */
static unsigned int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return 16;
}

static int parse_number(const char *text, unsigned int base, uint32_t *service)
{
	uint64_t value = 0;

	if (*text == '\0')
		return -EINVAL;
	for (; *text != '\0'; text++) {
		unsigned int digit = digit_value(*text);

		if (digit >= base)
			return -EINVAL;
		value = value * base + digit;
		if (value >= FDCCP_SERVICE_INVALID)
			return -EINVAL;
	}
	*service = value;
	return 0;
}

int fdccp_service_parse(const char *text, uint32_t *service)
{
	if (strncmp(text, "SC:", 3) == 0)
		return parse_characters(text + 3, 1, service);
	if (strncmp(text, "SC=x", 4) == 0 || strncmp(text, "SC=X", 4) == 0)
		return parse_number(text + 4, 16, service);
	if (strncmp(text, "SC=", 3) == 0)
		return parse_number(text + 3, 10, service);
	return parse_characters(text, 4, service);
}

void fdccp_service_format(uint32_t service, char *text, size_t size)
{
	char name[5] = { service >> 24, service >> 16, service >> 8, service };
	uint32_t read;

	for (int i = 3; i > 0 && name[i] == ' '; i--)
		name[i] = '\0';
	if (parse_characters(name, 1, &read) == 0 && read == service)
		snprintf(text, size, "SC:%s", name);
	else
		snprintf(text, size, "SC=x%08X", service);
}
