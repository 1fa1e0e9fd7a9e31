// SPDX-License-Identifier: GPL-2.0
/*
 * The queue: insertion, removal, and the one way a queued packet is dropped.
 *
 * What parents must be able to rely on (each rule cost another qdisc a bug):
 *
 * - Own qlen and backlog change first, then qdisc_tree_reduce_backlog() tells
 *   the parents.
 * - Inside a parent's call the drops never make a parent's own count reach 0. A
 *   parent told by its child that it is empty, in the middle of its own enqueue
 *   or dequeue, changes its lists under its own feet. Nor do parents count what
 *   the child holds at every moment: QFQ takes the packet that it is about to
 *   ask for off its qlen beforehand, TBF adds the segments of a GSO packet only
 *   when all are enqueued. So one packet that every parent has counted must
 *   always stay: enqueue spares the one at the head; peek and dequeue drop what
 *   stands before a fresh packet only if another one stands behind that.
 *   What is left the purge timer takes, with no parent's call on the stack.
 */

#include <linux/rtnetlink.h>
#include <net/pkt_sched.h>
#include "queue.h"
#include "trace.h"

/* Packets dropped in one go, for which the parents are told once. */
struct lpd_drops {
	struct sk_buff **to_free;
	int cause;
	unsigned int packets;
	unsigned int bytes;
};

/* What is to become of a packet once it is stale: enum tc_lpd_stale. */
static u8 lpd_treatment(const struct lpd_sched_data *q,
			const struct sk_buff *skb)
{
	return q->cfg.stale == TC_LPD_STALE_HONOR ? lpd_skb_cb(skb)->stale :
						    q->cfg.stale;
}

/**
 * lpd_queue_may_expire() - whether a packet is discarded once it is stale
 * @q: the queue
 * @skb: the packet, its control block filled
 */
bool lpd_queue_may_expire(const struct lpd_sched_data *q,
			  const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->deadline != LPD_NO_DEADLINE &&
	       lpd_treatment(q, skb) != TC_LPD_STALE_FORWARD;
}

/**
 * lpd_queue_key() - from when on a packet is stale
 * @q: the queue
 * @skb: the packet, with a deadline
 *
 * Return: monotonic time in ns
 */
s64 lpd_queue_key(const struct lpd_sched_data *q, const struct sk_buff *skb)
{
	s64 key = lpd_skb_cb(skb)->deadline - q->cfg.delay;

	if (q->cfg.rate)
		key -= psched_l2t_ns(&q->link, qdisc_pkt_len(skb));
	return key;
}

/**
 * lpd_queue_insert() - append a packet
 * @sch: the qdisc
 * @skb: the packet, its control block filled
 */
void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	__skb_queue_tail(&q->fifo, skb);
	if (lpd_queue_may_expire(q, skb))
		lpd_heap_push(&q->heap, skb, lpd_queue_key(q, skb));
	q->memory += skb->truesize;
	qdisc_qlen_inc(sch);
	qdisc_qstats_backlog_inc(sch, skb);
}

/**
 * lpd_queue_unlink() - take a packet out
 * @sch: the qdisc
 * @skb: a queued packet
 */
void lpd_queue_unlink(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (lpd_skb_cb(skb)->heap_pos != LPD_NOT_IN_HEAP)
		lpd_heap_remove(&q->heap, skb);
	__skb_unlink(skb, &q->fifo);
	q->memory -= skb->truesize;
	qdisc_qlen_dec(sch);
	qdisc_qstats_backlog_dec(sch, skb);
}

static bool lpd_cause_is_stale(int cause)
{
	return cause >= TCA_LPD_STATS_STALE_ENQUEUE &&
	       cause <= TCA_LPD_STATS_STALE_TIMER;
}

/* Count and trace a discard; the packet is not, or no longer, queued. */
static void lpd_count_discard(struct Qdisc *sch, const struct sk_buff *skb,
			      int cause)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (!lpd_cause_is_stale(cause)) {
		q->stats[cause]++;
		return;
	}
	if (trace_expire_enabled())
		trace_expire(sch, skb, cause,
			     lpd_now() - lpd_skb_cb(skb)->deadline);
	if (lpd_treatment(q, skb) == TC_LPD_STALE_TRUNCATE)
		cause = TCA_LPD_STATS_UNCUTTABLE;
	q->stats[cause]++;
}

static bool lpd_cause_is_overflow(int cause)
{
	return cause == TCA_LPD_STATS_OVERFLOW_LIMIT ||
	       cause == TCA_LPD_STATS_OVERFLOW_MEMORY;
}

/**
 * lpd_queue_refuse() - drop a packet on arrival
 * @sch: the qdisc
 * @skb: the packet, not queued
 * @cause: counter of enum tca_lpd_stats
 * @to_free: list that the packet is added to
 *
 * The parents have not counted it, so they are not told.
 *
 * Return: what enqueue returns
 */
int lpd_queue_refuse(struct Qdisc *sch, struct sk_buff *skb, int cause,
		     struct sk_buff **to_free)
{
	lpd_count_discard(sch, skb, cause);
	return qdisc_drop_reason(skb, sch, to_free,
				 lpd_cause_is_overflow(cause) ?
				 QDISC_DROP_OVERLIMIT : QDISC_DROP_GENERIC);
}

/* The one way out of the queue for a packet that is not sent; lpd_tell() must
 * follow. Without a list to free it from, dequeue or peek is dropping.
 */
static void lpd_drop(struct Qdisc *sch, struct sk_buff *skb,
		     struct lpd_drops *drops)
{
	drops->packets++;
	drops->bytes += qdisc_pkt_len(skb);
	lpd_queue_unlink(sch, skb);
	if (drops->to_free) {
		lpd_queue_refuse(sch, skb, drops->cause, drops->to_free);
		return;
	}
	lpd_count_discard(sch, skb, drops->cause);
	qdisc_qstats_drop(sch);
	qdisc_dequeue_drop(sch, skb, QDISC_DROP_GENERIC);
}

static void lpd_tell(struct Qdisc *sch, const struct lpd_drops *drops)
{
	if (drops->packets)
		qdisc_tree_reduce_backlog(sch, drops->packets, drops->bytes);
}

/* The first packet that is fresh, among the first LPD_BATCH. */
static struct sk_buff *lpd_first_fresh(struct lpd_sched_data *q, s64 now)
{
	unsigned int budget = LPD_BATCH;
	struct sk_buff *skb;

	skb_queue_walk(&q->fifo, skb) {
		if (!lpd_stale(q, skb, now))
			return skb;
		if (!--budget)
			break;
	}
	return NULL;
}

/**
 * lpd_queue_fresh() - the next packet to send
 * @sch: the qdisc
 * @now: monotonic time in ns
 * @cause: counter of enum tca_lpd_stats for stale packets before it, which are
 *	discarded unless it is the last packet queued
 *
 * Return: the packet, still queued; NULL if there is no fresh one near
 */
struct sk_buff *lpd_queue_fresh(struct Qdisc *sch, s64 now, int cause)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_drops drops = { .cause = cause };
	struct sk_buff *fresh = lpd_first_fresh(q, now);
	struct sk_buff *head;

	if (!fresh || skb_queue_is_last(&q->fifo, fresh))
		return fresh;
	while ((head = skb_peek(&q->fifo)) != fresh)
		lpd_drop(sch, head, &drops);
	lpd_tell(sch, &drops);
	return fresh;
}

/* Take a packet out of the heap, if it is there, so that no purge finds it. */
static bool lpd_spare(struct lpd_sched_data *q, struct sk_buff *skb)
{
	if (!skb || lpd_skb_cb(skb)->heap_pos == LPD_NOT_IN_HEAP)
		return false;
	lpd_heap_remove(&q->heap, skb);
	return true;
}

/**
 * lpd_queue_purge() - discard what is stale anywhere in the queue
 * @sch: the qdisc
 * @now: monotonic time in ns
 * @spare: a queued packet that stays even if it is stale, or NULL
 * @budget: packets to discard at the most
 * @cause: counter of enum tca_lpd_stats
 * @to_free: list that the packets are added to
 */
void lpd_queue_purge(struct Qdisc *sch, s64 now, struct sk_buff *spare,
		     unsigned int budget, int cause, struct sk_buff **to_free)
{
	struct lpd_drops drops = { .to_free = to_free, .cause = cause };
	struct lpd_sched_data *q = qdisc_priv(sch);
	bool spared = lpd_spare(q, spare);
	struct lpd_heap_node *first;

	while ((first = lpd_earliest(q)) && now > first->key &&
	       drops.packets < budget)
		lpd_drop(sch, first->skb, &drops);
	if (spared)
		lpd_heap_push(&q->heap, spare, lpd_queue_key(q, spare));
	lpd_tell(sch, &drops);
}

/**
 * lpd_queue_trim() - bring the queue within its limits after they shrank
 * @sch: the qdisc
 * @now: monotonic time in ns
 * @to_free: list that the packets dropped are added to
 *
 * What is stale goes first, then the newest, as on arrival. At least one packet
 * stays.
 */
void lpd_queue_trim(struct Qdisc *sch, s64 now, struct sk_buff **to_free)
{
	struct lpd_drops drops = { .to_free = to_free };
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_heap_node *first;
	struct sk_buff *skb;

	while ((drops.cause = lpd_excess(q, NULL))) {
		skb = skb_peek_tail(&q->fifo);
		first = lpd_earliest(q);
		if (first && now > first->key) {
			skb = first->skb;
			drops.cause = TCA_LPD_STATS_STALE_PURGE;
		}
		lpd_drop(sch, skb, &drops);
	}
	lpd_tell(sch, &drops);
}

/**
 * lpd_queue_rebuild() - compute every key anew after the configuration changed
 * @q: the queue
 */
void lpd_queue_rebuild(struct lpd_sched_data *q)
{
	struct sk_buff *skb;

	q->heap.len = 0;
	skb_queue_walk(&q->fifo, skb) {
		if (lpd_queue_may_expire(q, skb))
			lpd_heap_append(&q->heap, skb, lpd_queue_key(q, skb));
		else
			lpd_skb_cb(skb)->heap_pos = LPD_NOT_IN_HEAP;
	}
	lpd_heap_heapify(&q->heap);
}

/**
 * lpd_queue_reset() - drop everything
 * @sch: the qdisc; the core sets its qlen and backlog, the caller its parents'
 */
void lpd_queue_reset(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	q->stats[TCA_LPD_STATS_RESET] += q->fifo.qlen;
	while ((skb = __skb_dequeue(&q->fifo)))
		rtnl_kfree_skbs(skb, skb);
	q->heap.len = 0;
	q->memory = 0;
}
