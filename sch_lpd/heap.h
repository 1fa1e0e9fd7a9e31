/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indexed min-heap of packets.
 *
 * An array of nodes, four children to each: shallow, and comparing touches no
 * packet. Each packet's cb knows its position, so that any packet leaves in
 * O(log n) whatever list it stands in. The array is as large as the queue's limit,
 * hence push cannot fail.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_HEAP_H
#define _SCH_LPD_HEAP_H

#include "packet.h"

#define LPD_HEAP_ARITY	4

/**
 * struct lpd_heap_node - a packet in the heap
 * @place: the least goes first, monotonic ns
 * @key: of equal places the one with the least key, from when on it is stale
 * @skb: the packet
 * @seq: of two that are equal so far the one that came first
 * @segment: of the segments of one packet the first one
 */
struct lpd_heap_node {
	s64 place;
	s64 key;
	struct sk_buff *skb;
	u32 seq;
	u32 segment;
};

/**
 * struct lpd_heap - packets in order
 * @node: the array
 * @len: nodes in use
 * @order: positions are kept in order_pos, not in expiry_pos, of the packets' cb
 */
struct lpd_heap {
	struct lpd_heap_node *node;
	u32 len;
	bool order;
};

/* Of two with the same place, as packets of a video frame have: @a goes first. */
static inline bool lpd_heap_before_equal(const struct lpd_heap_node *a,
					 const struct lpd_heap_node *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->seq != b->seq)
		return (s32)(a->seq - b->seq) < 0;
	return a->segment < b->segment;
}

static inline bool lpd_heap_before(const struct lpd_heap_node *a,
				   const struct lpd_heap_node *b)
{
	return a->place < b->place ||
	       (a->place == b->place && lpd_heap_before_equal(a, b));
}

/**
 * lpd_heap_pos() - a packet's position
 * @h: the heap
 * @skb: the packet, its control block filled
 *
 * Return: index of its node, or LPD_NOT_IN_HEAP
 */
static inline u32 lpd_heap_pos(const struct lpd_heap *h,
			       const struct sk_buff *skb)
{
	return h->order ? lpd_skb_cb(skb)->order_pos :
			  lpd_skb_cb(skb)->expiry_pos;
}

/**
 * lpd_heap_set_pos() - note a packet's position
 * @h: the heap
 * @skb: the packet
 * @pos: index of its node, or LPD_NOT_IN_HEAP
 */
static inline void lpd_heap_set_pos(const struct lpd_heap *h,
				    struct sk_buff *skb, u32 pos)
{
	if (h->order)
		lpd_skb_cb(skb)->order_pos = pos;
	else
		lpd_skb_cb(skb)->expiry_pos = pos;
}

/**
 * lpd_heap_has() - whether a packet is in the heap
 * @h: the heap
 * @skb: the packet, its control block filled
 */
static inline bool lpd_heap_has(const struct lpd_heap *h,
				const struct sk_buff *skb)
{
	return lpd_heap_pos(h, skb) != LPD_NOT_IN_HEAP;
}

/**
 * lpd_heap_first() - the packet that goes first
 * @h: the heap
 *
 * Return: its node; NULL if there is none
 */
static inline struct lpd_heap_node *lpd_heap_first(struct lpd_heap *h)
{
	return h->len ? &h->node[0] : NULL;
}

static inline void lpd_heap_place(struct lpd_heap *h, u32 pos,
				  struct lpd_heap_node node)
{
	h->node[pos] = node;
	lpd_heap_set_pos(h, node.skb, pos);
}

/* Put a packet on the way from @pos, which is free, to the top. */
static inline void lpd_heap_rise(struct lpd_heap *h, u32 pos,
				 struct lpd_heap_node node)
{
	while (pos) {
		u32 parent = (pos - 1) / LPD_HEAP_ARITY;

		if (!lpd_heap_before(&node, &h->node[parent]))
			break;
		lpd_heap_place(h, pos, h->node[parent]);
		pos = parent;
	}
	lpd_heap_place(h, pos, node);
}

/* Of children the one that goes first; there is one at least. */
static inline struct lpd_heap_node *
lpd_heap_least(struct lpd_heap_node *child, const struct lpd_heap_node *end)
{
	struct lpd_heap_node *least = child;

	while (++child < end)
		if (lpd_heap_before(child, least))
			least = child;
	return least;
}

/* Move up what is below @pos, which is free. Returns what is free then: a leaf. */
static inline u32 lpd_heap_sink(struct lpd_heap *h, u32 pos)
{
	struct lpd_heap_node *node = h->node, *least;
	u32 len = h->len, child;

	while ((child = pos * LPD_HEAP_ARITY + 1) < len) {
		least = lpd_heap_least(node + child,
				       node + min(child + LPD_HEAP_ARITY, len));
		lpd_heap_place(h, pos, *least);
		pos = least - node;
	}
	return pos;
}

/**
 * lpd_heap_push() - add a packet
 * @h: the heap, with room
 * @node: the packet
 */
static inline void lpd_heap_push(struct lpd_heap *h, struct lpd_heap_node node)
{
	lpd_heap_rise(h, h->len++, node);
}

/**
 * lpd_heap_remove() - take a packet out
 * @h: the heap
 * @skb: a packet in it
 */
static inline void lpd_heap_remove(struct lpd_heap *h, struct sk_buff *skb)
{
	struct lpd_heap_node last = h->node[--h->len];
	u32 pos = lpd_heap_pos(h, skb);

	lpd_heap_set_pos(h, skb, LPD_NOT_IN_HEAP);
	/* the last one is most likely to belong near the leaves again */
	if (pos < h->len)
		lpd_heap_rise(h, lpd_heap_sink(h, pos), last);
}

#endif /* _SCH_LPD_HEAP_H */
