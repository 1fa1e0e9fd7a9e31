// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the parts of sch_lpd that only compute: the arithmetic of lifetimes, the
 * order of packets, the limit of reordering within a flow, and the shares of the link.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include "flow.h"
#include "index.h"
#include "lifetime.h"
#include "share.h"
#include "tree.h"
/* the tests call static functions of this file */
#include "heap.c"

#define NOW	(1000LL * NSEC_PER_SEC)
#define MS	((s64)NSEC_PER_MSEC)

/* A relative lifetime of N ms ends N ms after the packet's arrival. A relative lifetime of
 * 0 has already ended.
 */
static void lpd_test_deadline_relative(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fl_deadline_relative(0, NOW), NOW - 1);
	KUNIT_EXPECT_EQ(test, fl_deadline_relative(1, NOW), NOW + MS);
	KUNIT_EXPECT_EQ(test, fl_deadline_relative(XLO_RELATIVE_MAX, NOW),
			NOW + 65534 * MS);
}

/* A time of day means the nearest point in time with this time of day, even across midnight. The
 * packet's time of arrival counts to the ns.
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
				    fl_deadline_absolute(lifetime, NOW,
							 cases[i].utc),
				    "case %d", i);
	}
}

/* The remaining lifetime is rounded to the nearest ms. The result is always between 0 and
 * the largest relative lifetime.
 */
static void lpd_test_remaining(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fl_remaining_ms(NOW - 1, NOW), 0);
	KUNIT_EXPECT_EQ(test, fl_remaining_ms(NOW + 499999, NOW), 0);
	KUNIT_EXPECT_EQ(test, fl_remaining_ms(NOW + 500000, NOW), 1);
	KUNIT_EXPECT_EQ(test, fl_remaining_ms(NOW + 5000 * MS, NOW), 5000);
	KUNIT_EXPECT_EQ(test, fl_remaining_ms(NOW + 90000 * MS, NOW),
			XLO_RELATIVE_MAX);
	KUNIT_EXPECT_EQ(test, fl_remaining_ms(S64_MIN, NOW), 0);
}

/* While both queues have packets, the class sends its share of the bytes, exact to one packet,
 * whatever the lengths of the packets.
 */
static void lpd_test_share(struct kunit *test)
{
	static const u32 percents[] = { 1, 10, 50, 90, 99 };
	struct rnd_state rnd;
	int i, n;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		const u32 percent = percents[i];
		struct lpd_share s = {};
		s64 sent[2] = {};

		for (n = 0; n < 1000; n++) {
			bool class = lpd_share_favours_class(&s);
			u32 bytes = 40 + prandom_u32_state(&rnd) % 1461;

			sent[class] += bytes;
			lpd_share_charge(&s, class, bytes, percent, true);
			KUNIT_ASSERT_EQ(test, s.balance,
					sent[0] * percent - sent[1] * (100 - percent));
			KUNIT_ASSERT_GT(test, s.balance, -1500LL * (100 - percent));
			KUNIT_ASSERT_LE(test, s.balance, 1500LL * percent);
		}
	}
}

/* What lpd's own queue owes ends when it sends while the class is empty. The own queue saves its
 * share while the class sends, up to a limit. The class saves nothing.
 */
static void lpd_test_share_alone(struct kunit *test)
{
	const s64 most = -60LL * LPD_SHARE_SAVED;
	struct lpd_share s = { .balance = 90000 };

	lpd_share_charge_class(&s, 500, 10, false);
	KUNIT_EXPECT_EQ(test, s.balance, 45000);
	lpd_share_charge_own(&s, 1500, 10, false);
	KUNIT_EXPECT_EQ(test, s.balance, 0);
	lpd_share_charge_class(&s, 1500, 60, false);
	KUNIT_EXPECT_EQ(test, s.balance, -60000);
	lpd_share_charge_own(&s, 1500, 60, false);
	KUNIT_EXPECT_EQ(test, s.balance, -60000);
	lpd_share_charge_class(&s, LPD_SHARE_SAVED * 2, 60, false);
	KUNIT_EXPECT_EQ(test, s.balance, most);
}

/* While lpd's own queue uses its savings, the class sends a fifth of its share, exact to one
 * packet, and the own queue can send the bytes that it has saved in addition to its share.
 */
static void lpd_test_share_saved(struct kunit *test)
{
	static const u32 percents[] = { 1, 12, 50, 99 };
	int i;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		const u32 percent = percents[i];
		struct lpd_share s = {};
		s64 sent[2] = {}, whole;

		lpd_share_charge_class(&s, U32_MAX, percent, false);
		while (s.balance <= -1500 * 100) {
			bool class = lpd_share_favours_class(&s);

			sent[class] += 1500;
			lpd_share_charge(&s, class, 1500, percent, true);
			whole = (sent[0] + sent[1]) * percent;
			KUNIT_ASSERT_LE(test, abs(sent[1] * 500 - whole), 1500 * 500);
		}
		whole = (sent[0] + sent[1]) * (100 - percent) + LPD_SHARE_SAVED * percent;
		KUNIT_EXPECT_LE(test, abs(sent[0] * 100 - whole), 3000 * 100);
	}
}

/* The guarantee does not count packets that the class has sent before the own queue uses its
 * savings.
 */
static void lpd_test_share_guarantee(struct kunit *test)
{
	struct lpd_share s = {};
	int n, sent = 0;

	for (n = 0; n < 1000; n++)
		lpd_share_charge_class(&s, 1500, 50, true);
	for (; !lpd_share_favours_class(&s); sent++)
		lpd_share_charge_own(&s, 1500, 50, true);
	KUNIT_EXPECT_EQ(test, sent, 10);

	/* packets that the class sends alone also use up what it may claim */
	lpd_share_charge_class(&s, 40, 50, false);
	KUNIT_EXPECT_FALSE(test, lpd_share_favours_class(&s));
	KUNIT_EXPECT_FALSE(test, lpd_share_owes(&s));
}

/* The class pays for a packet that it has sent with its guarantee, also while it is empty. */
static void lpd_test_share_pays(struct kunit *test)
{
	struct lpd_share s = { .balance = -100 * 1500 };
	int n;

	lpd_share_charge_class(&s, 1500, 50, true);
	for (n = 0; lpd_share_owes(&s); n++)
		lpd_share_charge_own(&s, 1500, 50, false);
	KUNIT_EXPECT_EQ(test, n, 9);
	lpd_share_charge_own(&s, 1, 50, true);
	KUNIT_EXPECT_TRUE(test, lpd_share_favours_class(&s));
}

/* The longest packets do not overflow the balance. */
static void lpd_test_share_longest(struct kunit *test)
{
	struct lpd_share s = {};

	lpd_share_charge_class(&s, U32_MAX, 1, true);
	KUNIT_EXPECT_EQ(test, s.balance, -99LL * U32_MAX);
	s.balance = 0;
	lpd_share_charge_own(&s, U32_MAX, 99, true);
	KUNIT_EXPECT_EQ(test, s.balance, 99LL * U32_MAX);
}

/* Each bucket of the histogram is twice as wide as the bucket before it: below 1 ms, 1 ms,
 * 2-3 ms, 4-7 ms and so on. The last bucket has no upper end.
 */
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
#define INDEX_STEPS	10000
#define FLOW_SIZE	125

/* Two heaps that may contain the same entries. @heap is ordered by place, and @other is
 * ordered by key.
 */
struct lpd_heap_fixture {
	struct lpd_heap heap;
	struct lpd_heap other;
	struct lpd_entry *entry;
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
	f->heap.by = LPD_BY_PLACE;
	f->other.node = kunit_kcalloc(test, HEAP_SIZE, sizeof(*f->other.node),
				      GFP_KERNEL);
	f->other.by = LPD_BY_KEY;
	f->entry = kunit_kcalloc(test, HEAP_SIZE, sizeof(*f->entry),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->heap.node);
	KUNIT_ASSERT_NOT_NULL(test, f->other.node);
	KUNIT_ASSERT_NOT_NULL(test, f->entry);
	for (i = 0; i < HEAP_SIZE; i++) {
		f->entry[i].pos[LPD_BY_PLACE] = LPD_NOT_IN_HEAP;
		f->entry[i].pos[LPD_BY_KEY] = LPD_NOT_IN_HEAP;
	}
	prandom_seed_state(&f->rnd, seed);
	kunit_info(test, "seed %llu", seed);
	return f;
}

/* Expect that each parent comes before its children, and that each entry contains its
 * position.
 */
static void lpd_expect_heap(struct kunit *test, const struct lpd_heap *h)
{
	u32 pos;

	for (pos = 0; pos < h->len; pos++) {
		u32 parent = pos ? (pos - 1) / LPD_HEAP_ARITY : 0;

		KUNIT_ASSERT_FALSE(test, lpd_heap_before(&h->node[pos],
							 &h->node[parent]));
		KUNIT_ASSERT_EQ(test, h->node[pos].entry->pos[h->by], pos);
	}
}

/* Pushes an entry. @at is the entry's place or key, depending on the order of the heap. */
static void lpd_test_push(struct lpd_heap_fixture *f, struct lpd_heap *h, int i,
			  s64 at)
{
	struct lpd_entry *e = &f->entry[i];

	e->place = h->by == LPD_BY_PLACE ? at : e->place;
	e->key = h->by == LPD_BY_KEY ? at : e->key;
	e->seq = i;
	lpd_heap_push(h, e);
}

/* The entry at the top has the smallest place for any order of insertion. Entries leave the
 * heap sorted by place, then by key, then by arrival, then by segment.
 */
static void lpd_test_heap_sorts(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	struct lpd_entry *e;
	int i;

	for (i = 0; i < HEAP_SIZE; i++) {
		int at = i * 7 % HEAP_SIZE;

		e = &f->entry[at];
		e->place = at / 50 - 10;
		e->key = at / 10 % 5 - 2;
		/* the sequence numbers wrap around */
		e->seq = at / 2 - 100U;
		e->segment = at % 2;
		lpd_heap_push(&f->heap, e);
		lpd_expect_heap(test, &f->heap);
	}
	for (i = 0; i < HEAP_SIZE; i++) {
		e = lpd_heap_first(&f->heap);
		KUNIT_ASSERT_PTR_EQ(test, e, &f->entry[i]);
		lpd_heap_remove(&f->heap, e);
		KUNIT_ASSERT_FALSE(test, lpd_heap_has(&f->heap, e));
		lpd_expect_heap(test, &f->heap);
	}
	KUNIT_EXPECT_NULL(test, lpd_heap_first(&f->heap));
}

/* An entry can be in two heaps. A change in one heap does not affect the other. */
static void lpd_test_heaps_are_apart(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	int i;

	for (i = 0; i < HEAP_SIZE; i++) {
		lpd_test_push(f, &f->heap, i, i);
		lpd_test_push(f, &f->other, i, -i);
	}
	for (i = 0; i < HEAP_SIZE / 2; i++) {
		lpd_heap_remove(&f->heap, &f->entry[i]);
		KUNIT_ASSERT_TRUE(test, lpd_heap_has(&f->other, &f->entry[i]));
	}
	lpd_expect_heap(test, &f->heap);
	lpd_expect_heap(test, &f->other);
	KUNIT_EXPECT_PTR_EQ(test, lpd_heap_first(&f->heap),
			    &f->entry[HEAP_SIZE / 2]);
	KUNIT_EXPECT_PTR_EQ(test, lpd_heap_first(&f->other),
			    &f->entry[HEAP_SIZE - 1]);
}

/* Any entry can be removed, and the remaining entries are still a heap. */
static void lpd_test_heap_removes_any(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	int i;

	for (i = 0; i < HEAP_SIZE; i++)
		lpd_test_push(f, &f->heap, i, prandom_u32_state(&f->rnd));
	while (f->heap.len) {
		u32 pos = prandom_u32_state(&f->rnd) % f->heap.len;
		struct lpd_entry *e = f->heap.node[pos].entry;

		lpd_heap_remove(&f->heap, e);
		KUNIT_ASSERT_FALSE(test, lpd_heap_has(&f->heap, e));
		lpd_expect_heap(test, &f->heap);
	}
}

/* Each packet has its own entry and can find it. A released entry is given to another
 * packet.
 */
static void lpd_test_pool(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	struct lpd_pool pool;
	struct sk_buff *skb;
	int i;

	skb = kunit_kcalloc(test, HEAP_SIZE, sizeof(*skb), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	lpd_pool_init(&pool, f->entry, HEAP_SIZE);
	for (i = 0; i < HEAP_SIZE; i++) {
		KUNIT_ASSERT_FALSE(test, lpd_pool_has(&skb[i]));
		lpd_pool_take(&pool, &skb[i]);
	}
	for (i = 0; i < HEAP_SIZE; i += 2)
		lpd_pool_release(&pool, lpd_pool_entry(&pool, &skb[i]));
	for (i = 0; i < HEAP_SIZE; i += 2) {
		KUNIT_ASSERT_FALSE(test, lpd_pool_has(&skb[i]));
		lpd_pool_take(&pool, &skb[i]);
	}
	for (i = 0; i < HEAP_SIZE; i++)
		KUNIT_ASSERT_PTR_EQ(test, lpd_pool_entry(&pool, &skb[i])->skb,
				    &skb[i]);
}

/* A pool has an entry for each packet that limit and memory allow, and two spare entries. With
 * order edf, the pool and the index together need less than a fifth of the memory limit.
 */
static void lpd_test_pool_size(struct kunit *test)
{
	const u32 fits = TC_LPD_MEMORY_MIN / SKB_TRUESIZE(0);
	const size_t bytes = sizeof(struct lpd_entry) +
			     LPD_INDEX_HEAPS * sizeof(struct lpd_heap_node);
	u32 memory = TC_LPD_MEMORY_MIN;

	KUNIT_EXPECT_EQ(test, lpd_pool_size(1, TC_LPD_MEMORY_MIN), 3);
	KUNIT_EXPECT_EQ(test, lpd_pool_size(fits, TC_LPD_MEMORY_MIN), fits + 2);
	KUNIT_EXPECT_EQ(test, lpd_pool_size(fits + 1, TC_LPD_MEMORY_MIN),
			fits + 2);
	KUNIT_EXPECT_EQ(test, lpd_pool_size(TC_LPD_LIMIT_DEFAULT,
					    TC_LPD_MEMORY_DEFAULT),
			TC_LPD_LIMIT_DEFAULT + 2);
	KUNIT_EXPECT_EQ(test, lpd_pool_size(TC_LPD_LIMIT_MAX, U32_MAX),
			TC_LPD_LIMIT_MAX + 2);
	for (; memory < 1U << 30; memory *= 2)
		KUNIT_EXPECT_LT(test,
				lpd_pool_size(TC_LPD_LIMIT_MAX, memory) * bytes,
				memory / 5);
}

/* TCP sets the truesize of a pure ACK to 2 bytes. A pure ACK that may need an entry is
 * counted like an sk_buff without data. A larger packet is counted with its truesize.
 */
static void lpd_test_packet_memory(struct kunit *test)
{
	const u32 least = SKB_TRUESIZE(0);
	struct sk_buff *skb = kunit_kzalloc(test, sizeof(*skb), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->truesize = 2;
	KUNIT_EXPECT_EQ(test, lpd_packet_memory(skb), least);
	skb->truesize = least + 1;
	KUNIT_EXPECT_EQ(test, lpd_packet_memory(skb), least + 1);
	lpd_packet_set_plain(skb);
	skb->truesize = 2;
	KUNIT_EXPECT_EQ(test, lpd_packet_memory(skb), 2);
}

/* The simplest model of an index, which searches all entries. */
struct lpd_model {
	struct lpd_entry *entry;
	bool queued[HEAP_SIZE];
	bool expires[HEAP_SIZE];
};

static struct lpd_entry *lpd_model_earliest(const struct lpd_model *m)
{
	struct lpd_entry *first = NULL;
	int i;

	for (i = 0; i < HEAP_SIZE; i++)
		if (m->expires[i] &&
		    (!first || lpd_entry_expires_before(&m->entry[i], first)))
			first = &m->entry[i];
	return first;
}

static struct lpd_entry *lpd_model_next(const struct lpd_model *m)
{
	struct lpd_entry *first = NULL;
	int i;

	for (i = 0; i < HEAP_SIZE; i++)
		if (m->queued[i] &&
		    (!first || lpd_entry_leaves_before(&m->entry[i], first)))
			first = &m->entry[i];
	return first;
}

/* Makes a new entry. Many entries have equal keys and places. How random the keys are changes
 * with @seq. About a quarter of the entries cannot become stale, and about a third are held back.
 */
static void lpd_test_index_add(struct lpd_index *ix, struct lpd_model *m, int i,
			       u32 seq, u32 random)
{
	struct lpd_entry *e = &m->entry[i];

	*e = (struct lpd_entry){
		.key = seq / 8 + random % (1 + seq / 256 % 32),
		.seq = seq,
		.pos = { LPD_NOT_IN_HEAP, LPD_NOT_IN_HEAP },
	};
	e->place = e->key + (random / 32 % 3 ? 0 : random / 96 % 16);
	m->queued[i] = true;
	m->expires[i] = random >> 30;
	if (m->expires[i])
		lpd_index_add(ix, e);
	else
		lpd_index_keep(ix, e);
}

/* Changes an entry that is in the index. */
static void lpd_test_index_alter(struct lpd_index *ix, struct lpd_model *m,
				 int i, u32 random)
{
	struct lpd_entry *e = &m->entry[i];

	if (!m->expires[i] || random % 2) {
		lpd_index_remove(ix, e);
		m->queued[i] = false;
		m->expires[i] = false;
		return;
	}
	lpd_index_spare(ix, e);
	m->expires[i] = random / 2 % 2;
	if (m->expires[i])
		lpd_index_unspare(ix, e);
	else
		lpd_index_keep(ix, e);
}

/* Picks an entry to change. Often the function picks the entry that is sent next, because
 * the front of the order matters most. In all other cases the function picks any entry.
 */
static int lpd_test_index_pick(const struct lpd_model *m, u32 random)
{
	struct lpd_entry *next = lpd_model_next(m);

	return next && random >> 29 < 3 ? next - m->entry : random % HEAP_SIZE;
}

/* The index always returns the same packets as a search through all entries. The test
 * compares the packets while packets arrive, leave, are spared and are cut. Some packets
 * have equal keys, and some are held back.
 */
static void lpd_test_index_is_right(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	struct lpd_heap_node *node;
	struct lpd_index ix;
	struct lpd_model *m;
	u32 step, random;
	int i;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	node = kunit_kcalloc(test, LPD_INDEX_HEAPS * HEAP_SIZE, sizeof(*node),
			     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_NOT_NULL(test, node);
	m->entry = f->entry;
	lpd_index_init(&ix, node, HEAP_SIZE);
	for (step = 0; step < INDEX_STEPS; step++) {
		random = prandom_u32_state(&f->rnd);
		i = lpd_test_index_pick(m, prandom_u32_state(&f->rnd));
		if (m->queued[i])
			lpd_test_index_alter(&ix, m, i, random);
		else
			lpd_test_index_add(&ix, m, i, step, random);
		KUNIT_ASSERT_PTR_EQ(test, lpd_index_earliest(&ix),
				    lpd_model_earliest(m));
		KUNIT_ASSERT_PTR_EQ(test, lpd_index_next(&ix),
				    lpd_model_next(m));
	}
}

/* Entries that arrive in the order of their keys never enter the heap, even if some keys
 * are equal. The test removes different entries. The test also removes the last entry and
 * adds it again.
 */
static void lpd_test_keys_in_order(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	struct lpd_keys keys;
	int i;

	lpd_keys_init(&keys, f->heap.node);
	for (i = 0; i < HEAP_SIZE; i++) {
		f->entry[i].key = i / 3;
		f->entry[i].seq = i;
		lpd_keys_push(&keys, &f->entry[i]);
		lpd_keys_remove(&keys, &f->entry[i]);
		lpd_keys_push(&keys, &f->entry[i]);
	}
	for (i = 0; i < HEAP_SIZE; i += 2)
		lpd_keys_remove(&keys, &f->entry[i]);
	KUNIT_EXPECT_EQ(test, keys.heap.len, 0);
	for (i = 1; i < HEAP_SIZE; i += 2) {
		KUNIT_ASSERT_PTR_EQ(test, lpd_keys_first(&keys), &f->entry[i]);
		lpd_keys_remove(&keys, &f->entry[i]);
	}
	KUNIT_EXPECT_NULL(test, lpd_keys_first(&keys));
}

/* Adds packets with random keys to a flow. The "reorder" of each packet is at most @most.
 * Each packet has at most @segments segments. Returns the largest difference between the
 * reordering of a packet and the packet's limit.
 */
static int lpd_test_overtaken(struct lpd_heap_fixture *f, u8 most, u8 segments)
{
	struct lpd_heap_node *node = f->heap.node;
	struct lpd_flow flow = {};
	u8 reorder[FLOW_SIZE];
	u8 packets[FLOW_SIZE];
	int i, j, count, worst = INT_MIN;

	for (i = 0; i < FLOW_SIZE; i++) {
		struct lpd_entry *e = &f->entry[i];

		reorder[i] = prandom_u32_state(&f->rnd) % (most + 1);
		packets[i] = prandom_u32_state(&f->rnd) % segments + 1;
		e->key = prandom_u32_state(&f->rnd) % 1000;
		e->seq = i;
		e->place = lpd_flow_place(&flow, e->key, reorder[i], packets[i]);
		if (e->place < e->key)
			return INT_MAX;
		node[i] = (struct lpd_heap_node){ e->place, e };
	}
	for (i = 0; i < FLOW_SIZE; i++) {
		for (count = 0, j = i + 1; j < FLOW_SIZE; j++)
			if (lpd_heap_before(&node[j], &node[i]))
				count += packets[j];
		worst = max(worst, count - max(reorder[i] - 1, 0));
	}
	return worst;
}

/* At most "reorder" - 1 packets of the flow overtake a packet, and none if "reorder" is 0. The
 * result must not depend on the keys, or on what the other packets tolerate. The place of a packet
 * is never before its key.
 */
static void lpd_test_flow_bounds_reordering(struct kunit *test)
{
	struct lpd_heap_fixture *f = lpd_heap_fixture(test);
	int most;

	for (most = 0; most <= U8_MAX; most += most < 8 ? 1 : 13) {
		KUNIT_EXPECT_LE_MSG(test, lpd_test_overtaken(f, most, 1), 0,
				    "reorder up to %d", most);
		KUNIT_EXPECT_LE_MSG(test, lpd_test_overtaken(f, most, 9), 0,
				    "reorder up to %d, super-packets", most);
	}
}

/* A packet's place is its key, or later if an earlier block has later places. When the last
 * packet of a flow has left, the flow is reset. Segments that have joined a flow delay the
 * reset.
 */
static void lpd_test_flow_reorders(struct kunit *test)
{
	struct lpd_flow flow = {};

	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 50, 3, 1), 50);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 40, 3, 1), 40);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 30, 3, 1), 30);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 20, 3, 1), 51);
	lpd_flow_leave(&flow);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 10, 3, 1), 51);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 60, 3, 1), 60);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 60, 3, 1), 61);
	lpd_flow_join(&flow);
	while (flow.queued > 1)
		lpd_flow_leave(&flow);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 5, 3, 1), 61);
	while (flow.queued)
		lpd_flow_leave(&flow);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 5, 3, 1), 5);
}

/* In a block, each segment of a super-packet counts as a packet. A super-packet that is too large
 * for a block gets its own block.
 */
static void lpd_test_flow_counts_segments(struct kunit *test)
{
	struct lpd_flow flow = {};

	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 90, 4, 2), 90);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 80, 4, 2), 80);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 70, 4, 1), 91);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 60, 4, 45), 92);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 50, 4, 1), 93);
}

/* A tree of qdiscs of one device, which contains only what lpd_parent() reads */
struct lpd_test_tree {
	struct net_device dev;
	struct netdev_queue queue;
	struct Qdisc *qdiscs[3];
};

static void lpd_test_hash(struct lpd_test_tree *tree, int i, u32 handle, u32 parent)
{
	struct Qdisc *sch = tree->qdiscs[i];

	sch->dev_queue = &tree->queue;
	sch->handle = handle;
	sch->parent = parent;
	if (parent != TC_H_ROOT)
		hash_add_rcu(tree->dev.qdisc_hash, &sch->hash, handle);
}

static void lpd_test_expect_parent(struct kunit *test, struct lpd_test_tree *tree, int i,
				   struct Qdisc *expected)
{
	rcu_read_lock();
	KUNIT_EXPECT_PTR_EQ(test, lpd_parent(tree->qdiscs[i]), expected);
	rcu_read_unlock();
}

/* lpd_parent() finds the parent of a qdisc by the parent's handle. The children of an mq that the
 * core has created have the handle 0, and none of them is the parent of another child. A child with
 * the handle ffff: is not the parent of the root.
 */
static void lpd_test_parent(struct kunit *test)
{
	struct lpd_test_tree *tree = kunit_kzalloc(test, sizeof(*tree), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, tree);
	for (i = 0; i < ARRAY_SIZE(tree->qdiscs); i++) {
		tree->qdiscs[i] = kunit_kzalloc(test, sizeof(struct Qdisc), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, tree->qdiscs[i]);
	}
	tree->queue.dev = &tree->dev;
	hash_init(tree->dev.qdisc_hash);
	lpd_test_hash(tree, 0, 0x10000, TC_H_ROOT);
	lpd_test_hash(tree, 1, 0xffff0000, 0x10001);
	lpd_test_hash(tree, 2, 0x20000, 0xffff0001);
	lpd_test_expect_parent(test, tree, 0, NULL);
	lpd_test_expect_parent(test, tree, 1, NULL);
	lpd_test_expect_parent(test, tree, 2, tree->qdiscs[1]);

	hash_init(tree->dev.qdisc_hash);
	lpd_test_hash(tree, 0, 0, TC_H_ROOT);
	lpd_test_hash(tree, 1, 0, 1);
	lpd_test_hash(tree, 2, 0, 2);
	lpd_test_expect_parent(test, tree, 1, NULL);
	lpd_test_expect_parent(test, tree, 2, NULL);
}

static struct kunit_case lpd_test_cases[] = {
	KUNIT_CASE(lpd_test_parent),
	KUNIT_CASE(lpd_test_deadline_relative),
	KUNIT_CASE(lpd_test_deadline_absolute),
	KUNIT_CASE(lpd_test_remaining),
	KUNIT_CASE(lpd_test_share),
	KUNIT_CASE(lpd_test_share_alone),
	KUNIT_CASE(lpd_test_share_saved),
	KUNIT_CASE(lpd_test_share_guarantee),
	KUNIT_CASE(lpd_test_share_pays),
	KUNIT_CASE(lpd_test_share_longest),
	KUNIT_CASE(lpd_test_hist_bucket),
	KUNIT_CASE(lpd_test_heap_sorts),
	KUNIT_CASE(lpd_test_heaps_are_apart),
	KUNIT_CASE(lpd_test_heap_removes_any),
	KUNIT_CASE(lpd_test_pool),
	KUNIT_CASE(lpd_test_pool_size),
	KUNIT_CASE(lpd_test_packet_memory),
	KUNIT_CASE(lpd_test_keys_in_order),
	KUNIT_CASE(lpd_test_index_is_right),
	KUNIT_CASE(lpd_test_flow_bounds_reordering),
	KUNIT_CASE(lpd_test_flow_reorders),
	KUNIT_CASE(lpd_test_flow_counts_segments),
	{}
};

static struct kunit_suite lpd_test_suite = {
	.name = "sch_lpd",
	.test_cases = lpd_test_cases,
};

kunit_test_suite(lpd_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
