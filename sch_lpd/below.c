// SPDX-License-Identifier: GPL-2.0
/*
 * The rate and the delay of the link below lpd: see below.h.
 *
 * The module arqlink tells the quality of its devices. sch_lpd must load without arqlink. Therefore
 * symbol_get() finds the function of arqlink, as feedback.c finds that of xlo_rto. While the qdisc
 * holds the reference, arqlink cannot be unloaded.
 */

#include <linux/module.h>
#include <linux/netlink.h>
#include <net/pkt_sched.h>
#include "below.h"
#include "gated.h"
#include "timer.h"
#include "tree.h"

/* maximum number of queued packets that get new keys when the rate changes. An estimate may change
 * often, so the work must be small.
 */
#define LPD_REKEY_MAX	128

/* lpd uses a new rate at most once a second (gate.c), so it need not ask more often */
#define LPD_ASK_PAUSE	NSEC_PER_SEC

/**
 * lpd_below_tells() - check whether a device tells the quality of its link
 * @dev: the device
 *
 * Context: process, RTNL
 */
bool lpd_below_tells(const struct net_device *dev)
{
	fl_link_quality_fn *quality = symbol_get(fl_link_quality);
	struct fl_link_quality told;
	bool tells;

	if (!quality)
		return false;
	tells = quality(dev, &told);
	symbol_put(fl_link_quality);
	return tells;
}

/**
 * lpd_below_get() - find the function that tells the quality of a link
 * @extack: set to an error message if arqlink is not loaded
 *
 * Context: process
 *
 * Return: the function, which the caller later passes to lpd_below_put(), or NULL
 */
fl_link_quality_fn *lpd_below_get(struct netlink_ext_ack *extack)
{
	fl_link_quality_fn *quality = symbol_get(fl_link_quality);

	if (!quality)
		NL_SET_ERR_MSG(extack, "lpd: rate or delay link: module arqlink is not loaded");
	return quality;
}

/**
 * lpd_below_put() - release the reference to arqlink
 * @quality: the function, which must not be running; or NULL
 *
 * Context: process
 */
void lpd_below_put(fl_link_quality_fn *quality)
{
	if (quality)
		symbol_put(fl_link_quality);
}

/**
 * lpd_below_set_delay() - use a new delay
 * @q: the queue
 * @delay: ns
 *
 * All keys stay the same, but packets become stale at other times.
 */
void lpd_below_set_delay(struct lpd_sched_data *q, u64 delay)
{
	lpd_queue_set_delay(q, delay);
	lpd_timer_renew(q);
}

/**
 * lpd_below_set_rate() - use a new rate
 * @q: the queue
 * @rate: bytes/s, 0 for unlimited
 *
 * The caller must call lpd_below_set_delay() afterwards, which renews the timer for the new keys.
 * In a long queue, the queued packets keep their keys, because computing new keys would hold the
 * lock for too long. Such a key is wrong by the difference of the packet's own transmission times,
 * and still orders packets.
 */
void lpd_below_set_rate(struct lpd_sched_data *q, u64 rate)
{
	lpd_queue_set_rate(q, rate);
	if (q->fifo.qlen <= LPD_REKEY_MAX)
		lpd_queue_rekey(q);
	else
		lpd_queue_keep_keys(q);
}

/* With the 90th percentile, nine of ten packets that lpd sends at the last moment arrive in time.
 * While packets wait, a packet that is discarded too early costs nothing, because another packet
 * takes its place on the link. A packet that is sent too late wastes its time on the link. The keys
 * contain the packets' own transmission times already, see lpd_queue_key().
 *
 * In a device without packets nothing waits. Without this rule, lpd could discard all packets
 * because of an old delay, and the device would never measure another one.
 */
static u64 lpd_below_delay(const struct lpd_sched_data *q, const struct fl_link_quality *told)
{
	const u64 own = q->link.rate_bytes_ps ? psched_l2t_ns(&q->link, told->length) : 0;

	if (told->idle)
		return min(told->least, TC_LPD_DELAY_MAX);
	return told->delay_90 > own ? min(told->delay_90 - own, TC_LPD_DELAY_MAX) : 0;
}

/* Uses what the device has told. While the device does not know the rate, the old rate stays. */
static void lpd_below_apply(struct lpd_sched_data *q, const struct fl_link_quality *told)
{
	u64 delay = q->delay;

	if (lpd_gated_on(q))
		return;
	if (q->cfg.rate == TC_LPD_LINK && told->rate &&
	    lpd_gate_differs(q->link.rate_bytes_ps, told->rate))
		lpd_below_set_rate(q, told->rate);
	if (q->cfg.delay == TC_LPD_LINK)
		delay = lpd_below_delay(q, told);
	lpd_below_set_delay(q, delay);
}

/* A tree that was removed from its device must not be changed, see lpd_timer_fire(). */
static enum hrtimer_restart lpd_below_ask(struct hrtimer *timer)
{
	struct lpd_sched_data *q = container_of(timer, struct lpd_sched_data, ask);
	fl_link_quality_fn *quality = READ_ONCE(q->quality);
	struct fl_link_quality told;
	struct Qdisc *root;

	if (!quality || !quality(qdisc_dev(q->sch), &told))
		return HRTIMER_NORESTART;
	rcu_read_lock();
	root = qdisc_root_sleeping(q->sch);
	spin_lock(qdisc_lock(root));
	if (root == qdisc_root_sleeping(q->sch) && lpd_is_below(q->sch, root))
		lpd_below_apply(q, &told);
	spin_unlock(qdisc_lock(root));
	rcu_read_unlock();
	hrtimer_start(timer, ns_to_ktime(lpd_now() + LPD_ASK_PAUSE),
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	return HRTIMER_NORESTART;
}

/**
 * lpd_below_init() - initialise the timer that asks the device
 * @q: the queue of a new qdisc
 *
 * The caller holds no lock.
 */
void lpd_below_init(struct lpd_sched_data *q)
{
	hrtimer_setup(&q->ask, lpd_below_ask, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_SOFT);
}

/**
 * lpd_below_first() - ask the device for the first time
 * @q: the queue of a qdisc that is not in a tree yet
 *
 * The caller holds no lock.
 */
void lpd_below_first(struct lpd_sched_data *q)
{
	struct fl_link_quality told;

	if (!q->quality || !q->quality(qdisc_dev(q->sch), &told))
		return;
	lpd_below_apply(q, &told);
	hrtimer_start(&q->ask, ns_to_ktime(lpd_now() + LPD_ASK_PAUSE),
		      HRTIMER_MODE_ABS_PINNED_SOFT);
}

/**
 * lpd_below_change() - ask the device again, or no longer, after a change of the configuration
 * @q: the queue
 *
 * The caller holds no lock. Afterwards the caller may release the reference to the function that
 * @q->quality was before the change.
 */
void lpd_below_change(struct lpd_sched_data *q)
{
	if (q->quality)
		hrtimer_start(&q->ask, 0, HRTIMER_MODE_ABS_PINNED_SOFT);
	else
		lpd_below_stop(q);
}

/**
 * lpd_below_stop() - no longer ask the device
 * @q: the queue
 *
 * The caller holds no lock.
 */
void lpd_below_stop(struct lpd_sched_data *q)
{
	hrtimer_cancel(&q->ask);
}

/**
 * lpd_below_configure() - use the rate and the delay of the configuration
 * @q: the queue; the caller must compute the keys of its packets again
 *
 * What the device tells replaces the values in use as soon as the device has told it.
 */
void lpd_below_configure(struct lpd_sched_data *q)
{
	if (q->cfg.rate != TC_LPD_LINK)
		lpd_queue_set_rate(q, q->cfg.rate);
	if (q->cfg.delay != TC_LPD_LINK)
		lpd_queue_set_delay(q, q->cfg.delay);
}
