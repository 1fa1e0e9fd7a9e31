// SPDX-License-Identifier: GPL-2.0
/*
 * Send a message. This file finds the route and the source address, and writes the IP header. The
 * hop limit is 255. If the message arrives with the hop limit 255, its sender was at most one hop
 * away (RFC 5082).
 */

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <net/checksum.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include "send.h"

#define XRTO_HOPS	255

static enum xrto_notices xrto_sent(int err)
{
	return net_xmit_eval(err) ? XRTO_NOTICES_DROPPED : XRTO_NOTICES_SENT;
}

static void xrto_header4(struct net *net, struct sk_buff *skb,
			 const struct flowi4 *fl4)
{
	struct iphdr *iph;

	icmp_hdr(skb)->checksum = ip_compute_csum(skb->data, skb->len);
	skb_push(skb, sizeof(*iph));
	skb_reset_network_header(skb);
	iph = ip_hdr(skb);
	*iph = (struct iphdr){
		.version = 4,
		.ihl = sizeof(*iph) / 4,
		/* the precedence of ICMP errors, see RFC 1812 section 4.3.2.5 */
		.tos = IPTOS_PREC_INTERNETCONTROL,
		.ttl = XRTO_HOPS,
		.protocol = IPPROTO_ICMP,
		.saddr = fl4->saddr,
		.daddr = fl4->daddr,
	};
	ip_select_ident(net, skb, NULL);
}

static enum xrto_notices xrto_send4(struct net *net, struct sk_buff *skb,
				    __be32 to)
{
	struct flowi4 fl4 = { .daddr = to, .flowi4_proto = IPPROTO_ICMP };
	struct rtable *rt = ip_route_output_key(net, &fl4);

	if (IS_ERR(rt)) {
		kfree_skb(skb);
		return XRTO_NOTICES_NO_ROUTE;
	}
	skb_dst_set(skb, &rt->dst);
	/* the destination may be the broadcast address of a network */
	if (rt->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST)) {
		kfree_skb(skb);
		return XRTO_NOTICES_ADDRESS;
	}
	xrto_header4(net, skb, &fl4);
	return xrto_sent(ip_local_out(net, NULL, skb));
}

static void xrto_header6(struct sk_buff *skb, const struct flowi6 *fl6)
{
	struct ipv6hdr *ip6h;
	u32 len = skb->len;

	icmp6_hdr(skb)->icmp6_cksum =
		csum_ipv6_magic(&fl6->saddr, &fl6->daddr, len, IPPROTO_ICMPV6,
				csum_partial(skb->data, len, 0));
	skb_push(skb, sizeof(*ip6h));
	skb_reset_network_header(skb);
	ip6h = ipv6_hdr(skb);
	ip6_flow_hdr(ip6h, 0, 0);
	ip6h->nexthdr = IPPROTO_ICMPV6;
	ip6h->hop_limit = XRTO_HOPS;
	ip6h->saddr = fl6->saddr;
	ip6h->daddr = fl6->daddr;
}

/* Refuse two kinds of routes. With ipv6.disable=1, a kernel before 7.2 would use IPv6 routing
 * tables that do not exist. For a link-local address, the kernel would choose an arbitrary link,
 * and the message could reach a wrong host.
 */
static struct dst_entry *xrto_route6(struct net *net, struct flowi6 *fl6)
{
	if (!ipv6_mod_enabled() ||
	    ipv6_addr_type(&fl6->daddr) & IPV6_ADDR_LINKLOCAL)
		return ERR_PTR(-EHOSTUNREACH);
	return ip6_dst_lookup_flow(net, NULL, fl6, NULL);
}

static enum xrto_notices xrto_send6(struct net *net, struct sk_buff *skb,
				    const struct in6_addr *to)
{
	struct flowi6 fl6 = { .daddr = *to, .flowi6_proto = IPPROTO_ICMPV6 };
	struct dst_entry *dst = xrto_route6(net, &fl6);

	if (IS_ERR(dst)) {
		kfree_skb(skb);
		return XRTO_NOTICES_NO_ROUTE;
	}
	skb_dst_set(skb, dst);
	xrto_header6(skb, &fl6);
	return xrto_sent(ip6_local_out(net, NULL, skb));
}

/**
 * xrto_send() - send a message
 * @net: the network namespace
 * @skb: the message from its ICMP header on, with a struct xrto_send_cb; this function frees it
 *
 * Context: process
 *
 * Return: the counter that shows whether the message was sent
 */
enum xrto_notices xrto_send(struct net *net, struct sk_buff *skb)
{
	struct xrto_send_cb cb = *xrto_send_cb(skb);

	/* IP uses the same bytes for its own control block */
	memset(skb->cb, 0, sizeof(skb->cb));
	skb_reset_transport_header(skb);
	if (cb.pf == NFPROTO_IPV4)
		return xrto_send4(net, skb, cb.to.ip);
	return xrto_send6(net, skb, &cb.to.in6);
}
