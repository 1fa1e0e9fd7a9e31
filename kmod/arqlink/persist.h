/* SPDX-License-Identifier: GPL-2.0 */
/* Decides whether a frame is sent again. The function only computes. */
#ifndef _ARQLINK_PERSIST_H
#define _ARQLINK_PERSIST_H

#include <linux/types.h>
#include "config.h"

/**
 * struct arql_past - what has happened to a frame; all times are in ns on CLOCK_MONOTONIC
 * @attempts: number of transmissions
 * @first_at: time of the first transmission, valid after it
 * @begun: a piece of the packet has been sent
 * @deadline: deadline of the packet, FL_NO_DEADLINE for none
 * @slow: the flow responds slowly to congestion, and gets twice the attempts
 */
struct arql_past {
	u32 attempts;
	s64 first_at;
	bool begun;
	s64 deadline;
	bool slow;
};

/**
 * arql_persist() - decide whether a frame is sent again
 * @past: the past of the frame
 * @cfg: the limits
 * @now: the time of the next transmission
 * @way: time in ns that the frame takes to the peer
 *
 * Return: 0 to send the frame, otherwise the counter of enum arqlink_stats for the reason to give
 * the packet up
 */
static inline int arql_persist(const struct arql_past *past,
			       const struct arql_config *cfg, s64 now, s64 way)
{
	if (past->deadline - now < way)
		return past->begun ? ARQLINK_STATS_LATE : ARQLINK_STATS_EXPIRED;
	if (!past->attempts)
		return 0;
	if (cfg->attempts && past->attempts >= cfg->attempts << past->slow)
		return ARQLINK_STATS_ATTEMPTS;
	if (cfg->persist && now - past->first_at >= (s64)cfg->persist)
		return ARQLINK_STATS_PERSIST;
	return 0;
}

#endif /* _ARQLINK_PERSIST_H */
