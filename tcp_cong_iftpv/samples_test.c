// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of round-trip times. */

/* included first, because it defines pr_fmt() */
#include "param.c"
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
/* for its functions, which no module exports */
#include "samples.c"

/* RFC 6298: the first sample counts in full, each later one 1/8. */
static void iftpv_test_smoothed(struct kunit *test)
{
	struct iftpv_rtt r = {};
	int i;

	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r), 0);
	iftpv_rtt_sample(&r, 80000, 0, 100);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r), 80000);
	iftpv_rtt_sample(&r, 160000, 1, 100);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r), 90000);
	iftpv_rtt_sample(&r, 10000, 2, 100);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r), 80000);
	for (i = 0; i < 200; i++)
		iftpv_rtt_sample(&r, 40000, 3, 100);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r), 40000);
}

/* Before the first sample the base is 0. A sample of 0 us counts as 1 us. */
static void iftpv_test_rtt_extremes(struct kunit *test)
{
	struct iftpv_rtt r = {};

	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 0);
	iftpv_rtt_sample(&r, U32_MAX, 0, 100);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), IFTPV_RTT_MAX);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r), IFTPV_RTT_MAX);
	iftpv_rtt_sample(&r, 0, 0, 100);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 1);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_actual(&r),
			(7 * (u64)IFTPV_RTT_MAX + 1) / 8);
}

/* The least sample expires after the window of time. A shorter sample replaces it at once. */
static void iftpv_test_base_ages(struct kunit *test)
{
	struct iftpv_rtt r = {};
	u32 now;

	for (now = 0; now <= 1000; now++)
		iftpv_rtt_sample(&r, 50000 + now % 7 * 1000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 50000);
	/* handover to a longer path; the last sample of 50000 us was at 994 */
	for (; now <= 1994; now++) {
		iftpv_rtt_sample(&r, 150000, now, 1000);
		KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 50000);
	}
	for (; now <= 2001; now++)
		iftpv_rtt_sample(&r, 150000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 150000);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(30, iftpv_rtt_actual(&r),
					    iftpv_rtt_base(&r)), 0);
	iftpv_rtt_sample(&r, 20000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 20000);
}

/* The clock wraps, and there is a pause longer than the window of time. */
static void iftpv_test_base_clock(struct kunit *test)
{
	struct iftpv_rtt r = {};
	u32 now;

	for (now = -500; now != 400; now++)
		iftpv_rtt_sample(&r, now == -500 ? 1000 : 2000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 1000);
	for (; now != 502; now++)
		iftpv_rtt_sample(&r, 2000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 2000);
	iftpv_rtt_sample(&r, 9000, now + 100000, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 9000);
}

static struct kunit_case iftpv_samples_cases[] = {
	KUNIT_CASE(iftpv_test_smoothed),
	KUNIT_CASE(iftpv_test_rtt_extremes),
	KUNIT_CASE(iftpv_test_base_ages),
	KUNIT_CASE(iftpv_test_base_clock),
	{}
};

static struct kunit_suite iftpv_samples_suite = {
	.name = "tcp_iftpv_samples",
	.test_cases = iftpv_samples_cases,
};

kunit_test_suite(iftpv_samples_suite);

MODULE_DESCRIPTION("KUnit tests of tcp_iftpv's round-trip times");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
