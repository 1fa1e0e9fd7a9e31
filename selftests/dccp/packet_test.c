// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of each type of packet has exactly the bytes of RFC 4340 section 5, and packets that
 * section 5 and step 1 of section 8.5 do not allow are refused. The bytes in this file were written
 * by hand according to the RFC. Prints TAP.
 */
#include "../../userspace/dccp/packet.c"

#include "../codec/unit.h"
#include "bytes.h"

/* The fields of each packet in this file, as far as its type has them. */
#define SOURCE		0x1234
#define DEST		0x5678
#define CCVAL		9
#define COVERAGE	10
#define SEQ		UINT64_C(0xf1f2f3f4f5f6)
#define ACK_NUMBER	UINT64_C(0xa1a2a3a4a5a6)
#define SERVICE		UINT32_C(0xe1e2e3e4)
#define SHORT_MASK	0xffffff

/*
 * The headers, with reserved bits of 0 and the smallest Data Offset. The reset code is 5, with the
 * data d1 d2 d3.
 */
static const struct {
	uint8_t type;
	bool has_ack, has_service;
	const char *header;
	const char *short_header;
} types[] = {
	{ 0, false, true,
	  "1234 5678 05 9a 0000 01 00 f1f2f3f4f5f6 e1e2e3e4", NULL },
	{ 1, true, true,
	  "1234 5678 07 9a 0000 03 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6 e1e2e3e4", NULL },
	{ 2, false, false,
	  "1234 5678 04 9a 0000 05 00 f1f2f3f4f5f6",
	  "1234 5678 03 9a 0000 04 f4f5f6" },
	{ 3, true, false,
	  "1234 5678 06 9a 0000 07 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6",
	  "1234 5678 04 9a 0000 06 f4f5f6 00 a4a5a6" },
	{ 4, true, false,
	  "1234 5678 06 9a 0000 09 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6",
	  "1234 5678 04 9a 0000 08 f4f5f6 00 a4a5a6" },
	{ 5, true, false,
	  "1234 5678 06 9a 0000 0b 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6", NULL },
	{ 6, true, false,
	  "1234 5678 06 9a 0000 0d 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6", NULL },
	{ 7, true, false,
	  "1234 5678 07 9a 0000 0f 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6 05d1d2d3", NULL },
	{ 8, true, false,
	  "1234 5678 06 9a 0000 11 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6", NULL },
	{ 9, true, false,
	  "1234 5678 06 9a 0000 13 00 f1f2f3f4f5f6 0000 a1a2a3a4a5a6", NULL },
};

#define TYPES	(sizeof(types) / sizeof(types[0]))
#define EACH(i)	(size_t i = 0; i < TYPES; i++)

/* The bytes of a header, with @more bytes behind it that the caller fills. */
static uint8_t *longer(const char *header, size_t more, size_t *len)
{
	uint8_t *fixed = hex(header, len), *packet = calloc(1, *len + more);

	memcpy(packet, fixed, *len);
	*len += more;
	free(fixed);
	return packet;
}

static bool parses(const uint8_t *data, size_t len)
{
	struct fdccp_packet p;
	uint8_t *copy = exact(data, len);
	bool good = fdccp_packet_parse(&p, copy, len) == 0;

	free(copy);
	return good;
}

/* Whether all fields of the header were read, of type number @i. */
static bool has_fields(const struct fdccp_packet *p, size_t i, uint64_t mask)
{
	MUST(p->type == types[i].type);
	MUST(p->source == SOURCE && p->dest == DEST);
	MUST(p->ccval == CCVAL && p->coverage == COVERAGE);
	MUST(p->seq == (SEQ & mask));
	MUST(p->has_ack == types[i].has_ack);
	MUST(p->ack == (types[i].has_ack ? ACK_NUMBER & mask : 0));
	MUST(p->service == (types[i].has_service ? SERVICE : 0));
	MUST(p->reset_code == (types[i].type == 7 ? 5 : 0));
	MUST(is_hex(p->reset_data, 3, types[i].type == 7 ? "d1 d2 d3" : "00 00 00"));
	return true;
}

static bool test_read_extended(void)
{
	for EACH(i) {
		struct fdccp_packet p;
		size_t len;
		uint8_t *packet = hex(types[i].header, &len);

		MUST(fdccp_packet_parse(&p, packet, len) == 0);
		MUST(p.extended && has_fields(&p, i, UINT64_MAX));
		MUST(p.options == packet + len && p.options_len == 0);
		MUST(p.data == packet + len && p.data_len == 0);
		free(packet);
	}
	return true;
}

static bool test_read_short(void)
{
	for EACH(i) {
		struct fdccp_packet p;
		size_t len;
		uint8_t *packet;

		if (!types[i].short_header)
			continue;
		packet = hex(types[i].short_header, &len);
		MUST(fdccp_packet_parse(&p, packet, len) == 0);
		MUST(!p.extended && has_fields(&p, i, SHORT_MASK));
		MUST(p.options == packet + len && p.options_len == 0);
		free(packet);
	}
	return true;
}

/* RFC 4340 section 5.1: only Data, Ack and DataAck may have X = 0. */
static bool test_short_refused(void)
{
	for EACH(i) {
		size_t len;
		uint8_t *packet = longer(types[i].header, 100, &len);

		MUST(parses(packet, len));
		packet[8] &= ~EXTENDED;
		MUST(parses(packet, len) == (types[i].short_header != NULL));
		free(packet);
	}
	return true;
}

/* RFC 4340 sections 3.1 and 5.1: receivers ignore reserved bits. */
static bool test_reserved_bits(void)
{
	for EACH(i) {
		struct fdccp_packet p;
		size_t len;
		uint8_t *packet = hex(types[i].header, &len);

		packet[8] |= 0xe0;
		packet[9] = 0xff;
		if (types[i].has_ack)
			packet[16] = packet[17] = 0xff;
		MUST(fdccp_packet_parse(&p, packet, len) == 0);
		MUST(has_fields(&p, i, UINT64_MAX));
		free(packet);
	}
	return true;
}

/* RFC 4340 section 5.1: receivers ignore packets with a reserved type, short or extended. */
static bool test_reserved_types(void)
{
	for (unsigned int type = 0; type < 16; type++) {
		size_t len;
		uint8_t *packet = longer(types[1].header, 100, &len);

		packet[8] = type << 1 | EXTENDED;
		MUST(parses(packet, len) == (type < 10));
		packet[8] = type << 1;
		MUST(!parses(packet, len) || (type >= 2 && type <= 4));
		free(packet);
	}
	return true;
}

/* RFC 4340 section 5.1: Data Offset is at least the header of the type, and at most the packet. */
static bool offset_is_checked(const char *header)
{
	size_t fixed, len;
	uint8_t *packet = hex(header, &fixed);

	free(packet);
	packet = longer(header, FDCCP_HEADER_MAX + 8 - fixed, &len);
	for (unsigned int offset = 0; offset <= UINT8_MAX; offset++) {
		packet[4] = offset;
		MUST(parses(packet, len) == (offset * 4 >= fixed));
		if (offset * 4 < fixed)
			continue;
		MUST(parses(packet, offset * 4));
		MUST(!parses(packet, offset * 4 - 1));
	}
	free(packet);
	return true;
}

static bool test_data_offset(void)
{
	for EACH(i) {
		MUST(offset_is_checked(types[i].header));
		MUST(!types[i].short_header || offset_is_checked(types[i].short_header));
	}
	return true;
}

static bool test_too_short(void)
{
	size_t len;
	uint8_t *packet = hex(types[2].short_header, &len);

	MUST(len == 12 && parses(packet, len));
	for (len = 0; len < 12; len++)
		MUST(!parses(packet, len));
	free(packet);
	return true;
}

/* Options are between the fixed header and Data Offset, and application data behind it. */
static bool test_areas(void)
{
	for EACH(i) {
		struct fdccp_packet p;
		size_t fixed, len;
		uint8_t *packet = hex(types[i].header, &fixed);

		free(packet);
		packet = longer(types[i].header, 8 + 3, &len);
		packet[4] += 2;
		MUST(fdccp_packet_parse(&p, packet, len) == 0);
		MUST(p.options == packet + fixed && p.options_len == 8);
		MUST(p.data == packet + fixed + 8 && p.data_len == 3);
		free(packet);
	}
	return true;
}

/* The longest header has 255 words, and with 24-bit numbers it has FDCCP_OPTIONS_MAX of options. */
static bool test_longest_header(void)
{
	struct fdccp_packet p;
	size_t len;
	uint8_t *packet = longer(types[2].short_header, FDCCP_OPTIONS_MAX, &len);

	MUST(len == FDCCP_HEADER_MAX);
	packet[4] = 255;
	MUST(fdccp_packet_parse(&p, packet, len) == 0);
	MUST(p.options_len == FDCCP_OPTIONS_MAX && p.data_len == 0);
	free(packet);
	return true;
}

/* What is written has each bit of the RFC, and 0 in its reserved bits and its checksum. */
static bool test_write(void)
{
	for EACH(i) {
		struct fdccp_packet p = {
			.type = types[i].type, .source = SOURCE, .dest = DEST, .ccval = CCVAL,
			.coverage = COVERAGE, .seq = SEQ, .ack = ACK_NUMBER, .service = SERVICE,
			.reset_code = 5, .reset_data = { 0xd1, 0xd2, 0xd3 },
		};
		size_t len = fdccp_header_size(types[i].type);
		uint8_t *out = malloc(len);

		memset(out, 0x55, len);
		fdccp_packet_write(&p, out, 0);
		MUST(is_hex(out, len, types[i].header));
		free(out);
	}
	return true;
}

static bool test_written_offset(void)
{
	for EACH(i) {
		struct fdccp_packet p = { .type = types[i].type };
		size_t len = fdccp_header_size(types[i].type);
		uint8_t *out = malloc(len);

		fdccp_packet_write(&p, out, 40);
		MUST(out[4] == len / 4 + 10);
		fdccp_packet_write(&p, out, FDCCP_HEADER_MAX - len);
		MUST(out[4] == 255);
		free(out);
	}
	return true;
}

static const struct unit tests[] = {
	{ "the fields of each type are read", test_read_extended },
	{ "24-bit numbers are read", test_read_short },
	{ "24-bit numbers are refused on other types", test_short_refused },
	{ "reserved bits are ignored", test_reserved_bits },
	{ "reserved types are refused", test_reserved_types },
	{ "Data Offset has its bounds", test_data_offset },
	{ "packets below 12 bytes are refused", test_too_short },
	{ "options and data are found", test_areas },
	{ "the longest header", test_longest_header },
	{ "the bytes of each type are written", test_write },
	{ "Data Offset is written", test_written_offset },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
