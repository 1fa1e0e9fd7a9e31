/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers to be run against foreign memory, and the forms of the packets they get. */
#ifndef FETCH_PARSER_H
#define FETCH_PARSER_H

#include "foreign.h"

struct sk_buff;

/**
 * struct packet - what all forms of a packet have in common
 * @ip: offset of the IP header: behind a link-layer header, or 0
 * @ipv6: its version
 * @proto: of the transport, 0 for TCP, UDP or DCCP
 * @syn: TCP is a SYN
 * @len: its bytes
 */
struct packet {
	__u32 ip;
	bool ipv6;
	__u8 proto;
	bool syn;
	__u32 len;
};

/**
 * struct parser - what runs one
 * @name: of the test
 * @packet: what it is given; version and length vary
 * @form: writes a form of a packet; form_packet() if NULL
 * @run: gives the parser the packet, and checks what came of it
 */
struct parser {
	const char *name;
	struct packet packet;
	void (*form)(__u8 *at, const struct packet *packet, __u64 *state);
	void (*run)(struct sk_buff *skb, const struct packet *packet,
		    __u64 *state);
};

/* each ends with an empty one */
extern const struct parser lpd_parsers[];
extern const struct parser xlo_parsers[];
extern const struct parser rto_parsers[];
extern const struct parser cell_parsers[];

/**
 * form_packet() - one form of a packet
 * @at: where it is written, @packet->len bytes
 * @packet: what it is
 * @state: of the generator that decides about the rest: options, extension headers
 *	and their lengths, fragments; now and then a byte that does not fit
 */
void form_packet(__u8 *at, const struct packet *packet, __u64 *state);

/**
 * fetch_reached() - count a packet that a parser was through with
 * @reached: whether it was, and did what it is for
 */
void fetch_reached(bool reached);

/**
 * fetch_require() - end the test if something does not hold
 * @holds: whether it does
 * @what: what it is
 */
void fetch_require(bool holds, const char *what);

#define require(condition) fetch_require(condition, #condition)

#endif /* FETCH_PARSER_H */
