// SPDX-License-Identifier: GPL-2.0
/*
 * Stamps plain packets, which are most packets, in few instructions. xlo_stamp_any() stamps all
 * other packets, and would write the same bytes into a plain packet.
 *
 * A plain packet has an IPv4 header without options, and is not a fragment. It may be a
 * super-packet (GSO) of TCP. In front of its headers is space for the option, nobody else uses the
 * headers, and with the option the packet fits the MTU. Its profile stores the option, which is the
 * same in each packet of the profile.
 */

#include <linux/bits.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ip.h>
#include "config.h"
#include "insert.h"
#include "packet.h"
#include "tcp.h"

/* The header is read and written in three words: version, ihl, tos and tot_len; id, frag_off, ttl,
 * protocol and check; both addresses. The option is the fourth word.
 */
enum {
	XLO_PLAIN_MIDDLE = 4,		/* offsets of the second, third and fourth word */
	XLO_PLAIN_ADDRESSES = 12,
	XLO_PLAIN_OPTION = XLO_IPV4_HLEN,
};

/* fields of the first word */
#define XLO_PLAIN_VERSION_IHL	(0x45U << 24)
#define XLO_PLAIN_TOS		GENMASK(23, 16)
#define XLO_PLAIN_LONGER	((XLO_LEN / 4) << 24 | XLO_LEN)	/* added to ihl and tot_len */
/* field of the second word */
#define XLO_PLAIN_CHECK		GENMASK_ULL(15, 0)

/* The length of a packet that is not plain. With an option, this length exceeds each MTU. */
#define XLO_PLAIN_NEVER		IP_MAX_MTU

/* Checks that the header has no options, and says how long the packet is. */
static inline bool xlo_plain_first(const struct sk_buff *skb, u32 first)
{
	return (first & ~XLO_PLAIN_TOS) == (XLO_PLAIN_VERSION_IHL | skb->len);
}

/* Checks that the option can be written into the buffer, and that no sum over the packet changes.
 * xlo_insert() changes the sums, and makes the other buffers writable.
 */
static inline bool xlo_plain_buffer(const struct sk_buff *skb, unsigned int link)
{
	return skb_headroom(skb) >= link + XLO_LEN && !skb_header_cloned(skb) &&
	       skb->ip_summed != CHECKSUM_COMPLETE &&
	       !(skb_shinfo(skb)->gso_type & (SKB_GSO_FRAGLIST | SKB_GSO_UDP_L4));
}

/* Returns the length of the longest segment of a TCP packet, with its IP header. An encapsulated
 * super-packet has more headers. The whole super-packet must fit the length field.
 */
static inline unsigned int xlo_plain_segment(const struct sk_buff *skb, const struct tcphdr *th)
{
	if (!skb_is_gso(skb))
		return skb->len;
	if (skb->encapsulation || skb->len > IP_MAX_MTU - XLO_LEN)
		return XLO_PLAIN_NEVER;
	return XLO_IPV4_HLEN + th->doff * 4 + skb_shinfo(skb)->gso_size;
}

/* Finds the longest segment of a TCP packet, and reserves space for the option in the next segments
 * of the connection. Returns false if the packet gets no lifetime.
 */
static inline bool xlo_plain_tcp(const struct sk_buff *skb, const struct nf_hook_state *state,
				 unsigned int *len)
{
	const struct tcphdr *th = (const struct tcphdr *)(ip_hdr(skb) + 1);
	struct sock *sk = xlo_tcp_sock(skb, state);

	*len = XLO_PLAIN_NEVER;
	if (skb_headlen(skb) < XLO_IPV4_HLEN + sizeof(*th))
		return true;
	if (!xlo_tcp_header_carries(th, skb->len - XLO_IPV4_HLEN))
		return false;
	*len = xlo_plain_segment(skb, th);
	if (sk)
		xlo_tcp_make_room(sk, NFPROTO_IPV4, XLO_LEN);
	return true;
}

/* Finds the length of the longest segment. Returns false if the packet gets no option. */
static inline bool xlo_plain_longest(const struct sk_buff *skb, const struct nf_hook_state *state,
				     unsigned int *len)
{
	u8 protocol = ip_hdr(skb)->protocol;

	if (protocol == IPPROTO_TCP)
		return xlo_plain_tcp(skb, state, len);
	*len = protocol == IPPROTO_AH || skb_is_gso(skb) ? XLO_PLAIN_NEVER : skb->len;
	return protocol != IPPROTO_IGMP;
}

/* Adds a word to a sum in one's complement (RFC 1071 section 2). */
static inline u64 xlo_plain_add(u64 sum, u64 word)
{
	sum += word;
	return sum + (sum < word);
}

static inline __sum16 xlo_plain_fold(u64 sum)
{
	sum += sum << 32 | sum >> 32;
	return csum_fold((__force __wsum)(u32)(sum >> 32));
}

static noinline void xlo_plain_move_link(struct sk_buff *skb, unsigned int link)
{
	u8 *from = skb_network_header(skb) - link;

	memmove(from - XLO_LEN, from, link);
	skb->mac_header -= XLO_LEN;
}

/* Writes the option into a plain packet. @first is the first word of its header. All words are
 * read before the new header is written, because it overlaps the old header.
 */
static inline void xlo_plain_insert(struct sk_buff *skb, unsigned int link, u32 first, u64 option)
{
	u8 *old = skb_network_header(skb), *hdr = old - XLO_LEN;
	/* tot_len has no carry: a longer packet does not fit the MTU or the length field */
	__be32 begin = cpu_to_be32(first + XLO_PLAIN_LONGER);
	u64 middle = get_unaligned((u64 *)(old + XLO_PLAIN_MIDDLE)) &
		     ~(__force u64)cpu_to_be64(XLO_PLAIN_CHECK);
	u64 addresses = get_unaligned((u64 *)(old + XLO_PLAIN_ADDRESSES));
	u64 sum = xlo_plain_add(xlo_plain_add(middle, addresses), option);

	if (link)
		xlo_plain_move_link(skb, link);
	put_unaligned(begin, (__be32 *)hdr);
	put_unaligned(middle, (u64 *)(hdr + XLO_PLAIN_MIDDLE));
	put_unaligned(addresses, (u64 *)(hdr + XLO_PLAIN_ADDRESSES));
	put_unaligned(option, (u64 *)(hdr + XLO_PLAIN_OPTION));
	((struct iphdr *)hdr)->check = xlo_plain_fold(xlo_plain_add(sum, (__force u32)begin));
	__skb_push(skb, XLO_LEN);
	skb->network_header -= XLO_LEN;
}

/* Stamps a plain packet. Returns false, and does not change the packet, if it is not plain. */
static inline bool
xlo_stamp_plain(const struct xlo_net *xn, const struct xlo_profile *profile,
		struct sk_buff *skb, const struct nf_hook_state *state, u8 path)
{
	const struct iphdr *iph = ip_hdr(skb);
	unsigned int len, link;
	u32 first;

	/* first, so that most packets that cannot be plain are not examined */
	if (!profile->option || state->pf != NFPROTO_IPV4)
		return false;
	link = xlo_insert_link_len(skb);
	first = be32_to_cpu(get_unaligned((const __be32 *)iph));
	if (!xlo_plain_first(skb, first) || ip_is_fragment(iph) ||
	    !xlo_plain_buffer(skb, link))
		return false;
	if (!xlo_plain_longest(skb, state, &len))
		return true;
	if (len + XLO_LEN > ip_skb_dst_mtu(state->sk, skb))
		return false;
	xlo_plain_insert(skb, link, first, profile->option);
	xlo_count_stamped(xn, path, profile);
	return true;
}

static inline const struct xlo_profile *
xlo_profile_match(const struct xlo_config *config, u32 mark, u8 path)
{
	const struct xlo_profile *p = config->profiles;
	const struct xlo_profile *end = p + config->profile_count;

	for (; p < end; p++)
		if ((mark & p->mask) == p->mark && p->path & path)
			return p;
	return NULL;
}

static inline void xlo_stamp(struct sk_buff *skb, const struct nf_hook_state *state, u8 path)
{
	const struct xlo_net *xn = xlo_net(state->net);
	const struct xlo_config *config = rcu_dereference(xn->config);
	const struct xlo_profile *profile = xlo_profile_match(config, skb->mark, path);

	if (path == XLO_PATH_OUTPUT && config->txtime)
		xlo_stamp_any(skb, state, profile, true, path);
	else if (profile && !xlo_stamp_plain(xn, profile, skb, state, path))
		xlo_stamp_any(skb, state, profile, false, path);
}

/**
 * xlo_stamp_output() - write the option into a packet of this host with a profile or a deadline
 * @skb: the packet, skb->data at its IP header
 * @state: state of the hook
 *
 * The attribute __flatten puts all functions that a plain packet needs into this function.
 *
 * Context: under RCU, in softirq or in process context
 */
void __flatten xlo_stamp_output(struct sk_buff *skb, const struct nf_hook_state *state)
{
	xlo_stamp(skb, state, XLO_PATH_OUTPUT);
}

/**
 * xlo_stamp_forward() - write the option into a forwarded packet that has a profile
 * @skb: the packet, skb->data at its IP header
 * @state: state of the hook
 *
 * Context: under RCU, in softirq
 */
void __flatten xlo_stamp_forward(struct sk_buff *skb, const struct nf_hook_state *state)
{
	xlo_stamp(skb, state, XLO_PATH_FORWARD);
}
