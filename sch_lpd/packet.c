// SPDX-License-Identifier: GPL-2.0
/* A packet's lifetime: between the option in its header and its control block. */

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <net/checksum.h>
#include <net/ipv6.h>
#include "packet.h"

/* Offset of the network header from skb->data. With VLAN tags in the frame,
 * skb->network_header may stand before them: walk the tags.
 */
static int lpd_network_offset(const struct sk_buff *skb, __be16 *proto)
{
	int depth = 0;

	*proto = __vlan_get_protocol(skb, skb->protocol, &depth);
	return eth_type_vlan(skb->protocol) ? depth : skb_network_offset(skb);
}

/* Make the first @len bytes of the packet linear. */
static int lpd_pull(struct sk_buff *skb, unsigned int len)
{
	if (likely(pskb_may_pull(skb, len)))
		return 0;
	return len > skb->len ? XLO_SHORT : -ENOMEM;
}

static int lpd_find4(struct sk_buff *skb, int off, struct xlo_ref *ref,
		     struct xlo *opt)
{
	const struct iphdr *iph;
	int err;

	err = lpd_pull(skb, off + sizeof(*iph));
	if (err)
		return err;
	iph = (const struct iphdr *)(skb->data + off);
	err = lpd_pull(skb, off + iph->ihl * 4);
	if (err)
		return err;
	return xlo_find4(skb->data + off, skb_headlen(skb) - off, ref, opt);
}

static int lpd_find6(struct sk_buff *skb, int off, struct xlo_ref *ref,
		     struct xlo *opt)
{
	int need = XLO_IPV6_HLEN;
	int err;

	/* the IPv6 header, the start of a hop-by-hop header, all of that */
	do {
		err = lpd_pull(skb, off + need);
		if (err)
			return err;
		need = xlo_hdrlen6(skb->data + off, skb_headlen(skb) - off);
		if (need == XLO_SHORT)
			need = XLO_IPV6_HLEN + sizeof(struct ipv6_opt_hdr);
	} while (skb_headlen(skb) - off < need);
	return xlo_find6(skb->data + off, skb_headlen(skb) - off, ref, opt);
}

static s64 lpd_deadline(u32 lifetime, s64 now)
{
	if (xlo_is_none(lifetime))
		return LPD_NO_DEADLINE;
	if (xlo_is_relative(lifetime))
		return lpd_deadline_relative(lifetime, now);
	return lpd_deadline_absolute(lifetime, now, ktime_get_real_ns());
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

/**
 * lpd_packet_read() - fill a packet's control block from its option
 * @skb: a packet on its way out, skb->data at its link-layer header; its IP
 *	header may be pulled into the linear part
 * @now: monotonic time of arrival in ns
 *
 * An option to be rewritten is made writable here and not when the packet
 * leaves: here running out of memory is a drop like any other, while dequeue
 * would have to drop what its parent already counts on.
 *
 * A packet without a good option gets no deadline; whether it gets a default
 * one is the caller's choice.
 *
 * Return: what was found
 */
enum lpd_option lpd_packet_read(struct sk_buff *skb, s64 now)
{
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	struct xlo_ref ref;
	struct xlo opt;
	__be16 proto;
	int off, found;

	*cb = (struct lpd_skb_cb){
		.deadline = LPD_NO_DEADLINE,
		.heap_pos = LPD_NOT_IN_HEAP,
		.stale = TC_LPD_STALE_DISCARD,
	};
	off = lpd_network_offset(skb, &proto);
	if (proto == htons(ETH_P_IP))
		found = lpd_find4(skb, off, &ref, &opt);
	else if (proto == htons(ETH_P_IPV6))
		found = lpd_find6(skb, off, &ref, &opt);
	else
		return LPD_OPTION_NOT_IP;
	if (found == -ENOMEM)
		return LPD_OPTION_NOMEM;
	if (found != XLO_FOUND)
		return found == XLO_NONE ? LPD_OPTION_NONE :
					   LPD_OPTION_MALFORMED;

	cb->deadline = lpd_deadline(opt.lifetime, now);
	cb->stale = lpd_treatment(opt.flags);
	if (xlo_is_relative(opt.lifetime)) {
		cb->ip_off = off;
		cb->opt_off = ref.off;
		cb->opt_type = ref.type;
		if (skb_ensure_writable(skb, off + ref.off + XLO_LEN))
			return LPD_OPTION_NOMEM;
	}
	return XLO_TREATMENT(opt.flags) == XLO_STALE_RESERVED ?
	       LPD_OPTION_RESERVED : LPD_OPTION_GOOD;
}

/* A relative lifetime in IPv6 stands outside any checksum but that of a device
 * which summed up the whole packet on receipt (ifb, forwarding by tc).
 */
static void lpd_set_lifetime6(struct sk_buff *skb, const struct xlo_ref *ref,
			      u32 ms)
{
	u8 *ip6h = skb->data + lpd_skb_cb(skb)->ip_off;
	u8 *field = ip6h + ref->off + XLO_OFF_LIFETIME;
	__wsum before = csum_partial(field, sizeof(__be32), 0);

	xlo_set_lifetime6(ip6h, ref, ms);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->csum = csum_block_add(csum_block_sub(skb->csum, before,
							  ref->off),
					   csum_partial(field, sizeof(__be32),
							0), ref->off);
}

/**
 * lpd_packet_write_lifetime() - write what remains into the packet's option
 * @skb: a packet whose control block names an option to rewrite
 * @ms: remaining lifetime
 *
 * Cannot fail: lpd_packet_read() made the header writable, and nobody else has
 * seen the packet since. The IPv4 header checksum changes with the field, so
 * the header's sum does not and CHECKSUM_COMPLETE stays right.
 */
void lpd_packet_write_lifetime(struct sk_buff *skb, u32 ms)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	struct xlo_ref ref = { .off = cb->opt_off, .type = cb->opt_type };

	if (ref.type == XLO_TYPE_IPV4)
		xlo_set_lifetime4(skb->data + cb->ip_off, &ref, ms);
	else
		lpd_set_lifetime6(skb, &ref, ms);
}
