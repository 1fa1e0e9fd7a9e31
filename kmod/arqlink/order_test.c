// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the order of frames. */

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/module.h>
#include "order.h"

/* Sends the next frame while frames wait in both queues. Returns true for a BYPASS frame. */
static bool arql_test_send(struct arql_order *order, u32 bypass, u32 other)
{
	const bool first = arql_order_bypass(order, ARQLINK_ORDER_FAIR, 0, 0);

	arql_order_sent(order, first, true, first ? bypass : other);
	return first;
}

/* First come, first served, also when the turns wrap. Fair shares do not matter. */
static void arql_test_fifo(struct kunit *test)
{
	const u32 turns[] = { 0, 1, S32_MAX, 1U << 31, U32_MAX };
	const struct arql_order order = { .lead = -1000 };
	int i;

	for (i = 0; i < ARRAY_SIZE(turns); i++) {
		KUNIT_EXPECT_TRUE(test, arql_order_bypass(&order, ARQLINK_ORDER_FIFO, turns[i],
							  turns[i] + 1));
		KUNIT_EXPECT_FALSE(test, arql_order_bypass(&order, ARQLINK_ORDER_FIFO, turns[i] + 1,
							   turns[i]));
	}
}

/* Whatever the sizes of frames are, both queues have always had the same number of bytes, except
 * for one frame.
 */
static void arql_test_halves(struct kunit *test)
{
	const u32 sizes[][2] = {
		{ 38, 38 }, { 100, 1500 }, { 1500, 100 }, { 9038, 62 }, { 211, 210 },
	};
	int i, n;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		const s64 most = max(sizes[i][0], sizes[i][1]);
		struct arql_order order = {};
		s64 lead = 0;

		for (n = 0; n < 10000; n++) {
			if (arql_test_send(&order, sizes[i][0], sizes[i][1]))
				lead += sizes[i][0];
			else
				lead -= sizes[i][1];
			KUNIT_ASSERT_LE(test, abs(lead), most);
		}
	}
}

/* Frames without a rival give the other queue no claim. A frame that then enters the other queue
 * waits for one frame at most.
 */
static void arql_test_alone(struct kunit *test)
{
	struct arql_order order = {};
	int n;

	for (n = 0; n < 1000; n++)
		arql_order_sent(&order, true, false, 1500);
	KUNIT_EXPECT_FALSE(test, arql_test_send(&order, 1500, 38));
	KUNIT_EXPECT_TRUE(test, arql_test_send(&order, 1500, 38));
	KUNIT_EXPECT_FALSE(test, arql_test_send(&order, 1500, 38));
	for (n = 0; n < 1000; n++)
		arql_order_sent(&order, false, false, 1500);
	KUNIT_EXPECT_FALSE(test, arql_test_send(&order, 100, 1500));
	KUNIT_EXPECT_TRUE(test, arql_test_send(&order, 100, 1500));
}

static struct kunit_case arql_order_cases[] = {
	KUNIT_CASE(arql_test_fifo),
	KUNIT_CASE(arql_test_halves),
	KUNIT_CASE(arql_test_alone),
	{}
};

static struct kunit_suite arql_order_suite = {
	.name = "arqlink_order",
	.test_cases = arql_order_cases,
};

kunit_test_suite(arql_order_suite);

MODULE_DESCRIPTION("KUnit tests of the order of arqlink's frames");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
