/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indexed min-heap of entries.
 *
 * The heap is an array of nodes. Each node has four children, so the tree is shallow and
 * the nodes that are compared lie side by side. Each entry knows its position, so any
 * packet leaves in O(log n), whichever list it is in. The array has a node for each
 * entry, so lpd_heap_push() cannot fail.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_HEAP_H
#define _SCH_LPD_HEAP_H

#include "entry.h"

/**
 * struct lpd_heap_node - an entry in the heap
 * @at: the entry's key or place, monotonic ns; the smallest one goes first
 * @entry: the entry; it decides between two nodes with equal @at
 */
struct lpd_heap_node {
	s64 at;
	struct lpd_entry *entry;
};

/**
 * struct lpd_heap - a heap of entries
 * @node: the array
 * @len: number of nodes in use
 * @by: whether @node is ordered by keys or by places
 */
struct lpd_heap {
	struct lpd_heap_node *node;
	u32 len;
	enum lpd_by by;
};

static inline bool lpd_heap_has(const struct lpd_heap *h,
				const struct lpd_entry *e)
{
	return e->pos[h->by] != LPD_NOT_IN_HEAP;
}

/* Returns the entry that goes first, or NULL if the heap is empty. */
static inline struct lpd_entry *lpd_heap_first(const struct lpd_heap *h)
{
	return h->len ? h->node[0].entry : NULL;
}

void lpd_heap_push(struct lpd_heap *h, struct lpd_entry *e);
void lpd_heap_remove(struct lpd_heap *h, struct lpd_entry *e);

#endif /* _SCH_LPD_HEAP_H */
