/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The quick way to cut a packet to its headers, for the most frequent kind of packet: UDP over IPv4
 * in one linear buffer. The result is the same as that of the general way in cut.c.
 */
#ifndef _SCH_LPD_CUT_QUICK_H
#define _SCH_LPD_CUT_QUICK_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/stddef.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include "fast.h"

/* Checks whether the checksum can be updated, which is @offset bytes behind @transport. A checksum
 * that the device completes must be the checksum of the transport header, not the checksum of an
 * encapsulated header. Without help of the device, the bytes that are cut off must be readable,
 * because lpd subtracts them from the checksum.
 */
static inline bool lpd_cut_summable(const struct sk_buff *skb, u32 transport, u32 offset)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return skb_frags_readable(skb);
	return skb_checksum_start_offset(skb) == transport && skb->csum_offset == offset;
}

/* Checks what the quick way needs to know before it reads the headers. The headers of a linear
 * packet without clones need not be pulled or copied.
 */
static __always_inline bool lpd_cut_quick_buffer(const struct sk_buff *skb, u32 ip)
{
	return LPD_FAST && skb->protocol == htons(ETH_P_IP) && !skb_is_nonlinear(skb) &&
	       !skb_cloned(skb) && !skb_is_gso(skb) && skb->ip_summed != CHECKSUM_COMPLETE &&
	       ip + sizeof(struct iphdr) <= skb->len;
}

/* Finds the first byte to be cut off, if the packet can take the quick way: the packet must end
 * where both of its headers say. Returns the offset from skb->data, or 0.
 */
static __always_inline size_t lpd_cut_quick_end(const struct sk_buff *skb, u32 ip, u32 keep,
						u32 *transport)
{
	const struct iphdr *iph = (const void *)skb->data + ip;
	const struct udphdr *uh;
	size_t end;

	if (!lpd_cut_quick_buffer(skb, ip) || iph->version != 4 || iph->ihl < 5 ||
	    iph->protocol != IPPROTO_UDP || ip_is_fragment(iph) ||
	    ntohs(iph->tot_len) != skb->len - ip)
		return 0;
	*transport = ip + iph->ihl * 4;
	uh = (const void *)skb->data + *transport;
	end = *transport + sizeof(*uh) + keep;
	if (end >= skb->len || uh->len != htons(skb->len - *transport) ||
	    !lpd_cut_summable(skb, *transport, offsetof(struct udphdr, check)))
		return 0;
	return end;
}

/* Updates the UDP header. The @bytes bytes that were cut off are still in the buffer, behind the
 * payload that stays. A checksum is the complement of a sum, so it grows by what the sum loses: the
 * sum of these bytes, and @bytes in the UDP length and again in the pseudo header. The result is
 * never 0, which would mean "no checksum".
 */
static __always_inline void lpd_cut_quick_udp(struct udphdr *uh, u32 keep, u32 bytes,
					      bool partial)
{
	__wsum lost;

	uh->len = htons(sizeof(*uh) + keep);
	if (partial) {
		uh->check = csum16_sub(uh->check, htons(bytes));
	} else if (uh->check) {
		lost = csum_partial((void *)(uh + 1) + keep, bytes, 0);
		lost = csum_block_add((__force __wsum)(2 * (__force u32)htons(bytes)), lost, keep);
		uh->check = ~csum_fold(csum_add(csum_unfold(uh->check), lost));
	}
}

/**
 * lpd_cut_quick() - cut the most frequent kind of packet to its headers
 * @skb: the packet, with skb->data at its link-layer header
 * @ip_off: offset of the IP header from skb->data
 * @keep: bytes of UDP payload that stay, at most TC_LPD_KEEP_MAX
 *
 * Each length in the packet decreases by the same number of bytes. In one's complement, the order
 * of the bytes in a word does not matter to a difference (RFC 1071 section 2(B)), so each sum
 * changes by htons() of this number.
 *
 * truesize does not change.
 *
 * Return: number of bytes cut off; 0 if the packet is unchanged, because lpd_cut() must
 * decide what happens to it
 */
static __always_inline u32 lpd_cut_quick(struct sk_buff *skb, int ip_off, u32 keep)
{
	struct iphdr *iph = (void *)skb->data + ip_off;
	u32 transport, bytes;
	size_t end;

	end = lpd_cut_quick_end(skb, ip_off, keep, &transport);
	if (!end)
		return 0;
	bytes = skb->len - end;
	__skb_trim(skb, end);
	iph->check = ~csum16_sub(~iph->check, htons(bytes));
	iph->tot_len = htons(end - ip_off);
	skb->encapsulation = 0;
	lpd_cut_quick_udp((void *)skb->data + transport, keep, bytes,
			  skb->ip_summed == CHECKSUM_PARTIAL);
	return bytes;
}

#endif /* _SCH_LPD_CUT_QUICK_H */
