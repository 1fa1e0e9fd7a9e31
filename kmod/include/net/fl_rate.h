/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computes transmission times of packets. The rounding errors of these times do not add up.
 *
 * A link with a rate of R bytes/s does R units of work per nanosecond. A byte is 10^9 units of
 * work, so a packet of n bytes takes n * 10^9 / R ns. The remainder of this division is carried
 * over to the next packet.
 */
#ifndef _NET_FL_RATE_H
#define _NET_FL_RATE_H

#include <linux/if_vlan.h>
#include <linux/math64.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/udp.h>

/**
 * fl_work() - the work that a number of bytes causes
 * @bytes: number of bytes, less than 2^33
 */
static inline u64 fl_work(u64 bytes)
{
	return bytes * NSEC_PER_SEC;
}

/**
 * fl_work_time() - the time that an amount of work takes
 * @work: from fl_work()
 * @rate: in bytes/s, 0 for unlimited
 * @carry: remainder of the division for the previous packet, less than @rate; the function updates
 *	it
 *
 * Return: the time in whole ns; @carry contains the remainder
 */
static inline u64 fl_work_time(u64 work, u64 rate, u64 *carry)
{
	if (!rate)
		return 0;
	return div64_u64_rem(work + *carry, rate, carry);
}

/**
 * fl_work_left() - the remaining work of a packet that is being sent
 * @left: remaining time in ns
 * @rate: in bytes/s, 0 for unlimited
 */
static inline u64 fl_work_left(u64 left, u64 rate)
{
	return left * rate;
}

/* The length of the headers of each segment of a GSO packet, including the link-layer header.
 * Headers whose length is not known do not count. The packet may come from user space, so the
 * function trusts no field of the packet.
 */
static inline unsigned int fl_wire_headers(const struct sk_buff *skb)
{
	const unsigned int type = skb_shinfo(skb)->gso_type;
	unsigned int at = ETH_HLEN;
	struct tcphdr header;
	const struct tcphdr *tcp;

	if (skb->encapsulation)
		at = skb_inner_transport_offset(skb);
	else if (skb_transport_header_was_set(skb))
		at = skb_transport_offset(skb);
	if (type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) {
		tcp = skb_header_pointer(skb, at, sizeof(header), &header);
		return tcp ? at + __tcp_hdrlen(tcp) : at;
	}
	if (type & SKB_GSO_UDP_L4)
		return at + sizeof(struct udphdr);
	return at;
}

/**
 * fl_wire_bytes() - length of a packet on the wire
 * @skb: the packet; skb->data points to its link-layer header
 *
 * Return: bytes, including link-layer header and VLAN tag; for a GSO packet the sum of its segments
 */
static inline u32 fl_wire_bytes(const struct sk_buff *skb)
{
	unsigned int tag = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	unsigned int size = skb_shinfo(skb)->gso_size, headers, segments;

	if (!size)
		return skb->len + tag;
	headers = min(fl_wire_headers(skb), skb->len);
	segments = DIV_ROUND_UP(skb->len - headers, size) ?: 1;
	return skb->len + (segments - 1) * headers + segments * tag;
}

#endif /* _NET_FL_RATE_H */
