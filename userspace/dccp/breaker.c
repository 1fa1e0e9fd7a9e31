// SPDX-License-Identifier: GPL-2.0-or-later
/* A circuit breaker: RFC 8084. */
#include "breaker.h"
#include "freshlink-dccp.h"

void fdccp_breaker_init(struct fdccp_breaker *breaker)
{
	*breaker = (struct fdccp_breaker){ .end = FDCCP_NEVER };
}

void fdccp_breaker_sent(struct fdccp_breaker *breaker, int64_t now)
{
	breaker->sent = true;
	if (breaker->end == FDCCP_NEVER)
		breaker->end = now + FDCCP_BREAKER_INTERVAL;
}

static void judge(struct fdccp_breaker *breaker)
{
	if (breaker->received && breaker->lost <= breaker->received)
		breaker->bad = 0;
	else if (breaker->sent || breaker->lost)
		breaker->bad++;
}

bool fdccp_breaker_expire(struct fdccp_breaker *breaker, int64_t now)
{
	bool silent = breaker->sent && !breaker->received && !breaker->lost;

	if (now < breaker->end)
		return false;
	judge(breaker);
	breaker->end = breaker->sent ? now + FDCCP_BREAKER_INTERVAL : FDCCP_NEVER;
	breaker->sent = false;
	breaker->received = breaker->lost = 0;
	return silent;
}
