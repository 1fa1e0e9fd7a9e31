// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of RFC 2988's timer. Expected values are computed by hand from section 2. */

#include <kunit/test.h>
#include <linux/module.h>
#include "rfc2988.h"

#define MS	USEC_PER_MSEC

/* Before any sample the timeout is 3 s (2.1). The first sample R gives R + 4 R/2 (2.2), but at
 * least 1 s (2.4).
 */
static void rfc2988_test_first(struct kunit *test)
{
	struct rfc2988 timer = {};

	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 3000 * MS);
	rfc2988_sample(&timer, 800 * MS);
	KUNIT_EXPECT_EQ(test, timer.srtt, 800 * MS);
	KUNIT_EXPECT_EQ(test, timer.rttvar, 400 * MS);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 2400 * MS);

	timer = (struct rfc2988){};
	rfc2988_sample(&timer, 200 * MS);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 1000 * MS);
}

/* The variation uses the distance of a sample to the old SRTT, in both directions alike (2.3).
 * With the new SRTT the sample of 1600 ms would give 475 ms.
 */
static void rfc2988_test_further(struct kunit *test)
{
	struct rfc2988 timer = {};

	rfc2988_sample(&timer, 800 * MS);
	rfc2988_sample(&timer, 1600 * MS);
	KUNIT_EXPECT_EQ(test, timer.rttvar, 500 * MS);
	KUNIT_EXPECT_EQ(test, timer.srtt, 900 * MS);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 2900 * MS);
	rfc2988_sample(&timer, 100 * MS);
	KUNIT_EXPECT_EQ(test, timer.rttvar, 575 * MS);
	KUNIT_EXPECT_EQ(test, timer.srtt, 800 * MS);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 3100 * MS);
}

/* If the delay never changes, the timeout approaches max(1 s, SRTT + G). Linux's timeout would
 * stay at SRTT + 1 s.
 */
static void rfc2988_test_steady(struct kunit *test)
{
	struct rfc2988 timer = {};
	int i;

	for (i = 0; i < 100; i++)
		rfc2988_sample(&timer, 700 * MS);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 1000 * MS);
	for (i = 0; i < 200; i++)
		rfc2988_sample(&timer, 4000 * MS);
	/* smoothing loses differences below 8 us */
	KUNIT_EXPECT_LE(test, rfc2988_timeout(&timer), 4000 * MS + RFC2988_G_US);
	KUNIT_EXPECT_GT(test, rfc2988_timeout(&timer),
			4000 * MS + RFC2988_G_US - 8);
}

/* The timeout doubles each time the timer fires, up to the maximum. The next sample ends the
 * back-off, and counts as any other sample.
 */
static void rfc2988_test_expiries(struct kunit *test)
{
	struct rfc2988 timer = {};

	rfc2988_sample(&timer, 500 * MS);
	timer.expiries = 1;
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 3000 * MS);
	timer.expiries = 6;
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 96000 * MS);
	timer.expiries = 7;
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 120000 * MS);
	timer.expiries = U32_MAX;
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 120000 * MS);
	rfc2988_sample(&timer, 500 * MS);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 1250 * MS);
}

/* With extreme samples the timeout stays between its minimum and its maximum. */
static void rfc2988_test_extremes(struct kunit *test)
{
	struct rfc2988 timer = {};

	rfc2988_sample(&timer, 0);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 1000 * MS);
	rfc2988_sample(&timer, U64_MAX);
	KUNIT_EXPECT_EQ(test, timer.rttvar, 30000 * MS - 1);
	KUNIT_EXPECT_EQ(test, rfc2988_timeout(&timer), 120000 * MS);
}

static struct kunit_case rfc2988_cases[] = {
	KUNIT_CASE(rfc2988_test_first),
	KUNIT_CASE(rfc2988_test_further),
	KUNIT_CASE(rfc2988_test_steady),
	KUNIT_CASE(rfc2988_test_expiries),
	KUNIT_CASE(rfc2988_test_extremes),
	{}
};

static struct kunit_suite rfc2988_suite = {
	.name = "rfc2988",
	.test_cases = rfc2988_cases,
};

kunit_test_suite(rfc2988_suite);

MODULE_DESCRIPTION("KUnit tests of RFC 2988's timer");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
