/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries by key: those that come in order in a list, the others in a heap.
 *
 *	run	a <= b <= c <= ...		each came when it was the last one
 *	heap	those that came with an earlier key than the last one's
 *
 * Lifetimes that are all alike end in the order in which packets come. Then an entry
 * is the last one when it comes and the first one when it leaves, and costs the same
 * however many there are. At worst, with keys that fall, all but one are in the heap.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_KEYS_H
#define _SCH_LPD_KEYS_H

#include <linux/list.h>
#include "heap.h"

/* Instead of a position in the heap. */
#define LPD_IN_RUN	(LPD_NOT_IN_HEAP - 1)

/**
 * struct lpd_keys - entries by key
 * @run: list of those that came in order
 * @heap: the others
 */
struct lpd_keys {
	struct list_head run;
	struct lpd_heap heap;
};

/**
 * lpd_keys_clear() - forget all entries
 * @k: the entries
 */
static inline void lpd_keys_clear(struct lpd_keys *k)
{
	INIT_LIST_HEAD(&k->run);
	k->heap.len = 0;
}

/**
 * lpd_keys_init() - begin with nothing
 * @k: the entries
 * @node: the heap's array, with room for all
 */
static inline void lpd_keys_init(struct lpd_keys *k, struct lpd_heap_node *node)
{
	k->heap = (struct lpd_heap){ .node = node, .by = LPD_BY_KEY };
	lpd_keys_clear(k);
}

/**
 * lpd_keys_push() - add an entry
 * @k: the entries
 * @e: the entry, its order filled in
 */
static inline void lpd_keys_push(struct lpd_keys *k, struct lpd_entry *e)
{
	struct lpd_entry *last = list_last_entry(&k->run, struct lpd_entry,
						 run);

	if (!list_empty(&k->run) && lpd_entry_expires_before(e, last)) {
		lpd_heap_push(&k->heap, e);
		return;
	}
	list_add_tail(&e->run, &k->run);
	e->pos[LPD_BY_KEY] = LPD_IN_RUN;
}

/**
 * lpd_keys_remove() - take an entry out
 * @k: the entries
 * @e: one of them
 */
static inline void lpd_keys_remove(struct lpd_keys *k, struct lpd_entry *e)
{
	if (e->pos[LPD_BY_KEY] != LPD_IN_RUN) {
		lpd_heap_remove(&k->heap, e);
		return;
	}
	list_del(&e->run);
	e->pos[LPD_BY_KEY] = LPD_NOT_IN_HEAP;
}

/**
 * lpd_keys_first() - the entry with the earliest key
 * @k: the entries
 *
 * Return: the entry; NULL if there is none
 */
static inline struct lpd_entry *lpd_keys_first(const struct lpd_keys *k)
{
	struct lpd_entry *run = NULL;

	if (!list_empty(&k->run))
		run = list_first_entry(&k->run, struct lpd_entry, run);
	return lpd_entry_first_to_expire(run, lpd_heap_first(&k->heap));
}

#endif /* _SCH_LPD_KEYS_H */
