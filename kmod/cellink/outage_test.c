// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the times of outages. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "outage.c"

#define MS	((u64)NSEC_PER_MSEC)

static void cell_expect_outage(struct kunit *test, struct cell_outages *o,
			       const struct cell_outage_config *cfg, u64 start,
			       u64 length)
{
	struct cellink_outage next = {};

	KUNIT_EXPECT_TRUE(test, cell_outages_next(o, cfg, &next));
	KUNIT_EXPECT_EQ(test, next.start, start);
	KUNIT_EXPECT_EQ(test, next.length, length);
}

/* A schedule has exactly the listed outages. */
static void cell_test_schedule(struct kunit *test)
{
	const struct cellink_outage list[] = {
		{ 0, 1 }, { 5 * MS, 2 * MS }, { 7 * MS, 1000 * MS },
	};
	struct cell_outage_config cfg = { .schedule = { list, ARRAY_SIZE(list) } };
	struct cellink_outage next;
	struct cell_outages o;
	int i;

	cell_outages_start(&o, 1);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		cell_expect_outage(test, &o, &cfg, list[i].start,
				   list[i].length);
	KUNIT_EXPECT_FALSE(test, cell_outages_next(&o, &cfg, &next));
	KUNIT_EXPECT_FALSE(test, cell_outages_next(&o, &cfg, &next));
}

/* With a length of 0 there is no outage. With a period of 0 there is one outage. */
static void cell_test_once(struct kunit *test)
{
	struct cell_outage_config cfg = {
		.start = MS, .law = CELLINK_LAW_CONSTANT,
	};
	struct cellink_outage next;
	struct cell_outages o;

	cell_outages_start(&o, 1);
	KUNIT_EXPECT_FALSE(test, cell_outages_next(&o, &cfg, &next));
	cfg.length = 3 * MS;
	cell_outages_start(&o, 1);
	cell_expect_outage(test, &o, &cfg, MS, 3 * MS);
	KUNIT_EXPECT_FALSE(test, cell_outages_next(&o, &cfg, &next));
}

/* Periods do not drift, and jitter does not add up. */
static void cell_test_periodic(struct kunit *test)
{
	struct cell_outage_config cfg = {
		.start = 7 * MS, .length = 2 * MS, .every = 10 * MS,
		.law = CELLINK_LAW_CONSTANT,
	};
	struct cellink_outage next;
	struct cell_outages o;
	u64 low = U64_MAX, high = 0, late;
	int i;

	cell_outages_start(&o, 1);
	for (i = 0; i < 1000; i++)
		cell_expect_outage(test, &o, &cfg, (7 + 10 * i) * MS, 2 * MS);

	cfg.jitter = 5 * MS;
	cell_outages_start(&o, 1);
	for (i = 0; i < 10000; i++) {
		KUNIT_EXPECT_TRUE(test, cell_outages_next(&o, &cfg, &next));
		late = next.start - (7 + 10 * i) * MS;
		low = min(low, late);
		high = max(high, late);
	}
	KUNIT_EXPECT_LE(test, low, 5 * MS / 1000);
	KUNIT_EXPECT_GE(test, high, 5 * MS - 5 * MS / 1000);
	KUNIT_EXPECT_LE(test, high, 5 * MS);
}

/* Exponential outages do not overlap, and have the configured means. */
static void cell_test_exponential(struct kunit *test)
{
	struct cell_outage_config cfg = {
		.start = 7 * MS, .length = 2 * MS, .every = 10 * MS,
		.law = CELLINK_LAW_EXPONENTIAL,
	};
	u64 end = 7 * MS, down = 0, up = 0;
	struct cellink_outage next;
	struct cell_outages o;
	int i;

	cell_outages_start(&o, 1);
	for (i = 0; i < 10000; i++) {
		KUNIT_ASSERT_TRUE(test, cell_outages_next(&o, &cfg, &next));
		KUNIT_ASSERT_TRUE(test, i ? next.start > end :
				  next.start == 7 * MS);
		up += next.start - end;
		down += next.length;
		end = next.start + next.length;
	}
	/* 2.58 standard deviations of the mean of 10000 */
	KUNIT_EXPECT_GE(test, down, 20000 * MS * 9742 / 10000);
	KUNIT_EXPECT_LE(test, down, 20000 * MS * 10258 / 10000);
	KUNIT_EXPECT_GE(test, up, 80000 * MS * 9742 / 10000);
	KUNIT_EXPECT_LE(test, up, 80000 * MS * 10258 / 10000);
}

static struct kunit_case cell_outage_cases[] = {
	KUNIT_CASE(cell_test_schedule),
	KUNIT_CASE(cell_test_once),
	KUNIT_CASE(cell_test_periodic),
	KUNIT_CASE(cell_test_exponential),
	{}
};

static struct kunit_suite cell_outage_suite = {
	.name = "cellink_outage",
	.test_cases = cell_outage_cases,
};

kunit_test_suite(cell_outage_suite);

MODULE_DESCRIPTION("KUnit tests of cellink's outages");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
