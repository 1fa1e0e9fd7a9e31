/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computes with deadlines on the monotonic clock (net/fl_deadline.h). The functions read no
 * packet and need no lock.
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
#include <net/fl_deadline.h>

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
