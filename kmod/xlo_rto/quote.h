/* SPDX-License-Identifier: GPL-2.0 */
/* The packet that a message is about: as much of it as is quoted. */
#ifndef _XLO_RTO_QUOTE_H
#define _XLO_RTO_QUOTE_H

#include <linux/netfilter.h>
#include <linux/types.h>

#define XRTO_TCP_HLEN		20

/**
 * struct xrto_quote - what is read of a packet
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @proto: the protocol behind all IP headers
 * @later: a fragment that is not the first: what follows is not @proto's header
 * @has_tsval: the segment's time stamp is there, too
 * @at: where @proto's header begins
 * @saddr: source of the packet
 * @daddr: its destination
 * @sport: of TCP, likewise
 * @dport: of TCP
 * @seq: of TCP, the sequence number
 * @tsval: TSval of RFC 7323
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

#endif /* _XLO_RTO_QUOTE_H */
