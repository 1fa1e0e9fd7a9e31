// SPDX-License-Identifier: GPL-2.0-or-later
/* A circuit breaker: RFC 8084. */
#include "breaker.h"
#include "freshlink-dccp.h"

void fdccp_breaker_init(struct fdccp_breaker *breaker)
{
	*breaker = (struct fdccp_breaker){ .end = FDCCP_NEVER };
}

/* The interval number @index, which is one of the last. */
static struct fdccp_breaker_interval *at_index(struct fdccp_breaker *breaker, uint64_t index)
{
	return &breaker->ring[index % FDCCP_BREAKER_KEPT];
}

static uint64_t oldest(const struct fdccp_breaker *breaker)
{
	return breaker->count > FDCCP_BREAKER_KEPT ? breaker->count - FDCCP_BREAKER_KEPT : 0;
}

static void begin(struct fdccp_breaker *breaker, int64_t now)
{
	*at_index(breaker, breaker->count++) = (struct fdccp_breaker_interval){ .begin = now };
	breaker->end = now + FDCCP_BREAKER_INTERVAL;
}

void fdccp_breaker_sent(struct fdccp_breaker *breaker, int64_t now)
{
	if (breaker->end == FDCCP_NEVER)
		begin(breaker, now);
	at_index(breaker, breaker->count - 1)->sent++;
}

/* The interval in which a packet was sent. Return: it, or NULL if that is too long ago. */
static struct fdccp_breaker_interval *interval_of(struct fdccp_breaker *breaker, int64_t at)
{
	for (uint64_t i = breaker->count; i > oldest(breaker); i--)
		if (at_index(breaker, i - 1)->begin <= at)
			return at_index(breaker, i - 1);
	return NULL;
}

void fdccp_breaker_received(struct fdccp_breaker *breaker, int64_t at)
{
	struct fdccp_breaker_interval *interval = interval_of(breaker, at);

	if (interval)
		interval->received++;
}

void fdccp_breaker_unsent(struct fdccp_breaker *breaker, int64_t at)
{
	struct fdccp_breaker_interval *interval = interval_of(breaker, at);

	if (interval && interval->sent)
		interval->sent--;
}

/* The index after the last interval that ended up to @until. */
static uint64_t ended(struct fdccp_breaker *breaker, int64_t until)
{
	uint64_t i = breaker->count;

	while (i > oldest(breaker) &&
	       at_index(breaker, i - 1)->begin + FDCCP_BREAKER_INTERVAL > until)
		i--;
	return i;
}

/* Whether the intervals before @end were bad, as many as trip it. */
static bool is_broken(struct fdccp_breaker *breaker, uint64_t end)
{
	unsigned int bad = 0;

	for (; end > oldest(breaker) && bad < FDCCP_BREAKER_BAD; end--) {
		const struct fdccp_breaker_interval *interval = at_index(breaker, end - 1);

		if (interval->sent && 2 * interval->received >= interval->sent)
			return false;
		bad += interval->sent > 0;
	}
	return bad == FDCCP_BREAKER_BAD;
}

static bool is_silent(struct fdccp_breaker *breaker, uint64_t end)
{
	const struct fdccp_breaker_interval *interval = at_index(breaker, end - 1);

	return end > oldest(breaker) && interval->sent && !interval->received;
}

/* Begins the next interval. If nothing was sent in this one, that waits for the next packet. */
static void go_on(struct fdccp_breaker *breaker, int64_t now)
{
	if (at_index(breaker, breaker->count - 1)->sent) {
		begin(breaker, now);
	} else {
		breaker->count--;
		breaker->end = FDCCP_NEVER;
	}
}

bool fdccp_breaker_expire(struct fdccp_breaker *breaker, int64_t now, int64_t wait)
{
	uint64_t end;

	if (now < breaker->end)
		return false;
	end = ended(breaker, now - (wait < FDCCP_BREAKER_WAIT ? wait : FDCCP_BREAKER_WAIT));
	breaker->tripped |= is_broken(breaker, end);
	go_on(breaker, now);
	return is_silent(breaker, end);
}
