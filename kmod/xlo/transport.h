/* SPDX-License-Identifier: GPL-2.0 */
/* What follows the IP header. */
#ifndef _XLO_TRANSPORT_H
#define _XLO_TRANSPORT_H

#include <linux/ip.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/ip.h>

/**
 * struct xlo_transport - what follows the IP header and its extension headers
 * @proto: its protocol
 * @fragment: the packet is a fragment
 * @authenticated: behind an Authentication Header, which covers the lengths of
 *	IP and IPv6's extension headers (RFC 4302 section 3.3.3)
 * @offset: where it begins, from skb->data on; 0 if it is not there
 */
struct xlo_transport {
	u8 proto;
	bool fragment;
	bool authenticated;
	int offset;
};

struct xlo_transport xlo_transport6(const struct sk_buff *skb);
bool xlo_transport_is_link_local6(const struct sk_buff *skb, u8 proto,
				  int offset);

static inline struct xlo_transport xlo_transport4(const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);

	return (struct xlo_transport){
		.proto = iph->protocol,
		.fragment = ip_is_fragment(iph),
		.authenticated = iph->protocol == IPPROTO_AH,
		.offset = iph->frag_off & htons(IP_OFFSET) ? 0 :
			  skb_network_offset(skb) + iph->ihl * 4,
	};
}

/**
 * xlo_transport() - look for what follows the IP header
 * @skb: the packet, skb->data at its IP header
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 */
static inline struct xlo_transport xlo_transport(const struct sk_buff *skb,
						 u8 pf)
{
	return pf == NFPROTO_IPV4 ? xlo_transport4(skb) : xlo_transport6(skb);
}

/**
 * xlo_transport_tcp() - where a packet's TCP header is
 * @skb: the packet
 * @t: of xlo_transport()
 *
 * Return: offset from skb->data, 0 if it has none, not all of it, or none that
 * may be changed
 */
static inline int xlo_transport_tcp(const struct sk_buff *skb,
				    const struct xlo_transport *t)
{
	return t->proto == IPPROTO_TCP && t->offset && !t->authenticated &&
	       skb->len >= t->offset + sizeof(struct tcphdr) ? t->offset : 0;
}

/**
 * xlo_transport_is_link_local() - whether the packet keeps the link itself going
 * @skb: the packet
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @t: of xlo_transport()
 *
 * Neighbour and listener discovery and IGMP go no further than the next node,
 * where switches look at them at fixed offsets; nor are they ever stale.
 */
static inline bool xlo_transport_is_link_local(const struct sk_buff *skb, u8 pf,
					       const struct xlo_transport *t)
{
	return pf == NFPROTO_IPV4 ? t->proto == IPPROTO_IGMP :
	       xlo_transport_is_link_local6(skb, t->proto, t->offset);
}

#endif /* _XLO_TRANSPORT_H */
