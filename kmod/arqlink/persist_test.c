// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the decision whether a frame is sent again. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
#include <net/fl_deadline.h>
#include "persist.h"

#define NOW	(1000 * (s64)NSEC_PER_SEC)
#define WAY	(7 * (s64)NSEC_PER_MSEC)

/* A frame that was sent @attempts times, the first time at @first_at. */
static struct arql_past arql_past(u32 attempts, s64 first_at, s64 deadline)
{
	return (struct arql_past){
		.attempts = attempts, .begun = attempts > 0, .first_at = first_at,
		.deadline = deadline,
	};
}

static void arql_expect(struct kunit *test, struct arql_past past,
			const struct arql_config *cfg, int verdict)
{
	KUNIT_EXPECT_EQ_MSG(test, arql_persist(&past, cfg, NOW, WAY), verdict,
			    "attempts %u, first_at NOW%+lld, deadline NOW%+lld", past.attempts,
			    past.first_at - NOW, past.deadline - NOW);
}

/* Without limits a frame is sent for ever. */
static void arql_test_unlimited(struct kunit *test)
{
	const struct arql_config cfg = {};

	arql_expect(test, arql_past(0, 0, FL_NO_DEADLINE), &cfg, 0);
	arql_expect(test, arql_past(1, NOW, FL_NO_DEADLINE), &cfg, 0);
	arql_expect(test, arql_past(U32_MAX, 0, FL_NO_DEADLINE), &cfg, 0);
}

/* A frame is sent as often as "attempts" says. */
static void arql_test_attempts(struct kunit *test)
{
	struct arql_config cfg = { .attempts = 1 };

	arql_expect(test, arql_past(0, 0, FL_NO_DEADLINE), &cfg, 0);
	arql_expect(test, arql_past(1, NOW, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_ATTEMPTS);
	cfg.attempts = 3;
	arql_expect(test, arql_past(2, NOW, FL_NO_DEADLINE), &cfg, 0);
	arql_expect(test, arql_past(3, NOW, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_ATTEMPTS);
	/* the option may have fallen */
	arql_expect(test, arql_past(4, NOW, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_ATTEMPTS);
	cfg.attempts = ARQLINK_ATTEMPTS_MAX;
	arql_expect(test, arql_past(ARQLINK_ATTEMPTS_MAX - 1, 0, FL_NO_DEADLINE), &cfg,
		    0);
	arql_expect(test, arql_past(ARQLINK_ATTEMPTS_MAX, 0, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_ATTEMPTS);
}

/* A frame is sent again until "persist" has passed since its first transmission. A frame that was
 * never sent has no such time.
 */
static void arql_test_persist(struct kunit *test)
{
	struct arql_config cfg = { .persist = 500 };

	arql_expect(test, arql_past(1, NOW - 499, FL_NO_DEADLINE), &cfg, 0);
	arql_expect(test, arql_past(1, NOW - 500, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_PERSIST);
	arql_expect(test, arql_past(0, NOW - 501, FL_NO_DEADLINE), &cfg, 0);
	cfg.persist = 1;
	arql_expect(test, arql_past(1, NOW, FL_NO_DEADLINE), &cfg, 0);
	cfg.persist = ARQLINK_PERSIST_MAX;
	arql_expect(test, arql_past(1, 0, FL_NO_DEADLINE), &cfg, 0);
}

/* A frame that arrives at its deadline is in time. One ns later it is late, or expired if no piece
 * of its packet was ever sent.
 */
static void arql_test_deadline(struct kunit *test)
{
	struct arql_past past = arql_past(0, 0, NOW + WAY - 1);
	const struct arql_config cfg = {};

	arql_expect(test, arql_past(0, 0, NOW + WAY), &cfg, 0);
	arql_expect(test, arql_past(1, 0, NOW + WAY), &cfg, 0);
	arql_expect(test, past, &cfg, ARQLINK_STATS_EXPIRED);
	past.begun = true;
	arql_expect(test, past, &cfg, ARQLINK_STATS_LATE);
	arql_expect(test, arql_past(1, 0, NOW + WAY - 1), &cfg, ARQLINK_STATS_LATE);
	arql_expect(test, arql_past(1, 0, NOW - 1), &cfg, ARQLINK_STATS_LATE);
	arql_expect(test, arql_past(1, 0, -1), &cfg, ARQLINK_STATS_LATE);
}

/* A flow that responds slowly to congestion gets twice the attempts. */
static void arql_test_slow(struct kunit *test)
{
	struct arql_past past = arql_past(5, NOW, FL_NO_DEADLINE);
	struct arql_config cfg = { .attempts = 3 };

	past.slow = true;
	arql_expect(test, past, &cfg, 0);
	past.attempts = 6;
	arql_expect(test, past, &cfg, ARQLINK_STATS_ATTEMPTS);
	cfg.attempts = 0;
	arql_expect(test, past, &cfg, 0);
	cfg.attempts = ARQLINK_ATTEMPTS_MAX;
	past.attempts = 2 * ARQLINK_ATTEMPTS_MAX - 1;
	arql_expect(test, past, &cfg, 0);
}

/* If several limits are reached, the counters are tried in this order: lifetime, attempts, persist.
 */
static void arql_test_order(struct kunit *test)
{
	struct arql_config cfg = { .attempts = 2, .persist = 500 };

	arql_expect(test, arql_past(2, NOW - 500, NOW), &cfg, ARQLINK_STATS_LATE);
	arql_expect(test, arql_past(2, NOW - 500, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_ATTEMPTS);
	arql_expect(test, arql_past(1, NOW - 500, FL_NO_DEADLINE), &cfg,
		    ARQLINK_STATS_PERSIST);
	arql_expect(test, arql_past(1, NOW - 499, NOW + WAY), &cfg, 0);
}

static struct kunit_case arql_persist_cases[] = {
	KUNIT_CASE(arql_test_unlimited),
	KUNIT_CASE(arql_test_attempts),
	KUNIT_CASE(arql_test_persist),
	KUNIT_CASE(arql_test_deadline),
	KUNIT_CASE(arql_test_slow),
	KUNIT_CASE(arql_test_order),
	{}
};

static struct kunit_suite arql_persist_suite = {
	.name = "arqlink_persist",
	.test_cases = arql_persist_cases,
};

kunit_test_suite(arql_persist_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's persistency");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
