// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of a modem's buffer and grants. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "modem.c"

#define YEAR	(86400LL * 365 * NSEC_PER_SEC)

static void cell_expect_room(struct kunit *test, const struct cell_config *cfg,
			     u32 packets, u32 bytes)
{
	const struct cell_room room = cell_modem_room(cfg);

	KUNIT_EXPECT_EQ(test, room.packets, packets);
	KUNIT_EXPECT_EQ(test, room.bytes, bytes);
}

/* The queue is stopped when the ring has the configured number of packets or bytes. A modem with a
 * buffer never stops the queue, whatever the sizes of the ring are.
 */
static void cell_test_room(struct kunit *test)
{
	struct cell_config cfg = { .ring_packets = 2 };

	cell_expect_room(test, &cfg, 2, U32_MAX);
	cfg.ring_bytes = 1;
	cell_expect_room(test, &cfg, 2, 1);
	cfg.buffer = 1;
	cell_expect_room(test, &cfg, U32_MAX, U32_MAX);
}

static bool cell_test_fits(u32 buffer, u32 packets, u64 held, u32 bytes)
{
	const struct cell_config cfg = { .buffer = buffer };
	const struct cell_load load = { .packets = packets, .bytes = held };

	return cell_modem_fits(&cfg, load, bytes);
}

/* The last byte of the buffer can be used. */
static void cell_test_fits_exactly(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, cell_test_fits(3000, 2, 2000, 1000));
	KUNIT_EXPECT_FALSE(test, cell_test_fits(3000, 2, 2000, 1001));
	KUNIT_EXPECT_FALSE(test, cell_test_fits(3000, 1, 3000, 1));
	/* a buffer that has become smaller */
	KUNIT_EXPECT_FALSE(test, cell_test_fits(1, 2, 2000, 60));
}

/* An empty buffer accepts any packet, so a small buffer sends packets one by one. */
static void cell_test_fits_empty(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, cell_test_fits(1, 0, 0, U32_MAX));
	KUNIT_EXPECT_FALSE(test, cell_test_fits(1, 1, 60, 60));
}

/* The largest buffer, and sums above 32 bits. */
static void cell_test_fits_limits(struct kunit *test)
{
	const u32 most = CELLINK_BUFFER_MAX;

	KUNIT_EXPECT_TRUE(test, cell_test_fits(most, 1, most - 60, 60));
	KUNIT_EXPECT_FALSE(test, cell_test_fits(most, 1, U32_MAX, 60));
	KUNIT_EXPECT_TRUE(test, cell_test_fits(most, 65535, 65535 * 60, 60));
	KUNIT_EXPECT_FALSE(test, cell_test_fits(most, 65536, 65536 * 60, 60));
}

static s64 cell_test_grant(u64 grant, s64 elapsed)
{
	const struct cell_config cfg = { .grant = grant };

	return cell_modem_grant(&cfg, elapsed);
}

/* Grants are exact multiples. A packet that is ready at a grant leaves with this grant. */
static void cell_test_grant_multiples(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cell_test_grant(40, 0), 0);
	KUNIT_EXPECT_EQ(test, cell_test_grant(40, 1), 40);
	KUNIT_EXPECT_EQ(test, cell_test_grant(40, 39), 40);
	KUNIT_EXPECT_EQ(test, cell_test_grant(40, 40), 40);
	KUNIT_EXPECT_EQ(test, cell_test_grant(40, 41), 80);
	KUNIT_EXPECT_EQ(test, cell_test_grant(1, 12345), 12345);
}

/* Without grants a packet leaves at once. */
static void cell_test_grant_none(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cell_test_grant(0, 0), 0);
	KUNIT_EXPECT_EQ(test, cell_test_grant(0, YEAR + 1), YEAR + 1);
}

/* The longest time between grants, and a device that is up for a century. */
static void cell_test_grant_limits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cell_test_grant(CELLINK_GRANT_MAX, 1),
			CELLINK_GRANT_MAX);
	KUNIT_EXPECT_EQ(test, cell_test_grant(CELLINK_GRANT_MAX, 100 * YEAR),
			100 * YEAR);
	KUNIT_EXPECT_EQ(test, cell_test_grant(CELLINK_GRANT_MAX, 100 * YEAR + 1),
			100 * YEAR + CELLINK_GRANT_MAX);
	KUNIT_EXPECT_EQ(test, cell_test_grant(3, 100 * YEAR + 1),
			100 * YEAR + 3);
}

static struct kunit_case cell_modem_cases[] = {
	KUNIT_CASE(cell_test_room),
	KUNIT_CASE(cell_test_fits_exactly),
	KUNIT_CASE(cell_test_fits_empty),
	KUNIT_CASE(cell_test_fits_limits),
	KUNIT_CASE(cell_test_grant_multiples),
	KUNIT_CASE(cell_test_grant_none),
	KUNIT_CASE(cell_test_grant_limits),
	{}
};

static struct kunit_suite cell_modem_suite = {
	.name = "cellink_modem",
	.test_cases = cell_modem_cases,
};

kunit_test_suite(cell_modem_suite);

MODULE_DESCRIPTION("KUnit tests of cellink's modem");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
