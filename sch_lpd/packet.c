// SPDX-License-Identifier: GPL-2.0
/* Reads a packet's lifetime from its option, and later writes the remaining lifetime back. */

#include <net/xlo_skb.h>
#include "packet.h"
#include "strip.h"

static u8 lpd_treatment(u8 flags)
{
	switch (XLO_TREATMENT(flags)) {
	case XLO_STALE_DISCARD:
		return TC_LPD_STALE_DISCARD;
	case XLO_STALE_TRUNCATE:
		return TC_LPD_STALE_TRUNCATE;
	default:
		return TC_LPD_STALE_FORWARD;
	}
}

/* Makes the headers writable that dequeue will change. The headers become writable even if
 * dequeue finds later that the option cannot be removed.
 */
static __always_inline int lpd_make_writable(struct sk_buff *skb,
					     const struct xlo_ref *ref)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	if (cb->strip)
		return lpd_strip_prepare(skb, cb->ip_off);
	if (cb->relative)
		return xlo_skb_ensure_writable(skb, cb->ip_off, ref);
	return 0;
}

/* Handles an option that cannot be made writable: lpd must not use the option's contents. */
static noinline enum lpd_option lpd_packet_unwritable(struct sk_buff *skb,
						      int err)
{
	struct lpd_skb_cb *cb = lpd_skb_cb(skb), none = LPD_SKB_CB_INIT;

	if (err == -ENOMEM)
		return LPD_OPTION_NOMEM;
	none.ip_off = cb->ip_off;
	none.whole = cb->whole;
	*cb = none;
	return LPD_OPTION_MALFORMED;
}

/* Fills a packet's control block from a valid option. @whole is true if the packet is known
 * not to be a fragment. The function is inline, so that its arguments stay in registers.
 */
static __always_inline enum lpd_option
lpd_packet_fill(struct sk_buff *skb, int off, bool whole,
		const struct xlo_ref *ref, const struct xlo *opt, s64 now,
		bool strip)
{
	int err;

	/* one assignment, because setting bit fields one by one would access memory each
	 * time
	 */
	*lpd_skb_cb(skb) = (struct lpd_skb_cb){
		.deadline = fl_deadline(opt->lifetime, now),
		.entry = LPD_NO_ENTRY,
		.ip_off = off,
		.opt_off = ref->off,
		.reorder = opt->reorder,
		.stale = lpd_treatment(opt->flags),
		.relative = xlo_is_relative(opt->lifetime),
		.whole = whole,
		.strip = strip,
	};
	err = lpd_make_writable(skb, ref);
	if (err)
		return lpd_packet_unwritable(skb, err);
	return XLO_TREATMENT(opt->flags) == XLO_STALE_RESERVED ?
	       LPD_OPTION_RESERVED : LPD_OPTION_GOOD;
}

/* Checks whether the offset of the IP header fits into the control block. The offset is
 * negative if the creator of the packet did not set the position of the IP header.
 */
static bool lpd_packet_may_keep(int off)
{
	return off >= 0 && off <= U16_MAX;
}

/* Checks quickly for fragments: returns true for an IPv4 packet that is not a fragment. For
 * other packets, lpd_adu_arrive() must check. @off is the offset of the IP header from
 * skb->data.
 */
static bool lpd_packet_is_whole(const struct sk_buff *skb, int off)
{
	const struct iphdr *iph = (const struct iphdr *)(skb->data + off);

	return (u8 *)(iph + 1) <= skb_tail_pointer(skb) &&
	       iph->version == 4 && !ip_is_fragment(iph);
}

/* Does the work of lpd_packet_read() for all packets that the quick search does not handle. */
static noinline enum lpd_option lpd_packet_search(struct sk_buff *skb, s64 now,
						  bool strip)
{
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	struct xlo_ref ref;
	struct xlo opt;
	__be16 proto;
	int off, found;

	*cb = LPD_SKB_CB_INIT;
	off = xlo_skb_network_offset(skb, &proto);
	if (!lpd_packet_may_keep(off))
		return LPD_OPTION_NOT_IP;
	if (proto == htons(ETH_P_IP))
		found = xlo_skb_find4(skb, off, &ref, &opt);
	else if (proto == htons(ETH_P_IPV6))
		found = xlo_skb_find6(skb, off, &ref, &opt);
	else
		return LPD_OPTION_NOT_IP;
	cb->ip_off = off;
	cb->whole = lpd_packet_is_whole(skb, off);
	if (found == -ENOMEM)
		return LPD_OPTION_NOMEM;
	if (found == XLO_FOUND)
		return lpd_packet_fill(skb, off, cb->whole, &ref, &opt, now,
				       strip);
	return found == XLO_NONE ? LPD_OPTION_NONE : LPD_OPTION_MALFORMED;
}

/**
 * lpd_packet_read() - fill a packet's control block from its option
 * @skb: an outgoing packet with skb->data at its link-layer header; its IP header may be
 *	pulled into the linear part
 * @now: monotonic time of arrival in ns
 * @strip: whether the option will be removed when the packet is sent
 *
 * The option is made writable when the packet arrives, not when the packet is sent. If
 * memory is short on arrival, lpd simply drops the packet. In dequeue, lpd would have to
 * drop a packet that the parent has already counted.
 *
 * A packet without a valid option gets no deadline here. The caller decides whether a
 * packet without a deadline gets the default lifetime.
 *
 * Return: the kind of option that was found
 */
enum lpd_option lpd_packet_read(struct sk_buff *skb, s64 now, bool strip)
{
	int off = skb_network_offset(skb), found;
	struct xlo_ref ref;
	struct xlo opt;
	bool whole;

	if (skb->protocol != htons(ETH_P_IP) || !lpd_packet_may_keep(off) ||
	    !xlo_skb_find4_quick(skb, off, &ref, &opt, &found))
		return lpd_packet_search(skb, now, strip);
	whole = !ip_is_fragment(ip_hdr(skb));
	if (found == XLO_FOUND)
		return lpd_packet_fill(skb, off, whole, &ref, &opt, now, strip);
	if (found != XLO_NONE)
		return lpd_packet_search(skb, now, strip);
	*lpd_skb_cb(skb) = LPD_SKB_CB_INIT;
	lpd_skb_cb(skb)->ip_off = off;
	lpd_skb_cb(skb)->whole = whole;
	return LPD_OPTION_NONE;
}

/* Returns the DSCP of an IP packet, or LPD_NO_DSCP. */
static u32 lpd_packet_dscp(const struct sk_buff *skb)
{
	const __be16 *word;
	__be16 proto, copy;
	int off = xlo_skb_network_offset(skb, &proto);

	if (off < 0 || (proto != htons(ETH_P_IP) && proto != htons(ETH_P_IPV6)))
		return LPD_NO_DSCP;
	word = skb_header_pointer(skb, off, sizeof(copy), &copy);
	return word ? lpd_dscp(proto, READ_ONCE(*word)) : LPD_NO_DSCP;
}

/**
 * lpd_packet_traits() - read the properties of a packet that rules compare
 * @skb: an outgoing packet with skb->data at its link-layer header
 * @traits: filled in
 */
void lpd_packet_traits(const struct sk_buff *skb, struct lpd_traits *traits)
{
	*traits = (struct lpd_traits){ .of = {
		[LPD_FIELD_MARK] = skb->mark,
		[LPD_FIELD_DSCP] = lpd_packet_dscp(skb),
		[LPD_FIELD_PRIORITY] = skb->priority,
	} };
}

/**
 * lpd_packet_write_lifetime() - write the remaining lifetime into the packet's option
 * @skb: a packet whose control block has @relative set
 * @ms: remaining lifetime
 *
 * The write cannot fail, because lpd_packet_read() has made the header writable. Since
 * then, only lpd has had access to the packet.
 */
void lpd_packet_write_lifetime(struct sk_buff *skb, u32 ms)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	struct xlo_ref ref = {
		.off = cb->opt_off,
		.type = skb->data[cb->ip_off] >> 4 == 4 ?
			XLO_TYPE_IPV4 : XLO_TYPE_IPV6_RELATIVE,
	};

	xlo_skb_set_lifetime(skb, cb->ip_off, &ref, ms);
}
