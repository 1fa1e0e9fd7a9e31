// SPDX-License-Identifier: GPL-2.0
/*
 * sch_lpd: Lifetime Packet Discard
 *
 * A FIFO whose packets carry their best-before time in an IP option
 * (<linux/xlo.h>). What can no longer arrive in time is discarded instead of
 * sent, so that after a delay spike on the link below fresh packets do not
 * queue behind stale ones.
 *
 *	stale:  now + length / rate + delay > deadline
 *
 *	enqueue: read the option; drop the packet if it is stale on arrival;
 *		 append it; if the queue is over its limits, discard what is
 *		 stale in it, then, if that was not enough, the new packet
 *	dequeue: discard stale packets from the head; write the remaining
 *		 lifetime into the packet that leaves
 *	timer:	 discard what expires while nobody dequeues
 *
 * Reference: A. Gurtov and R. Ludwig, "Lifetime Packet Discard for Efficient
 * Real-Time Transport over Cellular Links", Mobile Computing and
 * Communications Review 7(4), 2003, sections II.A and IV.
 *
 * Not here: stamping packets with a lifetime (the sender does),
 * shaping (use a parent such as tbf), flow isolation (use a classful parent).
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <net/pkt_sched.h>
#include "netlink.h"
#include "queue.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* One run of the purge timer, and the pause before the next. */
#define LPD_PURGE_BATCH	256U
#define LPD_PURGE_GAP	(100 * NSEC_PER_USEC)

static void lpd_timer_arm(struct lpd_sched_data *q, s64 at)
{
	q->purge_at = at;
	/* a deadline before the clock's start is no time for a timer */
	hrtimer_start(&q->purge_timer, ns_to_ktime(max_t(s64, at, 0)),
		      HRTIMER_MODE_ABS_PINNED_SOFT);
}

/* After a packet with this key came in: the timer is left alone unless it
 * would fire too late. Most packets leave before it fires at all. So whenever
 * a stale packet is queued, the timer is about to fire.
 */
static void lpd_timer_advance(struct lpd_sched_data *q, s64 key)
{
	if (key < q->purge_at)
		lpd_timer_arm(q, key + 1);
}

static enum hrtimer_restart lpd_timer_fire(struct hrtimer *timer)
{
	struct lpd_sched_data *q = container_of(timer, struct lpd_sched_data,
						purge_timer);
	struct sk_buff *to_free = NULL;
	struct Qdisc *sch = q->sch;
	struct lpd_heap_node *first;
	spinlock_t *root_lock; /* of the qdisc tree */
	s64 now;

	rcu_read_lock();
	root_lock = qdisc_lock(qdisc_root_sleeping(sch));
	spin_lock(root_lock);
	now = lpd_now();
	q->purge_at = S64_MAX;
	lpd_queue_purge(sch, now, NULL, LPD_PURGE_BATCH,
			TCA_LPD_STATS_STALE_TIMER, &to_free);
	/* DRR, ETS and HFSC give up the whole tree when a class they chose
	 * returns nothing: wake it for the sake of the other children.
	 */
	__netif_schedule(qdisc_root(sch));
	first = lpd_earliest(q);
	if (first)
		lpd_timer_arm(q, max_t(s64, first->key + 1,
				       now + LPD_PURGE_GAP));
	spin_unlock(root_lock);
	rcu_read_unlock();

	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
	return HRTIMER_NORESTART;
}

/* Give a packet the qdisc's own lifetime, if there is one. */
static void lpd_default_lifetime(struct lpd_sched_data *q, struct sk_buff *skb,
				 s64 now)
{
	if (!q->cfg.lifetime)
		return;
	lpd_skb_cb(skb)->deadline = now + q->cfg.lifetime;
	q->stats[TCA_LPD_STATS_DEFAULT_LIFETIME]++;
}

static int lpd_classify(struct lpd_sched_data *q, struct sk_buff *skb, s64 now)
{
	int option = lpd_packet_read(skb, now);

	switch (option) {
	case LPD_OPTION_NOMEM:
		return -ENOMEM;
	case LPD_OPTION_RESERVED:
		q->stats[TCA_LPD_STATS_RESERVED]++;
		break;
	case LPD_OPTION_MALFORMED:
		q->stats[TCA_LPD_STATS_MALFORMED]++;
		fallthrough;
	case LPD_OPTION_NONE:
		lpd_default_lifetime(q, skb, now);
		break;
	}
	if (lpd_skb_cb(skb)->deadline == LPD_NO_DEADLINE)
		q->stats[TCA_LPD_STATS_NO_LIFETIME]++;
	return 0;
}

/* The packet just inserted, not stale at @now, made the queue too large. A stale
 * head must stay for the parents' sake (see queue.c), so it does not count: it
 * is gone once the timer has fired.
 */
static int lpd_overflow(struct Qdisc *sch, struct sk_buff *skb, s64 now,
			struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *head = skb_peek(&q->fifo);
	int cause;

	lpd_queue_purge(sch, now, head, LPD_BATCH, TCA_LPD_STATS_STALE_PURGE,
			to_free);
	cause = lpd_excess(q, lpd_stale(q, head, now) ? head : NULL);
	if (!cause)
		return NET_XMIT_SUCCESS;
	lpd_queue_unlink(sch, skb);
	return lpd_queue_refuse(sch, skb, cause, to_free);
}

static int lpd_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		       struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 now = lpd_now();

	q->stats[TCA_LPD_STATS_PACKETS_IN]++;
	if (unlikely(lpd_classify(q, skb, now)))
		return lpd_queue_refuse(sch, skb, TCA_LPD_STATS_NOMEM, to_free);
	if (lpd_queue_may_expire(q, skb)) {
		s64 key = lpd_queue_key(q, skb);

		if (now > key)
			return lpd_queue_refuse(sch, skb,
						TCA_LPD_STATS_STALE_ENQUEUE,
						to_free);
		lpd_timer_advance(q, key);
	}
	lpd_queue_insert(sch, skb);
	if (unlikely(lpd_excess(q, NULL)))
		return lpd_overflow(sch, skb, now, to_free);
	return NET_XMIT_SUCCESS;
}

/* Now, or 0 if the packet at the head has no lifetime to compare it with. */
static s64 lpd_head_now(const struct lpd_sched_data *q)
{
	const struct sk_buff *head = skb_peek(&q->fifo);

	if (!head || lpd_skb_cb(head)->deadline == LPD_NO_DEADLINE)
		return 0;
	return lpd_now();
}

/* Count a packet that leaves, and write what remains into its option. */
static void lpd_depart(struct lpd_sched_data *q, struct sk_buff *skb, s64 now)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	q->stats[TCA_LPD_STATS_PACKETS_OUT]++;
	if (cb->deadline == LPD_NO_DEADLINE)
		return;
	if (now > lpd_queue_key(q, skb))
		q->stats[TCA_LPD_STATS_STALE_FORWARDED]++;
	else
		q->remaining[lpd_hist_bucket(cb->deadline - now)]++;
	if (!cb->opt_off)
		return;
	lpd_packet_write_lifetime(skb, lpd_remaining_ms(cb->deadline, now));
	q->stats[TCA_LPD_STATS_REWRITTEN]++;
}

static struct sk_buff *lpd_dequeue(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 now = lpd_head_now(q);
	struct sk_buff *skb;

	skb = lpd_queue_fresh(sch, now, TCA_LPD_STATS_STALE_DEQUEUE);
	if (!skb)
		return NULL;
	lpd_queue_unlink(sch, skb);
	qdisc_bstats_update(sch, skb);
	lpd_depart(q, skb, now);
	return skb;
}

/* Never NULL while something is queued, even if all of it is stale: QFQ takes
 * that for a bug. A packet peeked at may expire before it is dequeued (tbf and
 * HFSC may wait seconds in between): dequeue judges it again.
 */
static struct sk_buff *lpd_peek(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	skb = lpd_queue_fresh(sch, lpd_head_now(q), TCA_LPD_STATS_STALE_PEEK);
	return skb ?: skb_peek(&q->fifo);
}

static void lpd_reset(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_queue_reset(sch);
	/* Not hrtimer_cancel(): a timer that is firing waits for the lock held
	 * here. It will find the queue empty.
	 */
	hrtimer_try_to_cancel(&q->purge_timer);
	q->purge_at = S64_MAX;
}

/* The heap's array holds two packets more than the limit: one is inserted before
 * another is dropped for it, and a stale head may not count.
 */
static struct lpd_heap_node *lpd_heap_alloc(u32 limit)
{
	return kvmalloc_array(limit + 2, sizeof(struct lpd_heap_node),
			      GFP_KERNEL);
}

static void lpd_configure(struct Qdisc *sch, const struct lpd_config *cfg)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct tc_ratespec unshaped = {};

	q->cfg = *cfg;
	sch->limit = cfg->limit;
	psched_ratecfg_precompute(&q->link, &unshaped, cfg->rate);
}

/* All or nothing: what can fail comes before the lock. */
static int lpd_change(struct Qdisc *sch, struct nlattr *opt,
		      struct netlink_ext_ack *extack)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_heap_node *node, *old;
	struct lpd_config cfg = q->cfg;
	struct sk_buff *to_free = NULL;
	int err;

	err = lpd_netlink_parse(&cfg, opt, extack);
	if (err)
		return err;
	node = lpd_heap_alloc(cfg.limit);
	if (!node)
		return -ENOMEM;

	sch_tree_lock(sch);
	lpd_configure(sch, &cfg);
	lpd_queue_rebuild(q);
	lpd_queue_trim(sch, lpd_now(), &to_free);
	old = q->heap.node;
	memcpy(node, old, q->heap.len * sizeof(*node));
	q->heap.node = node;
	if (lpd_earliest(q))
		lpd_timer_advance(q, lpd_earliest(q)->key);
	sch_tree_unlock(sch);

	kvfree(old);
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
	return 0;
}

static int lpd_init(struct Qdisc *sch, struct nlattr *opt,
		    struct netlink_ext_ack *extack)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_config cfg = {
		.limit = TC_LPD_LIMIT_DEFAULT,
		.memory = TC_LPD_MEMORY_DEFAULT,
		.stale = TC_LPD_STALE_HONOR,
		.order = TC_LPD_ORDER_FIFO,
		.overflow = TC_LPD_OVERFLOW_TAIL,
		.adu = true,
	};
	int err;

	/* before the first failure: destroy runs after a failed init */
	hrtimer_setup(&q->purge_timer, lpd_timer_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	q->purge_at = S64_MAX;
	q->sch = sch;
	__skb_queue_head_init(&q->fifo);

	err = lpd_netlink_parse(&cfg, opt, extack);
	if (err)
		return err;
	q->heap.node = lpd_heap_alloc(cfg.limit);
	if (!q->heap.node)
		return -ENOMEM;
	lpd_configure(sch, &cfg);
	/* TCQ_F_WARN_NONWC says that parents have already complained of a child
	 * that has packets and returns none: here that is no accident.
	 */
	sch->flags |= TCQ_F_DEQUEUE_DROPS | TCQ_F_WARN_NONWC;
	return 0;
}

static void lpd_destroy(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	hrtimer_cancel(&q->purge_timer);
	kvfree(q->heap.node);
}

static struct Qdisc_ops lpd_qdisc_ops __read_mostly = {
	.id		= "lpd",
	.priv_size	= sizeof(struct lpd_sched_data),
	.enqueue	= lpd_enqueue,
	.dequeue	= lpd_dequeue,
	.peek		= lpd_peek,
	.init		= lpd_init,
	.reset		= lpd_reset,
	.destroy	= lpd_destroy,
	.change		= lpd_change,
	.dump		= lpd_dump,
	.dump_stats	= lpd_dump_stats,
	.owner		= THIS_MODULE,
};

static int __init lpd_module_init(void)
{
	return register_qdisc(&lpd_qdisc_ops);
}

static void __exit lpd_module_exit(void)
{
	unregister_qdisc(&lpd_qdisc_ops);
}

module_init(lpd_module_init);
module_exit(lpd_module_exit);
MODULE_DESCRIPTION("Lifetime Packet Discard: a queue that drops what is stale");
MODULE_LICENSE("GPL");
MODULE_ALIAS_NET_SCH("lpd");
