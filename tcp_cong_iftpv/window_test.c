// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the window in a recovery and after an idle time, and of the pacing rate. */

/* param.c comes first, because it defines pr_fmt() */
#include "param.c"
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/time64.h>
/* included because its functions are not exported */
#include "window.c"

/* The pacing rate sends the packets of a round trip in the smoothed round-trip time. */
static void iftpv_test_gap(struct kunit *test)
{
	const u32 r = (100 * USEC_PER_MSEC) << IFTPV_RTT_SHIFT;

	/* one packet every 5 ms */
	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(20, 1448, r), 1448 * 200);
	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(11, 1000, r), 110000);
	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(1, 1000, r + 1), 9999);
}

static void iftpv_test_gap_extremes(struct kunit *test)
{
	const u64 minute = 60 * USEC_PER_SEC << IFTPV_RTT_SHIFT;

	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(1 << 20, 1448, 1 << IFTPV_RTT_SHIFT),
			1448ULL * USEC_PER_SEC << 20);
	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(1, 536, minute), 8);
	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(1, 1, minute), 1);
	/* the largest product uses all 64 bits */
	KUNIT_EXPECT_EQ(test, iftpv_gap_rate(2 * IFTPV_WINDOW_MAX, 65535,
					     U32_MAX),
			(u64)2 * IFTPV_WINDOW_MAX * 65535 * 8000000 / U32_MAX);
}

/* One ACK in a recovery, which acknowledges one packet. */
struct iftpv_test_step {
	u32 in_flight;
	bool good;
	u32 window;
};

static void iftpv_test_steps(struct kunit *test, u32 from, u32 to,
			     const struct iftpv_test_step *steps, int count)
{
	struct iftpv_reduction r = { .from = from, .to = to };
	u32 window;
	int i;

	for (i = 0; i < count; i++) {
		r.delivered++;
		window = iftpv_reduction_window(&r, steps[i].in_flight, 1,
						steps[i].good);
		KUNIT_EXPECT_EQ_MSG(test, window, steps[i].window, "step %d", i);
		/* the sender sends all packets that the window permits */
		r.out += window - steps[i].in_flight;
	}
}

/* The first example in section 4 of RFC 6937: the first of 20 packets is lost. One packet
 * is sent for every second delivered packet.
 */
static void iftpv_test_reduction_halves(struct kunit *test)
{
	const struct iftpv_test_step steps[] = {
		/* three duplicate ACKs: 16 packets are in flight, and the lost packet is
		 * sent again
		 */
		{ 16, false, 17 }, { 16, false, 16 }, { 15, false, 16 },
		{ 15, false, 15 }, { 14, false, 15 }, { 14, false, 14 },
		{ 13, false, 14 }, { 13, false, 13 }, { 12, false, 13 },
		{ 12, false, 12 }, { 11, false, 12 }, { 11, false, 11 },
		/* the final window */
		{ 10, true, 10 },
	};

	iftpv_test_steps(test, 20, 10, steps, ARRAY_SIZE(steps));
}

/* A window that is not reduced fills up to its old size again. Each delivered packet allows
 * two packets if @good is true, and one packet if @good is false.
 */
static void iftpv_test_reduction_keeps(struct kunit *test)
{
	const struct iftpv_test_step steps[] = {
		{ 16, false, 17 }, { 16, false, 17 }, { 16, true, 18 },
		{ 17, true, 19 }, { 18, false, 19 }, { 18, true, 20 },
		{ 19, true, 20 }, { 20, true, 20 },
	};

	iftpv_test_steps(test, 20, 20, steps, ARRAY_SIZE(steps));
}

/* Many losses at the same time do not cause a burst. Packets that the application held back may be
 * sent.
 */
static void iftpv_test_reduction_bound(struct kunit *test)
{
	struct iftpv_reduction r = { .from = 20, .to = 16, .delivered = 1 };

	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 1, 1, false), 2);
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 1, 1, true), 3);
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 1, 5, false), 6);
	r.delivered = 9;
	r.out = 2;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 3, 1, false), 10);
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 15, 9, true), 16);
	/* more packets were sent than delivered. RACK's timer causes this. */
	r.out = 30;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 3, 1, false), 4);
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 18, 1, false), 18);
	/* the first packet may always be sent */
	r.out = 0;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 16, 1, true), 17);
	r.from = U32_MAX;
	r.to = U32_MAX / 2;
	r.delivered = U32_MAX;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, U32_MAX / 2 + 1, 1,
						     true), U32_MAX);
}

/* When RACK's timer begins a recovery, one packet counts as delivered. One packet may be
 * sent, for any number of lost packets. If a reduction is already in progress, as many
 * packets may be sent as were delivered.
 */
static void iftpv_test_reduction_begins(struct kunit *test)
{
	struct iftpv_reduction r = { .from = 10, .to = 10, .delivered = 1 };

	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 0, 1, false), 1);
	r.to = 5;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 0, 1, false), 1);
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 8, 1, false), 9);
	r.delivered = 8;
	r.out = 4;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 0, 1, false), 4);
	/* one packet may be sent even if more packets were sent than delivered */
	r.out = 9;
	KUNIT_EXPECT_EQ(test, iftpv_reduction_window(&r, 0, 1, false), 1);
}

/* RFC 2861: each timeout in the idle time halves the window, down to the initial window. */
static void iftpv_test_idle(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 0, 20), 100);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 20, 20), 100);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 21, 20), 50);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 40, 20), 50);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 41, 20), 25);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 81, 20), 10);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(4, 10, 81, 20), 4);
	/* there are at least as many halvings as the window has bits */
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(100, 10, 33 * 20, 20), 10);
	KUNIT_EXPECT_EQ(test, iftpv_idle_window(U32_MAX, 10, U32_MAX, 1), 10);
}

static struct kunit_case iftpv_window_cases[] = {
	KUNIT_CASE(iftpv_test_gap),
	KUNIT_CASE(iftpv_test_gap_extremes),
	KUNIT_CASE(iftpv_test_reduction_halves),
	KUNIT_CASE(iftpv_test_reduction_keeps),
	KUNIT_CASE(iftpv_test_reduction_bound),
	KUNIT_CASE(iftpv_test_reduction_begins),
	KUNIT_CASE(iftpv_test_idle),
	{}
};

static struct kunit_suite iftpv_window_suite = {
	.name = "tcp_iftpv_window",
	.test_cases = iftpv_window_cases,
};

kunit_test_suite(iftpv_window_suite);

MODULE_DESCRIPTION("KUnit tests of tcp_iftpv's windows and gaps");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
