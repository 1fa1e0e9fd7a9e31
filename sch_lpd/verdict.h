/* SPDX-License-Identifier: GPL-2.0 */
/* The decisions about arriving packets, the reasons for drops, and the counter of each reason. */
#ifndef _SCH_LPD_VERDICT_H
#define _SCH_LPD_VERDICT_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/pkt_sched_lpd.h>
#include <linux/types.h>

/**
 * enum lpd_verdict - whether lpd drops a packet, and why
 * @LPD_PASS: lpd does not drop the packet
 * @LPD_TO_CLASS: lpd gives the packet to its class
 * @LPD_STALE_ENQUEUE: the packet was stale on arrival
 * @LPD_STALE_DEQUEUE: dequeue found the packet stale
 * @LPD_STALE_PEEK: peek found the packet stale
 * @LPD_STALE_PURGE: the packet was found stale when the queue exceeded a limit
 * @LPD_STALE_TIMER: the timer found the packet stale
 * @LPD_UNCUTTABLE: the packet is stale and should be cut, but it cannot be cut
 * @LPD_DATAGRAM_LOST: another fragment of the same datagram was dropped
 * @LPD_OVERFLOW_LIMIT: too many packets are queued
 * @LPD_OVERFLOW_MEMORY: the queued packets need too much memory
 * @LPD_NOMEM: not enough memory to cut the packet, or to read its header or make it writable
 * @LPD_PROBE_OVERFLOW: too many probes are queued at the gate
 * @LPD_UNSEGMENTED: the GSO packet cannot be divided into segments for the gate
 * @LPD_VERDICTS: number of verdicts
 *
 * The order of the verdicts matters. lpd_is_expiry() in expire.c compares their values, and
 * lpd_own_drops() in class.c adds up the counters of all verdicts from LPD_STALE_ENQUEUE on.
 */
enum lpd_verdict {
	LPD_PASS,
	LPD_TO_CLASS,
	LPD_STALE_ENQUEUE,
	LPD_STALE_DEQUEUE,
	LPD_STALE_PEEK,
	LPD_STALE_PURGE,
	LPD_STALE_TIMER,
	LPD_UNCUTTABLE,
	LPD_DATAGRAM_LOST,
	LPD_OVERFLOW_LIMIT,
	LPD_OVERFLOW_MEMORY,
	LPD_NOMEM,
	LPD_PROBE_OVERFLOW,
	LPD_UNSEGMENTED,

	LPD_VERDICTS,
};

/**
 * lpd_counter() - find the counter of a verdict
 * @verdict: a reason to drop a packet
 *
 * Return: enum tca_lpd_stats
 */
static inline int lpd_counter(enum lpd_verdict verdict)
{
	static const u8 counter[] = {
		[LPD_STALE_ENQUEUE]	= TCA_LPD_STATS_STALE_ENQUEUE,
		[LPD_STALE_DEQUEUE]	= TCA_LPD_STATS_STALE_DEQUEUE,
		[LPD_STALE_PEEK]	= TCA_LPD_STATS_STALE_PEEK,
		[LPD_STALE_PURGE]	= TCA_LPD_STATS_STALE_PURGE,
		[LPD_STALE_TIMER]	= TCA_LPD_STATS_STALE_TIMER,
		[LPD_UNCUTTABLE]	= TCA_LPD_STATS_UNCUTTABLE,
		[LPD_DATAGRAM_LOST]	= TCA_LPD_STATS_ADU,
		[LPD_OVERFLOW_LIMIT]	= TCA_LPD_STATS_OVERFLOW_LIMIT,
		[LPD_OVERFLOW_MEMORY]	= TCA_LPD_STATS_OVERFLOW_MEMORY,
		[LPD_NOMEM]		= TCA_LPD_STATS_NOMEM,
		[LPD_PROBE_OVERFLOW]	= TCA_LPD_STATS_PROBE_OVERFLOW,
		[LPD_UNSEGMENTED]	= TCA_LPD_STATS_UNSEGMENTED,
	};

	static_assert(ARRAY_SIZE(counter) == LPD_VERDICTS);
	return counter[verdict];
}

#endif /* _SCH_LPD_VERDICT_H */
