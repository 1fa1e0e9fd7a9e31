/* SPDX-License-Identifier: GPL-2.0 */
/* Why lpd drops a packet, and which counter says so. */
#ifndef _SCH_LPD_VERDICT_H
#define _SCH_LPD_VERDICT_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/pkt_sched_lpd.h>
#include <linux/types.h>

/**
 * enum lpd_verdict - whether lpd drops a packet, and why
 * @LPD_PASS: lpd does not drop it
 * @LPD_STALE_ENQUEUE: stale on arrival
 * @LPD_STALE_DEQUEUE: dequeue found it stale
 * @LPD_STALE_PEEK: peek found it stale
 * @LPD_STALE_PURGE: found stale when another packet needed its space, or when a limit
 *	shrank
 * @LPD_STALE_TIMER: the timer found it stale
 * @LPD_UNCUTTABLE: stale, but it cannot be cut
 * @LPD_DATAGRAM_LOST: another fragment of its datagram was dropped
 * @LPD_OVERFLOW_LIMIT: too many packets are queued
 * @LPD_OVERFLOW_MEMORY: the queued packets take too much memory
 * @LPD_NOMEM: no memory to make its header writable, or to cut it
 * @LPD_VERDICTS: number of verdicts
 *
 * The order matters: lpd_is_expiry() and lpd_is_overflow() compare ranges.
 */
enum lpd_verdict {
	LPD_PASS,
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

	LPD_VERDICTS,
};

/**
 * lpd_counter() - find the counter of a verdict
 * @verdict: not LPD_PASS
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
	};

	static_assert(ARRAY_SIZE(counter) == LPD_VERDICTS);
	return counter[verdict];
}

/* Whether a packet is dropped because it is stale. @verdict is not LPD_PASS. */
static inline bool lpd_is_expiry(enum lpd_verdict verdict)
{
	return verdict <= LPD_UNCUTTABLE;
}

/* Whether a packet is dropped because a limit is exceeded. */
static inline bool lpd_is_overflow(enum lpd_verdict verdict)
{
	return verdict == LPD_OVERFLOW_LIMIT || verdict == LPD_OVERFLOW_MEMORY;
}

#endif /* _SCH_LPD_VERDICT_H */
