/* SPDX-License-Identifier: GPL-2.0 */
/* Computes the difference of two times. One of the times may come from a program or from a packet.
 */
#ifndef _NET_FL_TIME_H
#define _NET_FL_TIME_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * fl_ms_left() - the time until a deadline
 * @deadline: the deadline in ns; any number is valid
 * @now: the current time in ns on the same clock
 *
 * The difference does not overflow for any input. The result is rounded to the nearest ms. Half a
 * ms is rounded up, as <linux/xlo.h> specifies.
 *
 * Return: the time in ms, 0 if the deadline has passed
 */
static inline u64 fl_ms_left(s64 deadline, s64 now)
{
	if (deadline <= now)
		return 0;
	/* in units of half a ms, so that adding 1 rounds half a ms up */
	return (div_u64((u64)deadline - (u64)now, NSEC_PER_MSEC / 2) + 1) / 2;
}

#endif /* _NET_FL_TIME_H */
