// SPDX-License-Identifier: GPL-2.0-or-later
/* The sender's schedule in CCID 3: RFC 5348 sections 4.6 and 8.3, RFC 4342 section 8.1. */
#include "ccid3.h"

#define SECOND		1e9
#define FULL_MAX	INT64_C(0x7fffffff)
#define MILLISECOND	INT64_C(1000000)
#define GRANULARITY	MILLISECOND	/* t_gran of RFC 5348 section 8.3 */
/* A late packet may use this much of the past. A packet may be early by half of the granularity,
 * too, so that a burst has at most one packet more than the rate gives in 1 ms.
 */
#define CREDIT		(MILLISECOND / 2)

static int64_t at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t at_least(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A greater rate lets a packet that waits be sent now, not in the past. */
void fdccp_pace_set(struct fdccp_ccid3_pace *pace, double size, double rate, int64_t now)
{
	bool waits = pace->last + pace->interval > now;

	pace->interval = at_least(size * SECOND / rate, 1);
	if (waits)
		pace->last = at_least(pace->last, now - pace->interval);
}

/* t_delta of RFC 5348 section 8.3: how early a packet may be. */
static int64_t early(const struct fdccp_ccid3_pace *pace, int64_t rtt)
{
	return at_most(at_most(pace->interval, rtt), GRANULARITY) / 2;
}

int64_t fdccp_pace_when(const struct fdccp_ccid3_pace *pace, int64_t rtt)
{
	return pace->packets ? pace->last + pace->interval - early(pace, rtt) : 0;
}

/* The quarters of a round-trip time since the window counter advanced, 5 at most. */
static unsigned int quarters(const struct fdccp_ccid3_pace *pace, int64_t rtt, int64_t now)
{
	return at_most((now - pace->counter_at) / at_least(rtt / 4, 1), 5);
}

uint8_t fdccp_pace_counter(const struct fdccp_ccid3_pace *pace, int64_t rtt, int64_t now)
{
	unsigned int step, least;

	if (!pace->packets)
		return 0;
	step = quarters(pace, rtt, now);
	least = fdccp_counter_distance(pace->counter, pace->least);
	return (pace->counter + (step > least ? step : least)) % FDCCP_WINDOW_COUNTERS;
}

/* The rate since the latest mark that is a round-trip time old, or since the oldest. */
static double rate_since_mark(const struct fdccp_ccid3_pace *pace, int64_t rtt, int64_t now)
{
	int64_t time = 0;
	uint32_t bytes = 0;

	for (unsigned int back = 0; back < FDCCP_WINDOW_COUNTERS && time < rtt; back++) {
		unsigned int i = (pace->counter - back) % FDCCP_WINDOW_COUNTERS;

		if (!pace->marks[i].valid)
			continue;
		time = now - pace->marks[i].at;
		bytes = (uint32_t)pace->bytes - pace->marks[i].bytes;
	}
	return bytes * SECOND / at_least(time, rtt);
}

double fdccp_pace_sent_rate(const struct fdccp_ccid3_pace *pace, int64_t rtt, int64_t now)
{
	double greatest = rate_since_mark(pace, rtt, now);

	for (unsigned int i = 0; i < FDCCP_WINDOW_COUNTERS; i++)
		if (pace->marks[i].valid && pace->marks[i].rate > greatest)
			greatest = pace->marks[i].rate;
	return greatest;
}

static void mark(struct fdccp_ccid3_pace *pace, uint8_t counter, uint64_t seq, int64_t rtt,
		 int64_t now)
{
	double rate = rate_since_mark(pace, rtt, now);

	while (pace->counter != counter) {
		pace->counter = (pace->counter + 1) % FDCCP_WINDOW_COUNTERS;
		pace->marks[pace->counter].valid = false;
	}
	pace->marks[counter].valid = true;
	pace->marks[counter].seq = seq;
	pace->marks[counter].at = now;
	pace->marks[counter].bytes = pace->bytes;
	pace->marks[counter].rate = rate;
	pace->marks[counter].full = 0;
	pace->counter_at = now;
	pace->least = counter;
}

/* A packet that is sent when it may be shows that the program sends all that it may. If packets
 * follow each other faster than timers, the last one of a burst shows it.
 */
static void note_full(struct fdccp_ccid3_pace *pace, int64_t now)
{
	int64_t late = now - pace->last - pace->interval;
	unsigned int i = pace->counter;

	if (late <= at_most(GRANULARITY, pace->interval) && !pace->marks[i].full)
		pace->marks[i].full = at_most(now - pace->marks[i].at + 1, FULL_MAX);
}

void fdccp_pace_sent(struct fdccp_ccid3_pace *pace, uint64_t seq, uint32_t size, int64_t rtt,
		     int64_t now)
{
	uint8_t counter = fdccp_pace_counter(pace, rtt, now);

	if (!pace->packets) {
		pace->first = seq;
		pace->last = now - pace->interval;
	}
	if (!pace->packets || counter != pace->counter)
		mark(pace, counter, seq, rtt, now);
	pace->packets++;
	pace->bytes += size;
	note_full(pace, now);
	pace->last = at_least(pace->last + pace->interval, now - CREDIT);
}

void fdccp_pace_acked(struct fdccp_ccid3_pace *pace, uint64_t ack)
{
	for (unsigned int back = 0; back < 4; back++) {
		unsigned int i = (pace->counter - back) % FDCCP_WINDOW_COUNTERS;

		if (!pace->marks[i].valid || (int32_t)((uint32_t)ack - pace->marks[i].seq) < 0)
			continue;
		if (4 - back > fdccp_counter_distance(pace->counter, pace->least))
			pace->least = (i + 4) % FDCCP_WINDOW_COUNTERS;
		return;
	}
}

bool fdccp_pace_limited(const struct fdccp_ccid3_pace *pace, int64_t from, int64_t to)
{
	for (unsigned int i = 0; i < FDCCP_WINDOW_COUNTERS; i++) {
		int64_t full = pace->marks[i].at + pace->marks[i].full - 1;

		if (pace->marks[i].valid && pace->marks[i].full && full > from && full <= to)
			return false;
	}
	return true;
}
