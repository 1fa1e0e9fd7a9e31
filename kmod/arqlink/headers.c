// SPDX-License-Identifier: GPL-2.0
/* Where the payload of a packet begins. */

#include <linux/dccp.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "headers.h"

/* Returns the offset behind the IPv4 header. */
static int arql_headers4(const struct sk_buff *skb, unsigned int ip, u8 *proto,
			 bool *later)
{
	const struct iphdr *iph = (const void *)(skb->data + ip);

	*proto = iph->protocol;
	*later = iph->frag_off & htons(IP_OFFSET);
	return ip + iph->ihl * 4;
}

/* Returns the offset behind the IPv6 header and its extension headers, or an error. */
static int arql_headers6(const struct sk_buff *skb, unsigned int ip, u8 *proto,
			 bool *later)
{
	const struct ipv6hdr *ip6h = (const void *)(skb->data + ip);
	__be16 fragment;
	int at;

	*proto = ip6h->nexthdr;
	at = ipv6_skip_exthdr(skb, ip + sizeof(*ip6h), proto, &fragment);
	*later = fragment & htons(IP6_OFFSET);
	/* the function stops before the fragment header of a later fragment */
	return at < 0 || !*later ? at : at + (int)sizeof(struct frag_hdr);
}

/* Returns the length of the transport header at @at, 0 if it is not known. */
static u32 arql_transport_len(const struct sk_buff *skb, unsigned int at, u8 proto)
{
	const void *hdr = skb->data + at;
	u32 len;

	switch (proto) {
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
		return sizeof(struct udphdr);
	case IPPROTO_TCP:
		if (skb->len < at + sizeof(struct tcphdr))
			return 0;
		len = ((const struct tcphdr *)hdr)->doff * 4;
		return len < sizeof(struct tcphdr) ? 0 : len;
	case IPPROTO_DCCP:
		if (skb->len < at + sizeof(struct dccp_hdr))
			return 0;
		len = ((const struct dccp_hdr *)hdr)->dccph_doff * 4;
		return len < sizeof(struct dccp_hdr) ? 0 : len;
	default:
		return 0;
	}
}

/**
 * arql_headers() - the length of a packet's headers
 * @skb: the packet, linear; skb->data points to its Ethernet header
 * @ip: offset of the IP header, which is complete
 *
 * A later fragment of a packet has no transport header.
 *
 * Return: offset of the payload, 0 if the packet has a transport header of unknown length
 */
u32 arql_headers(const struct sk_buff *skb, unsigned int ip)
{
	bool later;
	u8 proto;
	int at;
	u32 len;

	if (skb->data[ip] >> 4 == 4)
		at = arql_headers4(skb, ip, &proto, &later);
	else
		at = arql_headers6(skb, ip, &proto, &later);
	if (at < 0 || at > skb->len)
		return 0;
	if (later)
		return at;
	len = arql_transport_len(skb, at, proto);
	return len && len <= skb->len - at ? at + len : 0;
}
