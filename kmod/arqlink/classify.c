// SPDX-License-Identifier: GPL-2.0
/* Chooses the class of a packet by its mark or DSCP. */

#include <linux/bits.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/dsfield.h>
#include <net/xlo_skb.h>
#include "classify.h"

/* Returns the DSCP of a packet, or -1 if it is no IP packet. */
static int arql_dscp(const struct sk_buff *skb)
{
	struct ipv6hdr header;
	const void *ip;
	__be16 proto;
	int off;

	off = xlo_skb_network_offset(skb, &proto);
	if (off < 0)
		return -1;
	if (proto == htons(ETH_P_IP)) {
		ip = skb_header_pointer(skb, off, sizeof(struct iphdr), &header);
		return ip ? ipv4_get_dsfield(ip) >> 2 : -1;
	}
	if (proto == htons(ETH_P_IPV6)) {
		ip = skb_header_pointer(skb, off, sizeof(struct ipv6hdr), &header);
		return ip ? ipv6_get_dsfield(ip) >> 2 : -1;
	}
	return -1;
}

/**
 * arql_matches() - check whether a packet is chosen by its mark or DSCP
 * @match: the mark and the DSCPs
 * @skb: the packet; skb->data points to its Ethernet header
 */
bool arql_matches(const struct arql_match *match, const struct sk_buff *skb)
{
	int dscp;

	if (match->mask && (skb->mark & match->mask) == match->mark)
		return true;
	if (!match->dscp)
		return false;
	dscp = arql_dscp(skb);
	return dscp >= 0 && match->dscp & BIT_ULL(dscp);
}
