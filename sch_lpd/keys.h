/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps entries ordered by key. A list contains the entries that arrive in the order of
 * their keys. A heap contains all other entries.
 *
 *	run	a <= b <= c <= ...	on arrival, each key was the latest in the list
 *	heap	entries that arrived with a key before the list's last key
 *
 * If all lifetimes are equal, packets become stale in order of arrival. Entries are then
 * added at the end of the list and removed at its start, at a cost that does not depend on
 * the number of entries. In the worst case, each key is earlier than the previous key. Then the
 * list has one entry, and the heap has all other entries.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_KEYS_H
#define _SCH_LPD_KEYS_H

#include <linux/list.h>
#include "heap.h"

/* The position of an entry that is in the list and not in the heap. */
#define LPD_IN_RUN	(LPD_NOT_IN_HEAP - 1)

/**
 * struct lpd_keys - entries ordered by key
 * @run: list of the entries that arrived in the order of their keys
 * @heap: all other entries
 */
struct lpd_keys {
	struct list_head run;
	struct lpd_heap heap;
};

/* Forgets all entries. */
static inline void lpd_keys_clear(struct lpd_keys *k)
{
	INIT_LIST_HEAD(&k->run);
	k->heap.len = 0;
}

/* @node is the array of the heap. The array has space for all entries. */
static inline void lpd_keys_init(struct lpd_keys *k, struct lpd_heap_node *node)
{
	k->heap = (struct lpd_heap){ .node = node, .by = LPD_BY_KEY };
	lpd_keys_clear(k);
}

/* Adds an entry. The caller has set the values that order the entry. */
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

static inline void lpd_keys_remove(struct lpd_keys *k, struct lpd_entry *e)
{
	if (e->pos[LPD_BY_KEY] != LPD_IN_RUN) {
		lpd_heap_remove(&k->heap, e);
		return;
	}
	list_del(&e->run);
	e->pos[LPD_BY_KEY] = LPD_NOT_IN_HEAP;
}

/* Returns the entry with the earliest key, or NULL if @k has no entries. */
static inline struct lpd_entry *lpd_keys_first(const struct lpd_keys *k)
{
	struct lpd_entry *run = NULL;

	if (!list_empty(&k->run))
		run = list_first_entry(&k->run, struct lpd_entry, run);
	return lpd_entry_first_to_expire(run, lpd_heap_first(&k->heap));
}

#endif /* _SCH_LPD_KEYS_H */
