/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round-trip times of a flow: the smoothed one, and the least within a window of time, which
 * stands for the path without queues until the path is another one.
 */
#ifndef _TCP_IFTPV_RTT_H
#define _TCP_IFTPV_RTT_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/win_minmax.h>

#define IFTPV_RTT_SHIFT		3	/* of smoothed, as in RFC 6298: a sample counts 1/8 */
#define IFTPV_RTT_MAX		(U32_MAX >> IFTPV_RTT_SHIFT)	/* us, 8.9 minutes */

/**
 * struct iftpv_rtt - round-trip times of a flow; all 0 at its beginning
 * @least: the least in the window of time, in us; 0 before the first sample
 * @smoothed: in us << IFTPV_RTT_SHIFT, 0 if there is none
 */
struct iftpv_rtt {
	struct minmax least;
	u32 smoothed;
};

/**
 * iftpv_rtt_sample() - take a measured round-trip time into account
 * @r: of the flow
 * @us: the sample
 * @now: when it was measured, in any unit
 * @window: how long it may count as the least, in the same unit
 */
static inline void iftpv_rtt_sample(struct iftpv_rtt *r, u32 us, u32 now,
				    u32 window)
{
	us = clamp_t(u32, us, 1, IFTPV_RTT_MAX);
	if (minmax_get(&r->least))
		minmax_running_min(&r->least, window, now, us);
	else
		minmax_reset(&r->least, now, us);
	if (r->smoothed)
		r->smoothed += us - (r->smoothed >> IFTPV_RTT_SHIFT);
	else
		r->smoothed = us << IFTPV_RTT_SHIFT;
}

/**
 * iftpv_rtt_base() - round-trip time without queues
 * @r: of the flow
 *
 * Return: in us, 0 before the first sample
 */
static inline u32 iftpv_rtt_base(const struct iftpv_rtt *r)
{
	return minmax_get(&r->least);
}

/**
 * iftpv_rtt_actual() - smoothed round-trip time
 * @r: of the flow
 *
 * Return: in us, 0 if there is none
 */
static inline u32 iftpv_rtt_actual(const struct iftpv_rtt *r)
{
	return r->smoothed >> IFTPV_RTT_SHIFT;
}

#endif /* _TCP_IFTPV_RTT_H */
