// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the retransmission timeout. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
/* the tests include this file, because its functions are not exported */
#include "timer.c"

#define MS	((s64)NSEC_PER_MSEC)
/* Times are multiples of this unit, so that no division has a remainder. */
#define UNIT	32768LL

static struct arql_timer_config arql_adaptive(u8 gains, u8 variance)
{
	return (struct arql_timer_config){
		.kind = ARQLINK_TIMER_ADAPTIVE, .gains = gains, .variance = variance,
		.timeout = 1100 * MS, .floor = 1, .ceiling = ARQLINK_TIMEOUT_MAX,
		.mean = 3000, .deviation = 2000,
	};
}

static struct arql_estimate arql_samples(const struct arql_timer_config *cfg,
					 const s64 *samples, int n)
{
	struct arql_estimate e = {};
	int i;

	for (i = 0; i < n; i++)
		arql_estimate_sample(&e, cfg, samples[i]);
	return e;
}

/* The estimates after each sample have the values of the paper's equations (1) and (2), here in
 * 1/128 of the unit. Exact fractions gave these values.
 */
static void arql_test_equations(struct kunit *test)
{
	const s64 samples[] = { 800 * UNIT, 1600 * UNIT, 320 * UNIT, 96 * UNIT };
	const struct {
		u8 gains, variance;
		s64 srtt[4], srttvar[4];
	} cases[] = {
		{ ARQLINK_GAINS_STANDARD, ARQLINK_VARIANCE_ABSOLUTE,
		  { 102400, 115200, 105920, 94216 }, { 51200, 64000, 66560, 73328 } },
		{ ARQLINK_GAINS_STANDARD, ARQLINK_VARIANCE_SIGNED,
		  { 102400, 115200, 105920, 94216 }, { 0, 25600, 640, -22928 } },
		{ ARQLINK_GAINS_FAST, ARQLINK_VARIANCE_ABSOLUTE,
		  { 102400, 128000, 106240, 82752 }, { 51200, 76800, 81920, 87936 } },
		{ ARQLINK_GAINS_FAST, ARQLINK_VARIANCE_SIGNED,
		  { 102400, 128000, 106240, 82752 }, { 0, 51200, -17920, -55936 } },
		{ ARQLINK_GAINS_SLOW, ARQLINK_VARIANCE_ABSOLUTE,
		  { 102400, 108800, 104560, 98793 }, { 51200, 57600, 58880, 63054 } },
		{ ARQLINK_GAINS_SLOW, ARQLINK_VARIANCE_SIGNED,
		  { 102400, 108800, 104560, 98793 }, { 0, 12800, 2720, -9154 } },
	};
	int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct arql_timer_config cfg = arql_adaptive(cases[i].gains,
								   cases[i].variance);

		for (n = 1; n <= ARRAY_SIZE(samples); n++) {
			const struct arql_estimate e = arql_samples(&cfg, samples, n);

			KUNIT_EXPECT_EQ(test, e.samples, n);
			KUNIT_EXPECT_EQ(test, e.srtt, cases[i].srtt[n - 1] * UNIT / 128);
			KUNIT_EXPECT_EQ(test, e.srttvar, cases[i].srttvar[n - 1] * UNIT / 128);
		}
	}
}

/* The timeout is the weighted sum of the paper's equations (3) and (4), and TCP's. */
static void arql_test_weights(struct kunit *test)
{
	const struct arql_estimate e = { .samples = 1, .srtt = 100 * MS, .srttvar = 30 * MS };
	const struct {
		u32 mean, deviation;
		s64 timeout;
	} cases[] = {
		{ 3000, 2000, 360 * MS }, { 4000, 0, 400 * MS }, { 1000, 4000, 220 * MS },
		{ 1500, 1, 150030000 }, { 0, 100000, 3000 * MS },
	};
	struct arql_timer_config cfg = arql_adaptive(0, 0);
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cfg.mean = cases[i].mean;
		cfg.deviation = cases[i].deviation;
		KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), cases[i].timeout);
	}
}

/* A fixed timer never changes. An adaptive timer has the same timeout before its first sample, even
 * below its floor.
 */
static void arql_test_fixed(struct kunit *test)
{
	const struct arql_estimate none = { .least = 5 * MS };
	const struct arql_estimate e = { .samples = 9, .srtt = 5 * MS, .srttvar = 2 * MS };
	struct arql_timer_config cfg = arql_adaptive(0, 0);

	cfg.floor = 2000 * MS;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&none, &cfg), 1100 * MS);
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), 2000 * MS);
	cfg.kind = ARQLINK_TIMER_FIXED;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&none, &cfg), 1100 * MS);
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), 1100 * MS);
}

/* The timeout is never below the floor, also with a negative sum, and never above the largest one.
 */
static void arql_test_limits(struct kunit *test)
{
	struct arql_timer_config cfg = arql_adaptive(0, ARQLINK_VARIANCE_SIGNED);
	struct arql_estimate e = { .samples = 1, .srtt = 10 * MS };

	cfg.floor = 30 * MS;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), 30 * MS);
	e.srtt--;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), 30 * MS);
	e.srtt = 10 * MS + 1;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), 30 * MS + 3);
	e.srttvar = -100 * MS;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), 30 * MS);
	e = (struct arql_estimate){ .samples = 1, .srtt = 20000 * MS };
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), ARQLINK_TIMEOUT_MAX);
	e.srtt--;
	KUNIT_EXPECT_EQ(test, arql_estimate_timeout(&e, &cfg), ARQLINK_TIMEOUT_MAX - 3);
}

/* With the longest and the shortest samples in turn, the mean stays between them, the deviation
 * stays within their distance, and the timeout within its limits: nothing overflows.
 */
static void arql_expect_sane(struct kunit *test, const struct arql_timer_config *cfg)
{
	const s64 samples[] = { S64_MAX, 0, S64_MAX, S64_MAX, 0, 1, 0, 0, S64_MAX };
	struct arql_estimate e = {};
	u64 timeout;
	int i;

	for (i = 0; i < 100 * ARRAY_SIZE(samples); i++) {
		arql_estimate_sample(&e, cfg, samples[i % ARRAY_SIZE(samples)]);
		timeout = arql_estimate_timeout(&e, cfg);
		KUNIT_ASSERT_GE(test, e.srtt, 0);
		KUNIT_ASSERT_LE(test, e.srtt, ARQL_SAMPLE_MAX);
		KUNIT_ASSERT_LE(test, abs(e.srttvar), ARQL_SAMPLE_MAX);
		KUNIT_ASSERT_GE(test, timeout, cfg->floor);
		KUNIT_ASSERT_LE(test, timeout, ARQLINK_TIMEOUT_MAX);
	}
}

static void arql_test_extreme(struct kunit *test)
{
	int gains, variance;

	for (gains = 0; gains <= ARQLINK_GAINS_MAX; gains++) {
		for (variance = 0; variance <= ARQLINK_VARIANCE_MAX; variance++) {
			struct arql_timer_config cfg = arql_adaptive(gains, variance);

			cfg.mean = ARQLINK_FACTOR_MAX;
			cfg.deviation = ARQLINK_FACTOR_MAX;
			arql_expect_sane(test, &cfg);
			cfg.mean = 0;
			arql_expect_sane(test, &cfg);
		}
	}
}

/* With equal samples the mean stays, and the absolute deviation ends near 0: the timeout approaches
 * mean_factor times the sample.
 */
static void arql_test_steady(struct kunit *test)
{
	int gains, i;

	for (gains = 0; gains <= ARQLINK_GAINS_MAX; gains++) {
		const struct arql_timer_config cfg = arql_adaptive(gains,
								   ARQLINK_VARIANCE_ABSOLUTE);
		struct arql_estimate e = {};

		for (i = 0; i < 300; i++)
			arql_estimate_sample(&e, &cfg, 123456789);
		KUNIT_EXPECT_EQ(test, e.srtt, 123456789);
		/* a deviation below the inverse of the gain rounds to no change */
		KUNIT_EXPECT_LT(test, e.srttvar, 1 << arql_gains[gains].deviation);
	}
}

/* The least round-trip time only falls, and is never 0 after a measurement. */
static void arql_test_least(struct kunit *test)
{
	struct arql_estimate e = {};

	arql_estimate_least(&e, 50);
	KUNIT_EXPECT_EQ(test, e.least, 50);
	arql_estimate_least(&e, 51);
	KUNIT_EXPECT_EQ(test, e.least, 50);
	arql_estimate_least(&e, 49);
	KUNIT_EXPECT_EQ(test, e.least, 49);
	arql_estimate_least(&e, 0);
	KUNIT_EXPECT_EQ(test, e.least, 1);
	KUNIT_EXPECT_EQ(test, e.samples, 0);
}

/* A stamp counts us modulo 2^32. The time since a stamp is right across the wrap. A stamp of the
 * future, or of more than a minute ago, is none of ours.
 */
static void arql_test_stamp(struct kunit *test)
{
	const s64 wrap = (1LL << 32) * NSEC_PER_USEC, minute = 60 * (s64)NSEC_PER_SEC;
	const s64 times[] = { minute, wrap - 1, wrap, wrap + 7 * MS, wrap + minute, 9 * wrap + 5 };
	int i;

	KUNIT_EXPECT_EQ(test, arql_stamp(1999), 1);
	KUNIT_EXPECT_EQ(test, arql_stamp(wrap - 1), U32_MAX);
	KUNIT_EXPECT_EQ(test, arql_stamp(wrap + 2000), 2);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		const s64 now = times[i];

		KUNIT_EXPECT_EQ(test, arql_stamp_age(arql_stamp(now), now), 0);
		KUNIT_EXPECT_EQ(test, arql_stamp_age(arql_stamp(now - 8 * MS), now), 8 * MS);
		KUNIT_EXPECT_EQ(test, arql_stamp_age(arql_stamp(now - minute), now), minute);
		KUNIT_EXPECT_EQ(test, arql_stamp_age(arql_stamp(now) + 1, now), -1);
		KUNIT_EXPECT_EQ(test, arql_stamp_age(arql_stamp(now + minute), now), -1);
		KUNIT_EXPECT_EQ(test, arql_stamp_age(arql_stamp(now - minute) - 1, now), -1);
	}
}

static struct kunit_case arql_timer_cases[] = {
	KUNIT_CASE(arql_test_equations),
	KUNIT_CASE(arql_test_weights),
	KUNIT_CASE(arql_test_fixed),
	KUNIT_CASE(arql_test_limits),
	KUNIT_CASE(arql_test_extreme),
	KUNIT_CASE(arql_test_steady),
	KUNIT_CASE(arql_test_least),
	KUNIT_CASE(arql_test_stamp),
	{}
};

static struct kunit_suite arql_timer_suite = {
	.name = "arqlink_timer",
	.test_cases = arql_timer_cases,
};

kunit_test_suite(arql_timer_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's retransmission timeout");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
