// SPDX-License-Identifier: GPL-2.0
/*
 * Headercasting cuts a packet to its IP and transport headers (Gurtov and Ludwig 2003,
 * section IV.C). The receiver then learns of a packet whose data would arrive too late.
 *
 *	| link | IP, options, extensions | TCP, UDP, DCCP | payload | padding |
 *	0      ip                        transport        |         |
 *	                                 |<--- header --->|<- keep  |
 *	                                 |<--------- len ---------->|
 *
 * Where possible, lpd updates a checksum instead of computing it again, so that the
 * receiver still detects earlier damage to the packet. For the update lpd needs the sum over
 * the bytes that are cut off: the sum over the bytes that stay would only make a checksum
 * that is correct for a damaged packet.
 *
 * The most frequent kind of packet takes a quick way with the same result, see cut_quick.h.
 */

#include <linux/dccp.h>
#include <linux/errno.h>
#include <linux/if_vlan.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/stddef.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/xlo.h>
#include "cut.h"
#include "cut_quick.h"

/* The maximum length of all IPv6 headers in front of the transport header, in bytes. With
 * headers longer than the minimum MTU (RFC 8200 section 5), a packet would still be long
 * after the cut.
 */
#define LPD_CUT_CHAIN_MAX	IPV6_MIN_MTU

/**
 * struct lpd_cut_plan - how a packet is cut
 * @ip: offset of the IP header from skb->data
 * @transport: offset of the transport header from skb->data
 * @fragment: offset of the IPv6 fragment header from skb->data, 0 without one
 * @len: bytes from the transport header to the end of the IP packet
 * @header: bytes of the transport header
 * @keep: bytes of payload that stay
 * @covered: number of bytes that the transport checksum covers, starting at the transport
 *	header
 * @pseudo: transport length in the pseudo header
 * @proto: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_DCCP
 * @gso: whether the packet is a super-packet, whose header represents the headers of its
 *	segments
 * @first: whether the packet is the first fragment of a datagram. The cut turns a first
 *	fragment into a whole packet. The checksum of a first fragment covers bytes in other
 *	fragments
 * @rerouted: whether IPv6 headers change the addresses that the receiver sees. Examples are
 *	a routing header with segments left, and a home address in destination options
 */
struct lpd_cut_plan {
	u32 ip;
	u32 transport;
	u32 fragment;
	u32 len;
	u32 header;
	u32 keep;
	u32 covered;
	u32 pseudo;
	u8 proto;
	bool gso;
	bool first;
	bool rerouted;
};

/* Returns the length of the protocol's fixed header. Returns 0 if packets of the protocol
 * cannot be cut.
 */
static inline u32 lpd_cut_fixed(u8 proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		return sizeof(struct tcphdr);
	case IPPROTO_UDP:
		return sizeof(struct udphdr);
	case IPPROTO_DCCP:
		return sizeof(struct dccp_hdr);
	default:
		return 0;
	}
}

/* Returns the offset of the checksum in the transport header. */
static inline u32 lpd_cut_check_offset(u8 proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		return offsetof(struct tcphdr, check);
	case IPPROTO_UDP:
		return offsetof(struct udphdr, check);
	default:
		return offsetof(struct dccp_hdr, dccph_checksum);
	}
}

/* Reads the fragment field of an IPv4 header. Only the first fragment of a datagram can be
 * cut, because later fragments have no transport header.
 */
static inline int lpd_cut_fragment(struct lpd_cut_plan *p, u16 field)
{
	if (field & IP_OFFSET)
		return -EOPNOTSUPP;
	p->first = field & IP_MF;
	return 0;
}

/* Checks whether a packet with the extension header @proto can be cut. */
static inline bool lpd_cut_is_extension(u8 proto)
{
	return proto == NEXTHDR_HOP || proto == NEXTHDR_ROUTING ||
	       proto == NEXTHDR_DEST || proto == NEXTHDR_FRAGMENT;
}

static inline int lpd_cut_fragment6(struct lpd_cut_plan *p, const struct frag_hdr *fh)
{
	if (p->fragment || fh->frag_off & htons(IP6_OFFSET))
		return -EOPNOTSUPP;
	p->fragment = p->transport;
	p->first = fh->frag_off & htons(IP6_MF);
	return 0;
}

/* Reads the IPv6 header. Sets @p->transport to the offset of the next header. */
static inline void lpd_cut_ipv6(struct lpd_cut_plan *p, const struct ipv6hdr *ip6h)
{
	p->transport = p->ip + sizeof(*ip6h);
	p->proto = ip6h->nexthdr;
}

/* Reads the extension header at @p->transport. The first 8 bytes must be readable. The function
 * sets @p->transport to the offset of the next header.
 */
static inline int lpd_cut_extension(struct lpd_cut_plan *p, const void *hdr)
{
	const struct ipv6_rt_hdr *rh = hdr;
	const struct ipv6_opt_hdr *opt = hdr;
	u32 size = ipv6_optlen(opt);
	int err = 0;

	if (p->proto == NEXTHDR_FRAGMENT) {
		err = lpd_cut_fragment6(p, hdr);
		size = sizeof(struct frag_hdr);
	} else if (p->proto == NEXTHDR_ROUTING) {
		p->rerouted |= rh->segments_left;
	} else if (p->proto == NEXTHDR_DEST) {
		p->rerouted |= !p->fragment;
	}
	p->transport += size;
	p->proto = opt->nexthdr;
	return err;
}

/* Reads the length of the IPv6 packet. The packet must not be longer than the skb, which
 * has @len bytes. The length field of a jumbogram is 0. A jumbogram can be cut only if it
 * is a super-packet.
 */
static inline int lpd_cut_length6(struct lpd_cut_plan *p,
				  const struct ipv6hdr *ip6h, u32 len)
{
	u32 end = p->ip + sizeof(*ip6h) + ntohs(ip6h->payload_len);

	if (p->gso && !ip6h->payload_len)
		end = len;
	if (p->transport > end || end > len)
		return -EOPNOTSUPP;
	p->len = end - p->transport;
	return 0;
}

/* Reads the IPv4 header. @len is the number of bytes from the header's start to the end of
 * the skb. The total length of a super-packet is 0 if the packet is too long for the field.
 */
static inline int lpd_cut_ipv4(struct lpd_cut_plan *p, const struct iphdr *iph,
			       u32 len)
{
	u32 total = ntohs(iph->tot_len);
	u32 hlen = iph->ihl * 4;

	if (p->gso && !total)
		total = len;
	if (hlen < sizeof(*iph) || total < hlen || total > len)
		return -EOPNOTSUPP;
	p->transport = p->ip + hlen;
	p->len = total - hlen;
	p->proto = iph->protocol;
	return lpd_cut_fragment(p, ntohs(iph->frag_off));
}

/* Checks whether the options of an IPv4 header from @off to @end contain a source route.
 * The result is also true if the options are malformed.
 */
static inline bool lpd_cut_source_routed(const u8 *hdr, u32 off, u32 end)
{
	u32 size;

	for (; off < end; off += size) {
		size = xlo_option_size(hdr, off, end, false);
		if (!size || hdr[off] == IPOPT_LSRR || hdr[off] == IPOPT_SSRR)
			return true;
	}
	return false;
}

/* A TCP segment with SYN, FIN, RST or URG cannot be cut. For example, the receiver of a FIN would
 * see the end of the stream before the data. In a super-packet, FIN belongs to the last segment
 * only, and each segment is checked again before it is cut.
 */
static inline int lpd_cut_tcp(struct lpd_cut_plan *p, const struct tcphdr *th)
{
	p->header = th->doff * 4;
	p->covered = p->len;
	p->pseudo = p->len;
	if (p->header < sizeof(*th) || p->header > p->len || th->syn ||
	    th->rst || th->urg || (th->fin && !p->gso))
		return -EOPNOTSUPP;
	return 0;
}

/* In a first fragment, the UDP length is the length of the whole datagram. Bytes beyond the UDP
 * length are cut off, because no checksum covers them.
 */
static inline int lpd_cut_udp(struct lpd_cut_plan *p, const struct udphdr *uh,
			      u32 keep)
{
	p->header = sizeof(*uh);
	p->pseudo = ntohs(uh->len);
	p->covered = min(p->pseudo, p->len);
	if (p->pseudo < p->header || (p->pseudo > p->len && !p->first))
		return -EOPNOTSUPP;
	p->keep = min(keep, p->covered - p->header);
	return 0;
}

/* The DCCP checksum covers all data, or only (CsCov - 1) words of data (RFC 4340 section
 * 9.2). A first fragment does not contain the length of its datagram.
 */
static inline int lpd_cut_dccp(struct lpd_cut_plan *p, const struct dccp_hdr *dh)
{
	u32 least = sizeof(*dh) + (dh->dccph_x ? sizeof(struct dccp_hdr_ext) : 0);

	p->header = dh->dccph_doff * 4;
	p->covered = p->len;
	p->pseudo = p->len;
	if (p->header < least || p->header > p->len)
		return -EOPNOTSUPP;
	if (dh->dccph_cscov)
		p->covered = p->header + (dh->dccph_cscov - 1) * 4;
	return p->covered > p->len && !p->first ? -EOPNOTSUPP : 0;
}

/* Returns the offset from skb->data of the first byte to be cut off. */
static inline u32 lpd_cut_end(const struct lpd_cut_plan *p)
{
	return p->transport + p->header + p->keep;
}

/* Returns how many bytes are cut off a packet of @len bytes. A packet is not cut if only
 * padding after the IP packet would be removed.
 */
static inline u32 lpd_cut_loss(const struct lpd_cut_plan *p, u32 len)
{
	if (p->len == p->header + p->keep && !p->first)
		return 0;
	return len - lpd_cut_end(p);
}

/* Returns how many bytes of payload all segments lose together. @size is the size of the
 * payload in each segment except the last segment.
 */
static inline u32 lpd_cut_loss_gso(const struct lpd_cut_plan *p, u32 size)
{
	u32 payload = p->len - p->header;
	u32 last = payload % size;

	return payload / size * (size - min(size, p->keep)) +
	       last - min(last, p->keep);
}

/* Returns the contribution of a length field to a checksum. */
static inline __wsum lpd_cut_length_sum(u32 len)
{
	return (__force __wsum)htonl(len);
}

/* Returns how the sum over the pseudo header changes. */
static inline __wsum lpd_cut_pseudo_diff(const struct lpd_cut_plan *p)
{
	return csum_sub(lpd_cut_length_sum(p->header + p->keep),
			lpd_cut_length_sum(p->pseudo));
}

/* Returns how a checksum changes if a 16-bit word changes from @before to @after. */
static inline __wsum lpd_cut_word_diff(__be16 before, __be16 after)
{
	return csum_sub((__force __wsum)after, (__force __wsum)before);
}

static inline __wsum lpd_cut_rewrite_udp(const struct lpd_cut_plan *p,
					 struct udphdr *uh)
{
	__be16 before = uh->len;

	uh->len = htons(p->header + p->keep);
	return lpd_cut_word_diff(before, uh->len);
}

/* Sets CsCov to 1, which covers no data. A CsCov of 0 covers all data and stays, because no data is
 * left. CsCov is in the lower byte of a 16-bit word.
 */
static inline __wsum lpd_cut_rewrite_dccp(struct dccp_hdr *dh)
{
	u8 before = dh->dccph_cscov;

	if (before <= 1)
		return 0;
	dh->dccph_cscov = 1;
	return lpd_cut_word_diff(htons(before), htons(1));
}

/* Updates the transport header at @hdr for the new length of the packet. Returns how the
 * sum over the header changes, without the checksum field.
 */
static inline __wsum lpd_cut_rewrite(const struct lpd_cut_plan *p, u8 *hdr)
{
	switch (p->proto) {
	case IPPROTO_UDP:
		return lpd_cut_rewrite_udp(p, (struct udphdr *)hdr);
	case IPPROTO_DCCP:
		return lpd_cut_rewrite_dccp((struct dccp_hdr *)hdr);
	default:
		return 0;
	}
}

/* Returns an updated checksum. @diff is the change of the sum over the covered bytes. */
static inline __sum16 lpd_cut_sum(__sum16 check, __wsum diff)
{
	return csum_fold(csum_add(~csum_unfold(check), diff));
}

/* Makes the first @len bytes of a packet linear, because the sender may still write to the
 * packet's pages. skb->data may move.
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
	/* The checksum of a first fragment is computed again, over the addresses that the
	 * receiver will see.
	 */
	return lpd_cut_source_routed(skb->data + p->ip, sizeof(*iph),
				     p->transport - p->ip) ? -EOPNOTSUPP : 0;
}

/* Reads the chain of extension headers. Each header is made linear before it is read. */
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
	/* for the same reason as in lpd_cut_plan4() */
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

/* Plans how to cut the packet. Afterwards, all headers that the plan depends on are linear. */
static int lpd_cut_plan(struct sk_buff *skb, int ip_off, u32 keep,
			struct lpd_cut_plan *p)
{
	int err;

	*p = (struct lpd_cut_plan){ .ip = ip_off, .gso = skb_is_gso(skb) };
	err = lpd_cut_plan_network(skb, p);
	if (!err)
		err = lpd_cut_plan_transport(skb, p, keep);
	if (!err && !lpd_cut_summable(skb, p->transport, lpd_cut_check_offset(p->proto)))
		err = -EOPNOTSUPP;
	return err;
}

/**
 * lpd_cut_bytes() - compute how many bytes a cut to the headers would remove
 * @skb: the packet, with skb->data at its link-layer header. The headers are made linear,
 *	so that lpd_cut() reads the same bytes. The packet's truesize may change
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of UDP payload that stay
 *
 * Return: number of bytes, which is the sum over all segments for a super-packet; 0 if a
 * cut would remove nothing; -EOPNOTSUPP if the packet cannot be cut; -ENOMEM
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

/* Returns the checksum of the packet after the cut, computed from @sum and the pseudo
 * header.
 */
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

/* Returns the checksum field for a packet whose checksum the device computes. The field
 * contains the sum over the pseudo header.
 */
static __sum16 lpd_cut_check_partial(const struct sk_buff *skb,
				     const struct lpd_cut_plan *p, __sum16 check)
{
	return ~(p->first ? lpd_cut_sum_anew(skb, p, 0) :
			    lpd_cut_sum(~check, lpd_cut_pseudo_diff(p)));
}

/* Returns the new checksum. @diff is the change of the sum over the covered bytes, without
 * the pseudo header.
 */
static __sum16 lpd_cut_check(const struct sk_buff *skb,
			     const struct lpd_cut_plan *p, __sum16 check, __wsum diff)
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

/* Updates the transport header and its checksum. @removed is the return value of
 * lpd_cut_removed().
 */
static void lpd_cut_write_transport(struct sk_buff *skb,
				    const struct lpd_cut_plan *p, __wsum removed)
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

/* Returns the same sum as skb_checksum(), but is faster for linear packets. Most packets
 * are linear.
 */
static __wsum lpd_cut_sum_of(const struct sk_buff *skb, u32 from, u32 len)
{
	if (from + len <= skb_headlen(skb))
		return csum_partial(skb->data + from, len, 0);
	return skb_checksum(skb, from, len, 0);
}

/* Returns the sum over the bytes that will be cut off and that the checksum covers. Returns 0 if
 * the new checksum does not depend on this sum.
 */
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
	/* the cut has removed any encapsulated packet */
	skb->encapsulation = 0;
}

/* Does the work of lpd_cut() for all packets that cannot take the quick way. */
static int lpd_cut_general(struct sk_buff *skb, int ip_off, u32 keep)
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

/**
 * lpd_cut() - cut a packet to its headers
 * @skb: the packet, with skb->data at its link-layer header; must not be a super-packet
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of UDP payload that stay
 *
 * Clones of the packet are not changed. truesize changes as in pskb_trim(). The first
 * fragment of a datagram becomes a whole packet, even if no byte is cut off.
 *
 * Return: number of bytes cut off; -EOPNOTSUPP if the packet cannot be cut, or -ENOMEM. After
 * an error the packet is unchanged
 */
int lpd_cut(struct sk_buff *skb, int ip_off, u32 keep)
{
	int bytes = lpd_cut_quick(skb, ip_off, keep);

	return bytes ?: lpd_cut_general(skb, ip_off, keep);
}
