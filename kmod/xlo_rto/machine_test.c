// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the state machine of a timeout. The tests check the cases of the paper. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
/* the tests include this file, because its functions are not exported */
#include "machine.c"

#define XRTO_TEST_A	((u32)8 * HZ)	/* a, the timeout */
#define XRTO_TEST_PART(n)	(XRTO_TEST_A * (n) / 8)	/* eighths of a */
#define XRTO_TEST_KEEP	0		/* the timer is not set */
#define XRTO_TEST_WALKS	20000

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the property test, 0 (default) for a new one");

/* One step of a test: a message, its time and the expected result. */
struct xrto_test_step {
	u32 run;
	enum xrto_event event;
	enum xrto_stats verdict;
	u32 timeout;
	enum xrto_state state;
};

/* Make a timer that no message has moved. As in the paper, a DROP is early during the first a/4. */
static struct xrto_timer xrto_test_timer(u32 rto, u32 run)
{
	return (struct xrto_timer){
		.rto = rto, .run = run, .due = max(rto, run), .quarter = true,
	};
}

static void xrto_test_step(struct kunit *test, struct xrto_machine *m, u32 rto,
			   const struct xrto_test_step *step)
{
	struct xrto_timer timer = xrto_test_timer(rto, step->run);
	struct xrto_decision d = xrto_step(m, step->event, &timer);

	KUNIT_EXPECT_EQ_MSG(test, d.verdict, step->verdict, "at %u", step->run);
	KUNIT_EXPECT_EQ_MSG(test, d.move, step->timeout != XRTO_TEST_KEEP,
			    "at %u", step->run);
	KUNIT_EXPECT_EQ_MSG(test, d.timeout, step->timeout, "at %u", step->run);
	KUNIT_EXPECT_EQ_MSG(test, m->state, step->state, "at %u", step->run);
}

#define XRTO_TEST_WALK_OF(test, rto, ...)				\
	do {								\
		const struct xrto_test_step steps_[] = { __VA_ARGS__ };	\
		struct xrto_machine m_ = { 0 };				\
		int i_;							\
									\
		for (i_ = 0; i_ < ARRAY_SIZE(steps_); i_++)		\
			xrto_test_step(test, &m_, rto, &steps_[i_]);	\
	} while (0)

#define XRTO_TEST_WALK(test, ...)					\
	XRTO_TEST_WALK_OF(test, XRTO_TEST_A, __VA_ARGS__)

/* Case 1: after more than three quarters of a, TCP times out immediately. */
static void xrto_test_at_once(struct kunit *test)
{
	XRTO_TEST_WALK(test, { XRTO_TEST_PART(6) + 1, XRTO_DROP,
			       XRTO_STATS_AT_ONCE, XRTO_TEST_PART(6) + 1,
			       XRTO_PREMATURE });
	XRTO_TEST_WALK(test, { XRTO_TEST_A - 1, XRTO_DROP, XRTO_STATS_AT_ONCE,
			       XRTO_TEST_A - 1, XRTO_PREMATURE });
}

/* Case 2: from a/4 up to and including 3a/4, TCP times out a/4 after the DROP. */
static void xrto_test_shortened(struct kunit *test)
{
	XRTO_TEST_WALK(test, { XRTO_TEST_PART(2), XRTO_DROP,
			       XRTO_STATS_SHORTENED, XRTO_TEST_PART(4),
			       XRTO_PREMATURE });
	XRTO_TEST_WALK(test, { XRTO_TEST_PART(3), XRTO_DROP,
			       XRTO_STATS_SHORTENED, XRTO_TEST_PART(5),
			       XRTO_PREMATURE });
	XRTO_TEST_WALK(test, { XRTO_TEST_PART(6), XRTO_DROP,
			       XRTO_STATS_SHORTENED, XRTO_TEST_A,
			       XRTO_PREMATURE });
}

/* Case 3: before a/4 a DROP is ignored and does not change the state. */
static void xrto_test_in_flight(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { 0, XRTO_DROP, XRTO_STATS_IN_FLIGHT, XRTO_TEST_KEEP,
			 XRTO_NORMAL },
		       { XRTO_TEST_PART(2) - 1, XRTO_DROP, XRTO_STATS_IN_FLIGHT,
			 XRTO_TEST_KEEP, XRTO_NORMAL },
		       { XRTO_TEST_PART(2), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(4), XRTO_PREMATURE });
}

/* A DEFER without a preceding DROP is ignored. */
static void xrto_test_defer_normal(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(1), XRTO_DEFER, XRTO_STATS_DEFER_NORMAL,
			 XRTO_TEST_KEEP, XRTO_NORMAL },
		       { XRTO_TEST_PART(7), XRTO_DEFER, XRTO_STATS_DEFER_NORMAL,
			 XRTO_TEST_KEEP, XRTO_NORMAL });
}

/* Case 4: a second DROP is ignored at any time. */
static void xrto_test_drop_again(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(2), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(4), XRTO_PREMATURE },
		       { XRTO_TEST_PART(3), XRTO_DROP, XRTO_STATS_DROP_AGAIN,
			 XRTO_TEST_KEEP, XRTO_PREMATURE },
		       { XRTO_TEST_PART(4), XRTO_DROP, XRTO_STATS_DROP_AGAIN,
			 XRTO_TEST_KEEP, XRTO_PREMATURE });
}

/* Cases 5, 8, 9: when TCP sets the timer again, the state returns to NORMAL. */
static void xrto_test_rearmed(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(3), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(5), XRTO_PREMATURE },
		       { 0, XRTO_REARMED, XRTO_STATS_UNSPEC, XRTO_TEST_KEEP,
			 XRTO_NORMAL },
		       { XRTO_TEST_PART(1), XRTO_DROP, XRTO_STATS_IN_FLIGHT,
			 XRTO_TEST_KEEP, XRTO_NORMAL },
		       { XRTO_TEST_PART(4), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(6), XRTO_PREMATURE },
		       { XRTO_TEST_PART(5), XRTO_DEFER, XRTO_STATS_CANCELLED,
			 XRTO_TEST_PART(10), XRTO_WAITING },
		       { 0, XRTO_REARMED, XRTO_STATS_UNSPEC, XRTO_TEST_KEEP,
			 XRTO_NORMAL });
}

/* Cases 6, 12, 11: a DEFER cancels the short timeout, and a second DEFER is ignored. Each later
 * DROP restores the short timeout. If the short timeout has passed, TCP times out immediately.
 */
static void xrto_test_waiting(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(3), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(5), XRTO_PREMATURE },
		       { XRTO_TEST_PART(3), XRTO_DEFER, XRTO_STATS_CANCELLED,
			 XRTO_TEST_PART(10), XRTO_WAITING },
		       { XRTO_TEST_PART(4), XRTO_DEFER, XRTO_STATS_DEFER_AGAIN,
			 XRTO_TEST_KEEP, XRTO_WAITING },
		       { XRTO_TEST_PART(4), XRTO_DROP, XRTO_STATS_BACK,
			 XRTO_TEST_PART(5), XRTO_PREMATURE },
		       { XRTO_TEST_PART(4), XRTO_DROP, XRTO_STATS_DROP_AGAIN,
			 XRTO_TEST_KEEP, XRTO_PREMATURE },
		       { XRTO_TEST_PART(5) - 1, XRTO_DEFER,
			 XRTO_STATS_CANCELLED, XRTO_TEST_PART(10),
			 XRTO_WAITING },
		       { XRTO_TEST_A - 1, XRTO_DROP, XRTO_STATS_BACK,
			 XRTO_TEST_A - 1, XRTO_PREMATURE });
}

/* Case 10: each DEFER after a adds a/4, at most three times. */
static void xrto_test_extended(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(2), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(4), XRTO_PREMATURE },
		       { XRTO_TEST_PART(3), XRTO_DEFER, XRTO_STATS_CANCELLED,
			 XRTO_TEST_PART(10), XRTO_WAITING },
		       { XRTO_TEST_A - 1, XRTO_DEFER, XRTO_STATS_DEFER_AGAIN,
			 XRTO_TEST_KEEP, XRTO_WAITING },
		       { XRTO_TEST_A, XRTO_DEFER, XRTO_STATS_EXTENDED,
			 XRTO_TEST_PART(12), XRTO_EXTENDED },
		       { XRTO_TEST_PART(9), XRTO_DEFER, XRTO_STATS_EXTENDED,
			 XRTO_TEST_PART(14), XRTO_EXTENDED },
		       { XRTO_TEST_PART(10), XRTO_DEFER, XRTO_STATS_EXTENDED,
			 XRTO_TEST_PART(16), XRTO_EXTENDED },
		       { XRTO_TEST_PART(11), XRTO_DEFER, XRTO_STATS_DEFER_MOST,
			 XRTO_TEST_KEEP, XRTO_EXTENDED });
}

/* Case 7: after another DROP, TCP times out immediately, because the short timeout has passed. */
static void xrto_test_extended_drop(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(6), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_A, XRTO_PREMATURE },
		       { XRTO_TEST_PART(7), XRTO_DEFER, XRTO_STATS_CANCELLED,
			 XRTO_TEST_PART(10), XRTO_WAITING },
		       { XRTO_TEST_PART(9), XRTO_DROP, XRTO_STATS_BACK,
			 XRTO_TEST_PART(9), XRTO_PREMATURE });
}

/* The value a is the timeout at the first message. A later change of TCP's estimate does not change
 * the value a.
 */
static void xrto_test_rto_changed(struct kunit *test)
{
	const struct xrto_test_step drop = {
		XRTO_TEST_PART(3), XRTO_DROP, XRTO_STATS_SHORTENED,
		XRTO_TEST_PART(5), XRTO_PREMATURE,
	};
	const struct xrto_test_step defer = {
		XRTO_TEST_PART(4), XRTO_DEFER, XRTO_STATS_CANCELLED,
		XRTO_TEST_PART(10), XRTO_WAITING,
	};
	struct xrto_machine m = { 0 };

	xrto_test_step(test, &m, XRTO_TEST_A, &drop);
	xrto_test_step(test, &m, 3 * XRTO_TEST_A, &defer);
}

/* Get the decision about a message that arrives @run after the timer was set. */
static struct xrto_decision xrto_test_say(struct xrto_machine *m,
					  enum xrto_event event, u32 rto,
					  u32 run)
{
	struct xrto_timer timer = xrto_test_timer(rto, run);

	return xrto_step(m, event, &timer);
}

/* At the earliest, TCP times out 200 ms after the timer was set. A timeout of less than 200 ms does
 * not change.
 */
static void xrto_test_earliest(struct kunit *test)
{
	u32 rto = XRTO_EARLIEST * 5 / 4;
	struct xrto_machine m = { 0 };
	struct xrto_decision d;

	d = xrto_test_say(&m, XRTO_DROP, rto, rto / 4 + 1);
	KUNIT_EXPECT_EQ(test, d.verdict, XRTO_STATS_SHORTENED);
	KUNIT_EXPECT_EQ(test, d.timeout, XRTO_EARLIEST);
	xrto_test_say(&m, XRTO_REARMED, 0, 0);
	d = xrto_test_say(&m, XRTO_DROP, rto, rto * 3 / 4 + 1);
	KUNIT_EXPECT_EQ(test, d.verdict, XRTO_STATS_AT_ONCE);
	KUNIT_EXPECT_EQ(test, d.timeout, XRTO_EARLIEST);
	xrto_test_say(&m, XRTO_REARMED, 0, 0);
	d = xrto_test_say(&m, XRTO_DROP, XRTO_EARLIEST - 1, XRTO_EARLIEST / 2);
	KUNIT_EXPECT_EQ(test, d.timeout, XRTO_EARLIEST - 1);
}

/* By default a DROP is early until a round-trip time has passed since the timer was set, for any
 * timeout.
 */
static void xrto_test_early_rtt(struct kunit *test)
{
	struct xrto_timer timer = { .rto = XRTO_TEST_A, .due = XRTO_TEST_A,
				    .rtt = XRTO_TEST_A / 10 };
	struct xrto_machine m = { 0 };
	struct xrto_decision d;

	timer.run = timer.rtt - 1;
	d = xrto_step(&m, XRTO_DROP, &timer);
	KUNIT_EXPECT_EQ(test, d.verdict, XRTO_STATS_IN_FLIGHT);
	KUNIT_EXPECT_FALSE(test, d.move);
	timer.run = timer.rtt;
	d = xrto_step(&m, XRTO_DROP, &timer);
	KUNIT_EXPECT_EQ(test, d.verdict, XRTO_STATS_SHORTENED);
	KUNIT_EXPECT_EQ(test, d.timeout, timer.rtt + XRTO_TEST_A / 4);
}

/* A DROP is early until a round-trip time has passed, even if the round-trip time exceeds 3a/4. If
 * no round trip has been measured, a DROP is early during the first a/4.
 */
static void xrto_test_early_limits(struct kunit *test)
{
	struct xrto_timer timer = { .rto = XRTO_TEST_A, .due = XRTO_TEST_A,
				    .rtt = XRTO_TEST_PART(7) };
	struct xrto_machine m = { 0 };

	timer.run = timer.rtt - 1;
	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_DROP, &timer).verdict,
			XRTO_STATS_IN_FLIGHT);
	timer.run = timer.rtt;
	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_DROP, &timer).verdict,
			XRTO_STATS_AT_ONCE);
	xrto_step(&m, XRTO_REARMED, &timer);
	timer.rtt = 0;
	timer.run = XRTO_TEST_PART(2) - 1;
	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_DROP, &timer).verdict,
			XRTO_STATS_IN_FLIGHT);
	timer.run = XRTO_TEST_PART(2);
	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_DROP, &timer).verdict,
			XRTO_STATS_SHORTENED);
}

/* In NORMAL, PREMATURE and WAITING, LINK-UP makes TCP time out immediately. After LINK-UP all other
 * messages are ignored.
 */
static void xrto_test_link_up(struct kunit *test)
{
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(1), XRTO_LINK_UP, XRTO_STATS_LINK_UP,
			 XRTO_TEST_PART(1), XRTO_RESUMED },
		       { XRTO_TEST_PART(1), XRTO_DROP, XRTO_STATS_DROP_AGAIN,
			 XRTO_TEST_KEEP, XRTO_RESUMED },
		       { XRTO_TEST_PART(1), XRTO_DEFER, XRTO_STATS_DEFER_NORMAL,
			 XRTO_TEST_KEEP, XRTO_RESUMED });
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(2), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(4), XRTO_PREMATURE },
		       { XRTO_TEST_PART(3), XRTO_LINK_UP, XRTO_STATS_LINK_UP,
			 XRTO_TEST_PART(3), XRTO_RESUMED });
	XRTO_TEST_WALK(test,
		       { XRTO_TEST_PART(2), XRTO_DROP, XRTO_STATS_SHORTENED,
			 XRTO_TEST_PART(4), XRTO_PREMATURE },
		       { XRTO_TEST_PART(3), XRTO_DEFER, XRTO_STATS_CANCELLED,
			 XRTO_TEST_PART(10), XRTO_WAITING },
		       { XRTO_TEST_PART(9), XRTO_LINK_UP, XRTO_STATS_LINK_UP,
			 XRTO_TEST_PART(9), XRTO_RESUMED });
}

/* LINK-UP waits until a round-trip time and 200 ms have passed since the timer was set. If the
 * timer fires earlier anyway, LINK-UP does not delay the timer.
 */
static void xrto_test_link_up_bounds(struct kunit *test)
{
	struct xrto_timer timer = { .rto = XRTO_TEST_A, .due = XRTO_TEST_A,
				    .run = 1, .rtt = XRTO_TEST_PART(2) };
	struct xrto_machine m = { 0 };

	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_LINK_UP, &timer).timeout,
			timer.rtt);
	timer.rtt = 1;
	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_LINK_UP, &timer).timeout,
			XRTO_EARLIEST);
	timer.due = XRTO_EARLIEST - 1;
	KUNIT_EXPECT_EQ(test, xrto_step(&m, XRTO_LINK_UP, &timer).timeout,
			XRTO_EARLIEST - 1);
}

/* In PREMATURE the value becomes the short timeout, but at least TCP's own estimate without
 * back-off. In RESUMED the value becomes this estimate. The value never rises. In all other states
 * the value does not change.
 */
static void xrto_test_value(struct kunit *test)
{
	struct xrto_machine m = { .state = XRTO_PREMATURE, .premature = 500 };

	KUNIT_EXPECT_EQ(test, xrto_value(&m, 800, 300), 500);
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 800, 600), 600);
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 400, 600), 400);
	m.state = XRTO_WAITING;
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 800, 300), 800);
	m.state = XRTO_EXTENDED;
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 800, 300), 800);
	m.state = XRTO_RESUMED;
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 800, 300), 300);
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 200, 300), 200);
	m.state = XRTO_NORMAL;
	KUNIT_EXPECT_EQ(test, xrto_value(&m, 800, 300), 800);
}

/* The longest timeout does not overflow, and causes the same transitions. */
static void xrto_test_longest(struct kunit *test)
{
	const u32 rto = XRTO_RTO_MAX;

	XRTO_TEST_WALK_OF(test, rto,
			  { rto - 1, XRTO_DROP, XRTO_STATS_AT_ONCE, rto - 1,
			    XRTO_PREMATURE },
			  { rto - 1, XRTO_DEFER, XRTO_STATS_CANCELLED,
			    rto / 4 * 5, XRTO_WAITING },
			  { rto, XRTO_DEFER, XRTO_STATS_EXTENDED, rto / 4 * 6,
			    XRTO_EXTENDED },
			  { rto, XRTO_DEFER, XRTO_STATS_EXTENDED, rto / 4 * 7,
			    XRTO_EXTENDED },
			  { rto, XRTO_DEFER, XRTO_STATS_EXTENDED, 2 * rto,
			    XRTO_EXTENDED },
			  { 2 * rto - 1, XRTO_DROP, XRTO_STATS_BACK,
			    2 * rto - 1, XRTO_PREMATURE });
	XRTO_TEST_WALK_OF(test, rto,
			  { rto / 4 - 1, XRTO_DROP, XRTO_STATS_IN_FLIGHT,
			    XRTO_TEST_KEEP, XRTO_NORMAL },
			  { rto / 4 * 3, XRTO_DROP, XRTO_STATS_SHORTENED, rto,
			    XRTO_PREMATURE });
	XRTO_TEST_WALK_OF(test, rto,
			  { 2 * rto - 1, XRTO_DROP, XRTO_STATS_AT_ONCE,
			    2 * rto - 1, XRTO_PREMATURE });
}

/* Process a random message and check the bounds. Returns the time when the timer then fires. */
static u32 xrto_test_bounds(struct kunit *test, struct xrto_machine *m,
			    struct rnd_state *rnd, struct xrto_timer *timer)
{
	static const enum xrto_event events[] = { XRTO_DROP, XRTO_DEFER,
						  XRTO_LINK_UP };
	enum xrto_event event = events[prandom_u32_state(rnd) % 3];
	struct xrto_decision d = xrto_step(m, event, timer);

	if (!d.move)
		return timer->due;
	KUNIT_EXPECT_GE(test, d.timeout, timer->run);
	KUNIT_EXPECT_GE(test, d.timeout, min(timer->rto, XRTO_EARLIEST));
	KUNIT_EXPECT_LE(test, d.timeout, 2 * timer->rto);
	if (event != XRTO_DEFER)
		KUNIT_EXPECT_LE(test, d.timeout, timer->due);
	return d.timeout;
}

/* Random messages at random times keep the timeout within the bounds. DROP and LINK-UP never delay
 * the timeout.
 */
static void xrto_test_walks(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	if (!seed)
		seed = get_random_u32() | 1;
	kunit_info(test, "seed=%u", seed);
	prandom_seed_state(&rnd, seed);
	for (i = 0; i < XRTO_TEST_WALKS; i++) {
		u32 rto = 1 + prandom_u32_state(&rnd) % (120 * HZ);
		struct xrto_timer timer = xrto_test_timer(rto, 0);
		struct xrto_machine m = { 0 };

		timer.run = prandom_u32_state(&rnd) % rto;
		timer.rtt = prandom_u32_state(&rnd) % (rto + 1);
		timer.quarter = prandom_u32_state(&rnd) & 1;
		while (timer.run < timer.due) {
			timer.due = xrto_test_bounds(test, &m, &rnd, &timer);
			timer.run += 1 + prandom_u32_state(&rnd) % (rto / 4 + 1);
		}
	}
}

static struct kunit_case xrto_machine_cases[] = {
	KUNIT_CASE(xrto_test_at_once),
	KUNIT_CASE(xrto_test_shortened),
	KUNIT_CASE(xrto_test_in_flight),
	KUNIT_CASE(xrto_test_defer_normal),
	KUNIT_CASE(xrto_test_drop_again),
	KUNIT_CASE(xrto_test_rearmed),
	KUNIT_CASE(xrto_test_waiting),
	KUNIT_CASE(xrto_test_extended),
	KUNIT_CASE(xrto_test_extended_drop),
	KUNIT_CASE(xrto_test_rto_changed),
	KUNIT_CASE(xrto_test_earliest),
	KUNIT_CASE(xrto_test_early_rtt),
	KUNIT_CASE(xrto_test_early_limits),
	KUNIT_CASE(xrto_test_link_up),
	KUNIT_CASE(xrto_test_link_up_bounds),
	KUNIT_CASE(xrto_test_value),
	KUNIT_CASE(xrto_test_longest),
	KUNIT_CASE(xrto_test_walks),
	{}
};

static struct kunit_suite xrto_machine_suite = {
	.name = "xlo_rto_machine",
	.test_cases = xrto_machine_cases,
};

kunit_test_suite(xrto_machine_suite);

MODULE_DESCRIPTION("KUnit tests of what xlo_rto does to timeouts");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
