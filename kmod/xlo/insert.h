/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds a place for the option in a header without a cross-layer option, and inserts the option.
 *
 * The option becomes the last option of the header. All other options keep their offsets from the
 * start of the header, so the offsets that the stack stores stay correct. The option replaces
 * padding at the end of the header before the header grows.
 *
 * In IPv4 (RFC 791 section 3.1) the header's length is a multiple of 4 bytes, and at most 60 bytes.
 * In IPv6 (RFC 8200 section 4) the length of the hop-by-hop header is a multiple of 8 bytes. The
 * option is aligned to 4 bytes. Receivers accept at most 7 consecutive bytes of padding. By
 * default Linux accepts at most 8 options (net.ipv6.max_hbh_opts_number).
 */
#ifndef _XLO_INSERT_H
#define _XLO_INSERT_H

#include <linux/align.h>
#include <linux/ip.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/ipv6.h>
#include <net/xlo.h>

enum {
	XLO_IPV4_HLEN_MAX = 60,
	XLO_IPV6_HBH_MAX = 2048,	/* RFC 8200 section 4.3: 256 times 8 */
	XLO_IPV6_JUMBO = 0xc2,		/* RFC 2675 */
	XLO_PLACE_HBH_OPTIONS = 8,	/* the default of net.ipv6.max_hbh_opts_number */
};

/**
 * enum xlo_placed - result of the search for a place
 * @XLO_PLACE_OK: a place was found
 * @XLO_PLACE_FULL: the header's other options leave no space
 * @XLO_PLACE_JUMBO: the packet is a jumbogram, whose length is in an option (RFC 2675)
 */
enum xlo_placed {
	XLO_PLACE_OK,
	XLO_PLACE_FULL,
	XLO_PLACE_JUMBO,
};

/**
 * struct xlo_place - place of the new option; all offsets start at the IP header
 * @keep: number of unchanged bytes before the option and its padding
 * @at: start of the option
 * @end: end of all options after the option is inserted
 * @grow: bytes by which the header grows
 */
struct xlo_place {
	u16 keep;
	u16 at;
	u16 end;
	u16 grow;
};

/**
 * xlo_place4() - find a place in an IPv4 header
 * @hdr: the header, for which xlo_find4() has returned XLO_NONE, so it is well-formed
 * @place: the place, valid only with XLO_PLACE_OK
 *
 * Return: XLO_PLACE_OK or XLO_PLACE_FULL
 */
static inline enum xlo_placed xlo_place4(const u8 *hdr, struct xlo_place *place)
{
	u32 end = ((const struct iphdr *)hdr)->ihl * 4;
	u32 keep = sizeof(struct iphdr), off, size;

	for (off = keep; off < end && hdr[off] != XLO_IPV4_EOL; off += size) {
		size = xlo_option_size(hdr, off, end, false);
		if (hdr[off] != XLO_IPV4_NOP)
			keep = off + size;
	}
	place->keep = keep;
	place->at = keep;
	place->end = max(end, ALIGN(keep + XLO_LEN, 4));
	place->grow = place->end - end;
	return place->end <= XLO_IPV4_HLEN_MAX ? XLO_PLACE_OK : XLO_PLACE_FULL;
}

/* Finds the end of the last hop-by-hop option that is not padding. */
static inline enum xlo_placed xlo_place6_scan(const u8 *hdr, u32 end, u16 *keep)
{
	u32 off, size;
	int options = 0;

	for (off = XLO_IPV6_HLEN + 2; off < end; off += size) {
		size = xlo_option_size(hdr, off, end, true);
		if (hdr[off] == XLO_IPV6_PAD1 || hdr[off] == XLO_IPV6_PADN)
			continue;
		if (hdr[off] == XLO_IPV6_JUMBO)
			return XLO_PLACE_JUMBO;
		options++;
		*keep = off + size;
	}
	return options < XLO_PLACE_HBH_OPTIONS ? XLO_PLACE_OK : XLO_PLACE_FULL;
}

/**
 * xlo_place6() - find a place for the option after an IPv6 header
 * @hdr: the IPv6 header, followed by the hop-by-hop header if the packet has one;
 *	xlo_find6() has returned XLO_NONE, so both headers are well-formed
 * @place: the place, valid only with XLO_PLACE_OK
 *
 * Return: enum xlo_placed
 */
static inline enum xlo_placed xlo_place6(const u8 *hdr, struct xlo_place *place)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)hdr;
	u32 end = XLO_IPV6_HLEN;
	enum xlo_placed placed;

	place->keep = XLO_IPV6_HLEN;
	if (ip6h->nexthdr == NEXTHDR_HOP) {
		end += ipv6_optlen((const struct ipv6_opt_hdr *)(ip6h + 1));
		place->keep += 2;
		placed = xlo_place6_scan(hdr, end, &place->keep);
		if (placed != XLO_PLACE_OK)
			return placed;
	}
	place->at = ALIGN(max_t(u32, place->keep, XLO_IPV6_HLEN + 2), 4);
	place->end = ALIGN(place->at + XLO_LEN, 8);
	/* receivers accept at most 7 consecutive bytes of padding, and refuse a longer header */
	if (place->end < end || place->end > XLO_IPV6_HLEN + XLO_IPV6_HBH_MAX)
		return XLO_PLACE_FULL;
	place->grow = place->end - end;
	return XLO_PLACE_OK;
}

#define XLO_LINK_MAX	64	/* bytes of a link-layer header, tags included */

/* Returns the length of the link-layer header in front of the IP header, or 0 if there is none. The
 * link-layer header has to move with the IP header, because a bridge restores the frame's own
 * header later. In outgoing packets mac_header may be wrong, and then points behind the start of
 * the IP header: in a tunnel to the inner packet, and with xfrm into the IP header.
 */
static inline unsigned int xlo_insert_link_len(const struct sk_buff *skb)
{
	int len = skb->network_header - skb->mac_header;

	return skb_mac_header_was_set(skb) && len > 0 && len <= XLO_LINK_MAX ?
	       len : 0;
}

int xlo_insert(struct sk_buff *skb, u8 pf, const struct xlo_place *place,
	       const struct xlo *opt);

#endif /* _XLO_INSERT_H */
