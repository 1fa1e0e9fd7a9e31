/* SPDX-License-Identifier: GPL-2.0 */
/* Differences of times of which one may come from outside. Pure functions. */
#ifndef _NET_FL_TIME_H
#define _NET_FL_TIME_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * fl_ms_left() - the time that is left until a deadline, in ms
 * @deadline: ns; any number, as a program or a packet says it
 * @now: ns on the same clock
 *
 * No difference is taken that could wrap. Rounded to the nearest ms, half a ms up, as
 * <linux/xlo.h> has it.
 *
 * Return: ms, 0 if the deadline has passed
 */
static inline u64 fl_ms_left(s64 deadline, s64 now)
{
	if (deadline <= now)
		return 0;
	/* half ms, of which an odd one counts as a whole ms */
	return (div_u64((u64)deadline - (u64)now, NSEC_PER_MSEC / 2) + 1) / 2;
}

#endif /* _NET_FL_TIME_H */
