// SPDX-License-Identifier: GPL-2.0
/* Indexed min-heap of entries: see heap.h. */

#include <linux/compiler.h>
#include "heap.h"

#define LPD_HEAP_ARITY	4

/* Compares two nodes with equal @at. The function is not inline, because equal nodes are
 * rare and the usual comparison should need few registers.
 */
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

/* Moves a node up from the free position @pos until its parent is smaller. */
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

/* Returns the smaller node. For unequal nodes, the compiler can use a conditional move instead of a
 * branch, whose direction the processor could not predict.
 */
static inline struct lpd_heap_node *lpd_heap_lesser(struct lpd_heap_node *a,
						    struct lpd_heap_node *b)
{
	if (unlikely(a->at == b->at))
		return lpd_heap_before_equal(b, a) ? b : a;
	return b->at < a->at ? b : a;
}

/* Returns the smallest child. The caller ensures that at least one child exists. */
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

/* Moves the smallest children up into the free position @pos. Returns the leaf position
 * that becomes free.
 */
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
 * @h: a heap with space for the entry
 * @e: an entry whose key and place are set
 *
 * lpd_heap_push() and lpd_heap_remove() work on a copy of struct lpd_heap. Without the
 * copy, the compiler would read the structure again after each write to an entry, because
 * that write could change the structure.
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
 * lpd_heap_remove() - remove an entry
 * @h: the heap
 * @e: an entry in this heap
 */
void lpd_heap_remove(struct lpd_heap *h, struct lpd_entry *e)
{
	const struct lpd_heap own = { h->node, --h->len, h->by };
	struct lpd_heap_node last = own.node[own.len];
	u32 pos = e->pos[own.by];

	e->pos[own.by] = LPD_NOT_IN_HEAP;
	/* the search starts at a leaf, because the last node most likely belongs near the
	 * leaves
	 */
	if (pos < own.len)
		lpd_heap_rise(&own, lpd_heap_sink(&own, pos), last);
}
