// SPDX-License-Identifier: GPL-2.0
/* Cutting a packet to its headers: the plumbing around cut.h. */

#include <linux/if_vlan.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include "cut.h"

/* Of a first fragment the checksum is computed anew, which takes the addresses
 * that its receiver will see.
 */
static int lpd_cut_first4(const struct sk_buff *skb,
			  const struct lpd_cut_plan *p)
{
	u8 buf[sizeof(struct iphdr) + MAX_IPOPTLEN];
	u32 hlen = p->transport - p->ip;
	const u8 *hdr = skb_header_pointer(skb, p->ip, hlen, buf);

	return !hdr || lpd_cut_source_routed(hdr, sizeof(struct iphdr), hlen) ?
	       -EOPNOTSUPP : 0;
}

static int lpd_cut_plan4(const struct sk_buff *skb, struct lpd_cut_plan *p,
			 const struct iphdr *iph)
{
	int err = lpd_cut_ipv4(p, iph, skb->len - p->ip);

	return err || !p->first ? err : lpd_cut_first4(skb, p);
}

/* As lpd_cut_first4(): a routing header on its way, or destination options in
 * front of the fragment header (a home address), stand for other addresses.
 */
static int lpd_cut_first6(const struct sk_buff *skb,
			  const struct lpd_cut_plan *p)
{
	int flags = IP6_FH_F_SKIP_RH;
	unsigned int at = p->ip;

	if (ipv6_find_hdr(skb, &at, NEXTHDR_ROUTING, NULL, &flags) >= 0)
		return -EOPNOTSUPP;
	at = p->ip;
	if (ipv6_find_hdr(skb, &at, NEXTHDR_DEST, NULL, NULL) >= 0 &&
	    at < p->fragment)
		return -EOPNOTSUPP;
	return 0;
}

static int lpd_cut_fragment6(const struct sk_buff *skb, struct lpd_cut_plan *p)
{
	const struct frag_hdr *fh;
	unsigned int at = p->ip;
	struct frag_hdr buf;

	if (ipv6_find_hdr(skb, &at, NEXTHDR_FRAGMENT, NULL, NULL) < 0)
		return -EOPNOTSUPP;
	fh = skb_header_pointer(skb, at, sizeof(buf), &buf);
	if (!fh)
		return -EOPNOTSUPP;
	p->fragment = at;
	p->first = fh->frag_off & htons(IP6_MF);
	return p->first ? lpd_cut_first6(skb, p) : 0;
}

/* A jumbogram's length of 0 ends it before any transport header. */
static int lpd_cut_plan6(const struct sk_buff *skb, struct lpd_cut_plan *p,
			 const struct ipv6hdr *ip6h)
{
	u32 end = p->ip + sizeof(*ip6h) + ntohs(ip6h->payload_len);
	unsigned int at = p->ip;
	int flags = IP6_FH_F_AUTH;
	unsigned short later;
	int proto;

	if (p->gso && !ip6h->payload_len)
		end = skb->len;
	proto = ipv6_find_hdr(skb, &at, -1, &later, &flags);
	if (proto < 0 || later || at > end || end > skb->len)
		return -EOPNOTSUPP;
	p->transport = at;
	p->len = end - at;
	p->proto = proto;
	return flags & IP6_FH_F_FRAG ? lpd_cut_fragment6(skb, p) : 0;
}

/* The frame says which IP it carries; the header must agree. */
static int lpd_cut_plan_network(const struct sk_buff *skb,
				struct lpd_cut_plan *p)
{
	__be16 ethertype = vlan_get_protocol(skb);
	union {
		struct iphdr v4;
		struct ipv6hdr v6;
	} buf;
	const struct iphdr *iph;
	const struct ipv6hdr *ip6h;

	iph = skb_header_pointer(skb, p->ip, sizeof(buf.v4), &buf.v4);
	if (iph && iph->version == 4 && ethertype == htons(ETH_P_IP))
		return lpd_cut_plan4(skb, p, iph);
	ip6h = skb_header_pointer(skb, p->ip, sizeof(buf.v6), &buf.v6);
	if (ip6h && ip6h->version == 6 && ethertype == htons(ETH_P_IPV6))
		return lpd_cut_plan6(skb, p, ip6h);
	return -EOPNOTSUPP;
}

static int lpd_cut_plan_transport(const struct sk_buff *skb,
				  struct lpd_cut_plan *p, u32 keep)
{
	u32 fixed = lpd_cut_fixed(p->proto);
	u8 buf[sizeof(struct tcphdr)] __aligned(4);
	const void *hdr;

	if (!fixed || p->len < fixed)
		return -EOPNOTSUPP;
	hdr = skb_header_pointer(skb, p->transport, fixed, buf);
	if (!hdr)
		return -EOPNOTSUPP;
	switch (p->proto) {
	case IPPROTO_TCP:
		return lpd_cut_tcp(p, hdr);
	case IPPROTO_UDP:
		return lpd_cut_udp(p, hdr, keep);
	default:
		return lpd_cut_dccp(p, hdr);
	}
}

/* Whether the checksum can be made right: the one that a device completes must
 * be the one in the header that stays, not in one that is encapsulated; to
 * subtract from any other, what is cut off must be readable.
 */
static bool lpd_cut_summable(const struct sk_buff *skb,
			     const struct lpd_cut_plan *p)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return skb_frags_readable(skb);
	return skb_checksum_start_offset(skb) == p->transport &&
	       skb->csum_offset == lpd_cut_check_offset(p->proto);
}

static int lpd_cut_plan(const struct sk_buff *skb, int ip_off, u32 keep,
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
 * lpd_cut_bytes() - what cutting a packet to its headers would take off
 * @skb: the packet, skb->data at its link-layer header; a super-packet is
 *	judged by its headers, as what its segments will be
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of payload that stay with UDP
 *
 * Return: bytes, of a super-packet those that all segments lose; 0 if there is
 * nothing to cut; -EOPNOTSUPP if it cannot be cut
 */
int lpd_cut_bytes(const struct sk_buff *skb, int ip_off, u32 keep)
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

/* The checksum of the packet as it is now, over @sum and the pseudo header. */
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

/* A device will add up the packet: its field holds the pseudo header's sum. */
static __sum16 lpd_cut_check_partial(const struct sk_buff *skb,
				     const struct lpd_cut_plan *p,
				     __sum16 check)
{
	return ~(p->first ? lpd_cut_sum_anew(skb, p, 0) :
			    lpd_cut_sum(~check, lpd_cut_pseudo_diff(p)));
}

/* @diff is the change of what the checksum covers, the pseudo header aside. */
static __sum16 lpd_cut_check(const struct sk_buff *skb,
			     const struct lpd_cut_plan *p, __sum16 check,
			     __wsum diff)
{
	u32 len = p->header + p->keep;

	if (!p->first)
		return lpd_cut_sum(check,
				   csum_add(diff, lpd_cut_pseudo_diff(p)));
	/* the field itself is still in the sum */
	return lpd_cut_sum_anew(skb, p,
				csum_sub(skb_checksum(skb, p->transport, len, 0),
					 csum_unfold(check)));
}

/* @removed is the sum of what was cut off, of as much as was covered. */
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

/* skb_checksum(); most packets are linear. */
static __wsum lpd_cut_sum_of(const struct sk_buff *skb, u32 from, u32 len)
{
	if (from + len <= skb_headlen(skb))
		return csum_partial(skb->data + from, len, 0);
	return skb_checksum(skb, from, len, 0);
}

/* Of what goes, the sum of what the checksum covers. */
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
	/* whatever was in there */
	skb->encapsulation = 0;
}

/**
 * lpd_cut() - cut a packet to its headers
 * @skb: the packet, skb->data at its link-layer header; not a super-packet
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of payload that stay with UDP
 *
 * Whoever holds a clone of the packet keeps the packet whole. truesize changes
 * as pskb_trim() has it.
 *
 * The first fragment of a datagram becomes a whole packet, even if nothing
 * is cut off.
 *
 * Return: bytes cut off; -EOPNOTSUPP if it cannot be cut, or -ENOMEM, and then
 * it is as it was
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
