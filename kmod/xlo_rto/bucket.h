/* SPDX-License-Identifier: GPL-2.0 */
/* A token bucket, kept as the moment when it is full again. */
#ifndef _XLO_RTO_BUCKET_H
#define _XLO_RTO_BUCKET_H

#include <linux/minmax.h>
#include <linux/types.h>

/**
 * xrto_bucket_take() - take a token
 * @full: when the bucket is full; altered
 * @now: on the same clock, ns
 * @period: in which a token comes, ns
 * @size: tokens that there is room for, at least 1
 *
 * Return: whether there was one
 */
static inline bool xrto_bucket_take(u64 *full, u64 now, u64 period, u32 size)
{
	u64 from = max(*full, now);

	if (from - now > period * (size - 1))
		return false;
	*full = from + period;
	return true;
}

#endif /* _XLO_RTO_BUCKET_H */
