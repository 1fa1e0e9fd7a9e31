// SPDX-License-Identifier: GPL-2.0
/*
 * Removes the cross-layer option from packets when they are sent.
 *
 * All other options stay as the sender wrote them, and keep their alignment. In IPv4, the
 * bytes of the option are removed (RFC 791 section 3.1). In IPv6, receivers such as Linux accept
 * at most 7 bytes of padding in a row (RFC 4942 section 2.1.9.5). Therefore at most 7 bytes of
 * padding replace the option and the padding on both sides of it. If only padding would remain,
 * the IPv4 header loses all its options, and the IPv6 packet loses its hop-by-hop header.
 *
 * If the module xlo has inserted the option, lpd_strip() restores the original packet byte
 * for byte. Only padding at the end of the original options may differ: its kind, or its
 * length if it was longer than necessary.
 *
 * The bytes in front of the option move towards the payload. All bytes after the IP header stay
 * where they are, and the transport checksum stays valid.
 */

#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <net/ipv6.h>
#include <net/xlo.h>
#include <net/xlo_skb.h>
#include "strip.h"

/* The offset of the first option in an IPv6 packet with a hop-by-hop header. */
#define LPD_IPV6_OPTIONS	(XLO_IPV6_HLEN + sizeof(struct ipv6_opt_hdr))

/**
 * struct lpd_gap - bytes to remove from a header
 * @at: offset of the first byte from the start of the IP header
 * @len: number of bytes
 * @pad: number of bytes of padding to write after the removed bytes (IPv6)
 */
struct lpd_gap {
	u16 at;
	u16 len;
	u16 pad;
};

/* Subtracts @by from a length field. The field is 0 in a packet that is too long for the
 * field, and stays 0.
 */
static inline __be16 lpd_strip_shorter(__be16 length, u16 by)
{
	return length ? htons(ntohs(length) - by) : 0;
}

/**
 * lpd_strip_header_len() - compute how many bytes must be readable and writable
 * @hdr: an IPv4 or IPv6 header in which the option was found
 *
 * Return: length of the IPv4 header with its options, or of the IPv6 header with its
 * hop-by-hop header
 */
static inline u32 lpd_strip_header_len(const u8 *hdr)
{
	const struct ipv6_opt_hdr *hop = (const void *)(hdr + XLO_IPV6_HLEN);
	const struct iphdr *iph = (const void *)hdr;

	if (xlo_is_ipv6(hdr))
		return XLO_IPV6_HLEN + ipv6_optlen(hop);
	return iph->ihl * 4;
}

/* Checks whether the option at @opt_off is the only option of an IPv4 header. */
static inline bool lpd_strip_alone4(const u8 *hdr, u32 opt_off)
{
	u32 end = lpd_strip_header_len(hdr), off, size;

	for (off = XLO_IPV4_HLEN; off < end; off += size) {
		size = xlo_option_size(hdr, off, end, false);
		if (!size)
			return false;
		if (off != opt_off && hdr[off] != XLO_IPV4_NOP &&
		    hdr[off] != XLO_IPV4_EOL)
			return false;
	}
	return true;
}

static inline bool lpd_strip_gap4(const u8 *hdr, u32 opt_off, struct lpd_gap *gap)
{
	const struct iphdr *iph = (const void *)hdr;
	u32 end = lpd_strip_header_len(hdr);
	u16 length = ntohs(iph->tot_len);

	if (length && length < end)
		return false;
	gap->at = opt_off;
	gap->len = XLO_LEN;
	gap->pad = 0;
	if (lpd_strip_alone4(hdr, opt_off)) {
		gap->at = XLO_IPV4_HLEN;
		gap->len = end - XLO_IPV4_HLEN;
	}
	return true;
}

static inline bool lpd_strip_is_pad6(u8 type)
{
	return type == XLO_IPV6_PAD1 || type == XLO_IPV6_PADN;
}

/* Finds the start and the end of the bytes that consist of the option at @opt_off and the padding
 * around this option. The search fails for a jumbogram (RFC 2675), because the length of a
 * jumbogram is in an option.
 */
static inline bool lpd_strip_run6(const u8 *hdr, u32 opt_off, u32 *from, u32 *to)
{
	u32 end = lpd_strip_header_len(hdr), off, size;

	*from = LPD_IPV6_OPTIONS;
	*to = end;
	for (off = *from; off < end; off += size) {
		size = xlo_option_size(hdr, off, end, true);
		if (!size || hdr[off] == IPV6_TLV_JUMBO)
			return false;
		if (off == opt_off || lpd_strip_is_pad6(hdr[off]))
			continue;
		if (off < opt_off)
			*from = off + size;
		else
			*to = min(*to, off);
	}
	return true;
}

static inline bool lpd_strip_gap6(const u8 *hdr, u32 opt_off, struct lpd_gap *gap)
{
	const struct ipv6hdr *ip6h = (const void *)hdr;
	const struct ipv6_opt_hdr *hop = (const void *)(ip6h + 1);
	u32 end = lpd_strip_header_len(hdr), from, to;
	u16 length = ntohs(ip6h->payload_len);

	if (length && length < end - XLO_IPV6_HLEN)
		return false;
	if (!lpd_strip_run6(hdr, opt_off, &from, &to))
		return false;
	/* Receivers discard a packet with a second hop-by-hop header (RFC 8200 section 4). The
	 * second header must not become the first header, which receivers would accept.
	 */
	if (from == LPD_IPV6_OPTIONS && to == end &&
	    hop->nexthdr != NEXTHDR_HOP) {
		gap->at = XLO_IPV6_HLEN;
		gap->pad = 0;
	} else {
		gap->at = from;
		gap->pad = (to - from) % 8;
	}
	gap->len = to - gap->at - gap->pad;
	return true;
}

/**
 * lpd_strip_gap() - find the bytes to remove
 * @hdr: the header, with the alignment that the network stack uses. xlo_find4() or
 *	xlo_find6() returned XLO_FOUND, and lpd_strip_header_len() bytes are readable
 * @opt_off: offset of the option from the start of the IP header
 * @gap: the bytes to remove; set if the option can be removed
 *
 * Return: whether the option can be removed. The option must stay if the packet is a
 * jumbogram, or if the packet's length field is less than the length of the header
 */
static inline bool lpd_strip_gap(const u8 *hdr, u32 opt_off, struct lpd_gap *gap)
{
	return xlo_is_ipv6(hdr) ? lpd_strip_gap6(hdr, opt_off, gap) :
				  lpd_strip_gap4(hdr, opt_off, gap);
}

/* Updates the header checksum incrementally, so that the receiver still detects earlier
 * damage. Each removed byte counts as a 16-bit word whose other byte is 0. Relative to the start
 * of the header, the bytes after the gap move by a whole number of words, so that their sum does
 * not change.
 */
static inline void lpd_strip_edit4(u8 *hdr, const struct lpd_gap *gap)
{
	struct iphdr *iph = (struct iphdr *)hdr;
	u16 check = ntohs((__force __be16)iph->check);
	u16 start = get_unaligned_be16(hdr);
	u16 length = ntohs(iph->tot_len);
	u32 off;

	for (off = gap->at; off < gap->at + gap->len; off++)
		check = xlo_csum_replace(check, hdr[off] << (off & 1 ? 0 : 8),
					 0);
	iph->ihl -= gap->len / 4;
	iph->tot_len = lpd_strip_shorter(iph->tot_len, gap->len);
	check = xlo_csum_replace(check, start, get_unaligned_be16(hdr));
	check = xlo_csum_replace(check, length, ntohs(iph->tot_len));
	iph->check = (__force __sum16)htons(check);
}

static inline void lpd_strip_edit6(u8 *hdr, const struct lpd_gap *gap)
{
	struct ipv6hdr *ip6h = (struct ipv6hdr *)hdr;
	struct ipv6_opt_hdr *hop = (struct ipv6_opt_hdr *)(ip6h + 1);
	u8 *pad = hdr + gap->at + gap->len;

	if (gap->at == XLO_IPV6_HLEN)
		ip6h->nexthdr = hop->nexthdr;
	else
		hop->hdrlen -= gap->len / 8;
	ip6h->payload_len = lpd_strip_shorter(ip6h->payload_len, gap->len);
	memset(pad, 0, gap->pad);
	if (gap->pad < 2)
		return;			/* Pad1 is a 0 */
	pad[0] = XLO_IPV6_PADN;
	pad[1] = gap->pad - 2;
}

/**
 * lpd_strip_edit() - adapt a header to the removal of a gap
 * @hdr: the header, writable
 * @gap: from lpd_strip_gap()
 *
 * The caller then moves the bytes in front of the gap to the end of the gap.
 */
static inline void lpd_strip_edit(u8 *hdr, const struct lpd_gap *gap)
{
	if (xlo_is_ipv6(hdr))
		lpd_strip_edit6(hdr, gap);
	else
		lpd_strip_edit4(hdr, gap);
}

/* Checks whether an authentication header covers the option (RFC 4302 section 3.3.3). If an
 * authentication header covers the option, the receiver would discard the packet without
 * the option. In a packet that ends within its extension headers, such as a short first fragment,
 * an authentication header may follow.
 */
static bool lpd_strip_authenticated(const struct sk_buff *skb, int ip_off)
{
	const u8 *hdr = skb->data + ip_off;
	unsigned int offset = ip_off;

	if (!xlo_is_ipv6(hdr))
		return ((const struct iphdr *)hdr)->protocol == IPPROTO_AH;
	return ipv6_find_hdr(skb, &offset, NEXTHDR_AUTH, NULL, NULL) != -ENOENT;
}

/* Checks whether a device will compute a checksum that starts before @end. A virtual
 * machine can choose any start. The start would not move with the header, and could be in
 * front of the packet after the removal.
 */
static bool lpd_strip_summed(const struct sk_buff *skb, unsigned int end)
{
	return skb->ip_summed == CHECKSUM_PARTIAL &&
	       skb->csum_start < skb_headroom(skb) + end;
}

/* Increases the offset of a header that begins in the moved bytes, or directly after them. @end is
 * the offset from skb->head at which the moved bytes end. An unset offset is larger than @end, and
 * stays.
 */
static void lpd_strip_follow(u16 *header, unsigned int end, u16 by)
{
	if (*header <= end)
		*header += by;
}

/* Removes @len bytes that begin at the offset @front from skb->data. */
static void lpd_strip_close(struct sk_buff *skb, unsigned int front, u16 len)
{
	unsigned int end = skb_headroom(skb) + front;

	memmove(skb->data + len, skb->data, front);
	__skb_pull(skb, len);
	lpd_strip_follow(&skb->mac_header, end, len);
	lpd_strip_follow(&skb->network_header, end, len);
	/* in a bridge, the transport header's offset equals the network header's offset */
	lpd_strip_follow(&skb->transport_header, end, len);
	/* The kernel expects metadata directly in front of the link-layer header. The
	 * link-layer header has moved, and the metadata has not.
	 */
	skb_metadata_clear(skb);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
}

/* Removes the option from a chained packet, see xlo_skb_chained(). The data of a chained
 * packet begins at its transport header. All chained packets have the same options.
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
 * @skb: a packet in which xlo_skb_find4() or xlo_skb_find6() has found the option, so that
 *	its header is linear
 * @ip_off: offset of the IP header from skb->data
 *
 * Called when the packet arrives: if memory is short on arrival, lpd simply drops the
 * packet.
 *
 * Return: the return value of xlo_skb_ensure_writable()
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
 * @skb: the packet, with skb->data at its link-layer header. lpd_strip_prepare() has made
 *	the header writable, and since then only lpd has had access to the packet
 * @ip_off: offset of the IP header from skb->data
 * @opt_off: offset of the option from the IP header
 *
 * The option is removed from all segments of a GSO packet. The removal needs no memory, and
 * reduces skb->len. The caller must update qdisc_skb_cb(skb)->pkt_len and the backlog.
 *
 * Return: number of bytes removed; 0 if the option must stay. The option must stay if an
 * authentication header may cover it, if a device computes a checksum that starts in the
 * header, or if lpd_strip_gap() fails
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
