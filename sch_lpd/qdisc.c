// SPDX-License-Identifier: GPL-2.0
/*
 * sch_lpd (Lifetime Packet Discard) is a FIFO whose packets carry their lifetime in an IP
 * option (<linux/xlo.h>). If a packet can no longer arrive in time, lpd discards the packet instead
 * of sending it. After a delay spike on the link below, fresh packets therefore do not wait behind
 * stale packets. A packet is stale if
 *
 *	now + length / rate + delay > deadline
 *
 * Enqueue reads the option. Enqueue drops a packet that is stale on arrival, unless the packet is
 * to be cut. Enqueue also drops a fragment whose datagram has lost another fragment. If the queue
 * exceeds a limit, enqueue first discards or cuts stale packets. Then enqueue drops the packet that
 * the overflow policy names.
 *
 * Dequeue discards or cuts stale packets when it is their turn to be sent. In a packet that
 * is sent, dequeue writes the remaining lifetime into the option, or removes the option.
 *
 * A timer discards or cuts packets that expire while nobody dequeues.
 *
 * To cut a packet means to send only its IP and transport headers ("headercasting").
 * Congestion control then does not mistake the expiry for a loss.
 *
 * Reference: A. Gurtov and R. Ludwig, "Lifetime Packet Discard for Efficient
 * Real-Time Transport over Cellular Links", Mobile Computing and
 * Communications Review 7(4), 2003, sections II.A, IV and VI.C.
 *
 * Packets without a lifetime are queued in a class, which has its own qdisc (class.c). The class
 * shares the link with the other packets (share.h). Without the class (share 0), all packets are
 * queued in one FIFO.
 *
 * lpd does not write new options into packets: use the module xlo, or a sender that writes the
 * option. lpd does not limit the rate: use a parent such as tbf. lpd does not isolate flows: use a
 * classful parent.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <net/fl_version.h>
#include <net/pkt_sched.h>
#include "below.h"
#include "class.h"
#include "expire.h"
#include "gated.h"
#include "genl.h"
#include "netlink.h"
#include "share.h"
#include "strip.h"
#include "timer.h"
#include "tree.h"
#include "usual.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* The maximum number of packets in one run of the timer, and the minimum pause before the next run.
 * A packet that arrives, a new configuration and a request to the gate can end the pause early.
 */
#define LPD_TIMER_BATCH	256U
#define LPD_TIMER_GAP	(100 * NSEC_PER_USEC)

/* Called when lpd cannot send any packet before the timer has run. If a packet is stale,
 * the timer is about to fire. If only fragments of lost datagrams are queued, the timer may
 * be set to a late time.
 */
static void lpd_timer_hurry(struct lpd_sched_data *q, s64 arrival)
{
	if (q->fifo.qlen)
		lpd_timer_advance(q, arrival + LPD_TIMER_GAP - 1);
}

static void lpd_timer_run(struct Qdisc *sch, struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 arrival = lpd_queue_arrival(q, lpd_now());
	s64 key;

	q->timer_key = S64_MAX;
	lpd_expire_in_timer(sch, arrival, LPD_TIMER_BATCH, to_free);
	lpd_wake_tree(sch);
	key = lpd_queue_first_key(q);
	if (key != FL_NO_DEADLINE)
		lpd_timer_arm(q, max_t(s64, key, arrival + LPD_TIMER_GAP - 1));
}

/* Linux 7.2 may free a removed tree that still has packets, and does so without a lock.
 * Therefore the timer must not change a tree that was removed from its device. The core
 * removes a tree under the lock of its root, which is the lock that the timer takes.
 */
static enum hrtimer_restart lpd_timer_fire(struct hrtimer *timer)
{
	struct lpd_sched_data *q = container_of(timer, struct lpd_sched_data,
						timer);
	struct sk_buff *to_free = NULL;
	struct Qdisc *sch = q->sch;
	struct Qdisc *root;

	rcu_read_lock();
	root = qdisc_root_sleeping(sch);
	spin_lock(qdisc_lock(root));
	if (root == qdisc_root_sleeping(sch) && lpd_is_below(sch, root))
		lpd_timer_run(sch, &to_free);
	spin_unlock(qdisc_lock(root));
	rcu_read_unlock();

	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
	return HRTIMER_NORESTART;
}

/* Checks whether a packet without a lifetime may get the lifetime of a rule or the default
 * lifetime.
 */
static bool lpd_accepts_lifetime(const struct lpd_sched_data *q, int option)
{
	switch (option) {
	case LPD_OPTION_NONE:
	case LPD_OPTION_MALFORMED:
		return true;
	case LPD_OPTION_GOOD:
	case LPD_OPTION_RESERVED:
		return !q->cfg.exempt;
	default:
		return false;
	}
}

/* Gives a packet the lifetime of the rule that it matches, or the default lifetime. The
 * treatment of a valid option has priority over the rule's treatment. Returns false if the
 * packet stays without a lifetime.
 */
static noinline bool lpd_matched_lifetime(struct lpd_sched_data *q, struct sk_buff *skb,
					  s64 now)
{
	const struct lpd_rule *rule = lpd_queue_rule(q, skb);
	u64 lifetime = rule ? rule->lifetime : q->cfg.lifetime;
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	if (!lifetime)
		return false;
	cb->deadline = now + lifetime;
	if (rule && !cb->opt_off)
		cb->stale = rule->stale;
	q->stats[rule ? TCA_LPD_STATS_MATCHED : TCA_LPD_STATS_DEFAULT_LIFETIME]++;
	return true;
}

/* Sends a packet without a lifetime to the class. The class's qdisc may drop any fragment
 * without saying which one. Therefore the fragment must not enter the table of datagrams.
 */
static enum lpd_verdict lpd_without_lifetime(struct lpd_sched_data *q, struct sk_buff *skb)
{
	q->stats[TCA_LPD_STATS_NO_LIFETIME]++;
	if (!q->class.qdisc)
		return LPD_PASS;
	lpd_skb_cb(skb)->whole = true;
	return LPD_TO_CLASS;
}

/* Gives a lifetime to a packet without a lifetime, if a rule or the default lifetime applies. The
 * option is not changed, because the new lifetime is valid in this queue only.
 */
static enum lpd_verdict lpd_give_lifetime(struct lpd_sched_data *q, struct sk_buff *skb,
					  int option, s64 now)
{
	s64 lifetime = lpd_accepts_lifetime(q, option) ? q->fallback : 0;

	if (lifetime > 0) {
		lpd_skb_cb(skb)->deadline = now + lifetime;
		q->stats[TCA_LPD_STATS_DEFAULT_LIFETIME]++;
		return LPD_PASS;
	}
	if (lifetime && lpd_matched_lifetime(q, skb, now))
		return LPD_PASS;
	return lpd_without_lifetime(q, skb);
}

static void lpd_count_unusual(struct lpd_sched_data *q, int option)
{
	switch (option) {
	case LPD_OPTION_RESERVED:
		q->stats[TCA_LPD_STATS_RESERVED]++;
		break;
	case LPD_OPTION_MALFORMED:
		q->stats[TCA_LPD_STATS_MALFORMED]++;
		break;
	}
}

/* @slow is the counter of the reason why the packet does not take the fast path. */
static enum lpd_verdict lpd_classify(struct lpd_sched_data *q, struct sk_buff *skb, s64 now,
				     int slow)
{
	int option = lpd_packet_read(skb, now, q->cfg.strip);

	if (unlikely(option > LPD_OPTION_USUAL)) {
		if (option == LPD_OPTION_NOMEM)
			return LPD_NOMEM;
		lpd_count_unusual(q, option);
	}
	if (lpd_skb_cb(skb)->deadline == FL_NO_DEADLINE)
		return lpd_give_lifetime(q, skb, option, now);
	q->stats[slow]++;
	return LPD_PASS;
}

/* Finds the datagram of a fragment. Returns whether the datagram has already lost a
 * fragment.
 */
static bool lpd_track(struct lpd_sched_data *q, struct sk_buff *skb, s64 now)
{
	struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	int adu;

	if (!q->cfg.adu || cb->whole)
		return false;
	adu = lpd_adu_arrive(q->adus, skb, cb->ip_off, cb->opt_off, now);
	if (adu == LPD_ADU_UNTRACKED) {
		q->stats[TCA_LPD_STATS_UNTRACKED]++;
		return false;
	}
	cb->adu = adu;
	return lpd_adu_is_dead(q->adus, adu);
}

/* Decides whether the queue accepts a packet. Returns LPD_PASS, LPD_TO_CLASS or the reason to
 * refuse the packet. Sets @key to the packet's key, or to FL_NO_DEADLINE.
 */
static enum lpd_verdict lpd_admit(struct lpd_sched_data *q, struct sk_buff *skb,
				  s64 now, int slow, s64 *key)
{
	enum lpd_verdict verdict = lpd_classify(q, skb, now, slow);

	*key = FL_NO_DEADLINE;
	/* called even for a packet that is refused, because a refused fragment makes the other
	 * fragments of its datagram useless
	 */
	if (lpd_track(q, skb, now))
		return LPD_DATAGRAM_LOST;
	if (unlikely(verdict))
		return verdict;
	if (!lpd_queue_may_expire(q, skb))
		return LPD_PASS;
	*key = lpd_queue_key(q, skb);
	if (lpd_is_stale(*key, lpd_queue_arrival(q, now)))
		verdict = lpd_stale_on_arrival(q, skb);
	if (!verdict)
		lpd_timer_advance(q, *key);
	return verdict;
}

/* Gives a packet to the class. The class's qdisc overwrites the control block, so lpd removes
 * the option now. The parents count and charge the packet with its old length.
 */
static int lpd_enqueue_to_class(struct sk_buff *skb, struct Qdisc *sch,
				struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	if (cb->strip && lpd_strip(skb, cb->ip_off, cb->opt_off))
		q->stats[TCA_LPD_STATS_STRIPPED]++;
	return lpd_class_enqueue(skb, sch, to_free);
}

/* Handles an arriving packet that does not enter lpd's own queue. */
static noinline int lpd_divert(struct sk_buff *skb, struct Qdisc *sch,
			       enum lpd_verdict verdict, struct sk_buff **to_free)
{
	if (verdict == LPD_TO_CLASS)
		return lpd_enqueue_to_class(skb, sch, to_free);
	return lpd_refuse(sch, skb, verdict, to_free);
}

/* Enqueues a packet in the general way. @slow is the counter of the reason. */
static noinline int lpd_enqueue_general(struct sk_buff *skb, struct Qdisc *sch,
					struct sk_buff **to_free, int slow)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 key;
	enum lpd_verdict verdict = lpd_admit(q, skb, lpd_now(), slow, &key);

	if (verdict)
		return lpd_divert(skb, sch, verdict, to_free);
	lpd_queue_insert(sch, skb, key);
	if (unlikely(lpd_queue_excess(q, NULL)))
		return lpd_shrink_in_enqueue(sch, skb, to_free);
	return NET_XMIT_SUCCESS;
}

/* Checks whether the queue accepts a usual packet with a remaining lifetime of @left ns. A
 * packet that would be stale on arrival, or just not be stale, is left to lpd_enqueue_general().
 */
static __always_inline bool lpd_accepts_usual(const struct lpd_sched_data *q,
					      const struct sk_buff *skb, const u8 *hdr, s64 left)
{
	return lpd_usual_heeded(hdr, q->usual) &&
	       lpd_queue_fits(q, skb->truesize) &&
	       left > q->delay + lpd_queue_transmission(q, skb);
}

/* Sorts a usual packet that has just been queued and cannot be in the run. */
static __always_inline int lpd_enqueue_sorted(struct sk_buff *skb, struct Qdisc *sch, s64 key)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_usual_fill(skb, q->cfg.strip);
	return lpd_order_enter_usual(&q->order, skb, key, q->stats);
}

/* Enqueues a packet that may have an option or may be a fragment. Does all that a usual packet
 * needs in one function. All that can fail comes before the clock is read, because the function
 * then needs few registers that it must save. Until then, the deadline in the control block is
 * relative.
 */
static __always_inline int lpd_enqueue_usual(struct sk_buff *skb, struct Qdisc *sch,
					     struct sk_buff **to_free)
{
	const u8 *hdr = skb_network_header(skb);
	struct lpd_sched_data *q;
	u64 lifetime;
	s64 key;

	if (unlikely(!lpd_usual_read(skb, hdr, &lifetime)))
		return lpd_enqueue_general(skb, sch, to_free, TCA_LPD_STATS_SLOW_FORM);
	lifetime *= NSEC_PER_MSEC;
	if (unlikely(!lpd_accepts_usual(qdisc_priv(sch), skb, hdr, lifetime)))
		return lpd_enqueue_general(skb, sch, to_free, TCA_LPD_STATS_SLOW_CONFIG);
	lpd_skb_cb(skb)->deadline = lifetime;
	lpd_skb_cb(skb)->deadline += lpd_now();
	/* the compiler would save one more register, for an address that it can compute again */
	OPTIMIZER_HIDE_VAR(sch);
	q = qdisc_priv(sch);
	key = lpd_queue_key(q, skb);
	lpd_queue_append(sch, skb, skb->truesize);
	key = lpd_timer_advance(q, key);
	if (unlikely(!lpd_run_accepts(&q->order.run, key)))
		return lpd_enqueue_sorted(skb, sch, key);
	lpd_usual_fill_run(skb);
	lpd_run_append(&q->order, skb, key);
	q->stats[TCA_LPD_STATS_FAST]++;
	return NET_XMIT_SUCCESS;
}

/* Enqueues a packet that has a clone. A local TCP keeps a clone of each packet, but not of the
 * headers.
 */
static noinline int lpd_enqueue_cloned(struct sk_buff *skb, struct Qdisc *sch,
				       struct sk_buff **to_free)
{
	u64 lifetime;

	if (!lpd_usual_read(skb, skb_network_header(skb), &lifetime) || !lpd_usual_shared(skb))
		return lpd_enqueue_usual(skb, sch, to_free);
	return lpd_enqueue_general(skb, sch, to_free, TCA_LPD_STATS_SLOW_SHARED);
}

static noinline int lpd_enqueue_read(struct sk_buff *skb, struct Qdisc *sch,
				     struct sk_buff **to_free)
{
	if (unlikely(skb->cloned))
		return lpd_enqueue_cloned(skb, sch, to_free);
	return lpd_enqueue_usual(skb, sch, to_free);
}

/* Has the parameters of lpd_enqueue(), so that the call moves no registers. */
static noinline int lpd_enqueue_shrink(struct sk_buff *skb, struct Qdisc *sch,
				       struct sk_buff **to_free)
{
	return lpd_shrink_in_enqueue(sch, skb, to_free);
}

/* Most packets are plain. A plain packet costs little more than in pfifo, because lpd does
 * not read the clock for it. The other cases are in separate functions, so that
 * lpd_enqueue() does not have to save registers.
 */
static __always_inline int lpd_enqueue(struct sk_buff *skb, struct Qdisc *sch,
				       struct sk_buff **to_free)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->stats[TCA_LPD_STATS_PACKETS_IN]++;
	if (q->fallback || !lpd_packet_is_plain(skb))
		return lpd_enqueue_read(skb, sch, to_free);
	q->stats[TCA_LPD_STATS_NO_LIFETIME]++;
	if (q->class.qdisc)
		return lpd_class_enqueue(skb, sch, to_free);
	lpd_packet_set_plain(skb);
	lpd_queue_append(sch, skb, skb->truesize);
	if (unlikely(lpd_queue_excess(q, NULL)))
		return lpd_enqueue_shrink(skb, sch, to_free);
	return NET_XMIT_SUCCESS;
}

/* Called when a packet is sent: counts a stale packet, or adds the remaining lifetime of any other
 * packet to the histogram.
 */
static void lpd_count_remaining(struct lpd_sched_data *q,
				const struct sk_buff *skb, s64 now)
{
	s64 left = lpd_skb_cb(skb)->deadline - now;

	if (left < q->delay + lpd_queue_transmission(q, skb))
		q->stats[TCA_LPD_STATS_STALE_FORWARDED]++;
	else
		q->remaining[lpd_hist_bucket(left)]++;
}

/* Removes the option from a packet that has just left the queue. The parents get a report
 * of the new length only if another packet is queued, because then no parent's count is 0.
 * If lpd's own queue is empty and lpd has a parent, the packet keeps its old length in all counts.
 */
static bool lpd_strip_departing(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);
	unsigned int bytes = lpd_strip(skb, cb->ip_off, cb->opt_off);

	if (!bytes)
		return false;
	q->stats[TCA_LPD_STATS_STRIPPED]++;
	if (skb_is_gso(skb))
		bytes *= skb_shinfo(skb)->gso_segs ?: 1;
	bytes = min(bytes, qdisc_pkt_len(skb) - 1);
	if (q->fifo.qlen || sch->parent == TC_H_ROOT) {
		qdisc_skb_cb(skb)->pkt_len -= bytes;
		qdisc_tree_reduce_backlog(sch, 0, bytes);
	}
	return true;
}

/* Writes the remaining lifetime into the option of a packet that is sent. */
static void lpd_rewrite(struct lpd_sched_data *q, struct sk_buff *skb, s64 now)
{
	s64 deadline = lpd_skb_cb(skb)->deadline;

	lpd_packet_write_lifetime(skb, fl_remaining_ms(deadline, now));
	q->stats[TCA_LPD_STATS_REWRITTEN]++;
}

/* Counts a packet that is sent, and updates its option. */
static void lpd_depart(struct Qdisc *sch, struct sk_buff *skb, s64 now)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	const struct lpd_skb_cb *cb = lpd_skb_cb(skb);

	if (cb->adu)
		lpd_adu_leave(q->adus, cb->adu, false);
	if (cb->deadline != FL_NO_DEADLINE && !cb->cut)
		lpd_count_remaining(q, skb, now);
	if (cb->strip && lpd_strip_departing(sch, skb))
		return;
	if (cb->relative)
		lpd_rewrite(q, skb, now);
}

/* Called when dequeue finds no packet to send. */
static struct sk_buff *lpd_nothing_to_send(struct lpd_sched_data *q)
{
	q->idle = true;
	return NULL;
}

/* Does the work of lpd_rewrite() for a usual packet. @hdr is its IP header. */
static __always_inline void lpd_rewrite_usual(struct lpd_sched_data *q, u8 *hdr, u32 ms)
{
	q->stats[TCA_LPD_STATS_REWRITTEN]++;
	lpd_usual_write(hdr, ms);
}

/* Does the work of lpd_depart() for a usual packet that is not stale. One division gives the
 * rounded lifetime, see fl_remaining_ms(), and the bucket of the histogram. The lifetime was at
 * most XLO_RELATIVE_MAX when the packet arrived, so neither value needs a limit.
 */
static __always_inline void lpd_depart_usual(struct lpd_sched_data *q, u8 *hdr, s64 left)
{
	u32 rest, ms = div_u64_rem(left, NSEC_PER_MSEC, &rest);

	BUILD_BUG_ON(XLO_RELATIVE_MAX >> (TC_LPD_HIST_BUCKETS - 2));
	/* the same bucket as lpd_hist_bucket() */
	q->remaining[__fls(2UL * ms + 1)]++;
	lpd_rewrite_usual(q, hdr, ms + (rest >= NSEC_PER_MSEC / 2));
}

/* Dequeues a packet in the general way. */
static noinline struct sk_buff *lpd_dequeue_fresh(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 now = lpd_now();
	struct sk_buff *skb = lpd_fresh(sch, lpd_queue_arrival(q, now), LPD_STALE_DEQUEUE);

	if (!skb) {
		lpd_timer_hurry(q, lpd_queue_arrival(q, now));
		return lpd_nothing_to_send(q);
	}
	lpd_queue_take(sch, skb);
	lpd_depart(sch, skb, now);
	lpd_queue_hand_over(sch, skb);
	return skb;
}

/* Sends a packet with an entry. Does all that a packet needs in one function, if the packet is
 * fresh and sent as a usual one. @edf says whether the order is edf.
 */
static __always_inline struct sk_buff *lpd_send_sorted(struct Qdisc *sch, struct lpd_entry *e,
						       s64 now, bool edf)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = e->skb;
	s64 left = lpd_skb_cb(skb)->deadline - now;

	if (unlikely(!lpd_usual_departs(skb) || left < q->delay + lpd_queue_transmission(q, skb) ||
		     lpd_is_stale(e->by_key.at, lpd_queue_arrival(q, now))))
		return lpd_dequeue_fresh(sch);
	if (edf) {
		lpd_queue_count_reordered(q, e);
		lpd_queue_swap_out(&q->fifo, skb);
	} else {
		__skb_unlink(skb, &q->fifo);
	}
	lpd_queue_discount(sch, skb, max(skb->truesize, LPD_MEMORY_LEAST));
	lpd_queue_hand_over(sch, skb);
	/* an absolute lifetime, or that of a rule, is not written */
	if (likely(lpd_skb_cb(skb)->relative))
		lpd_depart_usual(q, skb->data + lpd_skb_cb(skb)->ip_off, left);
	else
		q->remaining[lpd_hist_bucket(left)]++;
	if (edf) {
		lpd_order_leave_sent(&q->order, e);
		lpd_order_prefetch(&q->order);
	} else {
		lpd_order_leave(&q->order, e);
	}
	return skb;
}

/* Dequeues a packet when the head of the FIFO is neither plain nor in the run. */
static noinline struct sk_buff *lpd_dequeue_sorted(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *head = __skb_peek(&q->fifo);
	s64 now;

	if (q->ranks.rank || lpd_skb_cb(head)->entry <= LPD_NO_ENTRY)
		return lpd_dequeue_fresh(sch);
	if (q->order.flows) {
		now = lpd_now();
		return lpd_send_sorted(sch, lpd_order_next(&q->order), now, true);
	}
	if (!lpd_usual_departs(head))
		return lpd_dequeue_fresh(sch);
	now = lpd_now();
	return lpd_send_sorted(sch, lpd_order_entry(&q->order, head), now, false);
}

/* Dequeues a packet when the head of the FIFO is in the run, and is stale, or loses its option,
 * or the run is closed. The remaining lifetime of the head is @left ns. If the head is not sent
 * here, it gets an entry, and lpd_dequeue_fresh() decides.
 */
static noinline struct sk_buff *lpd_dequeue_head(struct Qdisc *sch, s64 left)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = __skb_peek(&q->fifo);
	bool stale = left < q->delay + lpd_queue_transmission(q, skb);
	bool closed = q->margin == LPD_RUN_CLOSED;
	s64 key = lpd_queue_run_key(q, skb), seq = lpd_queue_leave_run(q, skb);

	if (closed || (stale && !lpd_cut_head(sch, skb))) {
		lpd_order_settle(&q->order, skb, key, seq);
		return lpd_dequeue_fresh(sch);
	}
	lpd_queue_detach(sch, skb, skb->truesize);
	if (lpd_skb_cb(skb)->strip)
		lpd_depart(sch, skb, lpd_skb_cb(skb)->deadline - left);
	else
		lpd_rewrite_usual(q, skb_network_header(skb), fl_remaining_ms(left, 0));
	lpd_queue_hand_over(sch, skb);
	return skb;
}

/* Dequeues the head of the FIFO, which is in the run. */
static noinline struct sk_buff *lpd_dequeue_run(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 now = lpd_now();
	struct sk_buff *skb = __skb_peek(&q->fifo);
	s64 left = lpd_skb_cb(skb)->deadline - now;

	if (unlikely(left < q->margin + lpd_queue_transmission(q, skb)))
		return lpd_dequeue_head(sch, left);
	lpd_run_pop(&q->order.run, skb);
	lpd_queue_detach(sch, skb, skb->truesize);
	lpd_queue_hand_over(sch, skb);
	lpd_depart_usual(q, skb_network_header(skb), left);
	return skb;
}

static __always_inline struct sk_buff *lpd_own_dequeue(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *head;

	if (skb_queue_empty(&q->fifo))
		return lpd_nothing_to_send(q);
	head = __skb_peek(&q->fifo);
	if (!lpd_skb_cb(head)->plain)
		return lpd_skb_cb(head)->run ? lpd_dequeue_run(sch) : lpd_dequeue_sorted(sch);
	lpd_queue_detach(sch, head, head->truesize);
	lpd_queue_hand_over(sch, head);
	return head;
}

/* Serves as dequeue without a class. */
static struct sk_buff *lpd_dequeue_own(struct Qdisc *sch)
{
	return lpd_own_dequeue(sch);
}

/* Dequeues a packet from the class while lpd's own queue is empty. */
static struct sk_buff *lpd_dequeue_class(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = lpd_class_dequeue(sch);

	if (!skb)
		return lpd_nothing_to_send(q);
	lpd_share_charge(&q->class.share, true, qdisc_pkt_len(skb), q->cfg.share, false);
	lpd_queue_hand_over(sch, skb);
	return skb;
}

/* Dequeues a packet from the class, or from lpd's own queue. */
static struct sk_buff *lpd_dequeue_from(struct Qdisc *sch, bool class)
{
	struct sk_buff *skb;

	if (!class)
		return lpd_dequeue_own(sch);
	skb = lpd_class_dequeue(sch);
	if (skb)
		lpd_queue_hand_over(sch, skb);
	return skb;
}

/* Dequeues a packet from the queue whose turn it is. If this queue returns no packet, the other
 * queue sends a packet as if this queue were empty.
 */
static struct sk_buff *lpd_dequeue_shared(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	bool class = lpd_share_favours_class(&q->class.share), other_waits;
	bool idle = q->idle;
	struct sk_buff *skb = lpd_dequeue_from(sch, class);

	if (skb) {
		other_waits = class ? q->fifo.qlen : lpd_class_waits(&q->class);
	} else {
		class = !class;
		skb = lpd_dequeue_from(sch, class);
		other_waits = false;
	}
	if (!skb)
		return lpd_nothing_to_send(q);
	/* one queue without a packet does not make lpd idle */
	q->idle = idle;
	lpd_share_charge(&q->class.share, class, qdisc_pkt_len(skb), q->cfg.share, other_waits);
	return skb;
}

/* Dequeues a packet while the class is active. */
static noinline struct sk_buff *lpd_dequeue_active(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	if (lpd_class_settled(&q->class)) {
		q->class.active = false;
		return lpd_dequeue_own(sch);
	}
	return skb_queue_empty(&q->fifo) ? lpd_dequeue_class(sch) : lpd_dequeue_shared(sch);
}

/* Dequeues a packet from either queue. Some parents call this function even without a class,
 * because they use lpd_qdisc_ops instead of sch->dequeue.
 */
static __always_inline struct sk_buff *lpd_dequeue(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	return q->class.active ? lpd_dequeue_active(sch) : lpd_own_dequeue(sch);
}

/* Serves as enqueue with a gate. */
static int lpd_enqueue_gated(struct sk_buff *skb, struct Qdisc *sch,
			     struct sk_buff **to_free)
{
	return lpd_gated_takes(skb) ? lpd_gated_enqueue(skb, sch, to_free) :
				      lpd_enqueue(skb, sch, to_free);
}

/* Serves as dequeue with a gate. */
static struct sk_buff *lpd_dequeue_gated(struct Qdisc *sch)
{
	return lpd_gated_holds(sch) ? lpd_gated_dequeue(sch) : lpd_dequeue(sch);
}

static const struct lpd_paths lpd_gated_paths = {
	.enqueue	= lpd_enqueue_gated,
	.dequeue	= lpd_dequeue_gated,
};

/* Finds the packet that lpd's own queue would send. Returns NULL if the queue is empty, or if the
 * timer must remove stale packets first.
 */
static struct sk_buff *lpd_peek_own(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *head;

	if (skb_queue_empty(&q->fifo))
		return NULL;
	head = __skb_peek(&q->fifo);
	if (lpd_skb_cb(head)->plain)
		return head;
	return lpd_fresh(sch, lpd_queue_arrival(q, lpd_now()), LPD_STALE_PEEK);
}

/* Finds the next packet of the queue whose turn it is. If peek at this queue returns no packet, the
 * function finds the next packet of the other queue.
 */
static struct sk_buff *lpd_peek_shared(struct Qdisc *sch)
{
	if (lpd_share_favours_class(&lpd_class_of(sch)->share))
		return lpd_class_peek(sch) ?: lpd_peek_own(sch);
	return lpd_peek_own(sch) ?: lpd_class_peek(sch);
}

/* While lpd's own queue has packets, peek returns a packet, even if all packets are stale. QFQ
 * would report NULL as a bug. A packet may expire between peek and dequeue, because TBF and HFSC
 * may wait for seconds before they dequeue. Therefore dequeue checks the packet again.
 */
static struct sk_buff *lpd_peek(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	return (q->class.qdisc ? lpd_peek_shared(sch) : lpd_peek_own(sch)) ?: skb_peek(&q->fifo);
}

static void lpd_reset(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	/* a parent may be waiting for the timer, which is cancelled below, or for a timer of
	 * the class's qdisc
	 */
	if (qdisc_qlen(sch))
		lpd_wake_tree(sch);
	lpd_class_reset(sch);
	lpd_queue_reset(sch);
	lpd_gated_reset(q);
	/* hrtimer_cancel() could deadlock: it waits for a running timer function, which
	 * waits for the lock that is held here. The timer function will find the queue
	 * empty.
	 */
	hrtimer_try_to_cancel(&q->timer);
	q->timer_key = S64_MAX;
}

/* The tables that a configuration needs, the functions of the modules xlo_rto and arqlink, and the
 * qdisc of a new class.
 */
struct lpd_tables {
	struct lpd_order order;
	struct lpd_ranks ranks;
	struct lpd_adus *adus;
	xlo_notify_fn *notify;
	fl_link_quality_fn *quality;
	struct Qdisc *child;
};

static void lpd_tables_free(const struct lpd_tables *t)
{
	lpd_order_free(&t->order);
	kvfree(t->ranks.rank);
	kvfree(t->adus);
	lpd_notify_put(t->notify);
	lpd_below_put(t->quality);
	qdisc_put(t->child);
}

static int lpd_ranks_alloc(struct lpd_ranks *ranks, u32 size)
{
	ranks->rank = kvmalloc_array(size, sizeof(*ranks->rank), LPD_GFP);
	if (!ranks->rank)
		return -ENOMEM;
	lpd_ranks_clear(ranks);
	return 0;
}

/* Returns the largest number of entries that the queued packets can need, if they were queued under
 * the configuration @old.
 */
static u32 lpd_entries_before(const struct lpd_config *old, bool least)
{
	/* plain packets, which get entries now, may have had a truesize of a few bytes */
	return lpd_order_size(old->limit, least ? U32_MAX : old->memory);
}

/* Finds the functions of other modules. */
static int lpd_functions_get(struct lpd_tables *t, const struct lpd_config *cfg,
			     struct netlink_ext_ack *extack)
{
	int err = cfg->notify ? lpd_notify_get(&t->notify, extack) : 0;

	if (err || !lpd_below_asks(cfg))
		return err;
	t->quality = lpd_below_get(extack);
	if (t->quality)
		return 0;
	lpd_notify_put(t->notify);
	return -ENOENT;
}

/* Allocates tables with space for all queued packets. If the new limit is lower, the caller
 * drops packets afterwards. An existing table of datagrams is kept.
 */
static int lpd_tables_alloc(struct lpd_tables *t,
			    const struct lpd_sched_data *q,
			    const struct lpd_config *cfg,
			    struct netlink_ext_ack *extack)
{
	bool least = cfg->overflow == TC_LPD_OVERFLOW_LEAST;
	u32 size = max(lpd_order_size(cfg->limit, cfg->memory),
		       lpd_entries_before(&q->cfg, least));
	bool adus = cfg->adu && !q->adus;
	bool child = cfg->share && !q->class.qdisc;
	int err;

	*t = (struct lpd_tables){};
	err = lpd_functions_get(t, cfg, extack);
	if (err)
		return err;
	err = lpd_order_alloc(&t->order, size, cfg->order == TC_LPD_ORDER_EDF);
	if (!err && least)
		err = lpd_ranks_alloc(&t->ranks, size);
	if (adus)
		t->adus = lpd_adu_alloc(LPD_GFP);
	if (child)
		t->child = lpd_class_create(q->sch, extack);
	if (!err && !adus == !t->adus && !child == !t->child)
		return 0;
	lpd_tables_free(t);
	NL_SET_ERR_MSG(extack,
		       "lpd: no memory for the tables that limit, memory, order, overflow, adu and share ask for");
	return -ENOMEM;
}

/* Installs the new, empty tables of @t for the configuration @cfg. Afterwards @t contains the
 * old tables, which the caller frees.
 */
static void lpd_tables_swap(struct lpd_sched_data *q, struct lpd_tables *t,
			    const struct lpd_config *cfg)
{
	swap(q->order, t->order);
	swap(q->ranks, t->ranks);
	lpd_ranks_clear(&q->ranks);
	q->elaborate = q->order.flows || q->ranks.rank;
	swap(q->notify, t->notify);
	swap(q->quality, t->quality);
	if (t->adus)
		swap(q->adus, t->adus);
	if (t->child || !cfg->share)
		lpd_class_swap(q->sch, &t->child);
}

/* Frees @rules, unless the rules @stay, which remain in use, are the same rules. */
static void lpd_rules_free(struct lpd_rules *rules, const struct lpd_rules *stay)
{
	if (rules != stay)
		kfree(rules);
}

/* Checks whether usual packets with an option that asks for the treatment @stale may take the fast
 * path: they must be heeded when they are stale, and have no rank.
 */
static bool lpd_takes_usual(const struct lpd_config *cfg, enum xlo_stale stale)
{
	if (cfg->overflow == TC_LPD_OVERFLOW_LEAST ||
	    cfg->stale == TC_LPD_STALE_FORWARD || stale == XLO_STALE_RESERVED)
		return false;
	return cfg->stale != TC_LPD_STALE_HONOR || stale != XLO_STALE_FORWARD;
}

/* Returns lpd_sched_data.usual. */
static u32 lpd_usual_flags(const struct lpd_config *cfg)
{
	u32 usual = 0, flags;

	for (flags = 0; flags <= XLO_FLAGS_ALL; flags++)
		if (lpd_takes_usual(cfg, XLO_TREATMENT(flags)))
			usual |= BIT(flags);
	return usual;
}

static void lpd_configure(struct Qdisc *sch, const struct lpd_config *cfg)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	/* savings are worth other numbers of bytes with another share */
	if (cfg->share != q->cfg.share)
		q->class.share = (struct lpd_share){ };
	q->cfg = *cfg;
	q->fallback = cfg->rules || cfg->overflow == TC_LPD_OVERFLOW_LEAST ?
		      LPD_BY_RULES : cfg->lifetime;
	q->usual = lpd_usual_flags(cfg);
	sch->limit = cfg->limit;
	/* a queue without a class must not spend time on classes */
	q->dequeue = cfg->share ? lpd_dequeue : lpd_dequeue_own;
	lpd_gated_renew(sch);
	if (!lpd_gated_on(q))
		lpd_below_configure(q);
}

/* Applies a request completely or not at all. All steps that can fail come before the lock
 * is taken.
 */
static int lpd_change(struct Qdisc *sch, struct nlattr *opt,
		      struct netlink_ext_ack *extack)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_rules *rules = q->cfg.rules;
	struct lpd_config cfg = q->cfg;
	struct sk_buff *to_free = NULL;
	struct lpd_tables tables;
	int err;

	err = lpd_netlink_parse(&cfg, sch, opt, extack);
	if (err)
		return err;
	err = lpd_tables_alloc(&tables, q, &cfg, extack);
	if (err) {
		lpd_rules_free(cfg.rules, rules);
		return err;
	}

	sch_tree_lock(sch);
	lpd_queue_restore(q);
	lpd_configure(sch, &cfg);
	lpd_tables_swap(q, &tables, &cfg);
	lpd_queue_rebuild(q);
	lpd_shrink_in_change(sch, lpd_queue_arrival(q, lpd_now()), &to_free);
	lpd_timer_renew(q);
	sch_tree_unlock(sch);

	lpd_below_change(q);
	lpd_tables_free(&tables);
	lpd_rules_free(rules, cfg.rules);
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
		/* A qdisc reports drops to the handle of its parent. The default qdisc of a
		 * device has no handle, so it cannot have a class.
		 */
		.share = sch->handle ? TC_LPD_SHARE_DEFAULT : 0,
		.adu = true,
	};
	struct lpd_tables tables;
	int err;

	hrtimer_setup(&q->timer, lpd_timer_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	q->timer_key = S64_MAX;
	lpd_below_init(q);
	q->sch = sch;
	q->gated_paths = &lpd_gated_paths;
	__skb_queue_head_init(&q->fifo);

	err = lpd_netlink_parse(&cfg, sch, opt, extack);
	if (err)
		return err;
	err = lpd_tables_alloc(&tables, q, &cfg, extack);
	if (err) {
		kfree(cfg.rules);
		return err;
	}
	lpd_tables_swap(q, &tables, &cfg);
	lpd_configure(sch, &cfg);
	lpd_queue_open_run(q);
	lpd_below_first(q);
	/* A parent warns if a child without TCQ_F_WARN_NONWC has packets but returns no
	 * packet. For lpd, returning no packet is not an error.
	 */
	sch->flags |= TCQ_F_DEQUEUE_DROPS | TCQ_F_WARN_NONWC;
	return 0;
}

static void lpd_destroy(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_gated_destroy(q);
	hrtimer_cancel(&q->timer);
	lpd_below_stop(q);
	lpd_order_free(&q->order);
	kvfree(q->ranks.rank);
	kvfree(q->adus);
	kfree(q->cfg.rules);
	lpd_notify_put(q->notify);
	lpd_below_put(q->quality);
	qdisc_put(q->class.qdisc);
}

static struct Qdisc_ops lpd_qdisc_ops __read_mostly = {
	.id		= "lpd",
	.cl_ops		= &lpd_class_ops,
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
	int err = lpd_genl_init(&lpd_qdisc_ops);

	if (err)
		return err;
	err = register_qdisc(&lpd_qdisc_ops);
	if (err)
		lpd_genl_exit();
	return err;
}

static void __exit lpd_module_exit(void)
{
	unregister_qdisc(&lpd_qdisc_ops);
	lpd_genl_exit();
}

module_init(lpd_module_init);
module_exit(lpd_module_exit);
MODULE_DESCRIPTION("Lifetime Packet Discard: a queue that drops stale packets");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FL_VERSION);
MODULE_ALIAS_NET_SCH("lpd");
