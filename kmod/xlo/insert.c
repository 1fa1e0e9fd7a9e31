// SPDX-License-Identifier: GPL-2.0
/*
 * Inserts the option into a packet's header. The bytes in front of the option move towards
 * the start of the buffer. The bytes after the option do not move. The offsets of the transport
 * header and of its checksum therefore stay correct. The IP layer could write the option together
 * with the header, but packets reach the hooks only after the IP layer has written the header.
 */

#include <linux/netfilter.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include "insert.h"

/* Writes the option into an IPv4 header. The first @place->keep bytes are already at their final
 * position. The space after these bytes reaches up to @place->end. The caller updates the header
 * checksum.
 */
static void xlo_place_write4(u8 *hdr, const struct xlo_place *place,
			     const struct xlo *opt)
{
	struct iphdr *iph = (struct iphdr *)hdr;
	u32 tail = place->at + XLO_LEN;

	xlo_write4(hdr + place->at, opt);
	if (place->end > tail)
		memset(hdr + tail, XLO_IPV4_EOL, place->end - tail);
	hdr[0] = 4 << 4 | place->end / 4;	/* writes version and ihl in one access */
	/* the sum fits, because xlo_find_place() refuses longer packets */
	be16_add_cpu(&iph->tot_len, place->grow);
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

/* Writes the option after an IPv6 header, in the same way as xlo_place_write4(). */
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
	be16_add_cpu(&ip6h->payload_len, place->grow);
}

/* Opens a gap of @grow bytes after the first @keep bytes of the IP header. */
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

/* With UDP_SEGMENT, UDP leaves the checksum of a large datagram unfinished even if no device
 * finishes the checksum. The large datagram with its unfinished checksum has CHECKSUM_NONE in
 * ip_summed. With CHECKSUM_NONE, a reallocation of the head makes csum_start wrong. This file may
 * reallocate the head, and so may the link layer if it needs more headroom. With CHECKSUM_PARTIAL
 * the stack updates csum_start, and NAT knows that the checksum is unfinished.
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
 * @skb: the packet, linear up to the end of its options; skb->data points to the IP header
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 * @place: from xlo_place4() or xlo_place6()
 * @opt: the option
 *
 * Transport checksums do not cover the option. A device's sum of the whole packet
 * (CHECKSUM_COMPLETE) covers the option. The function therefore subtracts the old header from
 * this sum and adds the new header.
 *
 * Return: 0. If no memory is available, the function returns -ENOMEM and does not change the packet
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
