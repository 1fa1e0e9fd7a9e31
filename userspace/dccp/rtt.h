/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The round-trip times of a connection, as struct fdccp_measure tells them. */
#ifndef FDCCP_RTT_H
#define FDCCP_RTT_H

#include "rto.h"

/* The least time is looked for in this many spans, together 10 s long. */
#define FDCCP_RTT_SPANS	5

/**
 * struct fdccp_rtts - the samples of a connection; all times are in ns
 * @rto: their mean and variation
 * @last: the last one
 * @count: their number
 * @since: when the latest span began
 * @latest: the latest span
 * @least: the least sample of each span, 0: it has none
 */
struct fdccp_rtts {
	struct fdccp_rto rto;
	int64_t last;
	uint64_t count;
	int64_t since;
	unsigned int latest;
	int64_t least[FDCCP_RTT_SPANS];
};

/* A round-trip time was measured, @sample > 0. */
void fdccp_rtts_add(struct fdccp_rtts *rtts, int64_t sample, int64_t now);

/* The path has changed: what was measured before does not count any more. */
void fdccp_rtts_restart(struct fdccp_rtts *rtts);

/* The least sample of the last 8 to 10 s before the last one, 0: there is none. */
int64_t fdccp_rtts_least(const struct fdccp_rtts *rtts);

#endif
