/* SPDX-License-Identifier: GPL-2.0 */
/* The position of a qdisc in the tree of qdiscs of its device. */
#ifndef _SCH_LPD_TREE_H
#define _SCH_LPD_TREE_H

#include <net/pkt_sched.h>

/**
 * lpd_parent() - find the parent of a qdisc
 * @sch: the qdisc
 *
 * The caller must hold rcu_read_lock(). The root and the ingress qdisc are not in the
 * device's hash table. A qdisc has no pointer to its parent, and the core does not export
 * qdisc_lookup_rcu(). Therefore lpd_parent() searches the device's hash table itself.
 *
 * An mq that the core has created has the handle 0, and so have its children in the hash table.
 * Such an mq is a root. Therefore lpd_parent() does not search for the handle 0.
 *
 * Return: the parent; NULL if the parent is the root of the tree, or if there is no
 * parent. The root does not need a report that its child is empty.
 */
static inline struct Qdisc *lpd_parent(const struct Qdisc *sch)
{
	u32 handle = TC_H_MAJ(sch->parent);
	struct Qdisc *parent;

	if (!handle || sch->parent == TC_H_ROOT)
		return NULL;
	hash_for_each_possible_rcu(qdisc_dev(sch)->qdisc_hash, parent, hash,
				   handle)
		if (parent->handle == handle)
			return parent;
	return NULL;
}

/**
 * lpd_is_below() - check whether a qdisc is in the tree below a root
 * @sch: the qdisc
 * @root: the root; on a device with several queues, maybe the qdisc of one queue
 *
 * The caller must hold rcu_read_lock().
 */
static inline bool lpd_is_below(const struct Qdisc *sch, const struct Qdisc *root)
{
	const struct Qdisc *parent;

	while (sch != root) {
		parent = lpd_parent(sch);
		if (!parent)
			/* the default qdisc of a device has no handle */
			return root->handle &&
			       TC_H_MAJ(sch->parent) == root->handle;
		sch = parent;
	}
	return true;
}

/**
 * lpd_wake_tree() - let the tree run again
 * @sch: a qdisc of the tree
 *
 * If the chosen class of DRR, ETS or HFSC returns no packet, the qdisc returns no packet and
 * does not try another class. A child has no return value that asks its parent to try
 * another class. When the tree runs again, the other classes can send.
 */
static inline void lpd_wake_tree(struct Qdisc *sch)
{
	rcu_read_lock();
	__netif_schedule(qdisc_root(sch));
	rcu_read_unlock();
}

#endif /* _SCH_LPD_TREE_H */
