/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flow of a packet: protocol, addresses and ports. */
#ifndef FRESHLINK_FLOW_H
#define FRESHLINK_FLOW_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefix.h"
#include "report.h"

#define FLOW_WORDS_MAX	16
#define FLOW_TEXT	128	/* bytes of a flow as text */

/**
 * struct flow - the flow of a packet; the ends are its source and its destination
 * @ethertype: ETH_P_*
 * @is_ip: the packet is IP, and its header is complete
 * @protocol: IPPROTO_*
 * @address: addresses of the ends; an IPv4 address is in its mapped form
 * @has_ports: the packet has ports, and they are known
 * @port: ports of the ends
 */
struct flow {
	uint16_t ethertype;
	bool is_ip;
	uint8_t protocol;
	struct in6_addr address[2];
	bool has_ports;
	uint16_t port[2];
};

/**
 * struct flow_word - a condition for flows
 * @protocol: the protocol, or 0
 * @port: the port of one end, or 0
 * @prefix: if @protocol and @port are 0: one end is in this prefix
 */
struct flow_word {
	uint8_t protocol;
	uint16_t port;
	struct prefix prefix;
};

/**
 * struct flow_filter - words that a flow must match
 * @word: the words
 * @count: number of words
 */
struct flow_filter {
	struct flow_word word[FLOW_WORDS_MAX];
	int count;
};

/** flow_option - FLOW in help and completion, with the protocols as words */
extern const struct fl_option flow_option;

/**
 * flow_read - read the flow of a packet
 * @flow: written
 * @ethertype: ETH_P_*
 * @packet: the packet from its network header on
 * @len: known bytes of the packet
 */
void flow_read(struct flow *flow, uint16_t ethertype, const uint8_t *packet, size_t len);

/**
 * flow_report - add a flow to a report
 * @r: the report
 * @flow: the flow
 */
void flow_report(struct report *r, const struct flow *flow);

/**
 * flow_format - write a flow as text
 * @flow: the flow
 * @buf: written, for example "udp 192.0.2.1:5004 > [2001:db8::1]:5004", or "0x88cc" if the flow is
 *	not IP
 *
 * Return: @buf
 */
const char *flow_format(const struct flow *flow, char buf[FLOW_TEXT]);

/** flow_is_same - whether two packets have the same flow */
bool flow_is_same(const struct flow *a, const struct flow *b);

/**
 * flow_filter_parse - read the words FLOW of a command line
 * @filter: written
 * @who: prefix of error messages
 * @words: the words
 * @count: number of words
 *
 * Return: true, or false after a message on standard error
 */
bool flow_filter_parse(struct flow_filter *filter, const char *who, char **words, int count);

/** flow_filter_has - whether a flow matches all words; without words, each packet matches */
bool flow_filter_has(const struct flow_filter *filter, const struct flow *flow);

#endif
