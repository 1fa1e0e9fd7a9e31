// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the times and sizes of opportunities. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "opportunity.c"

#define MS	((s64)NSEC_PER_MSEC)

/* A time in a trace, and the number of opportunities at this time. */
struct cell_test_moment {
	s64 ms;
	u64 count;
};

static void cell_expect_moments(struct kunit *test, const struct cell_trace *t,
				s64 elapsed,
				const struct cell_test_moment *moments, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		elapsed = cell_trace_next(t, elapsed);
		KUNIT_EXPECT_EQ(test, elapsed, moments[i].ms * MS);
		KUNIT_EXPECT_EQ(test, cell_trace_bytes(t, elapsed),
				moments[i].count * t->opportunity);
	}
}

/* Opportunities of the same ms are returned together. Opportunities at the end of a repetition are
 * returned together with opportunities at time 0 of the next repetition.
 */
static void cell_test_repeats(struct kunit *test)
{
	u32 ms[] = { 0, 0, 3, 3, 3, 7, 10 };
	const struct cell_trace t = {
		.ms = ms, .count = ARRAY_SIZE(ms), .opportunity = 1504,
	};
	const struct cell_test_moment moments[] = {
		{ 3, 3 }, { 7, 1 }, { 10, 3 }, { 13, 3 }, { 17, 1 }, { 20, 3 },
	};

	KUNIT_EXPECT_EQ(test, cell_trace_length(&t), 10 * MS);
	KUNIT_EXPECT_EQ(test, cell_trace_bytes(&t, 0), 2 * 1504);
	cell_expect_moments(test, &t, 0, moments, ARRAY_SIZE(moments));
	KUNIT_EXPECT_EQ(test, cell_trace_next(&t, 3 * MS - 1), 3 * MS);
	KUNIT_EXPECT_EQ(test, cell_trace_next(&t, 3 * MS), 7 * MS);
	KUNIT_EXPECT_EQ(test, cell_trace_next(&t, 10 * MS - 1), 10 * MS);
	KUNIT_EXPECT_EQ(test, cell_trace_position(&t, 1234567 * MS + 5),
			7 * MS + 5);
}

/* If a trace does not repeat, each of its opportunities occurs once. */
static void cell_test_once(struct kunit *test)
{
	u32 ms[] = { 0, 5, 5, 9 };
	const struct cell_trace t = {
		.ms = ms, .count = ARRAY_SIZE(ms), .opportunity = 1,
		.once = true,
	};
	const struct cell_test_moment moments[] = { { 5, 2 }, { 9, 1 } };

	KUNIT_EXPECT_EQ(test, cell_trace_bytes(&t, 0), 1);
	cell_expect_moments(test, &t, 0, moments, ARRAY_SIZE(moments));
	KUNIT_EXPECT_EQ(test, cell_trace_next(&t, 9 * MS), CELL_NEVER);
	KUNIT_EXPECT_EQ(test, cell_trace_next(&t, 1000 * MS), CELL_NEVER);
}

/* A time that a trace of turns lists twice means two turns. Each repetition starts in the good
 * state.
 */
static void cell_test_turns(struct kunit *test)
{
	u32 ms[] = { 2, 5, 5, 6 };
	struct cell_trace t = { .ms = ms, .count = ARRAY_SIZE(ms) };
	s64 at;

	for (at = 0; at < 60; at++)
		KUNIT_EXPECT_EQ(test, cell_trace_is_odd(&t, at * MS),
				at % 6 >= 2);
	KUNIT_EXPECT_FALSE(test, cell_trace_is_odd(&t, 2 * MS - 1));
	t.once = true;
	KUNIT_EXPECT_TRUE(test, cell_trace_is_odd(&t, 6 * MS - 1));
	KUNIT_EXPECT_FALSE(test, cell_trace_is_odd(&t, 1000 * MS));
	t.count = 1;
	KUNIT_EXPECT_TRUE(test, cell_trace_is_odd(&t, 1000 * MS));
}

/* The shortest trace, the latest and largest opportunity, and a trace that runs for a year. */
static void cell_test_limits(struct kunit *test)
{
	u32 ms[] = { 1 }, late[] = { U32_MAX, U32_MAX };
	const struct cell_trace each = {
		.ms = ms, .count = 1, .opportunity = 65535,
	};
	const struct cell_trace last = {
		.ms = late, .count = 2, .opportunity = 65535,
	};
	const struct cell_test_moment moments[] = {
		{ U32_MAX, 2 }, { 2LL * U32_MAX, 2 },
	};
	s64 at;

	for (at = 0; at < 10; at++)
		KUNIT_EXPECT_EQ(test, cell_trace_next(&each, at * MS),
				(at + 1) * MS);
	at = 86400LL * 365 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, cell_trace_next(&each, at + 1), at + MS);
	KUNIT_EXPECT_EQ(test, cell_trace_bytes(&each, at + MS), 65535);
	cell_expect_moments(test, &last, 0, moments, ARRAY_SIZE(moments));
}

static struct kunit_case cell_opportunity_cases[] = {
	KUNIT_CASE(cell_test_repeats),
	KUNIT_CASE(cell_test_once),
	KUNIT_CASE(cell_test_turns),
	KUNIT_CASE(cell_test_limits),
	{}
};

static struct kunit_suite cell_opportunity_suite = {
	.name = "cellink_opportunity",
	.test_cases = cell_opportunity_cases,
};

kunit_test_suite(cell_opportunity_suite);

MODULE_DESCRIPTION("KUnit tests of cellink's opportunities");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
