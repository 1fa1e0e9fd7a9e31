/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A circuit breaker for a sender that does not slow down: RFC 8084. */
#ifndef FDCCP_BREAKER_H
#define FDCCP_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#define FDCCP_BREAKER_INTERVAL	INT64_C(500000000)	/* ns */
/* Bad intervals in a row that trip it. An outage of 10 s touches 21 intervals at most, so it never
 * trips it; one of 11.5 s has 22 whole ones, so it always does.
 */
#define FDCCP_BREAKER_BAD	22
/* the longest wait for the feedback on an interval */
#define FDCCP_BREAKER_WAIT	INT64_C(4000000000)
/* intervals that are kept: those that trip it, those waited for, and the current one */
#define FDCCP_BREAKER_KEPT	32

/**
 * struct fdccp_breaker_interval - an interval in which packets were sent
 * @begin: its begin
 * @sent: packets sent in it
 * @received: those of them that are known to have arrived
 */
struct fdccp_breaker_interval {
	int64_t begin;
	uint32_t sent, received;
};

/**
 * struct fdccp_breaker - a circuit breaker
 * @ring: the last intervals; each packet counts in the one in which it was sent
 * @count: intervals so far, the current one included
 * @end: when the current interval ends, or FDCCP_NEVER: the next packet begins one
 * @tripped: the sender has to stop
 *
 * An interval is good if at least half of its packets arrived, and bad otherwise. One in which
 * nothing was sent is neither: a program may pause.
 */
struct fdccp_breaker {
	struct fdccp_breaker_interval ring[FDCCP_BREAKER_KEPT];
	uint64_t count;
	int64_t end;
	bool tripped;
};

void fdccp_breaker_init(struct fdccp_breaker *breaker);

/* A packet was sent. */
void fdccp_breaker_sent(struct fdccp_breaker *breaker, int64_t now);

/* A packet that was sent at @at has arrived. */
void fdccp_breaker_received(struct fdccp_breaker *breaker, int64_t at);

/* A packet that was sent at @at did not reach the network: it does not count. */
void fdccp_breaker_unsent(struct fdccp_breaker *breaker, int64_t at);

/**
 * fdccp_breaker_expire() - end the current interval if it is over, and judge
 * @breaker: the circuit breaker
 * @now: the time
 * @wait: how long after its sending feedback on a packet comes at the latest; intervals that ended
 *	later than this before @now are not judged yet
 *
 * Return: whether nothing has arrived of what was sent in the last interval that was judged
 */
bool fdccp_breaker_expire(struct fdccp_breaker *breaker, int64_t now, int64_t wait);

#endif
