// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of round-trip times. */

/* param.c comes first, because it defines pr_fmt() */
#include "param.c"
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
/* included because its functions are not exported */
#include "samples.c"

/* RFC 6298: the first sample has the weight 1, and each later sample has the weight 1/8. */
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

/* Before the first sample the base is 0. A sample counts as at least 1 us, and as at most
 * IFTPV_RTT_MAX.
 */
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

/* The least sample expires after the time base_window. A shorter sample replaces the least sample
 * immediately.
 */
static void iftpv_test_base_ages(struct kunit *test)
{
	struct iftpv_rtt r = {};
	u32 now;

	for (now = 0; now <= 1000; now++)
		iftpv_rtt_sample(&r, 50000 + now % 7 * 1000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 50000);
	/* a handover to a longer path; the last sample of 50000 us was at the time 994 */
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

/* The base is right when the clock wraps, and after a pause longer than base_window. */
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
