// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of RFC 2988's timer, against its section 2 computed by hand. */

#include <kunit/test.h>
#include <linux/module.h>
#include "rfc2988.h"

#define MS	USEC_PER_MSEC

/* Before any sample 3 s (2.1); the first one R gives R + 4 R/2 (2.2), no less than 1 s (2.4). */
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

/* The variation counts the distance to the old SRTT, up and down alike (2.3). Against the new one
 * 1600 ms would make it 475 ms.
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

/* Of a path whose delay never changes the timeout nears max(1 s, SRTT + G), where Linux's stays
 * at SRTT + 1 s.
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
	/* what is less than 8 us is too little to be smoothed */
	KUNIT_EXPECT_LE(test, rfc2988_timeout(&timer), 4000 * MS + RFC2988_G_US);
	KUNIT_EXPECT_GT(test, rfc2988_timeout(&timer),
			4000 * MS + RFC2988_G_US - 8);
}

/* Each expiry doubles it, up to the maximum; the next sample ends that, and is one as any. */
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

/* Whatever is measured, the timeout is between its least and its most. */
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
MODULE_LICENSE("GPL");
