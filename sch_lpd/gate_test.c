// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the arithmetic of a gate. */

#include <kunit/test.h>
#include <linux/module.h>
#include "gate.c"

#define NOW	(1000LL * NSEC_PER_SEC)
#define SEC	((s64)NSEC_PER_SEC)
#define SENT	5000

static struct lpd_gate *lpd_gate_new(struct kunit *test)
{
	struct lpd_gate *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	lpd_gate_begin(g, SENT);
	return g;
}

static void lpd_expect_probe(struct kunit *test, const struct lpd_probe *p, u64 bytes,
			     s64 time, bool idle)
{
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ(test, p->bytes, bytes);
	KUNIT_EXPECT_EQ(test, p->time, time);
	KUNIT_EXPECT_EQ(test, p->idle, idle);
}

/* The window counts from the time when the gate was made, and then from the newest
 * acknowledged probe. The answer to an older probe does not move the window back.
 */
static void lpd_gate_test_window(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);

	KUNIT_EXPECT_EQ(test, g->until, U64_MAX);
	lpd_gate_set(g, 3000, NULL);
	KUNIT_EXPECT_EQ(test, g->until, SENT + 3000);
	lpd_gate_note(g, 7, 6000, NOW, false);
	lpd_gate_note(g, 8, 7000, NOW, false);
	lpd_gate_set(g, 3000, lpd_gate_find(g, 8));
	KUNIT_EXPECT_EQ(test, g->until, 10000);
	lpd_gate_set(g, 1000, lpd_gate_find(g, 7));
	KUNIT_EXPECT_EQ(test, g->until, 8000);
	lpd_gate_set(g, 0, NULL);
	KUNIT_EXPECT_EQ(test, g->until, 7000);
}

/* No window is too large. */
static void lpd_gate_test_largest_window(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);

	lpd_gate_set(g, U64_MAX - SENT, NULL);
	KUNIT_EXPECT_EQ(test, g->until, U64_MAX);
	lpd_gate_set(g, U64_MAX - SENT + 1, NULL);
	KUNIT_EXPECT_EQ(test, g->until, U64_MAX);
	lpd_gate_set(g, U64_MAX, NULL);
	KUNIT_EXPECT_EQ(test, g->until, U64_MAX);
}

/* A gate knows the last LPD_PROBES_NOTED probes. */
static void lpd_gate_test_ring(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);
	u32 n;

	for (n = 0; n < LPD_PROBES_NOTED + 10; n++)
		lpd_gate_note(g, 5000 + n, 100 * n, NOW + n, false);
	for (n = 0; n < 10; n++)
		KUNIT_EXPECT_NULL(test, lpd_gate_find(g, 5000 + n));
	for (; n < LPD_PROBES_NOTED + 10; n++)
		lpd_expect_probe(test, lpd_gate_find(g, 5000 + n), 100 * n, NOW + n, false);
	KUNIT_EXPECT_NULL(test, lpd_gate_find(g, 5000 + n));
}

/* A new gate knows no probe of the previous gate, even if the probe is still in memory. */
static void lpd_gate_test_begin_forgets(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);

	KUNIT_EXPECT_NULL(test, lpd_gate_find(g, 0));
	lpd_gate_note(g, 0, 100, NOW, false);
	KUNIT_EXPECT_NOT_NULL(test, lpd_gate_find(g, 0));
	lpd_gate_begin(g, 9000);
	KUNIT_EXPECT_NULL(test, lpd_gate_find(g, 0));
	lpd_gate_set(g, 1, NULL);
	KUNIT_EXPECT_EQ(test, g->until, 9001);
}

/* If two probes have the same number, the newer probe is found. */
static void lpd_gate_test_same_number(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);

	lpd_gate_note(g, 3, 100, NOW, false);
	lpd_gate_note(g, 4, 150, NOW + 1, false);
	lpd_gate_note(g, 3, 200, NOW + 2, true);
	lpd_expect_probe(test, lpd_gate_find(g, 3), 200, NOW + 2, true);
	lpd_expect_probe(test, lpd_gate_find(g, 4), 150, NOW + 1, false);
}

/* A new rate is used if it differs by a quarter or more from the rate in use. */
static void lpd_gate_test_quarter(struct kunit *test)
{
	static const struct {
		u64 used;
		u64 rate;
		bool wanted;
	} cases[] = {
		{ 1000, 1250, true }, { 1000, 1249, false },
		{ 1000, 750, true }, { 1000, 751, false },
		{ 1000, 1000, false },
		{ 1001, 1251, false }, { 1001, 1252, true },
		{ 1003, 1253, false }, { 1003, 1254, true },
		{ 0, 1, true }, { 1, 1, false }, { 1, 2, true },
		{ U64_MAX, 1, true }, { 1, U64_MAX, true },
		{ U64_MAX, U64_MAX - 1, false },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lpd_gate *g = lpd_gate_new(test);

		KUNIT_EXPECT_EQ_MSG(test, cases[i].wanted,
				    lpd_gate_rates(g, cases[i].used, cases[i].rate, NOW),
				    "case %d", i);
	}
}

/* A new rate is used at most once a second. A rate that was refused does not delay the next new
 * rate.
 */
static void lpd_gate_test_rate_pause(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);

	KUNIT_EXPECT_FALSE(test, lpd_gate_rates(g, 1000, 1100, NOW));
	KUNIT_EXPECT_TRUE(test, lpd_gate_rates(g, 1000, 2000, NOW + 5));
	KUNIT_EXPECT_FALSE(test, lpd_gate_rates(g, 2000, 4000, NOW + SEC));
	KUNIT_EXPECT_FALSE(test, lpd_gate_rates(g, 2000, 4000, NOW + 4 + SEC));
	KUNIT_EXPECT_TRUE(test, lpd_gate_rates(g, 2000, 4000, NOW + 5 + SEC));
	lpd_gate_begin(g, 0);
	KUNIT_EXPECT_FALSE(test, lpd_gate_rates(g, 4000, 8000, NOW + 4 + 2 * SEC));
	KUNIT_EXPECT_TRUE(test, lpd_gate_rates(g, 4000, 8000, NOW + 5 + 2 * SEC));
}

/* The time of closure lasts from the first packet that is held back until the window allows
 * the next packet.
 */
static void lpd_gate_test_closed_time(struct kunit *test)
{
	struct lpd_gate *g = lpd_gate_new(test);

	lpd_gate_set(g, 1000, NULL);
	KUNIT_EXPECT_FALSE(test, lpd_gate_let_go(g, SENT, NOW));
	lpd_gate_hold(g, NOW + 10);
	lpd_gate_hold(g, NOW + 20);
	KUNIT_EXPECT_EQ(test, lpd_gate_closed_ns(g, NOW + 30), 20);
	KUNIT_EXPECT_FALSE(test, lpd_gate_let_go(g, SENT + 1001, NOW + 40));
	KUNIT_EXPECT_TRUE(test, lpd_gate_let_go(g, SENT + 1000, NOW + 50));
	KUNIT_EXPECT_EQ(test, lpd_gate_closed_ns(g, NOW + 60), 40);
	KUNIT_EXPECT_FALSE(test, lpd_gate_let_go(g, SENT, NOW + 70));
	lpd_gate_hold(g, NOW + 100);
	KUNIT_EXPECT_EQ(test, lpd_gate_closed_ns(g, NOW + 105), 45);
}

static struct kunit_case lpd_gate_test_cases[] = {
	KUNIT_CASE(lpd_gate_test_window),
	KUNIT_CASE(lpd_gate_test_largest_window),
	KUNIT_CASE(lpd_gate_test_ring),
	KUNIT_CASE(lpd_gate_test_begin_forgets),
	KUNIT_CASE(lpd_gate_test_same_number),
	KUNIT_CASE(lpd_gate_test_quarter),
	KUNIT_CASE(lpd_gate_test_rate_pause),
	KUNIT_CASE(lpd_gate_test_closed_time),
	{}
};

static struct kunit_suite lpd_gate_test_suite = {
	.name = "lpd_gate",
	.test_cases = lpd_gate_test_cases,
};

kunit_test_suite(lpd_gate_test_suite);

MODULE_DESCRIPTION("KUnit tests of lpd's gate");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
