/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indexed min-heap of entries.
 *
 * An array of nodes, four children to each: shallow, and those that are compared lie
 * side by side. Each entry knows its position, so that any packet leaves in O(log n)
 * whatever list it stands in. The array has a node for each entry, hence push cannot
 * fail.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_HEAP_H
#define _SCH_LPD_HEAP_H

#include <linux/minmax.h>
#include "entry.h"

#define LPD_HEAP_ARITY	4

/**
 * struct lpd_heap_node - an entry in the heap
 * @at: the least goes first: its key or its place, monotonic ns
 * @entry: the entry, which tells two apart that are equal
 */
struct lpd_heap_node {
	s64 at;
	struct lpd_entry *entry;
};

/**
 * struct lpd_heap - entries in order
 * @node: the array
 * @len: nodes in use
 * @by: enum lpd_by
 */
struct lpd_heap {
	struct lpd_heap_node *node;
	u32 len;
	enum lpd_by by;
};

/* Of its own, so that comparing takes few registers: two that are equal are rare. */
static noinline __maybe_unused bool
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

/**
 * lpd_heap_has() - whether an entry is in the heap
 * @h: the heap
 * @e: an entry in use
 */
static inline bool lpd_heap_has(const struct lpd_heap *h,
				const struct lpd_entry *e)
{
	return e->pos[h->by] != LPD_NOT_IN_HEAP;
}

/**
 * lpd_heap_first() - the entry that goes first
 * @h: the heap
 *
 * Return: the entry; NULL if there is none
 */
static inline struct lpd_entry *lpd_heap_first(const struct lpd_heap *h)
{
	return h->len ? h->node[0].entry : NULL;
}

static inline void lpd_heap_place(const struct lpd_heap *h, u32 pos,
				  struct lpd_heap_node node)
{
	h->node[pos] = node;
	node.entry->pos[h->by] = pos;
}

/* Put an entry on the way from @pos, which is free, to the top. */
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

/* Of two the one that goes first; which one is nothing that a processor could foretell. */
static inline struct lpd_heap_node *lpd_heap_lesser(struct lpd_heap_node *a,
						    struct lpd_heap_node *b)
{
	if (unlikely(a->at == b->at))
		return lpd_heap_before_equal(b, a) ? b : a;
	return b->at < a->at ? b : a;
}

/* Of children the one that goes first; there is one at least. */
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

/* Move up what is below @pos, which is free. Returns what is free then: a leaf. */
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
 * @h: the heap, with room
 * @e: the entry, its order filled in
 *
 * Works on a copy of the heap, as removing does: for all that the compiler knows to
 * write an entry could change the heap, which it would read again each time.
 */
static noinline __maybe_unused void lpd_heap_push(struct lpd_heap *h,
						  struct lpd_entry *e)
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
 * @e: an entry in it
 */
static noinline __maybe_unused void lpd_heap_remove(struct lpd_heap *h,
						    struct lpd_entry *e)
{
	const struct lpd_heap own = { h->node, --h->len, h->by };
	struct lpd_heap_node last = own.node[own.len];
	u32 pos = e->pos[own.by];

	e->pos[own.by] = LPD_NOT_IN_HEAP;
	/* the last one is most likely to belong near the leaves again */
	if (pos < own.len)
		lpd_heap_rise(&own, lpd_heap_sink(&own, pos), last);
}

#endif /* _SCH_LPD_HEAP_H */
