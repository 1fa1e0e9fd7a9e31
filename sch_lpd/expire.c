// SPDX-License-Identifier: GPL-2.0
/*
 * Drops and cuts packets.
 *
 * Parents rely on the following rules. Other qdiscs have had bugs because they broke a
 * rule.
 *
 * - lpd changes its own qlen and backlog first. Then qdisc_tree_reduce_backlog() reports the
 *   change to the parents.
 * - If lpd makes a report while a parent's call runs, the parent's own count must not be 0. If a
 *   child reports that it is empty while the parent is still in its own enqueue or dequeue,
 *   the parent changes lists that it is still using. A parent's count may differ from its
 *   child's count. QFQ decrements its qlen before it asks the child for the packet. TBF adds
 *   the segments of a GSO packet only when all segments are enqueued. Therefore, in addition to the
 *   packet that is sent, one packet that every parent has counted must stay in the queue. Peek and
 *   dequeue drop and cut packets only while more than two packets are queued. Enqueue drops or cuts
 *   a packet only while at least two packets are left that were queued before its call and that
 *   every parent has counted. The timer handles all other packets, because it runs outside of any
 *   parent's call.
 */

#include <net/pkt_sched.h>
#include "cut.h"
#include "cut_quick.h"
#include "expire.h"
#include "feedback.h"
#include "segment.h"
#include "trace.h"
#include "tree.h"

/* Peek, dequeue, and each of the two steps of enqueue stop after they have dropped or cut this
 * number of packets. The limit keeps each call short, even if many packets expire at the same time.
 */
#define LPD_BATCH	64U

/**
 * struct lpd_work - the packets that one call drops or cuts
 * @to_free: list to which dropped packets are added; NULL within peek and dequeue
 * @found: the verdict for stale packets, which says where lpd found them
 * @counted: within enqueue, the number of packets that every parent has counted
 * @done: number of packets that the call, or the current step of enqueue, has dropped or cut
 * @packets: the number of packets to subtract from the parents' counts
 * @bytes: the number of bytes to subtract from the parents' backlogs
 */
struct lpd_work {
	struct sk_buff **to_free;
	enum lpd_verdict found;
	int counted;
	unsigned int done;
	int packets;
	int bytes;
};

/* Checks whether a packet is dropped because it is stale. @verdict must be a reason to drop
 * the packet.
 */
static bool lpd_is_expiry(enum lpd_verdict verdict)
{
	return verdict <= LPD_UNCUTTABLE;
}

/* Checks whether a packet is dropped because a limit is exceeded. */
static bool lpd_is_overflow(enum lpd_verdict verdict)
{
	return verdict == LPD_OVERFLOW_LIMIT || verdict == LPD_OVERFLOW_MEMORY;
}

/* Reports a dropped stale packet to the tracepoint, to the sending socket if it asked for reports,
 * and with the option notify to the packet's source.
 */
static void lpd_report_expired(struct Qdisc *sch, struct sk_buff *skb,
			       enum lpd_verdict found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 deadline = lpd_skb_cb(skb)->deadline;

	if (trace_lpd_expire_enabled())
		trace_lpd_expire(sch, skb, found, lpd_now() - deadline);
	lpd_feedback(skb, deadline);
	if (q->notify &&
	    q->notify(dev_net(qdisc_dev(sch)), skb, lpd_skb_cb(skb)->ip_off,
		      XRTO_CODE_DISCARDED))
		q->stats[TCA_LPD_STATS_NOTIFIED]++;
}

/* Counts a dropped packet, which is not in the queue. @found says where a stale packet was
 * found. The caller must update the packet's datagram.
 */
static void lpd_count(struct Qdisc *sch, struct sk_buff *skb,
		      enum lpd_verdict verdict, enum lpd_verdict found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->stats[lpd_counter(verdict)]++;
	if (lpd_is_expiry(verdict))
		lpd_report_expired(sch, skb, found);
	if (verdict == LPD_DATAGRAM_LOST)
		trace_lpd_adu(sch, skb);
}

/* Notes that the queue has refused a fragment. The other fragments of the datagram are dropped only
 * if the refused fragment has the option, see adu.h.
 */
static void lpd_adu_refuse(struct lpd_adus *adus, u16 adu)
{
	if (adu)
		lpd_adu_leave(adus, adu, adus->adu[adu - 1].key.option);
}

/**
 * lpd_refuse() - drop a packet on arrival
 * @sch: the qdisc
 * @skb: the packet, which is not queued
 * @verdict: the reason for the drop
 * @to_free: list to which the packet is added
 *
 * The parents get no report, because they have not counted the packet. The kernel's drop
 * reason is a general one, because a module cannot add its own drop reason. lpd's counters
 * show the exact cause.
 *
 * Return: the value that enqueue must return
 */
int lpd_refuse(struct Qdisc *sch, struct sk_buff *skb,
	       enum lpd_verdict verdict, struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_count(sch, skb, verdict, LPD_STALE_ENQUEUE);
	if (q->adus)
		lpd_adu_refuse(q->adus, lpd_skb_cb(skb)->adu);
	return qdisc_drop_reason(skb, sch, to_free,
				 lpd_is_overflow(verdict) ?
				 QDISC_DROP_OVERLIMIT : QDISC_DROP_GENERIC);
}

/* Drops a queued packet. The caller must call lpd_report_to_parents() afterwards. */
static void lpd_drop(struct Qdisc *sch, struct sk_buff *skb,
		     struct lpd_work *work, enum lpd_verdict verdict)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	work->done++;
	work->packets++;
	work->bytes += qdisc_pkt_len(skb);
	lpd_queue_unlink(sch, skb);
	lpd_count(sch, skb, verdict, work->found);
	if (q->adus)
		lpd_adu_leave(q->adus, lpd_skb_cb(skb)->adu, true);
	if (work->to_free) {
		qdisc_drop_reason(skb, sch, work->to_free,
				  lpd_is_overflow(verdict) ?
				  QDISC_DROP_OVERLIMIT : QDISC_DROP_GENERIC);
		return;
	}
	qdisc_qstats_drop(sch);
	qdisc_dequeue_drop(sch, skb, QDISC_DROP_GENERIC);
}

/* Subtracts packets and bytes from the parents' counts. The root qdisc has no parent. */
static void lpd_report_to_parents(struct Qdisc *sch, int packets, int bytes)
{
	if ((packets || bytes) && sch->parent != TC_H_ROOT)
		qdisc_tree_reduce_backlog(sch, packets, bytes);
}

/* Separates a packet from its datagram, because the packet is cut. A first fragment that is
 * cut becomes a whole packet, and the other fragments become useless.
 */
static void lpd_leave_datagram(struct lpd_sched_data *q, struct sk_buff *skb)
{
	if (q->adus)
		lpd_adu_leave(q->adus, lpd_skb_cb(skb)->adu, true);
	lpd_skb_cb(skb)->adu = 0;
}

/* Updates the queue's memory after a cut. @before is the memory of the packet before the
 * cut. The memory may change even if no byte was cut off, because the headers may be in
 * another buffer.
 */
static void lpd_resized(struct lpd_sched_data *q, const struct sk_buff *skb,
			u32 before)
{
	q->memory += lpd_packet_memory(skb);
	q->memory -= before;
}

/* Counts a packet of which @bytes bytes were cut off. Returns by how many bytes the queue's backlog
 * has decreased. With a size table (tc stab), the packet's length may be less than the number of
 * bytes cut off. The length must not become 0.
 */
static __always_inline unsigned int lpd_count_cut(struct Qdisc *sch, struct sk_buff *skb,
						  unsigned int bytes, enum lpd_verdict found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	bytes = min(bytes, qdisc_pkt_len(skb) - 1);
	qdisc_skb_cb(skb)->pkt_len -= bytes;
	sch->qstats.backlog -= bytes;
	q->stats[TCA_LPD_STATS_TRUNCATED]++;
	q->stats[TCA_LPD_STATS_TRUNCATED_BYTES] += bytes;
	trace_lpd_truncate(sch, skb, found, bytes);
	return bytes;
}

/* Cuts a queued packet to its headers. The headers are sent even though the packet is
 * stale. The caller must call lpd_report_to_parents() afterwards. Returns 0, or a negative
 * errno if the packet is unchanged.
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
	lpd_leave_datagram(q, skb);
	if (bytes)
		work->bytes += lpd_count_cut(sch, skb, bytes, work->found);
	return 0;
}

static enum lpd_verdict lpd_verdict_on_error(int err)
{
	return err == -ENOMEM ? LPD_NOMEM : LPD_UNCUTTABLE;
}

/**
 * lpd_stale_on_arrival() - decide what happens to a packet that arrives stale
 * @q: the queue
 * @skb: the packet, which is not queued
 *
 * Return: the reason to refuse the packet; LPD_PASS if the packet must be cut. The packet is
 * cut later, in the timer or in dequeue, because the parents will count its full length
 */
enum lpd_verdict lpd_stale_on_arrival(struct lpd_sched_data *q,
				      struct sk_buff *skb)
{
	int bytes;

	if (lpd_queue_treatment(q, skb) != TC_LPD_STALE_TRUNCATE)
		return LPD_STALE_ENQUEUE;
	bytes = lpd_cut_bytes(skb, lpd_skb_cb(skb)->ip_off, q->cfg.keep);
	if (bytes < 0)
		return lpd_verdict_on_error(bytes);
	lpd_leave_datagram(q, skb);
	return LPD_PASS;
}

static void lpd_cut_or_drop(struct Qdisc *sch, struct sk_buff *skb,
			    struct lpd_work *work)
{
	int err = lpd_cut_queued(sch, skb, work);

	if (err)
		lpd_drop(sch, skb, work, lpd_verdict_on_error(err));
}

/* Queues a segment at @spot. @cb is a copy of the super-packet's control block. */
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

/* Called when segments replace a super-packet. @cb is a copy of its control block. */
static void lpd_forget_super(struct lpd_sched_data *q,
			     const struct lpd_skb_cb *cb)
{
	q->stats[TCA_LPD_STATS_PACKETS_IN]--;
	if (q->adus)
		lpd_adu_leave(q->adus, cb->adu, true);
}

/* Divides a super-packet into segments, and cuts each segment. The super-packet must leave
 * the queue before the division, because the division changes its truesize. A super-packet that GRO
 * has chained (SKB_GSO_FRAGLIST) becomes the first segment itself, and gets new list pointers.
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
	enum lpd_verdict verdict;
	int err;

	BUILD_BUG_ON(LPD_SEGMENTS + 1 >= 1 << LPD_SEGMENT_BITS);
	err = lpd_cut_bytes(skb, lpd_skb_cb(skb)->ip_off, q->cfg.keep);
	lpd_resized(q, skb, memory);
	if (err < 0)
		return err;
	if (!lpd_segmentable(skb))
		return -EOPNOTSUPP;
	spot = lpd_queue_spot(q, skb);
	lpd_queue_unlink(sch, skb);
	cb = *lpd_skb_cb(skb);
	segments = lpd_segments(skb);
	if (IS_ERR(segments)) {
		lpd_queue_insert_at(sch, skb, &spot);
		return PTR_ERR(segments);
	}
	consume_skb(skb);
	work->packets++;
	work->bytes += len;
	lpd_forget_super(q, &cb);
	skb_list_walk_safe(segments, segment, next) {
		lpd_insert_segment(sch, segment, &cb, &spot, work);
		verdict = lpd_queue_excess(q, NULL);
		if (verdict)
			lpd_drop(sch, segment, work, verdict);
		else
			lpd_cut_or_drop(sch, segment, work);
	}
	return 0;
}

/* Checks whether a packet must be cut instead of dropped when it is stale. */
static bool lpd_to_be_cut(struct lpd_sched_data *q, const struct sk_buff *skb)
{
	return !lpd_dead(q, skb) &&
	       lpd_queue_treatment(q, skb) == TC_LPD_STALE_TRUNCATE;
}

/* Drops or cuts a packet for which lpd_doomed() is true. */
static void lpd_expire(struct Qdisc *sch, struct sk_buff *skb,
		       struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	enum lpd_verdict verdict = work->found;
	int err;

	lpd_queue_settle(q, skb);
	if (lpd_dead(q, skb)) {
		verdict = LPD_DATAGRAM_LOST;
	} else if (lpd_to_be_cut(q, skb)) {
		err = skb_is_gso(skb) ? lpd_cut_super(sch, skb, work) :
					lpd_cut_queued(sch, skb, work);
		if (!err)
			return;
		verdict = lpd_verdict_on_error(err);
	}
	lpd_drop(sch, skb, work, verdict);
}

/* Finds a packet to send if at most two packets are queued. @next is the next packet in the
 * sending order, but cannot be sent. Returns the other packet, or NULL if the other packet
 * cannot be sent. If @next must be cut, the other packet has to wait.
 */
static struct sk_buff *lpd_fresh_of_two(struct lpd_sched_data *q,
					struct sk_buff *next, s64 arrival)
{
	struct sk_buff *other = skb_peek(&q->fifo);

	if (other == next)
		other = skb_peek_next(next, &q->fifo);
	if (!other || lpd_to_be_cut(q, next) || lpd_doomed(q, other, arrival))
		return NULL;
	return other;
}

/**
 * lpd_cut_head() - cut the next packet in the step that sends it
 * @sch: the qdisc
 * @skb: the next packet in the sending order; stale, or part of a lost datagram; not in the run. A
 *	fragment never takes the quick way, so no datagram needs an update
 *
 * After the cut, the packet is still queued, and its entry, if it has one, is still among those
 * that may become stale. Therefore the caller, which must be dequeue, must remove the packet
 * from the queue before it does anything else, and send it.
 *
 * Return: true if the packet was cut; false if nothing has changed, because
 * lpd_expire_in_dequeue() must decide what happens to the packet
 */
bool lpd_cut_head(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	unsigned int bytes;

	if (q->fifo.qlen <= 2 || lpd_queue_treatment(q, skb) != TC_LPD_STALE_TRUNCATE)
		return false;
	bytes = lpd_cut_quick(skb, cb->ip_off, q->cfg.keep);
	if (!bytes)
		return false;
	cb->cut = true;
	lpd_report_to_parents(sch, 0, lpd_count_cut(sch, skb, bytes, LPD_STALE_DEQUEUE));
	return true;
}

/**
 * lpd_expire_in_dequeue() - expire packets until a fresh packet is the next to send
 * @sch: the qdisc
 * @skb: the next packet in the sending order, for which lpd_doomed() is true
 * @arrival: lpd_queue_arrival()
 * @found: the verdict for stale packets
 *
 * Return: the same as lpd_fresh()
 */
struct sk_buff *lpd_expire_in_dequeue(struct Qdisc *sch, struct sk_buff *skb,
				      s64 arrival, enum lpd_verdict found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_work work = { .found = found };

	do {
		/* the checks below read the packet's treatment */
		lpd_queue_settle(q, skb);
		if (q->fifo.qlen <= 2) {
			skb = lpd_fresh_of_two(q, skb, arrival);
			break;
		}
		if (work.done >= LPD_BATCH) {
			skb = NULL;
			break;
		}
		lpd_expire(sch, skb, &work);
		skb = lpd_queue_next(q);
	} while (lpd_doomed(q, skb, arrival));
	lpd_report_to_parents(sch, work.packets, work.bytes);
	return skb;
}

/* Returns how many packets were queued before the current call of enqueue and have been
 * counted by every parent. A parent that divides a packet into segments may not have
 * counted the earlier segments yet. The core does not provide the number of counted packets, and
 * cannot delay a report until the parents' enqueue has ended. Therefore lpd_counted() reads the
 * counts of all parents.
 */
static int lpd_counted(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	int counted = q->fifo.qlen - 1;

	while ((sch = lpd_parent(sch)))
		counted = min_t(int, counted, qdisc_qlen(sch));
	return counted;
}

/* Checks whether one more packet may be dropped or cut within enqueue. */
static bool lpd_may_drop(const struct lpd_work *work)
{
	return work->counted - work->packets >= 2 && work->done < LPD_BATCH;
}

/* Drops or cuts stale packets anywhere in the queue, in the order in which they became
 * stale.
 */
static void lpd_expire_stale(struct Qdisc *sch, s64 arrival, unsigned int budget,
			     struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	while (lpd_is_stale(lpd_queue_first_key(q), arrival) && work->done < budget)
		lpd_expire(sch, lpd_queue_earliest(q), work);
}

/* Checks whether a packet is replaced by several packets when it expires. The expiry of
 * such a packet frees no space in the queue.
 */
static bool lpd_multiplies(const struct lpd_sched_data *q,
			   const struct sk_buff *skb)
{
	return skb_is_gso(skb) &&
	       lpd_queue_treatment(q, skb) == TC_LPD_STALE_TRUNCATE;
}

/* Discards or cuts stale packets within enqueue. The head is spared, because a packet that every
 * parent has counted must stay, see the top of this file. @skb is spared, because it has just
 * arrived and the parents have not counted it.
 */
static void lpd_expire_in_enqueue(struct Qdisc *sch, struct sk_buff *skb, s64 arrival,
				  struct lpd_work *work)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_entry *head, *newest;

	if (!lpd_is_stale(lpd_queue_first_key(q), arrival))
		return;
	newest = lpd_queue_spare(q, skb);
	head = lpd_queue_spare(q, skb_peek(&q->fifo));
	while (lpd_is_stale(lpd_queue_first_key(q), arrival) &&
	       !lpd_multiplies(q, lpd_queue_earliest(q)) && lpd_may_drop(work))
		lpd_expire(sch, lpd_queue_earliest(q), work);
	lpd_queue_unspare(q, head);
	lpd_queue_unspare(q, newest);
}

/**
 * lpd_expire_in_timer() - discard or cut stale packets outside of any parent's call
 * @sch: the qdisc
 * @arrival: lpd_queue_arrival()
 * @budget: the maximum number of packets to drop or cut
 * @to_free: list to which dropped packets are added
 *
 * The timer also drops fragments of lost datagrams that block other packets, even if these
 * fragments are not stale yet.
 */
void lpd_expire_in_timer(struct Qdisc *sch, s64 arrival, unsigned int budget,
			 struct sk_buff **to_free)
{
	struct lpd_work work = {
		.to_free = to_free,
		.found = LPD_STALE_TIMER,
	};
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	lpd_expire_stale(sch, arrival, budget, &work);
	while ((skb = lpd_queue_next(q)) && work.done < budget &&
	       lpd_doomed(q, skb, arrival))
		lpd_expire(sch, skb, &work);
	lpd_report_to_parents(sch, work.packets, work.bytes);
}

/* Finds the packet that becomes stale first. If this packet is already stale and must be cut, the
 * function returns the packet that becomes stale next.
 */
static struct sk_buff *lpd_stalest(struct lpd_sched_data *q, s64 arrival)
{
	struct sk_buff *first = lpd_queue_earliest(q), *second;
	struct lpd_entry *cut;

	if (!first || !lpd_to_be_cut(q, first) || !lpd_queue_stale(q, first, arrival))
		return first;
	cut = lpd_queue_spare(q, first);
	second = lpd_queue_earliest(q);
	lpd_queue_unspare(q, cut);
	return second;
}

/* Finds the packet to drop with overflow least. If the first packet of the ranks is stale and must
 * be cut, the function returns the second packet, provided that both have the same importance.
 */
static struct sk_buff *lpd_least(struct lpd_sched_data *q, s64 arrival)
{
	struct lpd_rank *first = lpd_rank_first(&q->ranks), *next;
	struct sk_buff *skb = first->entry->skb;

	if (!lpd_queue_stale(q, skb, arrival) || !lpd_to_be_cut(q, skb))
		return skb;
	next = lpd_rank_next(first);
	return next && next->importance == first->importance ? next->entry->skb : skb;
}

/* Finds the packet to drop when the queue exceeds a limit. */
static struct sk_buff *lpd_victim(struct lpd_sched_data *q, s64 arrival)
{
	struct sk_buff *skb = NULL;

	if (q->cfg.overflow == TC_LPD_OVERFLOW_HEAD)
		skb = lpd_queue_next(q);
	else if (q->cfg.overflow == TC_LPD_OVERFLOW_STALEST)
		skb = lpd_stalest(q, arrival);
	else if (q->cfg.overflow == TC_LPD_OVERFLOW_LEAST)
		skb = lpd_least(q, arrival);
	return skb ?: skb_peek_tail(&q->fifo);
}

/* Checks whether a packet is stale and must be discarded. */
static bool lpd_to_be_discarded(const struct lpd_sched_data *q, const struct sk_buff *skb,
				s64 arrival)
{
	return lpd_queue_stale(q, skb, arrival) &&
	       lpd_queue_treatment(q, skb) == TC_LPD_STALE_DISCARD;
}

/* Returns the head if it is stale and must be discarded. The head must stay queued because
 * of the parents, see the top of this file. The head does not count towards the limits,
 * because the timer will soon discard it. A head that must be cut counts towards the
 * limits.
 */
static struct sk_buff *lpd_uncounted_head(struct lpd_sched_data *q, s64 arrival)
{
	struct sk_buff *head = skb_peek(&q->fifo);

	if (!lpd_queue_stale(q, head, arrival))
		return NULL;
	/* the packet's treatment is read */
	lpd_queue_settle(q, head);
	return lpd_to_be_discarded(q, head, arrival) ? head : NULL;
}

/**
 * lpd_shrink_in_enqueue() - drop packets until the queue is within its limits
 * @sch: the qdisc
 * @skb: the queued packet that exceeded a limit
 * @to_free: list to which dropped packets are added
 *
 * Return: the value that enqueue must return
 */
int lpd_shrink_in_enqueue(struct Qdisc *sch, struct sk_buff *skb,
			  struct sk_buff **to_free)
{
	struct lpd_work work = {
		.to_free = to_free,
		.found = LPD_STALE_PURGE,
	};
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *victim;
	enum lpd_verdict verdict;
	s64 arrival = lpd_queue_arrival(q, lpd_now());

	work.counted = lpd_counted(sch);
	lpd_expire_in_enqueue(sch, skb, arrival, &work);
	work.done = 0;
	while ((verdict = lpd_queue_excess(q, lpd_uncounted_head(q, arrival)))) {
		victim = lpd_victim(q, arrival);
		/* a packet that is larger than the memory limit must not displace other
		 * packets
		 */
		if (victim == skb || skb->truesize > q->cfg.memory ||
		    !lpd_may_drop(&work))
			break;
		lpd_drop(sch, victim, &work,
			 lpd_to_be_discarded(q, victim, arrival) ? work.found :
							       verdict);
	}
	lpd_report_to_parents(sch, work.packets, work.bytes);
	if (!verdict)
		return NET_XMIT_SUCCESS;
	lpd_queue_unlink(sch, skb);
	return lpd_refuse(sch, skb, verdict, to_free);
}

/**
 * lpd_shrink_in_change() - drop packets until the queue is within its new limits
 * @sch: the qdisc
 * @arrival: lpd_queue_arrival()
 * @to_free: list to which dropped packets are added
 *
 * Stale packets are dropped or cut first. Then the packets that the overflow policy names
 * are dropped. At least one packet stays in the queue.
 */
void lpd_shrink_in_change(struct Qdisc *sch, s64 arrival, struct sk_buff **to_free)
{
	struct lpd_work work = {
		.to_free = to_free,
		.found = LPD_STALE_PURGE,
	};
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *first;
	enum lpd_verdict verdict;

	while ((verdict = lpd_queue_excess(q, NULL))) {
		if (!lpd_is_stale(lpd_queue_first_key(q), arrival)) {
			lpd_drop(sch, lpd_victim(q, arrival), &work, verdict);
			continue;
		}
		first = lpd_queue_earliest(q);
		if (lpd_multiplies(q, first))
			lpd_drop(sch, first, &work, verdict);
		else
			lpd_expire(sch, first, &work);
	}
	lpd_report_to_parents(sch, work.packets, work.bytes);
}
