// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of packets that are not sent, or not whole.
 *
 * What parents must be able to rely on (each rule cost another qdisc a bug):
 *
 * - Own qlen and backlog change first, then qdisc_tree_reduce_backlog() tells
 *   the parents.
 * - Inside a parent's call what they are told never finds a parent's own count at
 *   0. A parent told by its child that it is empty, in the middle of its own
 *   enqueue or dequeue, changes its lists under its own feet. Nor do parents count
 *   what the child holds at every moment: QFQ takes the packet that it is about to
 *   ask for off its qlen beforehand, TBF adds the segments of a GSO packet only
 *   when all are enqueued. So one packet that every parent has counted must
 *   always stay besides the one that is sent: peek and dequeue drop and cut while
 *   more than two packets are queued, enqueue while two are that it found there
 *   and that every parent has counted. What is left the purge timer takes, with no
 *   parent's call on the stack.
 */

#include <net/gso.h>
#include <net/pkt_sched.h>
#include "cut.h"
#include "expire.h"
#include "feedback.h"
#include "trace.h"
#include "tree.h"

/* More segments than any TCP makes of a packet, with the least MSS that it takes
 * (TCP_MIN_SND_MSS): a guest that asks for them is not to hold the lock that long.
 */
#define LPD_SEGMENTS	(65536 / 48)

/**
 * struct lpd_work - packets dropped and cut in one go
 * @to_free: list that dropped packets are added to; NULL within peek and dequeue
 * @cause: counter of enum tca_lpd_stats for stale packets: when they were found
 * @counted: within enqueue, packets that every parent has counted
 * @done: packets so far
 * @packets: by how many the parents' counts fall when they are told, once
 * @bytes: likewise
 */
struct lpd_work {
	struct sk_buff **to_free;
	int cause;
	int counted;
	unsigned int done;
	int packets;
	int bytes;
};

static bool lpd_cause_is_stale(int cause)
{
	return cause >= TCA_LPD_STATS_STALE_ENQUEUE &&
	       cause <= TCA_LPD_STATS_STALE_TIMER;
}

static bool lpd_cause_is_overflow(int cause)
{
	return cause == TCA_LPD_STATS_OVERFLOW_LIMIT ||
	       cause == TCA_LPD_STATS_OVERFLOW_MEMORY;
}

/* A stale packet is dropped: whoever wants to know is told. */
static void lpd_tell_expired(struct Qdisc *sch, struct sk_buff *skb, int found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 deadline = lpd_skb_cb(skb)->deadline;

	if (trace_expire_enabled())
		trace_expire(sch, skb, found, lpd_now() - deadline);
	lpd_feedback(skb, deadline);
	if (q->notify &&
	    q->notify(dev_net(qdisc_dev(sch)), skb, lpd_skb_cb(skb)->ip_off,
		      XRTO_CODE_DISCARDED))
		q->stats[TCA_LPD_STATS_NOTIFIED]++;
}

/* Count a drop; the packet is not, or no longer, queued. @found is when it was
 * found stale, if it was. Its datagram is told by the caller.
 */
static void lpd_count(struct Qdisc *sch, struct sk_buff *skb, int cause,
		      int found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->stats[cause]++;
	if (lpd_cause_is_stale(cause) || cause == TCA_LPD_STATS_UNCUTTABLE)
		lpd_tell_expired(sch, skb, found);
	if (cause == TCA_LPD_STATS_ADU)
		trace_adu(sch, skb);
}

/**
 * lpd_refuse() - drop a packet on arrival
 * @sch: the qdisc
 * @skb: the packet, not queued
 * @cause: counter of enum tca_lpd_stats
 * @to_free: list that the packet is added to
 *
 * The parents have not counted it, so they are not told.
 *
 * Return: what enqueue returns
 */
int lpd_refuse(struct Qdisc *sch, struct sk_buff *skb, int cause,
	       struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_count(sch, skb, cause, TCA_LPD_STATS_STALE_ENQUEUE);
	if (q->adus)
		lpd_adu_refuse(q->adus, lpd_skb_cb(skb)->adu);
	return qdisc_drop_reason(skb, sch, to_free,
				 lpd_cause_is_overflow(cause) ?
				 QDISC_DROP_OVERLIMIT : QDISC_DROP_GENERIC);
}

/* The one way out of the queue for a packet that is not sent; lpd_tell() must
 * follow.
 */
static void lpd_drop(struct Qdisc *sch, struct sk_buff *skb,
		     struct lpd_work *work, int cause)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	work->done++;
	work->packets++;
	work->bytes += qdisc_pkt_len(skb);
	lpd_queue_unlink(sch, skb);
	lpd_count(sch, skb, cause, work->cause);
	if (q->adus)
		lpd_adu_leave(q->adus, lpd_skb_cb(skb)->adu, true);
	if (work->to_free) {
		qdisc_drop_reason(skb, sch, work->to_free,
				  lpd_cause_is_overflow(cause) ?
				  QDISC_DROP_OVERLIMIT : QDISC_DROP_GENERIC);
		return;
	}
	qdisc_qstats_drop(sch);
	qdisc_dequeue_drop(sch, skb, QDISC_DROP_GENERIC);
}

static void lpd_tell(struct Qdisc *sch, const struct lpd_work *work)
{
	if (work->packets || work->bytes)
		qdisc_tree_reduce_backlog(sch, work->packets, work->bytes);
}

/* A first fragment that is cut is whole then; the others are of no use. */
static void lpd_detach(struct lpd_sched_data *q, struct sk_buff *skb)
{
	if (q->adus)
		lpd_adu_leave(q->adus, lpd_skb_cb(skb)->adu, true);
	lpd_skb_cb(skb)->adu = 0;
}

/* A queued packet took @before bytes of memory; its headers may be in another buffer
 * now, even if nothing was cut off.
 */
static void lpd_resized(struct lpd_sched_data *q, const struct sk_buff *skb,
			u32 before)
{
	q->memory += lpd_packet_memory(skb);
	q->memory -= before;
}

/* Cut a queued packet to its headers, which are sent whatever the time; lpd_tell()
 * must follow. Returns 0, or an error and the packet is as it was.
 */
static int lpd_cut_queued(struct Qdisc *sch, struct sk_buff *skb,
			  struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	u32 memory = lpd_packet_memory(skb);
	int bytes = lpd_cut(skb, cb->ip_off, q->cfg.keep);

	lpd_resized(q, skb, memory);
	if (bytes < 0)
		return bytes;
	lpd_queue_keep(q, skb);
	cb->cut = true;
	work->done++;
	lpd_detach(q, skb);
	if (!bytes)
		return 0;
	/* a size table may have made it less than what was cut off; no length is 0 */
	bytes = min_t(unsigned int, bytes, qdisc_pkt_len(skb) - 1);
	qdisc_skb_cb(skb)->pkt_len -= bytes;
	sch->qstats.backlog -= bytes;
	work->bytes += bytes;
	q->stats[TCA_LPD_STATS_TRUNCATED]++;
	q->stats[TCA_LPD_STATS_TRUNCATED_BYTES] += bytes;
	trace_truncate(sch, skb, work->cause, bytes);
	return 0;
}

static int lpd_cause_of_error(int err)
{
	return err == -ENOMEM ? TCA_LPD_STATS_NOMEM : TCA_LPD_STATS_UNCUTTABLE;
}

/**
 * lpd_stale_on_arrival() - what becomes of a packet that comes too late
 * @q: the queue
 * @skb: the packet, not queued
 *
 * Return: counter of enum tca_lpd_stats to refuse it with; 0 if it is to be cut,
 * which is the timer's: parents are about to count it whole
 */
int lpd_stale_on_arrival(struct lpd_sched_data *q, struct sk_buff *skb)
{
	int bytes;

	if (lpd_queue_treatment(q, skb) != TC_LPD_STALE_TRUNCATE)
		return TCA_LPD_STATS_STALE_ENQUEUE;
	bytes = lpd_cut_bytes(skb, lpd_skb_cb(skb)->ip_off, q->cfg.keep);
	if (bytes < 0)
		return lpd_cause_of_error(bytes);
	lpd_detach(q, skb);
	return 0;
}

static void lpd_cut_or_drop(struct Qdisc *sch, struct sk_buff *skb,
			    struct lpd_work *work)
{
	int err = lpd_cut_queued(sch, skb, work);

	if (err)
		lpd_drop(sch, skb, work, lpd_cause_of_error(err));
}

/* Queue a segment at @spot; @cb is its super-packet's, which was queued there. */
static void lpd_insert_segment(struct Qdisc *sch, struct sk_buff *segment,
			       const struct lpd_skb_cb *cb,
			       struct lpd_spot *spot, struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	skb_mark_not_on_list(segment);
	*lpd_skb_cb(segment) = *cb;
	lpd_skb_cb(segment)->adu = 0;
	qdisc_skb_cb(segment)->pkt_len = segment->len;
	qdisc_set_pkt_segs(segment, 1);
	lpd_queue_insert_at(sch, segment, spot);
	q->stats[TCA_LPD_STATS_PACKETS_IN]++;
	work->packets--;
	work->bytes -= segment->len;
}

/* The segments are in its place: a super-packet, whose control block was @cb, is
 * not a packet any more.
 */
static void lpd_forget_super(struct lpd_sched_data *q,
			     const struct lpd_skb_cb *cb)
{
	q->stats[TCA_LPD_STATS_PACKETS_IN]--;
	if (q->adus)
		lpd_adu_leave(q->adus, cb->adu, true);
}

/* Segment a super-packet, then cut each segment. It leaves the queue before that:
 * segmenting changes its truesize, and one that GRO has chained (SKB_GSO_FRAGLIST)
 * is itself the first segment, its list pointers those of the segments.
 */
static int lpd_cut_super(struct Qdisc *sch, struct sk_buff *skb,
			 struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *segments, *segment, *next;
	unsigned int len = qdisc_pkt_len(skb);
	u32 memory = lpd_packet_memory(skb);
	struct lpd_spot spot;
	struct lpd_skb_cb cb;
	int err, cause;

	err = lpd_cut_bytes(skb, lpd_skb_cb(skb)->ip_off, q->cfg.keep);
	lpd_resized(q, skb, memory);
	if (err < 0)
		return err;
	if (skb->len / skb_shinfo(skb)->gso_size > LPD_SEGMENTS)
		return -EOPNOTSUPP;
	spot = lpd_queue_spot(q, skb);
	lpd_queue_unlink(sch, skb);
	cb = *lpd_skb_cb(skb);
	segments = skb_gso_segment(skb, netif_skb_features(skb) &
					~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(segments)) {
		lpd_queue_insert_at(sch, skb, &spot);
		return segments ? PTR_ERR(segments) : -EINVAL;
	}
	consume_skb(skb);
	work->packets++;
	work->bytes += len;
	lpd_forget_super(q, &cb);
	skb_list_walk_safe(segments, segment, next) {
		lpd_insert_segment(sch, segment, &cb, &spot, work);
		cause = lpd_queue_excess(q, NULL);
		if (cause)
			lpd_drop(sch, segment, work, cause);
		else
			lpd_cut_or_drop(sch, segment, work);
	}
	return 0;
}

/* Whether a doomed packet is not to be dropped. */
static bool lpd_to_be_cut(struct lpd_sched_data *q, const struct sk_buff *skb)
{
	return !lpd_dead(q, skb) &&
	       lpd_queue_treatment(q, skb) == TC_LPD_STALE_TRUNCATE;
}

/* Do with a doomed packet what is to be done with it. */
static void lpd_expire(struct Qdisc *sch, struct sk_buff *skb,
		       struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	int cause = work->cause, err;

	if (lpd_dead(q, skb)) {
		cause = TCA_LPD_STATS_ADU;
	} else if (lpd_to_be_cut(q, skb)) {
		err = skb_is_gso(skb) ? lpd_cut_super(sch, skb, work) :
					lpd_cut_queued(sch, skb, work);
		if (!err)
			return;
		cause = lpd_cause_of_error(err);
	}
	lpd_drop(sch, skb, work, cause);
}

/* Of the last two packets the one that can be sent as it is. @next, whose turn it
 * is, cannot; if it is to be cut, the other one waits for it.
 */
static struct sk_buff *lpd_fresh_of_two(struct lpd_sched_data *q,
					struct sk_buff *next, s64 now)
{
	struct sk_buff *other = skb_peek(&q->fifo);

	if (other == next)
		other = skb_peek_next(next, &q->fifo);
	if (!other || lpd_to_be_cut(q, next) || lpd_doomed(q, other, now))
		return NULL;
	return other;
}

/**
 * lpd_clear_way() - expire what is in the way of the next packet to send
 * @sch: the qdisc
 * @skb: the packet whose turn it is, lpd_doomed()
 * @now: monotonic time in ns
 * @cause: counter of enum tca_lpd_stats for stale packets
 *
 * Return: as of lpd_fresh()
 */
struct sk_buff *lpd_clear_way(struct Qdisc *sch, struct sk_buff *skb, s64 now,
			      int cause)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_work work = { .cause = cause };

	do {
		if (q->fifo.qlen <= 2) {
			skb = lpd_fresh_of_two(q, skb, now);
			break;
		}
		if (work.done >= LPD_BATCH) {
			skb = NULL;
			break;
		}
		lpd_expire(sch, skb, &work);
		skb = lpd_queue_next(q);
	} while (lpd_doomed(q, skb, now));
	lpd_tell(sch, &work);
	return skb;
}

/* Of the packets that enqueue found in the queue, those that every parent has
 * counted: with a parent that segments, it may be the earlier segments that are
 * not.
 */
static int lpd_counted(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	int counted = q->fifo.qlen - 1;

	while ((sch = lpd_parent(sch)))
		counted = min_t(int, counted, qdisc_qlen(sch));
	return counted;
}

/* Whether one more packet may be dropped or cut within enqueue. */
static bool lpd_may_tell(const struct lpd_work *work)
{
	return work->counted - work->packets >= 2 && work->done < LPD_BATCH;
}

/* What is stale anywhere in the queue, the earliest first. */
static void lpd_expire_stale(struct Qdisc *sch, s64 now, unsigned int budget,
			     struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_entry *first;

	while ((first = lpd_index_earliest(&q->index)) && now > first->key &&
	       work->done < budget)
		lpd_expire(sch, first->skb, work);
}

/* Whether a stale packet becomes many: no way to make room. */
static bool lpd_multiplies(const struct lpd_sched_data *q,
			   const struct sk_buff *skb)
{
	return skb_is_gso(skb) &&
	       lpd_queue_treatment(q, skb) == TC_LPD_STALE_TRUNCATE;
}

/* Discard or cut what is stale, within enqueue: not the head, which the parents
 * have counted, nor the packet @skb that has just come, which they have not.
 */
static void lpd_purge(struct Qdisc *sch, struct sk_buff *skb, s64 now,
		      struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_entry *first = lpd_index_earliest(&q->index), *head, *newest;

	/* the head, put back, would not be in order any more */
	if (!first || now <= first->key)
		return;
	newest = lpd_queue_spare(q, skb);
	head = lpd_queue_spare(q, skb_peek(&q->fifo));
	while ((first = lpd_index_earliest(&q->index)) && now > first->key &&
	       !lpd_multiplies(q, first->skb) && lpd_may_tell(work))
		lpd_expire(sch, first->skb, work);
	lpd_queue_unspare(q, head);
	lpd_queue_unspare(q, newest);
}

/**
 * lpd_clear() - discard or cut what is stale, with no parent's call on the stack
 * @sch: the qdisc
 * @now: monotonic time in ns
 * @budget: packets at the most
 * @to_free: list that the packets are added to
 *
 * Also what is in the way of others although its time has not come: a fragment
 * whose datagram is lost.
 */
void lpd_clear(struct Qdisc *sch, s64 now, unsigned int budget,
	       struct sk_buff **to_free)
{
	struct lpd_work work = {
		.to_free = to_free,
		.cause = TCA_LPD_STATS_STALE_TIMER,
	};
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	lpd_expire_stale(sch, now, budget, &work);
	while ((skb = lpd_queue_next(q)) && work.done < budget &&
	       lpd_doomed(q, skb, now))
		lpd_expire(sch, skb, &work);
	lpd_tell(sch, &work);
}

/* The packet that becomes stale first. One that is stale already and to be cut,
 * which was not the time for, is as good as cut.
 */
static struct sk_buff *lpd_stalest(struct lpd_sched_data *q, s64 now)
{
	struct lpd_entry *first = lpd_index_earliest(&q->index), *cut;
	struct sk_buff *skb;

	if (!first)
		return NULL;
	if (!lpd_to_be_cut(q, first->skb) ||
	    !lpd_queue_stale(q, first->skb, now))
		return first->skb;
	cut = lpd_queue_spare(q, first->skb);
	first = lpd_index_earliest(&q->index);
	skb = first ? first->skb : NULL;
	lpd_queue_unspare(q, cut);
	return skb;
}

/* The packet that makes room for the others. */
static struct sk_buff *lpd_victim(struct lpd_sched_data *q, s64 now)
{
	struct sk_buff *skb = NULL;

	if (q->cfg.overflow == TC_LPD_OVERFLOW_HEAD)
		skb = lpd_queue_next(q);
	else if (q->cfg.overflow == TC_LPD_OVERFLOW_STALEST)
		skb = lpd_stalest(q, now);
	return skb ?: skb_peek_tail(&q->fifo);
}

/* Whether a packet is stale and to be discarded. */
static bool lpd_gone(const struct lpd_sched_data *q, const struct sk_buff *skb,
		     s64 now)
{
	return lpd_queue_stale(q, skb, now) &&
	       lpd_queue_treatment(q, skb) == TC_LPD_STALE_DISCARD;
}

/* A stale packet at the head must stay for the parents' sake (see above), so it
 * does not count: it is gone once the timer has fired. One that is cut stays.
 */
static struct sk_buff *lpd_leaving(struct lpd_sched_data *q, s64 now)
{
	struct sk_buff *head = skb_peek(&q->fifo);

	return lpd_gone(q, head, now) ? head : NULL;
}

/**
 * lpd_overflow() - bring the queue within its limits again
 * @sch: the qdisc
 * @skb: the packet that made it too large, inserted
 * @to_free: list that the packets dropped are added to
 *
 * Return: what enqueue returns
 */
int lpd_overflow(struct Qdisc *sch, struct sk_buff *skb,
		 struct sk_buff **to_free)
{
	struct lpd_work work = {
		.to_free = to_free,
		.cause = TCA_LPD_STATS_STALE_PURGE,
	};
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *victim;
	s64 now = lpd_now();
	int cause;

	work.counted = lpd_counted(sch);
	lpd_purge(sch, skb, now, &work);
	work.done = 0;
	while ((cause = lpd_queue_excess(q, lpd_leaving(q, now)))) {
		victim = lpd_victim(q, now);
		/* nor do others go for a packet that has room only when alone */
		if (victim == skb || skb->truesize > q->cfg.memory ||
		    !lpd_may_tell(&work))
			break;
		lpd_drop(sch, victim, &work,
			 lpd_gone(q, victim, now) ? work.cause : cause);
	}
	lpd_tell(sch, &work);
	if (!cause)
		return NET_XMIT_SUCCESS;
	lpd_queue_unlink(sch, skb);
	return lpd_refuse(sch, skb, cause, to_free);
}

/**
 * lpd_trim() - bring the queue within its limits after they shrank
 * @sch: the qdisc
 * @now: monotonic time in ns
 * @to_free: list that the packets dropped are added to
 *
 * What is stale goes first, then what would have gone on arrival. At least one
 * packet stays.
 */
void lpd_trim(struct Qdisc *sch, s64 now, struct sk_buff **to_free)
{
	struct lpd_work work = {
		.to_free = to_free,
		.cause = TCA_LPD_STATS_STALE_PURGE,
	};
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_entry *first;
	int cause;

	while ((cause = lpd_queue_excess(q, NULL))) {
		first = lpd_index_earliest(&q->index);
		if (!first || now <= first->key)
			lpd_drop(sch, lpd_victim(q, now), &work, cause);
		else if (lpd_multiplies(q, first->skb))
			lpd_drop(sch, first->skb, &work, cause);
		else
			lpd_expire(sch, first->skb, &work);
	}
	lpd_tell(sch, &work);
}
