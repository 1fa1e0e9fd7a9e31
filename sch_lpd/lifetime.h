/* SPDX-License-Identifier: GPL-2.0 */
/*
 * These functions convert the option's field "lifetime" to a deadline on the monotonic
 * clock, and back. The functions only compute: they read no packet and need no lock.
 *
 * A packet is stale when its remaining lifetime is shorter than the time that its delivery over the
 * link takes (Gurtov and Ludwig 2003, section II.A). lpd computes a key for each packet:
 *
 *	key = deadline - transmission time
 *
 *	arrival = now + link delay
 *
 * A packet is stale if arrival > key, see lpd_is_stale(). lpd orders packets by their keys. A
 * new link delay changes no key. The remaining lifetime that lpd writes into a packet is
 * computed from its deadline.
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

/* The deadline of a packet without a lifetime, later than any real deadline. */
#define LPD_NO_DEADLINE	S64_MAX

/**
 * lpd_now() - read the monotonic clock
 *
 * Return: time in ns; the type is signed, because a deadline may be before the start of the
 * clock
 */
static inline s64 lpd_now(void)
{
	return ktime_to_ns(ktime_get());
}

/**
 * lpd_is_stale() - check whether a packet can no longer be delivered in time
 * @key: the packet's key, monotonic ns
 * @arrival: monotonic time in ns at which a packet of length 0 would arrive
 */
static inline bool lpd_is_stale(s64 key, s64 arrival)
{
	return arrival > key;
}

/**
 * lpd_deadline_relative() - compute the deadline from a relative lifetime
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
 * lpd_deadline_absolute() - compute the deadline from an absolute lifetime
 * @lifetime: value of the option's field, a time of day; xlo_is_absolute() is true for it
 * @now: monotonic time of arrival in ns
 * @now_utc: the same time as @now, in ns since the epoch (UTC)
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
 * lpd_remaining_ms() - compute the option's field "lifetime" from a deadline
 * @deadline: monotonic, in ns
 * @now: monotonic, in ns
 *
 * The result is rounded to the nearest ms. Rounding always up or always down would change
 * the lifetime a little at each router of a path.
 *
 * Return: 0 to XLO_RELATIVE_MAX
 */
static inline u32 lpd_remaining_ms(s64 deadline, s64 now)
{
	return min_t(u64, fl_ms_left(deadline, now), XLO_RELATIVE_MAX);
}

/**
 * lpd_hist_bucket() - find the bucket in TCA_LPD_STATS_REMAINING
 * @left: remaining lifetime in ns, at least 0
 *
 * Return: 0 for less than 1 ms, i for 2^(i-1) <= ms < 2^i, but at most TC_LPD_HIST_BUCKETS - 1
 */
static inline unsigned int lpd_hist_bucket(s64 left)
{
	return min_t(unsigned int, fls64(div_u64(left, NSEC_PER_MSEC)),
		     TC_LPD_HIST_BUCKETS - 1);
}

#endif /* _SCH_LPD_LIFETIME_H */
