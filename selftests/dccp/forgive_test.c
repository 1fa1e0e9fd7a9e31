// SPDX-License-Identifier: GPL-2.0-or-later
/* A loss event is forgiven if it has only packets that went stale, and its interval goes to the one
 * before it. Prints TAP.
 */
#include <math.h>

#include "../../userspace/dccp/forgive.h"
#include "../codec/unit.h"

static struct fdccp_forgive forgive;

static void note(enum fdccp_cause cause, uint64_t seq)
{
	fdccp_forgive_note(&forgive, cause, seq);
}

/* Packets 10 and 12 went stale; 11 arrived. */
static void stale(void)
{
	forgive = (struct fdccp_forgive){ 0 };
	note(FDCCP_CAUSE_STALE, 10);
	note(FDCCP_CAUSE_ARRIVED, 11);
	note(FDCCP_CAUSE_STALE, 12);
}

static bool only_stale(void)
{
	stale();
	MUST(fdccp_forgive_event(&forgive, 10, 3) && fdccp_forgive_event(&forgive, 12, 1));
	/* nothing is known of these, and of no packet */
	MUST(!fdccp_forgive_event(&forgive, 13, 1) && !fdccp_forgive_event(&forgive, 10, 0));
	return true;
}

/* A packet with each other cause before, in and behind the lossy part of 9 to 13. */
static bool others(void)
{
	static const enum fdccp_cause causes[] = {
		FDCCP_CAUSE_MARKED, FDCCP_CAUSE_FLAWED, FDCCP_CAUSE_DAMAGED, FDCCP_CAUSE_OVERDUE,
		FDCCP_CAUSE_GIVEN_UP, FDCCP_CAUSE_MISSING,
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		for (uint64_t seq = 8; seq <= 14; seq++) {
			stale();
			note(causes[i], seq);
			MUST(fdccp_forgive_event(&forgive, 9, 5) == (seq < 9 || seq > 13));
		}
	return true;
}

/* What is not known any more is not forgiven. */
static bool forgotten(void)
{
	forgive = (struct fdccp_forgive){ 0 };
	for (uint64_t seq = 100; seq < 100 + FDCCP_FORGIVE_MAX; seq++)
		note(FDCCP_CAUSE_STALE, seq);
	MUST(fdccp_forgive_event(&forgive, 101, FDCCP_FORGIVE_MAX - 1));
	MUST(!fdccp_forgive_event(&forgive, 100, FDCCP_FORGIVE_MAX));
	note(FDCCP_CAUSE_STALE, 200);
	MUST(!fdccp_forgive_event(&forgive, 101, 10));
	return true;
}

/* Intervals of 10, 20, 30 and 40 packets, the oldest without a loss. All have weight 1. */
static bool rate(void)
{
	struct fdccp_loss_intervals four = { .count = 4, .at = {
		{ .start = 100, .loss = 1, .length = 10, .discount = 1 },
		{ .start = 80, .loss = 1, .length = 20, .discount = 1 },
		{ .start = 50, .loss = 1, .length = 30, .discount = 1 },
		{ .start = 10, .length = 40, .discount = 1 },
	} };

	/* without the current one: (20 + 30 + 40) / 3 */
	MUST(fabs(fdccp_forgive_rate(&four) - 1 / 30.0) < 1e-12);
	four.at[1].forgiven = true;
	/* (20 + 30 + 40) / 2 */
	MUST(fabs(fdccp_forgive_rate(&four) - 2 / 90.0) < 1e-12);
	four.at[0].forgiven = true;
	/* the current one is 10 + 20 + 30 long, which is more than the 40 before it */
	MUST(fabs(fdccp_forgive_rate(&four) - 1 / 60.0) < 1e-12);
	/* no event is left */
	four.at[2].forgiven = true;
	MUST(fdccp_forgive_rate(&four) == 0);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "an event of packets that went stale is forgiven", only_stale },
		{ "no other cause is", others },
		{ "what is not known any more is not", forgotten },
		{ "an event that is forgiven lengthens the interval before it", rate },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
