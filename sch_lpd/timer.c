// SPDX-License-Identifier: GPL-2.0
/* Sets the timer that discards or cuts packets: see timer.h. */

#include "timer.h"

/**
 * lpd_timer_arm() - let the timer fire when a packet is stale
 * @q: the queue
 * @key: the packet's key
 *
 * Return: @key
 */
s64 lpd_timer_arm(struct lpd_sched_data *q, s64 key)
{
	s64 at = key - q->delay + 1;

	q->timer_key = key;
	/* a deadline may be before the start of the clock, where no timer can be set */
	hrtimer_start(&q->timer, ns_to_ktime(max_t(s64, at, 0)),
		      HRTIMER_MODE_ABS_PINNED_SOFT);
	return key;
}

/**
 * lpd_timer_renew() - set the timer again, because the keys or the delay of the link have changed
 * @q: the queue
 */
void lpd_timer_renew(struct lpd_sched_data *q)
{
	s64 key = lpd_queue_first_key(q);

	if (key != FL_NO_DEADLINE)
		lpd_timer_arm(q, min(key, q->timer_key));
}
