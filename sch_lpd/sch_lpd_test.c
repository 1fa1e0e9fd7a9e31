// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the parts of sch_lpd that only compute: the arithmetic of lifetimes, and the
 * shares of the link.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include "lifetime.h"
#include "packet.h"
#include "share.h"
#include "tree.h"

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
	KUNIT_CASE(lpd_test_packet_memory),
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
