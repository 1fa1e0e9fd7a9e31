// SPDX-License-Identifier: GPL-2.0-or-later
/* The header of DCCP packets (RFC 4340 section 5). */
#include "seq.h"
#include "wire.h"

#include <string.h>

#define GENERIC_SHORT	12	/* the generic header with 24-bit numbers */
#define GENERIC		16	/* the generic header with 48-bit numbers */
#define SECOND		8	/* its second half: type, reserved byte, 48-bit number */
#define SHORT_MASK	0xffffff	/* 24-bit numbers follow a byte, too */
#define ACK		8	/* the subheader with the acknowledgment number; 4 with 24 bits */
#define WORD		4	/* service code or reset code */

#define EXTENDED	0x01	/* the bit X in the byte with the type */

const uint8_t fdccp_header_sizes[FDCCP_PKT_TYPES] = {
	[FDCCP_PKT_REQUEST] = GENERIC + WORD,
	[FDCCP_PKT_RESPONSE] = GENERIC + ACK + WORD,
	[FDCCP_PKT_DATA] = GENERIC,
	[FDCCP_PKT_ACK] = GENERIC + ACK,
	[FDCCP_PKT_DATAACK] = GENERIC + ACK,
	[FDCCP_PKT_CLOSEREQ] = GENERIC + ACK,
	[FDCCP_PKT_CLOSE] = GENERIC + ACK,
	[FDCCP_PKT_RESET] = GENERIC + ACK + WORD,
	[FDCCP_PKT_SYNC] = GENERIC + ACK,
	[FDCCP_PKT_SYNCACK] = GENERIC + ACK,
};

static bool has_ack(uint8_t type)
{
	return type != FDCCP_PKT_REQUEST && type != FDCCP_PKT_DATA;
}

static bool has_service(uint8_t type)
{
	return type == FDCCP_PKT_REQUEST || type == FDCCP_PKT_RESPONSE;
}

static bool may_be_short(uint8_t type)
{
	return type == FDCCP_PKT_DATA || type == FDCCP_PKT_ACK || type == FDCCP_PKT_DATAACK;
}

/* Reads the fields that few types have. */
static void parse_rare(struct fdccp_packet *p, const uint8_t *word)
{
	if (has_service(p->type))
		p->service = fdccp_get_32(word);
	if (p->type == FDCCP_PKT_RESET) {
		p->reset_code = word[0];
		memcpy(p->reset_data, word + 1, sizeof(p->reset_data));
	}
}

static void parse_extended(struct fdccp_packet *p, const uint8_t *data)
{
	p->seq = fdccp_get_64(data + SECOND) & FDCCP_SEQ_MASK;
	if (p->has_ack)
		p->ack = fdccp_get_64(data + GENERIC) & FDCCP_SEQ_MASK;
	if (!may_be_short(p->type))
		parse_rare(p, data + fdccp_header_size(p->type) - WORD);
}

static void parse_short(struct fdccp_packet *p, const uint8_t *data)
{
	p->seq = fdccp_get_32(data + 8) & SHORT_MASK;
	if (p->has_ack)
		p->ack = fdccp_get_32(data + GENERIC_SHORT) & SHORT_MASK;
}

int fdccp_packet_parse(struct fdccp_packet *p, const uint8_t *data, size_t len)
{
	size_t fixed, offset;

	p->type = len < GENERIC_SHORT ? FDCCP_PKT_TYPES : data[8] >> 1 & 0x0f;
	if (p->type >= FDCCP_PKT_TYPES)
		return -1;
	p->extended = data[8] & EXTENDED;
	if (!p->extended && !may_be_short(p->type))
		return -1;
	p->has_ack = has_ack(p->type);
	fixed = p->extended ? fdccp_header_size(p->type) :
			      GENERIC_SHORT + (p->has_ack ? ACK / 2 : 0);
	offset = data[4] * 4;
	if (offset < fixed || offset > len)
		return -1;

	p->source = fdccp_get_16(data);
	p->dest = fdccp_get_16(data + 2);
	p->ccval = data[5] >> 4;
	p->coverage = data[5] & 0x0f;
	p->bare = false;
	p->ack = p->service = p->reset_code = 0;
	memset(p->reset_data, 0, sizeof(p->reset_data));
	p->options = data + fixed;
	p->options_len = offset - fixed;
	p->data = data + offset;
	p->data_len = len - offset;
	if (p->extended)
		parse_extended(p, data);
	else
		parse_short(p, data);
	return 0;
}

void fdccp_packet_write(const struct fdccp_packet *p, uint8_t *out, size_t options_len)
{
	size_t fixed = fdccp_header_size(p->type);
	uint8_t *word = out + fixed - WORD;
	uint64_t type = p->type << 1 | EXTENDED;

	fdccp_put_16(out, p->source);
	fdccp_put_16(out + 2, p->dest);
	out[4] = (fixed + options_len) / 4;
	out[5] = p->ccval << 4 | p->coverage;
	fdccp_put_16(out + 6, 0);
	fdccp_put_64(out + SECOND, type << 56 | p->seq);
	if (has_ack(p->type))
		fdccp_put_64(out + GENERIC, p->ack);
	if (has_service(p->type))
		fdccp_put_32(word, p->service);
	if (p->type == FDCCP_PKT_RESET) {
		word[0] = p->reset_code;
		memcpy(word + 1, p->reset_data, sizeof(p->reset_data));
	}
}
