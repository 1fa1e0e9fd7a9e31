// SPDX-License-Identifier: GPL-2.0
/* What follows the IP header. */

#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/netfilter.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/ndisc.h>
#include "transport.h"

#define XLO_ICMPV6_MLD2_REPORT	143	/* RFC 3810 section 5.2 */

static struct xlo_transport xlo_transport4(const struct sk_buff *skb)
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

static bool xlo_transport_authenticated6(const struct sk_buff *skb)
{
	unsigned int offset = 0;

	return ipv6_find_hdr(skb, &offset, NEXTHDR_AUTH, NULL, NULL) >= 0;
}

static struct xlo_transport xlo_transport6(const struct sk_buff *skb)
{
	struct xlo_transport t = { .proto = ipv6_hdr(skb)->nexthdr };
	__be16 frag_off;
	int offset;

	offset = ipv6_skip_exthdr(skb, skb_network_offset(skb) +
				  sizeof(struct ipv6hdr), &t.proto, &frag_off);
	t.fragment = frag_off;
	t.authenticated = xlo_transport_authenticated6(skb);
	t.offset = offset < 0 || frag_off & htons(IP6_OFFSET) ? 0 : offset;
	return t;
}

/**
 * xlo_transport() - look for what follows the IP header
 * @skb: the packet, skb->data at its IP header
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 */
struct xlo_transport xlo_transport(const struct sk_buff *skb, u8 pf)
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
int xlo_transport_tcp(const struct sk_buff *skb, const struct xlo_transport *t)
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
bool xlo_transport_is_link_local(const struct sk_buff *skb, u8 pf,
				 const struct xlo_transport *t)
{
	const u8 *type;
	u8 buf;

	if (pf == NFPROTO_IPV4)
		return t->proto == IPPROTO_IGMP;
	if (t->proto != IPPROTO_ICMPV6 || !t->offset)
		return false;
	type = skb_header_pointer(skb, t->offset, sizeof(buf), &buf);
	return type && ((*type >= ICMPV6_MGM_QUERY &&
			 *type <= NDISC_REDIRECT) ||
			*type == XLO_ICMPV6_MLD2_REPORT);
}
