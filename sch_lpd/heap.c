// SPDX-License-Identifier: GPL-2.0
/* Indexed min-heap of entries: see heap.h. */

#include <linux/compiler.h>
#include "heap.h"

#define LPD_HEAP_ARITY	4

/* Out of line, so that a comparison needs few registers: equal nodes are rare. */
static noinline bool
lpd_heap_before_equal(const struct lpd_heap_node *a,
		      const struct lpd_heap_node *b)
{
	return lpd_entry_expires_before(a->entry, b->entry);
}

static inline bool lpd_heap_before(const struct lpd_heap_node *a,
				   const struct lpd_heap_node *b)
{
	return a->at < b->at || (a->at == b->at && lpd_heap_before_equal(a, b));
}

static inline void lpd_heap_place(const struct lpd_heap *h, u32 pos,
				  struct lpd_heap_node node)
{
	h->node[pos] = node;
	node.entry->pos[h->by] = pos;
}

/* Moves a node up from @pos, which is free, as far as it has to go. */
static inline void lpd_heap_rise(const struct lpd_heap *h, u32 pos,
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

/* Returns the node that goes first. No branch: a processor could not predict it. */
static inline struct lpd_heap_node *lpd_heap_lesser(struct lpd_heap_node *a,
						    struct lpd_heap_node *b)
{
	if (unlikely(a->at == b->at))
		return lpd_heap_before_equal(b, a) ? b : a;
	return b->at < a->at ? b : a;
}

/* Returns the child that goes first. There is at least one child. */
static inline struct lpd_heap_node *
lpd_heap_least(struct lpd_heap_node *child, const struct lpd_heap_node *end)
{
	struct lpd_heap_node *least = child;

	if (likely(end - child >= LPD_HEAP_ARITY))
		return lpd_heap_lesser(lpd_heap_lesser(child, child + 1),
				       lpd_heap_lesser(child + 2, child + 3));
	while (++child < end)
		least = lpd_heap_lesser(least, child);
	return least;
}

/* Fills @pos, which is free, from below. Returns the leaf that is free afterwards. */
static inline u32 lpd_heap_sink(const struct lpd_heap *h, u32 pos)
{
	struct lpd_heap_node *node = h->node, *least;
	u32 child;

	while ((child = pos * LPD_HEAP_ARITY + 1) < h->len) {
		least = lpd_heap_least(node + child, node + h->len);
		lpd_heap_place(h, pos, *least);
		pos = least - node;
	}
	return pos;
}

/**
 * lpd_heap_push() - add an entry
 * @h: the heap; it has space for the entry
 * @e: the entry, with its key and its place filled in
 *
 * Works on a copy of the heap, as lpd_heap_remove() does. Otherwise the compiler has to
 * read the heap again after each write to an entry, because that write could have
 * changed the heap.
 */
void lpd_heap_push(struct lpd_heap *h, struct lpd_entry *e)
{
	const struct lpd_heap own = *h;
	struct lpd_heap_node node = {
		.at = own.by == LPD_BY_PLACE ? e->place : e->key,
		.entry = e,
	};

	h->len++;
	lpd_heap_rise(&own, own.len, node);
}

/**
 * lpd_heap_remove() - take an entry out
 * @h: the heap
 * @e: an entry in this heap
 */
void lpd_heap_remove(struct lpd_heap *h, struct lpd_entry *e)
{
	const struct lpd_heap own = { h->node, --h->len, h->by };
	struct lpd_heap_node last = own.node[own.len];
	u32 pos = e->pos[own.by];

	e->pos[own.by] = LPD_NOT_IN_HEAP;
	/* the last node most likely belongs near the leaves again */
	if (pos < own.len)
		lpd_heap_rise(&own, lpd_heap_sink(&own, pos), last);
}
