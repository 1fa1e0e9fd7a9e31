// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The controllers decide what their names say, at the exact times: a piece that would arrive at its
 * deadline is sent, one that would arrive 1 ns later is not. Prints TAP.
 */
#include "../../userspace/stream/control.c"

#include "../codec/unit.h"

#define MS	INT64_C(1000000)
#define NOW	(INT64_C(1) << 42)

/* half of the least round-trip time on the way back: 80 ms forth, and 10 ms spread */
static const struct fdccp_measure path = {
	.srtt = 100 * MS, .rttvar = 10 * MS, .rtt_min = 40 * MS, .rate = 100000,
};

static const struct fdccp_measure unknown;

static struct fstream_view view(int64_t left, size_t ahead, size_t len, int64_t budget)
{
	return (struct fstream_view){
		.now = NOW, .deadline = NOW + left, .ahead = ahead, .len = len, .budget = budget,
		.path = &path,
	};
}

static enum fstream_verdict first(enum fstream_control control, struct fstream_view v)
{
	return fstream_controller(control)->first(&v);
}

static enum fstream_verdict repeat(enum fstream_control control, struct fstream_view v)
{
	return fstream_controller(control)->repeat(&v);
}

/* Arrival is now, what is ahead at the allowed rate, the way, and its spread. */
static bool test_arrival(void)
{
	struct fstream_view v = view(0, 0, 1000, 0);
	struct fdccp_measure other = path;

	MUST(fstream_arrival(&v) == NOW + 90 * MS);
	v.ahead = 5000;
	MUST(fstream_arrival(&v) == NOW + 140 * MS);
	v.ahead = 1048576;
	other.rate = 1;
	v.path = &other;
	MUST(fstream_arrival(&v) == NOW + 1048576000 * MS + 90 * MS);
	/* a rate of small packets is that of as many large ones, and not the reverse */
	other.rate = 1000;
	other.size = 20;
	v.ahead = 5000;
	MUST(fstream_arrival(&v) == NOW + 190 * MS);
	other.rate = 100000;
	other.size = 2000;
	MUST(fstream_arrival(&v) == NOW + 140 * MS);
	other.rate = 0;
	MUST(fstream_arrival(&v) == NOW + 90 * MS);
	/* without a least time, the way takes half of the smoothed one; likewise if that is less */
	other.rtt_min = 0;
	MUST(fstream_arrival(&v) == NOW + 60 * MS);
	other.rtt_min = 120 * MS;
	MUST(fstream_arrival(&v) == NOW + 60 * MS);
	v.path = &unknown;
	MUST(fstream_arrival(&v) == NOW);
	return true;
}

/* When the last round trip was much shorter than the mean, it counts alone, as the first one would:
 * its half is the spread. In the usual spread the mean counts.
 */
static bool test_short_round_trip(void)
{
	struct fdccp_measure after = path;
	struct fstream_view v = view(0, 0, 1000, 0);

	v.path = &after;
	/* 70 - 20 + 35 ms */
	after.sample = 70 * MS;
	MUST(fstream_arrival(&v) == NOW + 85 * MS);
	after.sample = 74 * MS;
	MUST(fstream_arrival(&v) == NOW + 90 * MS);
	after.sample = 10000 * MS;
	MUST(fstream_arrival(&v) == NOW + 90 * MS);
	/* after an outage of 10 s */
	after.srtt = 5000 * MS;
	after.rttvar = 4000 * MS;
	MUST(fstream_arrival(&v) == NOW + 8980 * MS);
	after.sample = 40 * MS;
	MUST(fstream_arrival(&v) == NOW + 40 * MS);
	/* the least one is from the outage as well */
	after.rtt_min = 9000 * MS;
	MUST(fstream_arrival(&v) == NOW + 40 * MS);
	return true;
}

/* The last round trip may be that of a packet smaller than a piece. */
static bool test_least(void)
{
	struct fdccp_measure small = path;
	struct fstream_view v = view(230 * MS, 0, 1000, 0);

	small.sample = 40 * MS;
	v.path = &small;
	v.least = 39 * MS;
	MUST(fstream_arrival(&v) == NOW + 40 * MS);
	v.least = 70 * MS;
	MUST(fstream_arrival(&v) == NOW + 70 * MS);
	/* a repeat after the timeout of 140 ms would not arrive in 90 ms */
	v.least = 90 * MS;
	MUST(fstream_wire_deadline(&v) == NOW + 140 * MS);
	v.least++;
	MUST(fstream_wire_deadline(&v) == NOW + 230 * MS);
	return true;
}

/* feasible sends what arrives at its deadline, the first time whatever the budget. */
static bool test_feasible(void)
{
	MUST(first(FSTREAM_CONTROL_FEASIBLE, view(90 * MS, 0, 1000, -5000)) == FSTREAM_SEND);
	MUST(first(FSTREAM_CONTROL_FEASIBLE, view(90 * MS - 1, 0, 1000, 5000)) == FSTREAM_GIVE_UP);
	MUST(first(FSTREAM_CONTROL_FEASIBLE, view(90 * MS, 1, 1000, 0)) == FSTREAM_GIVE_UP);
	MUST(repeat(FSTREAM_CONTROL_FEASIBLE, view(90 * MS, 0, 1000, 1000)) == FSTREAM_SEND);
	MUST(repeat(FSTREAM_CONTROL_FEASIBLE, view(90 * MS, 0, 1000, 999)) == FSTREAM_WAIT);
	MUST(repeat(FSTREAM_CONTROL_FEASIBLE, view(90 * MS, 0, 1000, -1)) == FSTREAM_WAIT);
	MUST(repeat(FSTREAM_CONTROL_FEASIBLE, view(90 * MS - 1, 0, 1000, 1000)) ==
	     FSTREAM_GIVE_UP);
	return true;
}

/* paper and reliable send at any time, none once. */
static bool test_others(void)
{
	const struct fstream_view late = view(-1, 100000, 1000, -1);

	MUST(first(FSTREAM_CONTROL_PAPER, late) == FSTREAM_SEND);
	MUST(repeat(FSTREAM_CONTROL_PAPER, late) == FSTREAM_SEND);
	MUST(first(FSTREAM_CONTROL_RELIABLE, late) == FSTREAM_SEND);
	MUST(repeat(FSTREAM_CONTROL_RELIABLE, late) == FSTREAM_SEND);
	MUST(first(FSTREAM_CONTROL_NONE, late) == FSTREAM_SEND);
	MUST(repeat(FSTREAM_CONTROL_NONE, view(1000 * MS, 0, 1, 1000)) == FSTREAM_GIVE_UP);
	return true;
}

/* Expiry ends messages of feasible and none; only paper cancels; reliable has no deadlines. */
static bool test_table(void)
{
	const struct {
		enum fstream_control control;
		bool expire, cancel, deadlines;
	} expected[] = {
		{ FSTREAM_CONTROL_FEASIBLE, true, false, true },
		{ FSTREAM_CONTROL_PAPER, false, true, true },
		{ FSTREAM_CONTROL_RELIABLE, false, false, false },
		{ FSTREAM_CONTROL_NONE, true, false, true },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct fstream_controller *c = fstream_controller(expected[i].control);

		MUST(c->expire == expected[i].expire);
		MUST(c->cancel_when_full == expected[i].cancel);
		MUST(c->deadlines == expected[i].deadlines);
	}
	return true;
}

/* Routers may discard a packet after the timeout, 140 ms, if a repeat sent then would arrive. */
static bool test_wire_deadline(void)
{
	struct fstream_view v = view(230 * MS, 0, 1000, 0);

	MUST(fstream_wire_deadline(&v) == NOW + 140 * MS);
	v.deadline--;
	MUST(fstream_wire_deadline(&v) == NOW + 230 * MS - 1);
	/* a message that is sent although its deadline has passed */
	v.deadline = NOW;
	MUST(fstream_wire_deadline(&v) == NOW + 140 * MS);
	v.deadline = NOW + 1;
	MUST(fstream_wire_deadline(&v) == NOW + 1);
	/* before a round-trip time is known: 200 ms + 4 * 100 ms */
	v.path = &unknown;
	v.deadline = NOW + 600 * MS;
	MUST(fstream_wire_deadline(&v) == NOW + 600 * MS);
	v.deadline = NOW + 601 * MS;
	MUST(fstream_wire_deadline(&v) == NOW + 600 * MS);
	return true;
}

/* Each attempt doubles the timeout, up to a minute. */
static bool test_backoff(void)
{
	struct fstream_view v = view(3600000 * MS, 0, 1000, 0);

	v.attempts = 1;
	MUST(fstream_wire_deadline(&v) == NOW + 280 * MS);
	v.attempts = 3;
	MUST(fstream_wire_deadline(&v) == NOW + 1120 * MS);
	v.attempts = 255;
	MUST(fstream_wire_deadline(&v) == NOW + 60000 * MS);
	v.attempts = 1;
	v.deadline = NOW + 369 * MS;
	MUST(fstream_wire_deadline(&v) == NOW + 369 * MS);
	v.deadline = NOW + 370 * MS;
	MUST(fstream_wire_deadline(&v) == NOW + 280 * MS);
	return true;
}

/* Without repeats, the deadline counts; without deadlines, nothing is stale. */
static bool test_stale_at(void)
{
	struct fstream_view v = view(10000 * MS, 0, 1000, 0);

	MUST(fstream_controller(FSTREAM_CONTROL_FEASIBLE)->stale_at(&v) == NOW + 140 * MS);
	MUST(fstream_controller(FSTREAM_CONTROL_PAPER)->stale_at(&v) == NOW + 140 * MS);
	MUST(fstream_controller(FSTREAM_CONTROL_NONE)->stale_at(&v) == NOW + 10000 * MS);
	v.deadline = FDCCP_NEVER;
	MUST(fstream_controller(FSTREAM_CONTROL_RELIABLE)->stale_at(&v) == FDCCP_NEVER);
	return true;
}

static const struct unit tests[] = {
	{ "when a piece arrives", test_arrival },
	{ "when a piece arrives after a short round trip", test_short_round_trip },
	{ "when a piece arrives that takes longer than that", test_least },
	{ "feasible", test_feasible },
	{ "paper, reliable and none", test_others },
	{ "what the controllers do with deadlines", test_table },
	{ "lifetimes on the wire", test_wire_deadline },
	{ "lifetimes on the wire of repeats", test_backoff },
	{ "lifetimes by controller", test_stale_at },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
