/* SPDX-License-Identifier: GPL-2.0 */
/* Format of messages: two encodings, the quoted packet and the token. All functions are pure. */
#ifndef _XLO_RTO_PARSE_H
#define _XLO_RTO_PARSE_H

#include <linux/netfilter.h>
#include <linux/siphash.h>
#include <linux/types.h>
#include "machine.h"

#define XRTO_NATIVE_TOKEN	4	/* offset in the ICMP header */
#define XRTO_EXT_VERSION	2

/**
 * struct xrto_format - the differences between ICMP and ICMPv6
 * @native: ICMP type of the native encoding
 * @unreachable: ICMP type that carries an extension; its code is 0
 * @length_at: offset of the field with the length of the quote (RFC 4884 section 4)
 * @length_unit: unit of the field at @length_at, in bytes
 */
struct xrto_format {
	u8 native;
	u8 unreachable;
	u8 length_at;
	u8 length_unit;
};

extern const struct xrto_format xrto_format4, xrto_format6;

/**
 * struct xrto_quote - fields of a quoted packet
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @proto: the protocol after all IP headers
 * @later: whether the packet is a later fragment, which has no header of @proto
 * @has_tsval: whether the quote contains a TCP timestamp
 * @at: offset of the header of @proto
 * @saddr: source address
 * @daddr: destination address
 * @sport: TCP source port
 * @dport: TCP destination port
 * @seq: TCP sequence number
 * @tsval: TSval of the TCP timestamp (RFC 7323)
 */
struct xrto_quote {
	u8 pf;
	u8 proto;
	bool later;
	bool has_tsval;
	u32 at;
	union nf_inet_addr saddr;
	union nf_inet_addr daddr;
	__be16 sport;
	__be16 dport;
	u32 seq;
	u32 tsval;
};

bool xrto_quote_packet(const u8 *ip, u32 len, struct xrto_quote *quote);
bool xrto_quote_is_segment(const struct xrto_quote *quote);
bool xrto_quote_segment(const u8 *ip, u32 len, struct xrto_quote *quote);

/* The maximum length of an ICMP error: 576 bytes in IPv4 (RFC 1812 section 4.3.2.3), 1280 bytes
 * in IPv6 (RFC 4443 section 2.4)
 */
#define XRTO_MESSAGE_MAX	1280

/**
 * struct xrto_message - a message and its quoted segment
 * @event: XRTO_DROP, XRTO_DEFER or XRTO_LINK_UP
 * @native: whether the message has the native encoding
 * @token: the token of the message, or 0 for a message without a token
 * @keyed: whether a token was required and @token is right
 * @quarter: whether a DROP is early in the first quarter of the timeout (XRTO_EARLY_QUARTER)
 * @dif: index of the interface that received the message
 * @sdif: index of the lower interface, if @dif is an L3 master device
 * @quote: the quoted segment; its source is this host
 */
struct xrto_message {
	enum xrto_event event;
	bool native;
	u32 token;
	bool keyed;
	bool quarter;
	int dif;
	int sdif;
	struct xrto_quote quote;
};

int xrto_parse4(const u8 *icmp, u32 len, __be32 daddr,
		struct xrto_message *msg);
int xrto_parse6(const u8 *icmp, u32 len, const struct in6_addr *saddr,
		const struct in6_addr *daddr, struct xrto_message *msg);

siphash_key_t xrto_token_key(const u8 *bytes);
u32 xrto_token(const siphash_key_t *key, u8 code,
	       const struct xrto_quote *quote);

#endif /* _XLO_RTO_PARSE_H */
