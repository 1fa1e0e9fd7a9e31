// SPDX-License-Identifier: GPL-2.0
/* Packets with bad bits, delivered as they are. */

#include <net/xlo_skb.h>
#include "damage.h"

/* Where the option of a packet says that a damaged payload is of use, and what stands
 * before that payload.
 */
struct cell_tolerance {
	struct xlo_ref ref;
	struct xlo opt;
	int ip_off;
	u32 headers;	/* bytes from the link-layer header on */
};

static bool cell_tolerance_find(struct sk_buff *skb, struct cell_tolerance *t)
{
	__be16 proto;
	int found;

	t->ip_off = xlo_skb_network_offset(skb, &proto);
	if (proto == htons(ETH_P_IP))
		found = xlo_skb_find4(skb, t->ip_off, &t->ref, &t->opt);
	else if (proto == htons(ETH_P_IPV6))
		found = xlo_skb_find6(skb, t->ip_off, &t->ref, &t->opt);
	else
		return false;
	if (found != XLO_FOUND || !(t->opt.flags & XLO_FLAG_CORRUPT_OK))
		return false;
	t->headers = t->ip_off +
		(t->ref.type == XLO_TYPE_IPV4 ?
		 (skb->data[t->ip_off] & 0xf) * 4 :
		 xlo_hdrlen6(skb->data + t->ip_off, skb_headlen(skb) - t->ip_off));
	return true;
}

/* Tell the receiver. The IPv4 header's checksum goes with it. */
static void cell_tolerance_mark(struct sk_buff *skb,
				const struct cell_tolerance *t)
{
	u8 *hdr = skb->data + t->ip_off;
	u8 *flags = hdr + t->ref.off + XLO_OFF_FLAGS;
	u16 before, after;
	__sum16 *check;

	if (t->ref.type != XLO_TYPE_IPV4) {
		*flags |= XLO_FLAG_CORRUPTED;
		return;
	}
	/* the 16-bit word of the header that they are in */
	before = get_unaligned_be16(hdr + ((flags - hdr) & ~1));
	*flags |= XLO_FLAG_CORRUPTED;
	after = get_unaligned_be16(hdr + ((flags - hdr) & ~1));
	check = &((struct iphdr *)hdr)->check;
	*check = (__force __sum16)
		htons(xlo_csum_replace(ntohs((__force __be16)*check), before,
				       after));
}

/**
 * cell_damage() - flip a packet's bad bits
 * @skb: the packet, skb->data at its link-layer header
 * @e: the chances; all bits of the packet have been looked at afterwards
 * @at: its first bad bit
 * @tolerant_only: only if its option says that a damaged payload is of use, and no bad bit
 *	is in the headers up to IP's; then the option says it was damaged
 *
 * Return: whether the packet is to be delivered
 */
bool cell_damage(struct sk_buff *skb, struct cell_errors *e, u64 at,
		 bool tolerant_only)
{
	const u64 bits = skb->len * 8ULL;
	struct cell_tolerance t;
	u64 more = 0;

	/* the core completes checksums; not of a packet that was taken before it had to */
	if (skb->ip_summed == CHECKSUM_PARTIAL ||
	    skb_ensure_writable(skb, skb->len))
		return false;
	if (tolerant_only &&
	    (!cell_tolerance_find(skb, &t) || at < t.headers * 8ULL))
		return false;
	do {
		at += more;
		skb->data[at / 8] ^= 0x80 >> (at % 8);
		at++;
	} while (cell_errors_bad_bit(e, bits - at, &more));
	/* nobody has checked this */
	skb->ip_summed = CHECKSUM_NONE;
	if (tolerant_only)
		cell_tolerance_mark(skb, &t);
	return true;
}
