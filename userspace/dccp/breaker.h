/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A circuit breaker for a sender that does not slow down: RFC 8084. */
#ifndef FDCCP_BREAKER_H
#define FDCCP_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#define FDCCP_BREAKER_INTERVAL	INT64_C(1000000000)	/* ns */
#define FDCCP_BREAKER_BAD	10			/* bad intervals in a row that trip it */

/**
 * struct fdccp_breaker - a circuit breaker
 * @end: when the interval ends, or FDCCP_NEVER: the next packet begins one
 * @sent: a packet was sent in it
 * @received: packets that became known in it as received
 * @lost: and as lost
 * @bad: bad intervals since the last good one
 *
 * An interval is good if at least half of what became known in it was received. It is bad if less
 * was, or if packets were sent and nothing became known. An interval in which nothing happened is
 * neither: a program may pause.
 */
struct fdccp_breaker {
	int64_t end;
	bool sent;
	uint32_t received, lost;
	unsigned int bad;
};

void fdccp_breaker_init(struct fdccp_breaker *breaker);

/* A packet was sent. */
void fdccp_breaker_sent(struct fdccp_breaker *breaker, int64_t now);

/* The interval has ended, if @end has come. Return: whether nothing was heard in it of what is on
 * the way
 */
bool fdccp_breaker_expire(struct fdccp_breaker *breaker, int64_t now);

/* Whether the sender has to stop. */
static inline bool fdccp_breaker_tripped(const struct fdccp_breaker *breaker)
{
	return breaker->bad >= FDCCP_BREAKER_BAD;
}

#endif
