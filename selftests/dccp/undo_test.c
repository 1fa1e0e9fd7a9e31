// SPDX-License-Identifier: GPL-2.0-or-later
/* What nofeedback timers took is given back once, by feedback that shows that the path was late. Prints
 * TAP.
 */
#include "../../userspace/dccp/undo.h"
#include "../codec/unit.h"

#define RTT	40

static struct fdccp_undo undo;

/* Timers took from 800 and 400, while packet 10 and then packet 12 was the latest. */
static void take_twice(void)
{
	const struct fdccp_rates first = { .rate = 800, .rtt = RTT }, second = { .rate = 400 };

	fdccp_undo_init(&undo);
	fdccp_undo_take(&undo, &first, 10, true);
	fdccp_undo_take(&undo, &second, 12, true);
}

static bool feedback(uint64_t ack, bool event)
{
	return fdccp_undo_feedback(&undo, ack, event, 1000);
}

/* The first packet that waited arrives: all is as before the first timer, for two round trips. */
static bool late_path(void)
{
	take_twice();
	MUST(!fdccp_undo_holds(&undo, 0) && undo.since == INT64_MIN);
	fdccp_undo_heard(&undo, 7);
	MUST(feedback(7, false) && undo.before.rate == 800 && undo.before.rtt == RTT);
	MUST(undo.since == 1000);
	MUST(fdccp_undo_holds(&undo, 1000 + 2 * RTT) && !fdccp_undo_holds(&undo, 1001 + 2 * RTT));
	/* only once */
	fdccp_undo_heard(&undo, 8);
	MUST(!feedback(8, false));
	return true;
}

/* The first feedback acknowledges all packets, the later ones, too. */
static bool all_at_once(void)
{
	take_twice();
	for (uint64_t seq = 7; seq <= 12; seq++)
		fdccp_undo_heard(&undo, seq);
	MUST(feedback(12, false));
	return true;
}

/* The path has lost packets: it was no better than the timers took it for. */
static bool losses(void)
{
	take_twice();
	fdccp_undo_heard(&undo, 7);
	MUST(!feedback(7, true) && !feedback(8, false));
	/* nothing that was sent before has arrived */
	take_twice();
	fdccp_undo_heard(&undo, 11);
	MUST(!feedback(11, false));
	/* what arrived before the outage does not count, if the last packet is missing */
	take_twice();
	fdccp_undo_heard(&undo, 7);
	fdccp_undo_heard(&undo, 11);
	MUST(!feedback(11, false));
	/* it was known to have arrived before the timers */
	take_twice();
	MUST(!feedback(7, false));
	return true;
}

static bool nothing(void)
{
	fdccp_undo_init(&undo);
	fdccp_undo_heard(&undo, 7);
	MUST(!feedback(7, false));
	take_twice();
	fdccp_undo_forget(&undo);
	fdccp_undo_heard(&undo, 7);
	MUST(!feedback(7, false));
	return true;
}

/* A link that says it is back gives it back, where feedback alone may not; and once. */
static bool link_up(void)
{
	const struct fdccp_rates rates = { .rate = 800, .rtt = RTT };

	fdccp_undo_init(&undo);
	MUST(!fdccp_undo_link_up(&undo, 1000));
	fdccp_undo_take(&undo, &rates, 10, false);
	MUST(fdccp_undo_link_up(&undo, 1000) && undo.before.rate == 800);
	MUST(fdccp_undo_holds(&undo, 1000 + 2 * RTT) && !fdccp_undo_link_up(&undo, 1000));
	return true;
}

/* Feedback that waited at the link, too, may come first. It decides for itself, but not for the link,
 * until a packet from after the timers is acknowledged.
 */
static bool link_up_later(void)
{
	take_twice();
	fdccp_undo_heard(&undo, 7);
	MUST(!feedback(7, true) && !feedback(8, false));
	MUST(fdccp_undo_link_up(&undo, 1000) && undo.before.rate == 800);
	take_twice();
	MUST(!feedback(7, false) && !feedback(11, false) && !fdccp_undo_link_up(&undo, 1000));
	return true;
}

/* Numbers wrap. */
static bool wrap(void)
{
	const struct fdccp_rates rates = { .rtt = RTT };

	fdccp_undo_init(&undo);
	fdccp_undo_take(&undo, &rates, 1, true);
	fdccp_undo_heard(&undo, UINT64_C(0xfffffffffffe));
	MUST(feedback(UINT64_C(0xfffffffffffe), false));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a packet from before the timers gives back what they took, once", late_path },
		{ "feedback of all packets gives it back", all_at_once },
		{ "a path that has lost packets gives nothing back", losses },
		{ "nothing is given back that was not taken", nothing },
		{ "a link gives it back", link_up },
		{ "a link gives it back after old feedback", link_up_later },
		{ "sequence numbers wrap", wrap },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
