/* SPDX-License-Identifier: GPL-2.0 */
/* Divides GSO packets into segments. */
#ifndef _SCH_LPD_SEGMENT_H
#define _SCH_LPD_SEGMENT_H

#include <linux/err.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/gso.h>

/* The maximum number of segments of a packet that lpd divides. A packet of 64 KiB has as many
 * segments if the segments have the smallest MSS of TCP (TCP_MIN_SND_MSS). The packet of a virtual
 * machine could have more segments, and dividing it would hold the lock for too long.
 */
#define LPD_SEGMENTS	(65536 / 48)

/**
 * lpd_segmentable() - check whether a GSO packet has few enough segments
 * @skb: the packet
 */
static inline bool lpd_segmentable(const struct sk_buff *skb)
{
	return skb->len / skb_shinfo(skb)->gso_size <= LPD_SEGMENTS;
}

/**
 * lpd_segments() - divide a GSO packet into segments
 * @skb: the packet, which is not in a queue; lpd_segmentable() is true for it. The caller
 *	consumes the packet if there is no error. A packet that GRO has chained
 *	(SKB_GSO_FRAGLIST) becomes the first segment
 *
 * Return: the list of segments, or an error pointer
 */
static inline struct sk_buff *lpd_segments(struct sk_buff *skb)
{
	return skb_gso_segment(skb, netif_skb_features(skb) & ~NETIF_F_GSO_MASK) ?:
	       ERR_PTR(-EINVAL);
}

#endif /* _SCH_LPD_SEGMENT_H */
