/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The index finds the packet that becomes stale next. With order edf, the index also finds
 * the packet that is sent next.
 *
 *	free:	packets that may become stale; their place is their key	by key
 *	held:	packets that may become stale; their place is after their key	by key
 *	order:	the packets of held, and packets that have been cut	by place
 *
 *	becomes stale next:	the first packet of free and held
 *	is sent next:		the first packet of free and order
 *
 * Most packets are in the part "free". The free packet that becomes stale first is also the
 * free packet that is sent first. With order fifo, all packets of the index are free.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_INDEX_H
#define _SCH_LPD_INDEX_H

#include "keys.h"

/* The number of heaps with order edf. With order fifo, one heap is enough: no packet is held back,
 * and the index contains no cut packets.
 */
#define LPD_INDEX_HEAPS	3

/**
 * struct lpd_index - entries of queued packets; each entry is in one or two parts
 * @free: ordered by key; the array of its heap is at the start of the allocation
 * @held: ordered by key
 * @order: ordered by place
 */
struct lpd_index {
	struct lpd_keys free;
	struct lpd_keys held;
	struct lpd_heap order;
};

/**
 * lpd_index_init() - make an empty index
 * @ix: the index
 * @node: the arrays of all heaps, one after the other
 * @size: number of nodes in one array, which is the number of entries in the pool
 */
static inline void lpd_index_init(struct lpd_index *ix,
				  struct lpd_heap_node *node, u32 size)
{
	lpd_keys_init(&ix->free, node);
	lpd_keys_init(&ix->held, node + size);
	ix->order = (struct lpd_heap){ .node = node + 2 * size,
				       .by = LPD_BY_PLACE };
}

/* Forgets all entries. */
static inline void lpd_index_clear(struct lpd_index *ix)
{
	lpd_keys_clear(&ix->free);
	lpd_keys_clear(&ix->held);
	ix->order.len = 0;
}

/* Returns the part to which an entry that may become stale belongs. */
static inline struct lpd_keys *lpd_index_expiry(struct lpd_index *ix,
						const struct lpd_entry *e)
{
	return e->place == e->key ? &ix->free : &ix->held;
}

/* Checks whether an entry is in a part with packets that may become stale. */
static inline bool lpd_index_expires(const struct lpd_entry *e)
{
	return e->pos[LPD_BY_KEY] != LPD_NOT_IN_HEAP;
}

/**
 * lpd_index_spare() - remove an entry from the entries that may become stale
 * @ix: the index
 * @e: the entry; the next call for the entry is lpd_index_unspare(), lpd_index_keep() or
 *	lpd_index_remove()
 */
static inline void lpd_index_spare(struct lpd_index *ix, struct lpd_entry *e)
{
	lpd_keys_remove(lpd_index_expiry(ix, e), e);
}

/* Puts a spared entry back into the part that it came from. */
static inline void lpd_index_unspare(struct lpd_index *ix, struct lpd_entry *e)
{
	lpd_keys_push(lpd_index_expiry(ix, e), e);
}

/**
 * lpd_index_keep() - keep the place of an entry that cannot become stale
 * @ix: the index
 * @e: a new or spared entry
 */
static inline void lpd_index_keep(struct lpd_index *ix, struct lpd_entry *e)
{
	if (!lpd_heap_has(&ix->order, e))
		lpd_heap_push(&ix->order, e);
}

/**
 * lpd_index_add() - add an entry that may become stale
 * @ix: the index
 * @e: a new entry whose key and place are set
 */
static inline void lpd_index_add(struct lpd_index *ix, struct lpd_entry *e)
{
	if (e->place == e->key) {
		lpd_keys_push(&ix->free, e);
		return;
	}
	lpd_keys_push(&ix->held, e);
	lpd_heap_push(&ix->order, e);
}

static inline void lpd_index_remove(struct lpd_index *ix, struct lpd_entry *e)
{
	if (lpd_index_expires(e))
		lpd_index_spare(ix, e);
	if (lpd_heap_has(&ix->order, e))
		lpd_heap_remove(&ix->order, e);
}

/* Returns the entry that becomes stale first; NULL if no entry may become stale. */
static inline struct lpd_entry *lpd_index_earliest(const struct lpd_index *ix)
{
	return lpd_entry_first_to_expire(lpd_keys_first(&ix->free),
					 lpd_keys_first(&ix->held));
}

/* With order edf: returns the entry that is sent first; NULL if the index is empty. */
static inline struct lpd_entry *lpd_index_next(const struct lpd_index *ix)
{
	struct lpd_entry *free = lpd_keys_first(&ix->free);
	struct lpd_entry *order = lpd_heap_first(&ix->order);

	if (!free || !order)
		return free ?: order;
	return lpd_entry_leaves_before(order, free) ? order : free;
}

#endif /* _SCH_LPD_INDEX_H */
