// SPDX-License-Identifier: GPL-2.0-or-later
/* The receiver knows when messages were submitted, by the sender's clock: which drifts by 200 ppm,
 * leaps and wraps, while messages wait on the way. Simulated time; the true times are known. Prints
 * TAP.
 */
#include "../../userspace/stream/clock.c"

#include "../codec/unit.h"
#include "path.h"

#define SPACING		(10 * MS)
#define DELAY		(50 * MS)
#define MINUTE		(60 * SEC)

/* A sender's clock, and a path that takes at least DELAY. */
struct sender {
	struct fstream_clock clock;
	int64_t now;		/* true time, which this end's clock shows */
	int64_t offset;		/* of the sender's clock, in ns */
	double ppm;		/* by which the sender's clock is too fast */
	int64_t wait;		/* on the way, beyond DELAY */
};

static uint32_t sender_us(const struct sender *s)
{
	double drift = (double)s->now * s->ppm / 1e6;

	return (uint32_t)((s->now + s->offset + (int64_t)drift) / US);
}

/* A message is submitted now. Return: the error of its submission time at its arrival, in ns. */
static int64_t message(struct sender *s)
{
	uint32_t us = sender_us(s);

	fstream_clock_learn(&s->clock, us, s->now + DELAY + s->wait);
	return fstream_clock_here(&s->clock, us) - s->now;
}

static struct sender started(int64_t offset, double ppm)
{
	struct sender s = { .now = SEC, .offset = offset, .ppm = ppm };

	fstream_clock_way(&s.clock, DELAY, s.now);
	return s;
}

/* Waiting times as in a queue that is often empty: at least as long as @ns in 1 of e messages. */
static int64_t some_wait(uint64_t *seed, int64_t ns)
{
	int64_t wait = 0;

	while (path_chance(seed, 632))
		wait += ns / 4;
	return wait + (int64_t)path_below(seed, ns / 8);
}

static bool within(int64_t error, int64_t limit)
{
	if (error >= -limit && error <= limit)
		return true;
	printf("# error of %lld ns\n", (long long)error);
	return false;
}

/* Without drift and waiting, the submission time is exact, in the microseconds of the frames. */
static bool test_exact(void)
{
	struct sender s = started(123456789 * SEC, 0);

	for (int i = 0; i < 10000; i++, s.now += SPACING)
		MUST(message(&s) == 0);
	return true;
}

/* Drift of 200 ppm in either direction is followed within 1 ms for 10 minutes, with messages that
 * wait on the way.
 */
static bool test_drift(void)
{
	static const double ppm[] = { -200, -20, 0, 20, 200 };

	for (size_t i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		struct sender s = started(-5 * SEC, ppm[i]);
		uint64_t seed = 2 * i + 1;

		for (; s.now < 10 * MINUTE; s.now += SPACING) {
			s.wait = some_wait(&seed, 5 * MS);
			if (s.now < 3 * SEC)
				message(&s);
			else
				MUST(within(message(&s), MS));
		}
	}
	return true;
}

/* A message that waited has the right submission time, too, however long it waited. */
static bool test_waited(void)
{
	struct sender s = started(0, 200);

	for (int i = 0; i < 3000; i++, s.now += SPACING) {
		s.wait = i % 10 ? (int64_t)(i % 100) * 30 * MS : 0;
		MUST(within(message(&s), 100 * US));
	}
	return true;
}

/* A queue that is never empty for half a minute does not count as drift. */
static bool test_standing_queue(void)
{
	struct sender s = started(0, 0);

	for (; s.now < MINUTE; s.now += SPACING) {
		s.wait = s.now < 31 * SEC ? 0 : 300 * MS;
		MUST(message(&s) == 0);
	}
	return true;
}

/* Times wrap, with drift. */
static bool test_wrap(void)
{
	struct sender s = started(0, -200);
	uint32_t before = 0;
	int wraps = 0;

	s.offset = (INT64_C(1) << 32) * US - 5 * SEC;
	for (; s.now < MINUTE; s.now += SPACING) {
		MUST(within(message(&s), 100 * US));
		wraps += sender_us(&s) < before;
		before = sender_us(&s);
	}
	MUST(wraps == 1);
	return true;
}

/* The sender's clock leaps to and fro: the first message after that has the right time. */
static bool test_sender_leaps(void)
{
	static const int64_t leaps[] = { -20 * MS, 20 * MS, -SEC, SEC, -3600 * SEC, 3600 * SEC,
		-1800 * SEC, 1800 * SEC, 2500 * SEC };

	for (size_t i = 0; i < sizeof(leaps) / sizeof(leaps[0]); i++) {
		struct sender s = started(10000 * SEC, 0);

		for (int n = 0; n < 1000; n++, s.now += SPACING)
			MUST(message(&s) == 0);
		s.offset += leaps[i];
		for (int n = 0; n < 7000; n++, s.now += SPACING)
			MUST(message(&s) == 0);
	}
	return true;
}

/* This end's clock leaps back: known at once. Forward: that looks like waiting, until nothing older
 * is in the window.
 */
static bool test_receiver_leaps(void)
{
	struct sender s = started(0, 0);

	for (int n = 0; n < 1000; n++, s.now += SPACING)
		MUST(message(&s) == 0);
	s.offset -= 3 * SEC;
	s.now += 3 * SEC;
	MUST(message(&s) == -3 * SEC);
	for (int64_t end = s.now + FSTREAM_CLOCK_WINDOW; s.now <= end; s.now += SPACING)
		message(&s);
	MUST(message(&s) == 0);
	s.now -= 2 * SEC;
	s.offset += 2 * SEC + SPACING;
	MUST(message(&s) == 0);
	return true;
}

/* After hours without a message the time is right at once. */
static bool test_silence(void)
{
	struct sender s = started(0, 200);

	for (int64_t pause = SEC; pause < 20000 * SEC; pause *= 2) {
		for (int n = 0; n < 100; n++, s.now += SPACING)
			MUST(within(message(&s), 100 * US + pause / 1000000 * 200));
		s.now += pause;
	}
	MUST(within(message(&s), US));
	return true;
}

/* More points than the hull keeps: differences on a parabola. The newest time stays right. */
static bool test_many_points(void)
{
	struct sender s = started(0, 0);

	for (int i = 0; i < 10 * FSTREAM_CLOCK_POINTS; i++, s.now += 100 * MS) {
		s.wait = (int64_t)i * i * 40;
		MUST(within(message(&s), s.wait));
	}
	MUST(s.clock.count == FSTREAM_CLOCK_POINTS);
	return true;
}

/* The least one-way time counts for a window, and a smaller one at once. A guess counts until the
 * sender tells one, whatever that is.
 */
static bool test_way(void)
{
	struct fstream_clock clock = { 0 };

	fstream_clock_learn(&clock, 7, 100 * MS);
	MUST(fstream_clock_here(&clock, 7) == 100 * MS);
	fstream_clock_guess(&clock, 20 * MS);
	fstream_clock_way(&clock, 0, 0);
	MUST(fstream_clock_here(&clock, 7) == 80 * MS);
	fstream_clock_way(&clock, 25 * MS, 0);
	fstream_clock_guess(&clock, 20 * MS);
	MUST(fstream_clock_here(&clock, 7) == 75 * MS);
	fstream_clock_way(&clock, 45 * MS, FSTREAM_CLOCK_WINDOW);
	fstream_clock_way(&clock, 0, FSTREAM_CLOCK_WINDOW);
	MUST(fstream_clock_here(&clock, 7) == 75 * MS);
	fstream_clock_way(&clock, 20 * MS, FSTREAM_CLOCK_WINDOW);
	MUST(fstream_clock_here(&clock, 7) == 80 * MS);
	fstream_clock_way(&clock, 45 * MS, 2 * FSTREAM_CLOCK_WINDOW + 1);
	MUST(fstream_clock_here(&clock, 7) == 55 * MS);
	return true;
}

/* Random times do no harm, and the next honest window is right again. */
static bool test_hostile(void)
{
	struct sender s = started(0, 0);
	uint64_t seed = 1;

	for (int i = 0; i < 1000000; i++) {
		s.now += (int64_t)path_below(&seed, 2 * SPACING);
		fstream_clock_learn(&s.clock, (uint32_t)path_random(&seed), s.now);
		fstream_clock_here(&s.clock, (uint32_t)path_random(&seed));
		MUST(s.clock.count >= 1 && s.clock.count <= FSTREAM_CLOCK_POINTS);
	}
	for (int64_t end = s.now + FSTREAM_CLOCK_WINDOW; s.now <= end; s.now += SPACING)
		message(&s);
	MUST(message(&s) == 0);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "submission times are exact", test_exact },
		{ "a drift of 200 ppm is followed", test_drift },
		{ "messages that waited", test_waited },
		{ "a standing queue is no drift", test_standing_queue },
		{ "times wrap", test_wrap },
		{ "the sender's clock leaps", test_sender_leaps },
		{ "the receiver's clock leaps", test_receiver_leaps },
		{ "a long silence", test_silence },
		{ "more points than there is room for", test_many_points },
		{ "the least one-way time", test_way },
		{ "random times", test_hostile },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
