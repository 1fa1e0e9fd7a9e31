/* SPDX-License-Identifier: GPL-2.0 */
/* The transport header after the IP header. */
#ifndef _XLO_TRANSPORT_H
#define _XLO_TRANSPORT_H

#include <linux/ip.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/ip.h>

/**
 * struct xlo_transport - the transport header after the IP header and its extension headers
 * @proto: protocol of the transport header
 * @fragment: the packet is a fragment
 * @authenticated: the packet has an Authentication Header, or may have one, which covers the
 *	length fields of IP and IPv6's extension headers (RFC 4302 section 3.3.3)
 * @offset: offset from skb->data to the transport header, 0 if the packet does not contain it
 */
struct xlo_transport {
	u8 proto;
	bool fragment;
	bool authenticated;
	int offset;
};

struct xlo_transport xlo_transport6(const struct sk_buff *skb);

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
 * xlo_transport() - find the transport header
 * @skb: the packet, skb->data at its IP header
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 */
static inline struct xlo_transport xlo_transport(const struct sk_buff *skb,
						 u8 pf)
{
	return pf == NFPROTO_IPV4 ? xlo_transport4(skb) : xlo_transport6(skb);
}

/**
 * xlo_transport_tcp() - find a packet's TCP header
 * @skb: the packet
 * @t: from xlo_transport()
 *
 * Return: the offset from skb->data to the TCP header. The function returns 0 if the TCP header is
 * incomplete, missing or authenticated. An authenticated header must not be changed
 */
static inline int xlo_transport_tcp(const struct sk_buff *skb,
				    const struct xlo_transport *t)
{
	return t->proto == IPPROTO_TCP && t->offset && !t->authenticated &&
	       skb->len >= t->offset + sizeof(struct tcphdr) ? t->offset : 0;
}

#endif /* _XLO_TRANSPORT_H */
