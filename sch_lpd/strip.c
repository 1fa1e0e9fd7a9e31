// SPDX-License-Identifier: GPL-2.0
/*
 * Taking the cross-layer option out of a packet that leaves: what is in front of
 * it moves towards the payload. The payload stays, and with it the transport
 * header, where its checksum is to go, and what a tunnel carries inside.
 */

#include <linux/ip.h>
#include <net/ipv6.h>
#include <net/xlo_skb.h>
#include "strip.h"

/* Whether an authentication header covers the option (RFC 4302 section 3.3.3):
 * without it the receiver would discard the packet.
 */
static bool lpd_strip_authenticated(const struct sk_buff *skb, int ip_off)
{
	const u8 *hdr = skb->data + ip_off;
	unsigned int offset = ip_off;

	if (!xlo_is_ipv6(hdr))
		return ((const struct iphdr *)hdr)->protocol == IPPROTO_AH;
	return ipv6_find_hdr(skb, &offset, NEXTHDR_AUTH, NULL, NULL) >= 0;
}

/* Whether a device is to sum up the packet from a place before @end on: a virtual
 * machine may ask for anything. The place would not go along with the header, and
 * could then be in front of the packet.
 */
static bool lpd_strip_summed(const struct sk_buff *skb, unsigned int end)
{
	return skb->ip_summed == CHECKSUM_PARTIAL &&
	       skb->csum_start < skb_headroom(skb) + end;
}

/* An offset of a header goes along if the header is among the bytes that move,
 * up to @end from skb->head on. One that was not set is beyond.
 */
static void lpd_strip_follow(u16 *header, unsigned int end, u16 by)
{
	if (*header <= end)
		*header += by;
}

/* Takes @len bytes out that begin @front bytes from skb->data on. */
static void lpd_strip_close(struct sk_buff *skb, unsigned int front, u16 len)
{
	unsigned int end = skb_headroom(skb) + front;

	memmove(skb->data + len, skb->data, front);
	__skb_pull(skb, len);
	lpd_strip_follow(&skb->mac_header, end, len);
	lpd_strip_follow(&skb->network_header, end, len);
	/* a bridge has it where the network header is */
	lpd_strip_follow(&skb->transport_header, end, len);
	/* stands in front of a link-layer header that is elsewhere now */
	skb_metadata_clear(skb);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
}

/* A chained packet (see xlo_skb_chained()) has its data begin at the transport
 * header, and equal options.
 */
static void lpd_strip_chained(struct sk_buff *skb, const struct lpd_gap *gap)
{
	u8 *hdr = skb_network_header(skb);

	lpd_strip_edit(hdr, gap);
	memmove(hdr + gap->len, hdr, gap->at);
	skb->network_header += gap->len;
}

/**
 * lpd_strip_prepare() - make a packet's header such that lpd_strip() can do it
 * @skb: the packet, in which xlo_skb_find4() or xlo_skb_find6() have found the
 *	option: so all of its header is linear
 * @ip_off: offset of the IP header from skb->data
 *
 * To be called when the packet is queued, where running out of memory is a drop
 * like any other.
 *
 * Return: as of xlo_skb_ensure_writable()
 */
int lpd_strip_prepare(struct sk_buff *skb, int ip_off)
{
	struct xlo_ref last = {
		.off = lpd_strip_header_len(skb->data + ip_off) - XLO_LEN,
	};

	return xlo_skb_ensure_writable(skb, ip_off, &last);
}

/**
 * lpd_strip() - take the option out of a packet
 * @skb: the packet, skb->data at its link-layer header, its header made writable
 *	by lpd_strip_prepare() and in nobody else's hands since
 * @ip_off: offset of the IP header from skb->data
 * @opt_off: offset of the option from the IP header
 *
 * Of a GSO packet that is every segment's. Needs no memory. skb->len shrinks;
 * qdisc_skb_cb(skb)->pkt_len and the backlog are the caller's.
 *
 * Return: bytes taken out; 0 if the option has to stay, as under an
 * authentication header, or where the header is not what it seems to others
 */
unsigned int lpd_strip(struct sk_buff *skb, int ip_off, unsigned int opt_off)
{
	u8 *hdr = skb->data + ip_off;
	struct sk_buff *chained;
	struct lpd_gap gap;

	if (lpd_strip_authenticated(skb, ip_off) ||
	    lpd_strip_summed(skb, ip_off + lpd_strip_header_len(hdr)) ||
	    !lpd_strip_gap(hdr, opt_off, &gap))
		return 0;
	for (chained = xlo_skb_chained(skb); chained; chained = chained->next)
		lpd_strip_chained(chained, &gap);
	lpd_strip_edit(hdr, &gap);
	lpd_strip_close(skb, ip_off + gap.at, gap.len);
	return gap.len;
}
