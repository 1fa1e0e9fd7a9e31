/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IP packets of any content, read according to RFC 791, 8200, 768, 9293 and 4340. The code
 * is simple rather than fast, and shares no code with the modules under test.
 */
#ifndef HOSTILE_PACKET_H
#define HOSTILE_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX	9000

/**
 * struct packet - a packet from the IP header on
 * @data: the bytes
 * @len: their number
 * @version: 4 or 6, by the frame's protocol
 */
struct packet {
	uint8_t data[PACKET_MAX];
	size_t len;
	int version;
};

/**
 * struct view - the contents of a packet's headers
 * @whole: whether version and lengths agree with the bytes; otherwise the other members
 *	have no meaning
 * @rest: offset of the first byte after the options
 * @end: offset of the packet's end, without padding
 * @transport: offset of the transport header, 0 without a transport header
 * @proto: transport protocol
 * @fragment: whether the packet is a fragment
 * @routed: whether the destination in the header may differ from the final destination
 */
struct view {
	int whole;
	size_t rest;
	size_t end;
	size_t transport;
	unsigned int proto;
	int fragment;
	int routed;
};

enum sum {
	SUM_UNKNOWN,
	SUM_ABSENT,
	SUM_RIGHT,
	SUM_WRONG,
};

unsigned int get16(const uint8_t *at);
void put16(uint8_t *at, unsigned int value);

struct view packet_view(const struct packet *packet);

/* Check the transport's checksum. Also returns SUM_UNKNOWN for a fragment. */
enum sum packet_sum(const struct packet *packet, const struct view *view);

/* Check the IPv4 header's checksum. The header's length must be valid. */
int packet_header_sum_right(const struct packet *packet);

/* Offset of the checksum in a transport header, 0 without a checksum. */
size_t packet_check_offset(unsigned int proto);

/* Write the checksum of the IPv4 header, of the transport, or the part of the transport's
 * checksum that a device completes.
 */
void packet_fix_header(struct packet *packet);
void packet_fix_sum(struct packet *packet, const struct view *view);
void packet_begin_sum(struct packet *packet, const struct view *view);

#endif /* HOSTILE_PACKET_H */
