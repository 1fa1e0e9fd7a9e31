/* SPDX-License-Identifier: GPL-2.0 */
/* The lifetime of a packet. When a packet arrives, lpd reads the lifetime from the option.
 * The packet's control block stores the deadline while the packet is queued. When lpd sends
 * the packet, lpd writes the remaining lifetime into the option.
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
#include "match.h"

/* The value of lpd_skb_cb.entry for a packet without an entry. */
#define LPD_NO_ENTRY	0

/**
 * struct lpd_skb_cb - what lpd knows about a queued packet
 * @deadline: monotonic, in ns; FL_NO_DEADLINE without a lifetime. The field skb->tstamp is
 *	not used, because forwarding clears it, and the qdiscs etf and fq read it.
 * @entry: number of the packet's entry in struct lpd_order, or LPD_NO_ENTRY; negative if the
 *	entry only has a rank
 * @ip_off: offset of the IP header from skb->data
 * @opt_off: offset of the option from the IP header; 0 without a valid option
 * @next: in place of the three fields above, while the packet is in the run: the next packet of
 *	the run, unless the packet is the last one
 * @adu: number of the fragment's datagram, see lpd_adu_arrive(); 0 without a known datagram
 * @reorder: the option's field "reorder"
 * @stale: the treatment that the option or the packet's rule asks for, as enum tc_lpd_stale;
 *	never TC_LPD_STALE_HONOR
 * @relative: the option has a relative lifetime, which lpd updates when it sends the packet
 * @whole: lpd need not find a datagram for the packet: the packet is not an IP packet, a quick
 *	check showed that it is not a fragment, or it belongs to the class
 * @strip: lpd will remove the option when it sends the packet; the headers are writable
 * @cut: the packet has been cut to its headers, so it is sent even when it is stale
 * @plain: the packet has no option and is not a fragment, so that lpd sends it unchanged
 * @run: the packet is in the run of struct lpd_order
 * @flags: the fields from @stale to @run
 *
 * The structure is packed, because a qdisc has only 20 bytes of the control block. These
 * bytes are aligned to 4 bytes.
 */
struct lpd_skb_cb {
	s64 deadline;
	union {
		struct {
			s32 entry;
			u16 ip_off;
			u16 opt_off;
		};
		struct sk_buff *next;
	};
	u16 adu;
	u8 reorder;
	union {
		struct {
			u8 stale:2;
			u8 relative:1;
			u8 whole:1;
			u8 strip:1;
			u8 cut:1;
			u8 plain:1;
			u8 run:1;
		};
		u8 flags;
	};
} __packed __aligned(4);

static inline struct lpd_skb_cb *lpd_skb_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct lpd_skb_cb));
	return (struct lpd_skb_cb *)qdisc_skb_cb(skb)->data;
}

/* The minimum memory that lpd counts for a packet that is not plain, in bytes. An sk_buff
 * without data needs this much memory. The truesize of some packets is smaller:
 * skb_set_tcp_pure_ack() sets it to 2 bytes.
 */
#define LPD_MEMORY_LEAST	((u32)SKB_TRUESIZE(0))

/**
 * lpd_packet_memory() - compute how much memory lpd counts for a packet
 * @skb: the packet, its control block filled
 *
 * For a packet that may need an entry, lpd counts at least LPD_MEMORY_LEAST bytes. The
 * memory limit therefore also limits the number of entries. A plain packet never needs an
 * entry.
 *
 * Return: bytes
 */
static inline u32 lpd_packet_memory(const struct sk_buff *skb)
{
	if (lpd_skb_cb(skb)->plain)
		return skb->truesize;
	return max(skb->truesize, LPD_MEMORY_LEAST);
}

/* The control block of a packet whose headers lpd has not read yet. */
#define LPD_SKB_CB_INIT ((struct lpd_skb_cb){		\
	.deadline = FL_NO_DEADLINE,			\
	.entry = LPD_NO_ENTRY,				\
	.stale = TC_LPD_STALE_DISCARD,			\
	.whole = true,					\
})

/* Checks whether an IPv4 packet has no options and is not a fragment. */
static inline bool lpd_packet_is_plain4(const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);

	return (u8 *)(iph + 1) <= skb_tail_pointer(skb) &&
	       *(const u8 *)iph == 0x45 && !ip_is_fragment(iph);
}

/* Checks whether an IPv6 packet has no extension headers, and contains UDP or TCP. */
static inline bool lpd_packet_is_plain6(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	return (u8 *)(ip6h + 1) <= skb_tail_pointer(skb) &&
	       *(const u8 *)ip6h >> 4 == 6 &&
	       (ip6h->nexthdr == IPPROTO_UDP || ip6h->nexthdr == IPPROTO_TCP);
}

/**
 * lpd_packet_is_plain() - check quickly that a packet has no option and is not a fragment
 * @skb: a packet on its way out
 *
 * The check is short and inline, because most packets are plain.
 *
 * Return: true if the packet has no option and is not a fragment; false if
 * lpd_packet_read() must examine the packet
 */
static inline bool lpd_packet_is_plain(const struct sk_buff *skb)
{
	if (likely(skb->protocol == htons(ETH_P_IP)))
		return lpd_packet_is_plain4(skb);
	return skb->protocol == htons(ETH_P_IPV6) && lpd_packet_is_plain6(skb);
}

/**
 * lpd_packet_set_plain() - fill the control block of a plain packet
 * @skb: the packet; lpd_packet_is_plain() is true for it, or the packet does not enter the FIFO
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
 * @LPD_OPTION_GOOD: a valid option, which may say "no lifetime"
 * @LPD_OPTION_MALFORMED: a malformed option, an incomplete IP header, or packets that GRO
 *	has chained although their options differ
 * @LPD_OPTION_RESERVED: a valid option with the reserved value of the stale treatment
 * @LPD_OPTION_NOT_IP: the packet is not an IP packet, or the position of its IP header is
 *	unknown
 * @LPD_OPTION_NOMEM: not enough memory to read the header or to make it writable
 * @LPD_OPTION_USUAL: the results up to this value are the most frequent results
 */
enum lpd_option {
	LPD_OPTION_NONE,
	LPD_OPTION_GOOD,
	LPD_OPTION_MALFORMED,
	LPD_OPTION_RESERVED,
	LPD_OPTION_NOT_IP,
	LPD_OPTION_NOMEM,

	LPD_OPTION_USUAL = LPD_OPTION_GOOD,
};

enum lpd_option lpd_packet_read(struct sk_buff *skb, s64 now, bool strip);
void lpd_packet_traits(const struct sk_buff *skb, struct lpd_traits *traits);
void lpd_packet_write_lifetime(struct sk_buff *skb, u32 ms);

#endif /* _SCH_LPD_PACKET_H */
