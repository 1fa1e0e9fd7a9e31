// SPDX-License-Identifier: GPL-2.0
/*
 * Removes the cross-layer option from a packet that leaves. The bytes in front of the option
 * move towards the payload. The payload does not move. So the transport header, the place
 * of its checksum, and packets inside a tunnel do not move either.
 */

#include <linux/ip.h>
#include <net/ipv6.h>
#include <net/xlo_skb.h>
#include "strip.h"

/* Whether an authentication header covers the option (RFC 4302 section 3.3.3). If it does,
 * the receiver would discard the packet without the option.
 */
static bool lpd_strip_authenticated(const struct sk_buff *skb, int ip_off)
{
	const u8 *hdr = skb->data + ip_off;
	unsigned int offset = ip_off;

	if (!xlo_is_ipv6(hdr))
		return ((const struct iphdr *)hdr)->protocol == IPPROTO_AH;
	return ipv6_find_hdr(skb, &offset, NEXTHDR_AUTH, NULL, NULL) >= 0;
}

/* Whether a device is to compute a checksum from a place before @end. A virtual machine may
 * ask for any place. Such a place would not move with the header, and could then be in front
 * of the packet.
 */
static bool lpd_strip_summed(const struct sk_buff *skb, unsigned int end)
{
	return skb->ip_summed == CHECKSUM_PARTIAL &&
	       skb->csum_start < skb_headroom(skb) + end;
}

/* Moves the offset of a header if the header is among the bytes that move, which end at @end
 * from skb->head. An unset offset is larger than @end.
 */
static void lpd_strip_follow(u16 *header, unsigned int end, u16 by)
{
	if (*header <= end)
		*header += by;
}

/* Removes @len bytes that begin @front bytes from skb->data. */
static void lpd_strip_close(struct sk_buff *skb, unsigned int front, u16 len)
{
	unsigned int end = skb_headroom(skb) + front;

	memmove(skb->data + len, skb->data, front);
	__skb_pull(skb, len);
	lpd_strip_follow(&skb->mac_header, end, len);
	lpd_strip_follow(&skb->network_header, end, len);
	/* in a bridge it equals the network header */
	lpd_strip_follow(&skb->transport_header, end, len);
	/* metadata is in front of the link-layer header, which has moved */
	skb_metadata_clear(skb);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
}

/* The data of a chained packet (see xlo_skb_chained()) begins at its transport header. All
 * chained packets have the same options.
 */
static void lpd_strip_chained(struct sk_buff *skb, const struct lpd_gap *gap)
{
	u8 *hdr = skb_network_header(skb);

	lpd_strip_edit(hdr, gap);
	memmove(hdr + gap->len, hdr, gap->at);
	skb->network_header += gap->len;
}

/**
 * lpd_strip_prepare() - make a packet's header writable for lpd_strip()
 * @skb: the packet; xlo_skb_find4() or xlo_skb_find6() has found the option in it, so all of
 *	its header is linear
 * @ip_off: offset of the IP header from skb->data
 *
 * Called when the packet is queued, because there a lack of memory is an ordinary drop.
 *
 * Return: as xlo_skb_ensure_writable()
 */
int lpd_strip_prepare(struct sk_buff *skb, int ip_off)
{
	struct xlo_ref last = {
		.off = lpd_strip_header_len(skb->data + ip_off) - XLO_LEN,
	};

	return xlo_skb_ensure_writable(skb, ip_off, &last);
}

/**
 * lpd_strip() - remove the option from a packet
 * @skb: the packet, skb->data at its link-layer header; lpd_strip_prepare() has made its
 *	header writable, and nobody else has had access to it since
 * @ip_off: offset of the IP header from skb->data
 * @opt_off: offset of the option from the IP header
 *
 * Removes the option from all segments of a GSO packet. Needs no memory. Reduces skb->len;
 * the caller updates qdisc_skb_cb(skb)->pkt_len and the backlog.
 *
 * Return: number of bytes removed; 0 if the option has to stay: because of an authentication
 * header, because a device computes a checksum from within the header, or because of the
 * lengths in the header, see lpd_strip_gap()
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
