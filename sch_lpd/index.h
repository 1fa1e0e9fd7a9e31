/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which packet becomes stale next and, with order edf, which one is sent next.
 *
 *	free:	may become stale, and stands where its key says		by key
 *	held:	may become stale, but is held back by its flow		by key
 *	order:	is held back, or has been cut				by place
 *
 *	next to become stale	the first one of free and held
 *	next to be sent		the first one of free and order
 *
 * Most packets are free: of them the one that is urgent is sent, and would be stale
 * first, so one of the three tells both. With order fifo all are.
 *
 * Pure but for the packets' numbers; caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_INDEX_H
#define _SCH_LPD_INDEX_H

#include "keys.h"

/* Without order edf none is held or cut, and the first one is enough. */
#define LPD_INDEX_HEAPS	3

/**
 * struct lpd_index - entries of queued packets, each in one or two places
 * @free: by key; its heap's array is the first one of all
 * @held: by key
 * @order: by place
 */
struct lpd_index {
	struct lpd_keys free;
	struct lpd_keys held;
	struct lpd_heap order;
};

/**
 * lpd_index_init() - begin with nothing
 * @ix: the index
 * @node: an array for each heap, one behind the other
 * @size: of one of them: how many entries there are
 */
static inline void lpd_index_init(struct lpd_index *ix,
				  struct lpd_heap_node *node, u32 size)
{
	lpd_keys_init(&ix->free, node);
	lpd_keys_init(&ix->held, node + size);
	ix->order = (struct lpd_heap){ .node = node + 2 * size,
				       .by = LPD_BY_PLACE };
}

/**
 * lpd_index_clear() - forget all entries
 * @ix: the index
 */
static inline void lpd_index_clear(struct lpd_index *ix)
{
	lpd_keys_clear(&ix->free);
	lpd_keys_clear(&ix->held);
	ix->order.len = 0;
}

/* Where it stands if it may become stale. */
static inline struct lpd_keys *lpd_index_expiry(struct lpd_index *ix,
						const struct lpd_entry *e)
{
	return e->place == e->key ? &ix->free : &ix->held;
}

/**
 * lpd_index_expires() - whether an entry is among those that may become stale
 * @e: an entry in use
 */
static inline bool lpd_index_expires(const struct lpd_entry *e)
{
	return e->pos[LPD_BY_KEY] != LPD_NOT_IN_HEAP;
}

/**
 * lpd_index_spare() - take an entry off those that may become stale
 * @ix: the index
 * @e: one of them; lpd_index_unspare(), _keep() or _remove() must follow
 */
static inline void lpd_index_spare(struct lpd_index *ix, struct lpd_entry *e)
{
	lpd_keys_remove(lpd_index_expiry(ix, e), e);
}

/**
 * lpd_index_unspare() - put an entry among those that may become stale
 * @ix: the index
 * @e: the entry
 */
static inline void lpd_index_unspare(struct lpd_index *ix, struct lpd_entry *e)
{
	lpd_keys_push(lpd_index_expiry(ix, e), e);
}

/**
 * lpd_index_keep() - have an entry that cannot become stale sent in its place
 * @ix: the index
 * @e: the entry, new or spared
 */
static inline void lpd_index_keep(struct lpd_index *ix, struct lpd_entry *e)
{
	if (!lpd_heap_has(&ix->order, e))
		lpd_heap_push(&ix->order, e);
}

/**
 * lpd_index_add() - add an entry that may become stale
 * @ix: the index
 * @e: the entry, new, its order filled in
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

/**
 * lpd_index_remove() - take an entry out
 * @ix: the index
 * @e: the entry
 */
static inline void lpd_index_remove(struct lpd_index *ix, struct lpd_entry *e)
{
	if (lpd_index_expires(e))
		lpd_index_spare(ix, e);
	if (lpd_heap_has(&ix->order, e))
		lpd_heap_remove(&ix->order, e);
}

/**
 * lpd_index_earliest() - the entry that becomes stale first
 * @ix: the index
 *
 * Return: the entry; NULL if none may become stale
 */
static inline struct lpd_entry *lpd_index_earliest(const struct lpd_index *ix)
{
	return lpd_entry_first_to_expire(lpd_keys_first(&ix->free),
					 lpd_keys_first(&ix->held));
}

/**
 * lpd_index_next() - with order edf, the entry that is sent first
 * @ix: the index
 *
 * Return: the entry; NULL if there is none
 */
static inline struct lpd_entry *lpd_index_next(const struct lpd_index *ix)
{
	struct lpd_entry *free = lpd_keys_first(&ix->free);
	struct lpd_entry *order = lpd_heap_first(&ix->order);

	if (!free || !order)
		return free ?: order;
	return lpd_entry_leaves_before(order, free) ? order : free;
}

#endif /* _SCH_LPD_INDEX_H */
