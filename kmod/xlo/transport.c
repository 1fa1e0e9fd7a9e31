// SPDX-License-Identifier: GPL-2.0
/* The transport header after an IPv6 header. */

#include <linux/ip.h>
#include <linux/netfilter.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "transport.h"

/* In a packet that ends within its extension headers, such as a short first fragment, an
 * Authentication Header may follow.
 */
static bool xlo_transport_authenticated6(const struct sk_buff *skb)
{
	unsigned int offset = 0;

	return ipv6_find_hdr(skb, &offset, NEXTHDR_AUTH, NULL, NULL) != -ENOENT;
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
