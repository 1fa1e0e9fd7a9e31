// SPDX-License-Identifier: GPL-2.0
/* Cuts packets to their headers: the functions that work on packets, see cut.h. */

#include <linux/if_vlan.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include "cut.h"

/* Makes the packet's first @len bytes linear, because the sender may still write to its
 * pages. May move skb->data.
 */
static int lpd_cut_pull(struct sk_buff *skb, u32 len)
{
	if (len > skb->len)
		return -EOPNOTSUPP;
	return pskb_may_pull(skb, len) ? 0 : -ENOMEM;
}

static int lpd_cut_plan4(struct sk_buff *skb, struct lpd_cut_plan *p)
{
	const struct iphdr *iph = (const void *)skb->data + p->ip;
	int err = lpd_cut_ipv4(p, iph, skb->len - p->ip);

	if (!err)
		err = lpd_cut_pull(skb, p->transport);
	if (err || !p->first)
		return err;
	/* The checksum is computed anew, over the addresses that the receiver
	 * will see.
	 */
	return lpd_cut_source_routed(skb->data + p->ip, sizeof(*iph),
				     p->transport - p->ip) ? -EOPNOTSUPP : 0;
}

/* Walks the extension headers. Makes each header linear before it is read. */
static int lpd_cut_chain6(struct sk_buff *skb, struct lpd_cut_plan *p)
{
	int err = 0;
	u32 need;

	while (!err && lpd_cut_is_extension(p->proto)) {
		need = p->transport + sizeof(struct frag_hdr);
		if (need - p->ip > LPD_CUT_CHAIN_MAX)
			return -EOPNOTSUPP;
		err = lpd_cut_pull(skb, need);
		if (!err)
			err = lpd_cut_extension(p, skb->data + p->transport);
	}
	return err;
}

static int lpd_cut_plan6(struct sk_buff *skb, struct lpd_cut_plan *p)
{
	int err = lpd_cut_pull(skb, p->ip + sizeof(struct ipv6hdr));

	if (err)
		return err;
	lpd_cut_ipv6(p, (const void *)skb->data + p->ip);
	err = lpd_cut_chain6(skb, p);
	if (!err)
		err = lpd_cut_length6(p, (const void *)skb->data + p->ip,
				      skb->len);
	/* as for IPv4 */
	if (!err && p->first && p->rerouted)
		err = -EOPNOTSUPP;
	return err;
}

/* The frame's EtherType and the version in the IP header must agree. */
static int lpd_cut_plan_network(struct sk_buff *skb, struct lpd_cut_plan *p)
{
	int err = lpd_cut_pull(skb, p->ip + sizeof(struct iphdr));
	__be16 ethertype;
	u8 version;

	if (err)
		return err;
	ethertype = vlan_get_protocol(skb);
	version = skb->data[p->ip] >> 4;
	if (version == 4 && ethertype == htons(ETH_P_IP))
		return lpd_cut_plan4(skb, p);
	if (version == 6 && ethertype == htons(ETH_P_IPV6))
		return lpd_cut_plan6(skb, p);
	return -EOPNOTSUPP;
}

static int lpd_cut_plan_transport(struct sk_buff *skb, struct lpd_cut_plan *p,
				  u32 keep)
{
	u32 fixed = lpd_cut_fixed(p->proto);
	const void *hdr;
	int err;

	if (!fixed || p->len < fixed)
		return -EOPNOTSUPP;
	err = lpd_cut_pull(skb, p->transport + fixed);
	if (err)
		return err;
	hdr = skb->data + p->transport;
	switch (p->proto) {
	case IPPROTO_TCP:
		return lpd_cut_tcp(p, hdr);
	case IPPROTO_UDP:
		return lpd_cut_udp(p, hdr, keep);
	default:
		return lpd_cut_dccp(p, hdr);
	}
}

/* Whether the checksum can be updated. If a device completes a checksum, it must be the one
 * of the header that stays, not one of an encapsulated header. Otherwise the bytes that are
 * cut off must be readable, because they are subtracted.
 */
static bool lpd_cut_summable(const struct sk_buff *skb,
			     const struct lpd_cut_plan *p)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return skb_frags_readable(skb);
	return skb_checksum_start_offset(skb) == p->transport &&
	       skb->csum_offset == lpd_cut_check_offset(p->proto);
}

/* Makes a plan to cut the packet. Afterwards all headers that the plan depends on are
 * linear.
 */
static int lpd_cut_plan(struct sk_buff *skb, int ip_off, u32 keep,
			struct lpd_cut_plan *p)
{
	int err;

	*p = (struct lpd_cut_plan){ .ip = ip_off, .gso = skb_is_gso(skb) };
	err = lpd_cut_plan_network(skb, p);
	if (!err)
		err = lpd_cut_plan_transport(skb, p, keep);
	if (!err && !lpd_cut_summable(skb, p))
		err = -EOPNOTSUPP;
	return err;
}

/**
 * lpd_cut_bytes() - compute how many bytes a cut to the headers would remove
 * @skb: the packet, skb->data at its link-layer header. The header of a super-packet stands
 *	for the headers of its segments. Headers are made linear, so that lpd_cut() finds the same
 *	bytes; this may change truesize
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of UDP payload that stay
 *
 * Return: number of bytes, for a super-packet the sum over all segments; 0 if there is
 * nothing to cut; -EOPNOTSUPP if the packet cannot be cut; -ENOMEM
 */
int lpd_cut_bytes(struct sk_buff *skb, int ip_off, u32 keep)
{
	struct lpd_cut_plan plan;
	int err;

	err = lpd_cut_plan(skb, ip_off, keep, &plan);
	if (err)
		return err;
	return plan.gso ? lpd_cut_loss_gso(&plan, skb_shinfo(skb)->gso_size) :
			  lpd_cut_loss(&plan, skb->len);
}

static void lpd_cut_write4(struct lpd_cut_plan *p, struct iphdr *iph)
{
	__be16 total = htons(lpd_cut_end(p) - p->ip);
	__be16 whole = iph->frag_off & ~htons(IP_MF);

	csum_replace2(&iph->check, iph->tot_len, total);
	csum_replace2(&iph->check, iph->frag_off, whole);
	iph->tot_len = total;
	iph->frag_off = whole;
}

static void lpd_cut_write6(struct lpd_cut_plan *p, struct ipv6hdr *ip6h)
{
	struct frag_hdr *fh = (void *)ip6h + p->fragment - p->ip;

	ip6h->payload_len = htons(lpd_cut_end(p) - p->ip - sizeof(*ip6h));
	if (p->first)
		fh->frag_off &= ~htons(IP6_MF);
}

/* Returns the checksum of the packet in its current state, over @sum and the pseudo header. */
static __sum16 lpd_cut_sum_anew(const struct sk_buff *skb,
				const struct lpd_cut_plan *p, __wsum sum)
{
	const void *hdr = skb->data + p->ip;
	const struct ipv6hdr *ip6h = hdr;
	const struct iphdr *iph = hdr;
	u32 len = p->header + p->keep;

	if (iph->version == 4)
		return csum_tcpudp_magic(iph->saddr, iph->daddr, len, p->proto,
					 sum);
	return csum_ipv6_magic(&ip6h->saddr, &ip6h->daddr, len, p->proto, sum);
}

/* For a packet whose checksum the device computes: the field holds the sum of the pseudo
 * header.
 */
static __sum16 lpd_cut_check_partial(const struct sk_buff *skb,
				     const struct lpd_cut_plan *p,
				     __sum16 check)
{
	return ~(p->first ? lpd_cut_sum_anew(skb, p, 0) :
			    lpd_cut_sum(~check, lpd_cut_pseudo_diff(p)));
}

/* @diff is the change of the bytes that the checksum covers, without the pseudo header. */
static __sum16 lpd_cut_check(const struct sk_buff *skb,
			     const struct lpd_cut_plan *p, __sum16 check,
			     __wsum diff)
{
	u32 len = p->header + p->keep;

	if (!p->first)
		return lpd_cut_sum(check,
				   csum_add(diff, lpd_cut_pseudo_diff(p)));
	/* subtract the checksum field itself */
	return lpd_cut_sum_anew(skb, p,
				csum_sub(skb_checksum(skb, p->transport, len, 0),
					 csum_unfold(check)));
}

/* @removed is the sum of the bytes that were cut off, as far as the checksum covers them. */
static void lpd_cut_write_transport(struct sk_buff *skb,
				    const struct lpd_cut_plan *p,
				    __wsum removed)
{
	u8 *hdr = skb->data + p->transport;
	__sum16 *check = (__sum16 *)(hdr + lpd_cut_check_offset(p->proto));
	__wsum diff = csum_sub(lpd_cut_rewrite(p, hdr), removed);
	bool udp = p->proto == IPPROTO_UDP;

	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		*check = lpd_cut_check_partial(skb, p, *check);
	} else if (!udp || *check) {
		*check = lpd_cut_check(skb, p, *check, diff);
		if (udp && !*check)
			*check = CSUM_MANGLED_0;
	}
}

/* Same as skb_checksum(), but faster for linear packets. Most packets are linear. */
static __wsum lpd_cut_sum_of(const struct sk_buff *skb, u32 from, u32 len)
{
	if (from + len <= skb_headlen(skb))
		return csum_partial(skb->data + from, len, 0);
	return skb_checksum(skb, from, len, 0);
}

/* Returns the sum of the bytes that will be cut off, as far as the checksum covers them. */
static __wsum lpd_cut_removed(const struct sk_buff *skb,
			      const struct lpd_cut_plan *p)
{
	u32 from = p->header + p->keep;
	__wsum sum;

	if (skb->ip_summed == CHECKSUM_PARTIAL || p->first ||
	    p->covered <= from)
		return 0;
	sum = lpd_cut_sum_of(skb, p->transport + from, p->covered - from);
	return csum_block_add(0, sum, from);
}

static void lpd_cut_write(struct sk_buff *skb, struct lpd_cut_plan *p,
			  __wsum removed)
{
	struct iphdr *iph = (void *)skb->data + p->ip;

	if (iph->version == 4)
		lpd_cut_write4(p, iph);
	else
		lpd_cut_write6(p, (struct ipv6hdr *)iph);
	lpd_cut_write_transport(skb, p, removed);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
	/* an encapsulated packet is gone */
	skb->encapsulation = 0;
}

/**
 * lpd_cut() - cut a packet to its headers
 * @skb: the packet, skb->data at its link-layer header; not a super-packet
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of UDP payload that stay
 *
 * Clones of the packet are not changed. truesize changes as in pskb_trim(). The first
 * fragment of a datagram becomes a whole packet, even if nothing is cut off.
 *
 * Return: number of bytes cut off; -EOPNOTSUPP if the packet cannot be cut, or -ENOMEM. After
 * an error the packet is unchanged
 */
int lpd_cut(struct sk_buff *skb, int ip_off, u32 keep)
{
	struct lpd_cut_plan plan;
	__wsum removed;
	u32 bytes;
	int err;

	err = lpd_cut_plan(skb, ip_off, keep, &plan);
	if (err || plan.gso)
		return err ?: -EOPNOTSUPP;
	bytes = lpd_cut_loss(&plan, skb->len);
	if (!bytes && !plan.first)
		return 0;
	err = skb_ensure_writable(skb, plan.transport +
				       lpd_cut_fixed(plan.proto));
	if (err)
		return -ENOMEM;
	removed = lpd_cut_removed(skb, &plan);
	err = pskb_trim(skb, lpd_cut_end(&plan));
	if (err)
		return -ENOMEM;
	lpd_cut_write(skb, &plan, removed);
	return bytes;
}
