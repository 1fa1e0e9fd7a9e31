// SPDX-License-Identifier: GPL-2.0
/*
 * Making a header larger by the option: what is in front of it moves towards the
 * start of the buffer. What is behind it stays, and with it the transport header
 * and where its checksum is to go.
 */

#include <linux/netfilter.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include "insert.h"

#define XLO_LINK_MAX	64	/* bytes of a link-layer header, tags included */

/* Bytes in front of the IP header that belong to it: a bridge puts the frame's
 * own header back when it is done with the packet. On the way out the offset may
 * be any: a tunnel's packet has that of the packet inside, xfrm points it into
 * the IP header.
 */
static unsigned int xlo_insert_link_len(const struct sk_buff *skb)
{
	int len = skb->network_header - skb->mac_header;

	return skb_mac_header_was_set(skb) && len > 0 && len <= XLO_LINK_MAX ?
	       len : 0;
}

/* Adds to a length field. The fields of longer packets are 0, and such packets do not
 * come here.
 */
static __be16 xlo_place_longer(__be16 length, u16 grow)
{
	return htons(ntohs(length) + grow);
}

/* Writes the option into an IPv4 header: the first @place->keep bytes are in place, with
 * room to @place->end behind them. The caller updates the header checksum.
 */
static void xlo_place_write4(u8 *hdr, const struct xlo_place *place,
			     const struct xlo *opt)
{
	struct iphdr *iph = (struct iphdr *)hdr;
	u32 tail = place->at + XLO_LEN;

	xlo_write4(hdr + place->at, opt);
	if (place->end > tail)
		memset(hdr + tail, XLO_IPV4_EOL, place->end - tail);
	iph->version = 4;
	iph->ihl = place->end / 4;
	iph->tot_len = xlo_place_longer(iph->tot_len, place->grow);
}

/* Writes padding of 0 to 7 bytes. */
static void xlo_place_pad6(u8 *pad, u32 len)
{
	memset(pad, 0, len);
	if (len < 2)
		return;			/* Pad1 is a 0 */
	pad[0] = XLO_IPV6_PADN;
	pad[1] = len - 2;
}

/* Writes the option behind an IPv6 header, as xlo_place_write4(). */
static void xlo_place_write6(u8 *hdr, const struct xlo_place *place,
			     const struct xlo *opt)
{
	struct ipv6hdr *ip6h = (struct ipv6hdr *)hdr;
	struct ipv6_opt_hdr *hop = (struct ipv6_opt_hdr *)(ip6h + 1);
	u32 keep = place->keep, tail = place->at + XLO_LEN;

	if (keep == XLO_IPV6_HLEN) {
		hop->nexthdr = ip6h->nexthdr;
		ip6h->nexthdr = NEXTHDR_HOP;
		keep += sizeof(*hop);
	}
	hop->hdrlen = (place->end - XLO_IPV6_HLEN) / 8 - 1;
	xlo_place_pad6(hdr + keep, place->at - keep);
	xlo_write6_option(hdr + place->at, opt);
	xlo_place_pad6(hdr + tail, place->end - tail);
	ip6h->payload_len = xlo_place_longer(ip6h->payload_len, place->grow);
}

/* Opens a gap of @grow bytes behind the first @keep bytes of the IP header. */
static void xlo_insert_gap(struct sk_buff *skb, unsigned int link, u16 keep,
			   u16 grow)
{
	u8 *from = skb_network_header(skb) - link;

	memmove(from - grow, from, link + keep);
	skb_push(skb, grow);
	skb->network_header -= grow;
	if (link)
		skb->mac_header -= grow;
}

/* Of a datagram that it is to cut (UDP_SEGMENT) UDP leaves the checksum unfinished, also where
 * no device finishes it: then the packet does not say so, and csum_start goes stale when the
 * head grows. That may be later, where the link-layer header finds less room than was kept
 * for it. Saying so makes csum_start follow, and NAT take the field for what it is.
 */
static void xlo_insert_unfinished(struct sk_buff *skb)
{
	if (skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4 &&
	    skb->ip_summed == CHECKSUM_NONE &&
	    skb_checksum_start(skb) == skb_transport_header(skb) &&
	    skb->csum_offset == offsetof(struct udphdr, check))
		skb->ip_summed = CHECKSUM_PARTIAL;
}

/**
 * xlo_insert() - write the option into a packet
 * @skb: the packet, skb->data at its IP header, its headers up to where the
 *	option goes linear
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @place: where to
 * @opt: what it shall say
 *
 * Checksums of the transport do not cover the option. One that a device made of
 * the whole packet (CHECKSUM_COMPLETE) covers it: all of the header is taken out
 * of it, and put in again.
 *
 * Return: 0, or -ENOMEM and the packet is as before
 */
int xlo_insert(struct sk_buff *skb, u8 pf, const struct xlo_place *place,
	       const struct xlo *opt)
{
	unsigned int link = xlo_insert_link_len(skb);
	u8 *hdr;

	xlo_insert_unfinished(skb);
	if (skb_cow_head(skb, link + place->grow))
		return -ENOMEM;
	skb_postpull_rcsum(skb, skb_network_header(skb),
			   place->end - place->grow);
	xlo_insert_gap(skb, link, place->keep, place->grow);
	hdr = skb_network_header(skb);
	if (pf == NFPROTO_IPV4) {
		xlo_place_write4(hdr, place, opt);
		ip_send_check((struct iphdr *)hdr);
	} else {
		xlo_place_write6(hdr, place, opt);
	}
	skb_postpush_rcsum(skb, hdr, place->end);
	return 0;
}
