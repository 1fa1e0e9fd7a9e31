/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DCCP packets on the wire: numbers of RFC 4340, the generic header, and options. */
#ifndef FDCCP_WIRE_H
#define FDCCP_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* packet types, RFC 4340 section 5.1 */
enum fdccp_type {
	FDCCP_PKT_REQUEST = 0,
	FDCCP_PKT_RESPONSE = 1,
	FDCCP_PKT_DATA = 2,
	FDCCP_PKT_ACK = 3,
	FDCCP_PKT_DATAACK = 4,
	FDCCP_PKT_CLOSEREQ = 5,
	FDCCP_PKT_CLOSE = 6,
	FDCCP_PKT_RESET = 7,
	FDCCP_PKT_SYNC = 8,
	FDCCP_PKT_SYNCACK = 9,
	FDCCP_PKT_TYPES = 10,
};

/* options, RFC 4340 section 5.8; 192 to 255 belong to the CCIDs */
enum fdccp_option_type {
	FDCCP_OPT_PADDING = 0,
	FDCCP_OPT_MANDATORY = 1,
	FDCCP_OPT_SLOW_RECEIVER = 2,
	FDCCP_OPT_CHANGE_L = 32,
	FDCCP_OPT_CONFIRM_L = 33,
	FDCCP_OPT_CHANGE_R = 34,
	FDCCP_OPT_CONFIRM_R = 35,
	FDCCP_OPT_INIT_COOKIE = 36,
	FDCCP_OPT_NDP_COUNT = 37,
	FDCCP_OPT_ACK_VECTOR_0 = 38,
	FDCCP_OPT_ACK_VECTOR_1 = 39,
	FDCCP_OPT_DATA_DROPPED = 40,
	FDCCP_OPT_TIMESTAMP = 41,
	FDCCP_OPT_TIMESTAMP_ECHO = 42,
	FDCCP_OPT_ELAPSED_TIME = 43,
	FDCCP_OPT_DATA_CHECKSUM = 44,
	/* ours, only to ends that confirmed feature FDCCP_FEAT_FRESHLINK; Documentation/dccp.rst */
	FDCCP_OPT_LENGTH = 120,		/* application data that the packet had when it was sent */
	FDCCP_OPT_MOVE_TOKEN = 121,	/* names the connection after an address change */
	FDCCP_OPT_CHALLENGE = 122,
	FDCCP_OPT_CHALLENGE_ANSWER = 123,
	FDCCP_OPT_SENSITIVE = 124,	/* the data that must not be damaged */
	FDCCP_OPT_ARRIVED = 126,	/* how a Sync arrived, in its SyncAck; a Sync asks by it */
	/* CCID 3, RFC 4342 section 8.5 to 8.7 */
	FDCCP_OPT_LOSS_EVENT_RATE = 192,
	FDCCP_OPT_LOSS_INTERVALS = 193,
	FDCCP_OPT_RECEIVE_RATE = 194,
};

/* features, RFC 4340 section 6 */
enum fdccp_feature_number {
	FDCCP_FEAT_CCID = 1,
	FDCCP_FEAT_SHORT_SEQ = 2,
	FDCCP_FEAT_SEQUENCE_WINDOW = 3,
	FDCCP_FEAT_ECN_INCAPABLE = 4,
	FDCCP_FEAT_ACK_RATIO = 5,
	FDCCP_FEAT_SEND_ACK_VECTOR = 6,
	FDCCP_FEAT_SEND_NDP_COUNT = 7,
	FDCCP_FEAT_MIN_COVERAGE = 8,
	FDCCP_FEAT_CHECK_DATA_CHECKSUM = 9,
	FDCCP_FEAT_FRESHLINK = 120,	/* ours: this end knows the options 120 to 126 */
	FDCCP_FEAT_NO_UDP_CHECKSUM = 121,	/* ours: this end takes bare datagrams */
	FDCCP_FEAT_SEND_LOSS_EVENT_RATE = 192,	/* CCID 3, RFC 4342 section 8.4 */
};

/* Data Dropped's drop codes, RFC 4340 section 11.7 */
enum fdccp_drop_code {
	FDCCP_DROP_PROTOCOL = 0,	/* protocol constraints; ours: cut to its headers */
	FDCCP_DROP_NOT_LISTENING = 1,
	FDCCP_DROP_RECEIVE_BUFFER = 2,
	FDCCP_DROP_CORRUPT = 3,
	FDCCP_DROP_DELIVERED_CORRUPT = 7,
};

/* the states of an Ack Vector's cell, RFC 4340 section 11.4 */
enum fdccp_cell {
	FDCCP_CELL_RECEIVED = 0,
	FDCCP_CELL_MARKED = 1,
	FDCCP_CELL_NOT_RECEIVED = 3,
};

#define FDCCP_OPTIONS_MAX	1008	/* (255 words) - the shortest header, 12 bytes */
#define FDCCP_HEADER_MAX	1020	/* Data Offset counts up to 255 words */
#define FDCCP_DATA_HEADER	16	/* with 48-bit numbers */
#define FDCCP_ACK_HEADER	24
#define FDCCP_OPTION_VALUE_MAX	253
#define FDCCP_SENSITIVE_VALUE	6	/* bytes of the value of FDCCP_OPT_SENSITIVE */

/**
 * struct fdccp_packet - a packet, as its header says
 * @type: enum fdccp_type
 * @source: source port
 * @dest: destination port
 * @ccval: 0 to 15
 * @coverage: the field Checksum Coverage, 0 to 15
 * @bare: it came without UDP's checksum, or could have; fdccp_packet_parse() leaves that to the
 *	endpoint
 * @extended: 48-bit sequence numbers
 * @seq: sequence number, 48 bits; 24 if not @extended
 * @has_ack: the type has an acknowledgment number
 * @ack: acknowledgment number
 * @service: service code of a Request or Response, host order
 * @reset_code: of a Reset
 * @reset_data: of a Reset, 3 bytes
 * @options: first byte of the options
 * @options_len: their length
 * @data: first byte of the application data
 * @data_len: its length
 */
struct fdccp_packet {
	uint8_t type;
	uint16_t source, dest;
	uint8_t ccval;
	uint8_t coverage;
	bool bare;
	bool extended;
	uint64_t seq;
	bool has_ack;
	uint64_t ack;
	uint32_t service;
	uint8_t reset_code;
	uint8_t reset_data[3];
	const uint8_t *options;
	size_t options_len;
	const uint8_t *data;
	size_t data_len;
};

static inline bool fdccp_is_sync(const struct fdccp_packet *p)
{
	return p->type == FDCCP_PKT_SYNC || p->type == FDCCP_PKT_SYNCACK;
}

/**
 * fdccp_packet_parse() - read a packet's header
 * @p: the result, which points into @data
 * @data: the packet, from the source port on
 * @len: its length
 *
 * Checks what RFC 4340 section 8.5 step 1 asks for, except for the checksum: the length, a known
 * type, Data Offset, and X = 1 on the types that need it.
 *
 * Return: 0, or -1 if the packet must be ignored
 */
int fdccp_packet_parse(struct fdccp_packet *p, const uint8_t *data, size_t len);

extern const uint8_t fdccp_header_sizes[FDCCP_PKT_TYPES];

/* The size of the fixed header that fdccp_packet_write() makes for @type, below FDCCP_PKT_TYPES. */
static inline size_t fdccp_header_size(uint8_t type)
{
	return fdccp_header_sizes[type];
}

/**
 * fdccp_packet_write() - write a packet's fixed header, with 48-bit numbers
 * @p: type, ports, ccval, coverage, seq, ack, service, reset_code and reset_data are read
 * @out: fdccp_header_size(@p->type) bytes, which the options must follow
 * @options_len: length of the options, a multiple of 4
 *
 * The checksum stays 0.
 */
void fdccp_packet_write(const struct fdccp_packet *p, uint8_t *out, size_t options_len);

/**
 * struct fdccp_option - an option, as fdccp_option_next() found it
 * @type: enum fdccp_option_type
 * @mandatory: the option Mandatory is directly before it
 * @value: the value
 * @len: length of the value, 0 for options of one byte
 */
struct fdccp_option {
	uint8_t type;
	bool mandatory;
	const uint8_t *value;
	uint8_t len;
};

struct fdccp_option_walk {
	const uint8_t *at, *end;
};

/**
 * fdccp_option_next() - find the next option
 * @walk: where to search; at first the packet's options
 * @option: the result
 *
 * Skips Padding. Makes progress with each call.
 *
 * On Data packets, Mandatory must be ignored: the caller then ignores @option->mandatory, and goes
 * on after -1 with FDCCP_OPT_MANDATORY.
 *
 * Return: 1, 0 at the end, or -1 for options that make no sense; @option->type tells which.
 * FDCCP_OPT_MANDATORY: no option follows Mandatory, or a second Mandatory does (Reset 5, Option
 * Error, RFC 4340 section 5.8.2). Other types: the option's length is below 2 or beyond the end.
 * The option and all that follow it are ignored (RFC 4340 section 5.8), unless @option->mandatory
 * (Reset 6, Mandatory Error). The option then has no value
 */
int fdccp_option_next(struct fdccp_option_walk *walk, struct fdccp_option *option);

/**
 * fdccp_option_find() - find the first option of a type
 * @packet: where to search
 * @type: enum fdccp_option_type
 * @option: the result
 *
 * Return: whether the packet has one before the first option that makes no sense
 */
bool fdccp_option_find(const struct fdccp_packet *packet, uint8_t type,
		       struct fdccp_option *option);

/**
 * struct fdccp_writer - options as they are written
 * @start: first byte
 * @at: where the next one goes
 * @end: behind the last byte that may be used
 */
struct fdccp_writer {
	uint8_t *start, *at, *end;
};

/* Adds an option with a value of @len bytes. Return: 0, or -1 without a change if it has no room */
int fdccp_write_option(struct fdccp_writer *w, uint8_t type, const void *value, size_t len);
/* Adds an option of one byte. Return: as above. */
int fdccp_write_flag(struct fdccp_writer *w, uint8_t type);
/* Adds Padding until the length is a multiple of 4. The room is a multiple of 4. */
static inline void fdccp_write_padding(struct fdccp_writer *w)
{
	while ((w->at - w->start) % 4 != 0)
		*w->at++ = FDCCP_OPT_PADDING;
}

/* Read and write big-endian numbers of 1 to 8 bytes. */
uint64_t fdccp_get_number(const uint8_t *value, size_t len);
void fdccp_put_number(uint8_t *value, size_t len, uint64_t number);

/* The same of the header's fields, which each packet has. */
static inline uint16_t fdccp_get_16(const uint8_t *value)
{
	uint16_t number;

	memcpy(&number, value, sizeof(number));
	return be16toh(number);
}

static inline uint32_t fdccp_get_32(const uint8_t *value)
{
	uint32_t number;

	memcpy(&number, value, sizeof(number));
	return be32toh(number);
}

static inline uint64_t fdccp_get_64(const uint8_t *value)
{
	uint64_t number;

	memcpy(&number, value, sizeof(number));
	return be64toh(number);
}

static inline void fdccp_put_16(uint8_t *value, uint16_t number)
{
	number = htobe16(number);
	memcpy(value, &number, sizeof(number));
}

static inline void fdccp_put_32(uint8_t *value, uint32_t number)
{
	number = htobe32(number);
	memcpy(value, &number, sizeof(number));
}

static inline void fdccp_put_64(uint8_t *value, uint64_t number)
{
	number = htobe64(number);
	memcpy(value, &number, sizeof(number));
}

#endif
