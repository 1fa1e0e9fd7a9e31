// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the order of packets: of the calendar, of the run, and of the places of
 * packets.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#define LPD_WAITS 6
#define LPD_CALENDAR_FEW 128U
#define LPD_CALENDAR_SOME 256U
/* the tests call static functions of these files */
#include "calendar.c"
#include "order.c"
#include "queue.h"

#define SIZE	600
#define STEPS	20000
#define FLOW_SIZE	125
#define MS	((s64)NSEC_PER_MSEC)

/* An order, packets, and for each packet whether it is queued, and whether it may become stale; and
 * the keys and places of a flow's packets
 */
struct lpd_order_fixture {
	struct lpd_order order;
	struct sk_buff *skb;
	bool queued[SIZE];
	bool expires[SIZE];
	s64 key[FLOW_SIZE];
	s64 place[FLOW_SIZE];
	struct rnd_state rnd;
};

static struct lpd_order_fixture *lpd_order_fixture(struct kunit *test, bool edf)
{
	const u64 seed = 20031001;
	struct lpd_order_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->skb = kunit_kcalloc(test, SIZE, sizeof(*f->skb), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->skb);
	KUNIT_ASSERT_EQ(test, lpd_order_alloc(&f->order, SIZE, edf), 0);
	prandom_seed_state(&f->rnd, seed);
	kunit_info(test, "seed %llu", seed);
	return f;
}

static u32 lpd_order_random(struct lpd_order_fixture *f, u32 below)
{
	return prandom_u32_state(&f->rnd) % below;
}

static struct lpd_entry *lpd_order_test_entry(struct lpd_order_fixture *f, int i)
{
	return lpd_order_entry(&f->order, &f->skb[i]);
}

static s64 lpd_order_test_place(struct lpd_order_fixture *f, const struct lpd_entry *e)
{
	return lpd_order_mark(&f->order, e).place;
}

/* Finds the packet that becomes stale first by a search through all packets. */
static struct lpd_entry *lpd_order_test_earliest(struct lpd_order_fixture *f)
{
	struct lpd_entry *first = NULL, *e;
	int i;

	for (i = 0; i < SIZE; i++) {
		if (!f->expires[i])
			continue;
		e = lpd_order_test_entry(f, i);
		if (!first || lpd_order_expires_before(e, first))
			first = e;
	}
	return first;
}

static bool lpd_order_test_leaves_before(struct lpd_order_fixture *f, const struct lpd_entry *a,
					 const struct lpd_entry *b)
{
	s64 one = lpd_order_test_place(f, a), other = lpd_order_test_place(f, b);

	return one < other || (one == other && lpd_order_expires_before(a, b));
}

/* Finds the packet that is sent first by a search through all packets. */
static struct lpd_entry *lpd_order_test_next(struct lpd_order_fixture *f)
{
	struct lpd_entry *first = NULL, *e;
	int i;

	for (i = 0; i < SIZE; i++) {
		if (!f->queued[i])
			continue;
		e = lpd_order_test_entry(f, i);
		if (!first || lpd_order_test_leaves_before(f, e, first))
			first = e;
	}
	return first;
}

/* Chooses a key. What keys are likely changes with @step: close to each other, equal, in the order
 * of arrival, anywhere in the window of the calendar, far outside of it, or before the clock began.
 */
static s64 lpd_order_test_key(struct lpd_order_fixture *f, int step)
{
	const s64 now = step * 50000LL - 100 * MS;

	switch (step / 256 % 8) {
	case 0:
		return now + lpd_order_random(f, 1000);
	case 1:
		return now + lpd_order_random(f, 4);
	case 2:
		return now;
	case 3:
		return now - step % 256 * 1000;
	case 4:
		return now + lpd_order_random(f, 2) * 65 * NSEC_PER_SEC + 20 * MS;
	case 5:
		return now + (s64)lpd_order_random(f, 2000) * MS;
	case 6:
		return lpd_order_random(f, 50) ? now : S64_MIN / 4 + step;
	default:
		return now + lpd_order_random(f, 1000000000);
	}
}

/* Adds an entry to one of four flows, which may begin a new block. */
static void lpd_order_test_hold(struct lpd_order_fixture *f, struct lpd_entry *e)
{
	struct lpd_order *o = &f->order;
	struct lpd_flow *flow;

	e->flow = lpd_order_random(f, 4);
	flow = &o->flows[e->flow];
	flow->queued++;
	if (!lpd_order_random(f, 12))
		flow->after = max(flow->after + 1, e->by_key.at + (s64)lpd_order_random(f, 2000));
	if (e->by_key.at >= flow->after)
		return;
	e->held = true;
	lpd_place_of(e)->at = flow->after;
}

/* Queues packet @i. Many packets have a place after their key. */
static void lpd_order_test_add(struct lpd_order_fixture *f, int i, int step)
{
	struct lpd_order *o = &f->order;
	struct lpd_entry *e = lpd_order_take(o, &f->skb[i], step / 2, 0);

	e->segment = step % 2;
	e->by_key.at = lpd_order_test_key(f, step);
	lpd_order_test_hold(f, e);
	f->queued[i] = true;
	f->expires[i] = lpd_order_random(f, 4);
	if (f->expires[i])
		lpd_order_place(o, e);
	else
		lpd_order_keep(o, e);
}

/* Removes packet @i, or changes whether it may become stale. */
static void lpd_order_test_alter(struct lpd_order_fixture *f, int i)
{
	struct lpd_entry *e = lpd_order_test_entry(f, i);

	if (!f->expires[i] || lpd_order_random(f, 2)) {
		lpd_order_leave(&f->order, e);
		f->queued[i] = false;
		f->expires[i] = false;
		return;
	}
	lpd_order_spare(&f->order, e);
	f->expires[i] = lpd_order_random(f, 2);
	if (f->expires[i])
		lpd_order_unspare(&f->order, e);
	else
		lpd_order_keep(&f->order, e);
}

/* Picks a packet: often the packet that is sent next, because the front of the order matters
 * most.
 */
static int lpd_order_test_pick(struct lpd_order_fixture *f)
{
	struct lpd_entry *next = lpd_order_test_next(f);

	return next && lpd_order_random(f, 8) < 3 ? next->skb - f->skb :
						    lpd_order_random(f, SIZE);
}

/* Checks that the list "waiting" is as long as the order thinks, and not too long. */
static bool lpd_order_test_waits(const struct lpd_order *o)
{
	const struct lpd_slot *s = o->waiting;
	u32 count = 0;

	if (s) {
		do {
			count++;
			s = s->next;
		} while (s != o->waiting);
	}
	return count == o->waits && count <= LPD_WAITS;
}

/* The order always finds the same packets as a search through all of them: while packets arrive,
 * leave, are spared and are cut, with equal, close and distant keys. All parts are empty in the
 * end.
 */
static void lpd_order_test_is_right(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, true);
	int step, i;

	for (step = 0; step < STEPS; step++) {
		i = lpd_order_test_pick(f);
		if (f->queued[i])
			lpd_order_test_alter(f, i);
		else
			lpd_order_test_add(f, i, step);
		KUNIT_ASSERT_TRUE(test, lpd_order_test_waits(&f->order));
		/* the function empties the list "waiting" */
		if (!lpd_order_random(f, 8))
			KUNIT_ASSERT_PTR_EQ(test, lpd_order_earliest(&f->order),
					    lpd_order_test_earliest(f));
		if (lpd_order_test_next(f))
			KUNIT_ASSERT_PTR_EQ(test, lpd_order_next(&f->order),
					    lpd_order_test_next(f));
	}
	for (i = 0; i < SIZE; i++)
		if (f->queued[i])
			lpd_order_leave(&f->order, lpd_order_test_entry(f, i));
	KUNIT_EXPECT_NULL(test, lpd_order_earliest(&f->order));
	KUNIT_EXPECT_NULL(test, lpd_calendar_first(&f->order.places));
	KUNIT_EXPECT_EQ(test, *f->order.free.bits[LPD_CALENDAR_LEVELS - 1], 0);
	lpd_order_free(&f->order);
}

/* Pushes slots with falling times that all belong to one bucket. */
static u32 lpd_order_test_crowd(struct lpd_order_fixture *f, struct lpd_calendar *c)
{
	u32 i, in_bucket = 0;

	for (i = 0; i < SIZE; i++) {
		struct lpd_entry *e = lpd_order_take(&f->order, &f->skb[i], i, 0);

		e->by_key.at = SIZE - i;
		e->keyed = lpd_calendar_push(c, &e->by_key);
		in_bucket += e->keyed == LPD_IN_BUCKET;
	}
	return in_bucket;
}

/* A slot that would have to pass more than LPD_CALENDAR_WALK others goes into the tree. So hostile
 * times do not make a slot cost more than O(log n).
 */
static void lpd_order_test_crowded(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_calendar *c = &f->order.free;
	u32 i;

	KUNIT_EXPECT_EQ(test, lpd_order_test_crowd(f, c), LPD_CALENDAR_WALK + 1);
	/* the slots in the tree take no room from the buckets */
	KUNIT_EXPECT_EQ(test, c->room, LPD_CALENDAR_FEW / 2 - (LPD_CALENDAR_WALK + 1));
	for (i = 0; i < SIZE; i++) {
		KUNIT_ASSERT_EQ(test, lpd_calendar_first(c)->at, i + 1);
		lpd_order_leave(&f->order, lpd_order_earliest(&f->order));
	}
	lpd_order_free(&f->order);
}

/* A slot that comes after all slots of the run joins it. Other slots outside of the window go
 * into the tree. The window begins anew when the buckets are empty.
 */
static void lpd_order_test_window(struct kunit *test)
{
	const s64 late = 65 * NSEC_PER_SEC, soon = 20 * MS;
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_calendar *c = &f->order.free;
	struct lpd_slot slot[] = {
		{ late + 1, 1 }, { late, 2 }, { soon, 3 }, { late + 1, 4 }, { soon, 5 },
	};

	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[0]), LPD_IN_RUN);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[1]), LPD_IN_BUCKET);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[2]), LPD_IN_TREE);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[3]), LPD_IN_RUN);
	KUNIT_EXPECT_PTR_EQ(test, lpd_calendar_first(c), &slot[2]);
	lpd_calendar_remove(c, &slot[1], LPD_IN_BUCKET);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[4]), LPD_IN_BUCKET);
	lpd_calendar_remove(c, &slot[0], LPD_IN_RUN);
	lpd_calendar_remove(c, &slot[2], LPD_IN_TREE);
	lpd_calendar_remove(c, &slot[4], LPD_IN_BUCKET);
	KUNIT_EXPECT_PTR_EQ(test, lpd_calendar_first(c), &slot[3]);
	lpd_order_free(&f->order);
}

/* The window may begin anywhere in the table: the first bucket of the table follows the last. */
static void lpd_order_test_turn(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_calendar *c = &f->order.free;
	const s64 interval = 1LL << c->shift, turn = c->mask + 1;
	struct lpd_slot slot[] = {
		{ 10 * interval }, { 100 * interval }, { (turn + 4) * interval },
		{ (turn + 5) * interval },
	};
	u32 i;

	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[3]), LPD_IN_RUN);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[0]), LPD_IN_BUCKET);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[2]), LPD_IN_BUCKET);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[1]), LPD_IN_BUCKET);
	for (i = 0; i < ARRAY_SIZE(slot); i++) {
		KUNIT_ASSERT_PTR_EQ(test, lpd_calendar_first(c), &slot[i]);
		lpd_calendar_remove(c, &slot[i], i < 3 ? LPD_IN_BUCKET : LPD_IN_RUN);
	}
	KUNIT_EXPECT_NULL(test, lpd_calendar_first(c));
	lpd_order_free(&f->order);
}

/* A slot that takes the position of another one is the first one of all only if it is before the
 * slots with the same time in other parts.
 */
static void lpd_order_test_replace(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_calendar *c = &f->order.free;
	struct lpd_slot slot[] = { { MS, 5 }, { MS, 3 }, { MS, 7 }, { MS, 1 } };

	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[0]), LPD_IN_RUN);
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[1]), LPD_IN_BUCKET);
	KUNIT_EXPECT_PTR_EQ(test, lpd_calendar_first(c), &slot[1]);
	lpd_calendar_replace(c, &slot[1], &slot[2], LPD_IN_BUCKET);
	KUNIT_EXPECT_PTR_EQ(test, lpd_calendar_first(c), &slot[0]);
	lpd_calendar_replace(c, &slot[2], &slot[3], LPD_IN_BUCKET);
	KUNIT_EXPECT_PTR_EQ(test, lpd_calendar_first(c), &slot[3]);
	lpd_order_free(&f->order);
}

/* A calendar uses more buckets when it gets more slots. The slots stay in order and in buckets.
 * When no slot is left, the calendar uses few buckets again.
 */
static void lpd_order_test_grow(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_slot *slot = kunit_kcalloc(test, SIZE, sizeof(*slot), GFP_KERNEL), *s;
	struct lpd_calendar *c = &f->order.free;
	struct lpd_slot early = { .at = -110 * MS };
	s64 before = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, slot);
	/* the latest slot is in the run */
	slot[0].at = 2100 * MS;
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &slot[0]), LPD_IN_RUN);
	for (i = 1; i < SIZE; i++) {
		KUNIT_ASSERT_EQ(test, c->mask, i <= 65 ? 127 : i <= 129 ? 255 : 511);
		/* the latest slot of the buckets comes before they grow */
		slot[i].at = i == 1 ? 2050 * MS : (s64)lpd_order_random(f, 2000) * MS;
		slot[i].then = i;
		KUNIT_ASSERT_EQ(test, lpd_calendar_push(c, &slot[i]), LPD_IN_BUCKET);
	}
	/* the window does not move away from the slots */
	KUNIT_EXPECT_EQ(test, lpd_calendar_push(c, &early), LPD_IN_TREE);
	lpd_calendar_remove(c, &early, LPD_IN_TREE);
	for (; (s = lpd_calendar_first(c)) != &slot[0]; before = s->at) {
		KUNIT_ASSERT_LE(test, before, s->at);
		lpd_calendar_remove(c, s, LPD_IN_BUCKET);
		i--;
	}
	KUNIT_EXPECT_EQ(test, i, 1);
	KUNIT_EXPECT_EQ(test, c->mask, 127);
	lpd_order_free(&f->order);
}

/* Each packet has its own entry and can find it. A released entry is given to another packet. */
static void lpd_order_test_entries(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	int i;

	for (i = 0; i < SIZE; i++) {
		KUNIT_ASSERT_FALSE(test, lpd_order_has(&f->skb[i]));
		lpd_order_take(&f->order, &f->skb[i], i, 0);
	}
	for (i = 0; i < SIZE; i += 2)
		lpd_order_release(&f->order, lpd_order_test_entry(f, i));
	for (i = 0; i < SIZE; i += 2) {
		KUNIT_ASSERT_FALSE(test, lpd_order_has(&f->skb[i]));
		lpd_order_take(&f->order, &f->skb[i], i, 0);
	}
	for (i = 0; i < SIZE; i++)
		KUNIT_ASSERT_PTR_EQ(test, lpd_order_test_entry(f, i)->skb, &f->skb[i]);
	lpd_order_free(&f->order);
}

/* Packets of the run keep the numbers of their arrival, between the numbers of other packets. */
static void lpd_order_test_run(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_order *o = &f->order;
	s64 seq[6];
	int i;

	/* the packets 1, 3 and 4 join the run */
	for (i = 0; i < ARRAY_SIZE(seq); i++) {
		if (i == 1 || i == 3 || i == 4)
			lpd_run_append(o, &f->skb[i], 7);
		else
			seq[i] = lpd_order_seq(o);
	}
	for (i = 0; i < ARRAY_SIZE(seq); i++) {
		if (i != 1 && i != 3 && i != 4)
			continue;
		KUNIT_ASSERT_PTR_EQ(test, o->run.first, &f->skb[i]);
		seq[i] = lpd_run_seq(&o->run);
		lpd_run_pop(&o->run, &f->skb[i]);
	}
	for (i = 1; i < ARRAY_SIZE(seq); i++)
		KUNIT_EXPECT_LT(test, seq[i - 1], seq[i]);
	KUNIT_EXPECT_NULL(test, o->run.first);
	lpd_order_free(o);
}

/* The run accepts a packet whose key is not before the key of the last packet. An empty run accepts
 * any packet, and with order edf the run accepts none.
 */
static void lpd_order_test_run_accepts(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, false);
	struct lpd_order *o = &f->order;

	KUNIT_EXPECT_TRUE(test, lpd_run_accepts(&o->run, -MS));
	lpd_run_append(o, &f->skb[0], 7);
	KUNIT_EXPECT_TRUE(test, lpd_run_accepts(&o->run, 7));
	KUNIT_EXPECT_FALSE(test, lpd_run_accepts(&o->run, 6));
	lpd_run_pop(&o->run, &f->skb[0]);
	KUNIT_EXPECT_TRUE(test, lpd_run_accepts(&o->run, 6));
	lpd_order_free(o);

	f = lpd_order_fixture(test, true);
	KUNIT_EXPECT_FALSE(test, lpd_run_accepts(&f->order.run, S64_MAX - 1));
	lpd_order_free(&f->order);
}

/* Packets that leave in the order of arrival are not counted as reordered, even if their numbers
 * wrap around. A packet that leaves after a later one is counted.
 */
static void lpd_order_test_numbers_wrap(struct kunit *test)
{
	struct lpd_sched_data *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);
	struct lpd_entry e = {}, late = {};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, q);
	q->order.others = U32_MAX - 2;
	q->order.latest = lpd_order_seq(&q->order);
	late.by_key.then = q->order.latest;
	for (i = 0; i < 6; i++) {
		e.by_key.then = lpd_order_seq(&q->order);
		lpd_queue_count_reordered(q, &e);
		KUNIT_EXPECT_EQ(test, q->stats[TCA_LPD_STATS_REORDERED], 0);
	}
	lpd_queue_count_reordered(q, &late);
	KUNIT_EXPECT_EQ(test, q->stats[TCA_LPD_STATS_REORDERED], 1);
}

/* Returns how many bytes the tables take for each packet of @limit. */
static u32 lpd_order_test_bytes(u32 limit, bool edf)
{
	u32 size = lpd_order_size(limit, U32_MAX);
	size_t bytes = sizeof(struct lpd_entry) * size + lpd_order_table_bytes(size, edf);

	if (edf)
		bytes += sizeof(struct lpd_slot) * size;
	return DIV_ROUND_UP(bytes, limit);
}

/* There is an entry for each packet that limit and memory allow, and two spare entries. The
 * tables take at most 112 bytes for each packet of a limit of at least 1000 packets, and 64 with
 * order fifo.
 */
static void lpd_order_test_size(struct kunit *test)
{
	const u32 fits = TC_LPD_MEMORY_MIN / SKB_TRUESIZE(0);
	u32 limit;

	KUNIT_EXPECT_EQ(test, lpd_order_size(1, TC_LPD_MEMORY_MIN), 3);
	KUNIT_EXPECT_EQ(test, lpd_order_size(fits, TC_LPD_MEMORY_MIN), fits + 2);
	KUNIT_EXPECT_EQ(test, lpd_order_size(fits + 1, TC_LPD_MEMORY_MIN), fits + 2);
	KUNIT_EXPECT_EQ(test, lpd_order_size(TC_LPD_LIMIT_DEFAULT, TC_LPD_MEMORY_DEFAULT),
			TC_LPD_LIMIT_DEFAULT + 2);
	KUNIT_EXPECT_EQ(test, lpd_order_size(TC_LPD_LIMIT_MAX, U32_MAX), TC_LPD_LIMIT_MAX + 2);
	for (limit = 1000; limit <= TC_LPD_LIMIT_MAX; limit += limit / 7) {
		KUNIT_EXPECT_LE(test, lpd_order_test_bytes(limit, true), 112);
		KUNIT_EXPECT_LE(test, lpd_order_test_bytes(limit, false), 64);
	}
}

/* Adds packets with random keys to a flow. The "reorder" of each packet is at most @most. Each
 * packet has at most @segments segments. Returns the largest difference between the reordering
 * of a packet and the packet's limit.
 */
static int lpd_order_test_overtaken(struct lpd_order_fixture *f, u8 most, u8 segments)
{
	s64 *key = f->key, *place = f->place;
	u8 reorder[FLOW_SIZE], packets[FLOW_SIZE];
	struct lpd_flow flow = {};
	int i, j, count, worst = INT_MIN;

	for (i = 0; i < FLOW_SIZE; i++) {
		reorder[i] = lpd_order_random(f, most + 1);
		packets[i] = lpd_order_random(f, segments) + 1;
		key[i] = lpd_order_random(f, 1000);
		place[i] = lpd_flow_place(&flow, key[i], reorder[i], packets[i]);
		if (place[i] < key[i])
			return INT_MAX;
	}
	for (i = 0; i < FLOW_SIZE; i++) {
		for (count = 0, j = i + 1; j < FLOW_SIZE; j++)
			if (place[j] < place[i] || (place[j] == place[i] && key[j] < key[i]))
				count += packets[j];
		worst = max(worst, count - max(reorder[i] - 1, 0));
	}
	return worst;
}

/* At most "reorder" - 1 packets of the flow overtake a packet, and none if "reorder" is 0. The
 * result must not depend on the keys, or on what the other packets tolerate. The place of a packet
 * is never before its key.
 */
static void lpd_order_test_flow_bounds_reordering(struct kunit *test)
{
	struct lpd_order_fixture *f = lpd_order_fixture(test, true);
	int most;

	for (most = 0; most <= U8_MAX; most += most < 8 ? 1 : 13) {
		KUNIT_EXPECT_LE_MSG(test, lpd_order_test_overtaken(f, most, 1), 0,
				    "reorder up to %d", most);
		KUNIT_EXPECT_LE_MSG(test, lpd_order_test_overtaken(f, most, 9), 0,
				    "reorder up to %d, super-packets", most);
	}
	lpd_order_free(&f->order);
}

/* A packet's place is its key, or later if an earlier block has later places. When the last
 * packet of a flow has left, the flow is reset. Segments that have joined a flow delay the
 * reset.
 */
static void lpd_order_test_flow_reorders(struct kunit *test)
{
	struct lpd_flow flow = {};

	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 50, 3, 1), 50);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 40, 3, 1), 40);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 30, 3, 1), 30);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 20, 3, 1), 51);
	flow.queued--;
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 10, 3, 1), 51);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 60, 3, 1), 60);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 60, 3, 1), 61);
	flow.queued++;
	while (flow.queued > 1)
		flow.queued--;
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 5, 3, 1), 61);
	while (flow.queued)
		flow.queued--;
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 5, 3, 1), 5);
}

/* In a block, each segment of a super-packet counts as a packet. A super-packet that is too large
 * for a block gets its own block.
 */
static void lpd_order_test_flow_counts_segments(struct kunit *test)
{
	struct lpd_flow flow = {};

	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 90, 4, 2), 90);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 80, 4, 2), 80);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 70, 4, 1), 91);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 60, 4, 45), 92);
	KUNIT_EXPECT_EQ(test, lpd_flow_place(&flow, 50, 4, 1), 93);
}

static struct kunit_case lpd_order_test_cases[] = {
	KUNIT_CASE(lpd_order_test_is_right),
	KUNIT_CASE(lpd_order_test_crowded),
	KUNIT_CASE(lpd_order_test_window),
	KUNIT_CASE(lpd_order_test_turn),
	KUNIT_CASE(lpd_order_test_replace),
	KUNIT_CASE(lpd_order_test_grow),
	KUNIT_CASE(lpd_order_test_entries),
	KUNIT_CASE(lpd_order_test_run),
	KUNIT_CASE(lpd_order_test_run_accepts),
	KUNIT_CASE(lpd_order_test_numbers_wrap),
	KUNIT_CASE(lpd_order_test_size),
	KUNIT_CASE(lpd_order_test_flow_bounds_reordering),
	KUNIT_CASE(lpd_order_test_flow_reorders),
	KUNIT_CASE(lpd_order_test_flow_counts_segments),
	{}
};

static struct kunit_suite lpd_order_test_suite = {
	.name = "lpd_order",
	.test_cases = lpd_order_test_cases,
};

kunit_test_suite(lpd_order_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd's order");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
