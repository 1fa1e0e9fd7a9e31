/* SPDX-License-Identifier: GPL-2.0 */
/* A packet's lifetime: lpd reads it from the option on arrival, keeps it in the control
 * block while the packet is queued, and writes it back when the packet leaves.
 */
#ifndef _SCH_LPD_PACKET_H
#define _SCH_LPD_PACKET_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sch_generic.h>
#include "lifetime.h"

/* The value of lpd_skb_cb.entry for a packet that is only in the FIFO. */
#define LPD_NO_ENTRY	0

/**
 * struct lpd_skb_cb - what lpd knows about a queued packet
 * @deadline: monotonic, in ns; LPD_NO_DEADLINE without a lifetime. Not kept in
 *	skb->tstamp, because forwarding clears that, and etf and fq read it.
 * @entry: number of its entry, see lpd_pool_take(), or LPD_NO_ENTRY
 * @ip_off: offset of the IP header from skb->data
 * @opt_off: offset of the option from the IP header, 0 without a good option
 * @adu: number of a fragment's datagram, see lpd_adu_arrive(); 0 if not a fragment
 * @reorder: field of the option
 * @stale: enum tc_lpd_stale that the packet asks for, never TC_LPD_STALE_HONOR
 * @relative: the option has a relative lifetime, so the remaining lifetime is written there
 * @whole: not an IP packet, or a quick check showed that it is not a fragment
 * @strip: the option is to be removed, and the header is writable for that
 * @cut: the packet has been cut to its headers, so it is sent even when it is stale
 * @plain: no option and not a fragment: it is sent unchanged, at any time
 *
 * Packed, because qdiscs have 20 bytes of the control block, aligned to 4 bytes.
 */
struct lpd_skb_cb {
	s64 deadline;
	u32 entry;
	u16 ip_off;
	u16 opt_off;
	u16 adu;
	u8 reorder;
	u8 stale:2;
	u8 relative:1;
	u8 whole:1;
	u8 strip:1;
	u8 cut:1;
	u8 plain:1;
} __packed __aligned(4);

static inline struct lpd_skb_cb *lpd_skb_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct lpd_skb_cb));
	return (struct lpd_skb_cb *)qdisc_skb_cb(skb)->data;
}

/* The least that a packet counts against the queue's memory, unless it is plain. An sk_buff
 * without data takes as much. Some packets claim to take less: 2 bytes for TCP's pure ACKs
 * (skb_set_tcp_pure_ack()).
 */
#define LPD_MEMORY_LEAST	((u32)SKB_TRUESIZE(0))

/**
 * lpd_packet_memory() - how much a packet counts against the queue's memory
 * @skb: the packet, its control block filled
 *
 * Every packet that may need an entry counts at least LPD_MEMORY_LEAST bytes, so the memory
 * limit also limits the number of entries. A plain packet never needs an entry.
 *
 * Return: bytes
 */
static inline u32 lpd_packet_memory(const struct sk_buff *skb)
{
	if (lpd_skb_cb(skb)->plain)
		return skb->truesize;
	return max(skb->truesize, LPD_MEMORY_LEAST);
}

/* The control block of a packet that lpd knows nothing about yet. */
#define LPD_SKB_CB_INIT ((struct lpd_skb_cb){		\
	.deadline = LPD_NO_DEADLINE,			\
	.entry = LPD_NO_ENTRY,				\
	.stale = TC_LPD_STALE_DISCARD,			\
	.whole = true,					\
})

/* No options, and not a fragment. */
static inline bool lpd_packet_is_plain4(const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);

	return (u8 *)(iph + 1) <= skb_tail_pointer(skb) &&
	       *(const u8 *)iph == 0x45 && !ip_is_fragment(iph);
}

/* No extension headers. */
static inline bool lpd_packet_is_plain6(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	return (u8 *)(ip6h + 1) <= skb_tail_pointer(skb) &&
	       *(const u8 *)ip6h >> 4 == 6 &&
	       (ip6h->nexthdr == IPPROTO_UDP || ip6h->nexthdr == IPPROTO_TCP);
}

/**
 * lpd_packet_is_plain() - quick check whether a packet has nothing to be read
 * @skb: a packet on its way out
 *
 * Most packets are plain, so this check makes no call and does no unnecessary test.
 *
 * Return: true if lpd_packet_read() would find no option and lpd_adu_arrive() no fragment;
 * false if only a closer look can tell
 */
static inline bool lpd_packet_is_plain(const struct sk_buff *skb)
{
	if (likely(skb->protocol == htons(ETH_P_IP)))
		return lpd_packet_is_plain4(skb);
	return skb->protocol == htons(ETH_P_IPV6) && lpd_packet_is_plain6(skb);
}

/**
 * lpd_packet_set_plain() - fill the control block of a plain packet
 * @skb: the packet; lpd_packet_is_plain() is true for it
 */
static inline void lpd_packet_set_plain(struct sk_buff *skb)
{
	struct lpd_skb_cb cb = LPD_SKB_CB_INIT;

	cb.plain = true;
	*lpd_skb_cb(skb) = cb;
}

/**
 * enum lpd_option - the result of lpd_packet_read()
 * @LPD_OPTION_NONE: an IP packet without an option
 * @LPD_OPTION_GOOD: a good option; it may say "no lifetime"
 * @LPD_OPTION_MALFORMED: a malformed option; or packets chained by GRO that have different
 *	options; or an incomplete IP header
 * @LPD_OPTION_RESERVED: a good option with the reserved stale treatment
 * @LPD_OPTION_NOT_IP: neither IPv4 nor IPv6, or the position of the header is unknown
 * @LPD_OPTION_NOMEM: no memory to read the header, or to make it writable
 */
enum lpd_option {
	LPD_OPTION_NONE,
	LPD_OPTION_GOOD,
	LPD_OPTION_MALFORMED,
	LPD_OPTION_RESERVED,
	LPD_OPTION_NOT_IP,
	LPD_OPTION_NOMEM,
};

enum lpd_option lpd_packet_read(struct sk_buff *skb, s64 now, bool strip);
void lpd_packet_write_lifetime(struct sk_buff *skb, u32 ms);

#endif /* _SCH_LPD_PACKET_H */
