// SPDX-License-Identifier: GPL-2.0
/* The order in which a full queue drops packets with overflow least: see rank.h. */

#include "rank.h"

static bool lpd_rank_before(struct rb_node *a, const struct rb_node *b)
{
	const struct lpd_rank *one = rb_entry(a, struct lpd_rank, node);
	const struct lpd_rank *other = rb_entry(b, struct lpd_rank, node);

	if (one->importance != other->importance)
		return one->importance < other->importance;
	if (one->expires != other->expires)
		return one->expires;
	if (one->expires)
		return lpd_order_expires_before(one->entry, other->entry);
	return lpd_order_came_before(other->entry, one->entry);
}

/**
 * lpd_rank_add() - put an entry into the order
 * @ranks: the order
 * @rank: the entry's rank, from lpd_rank_of()
 * @e: the entry, whose values are set
 * @importance: of the packet, 0..TC_LPD_IMPORTANCE_MAX
 * @expires: whether the packet may become stale
 */
void lpd_rank_add(struct lpd_ranks *ranks, struct lpd_rank *rank, struct lpd_entry *e,
		  u8 importance, bool expires)
{
	rank->entry = e;
	rank->importance = importance;
	rank->expires = expires;
	rb_add_cached(&rank->node, &ranks->tree, lpd_rank_before);
}

/**
 * lpd_rank_remove() - remove an entry from the order
 * @ranks: the order
 * @rank: the entry's rank
 */
void lpd_rank_remove(struct lpd_ranks *ranks, struct lpd_rank *rank)
{
	rb_erase_cached(&rank->node, &ranks->tree);
}
