/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a packet is missing, or what else is known of it: Documentation/rates.rst. */
#ifndef FDCCP_CAUSE_H
#define FDCCP_CAUSE_H

#include "sent.h"

/* round trips over which the stale share of a flow is counted */
#define FDCCP_STALE_ROUNDS	4

/**
 * struct fdccp_stale_share - how many packets of the last round trips were stale
 * @next: when the latest span ends
 * @latest: its place
 * @before: data packets of which something had become known before each span
 * @stale: stale ones in it
 *
 * A span lasts for a round trip. A new one has all fields 0.
 */
struct fdccp_stale_share {
	int64_t next;
	unsigned int latest;
	uint64_t before[FDCCP_STALE_ROUNDS];
	uint32_t stale[FDCCP_STALE_ROUNDS];
};

/* The cause that the evidence about @packet shows; its fate is known. */
enum fdccp_cause fdccp_cause_of(const struct fdccp_sent_packet *packet);

/* The cause for a rate control that is not told more than an acknowledgment says. */
enum fdccp_cause fdccp_cause_untold(enum fdccp_cause cause);

/**
 * fdccp_stale_advance() - begin the spans that have passed
 * @share: the packets before
 * @told: data packets of which something is known
 * @rtt: the round-trip time, above 0
 * @now: the time, from @share->next on
 */
void fdccp_stale_advance(struct fdccp_stale_share *share, uint64_t told, int64_t rtt, int64_t now);

/**
 * fdccp_stale_judge() - count a stale packet, and judge whether it is a sign of congestion
 * @share: the packets before it
 * @told: data packets of which something is known, with this one
 *
 * If more than a tenth of the flow is stale, its lifetime does not fit the path.
 *
 * Return: FDCCP_CAUSE_OVERDUE if more than a tenth of the last four round trips was stale, else
 * FDCCP_CAUSE_STALE
 */
enum fdccp_cause fdccp_stale_judge(struct fdccp_stale_share *share, uint64_t told);

#endif
