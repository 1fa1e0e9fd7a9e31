// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of what computes in sch_lpd: lifetime arithmetic, the heap, and how
 * far a flow is reordered.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include "flow.h"
#include "heap.h"
#include "lifetime.h"

#define NOW	(1000LL * NSEC_PER_SEC)
#define MS	((s64)NSEC_PER_MSEC)

/* A relative lifetime ends that many ms after arrival; 0 has ended already. */
static void lpd_test_deadline_relative(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lpd_deadline_relative(0, NOW), NOW - 1);
	KUNIT_EXPECT_EQ(test, lpd_deadline_relative(1, NOW), NOW + MS);
	KUNIT_EXPECT_EQ(test, lpd_deadline_relative(XLO_RELATIVE_MAX, NOW),
			NOW + 65534 * MS);
}

/* A time of day is the nearest instant with that name, also across midnight,
 * and is told apart from now by less than a ms.
 */
static void lpd_test_deadline_absolute(struct kunit *test)
{
	const u64 day = (u64)XLO_DAY_MS * NSEC_PER_MSEC;
	const u64 noon = 20000 * day + day / 2;
	const u64 almost_midnight = 20000 * day - 10 * NSEC_PER_MSEC;
	const struct {
		u32 ms_of_day;
		u64 utc;
		s64 expected;
	} cases[] = {
		{ XLO_DAY_MS / 2 + 250, noon, NOW + 250 * MS },
		{ XLO_DAY_MS / 2 - 250, noon, NOW - 250 * MS },
		{ XLO_DAY_MS / 2 + 1, noon + 400000, NOW + MS - 400000 },
		{ 15, almost_midnight, NOW + 25 * MS },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 lifetime = xlo_encode_absolute(cases[i].ms_of_day);

		KUNIT_EXPECT_EQ_MSG(test, cases[i].expected,
				    lpd_deadline_absolute(lifetime, NOW,
							  cases[i].utc),
				    "case %d", i);
	}
}

/* What remains is rounded to the nearest ms, never below 0, never above what
 * the relative form can say.
 */
static void lpd_test_remaining(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lpd_remaining_ms(NOW - 1, NOW), 0);
	KUNIT_EXPECT_EQ(test, lpd_remaining_ms(NOW + 499999, NOW), 0);
	KUNIT_EXPECT_EQ(test, lpd_remaining_ms(NOW + 500000, NOW), 1);
	KUNIT_EXPECT_EQ(test, lpd_remaining_ms(NOW + 5000 * MS, NOW), 5000);
	KUNIT_EXPECT_EQ(test, lpd_remaining_ms(NOW + 90000 * MS, NOW),
			XLO_RELATIVE_MAX);
	KUNIT_EXPECT_EQ(test, lpd_remaining_ms(S64_MIN / 4, NOW), 0);
}

/* Buckets double: below 1 ms, 1, 2-3, 4-7 ms and so on, the last one open. */
static void lpd_test_hist_bucket(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(0), 0);
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(MS - 1), 0);
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(MS), 1);
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(2 * MS), 2);
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(4 * MS - 1), 2);
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(4 * MS), 3);
	KUNIT_EXPECT_EQ(test, lpd_hist_bucket(S64_MAX), TC_LPD_HIST_BUCKETS - 1);
}

#define HEAP_SIZE	1000

struct lpd_heap_fixture {
	struct lpd_heap heap;
	struct sk_buff *skbs;
	struct rnd_state rnd;
};

static struct lpd_heap_fixture *lpd_heap_fixture(struct kunit *test)
{
	const u64 seed = 20031001;
	struct lpd_heap_fixture *f;
	int i;

	f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->heap.node = kunit_kcalloc(test, HEAP_SIZE, sizeof(*f->heap.node),
				     GFP_KERNEL);
	f->skbs = kunit_kcalloc(test, HEAP_SIZE, sizeof(*f->skbs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->heap.node);
	KUNIT_ASSERT_NOT_NULL(test, f->skbs);
	for (i = 0; i < HEAP_SIZE; i++)
		lpd_skb_cb(&f->skbs[i])->heap_pos = LPD_NOT_IN_HEAP;
	prandom_seed_state(&f->rnd, seed);
	kunit_info(test, "seed %llu", seed);
	return f;
}

/* No child before its parent, every packet knows its place. */
static void lpd_expect_heap(struct kunit *test, const struct lpd_heap *h)
{
	u32 pos;

	for (pos = 0; pos < h->len; pos++) {
		u32 parent = pos ? (pos - 1) / LPD_HEAP_ARITY : 0;

		KUNIT_ASSERT_LE(test, h->node[parent].key, h->node[pos].key);
		KUNIT_ASSERT_EQ(test, lpd_skb_cb(h->node[pos].skb)->heap_pos,
				pos);
	}
}

static struct lpd_heap_node lpd_test_node(struct lpd_heap_fixture *f, int i,
					  s64 key, u32 seq)
{
	return (struct lpd_heap_node){ key, &f->skbs[i], seq };
}

/* The top is always the earliest key, whatever the order of insertion; the packets
 * come out sorted, those with equal keys in the order in which they went in.
 */
static void lpd_test_heap_sorts(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	struct lpd_heap_node last = { .key = S64_MIN };
	int i;

	for (i = 0; i < HEAP_SIZE; i++) {
		s64 key = (s64)(prandom_u32_state(&f->rnd) % 500) - 250;

		/* numbers that wrap */
		lpd_heap_push(&f->heap, lpd_test_node(f, i, key, i - 100U));
		lpd_expect_heap(test, &f->heap);
	}
	while (f->heap.len) {
		struct lpd_heap_node top = f->heap.node[0];

		KUNIT_ASSERT_GE(test, top.key, last.key);
		if (top.key == last.key)
			KUNIT_ASSERT_TRUE(test, top.skb > last.skb);
		last = top;
		lpd_heap_remove(&f->heap, top.skb);
		KUNIT_ASSERT_EQ(test, lpd_skb_cb(top.skb)->heap_pos,
				LPD_NOT_IN_HEAP);
		lpd_expect_heap(test, &f->heap);
	}
}

/* Any packet can be taken out, and the rest stays a heap. */
static void lpd_test_heap_removes_any(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	int i;

	for (i = 0; i < HEAP_SIZE; i++)
		lpd_heap_push(&f->heap,
			      lpd_test_node(f, i, prandom_u32_state(&f->rnd), i));
	while (f->heap.len) {
		u32 pos = prandom_u32_state(&f->rnd) % f->heap.len;
		struct sk_buff *skb = f->heap.node[pos].skb;

		lpd_heap_remove(&f->heap, skb);
		KUNIT_ASSERT_EQ(test, lpd_skb_cb(skb)->heap_pos,
				LPD_NOT_IN_HEAP);
		lpd_expect_heap(test, &f->heap);
	}
}

/* Heapify makes a heap of any array, of every small size and a large one. */
static void lpd_test_heap_heapifies(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	int n, i;

	for (n = 0; n <= HEAP_SIZE; n = n < 30 ? n + 1 : n * 2) {
		f->heap.len = 0;
		for (i = 0; i < n; i++)
			lpd_heap_append(&f->heap,
					lpd_test_node(f, i,
						      prandom_u32_state(&f->rnd),
						      i));
		lpd_heap_heapify(&f->heap);
		KUNIT_ASSERT_EQ(test, f->heap.len, n);
		lpd_expect_heap(test, &f->heap);
	}
}

/* Puts packets with random keys into a flow, each allowing up to @most; returns how
 * often the packet that is overtaken the most is, beyond what it allows.
 */
static int lpd_test_overtaken(struct lpd_heap_fixture *f, u8 most)
{
	struct lpd_flow flow = {};
	s64 place[HEAP_SIZE / 8];
	u8 reorder[HEAP_SIZE / 8];
	int i, j, count, worst = INT_MIN;

	for (i = 0; i < ARRAY_SIZE(place); i++) {
		s64 key = prandom_u32_state(&f->rnd) % 1000;

		reorder[i] = prandom_u32_state(&f->rnd) % (most + 1);
		place[i] = lpd_flow_place(&flow, key, reorder[i]);
		if (place[i] < key)
			return INT_MAX;
	}
	for (i = 0; i < ARRAY_SIZE(place); i++) {
		for (count = 0, j = i + 1; j < ARRAY_SIZE(place); j++)
			count += place[j] < place[i];
		worst = max(worst, count - max(reorder[i] - 1, 0));
	}
	return worst;
}

/* No packet is overtaken by as many of its flow as its option tolerates, whatever
 * the keys and whatever the others tolerate; and none is moved ahead of its key.
 */
static void lpd_test_flow_bounds_reordering(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	int most;

	for (most = 0; most <= U8_MAX; most += most < 8 ? 1 : 13)
		KUNIT_EXPECT_LE_MSG(test, lpd_test_overtaken(f, most), 0,
				    "reorder up to %d", most);
}

/* With room for it the earliest goes first; a flow that has drained starts anew. */
static void lpd_test_flow_reorders(struct kunit *test)
{
	struct lpd_flow flow = {};

	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 50, 3), 50);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 40, 3), 40);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 30, 3), 30);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 20, 3), 50);
	lpd_flow_leave(&flow);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 10, 3), 50);
	while (flow.queued)
		lpd_flow_leave(&flow);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 5, 3), 5);
}

static struct kunit_case lpd_test_cases[] = {
	KUNIT_CASE(lpd_test_deadline_relative),
	KUNIT_CASE(lpd_test_deadline_absolute),
	KUNIT_CASE(lpd_test_remaining),
	KUNIT_CASE(lpd_test_hist_bucket),
	KUNIT_CASE(lpd_test_heap_sorts),
	KUNIT_CASE(lpd_test_heap_removes_any),
	KUNIT_CASE(lpd_test_heap_heapifies),
	KUNIT_CASE(lpd_test_flow_bounds_reordering),
	KUNIT_CASE(lpd_test_flow_reorders),
	{}
};

static struct kunit_suite lpd_test_suite = {
	.name = "sch_lpd",
	.test_cases = lpd_test_cases,
};

kunit_test_suite(lpd_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd");
MODULE_LICENSE("GPL");
