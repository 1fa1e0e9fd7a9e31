// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the order in which a full queue drops packets with overflow least. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
/* the tests call functions that the module does not export */
#include "calendar.c"
#include "order.c"
#include "rank.c"

#define SIZE	64

/**
 * struct lpd_rank_test_packet - a packet of a case
 * @importance: its importance
 * @key: time after which the packet is stale; S64_MAX if the packet never expires
 */
struct lpd_rank_test_packet {
	u8 importance;
	s64 key;
};

/**
 * struct lpd_rank_test_queue - entries and their ranks
 * @order: the entries; packet n has entry n
 * @ranks: the ranks
 */
struct lpd_rank_test_queue {
	struct lpd_order order;
	struct lpd_ranks ranks;
};

static void lpd_rank_test_make(struct kunit *test, struct lpd_rank_test_queue *q, s64 first_seq,
			       const struct lpd_rank_test_packet *packet, u32 count)
{
	u32 i;

	q->order.stride = sizeof(*q->order.entry);
	q->order.entry = kunit_kcalloc(test, count, sizeof(*q->order.entry), GFP_KERNEL);
	q->ranks.rank = kunit_kcalloc(test, count, sizeof(*q->ranks.rank), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q->order.entry);
	KUNIT_ASSERT_NOT_NULL(test, q->ranks.rank);
	lpd_ranks_clear(&q->ranks);
	for (i = 0; i < count; i++) {
		struct lpd_entry *e = &q->order.entry[i];

		e->by_key.at = packet[i].key;
		e->by_key.then = first_seq + i;
		lpd_rank_add(&q->ranks, lpd_rank_of(&q->ranks, &q->order, e), e,
			     packet[i].importance, packet[i].key != S64_MAX);
	}
}

/* Removes the entry that is dropped first. Returns the number of this entry, or -1. */
static int lpd_rank_test_take(struct lpd_rank_test_queue *q)
{
	struct lpd_rank *first = lpd_rank_first(&q->ranks);

	if (!first)
		return -1;
	lpd_rank_remove(&q->ranks, first);
	return first->entry - q->order.entry;
}

/* Packets are ordered by importance. At equal importance, packets that expire are first, ordered by
 * key. The other packets follow, newest first. The numbers of arrivals wrap around.
 */
static void lpd_rank_test_order(struct kunit *test)
{
	static const struct lpd_rank_test_packet packet[] = {
		{ 7, -5 }, { 0, S64_MAX }, { 0, 20 }, { 0, S64_MAX }, { 0, 10 }, { 3, S64_MAX },
		{ 3, S64_MIN }, { 0, 20 }, { 1, S64_MAX },
	};
	static const int expected[] = { 4, 2, 7, 3, 1, 8, 6, 5, 0, -1 };
	struct lpd_rank_test_queue q;
	int i;

	lpd_rank_test_make(test, &q, -4, packet, ARRAY_SIZE(packet));
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		KUNIT_EXPECT_EQ(test, lpd_rank_test_take(&q), expected[i]);
}

/* Checks that a packet is dropped before another one. This function implements the rules of rank.h
 * a second time.
 */
static bool lpd_rank_test_right(const struct lpd_rank *a, const struct lpd_rank *b)
{
	bool older = a->entry->by_key.then - b->entry->by_key.then < 0;

	if (a->importance != b->importance)
		return a->importance < b->importance;
	if (a->expires && b->expires)
		return a->entry->by_key.at < b->entry->by_key.at ||
		       (a->entry->by_key.at == b->entry->by_key.at && older);
	return a->expires || (!b->expires && !older);
}

/* Random packets have the right order after any packets have been removed. */
static void lpd_rank_test_random(struct kunit *test)
{
	struct lpd_rank_test_packet packet[SIZE];
	struct lpd_rank_test_queue q;
	struct lpd_rank *rank, *next;
	struct rnd_state rnd;
	u32 i, left = 0;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < SIZE; i++) {
		packet[i].importance = prandom_u32_state(&rnd) % 3;
		packet[i].key = prandom_u32_state(&rnd) % 2 ? prandom_u32_state(&rnd) % 8 :
							      S64_MAX;
	}
	lpd_rank_test_make(test, &q, 0, packet, SIZE);
	for (i = 0; i < SIZE; i += 3)
		lpd_rank_remove(&q.ranks, &q.ranks.rank[i]);
	for (rank = lpd_rank_first(&q.ranks); rank; rank = next, left++) {
		next = lpd_rank_next(rank);
		KUNIT_EXPECT_NE(test, (rank->entry - q.order.entry) % 3, 0);
		KUNIT_EXPECT_TRUE(test, !next || lpd_rank_test_right(rank, next));
	}
	KUNIT_EXPECT_EQ(test, left, SIZE - DIV_ROUND_UP(SIZE, 3));
}

static struct kunit_case lpd_rank_test_cases[] = {
	KUNIT_CASE(lpd_rank_test_order),
	KUNIT_CASE(lpd_rank_test_random),
	{}
};

static struct kunit_suite lpd_rank_test_suite = {
	.name = "lpd_rank",
	.test_cases = lpd_rank_test_cases,
};

kunit_test_suite(lpd_rank_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd's ranks");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
