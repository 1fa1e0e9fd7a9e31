/* SPDX-License-Identifier: GPL-2.0 */
/* Sets the timer that discards or cuts packets that expire while nobody dequeues.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_TIMER_H
#define _SCH_LPD_TIMER_H

#include "queue.h"

/* Lets the timer fire when a packet with the key @key is stale. */
static inline void lpd_timer_arm(struct lpd_sched_data *q, s64 key)
{
	s64 at = key - q->delay + 1;

	q->timer_key = key;
	/* a deadline may be before the start of the clock, where no timer can be set */
	hrtimer_start(&q->timer, ns_to_ktime(max_t(s64, at, 0)),
		      HRTIMER_MODE_ABS_PINNED_SOFT);
}

/* Called when a packet with the key @key has arrived, and by lpd_timer_hurry(). The timer is
 * changed only if it would fire too late for @key, because most packets are sent before the timer
 * fires. Therefore the timer is about to fire while the queue has a stale packet.
 */
static inline void lpd_timer_advance(struct lpd_sched_data *q, s64 key)
{
	if (key < q->timer_key)
		lpd_timer_arm(q, key);
}

/* Called when the keys or the delay of the link have changed. */
static inline void lpd_timer_renew(struct lpd_sched_data *q)
{
	struct lpd_entry *first = lpd_index_earliest(&q->index);

	if (first)
		lpd_timer_arm(q, min(first->key, q->timer_key));
}

#endif /* _SCH_LPD_TIMER_H */
