/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long sending takes, without an error that adds up.
 *
 * Work is counted in units of which a rate of R bytes/s does R each nanosecond, so a
 * byte is 10^9 of them, and a packet of n bytes takes n * 10^9 / R ns. What the division
 * leaves is carried into the next packet.
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
 * fl_work() - the work of sending
 * @bytes: how much is sent, less than 2^33
 */
static inline u64 fl_work(u64 bytes)
{
	return bytes * NSEC_PER_SEC;
}

/**
 * fl_work_time() - how long work takes
 * @work: the work
 * @rate: bytes/s, 0 for unlimited
 * @carry: work left undone by the packets before, less than @rate; updated
 *
 * Return: whole ns; what remains to be done is in @carry
 */
static inline u64 fl_work_time(u64 work, u64 rate, u64 *carry)
{
	if (!rate)
		return 0;
	return div64_u64_rem(work + *carry, rate, carry);
}

/**
 * fl_work_left() - what is left of a packet that is being sent
 * @left: ns until it is through
 * @rate: bytes/s, 0 for unlimited
 */
static inline u64 fl_work_left(u64 left, u64 rate)
{
	return left * rate;
}

/* The headers that every segment of a GSO packet has, from the link layer's on. What
 * is not known to have any counts as if only the link layer did. The packet may come
 * from user space, so nothing of it is taken for true.
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
 * fl_wire_bytes() - the bytes a packet is on the wire
 * @skb: from the link-layer header on
 *
 * Return: its length with link-layer header and VLAN tag; of a GSO packet the sum of
 * its segments
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
