// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the evidence for random losses, and of what it changes about a verdict. */

#include <kunit/test.h>
#include <linux/module.h>
#include "gate.h"
#include "tolerance.h"

#define BETA	3
#define NONE	0		/* queues, in 1/65536 of a round trip */
#define SHORT	(U16_MAX / 8)
#define LONG	(U16_MAX / 2)

static struct iftpv_losses iftpv_test_flow(void)
{
	struct iftpv_losses l = {};

	iftpv_gate_init(&l);
	iftpv_gate_see(&l, LONG);
	return l;
}

/* A loss of a flow with 64 packets, by the queue alone. */
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

/* A queue is the part of a round trip that is spent in it. */
static void iftpv_test_queue(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(100, 100), 0);
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(99, 100), 0);
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(200, 100), 1 << 15);
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(U32_MAX, 1), U16_MAX);
	/* nothing is known of the path */
	KUNIT_EXPECT_EQ(test, iftpv_gate_queue(100, 0), U16_MAX);
}

/* More than half of the longest, unless that is next to none: a sixteenth of a round trip. */
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

/* The first loss decides; then each reduction counts 1/8, whatever was lost before it. */
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

/* With a reduction the longest queue comes nearer to that of now, and never below it. */
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

/* Without a part it is the paper's verdict, and the recovery as ever, whatever the evidence. */
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
				iftpv_judge(&paper, now, IFTPV_EVIDENCE_NONE,
					    queues[i] / 4, BETA));
		KUNIT_EXPECT_FALSE(test, course.grows || course.at_once ||
				   course.starting || course.drained);
		iftpv_losses_count(&l, i);
		iftpv_losses_count(&paper, i);
	}
}

/* A halving leaves n - B after evidence alone, and never for a mark. */
static void iftpv_test_floor(struct kunit *test)
{
	struct iftpv_losses l = iftpv_test_flow();
	struct iftpv_course course;
	const struct iftpv_lost mark = {
		.now = 5000, .evidence = IFTPV_EVIDENCE_CONGESTED, .beta = BETA,
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

/* 12 percent of the window, where that is more. */
static void iftpv_test_beta(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, 20), BETA);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, 34), 4);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, 200), 24);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(IFTPV_PARTS, 50, 200), 50);
	KUNIT_EXPECT_EQ(test, iftpv_tolerance_beta(0, BETA, 200), BETA);
	/* what iftpv_is_random() shifts has room */
	KUNIT_EXPECT_LT(test, iftpv_tolerance_beta(IFTPV_PARTS, BETA, U32_MAX),
			1U << (32 - IFTPV_SHIFT));
}

/* Each part has its own change of a recovery, and none without evidence. */
static void iftpv_test_course(struct kunit *test)
{
	struct iftpv_losses l = iftpv_test_flow();
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
	KUNIT_EXPECT_EQ(test, iftpv_judge(&l, 1, IFTPV_EVIDENCE_NONE, 0, BETA),
			IFTPV_KEEP);
	/* fewer than beta packets, in a queue that is as long as it gets */
	iftpv_test_lost(&l, IFTPV_PARTS & ~IFTPV_PART_STRICT, SHORT / 2 + 1,
			&course);
	KUNIT_EXPECT_FALSE(test, course.grows || course.at_once || course.starting);
}

/* C counts what a halving loses, not what a floored one does. */
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

/* Fewer than beta packets in a full queue: congestion, as long as there is no evidence. */
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

kunit_test_suite(iftpv_tolerance_suite);

MODULE_DESCRIPTION("KUnit tests of tcp_iftpv's tolerance of random losses");
MODULE_LICENSE("GPL");
