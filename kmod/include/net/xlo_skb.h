/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Codec of the cross-layer option (net/xlo.h) for packets in an skb. Modules use this codec to read
 * or rewrite options. The functions are in a header, so that no module depends on another module.
 */
#ifndef _NET_XLO_SKB_H
#define _NET_XLO_SKB_H

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ipv6.h>
#include <net/xlo.h>

/**
 * xlo_skb_network_offset() - find a packet's network header
 * @skb: an outgoing packet; skb->data points to the link-layer header
 * @proto: set to the protocol of the network header
 *
 * In a frame with VLAN tags, skb->network_header may point to the tags. The function skips the
 * tags.
 *
 * Return: offset of the network header from skb->data
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

/* Makes the first @len bytes of the packet linear. */
static inline int xlo_skb_pull(struct sk_buff *skb, unsigned int len)
{
	if (likely(pskb_may_pull(skb, len)))
		return 0;
	return len > skb->len ? XLO_SHORT : -ENOMEM;
}

/**
 * xlo_skb_find4_quick() - xlo_skb_find4() for the most common packets
 * @skb: the packet
 * @off: offset of the IP header from skb->data
 * @ref: position of the option, valid only with XLO_FOUND
 * @opt: fields of the option, valid only with XLO_FOUND
 * @found: the result of xlo_skb_find4(), valid only if this function returns true
 *
 * Return: true if the header is linear and has no option, or only the cross-layer option
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
 * xlo_skb_find4() - search for the option in an IPv4 packet
 * @skb: the packet; its IP header may be pulled into the linear part
 * @off: offset of the IP header from skb->data
 * @ref: position of the option, valid only with XLO_FOUND
 * @opt: fields of the option, valid only with XLO_FOUND
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
 * xlo_skb_find6() - search for the option in an IPv6 packet
 * @skb: the packet; its headers may be pulled into the linear part
 * @off: offset of the IPv6 header from skb->data
 * @ref: position of the option, valid only with XLO_FOUND
 * @opt: fields of the option, valid only with XLO_FOUND
 *
 * Return: enum xlo_found, or -ENOMEM
 */
static inline int xlo_skb_find6(struct sk_buff *skb, int off,
				struct xlo_ref *ref, struct xlo *opt)
{
	int need = XLO_IPV6_HLEN;
	int err;

	/* pull the IPv6 header, then 8 bytes of the hop-by-hop header, then the whole header */
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

/* Rewrites the lifetime in one IPv6 packet. Only one checksum covers IPv6 extension headers: the
 * sum of the whole packet that a device computes on receipt (CHECKSUM_COMPLETE). Arriving packets
 * have this sum. In a queue, packets have it on ifb, or when tc forwards packets.
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

/* Returns the packets that GRO has chained after this packet (rx-gro-list), or NULL without a
 * chain. GRO chains only packets with equal options. The function xlo_skb_ensure_writable() checks
 * that the options are still equal. A new lifetime is written into each header of the chain. Behind
 * a tunnel header the result is NULL, because only the first packet has the tunnel header and its
 * option. When the chain is split, the stack copies the tunnel header from the first packet.
 */
static inline struct sk_buff *xlo_skb_chained(const struct sk_buff *skb)
{
	return skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST &&
	       !skb->encapsulation ? skb_shinfo(skb)->frag_list : NULL;
}

/* Makes the header of a chained packet writable. If another user, such as a packet socket, shares
 * the packet, a clone replaces the packet in the chain.
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

/* Checks whether a chained packet has the same options as the first header @hdr, up to @end. GRO
 * compares the headers in the memory pages in which they arrive, and copies the headers later. If
 * the sender still writes to these pages, the copies can differ.
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

/* Does the work of xlo_skb_ensure_writable() for a packet that is cloned or chained. */
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
 * @ref: position of the option
 *
 * Return: 0 or -ENOMEM; -EINVAL if a chained packet does not have the same option
 */
static inline int xlo_skb_ensure_writable(struct sk_buff *skb, int off,
					  const struct xlo_ref *ref)
{
	/* the header is linear, because the option was found in it */
	if (!skb_cloned(skb) && !xlo_skb_chained(skb))
		return 0;
	return xlo_skb_make_writable(skb, off, *ref);
}

/* Does the work of xlo_skb_set_lifetime() for an IPv6 packet and the packets chained to it. */
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
 * @ref: position of the option
 * @lifetime: the new value of the field, of a kind that @ref->type allows
 *
 * In IPv4 the header checksum compensates for the new lifetime. The sum over the header
 * does not change, and CHECKSUM_COMPLETE stays correct.
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

/**
 * xlo_skb_set_corrupted() - tell the receiver that a link has damaged the payload
 * @skb: the packet, made writable by xlo_skb_ensure_writable(). Nobody has verified its checksums
 * @off: offset of the IP header from skb->data
 * @ref: position of the option
 *
 * The IPv4 header checksum is adjusted.
 */
static inline void xlo_skb_set_corrupted(struct sk_buff *skb, int off,
					 const struct xlo_ref *ref)
{
	u8 *hdr = skb->data + off;
	u8 *flags = hdr + ref->off + XLO_OFF_FLAGS;
	u16 before, after;
	__sum16 *check;

	if (ref->type != XLO_TYPE_IPV4) {
		*flags |= XLO_FLAG_CORRUPTED;
		return;
	}
	/* the 16-bit word that contains the flags */
	before = get_unaligned_be16(hdr + ((flags - hdr) & ~1));
	*flags |= XLO_FLAG_CORRUPTED;
	after = get_unaligned_be16(hdr + ((flags - hdr) & ~1));
	check = &((struct iphdr *)hdr)->check;
	*check = (__force __sum16)
		htons(xlo_csum_replace(ntohs((__force __be16)*check), before,
				       after));
}

#endif /* _NET_XLO_SKB_H */
