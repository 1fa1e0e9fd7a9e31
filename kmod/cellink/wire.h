/* SPDX-License-Identifier: GPL-2.0 */
/* How many bytes a packet is on the wire. */
#ifndef _CELLINK_WIRE_H
#define _CELLINK_WIRE_H

#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

/* The headers that every segment of a GSO packet has, from the link layer's on. What
 * is not known to have any counts as if only the link layer did. The packet may come
 * from user space, so nothing of it is taken for true.
 */
static inline unsigned int cell_wire_headers(const struct sk_buff *skb)
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
 * cell_wire_bytes() - the bytes a packet is on the wire
 * @skb: from the link-layer header on
 *
 * Return: its length with link-layer header and VLAN tag; of a GSO packet the sum of
 * its segments
 */
static inline u32 cell_wire_bytes(const struct sk_buff *skb)
{
	unsigned int tag = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	unsigned int size = skb_shinfo(skb)->gso_size, headers, segments;

	if (!size)
		return skb->len + tag;
	headers = min(cell_wire_headers(skb), skb->len);
	segments = DIV_ROUND_UP(skb->len - headers, size) ?: 1;
	return skb->len + (segments - 1) * headers + segments * tag;
}

#endif /* _CELLINK_WIRE_H */
