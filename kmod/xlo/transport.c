// SPDX-License-Identifier: GPL-2.0
/* The transport header behind an IPv6 header. */

#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/netfilter.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/ndisc.h>
#include "transport.h"

#define XLO_ICMPV6_MLD2_REPORT	143	/* RFC 3810 section 5.2 */

static bool xlo_transport_authenticated6(const struct sk_buff *skb)
{
	unsigned int offset = 0;

	return ipv6_find_hdr(skb, &offset, NEXTHDR_AUTH, NULL, NULL) >= 0;
}

/**
 * xlo_transport6() - find the transport header of an IPv6 packet
 * @skb: the packet, skb->data at its IP header
 */
struct xlo_transport xlo_transport6(const struct sk_buff *skb)
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
 * xlo_transport_is_link_local6() - check an IPv6 packet for neighbour discovery and MLD
 * @skb: the packet
 * @proto: protocol from xlo_transport()
 * @offset: offset from xlo_transport()
 */
bool xlo_transport_is_link_local6(const struct sk_buff *skb, u8 proto,
				  int offset)
{
	const u8 *type;
	u8 buf;

	if (proto != IPPROTO_ICMPV6 || !offset)
		return false;
	type = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return type && ((*type >= ICMPV6_MGM_QUERY &&
			 *type <= NDISC_REDIRECT) ||
			*type == XLO_ICMPV6_MLD2_REPORT);
}
