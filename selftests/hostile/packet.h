/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IP packets of any content, read according to RFC 791, 8200, 768, 9293 and 4340. The code
 * is simple rather than fast, and shares nothing with the modules under test.
 */
#ifndef HOSTILE_PACKET_H
#define HOSTILE_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX	9000

/**
 * struct packet - bytes from the IP header on
 * @data: the bytes
 * @len: how many
 * @version: 4 or 6, as its frame says
 */
struct packet {
	uint8_t data[PACKET_MAX];
	size_t len;
	int version;
};

/**
 * struct view - the contents of a packet's headers
 * @whole: version and lengths agree with the bytes; the rest counts only then
 * @rest: offset of the bytes behind the options
 * @end: where the packet ends, padding excluded
 * @transport: where the transport header begins, 0 if there is none
 * @proto: its protocol
 * @fragment: it is a fragment
 * @routed: the destination in the header may not be the last one
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

/* Of the transport; SUM_UNKNOWN also for a fragment. */
enum sum packet_sum(const struct packet *packet, const struct view *view);

/* Of the IPv4 header, whose length is a good one. */
int packet_header_sum_right(const struct packet *packet);

/* Where the checksum is in a transport header, 0 for one without. */
size_t packet_check_offset(unsigned int proto);

/* Write checksums: of the IPv4 header, of the transport, and of the transport as
 * for a device that completes it.
 */
void packet_fix_header(struct packet *packet);
void packet_fix_sum(struct packet *packet, const struct view *view);
void packet_begin_sum(struct packet *packet, const struct view *view);

#endif /* HOSTILE_PACKET_H */
