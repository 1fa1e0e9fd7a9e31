/* SPDX-License-Identifier: GPL-2.0 */
/* What a link tells of a packet: messages on the wire. */
#ifndef _XLO_RTO_MESSAGE_H
#define _XLO_RTO_MESSAGE_H

#include <linux/types.h>
#include "machine.h"
#include "quote.h"

/* No ICMP error is longer: 576 bytes in IPv4 (RFC 1812 section 4.3.2.3), 1280 in IPv6 (RFC
 * 4443 section 2.4)
 */
#define XRTO_MESSAGE_MAX	1280

/**
 * struct xrto_message - a message, and the segment that it quotes
 * @event: XRTO_DROP, XRTO_DEFER or XRTO_LINK_UP
 * @native: in its own ICMP type
 * @token: that it carries, 0 without
 * @keyed: that was asked for, and is right
 * @quarter: a DROP is early in the first quarter of the timeout (XRTO_EARLY_QUARTER)
 * @dif: interface the message came in by
 * @sdif: likewise, where @dif is an L3 master
 * @quote: the segment; its source is this host
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

#endif /* _XLO_RTO_MESSAGE_H */
