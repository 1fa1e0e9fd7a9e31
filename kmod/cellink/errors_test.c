// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of random numbers, times, losses and bad bits. The seeds are fixed, so the results
 * are always the same.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <net/fl_rate.h>
/* the tests include this file, because its functions are not exported */
#include "errors.c"

#define ONE	BIT_ULL(32)	/* in fixed point */
#define MANY	100000
#define BIT_WORK	(NSEC_PER_SEC / 8)	/* see fl_work() */

static u64 cell_off(u64 one, u64 other)
{
	return one > other ? one - other : other - one;
}

/* Other implementations of the algorithm give these numbers for this seed. */
static void cell_test_numbers(struct kunit *test)
{
	const u64 expected[] = {
		6457827717110365317ULL, 3203168211198807973ULL,
		9817491932198370423ULL, 4593380528125082431ULL,
		16408922859458223821ULL,
	};
	struct fl_random r = { .state = 1234567 };
	int i;

	for (i = 0; i < ARRAY_SIZE(expected); i++)
		KUNIT_EXPECT_EQ(test, fl_random_next(&r), expected[i]);
}

/* Streams of one seed differ, and so do streams of similar seeds. A stream can be repeated. */
static void cell_test_seeds(struct kunit *test)
{
	struct fl_random r[4];
	int i, j;

	fl_random_seed(&r[0], 1, CELL_STREAM_LOSS);
	fl_random_seed(&r[1], 1, CELL_STREAM_BITS);
	fl_random_seed(&r[2], 2, CELL_STREAM_LOSS);
	fl_random_seed(&r[3], 1, CELL_STREAM_LOSS);
	for (i = 0; i < 100; i++) {
		u64 x[4];

		for (j = 0; j < 4; j++)
			x[j] = fl_random_next(&r[j]);
		KUNIT_EXPECT_EQ(test, x[0], x[3]);
		KUNIT_EXPECT_NE(test, x[0], x[1]);
		KUNIT_EXPECT_NE(test, x[0], x[2]);
	}
}

/* Binary logarithms, times 2^32. */
static void cell_test_log2(struct kunit *test)
{
	const struct {
		u64 x;
		u64 log;
	} cases[] = {
		{ 1, 0 }, { 2, ONE }, { 3, 6807362105ULL },
		{ 10, 14267572527ULL }, { 1000003, 85605453752ULL },
		{ 1ULL << 63, 63 * ONE }, { U64_MAX, 64 * ONE - 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 log = fl_log2_q32(cases[i].x);

		KUNIT_EXPECT_LE_MSG(test, cases[i].log - log, 4ULL,
				    "log2(%llu) = %llu", cases[i].x, log);
	}
}

/* Exponential variates have mean 1, are above k with probability exp(-k), and always below 45. */
static void cell_test_exponential(struct kunit *test)
{
	u64 sum = 0, above[4] = {};
	struct fl_random r;
	int i, k;

	fl_random_seed(&r, 2, CELL_STREAM_LOSS);
	for (i = 0; i < MANY; i++) {
		u64 e = fl_random_exponential(&r);

		KUNIT_ASSERT_LT(test, e, 45 * ONE);
		sum += e >> 8;
		for (k = 0; k < 4; k++)
			above[k] += e > k * ONE;
	}
	/* within 2.58 standard deviations; 1 % of all seeds would fail */
	KUNIT_EXPECT_LE(test, cell_off(sum / MANY, ONE >> 8),
			(ONE >> 8) * 816 / MANY);
	KUNIT_EXPECT_LE(test, cell_off(above[1], 36788ULL), 394ULL);
	KUNIT_EXPECT_LE(test, cell_off(above[2], 13534ULL), 280ULL);
	KUNIT_EXPECT_LE(test, cell_off(above[3], 4979ULL), 178ULL);
	/* the smallest possible result */
	r.state = 0;
	KUNIT_EXPECT_GE(test, fl_random_time(&r, 0), 1);
}

/* Numbers below a limit have a uniform distribution, and reach both ends. */
static void cell_test_below(struct kunit *test)
{
	u64 seen[10] = {}, chi = 0;
	struct fl_random r;
	int i;

	fl_random_seed(&r, 1, CELL_STREAM_LOSS);
	for (i = 0; i < MANY; i++)
		seen[fl_random_below(&r, 10)]++;
	for (i = 0; i < 10; i++)
		chi += (seen[i] - MANY / 10) * (seen[i] - MANY / 10);
	/* chi-square with 9 degrees of freedom: 21.67 at 1 % */
	KUNIT_EXPECT_LE(test, chi, 2167ULL * (MANY / 10) / 100);
}

/* -ln(1 - p) * 2^64, to 9 digits */
static void cell_test_decay(struct kunit *test)
{
	const struct {
		u64 ber;
		u64 decay;
	} cases[] = {
		{ 1, 18446744 }, { 1000, 18446744082ULL },
		{ 1000000, 18446753297087ULL },
		{ 10000000000ULL, 185395973344368338ULL },
		{ CELLINK_BER_MAX, 1943558467813989742ULL },
	};
	int i;

	KUNIT_EXPECT_EQ(test, cell_decay(0), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_LE_MSG(test, cell_off(cell_decay(cases[i].ber),
						   cases[i].decay),
				    cases[i].decay / 1000000000 + 64,
				    "ber %llu", cases[i].ber);
}

static void cell_test_begin(struct cell_errors *e,
			    const struct cell_errors_config *cfg)
{
	cell_errors_start(e, cfg, 1);
}

/* The number of bad bits fits the bit error rate, for packets of any length. */
static void cell_test_bad_bits(struct kunit *test)
{
	const u64 total = 100000000, mean = total / 1000;
	const int pieces[] = { 1000, 12000, 524280 };
	struct cell_errors_config cfg = { .state[0].ber = 1000000000 };
	struct cell_errors e;
	u64 bad, bits, at;
	s64 left;
	int i;

	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		cell_test_begin(&e, &cfg);
		bad = 0;
		for (bits = 0; bits < total; bits += pieces[i])
			for (left = pieces[i];
			     cell_errors_bad_bit(&e, left, &at);
			     left -= at + 1)
				bad++;
		/* 2.58 sqrt(mean), plus the excess of the last packet */
		KUNIT_EXPECT_LE_MSG(test, cell_off(bad, mean), 816 + 524ULL,
				    "%llu bad ones in pieces of %d", bad,
				    pieces[i]);
	}
}

/* The positions of bad bits do not depend on the lengths of packets. */
static void cell_test_bad_bits_places(struct kunit *test)
{
	struct cell_errors_config cfg = { .state[0].ber = CELLINK_BER_MAX };
	struct cell_errors one, bits;
	u64 at, place = 0, here = 0;
	int i;

	cell_test_begin(&one, &cfg);
	cell_test_begin(&bits, &cfg);
	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_TRUE(test, cell_errors_bad_bit(&one, S64_MAX, &at));
		place += at;
		while (!cell_errors_bad_bit(&bits, 1, &at))
			here++;
		KUNIT_ASSERT_EQ(test, place, here);
		KUNIT_ASSERT_EQ(test, at, 0);
		place++;
		here++;
	}
}

/* Without a bit error rate there are no bad bits, even after a state with bad bits. */
static void cell_test_no_bad_bits(struct kunit *test)
{
	struct cell_errors_config cfg = { .state[CELLINK_STATE_BAD].ber =
				   CELLINK_BER_MAX };
	struct cell_errors e;
	u64 at;

	cell_test_begin(&e, &cfg);
	KUNIT_EXPECT_FALSE(test, cell_errors_bad_bit(&e, S64_MAX, &at));
	cell_errors_turn(&e);
	KUNIT_EXPECT_TRUE(test, cell_errors_bad_bit(&e, S64_MAX, &at));
	cell_errors_turn(&e);
	KUNIT_EXPECT_FALSE(test, cell_errors_bad_bit(&e, S64_MAX, &at));
}

/* A packet of zeros: each bit that is not 0 has been flipped. */
static struct sk_buff *cell_test_zeros(struct kunit *test, u32 bytes)
{
	struct sk_buff *skb = alloc_skb(bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(skb_put(skb, bytes), 0, bytes);
	return skb;
}

static u32 cell_test_flips(const struct sk_buff *skb, u32 from, u32 to)
{
	u32 flips = 0;

	for (; from < to; from++)
		flips += !!(skb->data[from / 8] & 0x80 >> from % 8);
	return flips;
}

/* Check the bits of a packet before bit @end, as if these bits had been sent. */
static void cell_test_sent(struct cell_errors *e, struct sk_buff *skb,
			   struct cell_check *check, u32 end)
{
	cell_errors_check_sent(e, skb, check, fl_work(skb->len) - end * BIT_WORK,
			       CELLINK_CORRUPT_DELIVER);
}

/* The same bits are bad, whether a packet is checked at once or in parts. */
static void cell_test_check_parts(struct kunit *test)
{
	const struct cell_errors_config cfg = { .state[0].ber = CELLINK_BER_MAX };
	struct sk_buff *whole = cell_test_zeros(test, 1000);
	struct sk_buff *parts = cell_test_zeros(test, 1000);
	struct cell_check check = {}, other = {};
	struct cell_errors e, f;
	int end;

	cell_test_begin(&e, &cfg);
	cell_test_begin(&f, &cfg);
	cell_errors_check_rest(&e, whole, &check, CELLINK_CORRUPT_DELIVER);
	for (end = 0; end < 8000; end += end / 100 + 1)
		cell_test_sent(&f, parts, &other, end);
	cell_errors_check_rest(&f, parts, &other, CELLINK_CORRUPT_DELIVER);
	KUNIT_EXPECT_GT(test, cell_test_flips(whole, 0, 8000), 0);
	KUNIT_EXPECT_EQ(test, memcmp(whole->data, parts->data, 1000), 0);
	KUNIT_EXPECT_EQ(test, e.gap, f.gap);
	kfree_skb(whole);
	kfree_skb(parts);
}

/* Only bits that are checked in a state with bit errors are bad, up to the first and the last of
 * these bits.
 */
static void cell_test_check_states(struct kunit *test)
{
	const struct cell_errors_config cfg = { .state[CELLINK_STATE_BAD].ber =
						CELLINK_BER_MAX };
	u32 flips = 0, first = 0, last = 0;
	struct cell_errors e;
	int i;

	cell_test_begin(&e, &cfg);
	for (i = 0; i < 200; i++) {
		struct sk_buff *skb = cell_test_zeros(test, 100);
		struct cell_check check = {};

		cell_test_sent(&e, skb, &check, 301);
		cell_errors_turn(&e);
		cell_test_sent(&e, skb, &check, 602);
		cell_errors_turn(&e);
		cell_errors_check_rest(&e, skb, &check, CELLINK_CORRUPT_DELIVER);
		KUNIT_EXPECT_EQ(test, cell_test_flips(skb, 0, 301), 0);
		KUNIT_EXPECT_EQ(test, cell_test_flips(skb, 602, 800), 0);
		KUNIT_EXPECT_TRUE(test, check.damaged && !check.corrupted);
		flips += cell_test_flips(skb, 301, 602);
		first += cell_test_flips(skb, 301, 302);
		last += cell_test_flips(skb, 601, 602);
		kfree_skb(skb);
	}
	KUNIT_EXPECT_GT(test, first, 0);
	KUNIT_EXPECT_GT(test, last, 0);
	/* 2.58 standard deviations of 200 * 301 bits */
	KUNIT_EXPECT_LE(test, cell_off(flips, 6020), 190ULL);
}

/* The first bad bit decides that a packet is dropped. No bit of this packet is flipped, even if
 * later packets would be delivered. The bits that are checked together with the first bad bit use
 * up no random number.
 */
static void cell_test_check_drop(struct kunit *test)
{
	const struct cell_errors_config cfg = { .state[0].ber = CELLINK_BER_MAX };
	struct sk_buff *skb = cell_test_zeros(test, 1000);
	struct cell_check check = {};
	struct cell_errors e, once;
	u64 at;

	cell_test_begin(&e, &cfg);
	cell_test_begin(&once, &cfg);
	cell_errors_check_sent(&e, skb, &check, fl_work(500), CELLINK_CORRUPT_DROP);
	KUNIT_EXPECT_TRUE(test, cell_errors_bad_bit(&once, 4000, &at));
	KUNIT_EXPECT_EQ(test, e.gap, once.gap);
	cell_errors_check_rest(&e, skb, &check, CELLINK_CORRUPT_DELIVER);
	KUNIT_EXPECT_TRUE(test, check.corrupted && !check.damaged);
	KUNIT_EXPECT_EQ(test, cell_test_flips(skb, 0, 8000), 0);
	kfree_skb(skb);
}

/* Bits that have been checked are not checked again, even if the remaining work has grown. */
static void cell_test_check_once(struct kunit *test)
{
	const struct cell_errors_config cfg = { .state[0].ber = CELLINK_BER_MAX };
	struct sk_buff *skb = cell_test_zeros(test, 1000);
	struct cell_check check = { .bits = 8000 };
	struct cell_errors e;
	u64 gap;

	cell_test_begin(&e, &cfg);
	gap = e.gap;
	cell_test_sent(&e, skb, &check, 8000);
	cell_test_sent(&e, skb, &check, 10);
	cell_errors_check_rest(&e, skb, &check, CELLINK_CORRUPT_DELIVER);
	KUNIT_EXPECT_EQ(test, check.bits, 8000);
	KUNIT_EXPECT_EQ(test, cell_test_flips(skb, 0, 8000), 0);
	KUNIT_EXPECT_EQ(test, e.gap, gap);
	kfree_skb(skb);
}

/* A bit counts as sent when all of it has been sent. Work of a VLAN tag comes before all bits. */
static void cell_test_bits_sent(struct kunit *test)
{
	const u64 whole = 800 * BIT_WORK;

	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, whole), 0);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, whole - BIT_WORK + 1), 0);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, whole - BIT_WORK), 1);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, whole / 2), 400);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, 1), 799);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, 0), 800);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(800, whole + 32 * BIT_WORK), 0);
	KUNIT_EXPECT_EQ(test, cell_bits_sent(524280, fl_work(65535)), 0);
}

/* The sent bits at the time of a change, from the remaining time at the slowest and at the fastest
 * rate, and at 64 kbit/s.
 */
static void cell_test_bits_sent_rates(struct kunit *test)
{
	const struct {
		u64 rate;
		u64 left;
		u64 sent;
	} cases[] = {
		{ 1, 8000000000000ULL, 0 }, { 1, 7999875000000ULL, 1 },
		{ 1, 7999875000001ULL, 0 }, { 8000, 1000000000, 0 },
		{ 8000, 999984375, 1 }, { 8000, 15625, 63999 },
		{ 8000, 15624, 63999 }, { 8000, 0, 64000 },
		{ CELLINK_RATE_MAX, 64, 0 }, { CELLINK_RATE_MAX, 63, 1000 },
		{ CELLINK_RATE_MAX, 1, 63000 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, cases[i].sent,
				    cell_bits_sent(64000, fl_work_left(cases[i].left,
								       cases[i].rate)),
				    "case %d", i);
}

/* Packets are lost at the rate of the state: none, some or all. */
static void cell_test_losses(struct kunit *test)
{
	const u32 rates[] = { 0, 15000, 54000, 500000, CELLINK_LOSS_MAX };
	const u64 allowed[] = { 0, 314, 584, 1290, 0 };
	struct cell_errors_config cfg = {};
	struct cell_errors e;
	u64 lost;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		cfg.state[CELLINK_STATE_BAD].loss = rates[i];
		cell_test_begin(&e, &cfg);
		KUNIT_EXPECT_FALSE(test, cell_errors_loses(&e, &cfg));
		cell_errors_turn(&e);
		for (lost = 0, n = 0; n < MANY; n++)
			lost += cell_errors_loses(&e, &cfg);
		KUNIT_EXPECT_LE_MSG(test, cell_off(lost, rates[i] / 10ULL),
				    allowed[i], "%llu of rate %u", lost,
				    rates[i]);
	}
}

/* Each state lasts its configured time, exactly or on average. */
static void cell_test_sojourns(struct kunit *test)
{
	struct cell_errors_config cfg = {
		.state[CELLINK_STATE_GOOD].sojourn = 10 * NSEC_PER_SEC,
		.state[CELLINK_STATE_BAD].sojourn = 100 * NSEC_PER_MSEC,
		.law = CELLINK_LAW_CONSTANT,
	};
	u64 sum[CELLINK_STATES] = {};
	struct cell_errors e;
	int i;

	cell_test_begin(&e, &cfg);
	KUNIT_EXPECT_EQ(test, cell_errors_sojourn(&e, &cfg),
			10 * NSEC_PER_SEC);
	cell_errors_turn(&e);
	KUNIT_EXPECT_EQ(test, cell_errors_sojourn(&e, &cfg),
			100 * NSEC_PER_MSEC);

	cfg.law = CELLINK_LAW_EXPONENTIAL;
	cell_test_begin(&e, &cfg);
	for (i = 0; i < 2 * MANY; i++) {
		sum[e.state] += cell_errors_sojourn(&e, &cfg);
		cell_errors_turn(&e);
	}
	KUNIT_EXPECT_LE(test, cell_off(sum[0] / MANY, 10ULL * NSEC_PER_SEC),
			82ULL * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, cell_off(sum[1] / MANY, 100ULL * NSEC_PER_MSEC),
			820ULL * NSEC_PER_USEC);
}

static struct kunit_case cell_errors_cases[] = {
	KUNIT_CASE(cell_test_numbers),
	KUNIT_CASE(cell_test_seeds),
	KUNIT_CASE(cell_test_log2),
	KUNIT_CASE(cell_test_exponential),
	KUNIT_CASE(cell_test_below),
	KUNIT_CASE(cell_test_decay),
	KUNIT_CASE(cell_test_bad_bits),
	KUNIT_CASE(cell_test_bad_bits_places),
	KUNIT_CASE(cell_test_no_bad_bits),
	KUNIT_CASE(cell_test_check_parts),
	KUNIT_CASE(cell_test_check_states),
	KUNIT_CASE(cell_test_check_drop),
	KUNIT_CASE(cell_test_check_once),
	KUNIT_CASE(cell_test_bits_sent),
	KUNIT_CASE(cell_test_bits_sent_rates),
	KUNIT_CASE(cell_test_losses),
	KUNIT_CASE(cell_test_sojourns),
	{}
};

static struct kunit_suite cell_errors_suite = {
	.name = "cellink_errors",
	.test_cases = cell_errors_cases,
};

kunit_test_suite(cell_errors_suite);

MODULE_DESCRIPTION("KUnit tests of cellink's chances");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
