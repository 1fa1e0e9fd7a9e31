// SPDX-License-Identifier: GPL-2.0
/* Adds packets to the queue, removes them, and decides the order in which they are sent. */

#include <linux/rtnetlink.h>
#include <net/pkt_sched.h>
#include "queue.h"

/**
 * lpd_queue_rule() - find the rule that applies to a packet
 * @q: the queue
 * @skb: the packet
 *
 * Return: the rule, or NULL
 */
const struct lpd_rule *lpd_queue_rule(const struct lpd_sched_data *q,
				      const struct sk_buff *skb)
{
	struct lpd_traits traits;

	if (!q->cfg.rules)
		return NULL;
	lpd_packet_traits(skb, &traits);
	return lpd_match(q->cfg.rules, &traits);
}

/* With overflow least: gives a packet its rank. This function and the other noinline functions of
 * this file are rarely called. Because they are not inline, their callers save fewer registers.
 */
static noinline void lpd_rank(struct lpd_sched_data *q, struct lpd_entry *e, bool expires)
{
	const struct lpd_rule *rule = lpd_queue_rule(q, e->skb);

	lpd_rank_add(&q->ranks, lpd_rank_of(&q->ranks, &q->order, e), e,
		     rule ? rule->importance : 0, expires);
}

static noinline void lpd_unrank(struct lpd_sched_data *q, struct lpd_entry *e)
{
	lpd_rank_remove(&q->ranks, lpd_rank_of(&q->ranks, &q->order, e));
}

/* Ranks a packet as a packet that cannot become stale any more. */
static void lpd_rank_keep(struct lpd_sched_data *q, struct lpd_entry *e)
{
	struct lpd_rank *rank = lpd_rank_of(&q->ranks, &q->order, e);

	lpd_rank_remove(&q->ranks, rank);
	lpd_rank_add(&q->ranks, rank, e, rank->importance, false);
}

/* Puts a packet with a lifetime into the order. */
static __always_inline void lpd_enter(struct lpd_sched_data *q, struct sk_buff *skb, s64 key)
{
	bool cut = lpd_skb_cb(skb)->cut;
	struct lpd_entry *e = cut ? lpd_order_enter_cut(&q->order, skb, key) :
				    lpd_order_enter(&q->order, skb, key);

	if (q->ranks.rank)
		lpd_rank(q, e, !cut);
}

/* With overflow least: gives an entry to a packet that does not belong in the order. */
static noinline void lpd_enter_apart(struct lpd_sched_data *q, struct sk_buff *skb)
{
	lpd_rank(q, lpd_order_enter_apart(&q->order, skb), false);
}

static noinline void lpd_leave_apart(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_entry *e = lpd_order_apart(&q->order, skb);

	lpd_unrank(q, e);
	lpd_order_release(&q->order, e);
}

/* Does the part of lpd_queue_keep() that only order edf and overflow least need. */
static noinline void lpd_keep_elaborate(struct lpd_sched_data *q, struct lpd_entry *e)
{
	if (q->ranks.rank)
		lpd_rank_keep(q, e);
	if (q->order.flows)
		lpd_order_keep(&q->order, e);
}

/* Gives the first packet of the run an entry. */
static struct lpd_entry *lpd_settle_first(struct lpd_sched_data *q)
{
	struct sk_buff *skb = q->order.run.first;
	s64 key = lpd_queue_run_key(q, skb), seq = lpd_queue_leave_run(q, skb);

	return lpd_order_settle(&q->order, skb, key, seq);
}

/**
 * lpd_queue_settle() - give a packet an entry that is in the run
 * @q: the queue
 * @skb: a queued packet
 *
 * All other functions work on entries. Packets leave the run at its start only, so the packets in
 * front of @skb get entries, too. As a rule, @skb is the first or second packet.
 */
void lpd_queue_settle(struct lpd_sched_data *q, const struct sk_buff *skb)
{
	while (lpd_skb_cb(skb)->run)
		lpd_settle_first(q);
}

/**
 * lpd_queue_first_key() - find the time at which the first packet becomes stale
 * @q: the queue
 *
 * Return: the key of lpd_queue_earliest(); FL_NO_DEADLINE if no packet may become stale
 */
s64 lpd_queue_first_key(struct lpd_sched_data *q)
{
	const struct sk_buff *run = q->order.run.first;
	const struct lpd_entry *e = lpd_order_earliest(&q->order);

	return min(run ? lpd_queue_run_key(q, run) : FL_NO_DEADLINE,
		   e ? e->by_key.at : FL_NO_DEADLINE);
}

/**
 * lpd_queue_earliest() - find the packet that becomes stale first
 * @q: the queue
 *
 * Return: the packet, which has an entry; NULL if no packet may become stale
 */
struct sk_buff *lpd_queue_earliest(struct lpd_sched_data *q)
{
	struct lpd_entry *e = lpd_order_earliest(&q->order);
	const struct sk_buff *run = q->order.run.first;

	if (run && (!e || lpd_order_run_expires_before(&q->order, lpd_queue_run_key(q, run), e)))
		e = lpd_settle_first(q);
	return e ? e->skb : NULL;
}

/**
 * lpd_queue_keep() - let a queued packet be sent even when it is stale
 * @q: the queue
 * @skb: the packet; its place in the sending order does not change
 */
void lpd_queue_keep(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_entry *e = lpd_queue_spare(q, skb);

	if (!e)
		return;
	if (q->elaborate)
		lpd_keep_elaborate(q, e);
	else
		lpd_order_release(&q->order, e);
}

/**
 * lpd_queue_spare() - exempt a packet from expiry for a short time
 * @q: the queue
 * @skb: a queued packet
 *
 * Return: the packet's entry, for lpd_queue_unspare(); NULL if the packet does not expire
 */
struct lpd_entry *lpd_queue_spare(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_entry *e;

	lpd_queue_settle(q, skb);
	if (!lpd_order_has(skb))
		return NULL;
	e = lpd_order_entry(&q->order, skb);
	if (!lpd_order_expires(e))
		return NULL;
	lpd_order_spare(&q->order, e);
	return e;
}

/**
 * lpd_queue_unspare() - let a packet expire again
 * @q: the queue
 * @e: return value of lpd_queue_spare()
 */
void lpd_queue_unspare(struct lpd_sched_data *q, struct lpd_entry *e)
{
	if (e)
		lpd_order_unspare(&q->order, e);
}

/**
 * lpd_queue_insert() - queue an arriving packet
 * @sch: the qdisc
 * @skb: a packet whose control block is filled
 * @key: lpd_queue_key() of the packet; FL_NO_DEADLINE for a packet that never
 *	expires
 */
void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb, s64 key)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_queue_append(sch, skb, lpd_packet_memory(skb));
	if (key != FL_NO_DEADLINE)
		lpd_enter(q, skb, key);
	else if (q->ranks.rank)
		lpd_enter_apart(q, skb);
}

/**
 * lpd_queue_spot() - find the position of a packet
 * @q: the queue
 * @skb: a queued packet
 *
 * Return: the position, which is valid until another packet is inserted or unlinked
 */
struct lpd_spot lpd_queue_spot(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_spot spot = {};

	if (!skb_queue_is_last(&q->fifo, skb))
		spot.before = skb->next;
	if (q->elaborate && lpd_order_has(skb))
		spot.mark = lpd_order_mark(&q->order, lpd_order_entry(&q->order, skb));
	return spot;
}

/* Gives a packet the position @at of another packet. */
static void lpd_join(struct lpd_sched_data *q, struct sk_buff *skb, struct lpd_mark *at)
{
	struct lpd_entry *e = lpd_order_join(&q->order, skb, at);

	if (q->ranks.rank)
		lpd_rank(q, e, false);
}

/**
 * lpd_queue_insert_at() - queue a packet at the position of another packet
 * @sch: the qdisc
 * @skb: a packet that never expires and whose control block is filled
 * @spot: the position; updated so that the next packet goes after @skb
 */
void lpd_queue_insert_at(struct Qdisc *sch, struct sk_buff *skb,
			 struct lpd_spot *spot)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (spot->before)
		__skb_queue_before(&q->fifo, spot->before, skb);
	else
		__skb_queue_tail(&q->fifo, skb);
	if (spot->mark.entry.skb)
		lpd_join(q, skb, &spot->mark);
	lpd_queue_account(sch, skb, lpd_packet_memory(skb));
}

/**
 * lpd_queue_unlink() - remove a packet from the queue
 * @sch: the qdisc
 * @skb: a queued packet
 */
void lpd_queue_unlink(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_entry *e;

	lpd_queue_settle(q, skb);
	if (lpd_order_has(skb)) {
		e = lpd_order_entry(&q->order, skb);
		if (q->ranks.rank)
			lpd_unrank(q, e);
		lpd_order_leave(&q->order, e);
	} else if (lpd_order_has_apart(skb)) {
		lpd_leave_apart(q, skb);
	}
	lpd_queue_detach(sch, skb, lpd_packet_memory(skb));
}

/* Swaps two packets in the FIFO. @first must be in front of @second. */
static void lpd_exchange(struct sk_buff_head *fifo, struct sk_buff *first,
			 struct sk_buff *second)
{
	struct sk_buff *behind = second->next;

	__skb_unlink(second, fifo);
	__skb_queue_before(fifo, first, second);
	__skb_unlink(first, fifo);
	__skb_queue_before(fifo, behind, first);
}

/* Removes the entry of a packet that is sent. */
static void lpd_take_entry(struct lpd_sched_data *q, struct sk_buff *skb)
{
	struct lpd_entry *e;

	if (lpd_order_has_apart(skb))
		lpd_leave_apart(q, skb);
	if (!lpd_order_has(skb))
		return;
	e = lpd_order_entry(&q->order, skb);
	if (q->order.flows)
		lpd_queue_count_reordered(q, e);
	if (q->ranks.rank)
		lpd_unrank(q, e);
	lpd_order_leave(&q->order, e);
}

/**
 * lpd_queue_take() - remove a packet from the queue to send it
 * @sch: the qdisc
 * @skb: the packet; with order edf, the head of the FIFO moves to the packet's position
 */
void lpd_queue_take(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_queue_settle(q, skb);
	if (q->order.flows && lpd_order_has(skb))
		lpd_queue_swap_out(&q->fifo, skb);
	else
		__skb_unlink(skb, &q->fifo);
	lpd_take_entry(q, skb);
	lpd_queue_discount(sch, skb, lpd_packet_memory(skb));
}

/* Gives the packets of the run all their own values back. */
static void lpd_dissolve_run(struct lpd_sched_data *q)
{
	while (q->order.run.first)
		lpd_queue_leave_run(q, q->order.run.first);
}

/**
 * lpd_queue_restore() - put the packets that may expire back in order of arrival
 * @q: the queue; the caller must rebuild its order afterwards
 *
 * Order edf has swapped packets in the FIFO. Every order must start from the order of
 * arrival.
 */
void lpd_queue_restore(struct lpd_sched_data *q)
{
	struct sk_buff *skb, *arrival;
	size_t index = 0;

	lpd_dissolve_run(q);
	if (!q->order.flows)
		return;
	lpd_order_arrivals(&q->order, &q->fifo);
	skb_queue_walk(&q->fifo, skb) {
		if (!lpd_order_has(skb))
			continue;
		arrival = lpd_order_arrival(&q->order, index++)->skb;
		if (skb != arrival)
			lpd_exchange(&q->fifo, skb, arrival);
		skb = arrival;
	}
}

/* With overflow least, plain packets need entries, too. Therefore their memory is counted like that
 * of other packets. Otherwise the packets could need more entries than the order has.
 */
static void lpd_count_entries(struct lpd_sched_data *q)
{
	struct sk_buff *skb;

	q->memory = 0;
	skb_queue_walk(&q->fifo, skb) {
		lpd_skb_cb(skb)->plain = false;
		q->memory += lpd_packet_memory(skb);
	}
}

/**
 * lpd_queue_rebuild() - compute all keys again after the configuration has changed
 * @q: the queue; its order and ranks are empty
 */
void lpd_queue_rebuild(struct lpd_sched_data *q)
{
	struct sk_buff *skb;

	lpd_queue_open_run(q);
	q->order.latest = lpd_order_seq(&q->order);
	if (q->ranks.rank)
		lpd_count_entries(q);
	skb_queue_walk(&q->fifo, skb) {
		lpd_skb_cb(skb)->entry = LPD_NO_ENTRY;
		if (lpd_queue_may_expire(q, skb) ||
		    (q->order.flows && lpd_queue_heeds(q, skb)))
			lpd_enter(q, skb, lpd_queue_key(q, skb));
		else if (q->ranks.rank)
			lpd_enter_apart(q, skb);
	}
}

/**
 * lpd_queue_set_rate() - set the rate of the link below
 * @q: the queue; if packets are queued, the caller must compute their keys again
 * @rate: bytes/s, 0 for unlimited
 */
void lpd_queue_set_rate(struct lpd_sched_data *q, u64 rate)
{
	struct tc_ratespec unshaped = {};

	psched_ratecfg_precompute(&q->link, &unshaped, rate);
}

/**
 * lpd_queue_set_delay() - set the delay of the link below
 * @q: the queue; the caller must renew its timer
 * @delay: ns
 */
void lpd_queue_set_delay(struct lpd_sched_data *q, s64 delay)
{
	q->delay = delay;
	if (q->margin < LPD_RUN_STRIP)
		q->margin = delay;
}

/**
 * lpd_queue_keep_keys() - let all queued packets keep their keys after the rate has changed
 * @q: the queue
 *
 * Packets of the run have no stored keys. Therefore the run is closed until it is empty.
 */
void lpd_queue_keep_keys(struct lpd_sched_data *q)
{
	if (!q->order.run.first) {
		lpd_queue_open_run(q);
		return;
	}
	q->order.run.last_key = S64_MAX;
	q->margin = LPD_RUN_CLOSED;
}

/* Empties the order and the ranks. */
static void lpd_forget_order(struct lpd_sched_data *q)
{
	struct sk_buff *skb;

	skb_queue_walk(&q->fifo, skb) {
		if (lpd_order_has(skb))
			lpd_order_leave(&q->order, lpd_order_entry(&q->order, skb));
		else if (lpd_order_has_apart(skb))
			lpd_order_release(&q->order, lpd_order_apart(&q->order, skb));
	}
	lpd_run_clear(&q->order);
	lpd_queue_open_run(q);
	lpd_ranks_clear(&q->ranks);
}

/**
 * lpd_queue_rekey() - compute all keys again after the rate of the link has changed
 * @q: the queue
 *
 * The function needs time for each queued packet, but none for unused entries.
 */
void lpd_queue_rekey(struct lpd_sched_data *q)
{
	lpd_queue_restore(q);
	lpd_forget_order(q);
	lpd_queue_rebuild(q);
}

/**
 * lpd_queue_reset() - drop all packets
 * @sch: the qdisc; the core resets its qlen and backlog
 */
void lpd_queue_reset(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	q->stats[TCA_LPD_STATS_RESET] += q->fifo.qlen;
	lpd_forget_order(q);
	while ((skb = __skb_dequeue(&q->fifo)))
		rtnl_kfree_skbs(skb, skb);
	q->memory = 0;
	if (q->adus)
		lpd_adu_init(q->adus);
}
