/* SPDX-License-Identifier: GPL-2.0 */
/* The class of lpd, which holds the packets without a lifetime. */
#ifndef _SCH_LPD_CLASS_H
#define _SCH_LPD_CLASS_H

#include "queue.h"

static inline struct lpd_class *lpd_class_of(struct Qdisc *sch)
{
	return &((struct lpd_sched_data *)qdisc_priv(sch))->class;
}

extern const struct Qdisc_class_ops lpd_class_ops;

struct Qdisc *lpd_class_create(struct Qdisc *sch, struct netlink_ext_ack *extack);
void lpd_class_swap(struct Qdisc *sch, struct Qdisc **child);
void lpd_class_reset(struct Qdisc *sch);
int lpd_class_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free);
struct sk_buff *lpd_class_peek(struct Qdisc *sch);
void lpd_class_settle(struct Qdisc *sch);

/**
 * lpd_class_waits() - check whether the class has packets
 * @class: a class with a qdisc
 *
 * The qdisc of the class may have packets and still return none, for example if it is a
 * shaper.
 */
static inline bool lpd_class_waits(const struct lpd_class *class)
{
	return qdisc_qlen(class->qdisc);
}

/* Checks whether an active class has no packets, and neither queue owes anything. */
static inline bool lpd_class_settled(const struct lpd_class *class)
{
	return !lpd_class_waits(class) && !lpd_share_owes(&class->share);
}

/**
 * lpd_class_dequeue() - dequeue the next packet of the class
 * @sch: the lpd
 *
 * Return: the packet; NULL if the qdisc of the class returns none
 */
static inline struct sk_buff *lpd_class_dequeue(struct Qdisc *sch)
{
	struct lpd_class *class = lpd_class_of(sch);
	struct sk_buff *skb = qdisc_dequeue_peeked(class->qdisc);

	if (!skb)
		return NULL;
	class->inside--;
	qdisc_qlen_dec(sch);
	qdisc_qstats_backlog_dec(sch, skb);
	return skb;
}

#endif /* _SCH_LPD_CLASS_H */
