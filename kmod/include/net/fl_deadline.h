/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts the lifetime of a cross-layer option (linux/xlo.h) to a deadline on the monotonic clock,
 * and back. The functions read no packet and need no lock.
 */
#ifndef _NET_FL_DEADLINE_H
#define _NET_FL_DEADLINE_H

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <net/fl_time.h>
#include <net/xlo.h>

/* The deadline of a packet without a lifetime, later than any real deadline. */
#define FL_NO_DEADLINE	S64_MAX

/**
 * fl_deadline_relative() - compute the deadline from a relative lifetime
 * @ms: remaining lifetime in ms; 0 means "already expired"
 * @now: monotonic time of arrival in ns
 *
 * Return: monotonic deadline in ns
 */
static inline s64 fl_deadline_relative(u32 ms, s64 now)
{
	return ms ? now + (s64)ms * NSEC_PER_MSEC : now - 1;
}

/**
 * fl_deadline_absolute() - compute the deadline from an absolute lifetime
 * @lifetime: value of the option's field, a time of day; xlo_is_absolute() is true for it
 * @now: monotonic time of arrival in ns
 * @now_utc: the same time as @now, in ns since the epoch (UTC)
 *
 * Return: monotonic deadline in ns, within 12 h of @now
 */
static inline s64 fl_deadline_absolute(u32 lifetime, s64 now, u64 now_utc)
{
	u64 day_ns;
	u32 sub_ms;
	u32 day_ms;

	div64_u64_rem(now_utc, (u64)XLO_DAY_MS * NSEC_PER_MSEC, &day_ns);
	day_ms = div_u64_rem(day_ns, NSEC_PER_MSEC, &sub_ms);
	return now - sub_ms +
	       (s64)xlo_absolute_delta_ms(lifetime, day_ms) * NSEC_PER_MSEC;
}

/* Computes the deadline from a time of day. The function converts @now to wall-clock time instead
 * of reading the wall clock. Reading a second clock would add a different delay for each packet.
 * Packets with the same deadline, such as the packets of a video frame, would then get different
 * deadlines.
 */
static noinline s64 fl_deadline_of_day(u32 lifetime, s64 now)
{
	s64 utc = ktime_to_ns(ktime_mono_to_real(ns_to_ktime(now)));

	return fl_deadline_absolute(lifetime, now, utc);
}

/**
 * fl_deadline() - compute the deadline from any valid lifetime
 * @lifetime: value of the option's field
 * @now: monotonic time of arrival in ns
 *
 * Return: monotonic deadline in ns, FL_NO_DEADLINE for a packet without a lifetime
 */
static inline s64 fl_deadline(u32 lifetime, s64 now)
{
	if (xlo_is_relative(lifetime))
		return fl_deadline_relative(lifetime, now);
	if (xlo_is_none(lifetime))
		return FL_NO_DEADLINE;
	return fl_deadline_of_day(lifetime, now);
}

/**
 * fl_remaining_ms() - compute the option's field "lifetime" from a deadline
 * @deadline: monotonic, in ns
 * @now: monotonic, in ns
 *
 * The result is rounded to the nearest ms. Rounding always up or always down would change
 * the lifetime a little at each router of a path.
 *
 * Return: 0 to XLO_RELATIVE_MAX
 */
static inline u32 fl_remaining_ms(s64 deadline, s64 now)
{
	return min_t(u64, fl_ms_left(deadline, now), XLO_RELATIVE_MAX);
}

#endif /* _NET_FL_DEADLINE_H */
