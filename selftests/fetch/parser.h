/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers that run against foreign memory, and the forms of their packets. */
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
 * struct parser - how to run one
 * @name: of the test
 * @packet: its input; version and length vary
 * @form: writes a form of a packet; form_packet() if NULL
 * @run: calls the parser with the packet, and checks the result
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
 * @packet: its description
 * @state: of the generator that decides about the rest: options, extension headers
 *	and their lengths, fragments; now and then a byte that does not fit
 */
void form_packet(__u8 *at, const struct packet *packet, __u64 *state);

/**
 * fetch_reached() - count a packet that a parser has finished
 * @reached: whether it has, and has done its work
 */
void fetch_reached(bool reached);

/**
 * fetch_require() - end the test if something does not hold
 * @holds: whether it does
 * @what: its name
 */
void fetch_require(bool holds, const char *what);

#define require(condition) fetch_require(condition, #condition)

#endif /* FETCH_PARSER_H */
