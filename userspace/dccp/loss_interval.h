/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loss event rate from loss intervals: RFC 5348 sections 5.4 and 5.5. Both ends compute it. */
#ifndef FDCCP_LOSS_INTERVAL_H
#define FDCCP_LOSS_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#define FDCCP_INTERVALS		9	/* the current one and the 8 that have a weight */

/**
 * struct fdccp_loss_interval - a loss interval
 * @start: sequence number of its first packet
 * @loss: packets of its lossy part; 0: it is the first interval, which no loss event has begun
 * @other: its packets without data
 * @length: its data packets
 * @discount: DF_i of RFC 5348 section 5.5
 * @forgiven: its loss event counts as none, see forgive.h
 */
struct fdccp_loss_interval {
	uint64_t start;
	uint32_t loss;
	uint32_t other;
	uint32_t length;
	float discount;
	bool forgiven;
};

/**
 * struct fdccp_loss_intervals - the latest loss intervals
 * @count: their number
 * @at: the intervals; the current one is the first
 */
struct fdccp_loss_intervals {
	unsigned int count;
	struct fdccp_loss_interval at[FDCCP_INTERVALS];
};

/* Begins an interval of one packet. The older ones keep the discount that they have now. */
void fdccp_intervals_push(struct fdccp_loss_intervals *intervals, uint64_t start, uint32_t loss);

/* The average loss interval 1/p: at least one packet, or 0 before the first loss event. */
double fdccp_intervals_mean(const struct fdccp_loss_intervals *intervals);

/* The loss event rate p: from 0, before the first loss event, to 1. */
static inline double fdccp_intervals_rate(const struct fdccp_loss_intervals *intervals)
{
	double mean = fdccp_intervals_mean(intervals);

	return mean > 0 ? 1 / mean : 0;
}

#endif
