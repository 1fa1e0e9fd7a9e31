/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many packets of a flow wait in queues (ElAarag and Hogg, section 4, equation 4, which
 * is Veno's): of the n that are under way in a round trip, the share of it that is not the
 * path's own.
 *
 *	B = n * (RTTactual - RTTbase) / RTTactual
 */
#ifndef _TCP_IFTPV_BACKLOG_H
#define _TCP_IFTPV_BACKLOG_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Backlogs are in units of 1/256 packet. */
#define IFTPV_SHIFT		8

/* Of a larger window counts this much, 16 times what a TCP window can hold in packets of
 * 1 kB: so no product here has more than 64 bits, whatever the round-trip time.
 */
#define IFTPV_WINDOW_MAX	(U32_MAX >> IFTPV_SHIFT)

/**
 * iftpv_backlog() - packets of the flow that wait in queues
 * @n: packets in a round trip
 * @actual: smoothed round-trip time in us
 * @base: round-trip time of the path without queues in us, 0 if it is not known
 *
 * While nothing is known of the path all packets may be waiting, as far as the flow can tell.
 *
 * Return: in packets << IFTPV_SHIFT
 */
static inline u32 iftpv_backlog(u32 n, u32 actual, u32 base)
{
	n = min_t(u32, n, IFTPV_WINDOW_MAX);
	if (!base)
		return n << IFTPV_SHIFT;
	if (actual <= base)
		return 0;
	return div_u64((u64)n * (actual - base) << IFTPV_SHIFT, actual);
}

#endif /* _TCP_IFTPV_BACKLOG_H */
