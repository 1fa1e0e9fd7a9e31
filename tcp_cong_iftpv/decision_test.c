// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the decision about a loss. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
#include <net/iftpv.h>

#define PACKETS(n)	((u32)(n) << IFTPV_SHIFT)
#define MINUTE		(60 * USEC_PER_SEC)
#define BETA		3
#define EASE		80
#define ONE		100	/* the scale of one TCP flow */
#define AT_BETA		(BETA << IFTPV_SHIFT)
#define HOUR		(3600ULL * USEC_PER_SEC)
#define NONE	0		/* lengths of queues, in 1/65536 of a round trip */
#define SHORT	(U16_MAX / 8)
#define LONG	(U16_MAX / 2)

/* The backlog is B = n (RTTactual - RTTbase) / RTTactual, in units of 1/256 packet. */
static void iftpv_test_backlog(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_backlog(20, 100000, 100000), 0);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(20, 125000, 100000), PACKETS(4));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(12, 200000, 150000), PACKETS(3));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 200000, 125000),
			PACKETS(15) / 4);
	KUNIT_EXPECT_EQ(test, iftpv_backlog(1, 300, 100),
			PACKETS(2) / 3);
	/* RTTactual below RTTbase */
	KUNIT_EXPECT_EQ(test, iftpv_backlog(20, 99999, 100000), 0);
}

/* If the base is not known, the whole window counts as backlog. */
static void iftpv_test_backlog_unknown(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 0, 0), PACKETS(10));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 100000, 0), PACKETS(10));
	KUNIT_EXPECT_EQ(test, iftpv_backlog(10, 0, 100000), 0);
}

/* The backlog is right for round-trip times from 1 us to 60 s, and for windows of 2^20
 * packets and more.
 */
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

/* Returns the verdict for a loss with the backlog @backlog, at the time @ms in ms. */
static enum iftpv_verdict iftpv_test_loss(struct iftpv_losses *l, u64 ms,
					  u32 backlog)
{
	return iftpv_judge(l, ms * USEC_PER_MSEC, false, backlog, BETA);
}

/* Simulates congestion at the time @ms in ms, with @lost lost packets. */
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

/* A backlog of beta means congestion. A smaller backlog means a random loss. */
static void iftpv_test_verdict(struct kunit *test)
{
	struct iftpv_losses l = {};

	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 1, AT_BETA), IFTPV_HALVE);
	KUNIT_EXPECT_EQ(test, l.last, 0);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 2, AT_BETA - 1), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.last, 2 * USEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 3, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 4, U32_MAX), IFTPV_HALVE);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 5, false,
					  U32_MAX, IFTPV_WINDOW_MAX),
			IFTPV_HALVE);
}

/* The paper's example has random losses at T1, T2 and T3, and a verdict for each random
 * loss.
 */
static void iftpv_test_rates(struct kunit *test)
{
	struct iftpv_losses l = {};

	iftpv_test_congestion(test, &l, 500, 9);
	/* T1: there is no rate yet, and packets that were lost before T1 belong to no rate */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 1000, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.current_rate.us, 0);
	KUNIT_EXPECT_EQ(test, l.lost, 0);
	iftpv_test_congestion(test, &l, 1100, 1);
	iftpv_test_congestion(test, &l, 1200, 3);
	/* T2: there is the first rate, but no earlier rate to compare with */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 2000, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, l.current_rate.lost, 4);
	KUNIT_EXPECT_EQ(test, l.current_rate.us, USEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, l.previous_rate.us, 0);
	iftpv_test_congestion(test, &l, 2100, 5);
	/* T3: 5 packets in 1 s, after 4 packets in 1 s */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 3000, 0), IFTPV_EASE);
	KUNIT_EXPECT_EQ(test, l.previous_rate.lost, 4);
	KUNIT_EXPECT_EQ(test, l.current_rate.lost, 5);
	iftpv_test_congestion(test, &l, 3100, 5);
	/* the next rates: the same rate, then a lower rate, then 0 */
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 4000, 0), IFTPV_KEEP);
	iftpv_test_congestion(test, &l, 4100, 5);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 5001, 0), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6000, 0), IFTPV_KEEP);
	/* the next rates: a rate above 0, then fewer packets in even less time */
	iftpv_test_congestion(test, &l, 6010, 2);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6100, 0), IFTPV_EASE);
	iftpv_test_congestion(test, &l, 6110, 1);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6149, 0), IFTPV_EASE);
	iftpv_test_congestion(test, &l, 6150, 1);
	KUNIT_EXPECT_EQ(test, iftpv_test_loss(&l, 6199, 0), IFTPV_KEEP);
}

/* Lost packets are counted from a congestion loss until the next random loss. */
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
	/* the core's counter wraps, but the difference is right */
	iftpv_test_congestion(test, &l, 30, 3U - (U32_MAX - 1));
	KUNIT_EXPECT_EQ(test, l.lost, 5);
	/* this counter saturates */
	iftpv_losses_count(&l, U32_MAX - 6);
	KUNIT_EXPECT_EQ(test, l.lost, U32_MAX - 1);
	iftpv_losses_count(&l, 2);
	KUNIT_EXPECT_EQ(test, l.lost, U32_MAX);
}

/* The comparison is exact for all numbers. */
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

/* A rate with losses in 0 us is the highest rate. A rate with 0 losses in 0 us does not
 * exist yet.
 */
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

/* A time of more than 71 minutes counts as 71 minutes, for any clock value. */
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

/* A loss that is known to be congestion halves the window, even if there is no backlog. The next
 * lost packets count as lost to congestion.
 */
static void iftpv_test_congested(struct kunit *test)
{
	struct iftpv_losses l = {};

	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 1000, false, 0, BETA), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 2000, false, 0, BETA), IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 2500, true, 0, BETA), IFTPV_HALVE);
	KUNIT_EXPECT_TRUE(test, l.congestion);
	KUNIT_EXPECT_EQ(test, l.last, 2000);
	iftpv_losses_count(&l, 1);
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 3000, false, 0, BETA), IFTPV_EASE);
}

static struct kunit_case iftpv_loss_cases[] = {
	KUNIT_CASE(iftpv_test_backlog),
	KUNIT_CASE(iftpv_test_backlog_unknown),
	KUNIT_CASE(iftpv_test_backlog_extremes),
	KUNIT_CASE(iftpv_test_verdict),
	KUNIT_CASE(iftpv_test_rates),
	KUNIT_CASE(iftpv_test_count),
	KUNIT_CASE(iftpv_test_compare_rates),
	KUNIT_CASE(iftpv_test_no_time),
	KUNIT_CASE(iftpv_test_long_time),
	KUNIT_CASE(iftpv_test_congested),
	{}
};

static struct kunit_suite iftpv_loss_suite = {
	.name = "tcp_iftpv_loss",
	.test_cases = iftpv_loss_cases,
};

static struct iftpv_losses iftpv_test_flow(void)
{
	struct iftpv_losses l = {};

	iftpv_gate_init(&l);
	iftpv_gate_see(&l, LONG);
	return l;
}

/* Returns the verdict for a loss in slow start. The window has 64 packets, and the queue
 * has the length @queue.
 */
static enum iftpv_verdict iftpv_test_lost(struct iftpv_losses *l, u32 parts,
					  u16 queue,
					  struct iftpv_course *course)
{
	const struct iftpv_lost lost = {
		.now = l->last + 1000,
		.backlog = (64 * (u32)queue) >> (IFTPV_QUEUE_SHIFT - IFTPV_SHIFT),
		.beta = BETA,
		.queue = queue,
		.slow_start = true,
	};

	return iftpv_tolerance_judge(l, parts, &lost, course);
}

/* The length of a queue is the share of the round trip that is queueing delay. */
static void iftpv_test_queue(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(100, 100), 0);
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(99, 100), 0);
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(200, 100), 1 << 15);
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(U32_MAX, 1), U16_MAX);
	/* the base is not known */
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(100, 0), U16_MAX);
}

/* A queue is full if it is longer than half of the longest queue and at least 1/16 round
 * trip.
 */
static void iftpv_test_full(struct kunit *test)
{
	struct iftpv_losses l = {};

	iftpv_gate_see(&l, 4095);
	KUNIT_EXPECT_FALSE(test, iftpv_gate_is_full(&l, 4095));
	KUNIT_EXPECT_TRUE(test, iftpv_gate_is_full(&l, 4096));
	iftpv_gate_see(&l, 20000);
	iftpv_gate_see(&l, 100);
	KUNIT_EXPECT_FALSE(test, iftpv_gate_is_full(&l, 10000));
	KUNIT_EXPECT_TRUE(test, iftpv_gate_is_full(&l, 10001));
	KUNIT_EXPECT_TRUE(test, iftpv_gate_is_full(&l, U16_MAX));
}

/* The first loss opens or closes the gate. Later, each reduction changes the share by 1/8. */
static void iftpv_test_share(struct kunit *test)
{
	struct iftpv_losses l = {};
	int i;

	iftpv_gate_init(&l);
	KUNIT_EXPECT_FALSE(test, iftpv_gate_is_open(&l));
	for (i = 0; i < 50; i++)
		iftpv_gate_stray(&l);
	KUNIT_EXPECT_EQ(test, l.share, 102 + 153 / 8);
	KUNIT_EXPECT_TRUE(test, iftpv_gate_is_open(&l));
	iftpv_gate_reduced(&l, NONE);
	KUNIT_EXPECT_EQ(test, l.share, 121);
	iftpv_gate_reduced(&l, NONE);
	KUNIT_EXPECT_EQ(test, l.share, 121 - 121 / 8);
	for (i = 0; i < 50; i++)
		iftpv_gate_reduced(&l, NONE);
	KUNIT_EXPECT_LT(test, l.share, 8);
	for (i = 0; i < 50; i++) {
		iftpv_gate_stray(&l);
		iftpv_gate_reduced(&l, NONE);
	}
	KUNIT_EXPECT_GT(test, l.share, 255 - 8);
}

/* At a reduction, the recorded length of the longest queue decreases towards the present length,
 * but not below the present length.
 */
static void iftpv_test_peak(struct kunit *test)
{
	struct iftpv_losses l = {};

	iftpv_gate_see(&l, 8000);
	iftpv_gate_reduced(&l, 0);
	KUNIT_EXPECT_EQ(test, l.peak, 7000);
	iftpv_gate_reduced(&l, 7000);
	KUNIT_EXPECT_EQ(test, l.peak, 7000);
	iftpv_gate_reduced(&l, U16_MAX);
	KUNIT_EXPECT_EQ(test, l.peak, 7000);
}

/* With loss_tolerance 0, the paper's rule gives the verdict, and the recovery is not
 * changed.
 */
static void iftpv_test_off(struct kunit *test)
{
	struct iftpv_losses l = iftpv_test_flow();
	struct iftpv_losses paper = {};
	const u16 queues[] = { NONE, LONG, SHORT, NONE, LONG, NONE, LONG };
	struct iftpv_course course;
	u64 now;
	int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++) {
		now = l.last + 1000;
		KUNIT_EXPECT_EQ(test, iftpv_test_lost(&l, 0, queues[i], &course),
				iftpv_judge(&paper, now, false,
					    queues[i] / 4, BETA));
		KUNIT_EXPECT_FALSE(test, course.grows || course.at_once ||
				   course.starting || course.drained);
		iftpv_losses_count(&l, i);
		iftpv_losses_count(&paper, i);
	}
}

/* IFTPV_DRAIN requires evidence of random losses, and is never the verdict for a mark.
 * IFTPV_DRAIN reduces the window to n - B packets.
 */
static void iftpv_test_floor(struct kunit *test)
{
	struct iftpv_losses l = iftpv_test_flow();
	struct iftpv_course course;
	const struct iftpv_lost mark = {
		.now = 5000, .congested = true, .beta = BETA,
	};

	KUNIT_EXPECT_EQ(test, iftpv_test_lost(&l, IFTPV_PARTS, LONG, &course),
			IFTPV_HALVE);
	KUNIT_EXPECT_FALSE(test, course.drained);
	l = iftpv_test_flow();
	KUNIT_EXPECT_EQ(test, iftpv_test_lost(&l, IFTPV_PARTS, NONE, &course),
			IFTPV_KEEP);
	KUNIT_EXPECT_EQ(test, iftpv_test_lost(&l, IFTPV_PARTS, LONG, &course),
			IFTPV_DRAIN);
	KUNIT_EXPECT_TRUE(test, course.drained);
	KUNIT_EXPECT_FALSE(test, course.grows || course.at_once || course.starting);
	KUNIT_EXPECT_TRUE(test, iftpv_gate_is_open(&l));
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_judge(&l, IFTPV_PARTS, &mark,
						    &course), IFTPV_HALVE);
	KUNIT_EXPECT_FALSE(test, course.drained);

	KUNIT_EXPECT_EQ(test, iftpv_tolerance_drain(40, 20, 5 << IFTPV_SHIFT), 35);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_drain(40, 20, (5 << IFTPV_SHIFT) + 1), 34);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_drain(40, 20, 30 << IFTPV_SHIFT), 20);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_drain(2, 2, U32_MAX), 2);
}

/* The threshold is beta or 12 percent of the window, whichever is larger. */
static void iftpv_test_beta(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, 20), BETA);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, 34), 4);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, 200), 24);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, 50, 200), 50);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(0, BETA, 200), BETA);
	/* iftpv_is_backlogged() can shift the result without an overflow */
	KUNIT_EXPECT_LT(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, U32_MAX),
			1U << (32 - IFTPV_SHIFT));
}

/* Each part of loss_tolerance changes the recovery in its own way, but only with evidence
 * of random losses.
 */
static void iftpv_test_course(struct kunit *test)
{
	struct iftpv_losses l = iftpv_test_flow();
	const struct iftpv_lost full = {
		.now = 5000, .backlog = PACKETS(BETA) - 1, .beta = BETA,
		.queue = SHORT / 2 + 1, .slow_start = true,
	};
	struct iftpv_course course;

	iftpv_test_lost(&l, IFTPV_PARTS, NONE, &course);
	KUNIT_EXPECT_TRUE(test, course.grows && course.at_once && course.starting);
	iftpv_test_lost(&l, IFTPV_PART_GROWTH, NONE, &course);
	KUNIT_EXPECT_TRUE(test, course.grows && !course.at_once && !course.starting);
	iftpv_test_lost(&l, IFTPV_PART_GAPS, NONE, &course);
	KUNIT_EXPECT_TRUE(test, !course.grows && course.at_once && !course.starting);
	iftpv_test_lost(&l, IFTPV_PART_START, NONE, &course);
	KUNIT_EXPECT_TRUE(test, !course.grows && !course.at_once && course.starting);

	l = iftpv_test_flow();
	l.peak = SHORT;
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 1, false, 0, BETA),
			IFTPV_KEEP);
	/* the queue is full, so the gate stays closed */
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_judge(&l, IFTPV_PARTS & ~IFTPV_PART_STRICT,
						    &full, &course), IFTPV_KEEP);
	KUNIT_EXPECT_FALSE(test, course.grows || course.at_once || course.starting);
}

/* Losses after IFTPV_HALVE count as congestion. Losses after IFTPV_DRAIN count as congestion only
 * without IFTPV_PART_COUNT.
 */
static void iftpv_test_counted(struct kunit *test)
{
	const u32 floor = IFTPV_PART_FLOOR, count = IFTPV_PART_COUNT;
	struct iftpv_course course;
	struct iftpv_losses l;

	l = iftpv_test_flow();
	iftpv_test_lost(&l, floor, NONE, &course);
	iftpv_test_lost(&l, floor, LONG, &course);
	KUNIT_EXPECT_TRUE(test, l.congestion);
	iftpv_test_lost(&l, floor | count, LONG, &course);
	KUNIT_EXPECT_FALSE(test, l.congestion);
	iftpv_test_lost(&l, count, LONG, &course);
	KUNIT_EXPECT_TRUE(test, l.congestion);
}

/* With IFTPV_PART_STRICT and without evidence of random losses, a loss at a full queue is
 * congestion even if the backlog is less than beta.
 */
static void iftpv_test_strict(struct kunit *test)
{
	const struct iftpv_lost lost = {
		.now = 1000, .backlog = 2 << IFTPV_SHIFT, .beta = BETA, .queue = LONG,
	};
	struct iftpv_losses l = iftpv_test_flow();
	struct iftpv_course course;

	KUNIT_EXPECT_EQ(test, iftpv_tolerance_judge(&l, IFTPV_PART_STRICT, &lost,
						    &course), IFTPV_HALVE);
	KUNIT_EXPECT_LT(test, l.share, IFTPV_GATE_SHARE);
	l = iftpv_test_flow();
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_judge(&l, IFTPV_PART_FLOOR, &lost,
						    &course), IFTPV_KEEP);
	KUNIT_EXPECT_LT(test, l.share, IFTPV_GATE_SHARE);
	l = iftpv_test_flow();
	iftpv_gate_stray(&l);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_judge(&l, IFTPV_PART_STRICT, &lost,
						    &course), IFTPV_KEEP);
}

static struct kunit_case iftpv_tolerance_cases[] = {
	KUNIT_CASE(iftpv_test_queue),
	KUNIT_CASE(iftpv_test_full),
	KUNIT_CASE(iftpv_test_share),
	KUNIT_CASE(iftpv_test_peak),
	KUNIT_CASE(iftpv_test_off),
	KUNIT_CASE(iftpv_test_floor),
	KUNIT_CASE(iftpv_test_beta),
	KUNIT_CASE(iftpv_test_course),
	KUNIT_CASE(iftpv_test_counted),
	KUNIT_CASE(iftpv_test_strict),
	{}
};

static struct kunit_suite iftpv_tolerance_suite = {
	.name = "tcp_iftpv_tolerance",
	.test_cases = iftpv_tolerance_cases,
};

/* The window after a loss is n, 4n/5 or n/2, rounded down, but at least two packets. */
static void iftpv_test_window(struct kunit *test)
{
	const struct {
		u32 n, keep, ease, halve;
	} cases[] = {
		{ 20, 20, 16, 10 }, { 11, 11, 8, 5 }, { 4, 4, 3, 2 },
		{ 3, 3, 2, 2 }, { 2, 2, 2, 2 }, { 1, 2, 2, 2 },
		{ 1 << 20, 1 << 20, 838860, 1 << 19 },
		{ U32_MAX, U32_MAX, 3435973836U, U32_MAX / 2 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, cases[i].keep,
				iftpv_scale_loss(cases[i].n, IFTPV_KEEP, EASE, ONE));
		KUNIT_EXPECT_EQ(test, cases[i].ease,
				iftpv_scale_loss(cases[i].n, IFTPV_EASE, EASE, ONE));
		KUNIT_EXPECT_EQ(test, cases[i].halve,
				iftpv_scale_loss(cases[i].n, IFTPV_HALVE, EASE, ONE));
	}
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(20, IFTPV_EASE, 50, ONE), 10);
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(20, IFTPV_EASE, 100, ONE), 20);
}

/* A loss hits one of s flows, and each of the s flows grows by one packet per round trip. */
static void iftpv_test_scale(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(40, IFTPV_HALVE, EASE, 200), 30);
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(40, IFTPV_EASE, EASE, 200), 36);
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(40, IFTPV_KEEP, EASE, 200), 40);
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(30, IFTPV_HALVE, EASE, 150), 20);
	KUNIT_EXPECT_EQ(test, iftpv_scale_loss(100, IFTPV_HALVE, EASE, 1000),
			95);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(40, ONE, false), 40);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(40, 200, false), 20);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(30, 150, false), 20);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(2, 1000, false), 1);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(40, ONE, true), 80);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(40, 200, true), 40);
	KUNIT_EXPECT_EQ(test, iftpv_scale_growth(1 << 20, ONE, true), 1 << 21);
}

/* The next round trip has 2n, n + 1 or n' packets. */
static void iftpv_test_packets(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_gap_packets(IFTPV_SLOW_START, 10, ONE), 20);
	KUNIT_EXPECT_EQ(test, iftpv_gap_packets(IFTPV_AVOIDANCE, 10, ONE), 11);
	KUNIT_EXPECT_EQ(test, iftpv_gap_packets(IFTPV_RECOVERY, 10, ONE), 10);
	KUNIT_EXPECT_EQ(test, iftpv_gap_packets(IFTPV_AVOIDANCE, 10, 150), 12);
	KUNIT_EXPECT_EQ(test, iftpv_gap_packets(IFTPV_SLOW_START, 10, 300), 20);
	KUNIT_EXPECT_EQ(test, iftpv_gap_packets(IFTPV_SLOW_START, U32_MAX, ONE),
			2 * IFTPV_WINDOW_MAX);
}

static struct kunit_case iftpv_window_cases[] = {
	KUNIT_CASE(iftpv_test_window),
	KUNIT_CASE(iftpv_test_scale),
	KUNIT_CASE(iftpv_test_packets),
	{}
};

static struct kunit_suite iftpv_window_suite = {
	.name = "tcp_iftpv_scale",
	.test_cases = iftpv_window_cases,
};

kunit_test_suites(&iftpv_loss_suite, &iftpv_tolerance_suite, &iftpv_window_suite);

MODULE_DESCRIPTION("KUnit tests of tcp_iftpv's decision");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
