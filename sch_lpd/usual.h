/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads and rewrites usual packets, with as few instructions as possible. A usual packet is what
 * the stamper of the module xlo writes into IPv4 packets: a header of 28 bytes with the
 * cross-layer option alone and a relative lifetime. Its lpd_packet_memory() is its truesize,
 * which only the pure ACKs of a local TCP understate.
 *
 *	byte	0    20   21   22        23      24  26
 *		| 47 | 9e | 08 | reorder | flags | 0 | lifetime in ms |
 *
 * The functions take 16-bit words as they are in memory, so the same code is right for both byte
 * orders. packet.c does the same for all packets.
 */
#ifndef _SCH_LPD_USUAL_H
#define _SCH_LPD_USUAL_H

#include <linux/unaligned.h>
#include <net/xlo_skb.h>
#include "fast.h"
#include "packet.h"

#define LPD_USUAL_HLEN	(XLO_IPV4_HLEN + XLO_LEN)

/* Checks whether a usual packet shares its header with a clone, so that it may not be written. */
static inline bool lpd_usual_shared(const struct sk_buff *skb)
{
	return skb_cloned(skb) &&
	       !skb_clone_writable(skb, skb_network_offset(skb) + LPD_USUAL_HLEN);
}

/* Checks whether a header is the usual one; @skb has the header in its linear part. */
static inline bool lpd_usual_header(const u8 *hdr, u64 *lifetime)
{
	const u8 *option = hdr + XLO_IPV4_HLEN;

	*lifetime = get_unaligned_be32(option + XLO_OFF_LIFETIME);
	return hdr[0] == (4 << 4 | LPD_USUAL_HLEN / 4) &&
	       get_unaligned_be16(option) == (XLO_TYPE_IPV4 << 8 | XLO_LEN) &&
	       *lifetime <= XLO_RELATIVE_MAX && !ip_is_fragment((const struct iphdr *)hdr);
}

/**
 * lpd_usual_read() - check whether a packet is usual, and read its lifetime
 * @skb: a packet on its way out, with skb->data at its link-layer header
 * @hdr: skb_network_header(); the function reads it only if it is in the packet's linear part
 * @lifetime: set to the relative lifetime in ms; valid only if the packet is usual
 *
 * The packet may be a super-packet. It is not one that GRO has chained, because GRO chains no IPv4
 * packets with options.
 */
static inline bool lpd_usual_read(const struct sk_buff *skb, const u8 *hdr, u64 *lifetime)
{
	unsigned int off = hdr - skb->data;

	return LPD_FAST && skb->protocol == htons(ETH_P_IP) && off <= U16_MAX &&
	       skb->truesize >= LPD_MEMORY_LEAST &&
	       hdr + LPD_USUAL_HLEN <= skb_tail_pointer(skb) &&
	       lpd_usual_header(hdr, lifetime);
}

/* Checks whether the bit of @flags for the flags of the option is set. */
static inline bool lpd_usual_heeded(const u8 *hdr, u32 flags)
{
	return flags >> (hdr[XLO_IPV4_HLEN + XLO_OFF_FLAGS] & XLO_FLAGS_ALL) & 1;
}

/* Returns the field "stale" of a usual packet's control block. The treatments that usual packets
 * ask for are in the same order in enum xlo_stale and enum tc_lpd_stale.
 */
static inline u8 lpd_usual_stale(const u8 *option)
{
	return XLO_TREATMENT(option[XLO_OFF_FLAGS]) + TC_LPD_STALE_FORWARD;
}

/**
 * lpd_usual_fill() - fill the control block of a usual packet, except for the deadline
 * @skb: the packet
 * @strip: whether lpd removes the option when it sends the packet
 */
static inline void lpd_usual_fill(struct sk_buff *skb, bool strip)
{
	const u8 *hdr = skb_network_header(skb), *option = hdr + XLO_IPV4_HLEN;
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	*cb = (struct lpd_skb_cb){
		.deadline = cb->deadline,
		.entry = LPD_NO_ENTRY,
		.ip_off = hdr - skb->data,
		.opt_off = XLO_IPV4_HLEN,
		.reorder = option[XLO_OFF_REORDER],
		.stale = lpd_usual_stale(option),
		.relative = true,
		.whole = true,
		.strip = strip,
	};
}

/**
 * lpd_usual_fill_run() - fill the control block of a packet that joins the run, except for the
 *	deadline
 * @skb: the packet
 *
 * All other values are in the packet's header. lpd_usual_fill() reads them if they are needed.
 */
static inline void lpd_usual_fill_run(struct sk_buff *skb)
{
	const struct lpd_skb_cb run = { .run = true };
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	cb->next = NULL;
	cb->adu = 0;
	cb->reorder = 0;
	cb->flags = run.flags;
}

/**
 * lpd_usual_departs() - check whether a queued packet with an entry is sent like a usual packet
 * @skb: the packet; its control block is filled
 *
 * Other options may follow its option. Nothing is written into a packet whose lifetime is absolute,
 * or that of a rule. A fragment without a datagram number has no datagram to update.
 */
static inline bool lpd_usual_departs(const struct sk_buff *skb)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	return LPD_FAST && (cb->opt_off == XLO_IPV4_HLEN || !cb->relative) && !cb->adu &&
	       !cb->strip && !cb->cut;
}

/**
 * lpd_usual_write() - rewrite the lifetime of a usual packet
 * @hdr: the IP header, whose lifetime is relative
 * @ms: the new lifetime, at most XLO_RELATIVE_MAX
 *
 * Only the lower half of the field changes, because both lifetimes are relative. The checksum is
 * updated by equation 4 of RFC 1624: HC' = HC - ~m - m'. Equations 3 and 4 give the same checksum.
 */
static inline void lpd_usual_write(u8 *hdr, u32 ms)
{
	u16 *check = (u16 *)(hdr + XLO_IPV4_CHECK);
	u16 *field = (u16 *)(hdr + XLO_IPV4_HLEN + XLO_OFF_LIFETIME + 2);
	u16 now = (__force u16)htons(ms);
	int sum = get_unaligned(check) + get_unaligned(field) - U16_MAX - now;

	/* what is borrowed is subtracted at the other end, at most three times in all */
	sum = (sum & U16_MAX) + (sum >> 16);
	put_unaligned((u16)(sum + (sum >> 31)), check);
	put_unaligned(now, field);
}

#endif /* _SCH_LPD_USUAL_H */
