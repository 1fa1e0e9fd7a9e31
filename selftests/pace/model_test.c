// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model of freshlink pace keeps a simulated link busy and the modem nearly empty. The tests
 * change the rate and the delay, interrupt the link, lose or delay answers, and use reflectors that
 * are silent or report wrong times. Much capacity is lost only with ICMP echo and a queue on the
 * return path. Prints TAP. Every run has the same random numbers.
 */
#include <math.h>
#include <stdlib.h>

#include "../../userspace/pace/model.h"
#include "../codec/unit.h"
#include "link.h"

#define MBIT	125000.0	/* bytes/s */

/* A link of 5 Mbit/s with a delay of 20 ms in each direction, and a modem of 1 MB. */
#define USUAL								\
	.seed = 1, .length = 30 * SEC, .buffer = 1000000, .rate = 5 * MBIT, \
	.delay = 20 * MS, .start = SEC, .lifetime = 300 * MS

/* Runs a setup with the given members. */
#define RUN(...) link_run(&(struct setup){ USUAL, __VA_ARGS__ })

/* Fail the test unless the value is at least, or at most, the bound. */
#define AT_LEAST(value, bound) CHECK(value, >=, bound)
#define AT_MOST(value, bound) CHECK(value, <=, bound)
#define CHECK(value, relation, bound)					\
	do {								\
		double is = (value), limit = (bound);			\
									\
		if (!(is relation limit)) {				\
			printf("# %s:%d: %s is %g: expected %s %g\n",	\
			       __FILE__, __LINE__, #value, is,		\
			       #relation, limit);			\
			return false;					\
		}							\
	} while (0)

#pragma GCC diagnostic ignored "-Woverride-init"

static bool test_steady(void)
{
	static const int64_t delays[] = { 5 * MS, 20 * MS, 100 * MS };
	static const double rates[] = { 0.5 * MBIT, 5 * MBIT, 50 * MBIT };

	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			struct result r = RUN(.delay = delays[i],
					      .rate = rates[j]);

			AT_LEAST(r.used, 0.9);
			/* four packets last 97 ms at 0.5 Mbit/s */
			AT_MOST(r.queue_p50, (j ? 70 : 150) * MS);
			AT_MOST(r.queue_p95, (j ? 150 : 300) * MS);
		}
	}
	return true;
}

/* Two packets last 242 ms. Without the gate the modem would contain 1 MB, which lasts 80 s. */
static bool test_slow(void)
{
	struct result r = RUN(.rate = 0.1 * MBIT, .length = 60 * SEC);

	AT_LEAST(r.used, 0.9);
	AT_MOST(r.queue_p99, 800 * MS);
	return true;
}

static bool test_satellite(void)
{
	struct result r = RUN(.delay = 300 * MS, .length = 40 * SEC);

	AT_LEAST(r.used_at_end, 0.9);
	AT_MOST(r.queue_p50, 120 * MS);
	return true;
}

/* Makes a trace of a moving terminal: the rate changes every 100 ms, and the link stalls. */
static struct trace make_trace(uint64_t seed)
{
	struct trace t = { malloc(400000 * sizeof(uint32_t)), 0 };
	double rate = 0.4, credit = 0;	/* in packets/ms */
	uint32_t stalled = 0;

	srand(seed);
	for (uint32_t ms = 1; ms <= 120000; ms++) {
		if (ms % 100 == 0)
			rate *= exp((rand() / (double)RAND_MAX - 0.5) * 0.8);
		rate = rate < 0.05 ? 0.05 : rate > 2 ? 2 : rate;
		if (rand() % 8000 == 0)
			stalled = ms + 200 + rand() % 1800;
		credit += ms < stalled ? 0 : rate;
		for (; credit >= 1; credit--)
			t.ms[t.count++] = ms;
	}
	t.ms[t.count++] = 120000;
	return t;
}

static bool test_moving(void)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct trace t = make_trace(seed);
		double video = 0.6 * t.count * PACE_PACKET / 120;
		struct result upload = RUN(.trace = &t, .length = 120 * SEC);
		struct result pace = RUN(.trace = &t, .length = 120 * SEC,
					 .video = video);
		struct result modem = RUN(.trace = &t, .length = 120 * SEC,
					  .video = video, .place = PLACE_MODEM);
		struct result radio = RUN(.trace = &t, .length = 120 * SEC,
					  .video = video, .place = PLACE_RADIO);

		free(t.ms);
		AT_LEAST(upload.used, 0.9);
		AT_MOST(upload.queue_p95, 200 * MS);
		AT_LEAST(pace.video, 0.95 * radio.video);
		AT_MOST(modem.video, 0.9 * radio.video);
	}
	return true;
}

static bool test_outage(void)
{
	for (int64_t length = 2; length <= 10; length += 4) {
		struct result upload = RUN(.outage = 10 * SEC,
					   .outage_length = length * SEC);
		struct result video = RUN(.outage = 10 * SEC,
					  .outage_length = length * SEC,
					  .video = 2.5 * MBIT, .lose = 0.1);

		AT_LEAST(upload.fresh, 0);
		AT_MOST(upload.fresh, 300 * MS);
		AT_LEAST(upload.used_at_end, 0.9);
		MUST(upload.opened == -1);
		AT_LEAST(video.fresh, 0);
		AT_MOST(video.fresh, 300 * MS);
		/* few packets were in the modem */
		AT_MOST(video.control_p99, 400 * MS);
	}
	return true;
}

/* Probes must not fill the modem during an outage, and must not use much capacity when the link is
 * idle.
 */
static bool test_few_probes(void)
{
	uint32_t always = RUN(.length = 10 * SEC).probes;
	uint32_t outage = RUN(.outage = 9 * SEC, .outage_length = 21 * SEC,
			      .rate = 50 * MBIT).probes;
	uint32_t idle = RUN(.start = 3600 * SEC, .length = 100 * SEC).probes;
	uint32_t slow = RUN(.rate = 0.2 * MBIT).probes;

	AT_LEAST(always, 9 * 45 + 1);
	AT_MOST(always, 9 * 50 + 10);
	/* 8 s of traffic, and 4 probes a second */
	AT_MOST(outage, 8 * 50 + 15 + 21 * 4);
	AT_LEAST(outage, 8 * 45 + 21 * 4);
	AT_LEAST(idle, 20);
	AT_MOST(idle, 25);
	/* 5 % of the rate */
	AT_MOST(slow * 86, 30 * 0.2 * MBIT * 0.05 * 1.1);
	AT_LEAST(slow, 30 * 4);
	return true;
}

static bool test_rate_moves(void)
{
	struct result fall = RUN(.turn = 15 * SEC, .factor = 0.1);
	struct result rise = RUN(.turn = 15 * SEC, .factor = 10);

	AT_LEAST(fall.used_at_end, 0.9);
	/* the bytes in the modem need ten times as long, and no bytes follow */
	AT_MOST(fall.queue_p99, 1000 * MS);
	AT_MOST(fall.queue_p95, 300 * MS);
	AT_LEAST(rise.used_at_end, 0.9);
	AT_MOST(rise.queue_p95, 150 * MS);
	return true;
}

static bool test_handover(void)
{
	struct result r = RUN(.move = 20 * SEC);

	/* the last 5 s begin 5 s after the handover */
	AT_LEAST(r.used_at_end, 0.9);
	AT_MOST(r.queue_p99, 200 * MS);
	return true;
}

static bool test_bursts(void)
{
	struct result upload = RUN(.grant = 40 * MS);
	struct result video = RUN(.grant = 40 * MS, .video = 2.5 * MBIT);

	AT_LEAST(upload.used, 0.9);
	AT_MOST(upload.queue_p95, 150 * MS);
	AT_LEAST(video.video, 0.99);
	AT_MOST(video.control_p99, 100 * MS);
	return true;
}

static bool test_losses(void)
{
	AT_LEAST(RUN(.lose = 0.1).used, 0.9);
	AT_LEAST(RUN(.lose = 0.5).used, 0.85);
	AT_MOST(RUN(.lose = 0.5).queue_p95, 150 * MS);
	AT_LEAST(RUN(.reorder = 50 * MS).used, 0.9);
	return true;
}

static bool test_downlink(void)
{
	struct result full = RUN(.down = 1500 * MS);
	struct result echo = RUN(.down = 300 * MS, .echo = true);

	AT_LEAST(RUN(.down = 300 * MS).used, 0.9);
	AT_LEAST(full.used, 0.8);
	AT_MOST(full.queue_p95, 400 * MS);
	/* with echo, pace mistakes the queue on the return path for a queue in the modem */
	AT_LEAST(echo.used, 0.3);
	AT_MOST(echo.probes, 31 * 10 + 1);
	AT_LEAST(RUN(.echo = true).used, 0.9);
	return true;
}

static bool test_lies(void)
{
	for (enum lie lie = LIE_RANDOM; lie <= LIE_STEPS; lie++) {
		struct result r = RUN(.lie = lie);

		AT_LEAST(r.used, 0.85);
		AT_MOST(r.queue_p95, 200 * MS);
		MUST(r.opened == -1);
	}
	return true;
}

static bool test_dead(void)
{
	struct result r = RUN(.dead = 10 * SEC, .others = true);
	struct result later = RUN(.dead = 10 * SEC, .others = true,
				  .length = 60 * SEC);

	/* the gate releases the last known rate, and opens only after 30 s of silence */
	AT_LEAST(r.used_at_end, 0.9);
	MUST(r.opened == -1);
	AT_LEAST(later.opened, 40 * SEC);
	AT_MOST(later.opened, 41 * SEC);
	return true;
}

static bool test_long_outage(void)
{
	struct result r = RUN(.outage = 10 * SEC, .outage_length = 60 * SEC,
			      .length = 90 * SEC);

	AT_LEAST(r.opened, 40 * SEC);
	AT_MOST(r.opened, 41 * SEC);
	AT_LEAST(r.used_at_end, 0.9);
	return true;
}

/* The modem is full before the first answer. */
static bool test_busy_start(void)
{
	struct result r = RUN(.start = 0, .length = 40 * SEC);

	AT_LEAST(r.used_at_end, 0.9);
	AT_MOST(r.queue_p50, 100 * MS);
	return true;
}

/* At the start, nothing is known of the link. */
static bool test_cold_start(void)
{
	static const double rates[] = { 0.5 * MBIT, 5 * MBIT, 50 * MBIT };

	for (int i = 0; i < 3; i++) {
		struct result upload = RUN(.cold = true, .rate = rates[i],
					   .length = 5 * SEC);
		struct result video = RUN(.cold = true, .rate = rates[i],
					  .length = 5 * SEC,
					  .video = rates[i] / 2);

		/* the traffic begins after 1 s */
		AT_LEAST(upload.used, 0.9 * 4 / 5);
		AT_LEAST(video.video, 0.99);
		/* from ten packets to 50 Mbit/s, the window doubles four times */
		AT_MOST(video.control_p99, (i == 2 ? 300 : 100) * MS);
	}
	return true;
}

/* Gives an answer to the estimator of the rate. The probe of this answer left 20 ms and "bytes"
 * bytes after the previous probe.
 */
static void feed(struct pace_rate *r, uint64_t bytes, bool idle, bool late,
		 int64_t took, int64_t reached)
{
	const struct pace_answer *last = pace_rate_last(r);
	struct pace_answer a = { .bytes = bytes, .sent = SEC, .reached = reached,
				 .has_times = reached, .idle = idle };

	if (last) {
		a.bytes += last->bytes;
		a.sent = last->sent + 20 * MS;
	}
	a.heard = a.sent + took;
	pace_rate_take(r, &a, reached, late);
}

static bool test_idle_rate(void)
{
	struct pace_rate r = { .count = 0 };

	for (int i = 0; i < 100; i++)
		feed(&r, 20000, false, false, 40 * MS, 0);
	CHECK(r.bytes_per_s, ==, 1000000);
	for (int i = 0; i < 100; i++)
		feed(&r, 2000, true, false, 40 * MS, 0);
	CHECK(r.bytes_per_s, ==, 1000000);
	for (int i = 0; i < 100; i++)
		feed(&r, 40000, true, false, 40 * MS, 0);
	CHECK(r.bytes_per_s, ==, 2000000);
	for (int i = 0; i < 100; i++)
		feed(&r, 2000, true, true, 40 * MS, 0);
	CHECK(r.bytes_per_s, ==, 100000);
	return true;
}

/* Times of the reflector count only if our own clock confirms them. */
static bool test_rate_of_liar(void)
{
	static const int64_t steps[] = { -SEC, SEC, 3600 * SEC };

	for (int i = 0; i < 3; i++) {
		struct pace_rate r = { .count = 0 };

		feed(&r, 0, false, false, 40 * MS, 7200 * SEC);
		feed(&r, 20000, false, false, 60 * MS, 7200 * SEC + steps[i]);
		/* the second answer arrived 40 ms after the first one */
		CHECK(r.bytes_per_s, ==, 500000);
	}
	return true;
}

/* lpd sends all that the gate releases. An answer sets the gate shortly before its usual time. */
static bool test_early_gate(void)
{
	struct pace p = { .config = { .interval = 20 * MS, .probe_bytes = 86 },
			  .started = true,
			  .state = PACE_RUNNING, .window = 60000, .sent = 1,
			  .delay = { .base = 40 * MS },
			  .rate = { .bytes_per_s = 5 * MBIT } };
	uint64_t sent = 1;
	int64_t now = 0;

	for (int i = 0; i < 100; i++) {
		uint64_t bytes;

		now += i % 2 ? 1 * MS : 19 * MS;
		bytes = pace_gate(&p, now, sent);
		pace_saw(&p, now, sent, 1);
		sent += bytes;
	}
	/* 1 s at one and a half times the rate */
	AT_LEAST(sent, 1.4 * 5 * MBIT);
	AT_MOST(sent, 1.6 * 5 * MBIT);
	return true;
}

/* A queue of 90 ms was 300 ms long before. Dense answers show its present length, and sparse answers
 * do not.
 */
static bool test_transit(void)
{
	struct pace p = { .config = { .interval = 20 * MS, .probe_bytes = 86,
				      .target = 20 * MS },
			  .step = 1,
			  .delay = { .base = 40 * MS, .queue = 90 * MS,
				     .peak = 300 * MS },
			  .rate = { .bytes_per_s = 5 * MBIT } };
	uint64_t unacked = 5 * MBIT;

	CHECK(pace_transit(&p, unacked), ==, (20 + 120) * MS);
	p.step = 2;	/* half of the answers are lost */
	CHECK(pace_transit(&p, unacked), ==, (20 + 375) * MS);
	return true;
}

static int64_t any(int64_t most)
{
	return (int64_t)(rand() / (double)RAND_MAX * most);
}

/* Gives the model an answer that cannot result from any link. */
static void confuse(struct pace *p, int64_t now, uint64_t *bytes)
{
	int64_t sent = now - any(rand() % 2 ? 50 * MS : 20 * SEC);

	*bytes += any(rand() % 4 ? 100000 : 1000000000);
	pace_saw(p, now, *bytes, rand() % 2 ? 0 : UINT32_MAX);
	pace_probed(p, now);
	pace_answered(p, &(struct pace_answer){
		.number = p->probes - 1, .bytes = *bytes - any(*bytes),
		.sent = sent, .reached = any(INT64_MAX),
		.heard = now,
		.has_times = rand() % 2, .idle = rand() % 2 });
	pace_watch(p, now);
	pace_overheard(p, now);
}

static bool test_nonsense(void)
{
	static const struct pace_config config = {
		.target = 20 * MS, .give_up = 30 * SEC, .probe_bytes = 86,
		.interval = 20 * MS,
	};

	srand(1);
	for (int run = 0; run < 200; run++) {
		uint64_t bytes = 0;
		int64_t now = SEC;
		struct pace p;

		pace_init(&p, &config, now);
		for (int i = 0; i < 1000; i++) {
			now += any(rand() % 50 ? 40 * MS : 40 * SEC);
			confuse(&p, now, &bytes);
			AT_LEAST(p.window, 2 * PACE_PACKET);
			AT_MOST(p.window, 1e18);
			AT_LEAST(pace_next_probe(&p, now), 0);
			AT_MOST(pace_next_probe(&p, now), now + 5 * SEC);
			AT_MOST(pace_next_gate(&p, now), now + SEC);
			AT_LEAST(pace_transit(&p, bytes), 0);
		}
	}
	return true;
}

static const struct unit tests[] = {
	{ "an upload uses the link, and the modem stays nearly empty", test_steady },
	{ "at 100 kbit/s only a few packets wait in the modem", test_slow },
	{ "a delay of 300 ms each way needs no configuration", test_satellite },
	{ "on a moving terminal, pace is nearly as good as lpd above the radio", test_moving },
	{ "after an outage the first fresh packet leaves within 0.3 s", test_outage },
	{ "probes are few", test_few_probes },
	{ "the window follows a rate that falls to a tenth or rises to ten times", test_rate_moves },
	{ "a delay that triples is learned within 5 s", test_handover },
	{ "a radio that sends in turns of 40 ms stays busy", test_bursts },
	{ "lost and reordered probes do not matter", test_losses },
	{ "a full downlink does not starve the upload", test_downlink },
	{ "a reflector with a wrong clock does no harm", test_lies },
	{ "if only the reflector is dead, the last rate is kept for 30 s", test_dead },
	{ "in an outage of 60 s the gate opens after 30 s", test_long_outage },
	{ "a modem that is full at the start drains", test_busy_start },
	{ "the first packets are neither late nor discarded", test_cold_start },
	{ "while lpd is empty the rate only rises, except if answers are late", test_idle_rate },
	{ "a reflector cannot make the rate wrong", test_rate_of_liar },
	{ "a gate that is set early releases no fewer bytes", test_early_gate },
	{ "a queue that shrinks is seen at once if answers are dense", test_transit },
	{ "answers without sense leave the window in its bounds", test_nonsense },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
