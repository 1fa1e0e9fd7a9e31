/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver's loss history: from the packets that arrive to loss intervals (RFC 4342 sections
 * 6.1 and 10.2, RFC 5348 section 5).
 *
 * A packet that arrives after it counted as lost stays lost, which RFC 5348 section 5.1 permits.
 */
#ifndef FDCCP_LOSS_HISTORY_H
#define FDCCP_LOSS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "ccid.h"
#include "loss_interval.h"
#include "tfrc.h"

/* NDUPACK of RFC 4342 section 6.1: as many later packets show that a missing one is lost */
#define FDCCP_NDUPACK	3

#define FDCCP_WINDOW_COUNTERS	16	/* values of the window counter */

/* The distance between two values of the window counter (RFC 4342 section 10.2). */
static inline unsigned int fdccp_counter_distance(uint8_t from, uint8_t to)
{
	return (to - from) & (FDCCP_WINDOW_COUNTERS - 1);
}

/**
 * struct fdccp_heard - a packet that waits for the missing packets before it
 * @seq: sequence number
 * @ndp: packets without data that directly precede it
 * @counter: window counter, of a data packet
 * @data: a data packet
 * @marked: with the ECN mark CE
 */
struct fdccp_heard {
	uint64_t seq;
	int64_t ndp;
	uint8_t counter;
	bool data, marked;
};

/**
 * struct fdccp_loss_history - what the receiver knows
 * @intervals: the loss intervals up to packet @decided
 * @decided: each packet up to this one is known to be received or lost
 * @greatest: greatest sequence number received
 * @counter: window counter of the last data packet up to @decided
 * @event_counter: window counter before the current loss event: C(X_prev) of RFC 4342 section 10.2
 * @event_over: a packet came later than a round-trip time: the next loss begins another event
 * @waiting: packets after @decided, by sequence number
 * @count: their number
 */
struct fdccp_loss_history {
	struct fdccp_loss_intervals intervals;
	uint64_t decided, greatest;
	uint8_t counter, event_counter;
	bool event_over;
	struct fdccp_heard waiting[FDCCP_NDUPACK];
	unsigned int count;
};

/**
 * fdccp_history_add() - note a packet
 * @history: the history, zeroed at first
 * @packet: the packet
 *
 * The first interval has the length 0 until fdccp_history_set_first().
 *
 * Return: whether a loss event has begun
 */
bool fdccp_history_add(struct fdccp_loss_history *history, const struct fdccp_rx_packet *packet);

/* Whether the first loss event has come, and fdccp_history_set_first() is due. */
bool fdccp_history_wants_first(const struct fdccp_loss_history *history);

/* Sets the length of the first interval: RFC 5348 section 6.3.1. */
void fdccp_history_set_first(struct fdccp_loss_history *history, uint32_t length);

#endif
