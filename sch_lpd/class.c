// SPDX-License-Identifier: GPL-2.0
/*
 * The class of lpd, ":1", holds the packets without a lifetime. Its qdisc may be of any
 * kind. The limits of lpd, the order, the expiry and the table of datagrams do not apply to the
 * class.
 *
 * The qdisc of the class may drop or divide its packets at any time. The qdisc reports each change
 * to lpd with qdisc_tree_reduce_backlog(). Two rules follow:
 *
 * - lpd counts an arriving packet before the qdisc of the class gets the packet. If the
 *   qdisc drops older packets for the new packet, the parents must not see an empty lpd.
 *   But if the qdisc reports that it is empty, the arriving packet may also have been dropped. If
 *   lpd's own queue is also empty, the parents must then see an empty lpd, because they get no
 *   other report.
 * - lpd counts the drops of the class when somebody reads the counters. By then, the core has
 *   added every reported drop to the general statistics of lpd.
 */

#include <net/pkt_sched.h>
#include "class.h"
#include "tree.h"

#define LPD_CLASS_MINOR	1

/* Checks whether a qdisc may be the first qdisc of the class. The administrator has chosen the
 * default qdisc for devices, not for a class. The default qdisc may run without a lock, have
 * children, or accept no packets. If tc puts such a qdisc below another qdisc, the core adapts the
 * qdisc, gives it a handle, or refuses it. qdisc_create_dflt() does none of this.
 */
static bool lpd_class_suits(const struct Qdisc_ops *ops)
{
	return !(ops->static_flags & TCQ_F_NOLOCK) &&
	       !(ops->cl_ops && ops->cl_ops->graft) &&
	       ops->enqueue != noop_qdisc.enqueue;
}

/**
 * lpd_class_create() - create the first qdisc of a class
 * @sch: the lpd
 * @extack: says why the qdisc cannot be created
 *
 * The qdisc is of the kind that net.core.default_qdisc names, if a qdisc of this kind works
 * below lpd and needs no options. Otherwise the qdisc is a pfifo. lpd cannot choose a better kind,
 * such as fq_codel, by its name, because the core does not export the list of qdiscs.
 *
 * Return: the qdisc; NULL if there is no memory
 */
struct Qdisc *lpd_class_create(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	const struct Qdisc_ops *ops = get_default_qdisc_ops(qdisc_dev(sch), 0);
	u32 classid = TC_H_MAKE(sch->handle, LPD_CLASS_MINOR);
	struct Qdisc *child = NULL;

	if (lpd_class_suits(ops))
		child = qdisc_create_dflt(sch->dev_queue, ops, classid, NULL);
	if (!child)
		child = qdisc_create_dflt(sch->dev_queue, &pfifo_qdisc_ops, classid, extack);
	if (child)
		qdisc_hash_add(child, false);
	return child;
}

/**
 * lpd_class_swap() - exchange the qdisc of the class
 * @sch: the lpd; the caller holds the root lock if the class has a qdisc
 * @child: the new qdisc, or NULL for none; afterwards the old qdisc, which is empty
 */
void lpd_class_swap(struct Qdisc *sch, struct Qdisc **child)
{
	struct lpd_class *class = lpd_class_of(sch);

	if (class->qdisc) {
		qdisc_purge_queue(class->qdisc);
		/* a parent may be waiting for a timer of the old qdisc */
		lpd_wake_tree(sch);
	}
	swap(class->qdisc, *child);
	class->share = (struct lpd_share){ };
	class->active = false;
}

/**
 * lpd_class_enqueue() - give an arriving packet to the class
 * @skb: the packet
 * @sch: the lpd
 * @to_free: list to which dropped packets are added
 *
 * The function may be called recursively, because netem enqueues a duplicate at the root of the
 * tree.
 *
 * Return: the value that enqueue must return
 */
int lpd_class_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct lpd_class *class = lpd_class_of(sch);
	unsigned int bytes = qdisc_pkt_len(skb);
	bool outer = class->arriving;
	int err;

	class->inside++;
	class->arriving = true;
	class->active = true;
	qdisc_qlen_inc(sch);
	sch->qstats.backlog += bytes;
	err = qdisc_enqueue(skb, class->qdisc, to_free);
	if (likely(err == NET_XMIT_SUCCESS)) {
		if (unlikely(!class->arriving))
			qdisc_qlen_inc(sch);
	} else {
		/* a packet that a tc action has consumed also counts as dropped */
		qdisc_qstats_drop(sch);
		sch->qstats.backlog -= bytes;
		if (class->arriving)
			qdisc_qlen_dec(sch);
	}
	class->arriving = outer;
	return err;
}

/**
 * lpd_class_peek() - look at the next packet of the class
 * @sch: the lpd
 *
 * Return: the packet, which stays queued; NULL if the qdisc of the class returns none
 */
struct sk_buff *lpd_class_peek(struct Qdisc *sch)
{
	struct Qdisc *child = lpd_class_of(sch)->qdisc;

	return child->ops->peek(child);
}

/* Returns how many packets lpd itself has dropped, except in a reset. */
static u64 lpd_own_drops(const struct lpd_sched_data *q)
{
	enum lpd_verdict verdict;
	u64 drops = 0;

	for (verdict = LPD_STALE_ENQUEUE; verdict < LPD_VERDICTS; verdict++)
		drops += q->stats[lpd_counter(verdict)];
	return drops;
}

/**
 * lpd_class_settle() - bring the counters up to date with the class
 * @sch: the lpd; the caller holds the root lock
 *
 * The general statistics count the drops of lpd and of the class in 32 bits. Drops that are
 * not lpd's own are drops of the class. If the qdisc of the class has divided a GSO packet, each
 * segment counts as a packet, also in PACKETS_IN.
 */
void lpd_class_settle(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	u64 *counted = &q->stats[TCA_LPD_STATS_CLASS_DROPS];
	u32 drops = sch->qstats.drops - (u32)lpd_own_drops(q) - (u32)*counted;
	u32 queued = q->class.qdisc ? qdisc_qlen(q->class.qdisc) : 0;

	*counted += drops;
	q->class.inside -= drops;
	q->stats[TCA_LPD_STATS_PACKETS_IN] += (s32)(queued - q->class.inside);
	q->class.inside = queued;
}

/**
 * lpd_class_reset() - drop all packets of the class
 * @sch: the lpd; the core resets its qlen and backlog
 */
void lpd_class_reset(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (!q->class.qdisc)
		return;
	lpd_class_settle(sch);
	q->stats[TCA_LPD_STATS_RESET] += q->class.inside;
	q->class.inside = 0;
	q->class.share = (struct lpd_share){ };
	qdisc_reset(q->class.qdisc);
}

static int lpd_class_graft(struct Qdisc *sch, unsigned long cl, struct Qdisc *new,
			   struct Qdisc **old, struct netlink_ext_ack *extack)
{
	if (!new)
		new = lpd_class_create(sch, extack);
	if (!new)
		return -ENOMEM;
	sch_tree_lock(sch);
	lpd_class_swap(sch, &new);
	sch_tree_unlock(sch);
	*old = new;
	return 0;
}

static struct Qdisc *lpd_class_leaf(struct Qdisc *sch, unsigned long cl)
{
	return lpd_class_of(sch)->qdisc;
}

/* Called when the qdisc of the class reports that it is empty. If this happens while a
 * packet arrives, lpd must not count the packet any more, see the top of this file.
 */
static void lpd_class_qlen_notify(struct Qdisc *sch, unsigned long cl)
{
	struct lpd_class *class = lpd_class_of(sch);

	if (!class->arriving)
		return;
	class->arriving = false;
	qdisc_qlen_dec(sch);
}

/* Finds the class, which exists while it has a share of the link. */
static unsigned long lpd_class_find(struct Qdisc *sch, u32 classid)
{
	if (!lpd_class_of(sch)->qdisc || TC_H_MIN(classid) != LPD_CLASS_MINOR)
		return 0;
	return LPD_CLASS_MINOR;
}

static void lpd_class_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	if (!walker->stop && lpd_class_of(sch)->qdisc)
		tc_qdisc_stats_dump(sch, LPD_CLASS_MINOR, walker);
}

static int lpd_class_dump(struct Qdisc *sch, unsigned long cl, struct sk_buff *skb,
			  struct tcmsg *tcm)
{
	tcm->tcm_handle |= LPD_CLASS_MINOR;
	tcm->tcm_info = lpd_class_of(sch)->qdisc->handle;
	return 0;
}

static int lpd_class_dump_stats(struct Qdisc *sch, unsigned long cl, struct gnet_dump *d)
{
	struct Qdisc *child = lpd_class_of(sch)->qdisc;

	if (gnet_stats_copy_basic(d, child->cpu_bstats, &child->bstats, true) < 0)
		return -1;
	return qdisc_qstats_copy(d, child);
}

const struct Qdisc_class_ops lpd_class_ops = {
	.graft		= lpd_class_graft,
	.leaf		= lpd_class_leaf,
	.qlen_notify	= lpd_class_qlen_notify,
	.find		= lpd_class_find,
	.walk		= lpd_class_walk,
	.dump		= lpd_class_dump,
	.dump_stats	= lpd_class_dump_stats,
};
