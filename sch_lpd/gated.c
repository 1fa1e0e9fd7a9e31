// SPDX-License-Identifier: GPL-2.0
/* Sends packets through a gate: see gated.h. */

#include <linux/overflow.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/pkt_sched.h>
#include <net/sock.h>
#include "below.h"
#include "expire.h"
#include "gated.h"
#include "segment.h"
#include "tree.h"

#define LPD_GATE_TIMEOUT	((s64)LPD_GATE_TIMEOUT_MS * NSEC_PER_MSEC)

static struct lpd_gated *lpd_gated(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	return q->gated;
}

/* Called when the window or the number of queued probes has changed. */
static void lpd_gated_update(struct lpd_sched_data *q)
{
	const struct lpd_gated *g = q->gated;

	if (!skb_queue_empty(&g->probes))
		q->gate_at = 0;
	else if (check_add_overflow(g->gate.until, 1, &q->gate_at))
		q->gate_at = U64_MAX;
}

/* Counts a packet that arrives at the gate, and fills its control block. */
static void lpd_gated_arrive(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->stats[TCA_LPD_STATS_PACKETS_IN]++;
	lpd_packet_set_plain(skb);
}

/* Checks whether a packet is a probe. A socket in another namespace, which sends over a VLAN
 * or macvlan device, cannot send probes. Its user has no privilege in the device's namespace.
 */
static bool lpd_is_probe(const struct Qdisc *sch, const struct sk_buff *skb)
{
	return skb->priority == LPD_PRIORITY_PROBE && skb->sk &&
	       net_eq(sock_net(skb->sk), dev_net(qdisc_dev(sch)));
}

static int lpd_probe_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			     struct sk_buff **to_free)
{
	struct lpd_gated *g = lpd_gated(sch);

	lpd_gated_arrive(sch, skb);
	if (g->probes.qlen == LPD_PROBES_MAX)
		return lpd_refuse(sch, skb, LPD_PROBE_OVERFLOW, to_free);
	__skb_queue_tail(&g->probes, skb);
	lpd_gated_update(qdisc_priv(sch));
	qdisc_qlen_inc(sch);
	qdisc_qstats_backlog_inc(sch, skb);
	return NET_XMIT_SUCCESS;
}

static struct sk_buff *lpd_probe_dequeue(struct Qdisc *sch)
{
	struct lpd_gated *g = lpd_gated(sch);
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = __skb_dequeue(&g->probes);

	if (!skb)
		return NULL;
	lpd_gated_update(q);
	qdisc_qlen_dec(sch);
	qdisc_qstats_backlog_dec(sch, skb);
	q->stats[TCA_LPD_STATS_PROBES]++;
	lpd_queue_hand_over(sch, skb);
	lpd_gate_note(&g->gate, skb_shinfo(skb)->tskey, lpd_bytes_sent(sch), lpd_now(), q->idle);
	q->idle = false;
	return skb;
}

/* Enqueues the segments of a GSO packet. Returns the best of their results. */
static int lpd_segments_enqueue(struct sk_buff *skb, struct Qdisc *sch,
				struct sk_buff **to_free)
{
	struct sk_buff *segments = ERR_PTR(-EOPNOTSUPP), *segment, *next;
	int result = NET_XMIT_DROP, err;

	if (lpd_segmentable(skb))
		segments = lpd_segments(skb);
	if (IS_ERR(segments)) {
		lpd_gated_arrive(sch, skb);
		return lpd_refuse(sch, skb, LPD_UNSEGMENTED, to_free);
	}
	consume_skb(skb);
	skb_list_walk_safe(segments, segment, next) {
		skb_mark_not_on_list(segment);
		qdisc_skb_cb(segment)->pkt_len = segment->len;
		qdisc_set_pkt_segs(segment, 1);
		err = sch->ops->enqueue(segment, sch, to_free);
		if (err == NET_XMIT_SUCCESS || (err == NET_XMIT_CN && result))
			result = err;
	}
	return result;
}

/**
 * lpd_gated_enqueue() - enqueue a probe, or the segments of a GSO packet
 * @skb: a packet for which lpd_gated_takes() is true; if the packet is neither, it is enqueued as
 *	without a gate
 * @sch: the qdisc
 * @to_free: list to which dropped packets are added
 *
 * Return: the value that enqueue must return
 */
int lpd_gated_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	if (skb_is_gso(skb))
		return lpd_segments_enqueue(skb, sch, to_free);
	if (lpd_is_probe(sch, skb))
		return lpd_probe_enqueue(skb, sch, to_free);
	return sch->ops->enqueue(skb, sch, to_free);
}

/**
 * lpd_gated_renew() - use q->dequeue directly if no gate and no probe is in front of it
 * @sch: the qdisc
 *
 * When the gate is open and the last probe has left, the qdisc works as an lpd without a gate
 * again.
 */
void lpd_gated_renew(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	const struct lpd_gated *g = q->gated;

	if (!g || (!g->on && skb_queue_empty(&g->probes)))
		sch->dequeue = q->dequeue;
}

/**
 * lpd_gated_dequeue() - dequeue while lpd_gated_holds() is true
 * @sch: the qdisc
 *
 * Return: a probe, or NULL
 */
struct sk_buff *lpd_gated_dequeue(struct Qdisc *sch)
{
	struct sk_buff *skb = lpd_probe_dequeue(sch);

	if (skb)
		lpd_gated_renew(sch);
	else if (qdisc_qlen(sch))
		lpd_gate_hold(&lpd_gated(sch)->gate, lpd_now());
	return skb;
}

/* Wakes the device if the gate held packets back until now. */
static void lpd_gated_release(struct Qdisc *sch, s64 now)
{
	if (lpd_gate_let_go(&lpd_gated(sch)->gate, lpd_bytes_sent(sch), now))
		lpd_wake_tree(sch);
}

/* Opens the gate. The configuration's rate and delay apply again. What the device tells applies
 * when lpd asks next.
 */
static void lpd_gated_open(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_gated *g = q->gated;

	g->on = false;
	g->gate.until = U64_MAX;
	lpd_gated_update(q);
	/* the core reads this pointer without a lock */
	WRITE_ONCE(sch->enqueue, sch->ops->enqueue);
	lpd_gated_renew(sch);
	if (q->cfg.rate != TC_LPD_LINK && q->cfg.rate != q->link.rate_bytes_ps)
		lpd_below_set_rate(q, q->cfg.rate);
	lpd_below_set_delay(q, q->cfg.delay != TC_LPD_LINK ? q->cfg.delay : q->delay);
	lpd_gated_release(sch, lpd_now());
}

/* Opens the gate because no request arrived in time. A request that arrives while this function
 * waits for the lock postpones the opening. A tree that was removed from its device must not be
 * changed, see lpd_timer_fire().
 */
static enum hrtimer_restart lpd_gated_expire(struct hrtimer *timer)
{
	struct lpd_gated *g = container_of(timer, struct lpd_gated, timer);
	struct lpd_sched_data *q = qdisc_priv(g->sch);

	rcu_read_lock();
	spin_lock(qdisc_lock(g->sch));
	if (g->sch == qdisc_root_sleeping(g->sch) && g->on && lpd_now() >= g->opens_at) {
		q->stats[TCA_LPD_STATS_GATE_TIMEOUTS]++;
		lpd_gated_open(g->sch);
	}
	spin_unlock(qdisc_lock(g->sch));
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/**
 * lpd_gated_alloc() - allocate a gate
 *
 * Context: process, without a lock
 *
 * Return: a gate that is open, which kvfree() frees; NULL if there is no memory
 */
struct lpd_gated *lpd_gated_alloc(void)
{
	struct lpd_gated *g = kvzalloc(sizeof(*g), LPD_GFP);

	if (!g)
		return NULL;
	__skb_queue_head_init(&g->probes);
	hrtimer_setup(&g->timer, lpd_gated_expire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	return g;
}

/* Puts a gate in front of the device. The gate has no window yet, so every packet passes. */
static void lpd_gated_enter(struct Qdisc *sch)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	lpd_gate_begin(&q->gated->gate, lpd_bytes_sent(sch));
	lpd_gated_update(q);
	q->gated->on = true;
	q->idle = false;
	WRITE_ONCE(sch->enqueue, q->gated_paths->enqueue);
	sch->dequeue = q->gated_paths->dequeue;
}

static void lpd_gated_describe(struct Qdisc *sch, s64 now,
			       struct lpd_gate_state *state)
{
	const struct lpd_sched_data *q = qdisc_priv(sch);
	const struct lpd_gate *gate = &q->gated->gate;

	*state = (struct lpd_gate_state){
		.window = gate->window,
		.rate = q->link.rate_bytes_ps,
		.delay = q->delay,
		.bytes = lpd_bytes_sent(sch),
		.acked = gate->acked,
		.backlog = sch->qstats.backlog,
		.now = now,
	};
}

/* Applies a request to a gate that is on. */
static void lpd_gated_apply(struct Qdisc *sch, const struct lpd_gate_wish *wish,
			    const struct lpd_probe *answered, s64 now)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct lpd_gated *g = q->gated;

	lpd_gate_set(&g->gate, wish->window, answered);
	lpd_gated_update(q);
	if (wish->rate &&
	    lpd_gate_rates(&g->gate, q->link.rate_bytes_ps, wish->rate, now))
		lpd_below_set_rate(q, wish->rate);
	lpd_below_set_delay(q, wish->has_delay ? wish->delay : q->delay);
	g->opens_at = now + LPD_GATE_TIMEOUT;
	hrtimer_start(&g->timer, ns_to_ktime(g->opens_at), HRTIMER_MODE_ABS_PINNED_SOFT);
	lpd_gated_release(sch, now);
}

/**
 * lpd_gated_set() - make or change the gate of an lpd
 * @sch: the qdisc, which is a root
 * @wish: the values of the request
 * @spare: NULL, or a gate from lpd_gated_alloc(); NULL afterwards if the gate was used
 * @state: set to the state of the gate after the request
 *
 * Return: 0; -EAGAIN if @spare is needed; -ENOENT if the gate does not know the answered
 * probe. After an error nothing has changed
 */
int lpd_gated_set(struct Qdisc *sch, const struct lpd_gate_wish *wish,
		  struct lpd_gated **spare, struct lpd_gate_state *state)
{
	const struct lpd_probe *answered = NULL;
	struct lpd_sched_data *q = qdisc_priv(sch);
	s64 now = lpd_now();

	if (wish->has_probe) {
		answered = lpd_gated_on(q) ? lpd_gate_find(&q->gated->gate, wish->probe) : NULL;
		if (!answered)
			return -ENOENT;
	}
	if (!q->gated) {
		if (!*spare)
			return -EAGAIN;
		swap(q->gated, *spare);
		q->gated->sch = sch;
	}
	if (!q->gated->on)
		lpd_gated_enter(sch);
	lpd_gated_apply(sch, wish, answered, now);
	lpd_gated_describe(sch, now, state);
	if (answered)
		state->probe = *answered;
	return 0;
}

/**
 * lpd_gated_get() - describe the gate of an lpd
 * @sch: the qdisc
 * @state: set to the state of the gate
 *
 * Return: 0, or -ENOENT if there is no gate
 */
int lpd_gated_get(struct Qdisc *sch, struct lpd_gate_state *state)
{
	if (!lpd_gated_on(qdisc_priv(sch)))
		return -ENOENT;
	lpd_gated_describe(sch, lpd_now(), state);
	return 0;
}

/**
 * lpd_gated_del() - open the gate of an lpd
 * @sch: the qdisc
 *
 * Return: 0, or -ENOENT if there is no gate
 */
int lpd_gated_del(struct Qdisc *sch)
{
	if (!lpd_gated_on(qdisc_priv(sch)))
		return -ENOENT;
	lpd_gated_open(sch);
	return 0;
}

/**
 * lpd_gated_count() - add the values of the gate to a copy of the counters
 * @sch: the qdisc
 * @stats: array indexed by enum tca_lpd_stats
 *
 * Return: whether the qdisc has had a gate
 */
bool lpd_gated_count(struct Qdisc *sch, u64 *stats)
{
	const struct lpd_gated *g = lpd_gated(sch);
	struct lpd_gate_state state;

	if (!g)
		return false;
	stats[TCA_LPD_STATS_QUEUED] += g->probes.qlen;
	stats[TCA_LPD_STATS_GATE_CLOSED_NS] = lpd_gate_closed_ns(&g->gate, lpd_now());
	if (lpd_gated_get(sch, &state))
		return true;
	stats[TCA_LPD_STATS_GATE] = 1;
	stats[TCA_LPD_STATS_GATE_WINDOW] = state.window;
	stats[TCA_LPD_STATS_GATE_RATE] = state.rate;
	stats[TCA_LPD_STATS_GATE_DELAY] = state.delay;
	stats[TCA_LPD_STATS_GATE_BYTES] = state.bytes;
	stats[TCA_LPD_STATS_GATE_ACKED] = state.acked;
	return true;
}

/**
 * lpd_gated_reset() - drop the queued probes
 * @q: the queue
 */
void lpd_gated_reset(struct lpd_sched_data *q)
{
	struct lpd_gated *g = q->gated;
	struct sk_buff *skb;

	if (!g)
		return;
	q->stats[TCA_LPD_STATS_RESET] += g->probes.qlen;
	while ((skb = __skb_dequeue(&g->probes)))
		rtnl_kfree_skbs(skb, skb);
	lpd_gated_update(q);
}

/**
 * lpd_gated_destroy() - free the gate
 * @q: the queue of a qdisc that is no longer the root of a device
 *
 * The caller must not hold the root lock.
 */
void lpd_gated_destroy(struct lpd_sched_data *q)
{
	if (!q->gated)
		return;
	hrtimer_cancel(&q->gated->timer);
	kvfree(q->gated);
}
