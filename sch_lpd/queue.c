// SPDX-License-Identifier: GPL-2.0
/* The queue: which packets are in it, and in what order they leave. */

#include <linux/rtnetlink.h>
#include <linux/sort.h>
#include <net/pkt_sched.h>
#include "queue.h"

/**
 * lpd_queue_treatment() - what is to become of a packet once it is stale
 * @q: the queue
 * @skb: the packet, its control block filled
 *
 * Return: enum tc_lpd_stale, never HONOR
 */
u8 lpd_queue_treatment(const struct lpd_sched_data *q,
		       const struct sk_buff *skb)
{
	return q->cfg.stale == TC_LPD_STALE_HONOR ? lpd_skb_cb(skb)->stale :
						    q->cfg.stale;
}

/**
 * lpd_queue_may_expire() - whether something happens to a packet once it is stale
 * @q: the queue
 * @skb: the packet, its control block filled
 */
bool lpd_queue_may_expire(const struct lpd_sched_data *q,
			  const struct sk_buff *skb)
{
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	return cb->deadline != LPD_NO_DEADLINE && !cb->cut &&
	       lpd_queue_treatment(q, skb) != TC_LPD_STALE_FORWARD;
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

static bool lpd_in_heap(const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->heap_pos != LPD_NOT_IN_HEAP;
}

/**
 * lpd_queue_stale() - whether a queued packet is to be discarded or cut
 * @q: the queue
 * @skb: the packet
 * @now: monotonic time in ns
 */
bool lpd_queue_stale(const struct lpd_sched_data *q, const struct sk_buff *skb,
		     s64 now)
{
	/* its place in the order may be later than its key */
	return lpd_in_heap(skb) && now > lpd_queue_key(q, skb);
}

static struct lpd_flow *lpd_flow_of(struct lpd_sched_data *q,
				    struct sk_buff *skb)
{
	return &q->flows[reciprocal_scale(skb_get_hash(skb), LPD_FLOWS)];
}

/* A packet's place in the heap. */
static struct lpd_heap_node lpd_node(struct lpd_sched_data *q,
				     struct sk_buff *skb)
{
	struct lpd_heap_node node = {
		.key = lpd_queue_key(q, skb),
		.skb = skb,
		.seq = q->seq++,
	};

	if (q->flows)
		node.key = lpd_flow_place(lpd_flow_of(q, skb), node.key,
					  lpd_skb_cb(skb)->reorder);
	return node;
}

/**
 * lpd_queue_keep() - a queued packet is to be sent whatever the time
 * @q: the queue
 * @skb: the packet
 */
void lpd_queue_keep(struct lpd_sched_data *q, struct sk_buff *skb)
{
	if (!lpd_in_heap(skb))
		return;
	lpd_heap_remove(&q->heap, skb);
	if (q->flows)
		lpd_flow_leave(lpd_flow_of(q, skb));
}

/**
 * lpd_queue_next() - the packet whose turn it is
 * @q: the queue
 *
 * With order edf packets that may expire share their places in the FIFO, and the
 * one with the earliest key has the first of these. So all others wait as long
 * as ever, and neither kind can starve the other.
 *
 * Return: the packet; NULL if nothing is queued
 */
struct sk_buff *lpd_queue_next(struct lpd_sched_data *q)
{
	struct sk_buff *head = skb_peek(&q->fifo);

	if (head && q->cfg.order == TC_LPD_ORDER_EDF && lpd_in_heap(head))
		return lpd_earliest(q)->skb;
	return head;
}

/**
 * lpd_queue_insert() - put a packet into the queue
 * @sch: the qdisc
 * @skb: the packet, its control block filled
 * @before: the packet that it shall stand before; NULL: it becomes the last one
 */
void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb,
		      struct sk_buff *before)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (before)
		__skb_queue_before(&q->fifo, before, skb);
	else
		__skb_queue_tail(&q->fifo, skb);
	if (lpd_queue_may_expire(q, skb))
		lpd_heap_push(&q->heap, lpd_node(q, skb));
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

	lpd_queue_keep(q, skb);
	__skb_unlink(skb, &q->fifo);
	q->memory -= skb->truesize;
	qdisc_qlen_dec(sch);
	qdisc_qstats_backlog_dec(sch, skb);
}

/* Two packets change places, of which @first stands before @second. */
static void lpd_exchange(struct sk_buff_head *fifo, struct sk_buff *first,
			 struct sk_buff *second)
{
	struct sk_buff *behind = second->next;

	__skb_unlink(second, fifo);
	__skb_queue_before(fifo, first, second);
	__skb_unlink(first, fifo);
	__skb_queue_before(fifo, behind, first);
}

/* Count a packet that leaves after one that came later (RFC 4737's reordering). */
static void lpd_count_reordered(struct lpd_sched_data *q,
				const struct sk_buff *skb)
{
	u32 seq = q->heap.node[lpd_skb_cb(skb)->heap_pos].seq;

	if ((s32)(seq - q->latest) < 0)
		q->stats[TCA_LPD_STATS_REORDERED]++;
	else
		q->latest = seq;
}

/**
 * lpd_queue_take() - take a packet out to send it
 * @sch: the qdisc
 * @skb: the packet; with order edf the head stands then where it stood
 */
void lpd_queue_take(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *head = skb_peek(&q->fifo);

	if (q->cfg.order == TC_LPD_ORDER_EDF && lpd_in_heap(skb)) {
		lpd_count_reordered(q, skb);
		if (skb != head)
			lpd_exchange(&q->fifo, head, skb);
	}
	lpd_queue_unlink(sch, skb);
}

static int lpd_compare_arrivals(const void *a, const void *b)
{
	const struct lpd_heap_node *one = a, *other = b;

	return (s32)(one->seq - other->seq);
}

/**
 * lpd_queue_restore() - give packets that have changed places the right ones again
 * @q: the queue; its heap is to be rebuilt afterwards
 *
 * Those that may expire share their places. They get them in the order of arrival,
 * which is what another order begins with.
 */
void lpd_queue_restore(struct lpd_sched_data *q)
{
	struct lpd_heap_node *node = q->heap.node;
	struct sk_buff *skb;

	sort(node, q->heap.len, sizeof(*node), lpd_compare_arrivals, NULL);
	skb_queue_walk(&q->fifo, skb) {
		if (!lpd_in_heap(skb))
			continue;
		if (skb != node->skb) {
			lpd_exchange(&q->fifo, skb, node->skb);
			skb = node->skb;
		}
		node++;
	}
}

/**
 * lpd_queue_rebuild() - compute every key anew after the configuration changed
 * @q: the queue, its flows new
 */
void lpd_queue_rebuild(struct lpd_sched_data *q)
{
	struct sk_buff *skb;

	q->heap.len = 0;
	q->latest = q->seq;
	skb_queue_walk(&q->fifo, skb) {
		if (lpd_queue_may_expire(q, skb))
			lpd_heap_append(&q->heap, lpd_node(q, skb));
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
	if (q->flows)
		memset(q->flows, 0, LPD_FLOWS * sizeof(*q->flows));
	if (q->adus)
		lpd_adu_init(q->adus);
}
