/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetime arithmetic: from the option's field to a deadline on the monotonic clock, and
 * back. Pure functions on nanoseconds: no packet, no lock.
 *
 * A packet is stale when its remaining lifetime is shorter than its delivery over the
 * link takes (Gurtov and Ludwig 2003, section II.A). With
 *
 *	key = deadline - transmission time - link delay
 *
 * a packet is stale if now > key: see lpd_is_stale(). Keys order the packets. Deadlines
 * are written into packets.
 */
#ifndef _SCH_LPD_LIFETIME_H
#define _SCH_LPD_LIFETIME_H

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/pkt_sched_lpd.h>
#include <net/fl_time.h>
#include <net/xlo.h>

/* A packet without a lifetime: later than any deadline. */
#define LPD_NO_DEADLINE	S64_MAX

/**
 * lpd_now() - read the monotonic clock
 *
 * Return: ns; signed, because a deadline may be before the start of the clock
 */
static inline s64 lpd_now(void)
{
	return ktime_to_ns(ktime_get());
}

/**
 * lpd_is_stale() - whether a packet can no longer be delivered in time
 * @key: the packet's key, monotonic ns
 * @now: monotonic, in ns
 */
static inline bool lpd_is_stale(s64 key, s64 now)
{
	return now > key;
}

/**
 * lpd_deadline_relative() - deadline of a relative lifetime
 * @ms: remaining lifetime in ms; 0 means "already expired"
 * @now: monotonic time of arrival in ns
 *
 * Return: monotonic deadline in ns
 */
static inline s64 lpd_deadline_relative(u32 ms, s64 now)
{
	return ms ? now + (s64)ms * NSEC_PER_MSEC : now - 1;
}

/**
 * lpd_deadline_absolute() - deadline of an absolute lifetime, a time of day
 * @lifetime: the option's field; xlo_is_absolute() is true for it
 * @now: monotonic time of arrival in ns
 * @now_utc: the same instant in ns since the epoch
 *
 * Return: monotonic deadline in ns, within 12 h of @now
 */
static inline s64 lpd_deadline_absolute(u32 lifetime, s64 now, u64 now_utc)
{
	u64 day_ns;
	u32 sub_ms;
	u32 day_ms;

	div64_u64_rem(now_utc, (u64)XLO_DAY_MS * NSEC_PER_MSEC, &day_ns);
	day_ms = div_u64_rem(day_ns, NSEC_PER_MSEC, &sub_ms);
	return now - sub_ms +
	       (s64)xlo_absolute_delta_ms(lifetime, day_ms) * NSEC_PER_MSEC;
}

/**
 * lpd_remaining_ms() - lifetime field for the time that remains
 * @deadline: monotonic, in ns
 * @now: monotonic, in ns
 *
 * Rounds to the nearest ms. Otherwise many short queues on a path would lengthen or
 * shorten a lifetime.
 *
 * Return: 0 to XLO_RELATIVE_MAX
 */
static inline u32 lpd_remaining_ms(s64 deadline, s64 now)
{
	return min_t(u64, fl_ms_left(deadline, now), XLO_RELATIVE_MAX);
}

/**
 * lpd_hist_bucket() - bucket of TCA_LPD_STATS_REMAINING
 * @left: remaining lifetime in ns, at least 0
 *
 * Return: 0 for less than 1 ms, i for 2^(i-1) <= ms < 2^i
 */
static inline unsigned int lpd_hist_bucket(s64 left)
{
	return min_t(unsigned int, fls64(div_u64(left, NSEC_PER_MSEC)),
		     TC_LPD_HIST_BUCKETS - 1);
}

#endif /* _SCH_LPD_LIFETIME_H */
