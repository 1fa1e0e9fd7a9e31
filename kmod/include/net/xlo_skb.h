/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cross-layer option in an skb: the codec (net/xlo.h) with the plumbing that
 * every module needs which reads or rewrites options. Inline, so that none of
 * them needs another one loaded.
 */
#ifndef _NET_XLO_SKB_H
#define _NET_XLO_SKB_H

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <net/checksum.h>
#include <net/ipv6.h>
#include <net/xlo.h>

/**
 * xlo_skb_network_offset() - where a packet's network header is
 * @skb: a packet on its way out, skb->data at its link-layer header
 * @proto: its protocol, written
 *
 * With VLAN tags in the frame skb->network_header may stand before them: they are
 * walked.
 *
 * Return: its offset from skb->data
 */
static inline int xlo_skb_network_offset(const struct sk_buff *skb,
					 __be16 *proto)
{
	int depth = 0;

	*proto = skb->protocol;
	if (!eth_type_vlan(skb->protocol))
		return skb_network_offset(skb);
	*proto = __vlan_get_protocol(skb, skb->protocol, &depth);
	return depth;
}

/* Make the first @len bytes of the packet linear. */
static inline int xlo_skb_pull(struct sk_buff *skb, unsigned int len)
{
	if (likely(pskb_may_pull(skb, len)))
		return 0;
	return len > skb->len ? XLO_SHORT : -ENOMEM;
}

/**
 * xlo_skb_find4_quick() - xlo_skb_find4() of a packet that is as most of them are
 * @skb: the packet
 * @off: offset of the IP header from skb->data
 * @ref: where the option is, meaningful only with XLO_FOUND
 * @opt: what it says, likewise
 * @found: what xlo_skb_find4() would return
 *
 * Return: whether it is: its header linear, without options or with ours alone
 */
static inline bool xlo_skb_find4_quick(const struct sk_buff *skb, int off,
				       struct xlo_ref *ref, struct xlo *opt,
				       int *found)
{
	int len = (int)skb_headlen(skb) - off;

	return len >= XLO_IPV4_HLEN &&
	       xlo_find4_quick(skb->data + off, len, ref, opt, found);
}

/**
 * xlo_skb_find4() - look for the option in an IPv4 packet
 * @skb: the packet; its IP header may be pulled into the linear part
 * @off: offset of the IP header from skb->data
 * @ref: where it is, meaningful only with XLO_FOUND
 * @opt: what it says, likewise
 *
 * Return: enum xlo_found, or -ENOMEM
 */
static inline int xlo_skb_find4(struct sk_buff *skb, int off,
				struct xlo_ref *ref, struct xlo *opt)
{
	const struct iphdr *iph;
	int err;

	err = xlo_skb_pull(skb, off + sizeof(*iph));
	if (err)
		return err;
	iph = (const struct iphdr *)(skb->data + off);
	err = xlo_skb_pull(skb, off + iph->ihl * 4);
	if (err)
		return err;
	return xlo_find4(skb->data + off, skb_headlen(skb) - off, ref, opt);
}

/**
 * xlo_skb_find6() - look for the option in an IPv6 packet
 * @skb: the packet; its headers may be pulled into the linear part
 * @off: offset of the IPv6 header from skb->data
 * @ref: where it is, meaningful only with XLO_FOUND
 * @opt: what it says, likewise
 *
 * Return: enum xlo_found, or -ENOMEM
 */
static inline int xlo_skb_find6(struct sk_buff *skb, int off,
				struct xlo_ref *ref, struct xlo *opt)
{
	int need = XLO_IPV6_HLEN;
	int err;

	/* the IPv6 header, the start of a hop-by-hop header, all of that */
	do {
		err = xlo_skb_pull(skb, off + need);
		if (err)
			return err;
		need = xlo_hdrlen6(skb->data + off, skb_headlen(skb) - off);
		if (need == XLO_SHORT)
			need = XLO_IPV6_HLEN + sizeof(struct ipv6_opt_hdr);
	} while (skb_headlen(skb) - off < need);
	return xlo_find6(skb->data + off, skb_headlen(skb) - off, ref, opt);
}

/* What stands behind an IPv6 header is in no checksum but that of a device
 * which summed up the whole packet on receipt (ifb, forwarding by tc).
 */
static inline void xlo_skb_set_lifetime6(struct sk_buff *skb, int off,
					 const struct xlo_ref *ref,
					 u32 lifetime)
{
	u8 *field = skb->data + off + ref->off + XLO_OFF_LIFETIME;
	__wsum before = csum_partial(field, sizeof(__be32), 0);

	xlo_set_lifetime6(skb->data + off, ref, lifetime);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->csum = csum_block_add(csum_block_sub(skb->csum, before,
							  ref->off),
					   csum_partial(field, sizeof(__be32),
							0), ref->off);
}

/* GRO may chain packets as they came (rx-gro-list), the others behind the first
 * one's data. Only packets with equal options are put together, so what is
 * written into the first one's header is written into each; that they are equal
 * xlo_skb_ensure_writable() sees to. What a tunnel puts in front of the chain is
 * copied from the first one when it is taken apart.
 */
static inline struct sk_buff *xlo_skb_chained(const struct sk_buff *skb)
{
	return skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST &&
	       !skb->encapsulation ? skb_shinfo(skb)->frag_list : NULL;
}

/* Make a chained packet's header writable, in a copy where somebody else, as a
 * packet socket, holds the packet too.
 */
static inline int xlo_skb_unshare_chained(struct sk_buff **link)
{
	struct sk_buff *skb = *link;

	if (skb_shared(skb)) {
		struct sk_buff *own = skb_clone(skb, GFP_ATOMIC);

		if (!own)
			return -ENOMEM;
		own->next = skb->next;
		*link = own;
		consume_skb(skb);
	}
	return skb_unclone(*link, GFP_ATOMIC);
}

/* Whether a chained packet's header has the options of the first one's, @hdr, up to
 * @end. GRO compares headers in the pages that they came in and copies them
 * afterwards; a sender that still writes to its pages can have them differ.
 */
static inline bool xlo_skb_chain_agrees(const u8 *hdr, unsigned int end,
					const struct sk_buff *chained)
{
	unsigned int options = xlo_is_ipv6(hdr) ? XLO_IPV6_HLEN : XLO_IPV4_HLEN;
	const u8 *own = skb_network_header(chained);

	return own + end <= skb_tail_pointer(chained) &&
	       own[0] >> 4 == hdr[0] >> 4 &&
	       !memcmp(own + options, hdr + options, end - options);
}

/* xlo_skb_ensure_writable() of any packet. */
static noinline int xlo_skb_make_writable(struct sk_buff *skb, int off,
					  struct xlo_ref ref)
{
	struct sk_buff **link;
	int err;

	if (!xlo_skb_chained(skb))
		return skb_ensure_writable(skb, off + ref.off + XLO_LEN);
	err = skb_unclone(skb, GFP_ATOMIC);
	for (link = &skb_shinfo(skb)->frag_list; !err && *link;
	     link = &(*link)->next) {
		err = xlo_skb_unshare_chained(link);
		if (!err && !xlo_skb_chain_agrees(skb->data + off,
						  ref.off + XLO_LEN, *link))
			err = -EINVAL;
	}
	return err;
}

/**
 * xlo_skb_ensure_writable() - make an option writable
 * @skb: the packet
 * @off: offset of the IP header from skb->data
 * @ref: where the option is
 *
 * Return: 0, -ENOMEM, or -EINVAL if it is not in each of the packets that GRO has
 * chained
 */
static inline int xlo_skb_ensure_writable(struct sk_buff *skb, int off,
					  const struct xlo_ref *ref)
{
	/* what has been found is linear */
	if (!skb_cloned(skb) && !xlo_skb_chained(skb))
		return 0;
	return xlo_skb_make_writable(skb, off, *ref);
}

/* xlo_skb_set_lifetime() of an IPv6 packet, and those chained to it. */
static noinline void xlo_skb_write_lifetime6(struct sk_buff *skb, int off,
					     struct xlo_ref ref, u32 lifetime)
{
	struct sk_buff *chained;

	xlo_skb_set_lifetime6(skb, off, &ref, lifetime);
	for (chained = xlo_skb_chained(skb); chained; chained = chained->next)
		xlo_skb_set_lifetime6(chained, skb_network_offset(chained),
				      &ref, lifetime);
}

/**
 * xlo_skb_set_lifetime() - rewrite the lifetime in a packet's option
 * @skb: the packet, made writable by xlo_skb_ensure_writable()
 * @off: offset of the IP header from skb->data
 * @ref: where the option is
 * @lifetime: as on the wire, of a kind that @ref->type allows
 *
 * The IPv4 header checksum changes with the field, so the header's sum does not
 * and CHECKSUM_COMPLETE stays right.
 */
static inline void xlo_skb_set_lifetime(struct sk_buff *skb, int off,
					const struct xlo_ref *ref, u32 lifetime)
{
	/* GRO chains no IPv4 packets with options */
	if (ref->type == XLO_TYPE_IPV4)
		xlo_set_lifetime4(skb->data + off, ref, lifetime);
	else
		xlo_skb_write_lifetime6(skb, off, *ref, lifetime);
}

#endif /* _NET_XLO_SKB_H */
