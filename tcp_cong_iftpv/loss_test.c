// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of congestion loss rates, and of what a loss is taken for. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
#include "loss.h"
#include "verdict.h"

#define BETA		3
#define AT_BETA		(BETA << IFTPV_SHIFT)
#define HOUR		(3600ULL * USEC_PER_SEC)

/* A loss with a backlog, at a time in ms. */
static enum iftpv_verdict iftpv_test_loss(struct iftpv_losses *l, u64 ms,
					  u32 backlog)
{
	return iftpv_judge(l, ms * USEC_PER_MSEC, IFTPV_EVIDENCE_NONE, backlog,
			   BETA);
}

/* Congestion in which so many packets are lost, at a time in ms. */
static void iftpv_test_congestion(struct kunit *test, struct iftpv_losses *l,
				  u64 ms, u32 lost)
{
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(l, ms, AT_BETA), IFTPV_HALVE);
	iftpv_losses_count(l, lost);
}

static bool iftpv_test_compare(u32 old_lost, u32 old_us, u32 new_lost,
			       u32 new_us)
{
	const struct iftpv_losses l = {
		.previous_rate = { .lost = old_lost, .us = old_us },
		.current_rate = { .lost = new_lost, .us = new_us },
	};

	return iftpv_losses_rising(&l);
}

/* A backlog of beta means congestion, one below a random loss. */
static void iftpv_test_beta(struct kunit *test)
{
	struct iftpv_losses l = {};

	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 1, AT_BETA), IFTPV_HALVE);
	KUNIT_EXPECT_EQ(test, l.last, 0);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 2, AT_BETA - 1), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.last, 2 * USEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 3, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 4, U32_MAX), IFTPV_HALVE);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 5, IFTPV_EVIDENCE_NONE,
					  U32_MAX, IFTPV_WINDOW_MAX),
			IFTPV_HALVE);
}

/* The paper's example: rates between T1, T2 and T3, and what follows from each. */
static void iftpv_test_rates(struct kunit *test)
{
	struct iftpv_losses l = {};

	iftpv_test_congestion(test, &l, 500, 9);
	/* T1: no rate yet, and what was lost before it is in none */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 1000, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.current_rate.us, 0);
	KUNIT_EXPECT_EQ(test, l.lost, 0);
	iftpv_test_congestion(test, &l, 1100, 1);
	iftpv_test_congestion(test, &l, 1200, 3);
	/* T2: the first rate, with none to compare it with */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 2000, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.current_rate.lost, 4);
	KUNIT_EXPECT_EQ(test, l.current_rate.us, USEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, l.previous_rate.us, 0);
	iftpv_test_congestion(test, &l, 2100, 5);
	/* T3: 5 in 1 s after 4 in 1 s */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 3000, 0), IFTPV_EASE);
	KUNIT_EXPECT_EQ(test, l.previous_rate.lost, 4);
	KUNIT_EXPECT_EQ(test, l.current_rate.lost, 5);
	iftpv_test_congestion(test, &l, 3100, 5);
	/* as high as before, then lower, then none */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 4000, 0), IFTPV_KEEP);
	iftpv_test_congestion(test, &l, 4100, 5);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 5001, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6000, 0), IFTPV_KEEP);
	/* any after none, then fewer in even less time */
	iftpv_test_congestion(test, &l, 6010, 2);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6100, 0), IFTPV_EASE);
	iftpv_test_congestion(test, &l, 6110, 1);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6149, 0), IFTPV_EASE);
	iftpv_test_congestion(test, &l, 6150, 1);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6199, 0), IFTPV_KEEP);
}

/* Packets count from a loss that is congestion until one that is random. */
static void iftpv_test_count(struct kunit *test)
{
	struct iftpv_losses l = {};

	iftpv_losses_count(&l, 5);
	KUNIT_EXPECT_EQ(test, l.lost, 0);
	iftpv_test_congestion(test, &l, 10, 2);
	iftpv_losses_count(&l, 3);
	KUNIT_EXPECT_EQ(test, l.lost, 5);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 20, 0), IFTPV_KEEP);
	iftpv_losses_count(&l, 7);
	KUNIT_EXPECT_EQ(test, l.lost, 0);
	/* the core's own counter wraps, and the difference does not */
	iftpv_test_congestion(test, &l, 30, 3U - (U32_MAX - 1));
	KUNIT_EXPECT_EQ(test, l.lost, 5);
	/* ours stays where it is */
	iftpv_losses_count(&l, U32_MAX - 6);
	KUNIT_EXPECT_EQ(test, l.lost, U32_MAX - 1);
	iftpv_losses_count(&l, 2);
	KUNIT_EXPECT_EQ(test, l.lost, U32_MAX);
}

/* Without loss of a bit, whatever the numbers. */
static void iftpv_test_compare_rates(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(1, 3, 1, 3));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(1, 3, 2, 6));
	KUNIT_EXPECT_TRUE(test, iftpv_test_compare(1, 3, 2, 5));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(1, 3, 2, 7));
	KUNIT_EXPECT_TRUE(test, iftpv_test_compare(0, 1, 1, U32_MAX));
	KUNIT_EXPECT_TRUE(test, iftpv_test_compare(U32_MAX - 1, U32_MAX,
						   U32_MAX, U32_MAX));
	KUNIT_EXPECT_TRUE(test, iftpv_test_compare(U32_MAX, U32_MAX,
						   U32_MAX, U32_MAX - 1));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(U32_MAX, U32_MAX - 1,
						    U32_MAX, U32_MAX));
}

/* In no time at all any loss is a rate above all others; no loss in it is none. */
static void iftpv_test_no_time(struct kunit *test)
{
	struct iftpv_losses l = {};

	KUNIT_EXPECT_TRUE(test, iftpv_test_compare(U32_MAX, 1, 1, 0));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(1, 0, U32_MAX, 1));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(1, 0, 2, 0));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(1, 1, 0, 0));
	KUNIT_EXPECT_FALSE(test, iftpv_test_compare(0, 0, 1, 1));
	iftpv_test_loss(&l, 10, 0);
	iftpv_test_loss(&l, 20, 0);
	iftpv_test_congestion(test, &l, 20, 1);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 20, 0), IFTPV_EASE);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 30, 0), IFTPV_KEEP);
}

/* More than 71 minutes count as 71 minutes, whenever they are. */
static void iftpv_test_long_time(struct kunit *test)
{
	struct iftpv_losses l = {};
	u64 ms = U64_MAX / USEC_PER_MSEC - 3 * HOUR / USEC_PER_MSEC;

	iftpv_test_loss(&l, ms, 0);
	iftpv_test_loss(&l, ms + HOUR / USEC_PER_MSEC, 0);
	KUNIT_EXPECT_EQ(test, l.current_rate.us, HOUR);
	iftpv_test_congestion(test, &l, ms + HOUR / USEC_PER_MSEC, 1);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, ms + 3 * HOUR / USEC_PER_MSEC,
					      0), IFTPV_EASE);
	KUNIT_EXPECT_EQ(test, l.current_rate.us, U32_MAX);
}

/* What is known of a loss counts, not the backlog; whether congestion rises still does. */
static void iftpv_test_evidence(struct kunit *test)
{
	struct iftpv_losses l = {};

	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 1000, IFTPV_EVIDENCE_CORRUPTED,
					  U32_MAX, BETA), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.last, 1000);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 2000, IFTPV_EVIDENCE_CORRUPTED,
					  AT_BETA, BETA), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 2500, IFTPV_EVIDENCE_CONGESTED,
					  0, BETA), IFTPV_HALVE);
	KUNIT_EXPECT_TRUE(test, l.congestion);
	KUNIT_EXPECT_EQ(test, l.last, 2000);
	iftpv_losses_count(&l, 1);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 3000, IFTPV_EVIDENCE_CORRUPTED,
					  U32_MAX, BETA), IFTPV_EASE);
}

static struct kunit_case iftpv_loss_cases[] = {
	KUNIT_CASE(iftpv_test_beta),
	KUNIT_CASE(iftpv_test_rates),
	KUNIT_CASE(iftpv_test_count),
	KUNIT_CASE(iftpv_test_compare_rates),
	KUNIT_CASE(iftpv_test_no_time),
	KUNIT_CASE(iftpv_test_long_time),
	KUNIT_CASE(iftpv_test_evidence),
	{}
};

static struct kunit_suite iftpv_loss_suite = {
	.name = "tcp_iftpv_loss",
	.test_cases = iftpv_loss_cases,
};

kunit_test_suite(iftpv_loss_suite);

MODULE_DESCRIPTION("KUnit tests of tcp_iftpv's loss rates and verdicts");
MODULE_LICENSE("GPL");
