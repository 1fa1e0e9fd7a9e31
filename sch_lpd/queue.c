// SPDX-License-Identifier: GPL-2.0
/* The queue: which packets are in it, and in what order they leave. */

#include <linux/rtnetlink.h>
#include <linux/sort.h>
#include <net/pkt_sched.h>
#include "queue.h"

static struct lpd_flow *lpd_flow_of(struct lpd_sched_data *q,
				    struct sk_buff *skb)
{
	return &q->flows[reciprocal_scale(skb_get_hash(skb), LPD_FLOWS)];
}

/* With order edf, where a packet that has just come stands. */
static noinline void lpd_order(struct lpd_sched_data *q, struct sk_buff *skb,
			       struct lpd_entry *e)
{
	e->flow = lpd_flow_of(q, skb);
	e->place = lpd_flow_place(e->flow, e->key, lpd_skb_cb(skb)->reorder,
				  qdisc_pkt_segs(skb));
}

/* Put a packet with a lifetime into the index. */
static __always_inline void lpd_enter(struct lpd_sched_data *q, struct sk_buff *skb, s64 key)
{
	struct lpd_entry *e = lpd_pool_take(&q->pool, skb);

	e->key = key;
	e->place = key;
	e->seq = q->seq++;
	e->segment = 0;
	if (q->flows)
		lpd_order(q, skb, e);
	if (lpd_skb_cb(skb)->cut)
		lpd_index_keep(&q->index, e);
	else
		lpd_index_add(&q->index, e);
}

/* Take a packet out of the index. */
static __always_inline void lpd_leave(struct lpd_sched_data *q,
				      struct lpd_entry *e)
{
	lpd_index_remove(&q->index, e);
	if (q->flows)
		lpd_flow_leave(e->flow);
	lpd_pool_release(&q->pool, e);
}

/**
 * lpd_queue_keep() - a queued packet is to be sent whatever the time
 * @q: the queue
 * @skb: the packet, which keeps its place
 */
void lpd_queue_keep(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_entry *e = lpd_queue_spare(q, skb);

	if (!e)
		return;
	if (q->flows)
		lpd_index_keep(&q->index, e);
	else
		lpd_pool_release(&q->pool, e);
}

/**
 * lpd_queue_spare() - take a packet off those that may become stale, for a while
 * @q: the queue
 * @skb: a queued packet
 *
 * Return: for lpd_queue_unspare(); NULL if it is none of them
 */
struct lpd_entry *lpd_queue_spare(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_entry *e;

	if (!lpd_pool_has(skb))
		return NULL;
	e = lpd_pool_entry(&q->pool, skb);
	if (!lpd_index_expires(e))
		return NULL;
	lpd_index_spare(&q->index, e);
	return e;
}

/**
 * lpd_queue_unspare() - put a packet back among those that may become stale
 * @q: the queue
 * @e: of lpd_queue_spare()
 */
void lpd_queue_unspare(struct lpd_sched_data *q, struct lpd_entry *e)
{
	if (e)
		lpd_index_unspare(&q->index, e);
}

/**
 * lpd_queue_insert() - put a packet that has come into the queue
 * @sch: the qdisc
 * @skb: the packet, its control block filled
 * @key: from when on it is stale; LPD_NO_DEADLINE if nothing happens to it then
 */
void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb, s64 key)
{
	lpd_queue_append(sch, skb, lpd_packet_memory(skb));
	if (key != LPD_NO_DEADLINE)
		lpd_enter(qdisc_priv(sch), skb, key);
}

/**
 * lpd_queue_spot() - where a packet stands
 * @q: the queue
 * @skb: a queued packet
 *
 * Return: the spot, good until another packet is inserted or unlinked
 */
struct lpd_spot lpd_queue_spot(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_spot spot = {};

	if (!skb_queue_is_last(&q->fifo, skb))
		spot.before = skb->next;
	if (q->flows && lpd_pool_has(skb))
		spot.entry = *lpd_pool_entry(&q->pool, skb);
	return spot;
}

/* Put a packet into the order where another one has been; advances @at. */
static void lpd_join(struct lpd_sched_data *q, struct sk_buff *skb,
		     struct lpd_entry *at)
{
	struct lpd_entry *e = lpd_pool_take(&q->pool, skb);

	e->key = at->key;
	e->place = at->place;
	e->seq = at->seq;
	e->segment = at->segment++;
	e->flow = at->flow;
	lpd_flow_join(e->flow);
	lpd_index_keep(&q->index, e);
}

/**
 * lpd_queue_insert_at() - put a packet where another one has been
 * @sch: the qdisc
 * @skb: the packet, its control block filled, which never expires
 * @spot: where; advanced, so that the next packet comes behind this one
 */
void lpd_queue_insert_at(struct Qdisc *sch, struct sk_buff *skb,
			 struct lpd_spot *spot)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (spot->before)
		__skb_queue_before(&q->fifo, spot->before, skb);
	else
		__skb_queue_tail(&q->fifo, skb);
	if (spot->entry.skb)
		lpd_join(q, skb, &spot->entry);
	lpd_queue_account(sch, skb, lpd_packet_memory(skb));
}

static __always_inline void lpd_take_out(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (lpd_pool_has(skb))
		lpd_leave(q, lpd_pool_entry(&q->pool, skb));
	lpd_queue_detach(sch, skb, lpd_packet_memory(skb));
}

/**
 * lpd_queue_unlink() - take a packet out
 * @sch: the qdisc
 * @skb: a queued packet
 */
void lpd_queue_unlink(struct Qdisc *sch, struct sk_buff *skb)
{
	lpd_take_out(sch, skb);
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
	const struct lpd_entry *e = lpd_pool_entry(&q->pool, skb);

	if ((s32)(e->seq - q->latest) < 0)
		q->stats[TCA_LPD_STATS_REORDERED]++;
	else
		q->latest = e->seq;
}

/* A packet that is about to leave gives the head its place. */
static void lpd_give_place(struct sk_buff_head *fifo, struct sk_buff *skb)
{
	struct sk_buff *head = skb_peek(fifo);

	if (skb == head)
		return;
	__skb_unlink(head, fifo);
	__skb_queue_after(fifo, skb, head);
}

/**
 * lpd_queue_take() - take a packet out to send it
 * @sch: the qdisc
 * @skb: the packet; with order edf the head stands then where it stood
 */
void lpd_queue_take(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (q->flows && lpd_pool_has(skb)) {
		lpd_count_reordered(q, skb);
		lpd_give_place(&q->fifo, skb);
	}
	lpd_take_out(sch, skb);
}

static int lpd_compare_arrivals(const void *a, const void *b)
{
	const struct lpd_heap_node *one = a, *other = b;

	return lpd_entry_came_before(one->entry, other->entry) ? -1 : 1;
}

/* With order edf, all packets that share their places in the order of arrival. Takes
 * a heap's array for it.
 */
static struct lpd_heap_node *lpd_arrivals(struct lpd_sched_data *q)
{
	struct lpd_heap_node *node = q->index.order.node;
	struct sk_buff *skb;
	size_t len = 0;

	skb_queue_walk(&q->fifo, skb)
		if (lpd_pool_has(skb))
			node[len++].entry = lpd_pool_entry(&q->pool, skb);
	sort(node, len, sizeof(*node), lpd_compare_arrivals, NULL);
	return node;
}

/**
 * lpd_queue_restore() - give packets that have changed places the right ones again
 * @q: the queue; its index is to be rebuilt afterwards
 *
 * Those that share their places get them in the order of arrival, which is what
 * another order begins with.
 */
void lpd_queue_restore(struct lpd_sched_data *q)
{
	struct lpd_heap_node *node;
	struct sk_buff *skb;

	if (!q->flows)
		return;
	node = lpd_arrivals(q);
	skb_queue_walk(&q->fifo, skb) {
		if (!lpd_pool_has(skb))
			continue;
		if (skb != node->entry->skb) {
			lpd_exchange(&q->fifo, skb, node->entry->skb);
			skb = node->entry->skb;
		}
		node++;
	}
}

/**
 * lpd_queue_rebuild() - compute every key anew after the configuration changed
 * @q: the queue, its pool, index and flows new and empty
 */
void lpd_queue_rebuild(struct lpd_sched_data *q)
{
	struct sk_buff *skb;

	q->latest = q->seq;
	skb_queue_walk(&q->fifo, skb) {
		lpd_skb_cb(skb)->entry = LPD_NO_ENTRY;
		if (lpd_queue_may_expire(q, skb) ||
		    (q->flows && lpd_queue_heeds(q, skb)))
			lpd_enter(q, skb, lpd_queue_key(q, skb));
	}
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
	while ((skb = __skb_dequeue(&q->fifo))) {
		if (lpd_pool_has(skb))
			lpd_pool_release(&q->pool,
					 lpd_pool_entry(&q->pool, skb));
		rtnl_kfree_skbs(skb, skb);
	}
	lpd_index_clear(&q->index);
	q->memory = 0;
	if (q->flows)
		memset(q->flows, 0, LPD_FLOWS * sizeof(*q->flows));
	if (q->adus)
		lpd_adu_init(q->adus);
}
