/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sender writes: from a time that remains to the option's field. Pure
 * functions.
 */
#ifndef _XLO_LIFETIME_H
#define _XLO_LIFETIME_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/xlo_genl.h>
#include <net/xlo.h>

/**
 * xlo_ms_of_day() - the time of day
 * @utc: ns since the epoch
 *
 * Return: ms since midnight UT
 */
static inline u32 xlo_ms_of_day(u64 utc)
{
	u32 ms;

	div_u64_rem(div_u64(utc, NSEC_PER_MSEC), XLO_DAY_MS, &ms);
	return ms;
}

/**
 * xlo_encode() - the option's field for a lifetime
 * @ms: the lifetime
 * @clock: enum xlo_clock
 * @utc: now in ns since the epoch, if @clock is XLO_CLOCK_UTC
 * @clamped: set if no more than less than that can be written
 *
 * An absolute deadline names the nearest instant: further away than 12 h it
 * would be taken for one that has passed.
 */
static inline u32 xlo_encode(u64 ms, u8 clock, u64 utc, bool *clamped)
{
	u32 max = clock == XLO_CLOCK_UTC ? XLO_PROFILE_LIFETIME_MAX :
					   XLO_RELATIVE_MAX;

	*clamped = ms > max;
	ms = min_t(u64, ms, max);
	if (clock == XLO_CLOCK_RELATIVE)
		return ms;
	return xlo_encode_absolute(xlo_ms_of_day(utc) + ms);
}

/**
 * xlo_encode_cap() - the option's field in place of one that says "none"
 * @type: XLO_TYPE_* of the option, which has to allow it
 * @cap: the longest lifetime that is believed, in ms
 * @utc: now in ns since the epoch
 *
 * Relative where that can be said, for it needs no clocks that agree. A cap that is
 * too long for that is a deadline in IPv4. XLO_TYPE_IPV6_RELATIVE has none: there it is
 * the longest that can be said.
 */
static inline u32 xlo_encode_cap(u8 type, u32 cap, u64 utc)
{
	bool relative = type == XLO_TYPE_IPV6_RELATIVE ||
			(type == XLO_TYPE_IPV4 && cap <= XLO_RELATIVE_MAX);
	bool clamped;

	return xlo_encode(cap, relative ? XLO_CLOCK_RELATIVE : XLO_CLOCK_UTC,
			  utc, &clamped);
}

#endif /* _XLO_LIFETIME_H */
