/* SPDX-License-Identifier: GPL-2.0 */
/* Sets the timer that discards or cuts packets that expire while nobody dequeues.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_TIMER_H
#define _SCH_LPD_TIMER_H

#include "queue.h"

s64 lpd_timer_arm(struct lpd_sched_data *q, s64 key);
void lpd_timer_renew(struct lpd_sched_data *q);

/**
 * lpd_timer_advance() - set the timer if it would fire too late
 * @q: the queue
 * @key: key of a packet that has arrived, or the value from lpd_timer_hurry()
 *
 * The timer is changed only if it would fire too late for @key, because most packets are sent
 * before the timer fires. Therefore the timer is about to fire while the queue has a stale packet.
 *
 * Return: @key, so the caller need not keep it in a register during the call of lpd_timer_arm()
 */
static inline s64 lpd_timer_advance(struct lpd_sched_data *q, s64 key)
{
	return unlikely(key < q->timer_key) ? lpd_timer_arm(q, key) : key;
}

#endif /* _SCH_LPD_TIMER_H */
