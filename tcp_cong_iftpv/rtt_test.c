// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of round-trip times, and of the backlog that they tell. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
#include "backlog.h"
#include "rtt.h"

#define PACKETS(n)	((u32)(n) << IFTPV_SHIFT)
#define MINUTE		(60 * USEC_PER_SEC)

/* B = n (RTTactual - RTTbase) / RTTactual, to the 256th of a packet. */
static void iftpv_test_backlog(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_backlog(20, 100000, 100000), 0);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(20, 125000, 100000), PACKETS(4));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(12, 200000, 150000), PACKETS(3));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 200000, 125000),
			PACKETS(15) / 4);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1, 300, 100),
			PACKETS(2) / 3);
	/* smoothed below the least */
	KUNIT_EXPECT_EQ(test, iftpv_backlog(20, 99999, 100000), 0);
}

/* Without a base, or a time at all, every packet may be waiting. */
static void iftpv_test_backlog_unknown(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 0, 0), PACKETS(10));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 100000, 0), PACKETS(10));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 0, 100000), 0);
}

/* 1 us to 60 s, and windows of up to 2^20 and more. */
static void iftpv_test_backlog_extremes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1 << 20, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1 << 20, 2, 1), PACKETS(1 << 19));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1 << 20, MINUTE, MINUTE / 4 * 3),
			PACKETS(1 << 18));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1 << 20, MINUTE, 1),
			PACKETS(1 << 20) - 5);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1, MINUTE, MINUTE - 1), 0);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(U32_MAX, U32_MAX, 0),
			PACKETS(IFTPV_WINDOW_MAX));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(U32_MAX, U32_MAX, 1),
			PACKETS(IFTPV_WINDOW_MAX) - 1);
}

/* RFC 6298's smoothing: the first sample, then 1/8 of each. */
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

/* What nothing was measured of is not known; 0 us counts as 1. */
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

/* The least counts for as long as the window says, a shorter path at once. */
static void iftpv_test_base_ages(struct kunit *test)
{
	struct iftpv_rtt r = {};
	u32 now;

	for (now = 0; now <= 1000; now++)
		iftpv_rtt_sample(&r, 50000 + now % 7 * 1000, now, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_rtt_base(&r), 50000);
	/* handover to a longer path; the last of the shorter were at 994 */
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

/* A clock that wraps, and a pause longer than the window. */
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

static struct kunit_case iftpv_rtt_cases[] = {
	KUNIT_CASE(iftpv_test_backlog),
	KUNIT_CASE(iftpv_test_backlog_unknown),
	KUNIT_CASE(iftpv_test_backlog_extremes),
	KUNIT_CASE(iftpv_test_smoothed),
	KUNIT_CASE(iftpv_test_rtt_extremes),
	KUNIT_CASE(iftpv_test_base_ages),
	KUNIT_CASE(iftpv_test_base_clock),
	{}
};

static struct kunit_suite iftpv_rtt_suite = {
	.name = "tcp_iftpv_rtt",
	.test_cases = iftpv_rtt_cases,
};

kunit_test_suite(iftpv_rtt_suite);

MODULE_DESCRIPTION("KUnit tests of tcp_iftpv's round-trip times and backlogs");
MODULE_LICENSE("GPL");
