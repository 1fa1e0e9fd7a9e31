/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indexed min-heap of entries.
 *
 * The heap is an array of nodes. Each node has four children. Therefore the tree is
 * shallow, and nodes that are compared with each other are adjacent in memory. Each entry
 * contains its position, so that lpd_heap_remove() removes any entry in O(log n). The array
 * has a node for each entry of the pool, so that lpd_heap_push() cannot fail.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_HEAP_H
#define _SCH_LPD_HEAP_H

#include "entry.h"

/**
 * struct lpd_heap_node - an entry in the heap
 * @at: the entry's key or place, monotonic ns; the smallest value is at the top
 * @entry: the entry; its values order nodes with equal @at
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

/* Returns the entry at the top, or NULL if the heap is empty. */
static inline struct lpd_entry *lpd_heap_first(const struct lpd_heap *h)
{
	return h->len ? h->node[0].entry : NULL;
}

void lpd_heap_push(struct lpd_heap *h, struct lpd_entry *e);
void lpd_heap_remove(struct lpd_heap *h, struct lpd_entry *e);

#endif /* _SCH_LPD_HEAP_H */
