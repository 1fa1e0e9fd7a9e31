/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers that run against memory that others write to, and the forms of their packets. */
#ifndef FETCH_PARSER_H
#define FETCH_PARSER_H

#include "foreign.h"

struct sk_buff;

/**
 * struct packet - the properties that all forms of a packet have in common
 * @ip: offset of the IP header: 0, or the length of a link-layer header
 * @ipv6: whether the packet is IPv6
 * @proto: transport protocol, 0 for any of TCP, UDP and DCCP
 * @syn: whether a TCP segment is a SYN
 * @len: length in bytes
 */
struct packet {
	__u32 ip;
	bool ipv6;
	__u8 proto;
	bool syn;
	__u32 len;
};

/**
 * struct parser - a parser, and how to run it
 * @name: name of the test
 * @packet: the parser's input; version and length vary
 * @form: writes a form of a packet; NULL for form_packet()
 * @run: calls the parser with a packet and checks the result
 */
struct parser {
	const char *name;
	struct packet packet;
	void (*form)(__u8 *at, const struct packet *packet, __u64 *state);
	void (*run)(struct sk_buff *skb, const struct packet *packet,
		    __u64 *state);
};

/* each list ends with an empty entry */
extern const struct parser lpd_parsers[];
extern const struct parser usual_parsers[];
extern const struct parser xlo_parsers[];
extern const struct parser rto_parsers[];
extern const struct parser cell_parsers[];

/**
 * form_packet() - write one form of a packet
 * @at: where to write @packet->len bytes
 * @packet: description of the packet
 * @state: state of the random generator that chooses everything else: options, extension
 *	headers and their lengths, fragments, and sometimes a wrong byte
 */
void form_packet(__u8 *at, const struct packet *packet, __u64 *state);

/**
 * fetch_reached() - count a packet that a parser has read to its end
 * @reached: whether the parser reached the end and completed its work
 */
void fetch_reached(bool reached);

/**
 * fetch_completed() - the number of packets that parsers have read to their end
 */
unsigned int fetch_completed(void);

/**
 * fetch_require() - end the test if a condition is false
 * @holds: the condition
 * @what: the text of the condition
 */
void fetch_require(bool holds, const char *what);

#define require(condition) fetch_require(condition, #condition)

#endif /* FETCH_PARSER_H */
