/* SPDX-License-Identifier: GPL-2.0 */
/* Where a qdisc stands in the tree of its device's qdiscs. */
#ifndef _SCH_LPD_TREE_H
#define _SCH_LPD_TREE_H

#include <net/pkt_sched.h>

/**
 * lpd_parent() - the qdisc above a qdisc
 * @sch: the qdisc
 *
 * Under rcu_read_lock().
 *
 * Return: the parent; NULL if that is the root of the tree or there is none: nobody is
 * told that a root is empty. Root and ingress are not in the table.
 */
static inline struct Qdisc *lpd_parent(const struct Qdisc *sch)
{
	u32 handle = TC_H_MAJ(sch->parent);
	struct Qdisc *parent;

	hash_for_each_possible_rcu(qdisc_dev(sch)->qdisc_hash, parent, hash,
				   handle)
		if (parent->handle == handle)
			return parent;
	return NULL;
}

/**
 * lpd_is_below() - whether a qdisc is in the tree of a root
 * @sch: the qdisc
 * @root: the root, or what a queue of a device with several has in its place
 *
 * Under rcu_read_lock().
 */
static inline bool lpd_is_below(const struct Qdisc *sch,
				const struct Qdisc *root)
{
	const struct Qdisc *parent;

	while (sch != root) {
		parent = lpd_parent(sch);
		if (!parent)
			/* what a device begins with has no handle */
			return root->handle &&
			       TC_H_MAJ(sch->parent) == root->handle;
		sch = parent;
	}
	return true;
}

#endif /* _SCH_LPD_TREE_H */
