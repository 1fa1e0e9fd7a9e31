/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a packet is missing, or what else is known of it: Documentation/rates.rst. */
#ifndef FDCCP_CAUSE_H
#define FDCCP_CAUSE_H

#include "sent.h"

/* round trips over which the stale share of a flow is counted */
#define FDCCP_STALE_ROUNDS	4

/**
 * struct fdccp_stale_share - the packets of the last round trips, and how many of them were stale
 * @since: when the latest span began
 * @latest: its place
 * @packets: data packets of which something became known, for each span
 * @stale: how many of them were stale
 *
 * A span lasts for a round trip. A new one has all fields 0.
 */
struct fdccp_stale_share {
	int64_t since;
	unsigned int latest;
	uint32_t packets[FDCCP_STALE_ROUNDS], stale[FDCCP_STALE_ROUNDS];
};

/* The cause that the evidence about @packet shows; its fate is known. */
enum fdccp_cause fdccp_cause_of(const struct fdccp_sent_packet *packet);

/* The cause for a rate control that is not told more than an acknowledgment says. */
enum fdccp_cause fdccp_cause_untold(enum fdccp_cause cause);

/**
 * fdccp_stale_judge() - count a packet, and judge whether a stale one is a sign of congestion
 * @share: the packets before it
 * @cause: its cause
 * @rtt: the round-trip time, above 0
 * @now: the time
 *
 * If more than a tenth of the flow is stale, its lifetime does not fit the path.
 *
 * Return: FDCCP_CAUSE_OVERDUE in place of FDCCP_CAUSE_STALE if more than a tenth of the last four
 * round trips was stale; else @cause
 */
enum fdccp_cause fdccp_stale_judge(struct fdccp_stale_share *share, enum fdccp_cause cause,
				   int64_t rtt, int64_t now);

#endif
