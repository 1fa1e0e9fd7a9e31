/* SPDX-License-Identifier: GPL-2.0 */
/* Converts a remaining time to the option's lifetime field. All functions are pure. */
#ifndef _XLO_LIFETIME_H
#define _XLO_LIFETIME_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/xlo_genl.h>
#include <net/xlo.h>

/**
 * xlo_ms_of_day() - convert a time to the time of day in UTC
 * @utc: time in ns since the epoch
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
 * xlo_encode() - convert a remaining time to a lifetime field
 * @ms: the remaining time in ms
 * @clock: enum xlo_clock
 * @utc: the current time in ns since the epoch, used only with XLO_CLOCK_UTC
 * @clamped: set to true if the field carries less than @ms, otherwise to false
 *
 * An absolute deadline is a time of day. Readers choose the nearest date for this time of day. A
 * deadline more than 12 h away would therefore be read as a deadline in the past.
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
 * xlo_encode_cap() - the lifetime field that replaces "none" on an interface with a cap
 * @type: the option's XLO_TYPE_*, which limits the kind of lifetime
 * @cap: the cap in ms
 * @utc: the current time in ns since the epoch
 *
 * The field is relative if possible, because a relative lifetime needs no synchronised clocks. In
 * IPv4, a cap that is too long for a relative lifetime becomes an absolute deadline.
 * XLO_TYPE_IPV6_RELATIVE allows no deadline. With XLO_TYPE_IPV6_RELATIVE, a cap that is too long
 * becomes the longest relative lifetime.
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
