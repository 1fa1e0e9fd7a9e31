/* SPDX-License-Identifier: GPL-2.0 */
/* A packet's lifetime: read from its option on arrival, kept in its control
 * block while it is queued, written back when it leaves.
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

/* Of a packet that is in the FIFO only. */
#define LPD_NO_ENTRY	0

/**
 * struct lpd_skb_cb - what lpd knows of a queued packet
 * @deadline: monotonic, in ns; LPD_NO_DEADLINE without a lifetime. Not in
 *	skb->tstamp, which forwarding clears and etf and fq read.
 * @entry: number of its entry, see lpd_pool_take(), or LPD_NO_ENTRY
 * @ip_off: offset of the IP header from skb->data
 * @opt_off: offset of the option from the IP header, 0 without one that is good
 * @adu: number of its datagram if it is a fragment, see lpd_adu_arrive(); else 0
 * @reorder: what the option says
 * @stale: enum tc_lpd_stale that the packet asks for, never HONOR
 * @relative: the option has a relative lifetime, and what remains is written there
 * @whole: it is no IP packet, or seen at a glance to be no fragment
 * @strip: the option is to be taken out, and the header is writable for it
 * @cut: it has been cut to its headers, and is sent whatever the time
 * @plain: none of these says anything: it is sent as it came, whatever the time
 *
 * Packed because 20 bytes at a multiple of 4 is what qdiscs have in the control block.
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

/* What a packet counts against the queue's memory at least, unless it is plain: without
 * data an sk_buff takes as much. Some say that they take less: TCP's pure ACKs 2 bytes
 * (skb_set_tcp_pure_ack()).
 */
#define LPD_MEMORY_LEAST	((u32)SKB_TRUESIZE(0))

/**
 * lpd_packet_memory() - what a packet counts against the queue's memory
 * @skb: the packet, its control block filled
 *
 * Every packet that may need an entry counts LPD_MEMORY_LEAST bytes or more, so the memory
 * limits how many entries are needed. A plain packet never needs one.
 *
 * Return: bytes
 */
static inline u32 lpd_packet_memory(const struct sk_buff *skb)
{
	if (lpd_skb_cb(skb)->plain)
		return skb->truesize;
	return max(skb->truesize, LPD_MEMORY_LEAST);
}

/* A control block before anything is known of the packet. */
#define LPD_SKB_CB_INIT ((struct lpd_skb_cb){		\
	.deadline = LPD_NO_DEADLINE,			\
	.entry = LPD_NO_ENTRY,				\
	.stale = TC_LPD_STALE_DISCARD,			\
	.whole = true,					\
})

/* Without options, and no fragment. */
static inline bool lpd_packet_is_plain4(const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);

	return (u8 *)(iph + 1) <= skb_tail_pointer(skb) &&
	       *(const u8 *)iph == 0x45 && !ip_is_fragment(iph);
}

/* Without extension headers. */
static inline bool lpd_packet_is_plain6(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	return (u8 *)(ip6h + 1) <= skb_tail_pointer(skb) &&
	       *(const u8 *)ip6h >> 4 == 6 &&
	       (ip6h->nexthdr == IPPROTO_UDP || ip6h->nexthdr == IPPROTO_TCP);
}

/**
 * lpd_packet_is_plain() - whether a packet has nothing to be read, seen at a glance
 * @skb: a packet on its way out
 *
 * Most packets are. So this does without a call, or a test that is not needed.
 *
 * Return: true if lpd_packet_read() would find no option, and lpd_adu_arrive() no
 * fragment; false if it takes more to know
 */
static inline bool lpd_packet_is_plain(const struct sk_buff *skb)
{
	if (likely(skb->protocol == htons(ETH_P_IP)))
		return lpd_packet_is_plain4(skb);
	return skb->protocol == htons(ETH_P_IPV6) && lpd_packet_is_plain6(skb);
}

/**
 * lpd_packet_set_plain() - fill a plain packet's control block
 * @skb: the packet, lpd_packet_is_plain()
 */
static inline void lpd_packet_set_plain(struct sk_buff *skb)
{
	struct lpd_skb_cb cb = LPD_SKB_CB_INIT;

	cb.plain = true;
	*lpd_skb_cb(skb) = cb;
}

/**
 * enum lpd_option - what lpd_packet_read() found
 * @LPD_OPTION_NONE: an IP packet without an option
 * @LPD_OPTION_GOOD: an option, also one that says "no lifetime"
 * @LPD_OPTION_MALFORMED: a bad option, one that packets chained by GRO do not all
 *	have, or an IP header that is not whole
 * @LPD_OPTION_RESERVED: a good option with the reserved stale treatment
 * @LPD_OPTION_NOT_IP: neither IPv4 nor IPv6, or nobody knows where its header is
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
