/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indexed min-heap of packets by key.
 *
 * An array of (key, skb), four children to a node: shallow, and comparing
 * touches no packet. Each packet's cb knows its place, so that any packet
 * leaves in O(log n) whatever list it stands in. The array is as large as the
 * queue's limit, hence push cannot fail.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_HEAP_H
#define _SCH_LPD_HEAP_H

#include "packet.h"

#define LPD_HEAP_ARITY	4

/**
 * struct lpd_heap_node - a packet in the heap
 * @key: from when on it is stale, or its place in the order, monotonic ns
 * @skb: the packet
 * @seq: of two equal keys the one that was put in first goes first
 */
struct lpd_heap_node {
	s64 key;
	struct sk_buff *skb;
	u32 seq;
};

/**
 * struct lpd_heap - packets that may become stale, the earliest key on top
 * @node: the array
 * @len: nodes in use
 */
struct lpd_heap {
	struct lpd_heap_node *node;
	u32 len;
};

static inline bool lpd_heap_before(const struct lpd_heap_node *a,
				   const struct lpd_heap_node *b)
{
	return a->key < b->key ||
	       (a->key == b->key && (s32)(a->seq - b->seq) < 0);
}

static inline void lpd_heap_place(struct lpd_heap *h, u32 pos,
				  struct lpd_heap_node node)
{
	h->node[pos] = node;
	lpd_skb_cb(node.skb)->heap_pos = pos;
}

static inline void lpd_heap_sift_up(struct lpd_heap *h, u32 pos,
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

static inline void lpd_heap_sift_down(struct lpd_heap *h, u32 pos,
				      struct lpd_heap_node node)
{
	for (;;) {
		u32 child = pos * LPD_HEAP_ARITY + 1;
		u32 end = min(child + LPD_HEAP_ARITY, h->len);
		u32 least = child;

		if (child >= h->len)
			break;
		while (++child < end)
			if (lpd_heap_before(&h->node[child], &h->node[least]))
				least = child;
		if (!lpd_heap_before(&h->node[least], &node))
			break;
		lpd_heap_place(h, pos, h->node[least]);
		pos = least;
	}
	lpd_heap_place(h, pos, node);
}

/**
 * lpd_heap_push() - add a packet
 * @h: the heap, with room
 * @node: the packet
 */
static inline void lpd_heap_push(struct lpd_heap *h, struct lpd_heap_node node)
{
	lpd_heap_sift_up(h, h->len++, node);
}

/**
 * lpd_heap_append() - add a packet, order restored later by lpd_heap_heapify()
 * @h: the heap, with room
 * @node: the packet
 */
static inline void lpd_heap_append(struct lpd_heap *h,
				   struct lpd_heap_node node)
{
	lpd_heap_place(h, h->len++, node);
}

/**
 * lpd_heap_heapify() - restore the order of the whole heap, in O(n)
 * @h: the heap
 */
static inline void lpd_heap_heapify(struct lpd_heap *h)
{
	u32 pos = h->len / LPD_HEAP_ARITY + 1;

	while (pos--)
		if (pos < h->len)
			lpd_heap_sift_down(h, pos, h->node[pos]);
}

/**
 * lpd_heap_remove() - take a packet out
 * @h: the heap
 * @skb: a packet in it
 */
static inline void lpd_heap_remove(struct lpd_heap *h, struct sk_buff *skb)
{
	u32 pos = lpd_skb_cb(skb)->heap_pos;
	struct lpd_heap_node last = h->node[--h->len];

	lpd_skb_cb(skb)->heap_pos = LPD_NOT_IN_HEAP;
	if (pos == h->len)
		return;
	if (pos &&
	    lpd_heap_before(&last, &h->node[(pos - 1) / LPD_HEAP_ARITY]))
		lpd_heap_sift_up(h, pos, last);
	else
		lpd_heap_sift_down(h, pos, last);
}

#endif /* _SCH_LPD_HEAP_H */
