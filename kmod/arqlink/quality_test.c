// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the quality of the link. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "quality.c"

#define MS	((s64)NSEC_PER_MSEC)
#define SEC	((s64)NSEC_PER_SEC)
#define NOW	(1000 * SEC)
#define HOUR	(3600 * SEC)

static struct arql_quality *arql_quality_new(struct kunit *test)
{
	struct arql_quality *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, q);
	return q;
}

static struct fl_link_quality arql_read(const struct arql_quality *q)
{
	struct fl_link_quality quality;

	arql_quality_read(q, &quality);
	return quality;
}

static void arql_packets(struct arql_quality *q, s64 delay, u32 count)
{
	while (count--)
		arql_quality_packet(q, delay, 100);
}

/* Before anything has happened, every value is 0. */
static void arql_test_unknown(struct kunit *test)
{
	const struct fl_link_quality told = arql_read(arql_quality_new(test));

	KUNIT_EXPECT_EQ(test, told.loss, 0);
	KUNIT_EXPECT_EQ(test, told.attempts, 0);
	KUNIT_EXPECT_EQ(test, told.delay_50, 0);
	KUNIT_EXPECT_EQ(test, told.delay_99, 0);
	KUNIT_EXPECT_EQ(test, told.rate, 0);
	KUNIT_EXPECT_EQ(test, told.length, 0);
}

/* The loss is the share of failed transmissions, and is never more than all of them. */
static void arql_test_loss(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);
	int i;

	for (i = 0; i < 7; i++)
		arql_quality_sent(q, i >= 5);
	KUNIT_EXPECT_EQ(test, arql_read(q).loss, 2 * 1000000 / 7);
	arql_quality_failed(q);
	KUNIT_EXPECT_EQ(test, arql_read(q).loss, 3 * 1000000 / 7);
	for (i = 0; i < 9; i++)
		arql_quality_failed(q);
	KUNIT_EXPECT_EQ(test, arql_read(q).loss, 1000000);
}

/* The mean number of attempts counts only acknowledged frames. */
static void arql_test_attempts(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_quality_sent(q, false);
	KUNIT_EXPECT_EQ(test, arql_read(q).attempts, 0);
	arql_quality_frame(q, 1);
	arql_quality_frame(q, 1);
	arql_quality_frame(q, 5);
	KUNIT_EXPECT_EQ(test, arql_read(q).attempts, 2333);
}

/* Each delay is in a bucket that contains it, and that is at most an eighth of its delays wide or
 * one unit. The buckets follow each other without a gap.
 */
static void arql_test_buckets(struct kunit *test)
{
	u64 low, width, end = 0;
	u32 i;

	for (i = 0; i < ARQL_DELAY_BUCKETS; i++) {
		arql_bucket_delays(i, &low, &width);
		KUNIT_EXPECT_EQ(test, low, end);
		KUNIT_EXPECT_TRUE(test, width == 1024 || width * ARQL_EIGHTHS <= low);
		KUNIT_EXPECT_EQ(test, arql_delay_bucket(low), i);
		KUNIT_EXPECT_EQ(test, arql_delay_bucket(low + width - 1), i);
		end = low + width;
	}
	KUNIT_EXPECT_EQ(test, end, 1ULL << (32 + ARQL_DELAY_SHIFT));
	KUNIT_EXPECT_GE(test, end, (u64)HOUR);
	KUNIT_EXPECT_EQ(test, arql_delay_bucket(S64_MAX), ARQL_DELAY_BUCKETS - 1);
	KUNIT_EXPECT_EQ(test, arql_delay_bucket(-1), 0);
	KUNIT_EXPECT_EQ(test, arql_delay_bucket(S64_MIN), 0);
}

/* A known delay is never 0, which means unknown. */
static void arql_test_least_delay(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_packets(q, 0, 3000);
	KUNIT_EXPECT_EQ(test, arql_read(q).delay_50, 512);
	arql_packets(q, -HOUR, 1);
	KUNIT_EXPECT_GE(test, arql_read(q).delay_50, 1);
}

/* A late packet has a delay, and is no packet that the link has delivered. */
static void arql_test_late(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_quality_acked(q, true, NOW);
	arql_quality_acked(q, true, NOW + 10 * MS);
	arql_quality_late(q, SEC, 500);
	KUNIT_EXPECT_GT(test, arql_read(q).delay_50, SEC * 8 / 9);
	KUNIT_EXPECT_EQ(test, arql_read(q).length, 500);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 0);
	arql_quality_packet(q, MS, 1000);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 100000);
}

/* A percentile differs from the delay of its rank by at most an eighth: 100 packets have the delays
 * 1 to 100 ms.
 */
static void arql_test_percentiles(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);
	struct fl_link_quality told;
	int ms;

	for (ms = 100; ms; ms--)
		arql_packets(q, ms * MS, 1);
	told = arql_read(q);
	KUNIT_EXPECT_GE(test, told.delay_50, 50 * MS * 8 / 9);
	KUNIT_EXPECT_LE(test, told.delay_50, 50 * MS * 9 / 8);
	KUNIT_EXPECT_GE(test, told.delay_90, 90 * MS * 8 / 9);
	KUNIT_EXPECT_LE(test, told.delay_90, 90 * MS * 9 / 8);
	KUNIT_EXPECT_GE(test, told.delay_99, 99 * MS * 8 / 9);
	KUNIT_EXPECT_LE(test, told.delay_99, 99 * MS * 9 / 8);
	KUNIT_EXPECT_EQ(test, told.length, 100);
}

/* The rank of a percentile is rounded up: of 10 packets the 90th percentile is the 9th, and the
 * 99th percentile is the 10th.
 */
static void arql_test_ranks(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_packets(q, MS, 9);
	arql_packets(q, SEC, 1);
	KUNIT_EXPECT_LT(test, arql_read(q).delay_90, 2 * MS);
	KUNIT_EXPECT_GT(test, arql_read(q).delay_99, SEC * 8 / 9);
	arql_packets(q, SEC, 7);
	KUNIT_EXPECT_LT(test, arql_read(q).delay_50, 2 * MS);
	arql_packets(q, SEC, 2);
	KUNIT_EXPECT_GT(test, arql_read(q).delay_50, SEC * 8 / 9);
}

/* The peer acknowledges a packet of 1000 bytes. */
static void arql_acknowledge(struct arql_quality *q, bool waits, s64 now)
{
	arql_quality_acked(q, waits, now);
	arql_quality_packet(q, MS, 1000);
}

/* Only the time between two acknowledgments at which packets wait counts for the rate. */
static void arql_test_rate(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);
	s64 now = NOW;

	arql_acknowledge(q, false, now);
	arql_acknowledge(q, false, now += MS);
	arql_acknowledge(q, true, now += MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 0);
	arql_acknowledge(q, true, now += 4 * MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 250000);
	arql_acknowledge(q, true, now += 12 * MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 125000);
	arql_acknowledge(q, false, now += MS);
	arql_acknowledge(q, true, now += 100 * MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 125000);
	arql_acknowledge(q, true, now + 4 * MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 150000);
}

/* A failure of the link for longer than the horizon is not a rate. */
static void arql_test_outage(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_acknowledge(q, true, NOW);
	arql_acknowledge(q, true, NOW + 2 * SEC);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 500);
	arql_acknowledge(q, true, NOW + 4 * SEC + 1);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 500);
	arql_acknowledge(q, true, NOW + 5 * SEC + 1);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 2000 / 3);
}

/* Less than a millisecond tells no rate. */
static void arql_test_short_time(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_acknowledge(q, true, NOW);
	arql_acknowledge(q, true, NOW);
	arql_acknowledge(q, true, NOW + MS - 1);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 0);
	arql_acknowledge(q, true, NOW + MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 3000000);
}

/* The largest numbers do not overflow. */
static void arql_test_large_numbers(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	q->tally[1] = (struct arql_tally){
		.sent = 1ULL << 40, .failed = 1ULL << 39, .frames = 1, .attempts = U32_MAX / 1000,
		.packets = 1ULL << 31, .bytes = 9000ULL << 31,
		.busy_ns = 1ULL << 33, .busy_bytes = 1ULL << 50,
		.delays[ARQL_DELAY_BUCKETS - 1] = 1U << 31,
	};
	KUNIT_EXPECT_EQ(test, arql_read(q).loss, 500000);
	KUNIT_EXPECT_EQ(test, arql_read(q).rate, 131072ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, arql_read(q).delay_50, 31ULL << 37);
	KUNIT_EXPECT_EQ(test, arql_read(q).length, 9000);
}

/* What was counted is in the values until two tallies have ended, which takes two to four seconds
 * of acknowledgments. An idle time changes nothing.
 */
static void arql_test_horizon(struct kunit *test)
{
	struct arql_quality *q = arql_quality_new(test);

	arql_quality_acked(q, false, NOW);
	arql_quality_sent(q, false);
	arql_quality_frame(q, 9);
	arql_packets(q, SEC, 5);
	arql_quality_acked(q, false, NOW + HOUR);
	KUNIT_EXPECT_EQ(test, arql_read(q).attempts, 9000);
	KUNIT_EXPECT_GT(test, arql_read(q).delay_50, 8 * SEC / 9);
	arql_quality_frame(q, 1);
	arql_packets(q, MS, 15);
	KUNIT_EXPECT_EQ(test, arql_read(q).attempts, 5000);
	KUNIT_EXPECT_LT(test, arql_read(q).delay_50, 2 * MS);
	arql_quality_acked(q, false, NOW + HOUR + ARQL_HORIZON - 1);
	KUNIT_EXPECT_EQ(test, arql_read(q).attempts, 5000);
	arql_quality_acked(q, false, NOW + HOUR + ARQL_HORIZON);
	KUNIT_EXPECT_EQ(test, arql_read(q).attempts, 1000);
	KUNIT_EXPECT_LT(test, arql_read(q).delay_99, 2 * MS);
	KUNIT_EXPECT_EQ(test, arql_read(q).loss, 0);
}

static struct kunit_case arql_quality_cases[] = {
	KUNIT_CASE(arql_test_unknown),
	KUNIT_CASE(arql_test_loss),
	KUNIT_CASE(arql_test_attempts),
	KUNIT_CASE(arql_test_buckets),
	KUNIT_CASE(arql_test_least_delay),
	KUNIT_CASE(arql_test_late),
	KUNIT_CASE(arql_test_percentiles),
	KUNIT_CASE(arql_test_ranks),
	KUNIT_CASE(arql_test_rate),
	KUNIT_CASE(arql_test_outage),
	KUNIT_CASE(arql_test_short_time),
	KUNIT_CASE(arql_test_large_numbers),
	KUNIT_CASE(arql_test_horizon),
	{}
};

static struct kunit_suite arql_quality_suite = {
	.name = "arql_quality",
	.test_cases = arql_quality_cases,
};

kunit_test_suite(arql_quality_suite);

MODULE_DESCRIPTION("KUnit tests of the quality of arqlink's link");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
