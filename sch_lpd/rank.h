/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in which a full queue drops packets with overflow least:
 *
 *	1. by importance: the least important packet first
 *	2. packets that become stale before packets that do not
 *	3. among packets that become stale: the packet that becomes stale first
 *	   among other packets: the packet that arrived last
 *
 * With overflow least, each queued packet has an entry, and each entry has a rank. Other
 * queues have no ranks.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_RANK_H
#define _SCH_LPD_RANK_H

#include <linux/rbtree.h>
#include "order.h"

/**
 * struct lpd_rank - the position of an entry in the order
 * @node: node in struct lpd_ranks
 * @entry: the entry
 * @importance: 0..TC_LPD_IMPORTANCE_MAX
 * @expires: whether the packet may become stale
 */
struct lpd_rank {
	struct rb_node node;
	struct lpd_entry *entry;
	u8 importance;
	bool expires;
};

/**
 * struct lpd_ranks - all entries of a queue in their order
 * @tree: the ranks in use
 * @rank: an array with a rank for each entry of struct lpd_order; NULL without overflow least
 */
struct lpd_ranks {
	struct rb_root_cached tree;
	struct lpd_rank *rank;
};

/* Forgets all entries. */
static inline void lpd_ranks_clear(struct lpd_ranks *ranks)
{
	ranks->tree = RB_ROOT_CACHED;
}

static inline struct lpd_rank *lpd_rank_of(const struct lpd_ranks *ranks,
					   const struct lpd_order *o,
					   const struct lpd_entry *e)
{
	return &ranks->rank[((void *)e - (void *)o->entry) / o->stride];
}

/* Returns the rank of the entry that is dropped first; NULL if the queue is empty. */
static inline struct lpd_rank *lpd_rank_first(const struct lpd_ranks *ranks)
{
	return rb_entry_safe(rb_first_cached(&ranks->tree), struct lpd_rank, node);
}

/* Returns the rank after @rank, or NULL. */
static inline struct lpd_rank *lpd_rank_next(const struct lpd_rank *rank)
{
	return rb_entry_safe(rb_next(&rank->node), struct lpd_rank, node);
}

void lpd_rank_add(struct lpd_ranks *ranks, struct lpd_rank *rank, struct lpd_entry *e,
		  u8 importance, bool expires);
void lpd_rank_remove(struct lpd_ranks *ranks, struct lpd_rank *rank);

#endif /* _SCH_LPD_RANK_H */
