// SPDX-License-Identifier: GPL-2.0
/* Moves a packet's lifetime between the option in its header and its control block. */

#include <net/xlo_skb.h>
#include "packet.h"
#include "strip.h"

/* Converts @now instead of reading the other clock: by then that clock would have advanced,
 * by a different time for each packet. Then packets with the same deadline, such as those of
 * a video frame, would get different deadlines.
 */
static noinline s64 lpd_deadline_of_day(u32 lifetime, s64 now)
{
	s64 utc = ktime_to_ns(ktime_mono_to_real(ns_to_ktime(now)));

	return lpd_deadline_absolute(lifetime, now, utc);
}

static s64 lpd_deadline(u32 lifetime, s64 now)
{
	if (xlo_is_relative(lifetime))
		return lpd_deadline_relative(lifetime, now);
	if (xlo_is_none(lifetime))
		return LPD_NO_DEADLINE;
	return lpd_deadline_of_day(lifetime, now);
}

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

/* Makes writable the part of the packet that is written when it leaves. Also does so if it
 * turns out later that the option cannot be removed.
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

/* The option cannot be made writable, so its contents must not be used. */
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

/* Fills a packet's control block from its option, which is good. @whole says that the packet
 * is not a fragment. Inline, so that the arguments need not be in memory.
 */
static __always_inline enum lpd_option
lpd_packet_fill(struct sk_buff *skb, int off, bool whole,
		const struct xlo_ref *ref, const struct xlo *opt, s64 now,
		bool strip)
{
	int err;

	/* one assignment: bit fields set one by one are read and written each time */
	*lpd_skb_cb(skb) = (struct lpd_skb_cb){
		.deadline = lpd_deadline(opt->lifetime, now),
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

/* Whether the offset of the IP header fits into the control block. The offset is negative if
 * whoever made the packet did not set the position of its header.
 */
static bool lpd_packet_may_keep(int off)
{
	return off >= 0 && off <= U16_MAX;
}

/* A quick check: true for an IPv4 packet that is not a fragment, false if only a closer look
 * can tell. @off is the offset of the IP header from skb->data.
 */
static bool lpd_packet_is_whole(const struct sk_buff *skb, int off)
{
	const struct iphdr *iph = (const struct iphdr *)(skb->data + off);

	return (u8 *)(iph + 1) <= skb_tail_pointer(skb) &&
	       iph->version == 4 && !ip_is_fragment(iph);
}

/* lpd_packet_read() for any packet. */
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
 * @skb: a packet on its way out, skb->data at its link-layer header; its IP header may be
 *	pulled into the linear part
 * @now: monotonic time of arrival in ns
 * @strip: the option is to be removed when the packet leaves
 *
 * Makes the option writable now, not when the packet leaves. Here a lack of memory is an
 * ordinary drop. Dequeue would have to drop a packet that its parent already counts on.
 *
 * A packet without a good option gets no deadline. The caller decides whether such a packet
 * gets a default lifetime.
 *
 * Return: the kind of option that was found
 */
enum lpd_option lpd_packet_read(struct sk_buff *skb, s64 now, bool strip)
{
	int off = skb_network_offset(skb), found;
	struct xlo_ref ref;
	struct xlo opt;

	if (skb->protocol == htons(ETH_P_IP) && lpd_packet_may_keep(off) &&
	    xlo_skb_find4_quick(skb, off, &ref, &opt, &found) &&
	    found == XLO_FOUND)
		return lpd_packet_fill(skb, off, !ip_is_fragment(ip_hdr(skb)),
				       &ref, &opt, now, strip);
	return lpd_packet_search(skb, now, strip);
}

/**
 * lpd_packet_write_lifetime() - write the remaining lifetime into the packet's option
 * @skb: a packet whose control block has @relative set
 * @ms: remaining lifetime
 *
 * Cannot fail: lpd_packet_read() made the header writable, and nobody else has had access to
 * the packet since.
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
