// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the sender. Each test has a link without a lower link, and sets the time. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
/* the tests include these files, because their functions are not exported */
#include "frame.c"
#include "lifetime.c"
#include "notice.c"
#include "piece.c"
#include "quality.c"
#include "report.c"
#include "sender.c"
#include "timer.c"
#include "test_link.h"

#define WALKS	40	/* walks of a random number of steps */
#define STEPS	400

static u8 arql_reports[16];	/* codes of the reports */
static int arql_report_count;

static bool arql_test_notify(struct net *net, const struct sk_buff *skb, int off, u8 code)
{
	if (arql_report_count < ARRAY_SIZE(arql_reports))
		arql_reports[arql_report_count] = code;
	arql_report_count++;
	return true;
}

/* Makes space for @count frames. */
static void arql_test_space(struct kunit *test, u32 count)
{
	struct arql_slot *slots = arql_slots_alloc(count);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	kvfree(arql_sender_move(test->priv, slots, count));
}

static int arql_test_init(struct kunit *test)
{
	test->priv = arql_test_link(test, 8);
	arql_report_count = 0;
	arql_test_space(test, 8);
	return 0;
}

static void arql_test_exit(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_sender_close(link);
	kvfree(link->sender.slots);
	free_netdev(link->dev);
}

/* Sets the window and makes space for it. Frames in the window stay. */
static void arql_test_window(struct kunit *test, u32 window)
{
	struct arql_link *link = test->priv;

	link->cfg.window = window;
	arql_test_space(test, roundup_pow_of_two(window));
}

/* Sets the number of the next frame, as if all frames before it were acknowledged. */
static void arql_test_start_at(struct arql_link *link, u16 number)
{
	link->sender.acked = number;
	link->sender.una = number;
	link->sender.next = number;
	link->sender.told = number;
}

/* The stack sends a packet of @len bytes. */
static struct sk_buff *arql_test_add(struct kunit *test, u32 len, s64 deadline, s64 now)
{
	struct arql_link *link = test->priv;
	struct sk_buff *skb = alloc_skb(len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, len);
	*arql_skb_cb(skb) = (struct arql_skb_cb){ .lifetime.deadline = deadline };
	link->stats[ARQLINK_STATS_PACKETS_IN]++;
	link->held++;
	arql_sender_add(link, skb, now);
	return skb;
}

/* Takes the next job from the queue of frames. Returns the number of a DATA frame that leaves, or
 * -1.
 */
static int arql_test_send(struct arql_link *link, struct arql_piece *piece, s64 now)
{
	struct arql_job *job = list_first_entry_or_null(&link->jobs, struct arql_job, list);
	u16 number;

	if (!job)
		return -1;
	arql_job_del(job);
	/* as in each frame that leaves */
	arql_sender_told(link, link->sender.una);
	if (job->type != ARQLINK_DATA && job->type != ARQL_COPY)
		return -1;
	if (!arql_sender_send(link, job, piece, &number, now))
		return -1;
	arql_piece_put(piece);
	return number;
}

/* Sends all frames that wait. Returns how many DATA frames have left. */
static int arql_test_send_all(struct arql_link *link, s64 now)
{
	struct arql_piece piece;
	int sent = 0;

	while (!list_empty(&link->jobs))
		sent += arql_test_send(link, &piece, now) >= 0;
	return sent;
}

static void arql_test_ack(struct kunit *test, u16 ack, s64 now)
{
	KUNIT_ASSERT_TRUE(test, arql_sender_accepts(test->priv, ack));
	arql_sender_acked(test->priv, ack, true, now);
}

static void arql_test_nack(struct arql_link *link, u16 first, u16 count, s64 now)
{
	const struct arql_range range = { .first = first, .count = count };

	arql_sender_nacked(link, &range, now);
}

static void arql_expect_stat(struct kunit *test, int counter, u64 value)
{
	const struct arql_link *link = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, link->stats[counter], value, "counter %d", counter);
}

static void arql_expect_piece(struct kunit *test, u32 offset, u16 length, u8 flags)
{
	struct arql_piece piece = {};

	KUNIT_EXPECT_GE(test, arql_test_send(test->priv, &piece, NOW), 0);
	KUNIT_EXPECT_EQ(test, piece.offset, offset);
	KUNIT_EXPECT_EQ(test, piece.length, length);
	KUNIT_EXPECT_EQ(test, piece.flags, flags);
}

/* A packet is cut into pieces of the size "frame". The first piece contains the Ethernet header in
 * addition. The pieces have no gap, and flags at both ends. Only the first says that the packet is
 * bounded.
 */
static void arql_test_pieces(struct kunit *test)
{
	const u8 first = ARQLINK_FLAG_FIRST, last = ARQLINK_FLAG_LAST;

	arql_test_add(test, 114, FL_NO_DEADLINE, NOW);
	arql_expect_piece(test, 0, 114, first | last);
	arql_test_add(test, 115, FL_NO_DEADLINE, NOW);
	arql_expect_piece(test, 0, 114, first);
	arql_expect_piece(test, 114, 1, last);
	arql_test_add(test, 264, NOW + MS, NOW);
	arql_expect_piece(test, 0, 114, first | ARQLINK_FLAG_BOUNDED);
	arql_expect_piece(test, 114, 100, 0);
	arql_expect_piece(test, 214, 50, last);
	arql_test_add(test, ETH_HLEN, FL_NO_DEADLINE, NOW);
	arql_expect_piece(test, 0, ETH_HLEN, first | last);
}

/* The largest piece of the peer and the MTU of the lower device limit the pieces too. */
static void arql_test_piece_limits(struct kunit *test)
{
	const u8 first = ARQLINK_FLAG_FIRST, last = ARQLINK_FLAG_LAST;
	struct arql_link *link = test->priv;

	link->peer.piece = 90;
	arql_test_add(test, 100, FL_NO_DEADLINE, NOW);
	arql_expect_piece(test, 0, 90, first);
	arql_expect_piece(test, 90, 10, last);
	link->peer.piece = ETH_HLEN + 1;
	arql_test_add(test, 16, FL_NO_DEADLINE, NOW);
	arql_expect_piece(test, 0, 15, first);
	arql_expect_piece(test, 15, 1, last);
	link->peer.piece = 9000;
	link->dev->mtu = 102;
	arql_test_add(test, 100, FL_NO_DEADLINE, NOW);
	arql_expect_piece(test, 0, 78, first);
	arql_expect_piece(test, 78, 22, last);
}

/* The window of both ends limits the frames in flight. The rest waits in the ring, in order. */
static void arql_test_window_full(struct kunit *test)
{
	struct arql_link *link = test->priv;
	int i;

	link->peer.window = 3;
	for (i = 0; i < 5; i++)
		arql_test_add(test, 100, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW), 3);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&link->sender.ring), 2);
	KUNIT_EXPECT_EQ(test, link->ring_bytes[ARQLINK_QUEUE_ARQ], 200);
	arql_test_ack(test, 1, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW), 1);
	link->peer.window = 100;
	arql_test_ack(test, 2, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW), 1);
	KUNIT_EXPECT_EQ(test, link->sender.next, 5);
	for (i = 0; i < 12; i++)
		arql_test_add(test, 100, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 8);
}

/* A queue stops when its ring is full, and goes on when the ring has space. An empty ring accepts
 * any packet.
 */
static void arql_test_backpressure(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_window(test, 1);
	link->cfg.ring = 300;
	arql_test_add(test, 100, FL_NO_DEADLINE, NOW);
	arql_test_add(test, 299, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_FALSE(test, __netif_subqueue_stopped(link->dev, ARQLINK_QUEUE_ARQ));
	arql_test_add(test, 1, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_TRUE(test, __netif_subqueue_stopped(link->dev, ARQLINK_QUEUE_ARQ));
	KUNIT_EXPECT_FALSE(test, __netif_subqueue_stopped(link->dev, ARQLINK_QUEUE_BYPASS));
	for (; link->ring_bytes[ARQLINK_QUEUE_ARQ] == 300;) {
		arql_test_send_all(link, NOW);
		arql_test_ack(test, link->sender.next, NOW);
	}
	KUNIT_EXPECT_FALSE(test, __netif_subqueue_stopped(link->dev, ARQLINK_QUEUE_ARQ));
}

/* A packet counts as sent when its last piece is acknowledged. The acknowledged frames have no
 * timer and no place any more.
 */
static void arql_test_acks(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_add(test, 114 + 100, FL_NO_DEADLINE, NOW);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_test_ack(test, 1, NOW);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 0);
	arql_test_ack(test, 2, NOW);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 1);
	KUNIT_EXPECT_EQ(test, link->held, 1);
	arql_expect_stat(test, ARQLINK_STATS_SENT_BYTES, 214);
	arql_test_ack(test, 0, NOW);
	arql_test_ack(test, 2, NOW);
	KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 1);
	arql_test_ack(test, 3, NOW);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 2);
	arql_expect_stat(test, ARQLINK_STATS_DATA, 3);
	KUNIT_EXPECT_EQ(test, link->held, 0);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), ARQL_NEVER);
}

/* Counts the acknowledgments that are accepted or refused against the rule. */
static int arql_accept_errors(const struct arql_link *link)
{
	const struct arql_sender *s = &link->sender;
	int wrong = 0, n;

	for (n = S16_MIN; n <= S16_MAX; n++)
		wrong += arql_sender_accepts(link, s->acked + n) !=
			 (n >= -(int)ARQLINK_WINDOW_MAX && n <= (u16)(s->told - s->acked));
	return wrong;
}

/* Of all 65536 acknowledgments, only those of frames that were sent, and repeated ones, are
 * accepted. A peer cannot acknowledge frames that still wait.
 */
static void arql_test_hostile_ack(struct kunit *test)
{
	const u16 starts[] = { 0, 65533, 32767, 61440 };
	struct arql_link *link = test->priv;
	struct arql_piece piece;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		arql_test_start_at(link, starts[i]);
		KUNIT_EXPECT_EQ(test, arql_accept_errors(link), 0);
		arql_test_add(test, 614, FL_NO_DEADLINE, NOW);
		KUNIT_EXPECT_EQ(test, arql_accept_errors(link), 0);
		arql_test_send(link, &piece, NOW);
		arql_test_send(link, &piece, NOW);
		KUNIT_EXPECT_TRUE(test, arql_sender_accepts(link, starts[i] + 2));
		KUNIT_EXPECT_FALSE(test, arql_sender_accepts(link, starts[i] + 3));
		KUNIT_EXPECT_EQ(test, arql_accept_errors(link), 0);
		arql_test_send_all(link, NOW);
		arql_test_ack(test, starts[i] + 6, NOW);
	}
}

/* An acknowledgment of several frames gives one sample, of the last of them. A repeated one gives
 * none, and neither does one that comes in a NACK.
 */
static void arql_test_sample(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_piece piece;
	int i;

	arql_test_add(test, 514, FL_NO_DEADLINE, NOW);
	for (i = 0; i < 5; i++)
		arql_test_send(link, &piece, NOW + i * MS);
	link->cfg.clock = ARQLINK_CLOCK_SENT;
	arql_sender_acked(link, 1, false, NOW + 9 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.samples, 0);
	arql_test_ack(test, 3, NOW + 10 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.samples, 1);
	/* the clock was "queued" when the frame left */
	KUNIT_EXPECT_EQ(test, link->sender.estimate.srtt, 10 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.least, 8 * MS);
	arql_test_ack(test, 3, NOW + 11 * MS);
	arql_test_ack(test, 2, NOW + 11 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.samples, 1);
	arql_expect_stat(test, ARQLINK_STATS_SAMPLES, 1);
}

/* The stamp is the time by the clock. A stamp that returns is a sample, also across the wrap of the
 * stamps, and an acknowledgment is none. The least round-trip time counts from the sending.
 */
static void arql_test_echo(struct kunit *test)
{
	const s64 now = (1LL << 32) * NSEC_PER_USEC - 5 * MS;
	struct arql_link *link = test->priv;
	struct arql_piece piece;

	link->cfg.estimate = ARQLINK_ESTIMATE_STAMP;
	arql_test_add(test, 214, FL_NO_DEADLINE, now);
	arql_test_send(link, &piece, now + 2 * MS);
	KUNIT_EXPECT_EQ(test, piece.stamp, arql_stamp(now));
	link->cfg.clock = ARQLINK_CLOCK_SENT;
	arql_test_send(link, &piece, now + 4 * MS);
	KUNIT_EXPECT_EQ(test, piece.stamp, arql_stamp(now + 4 * MS));
	arql_test_ack(test, 1, now + 9 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.samples, 0);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.least, 7 * MS);
	arql_sender_echoed(link, piece.stamp, now + 34 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.srtt, 30 * MS);
	arql_sender_echoed(link, piece.stamp, now + 3 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.samples, 1);
	arql_expect_stat(test, ARQLINK_STATS_SAMPLES, 1);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.least, 7 * MS);
}

/* With the clock "sent" a sample counts from when the frame left. A frame that was sent twice gives
 * a sample, but says nothing about the least round-trip time.
 */
static void arql_test_clock_sent(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.clock = ARQLINK_CLOCK_SENT;
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), ARQL_NEVER);
	arql_test_send_all(link, NOW + 5 * MS);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + 5 * MS + TIMEOUT);
	arql_test_nack(link, 0, 1, NOW + 20 * MS);
	arql_test_send_all(link, NOW + 30 * MS);
	arql_test_ack(test, 1, NOW + 50 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.srtt, 20 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.least, 0);
}

/* A frame is sent again when its timer expires, not earlier. While it waits, an expired timer does
 * nothing, and starts again when the frame leaves.
 */
static void arql_test_timer(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW + MS);
	arql_sender_expire(link, NOW + TIMEOUT - 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&link->jobs));
	arql_sender_expire(link, NOW + TIMEOUT);
	KUNIT_EXPECT_FALSE(test, list_empty(&link->jobs));
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + 2 * TIMEOUT);
	arql_sender_expire(link, NOW + 2 * TIMEOUT);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), ARQL_NEVER);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 3 * TIMEOUT), 1);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + 4 * TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_DATA, 1);
	arql_expect_stat(test, ARQLINK_STATS_REPEATS_TIMER, 1);
}

/* Each frame has its own timer: only those that have expired are sent again, and the first to
 * expire is the next event.
 */
static void arql_test_timers(struct kunit *test)
{
	struct arql_link *link = test->priv;
	int i;

	for (i = 0; i < 4; i++) {
		arql_test_add(test, 50, FL_NO_DEADLINE, NOW + i * MS);
		arql_test_send_all(link, NOW + i * MS);
	}
	arql_test_ack(test, 1, NOW + 4 * MS);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + MS + TIMEOUT);
	arql_sender_expire(link, NOW + 2 * MS + TIMEOUT);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 2 * MS + TIMEOUT), 2);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + 3 * MS + TIMEOUT);
}

/* A NACK causes a retransmission of exactly the frames that it reports, once. Frames that are
 * acknowledged, not sent yet, or not known are no matter of a NACK.
 */
static void arql_test_nacks(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_piece piece;
	int i;

	arql_test_add(test, 514, FL_NO_DEADLINE, NOW);
	for (i = 0; i < 4; i++)
		arql_test_send(link, &piece, NOW);
	arql_test_ack(test, 1, NOW + MS);
	arql_test_nack(link, 60000, 65535, NOW + MS);
	arql_test_nack(link, 4, 65535, NOW + MS);
	arql_test_nack(link, 2, 0, NOW + MS);
	arql_test_nack(link, 0, 1, NOW + MS);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 0);
	arql_test_nack(link, 0, 3, NOW + MS);
	/* the frame 4, which waits, leaves first */
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + MS), 4);
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + MS), 1);
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + MS), 2);
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + MS), -1);
	arql_expect_stat(test, ARQLINK_STATS_REPEATS_NACK, 2);
}

/* A NACK of a frame that waits is ignored, and so is a NACK less than the least round-trip time
 * after a retransmission. Both are about an earlier transmission.
 */
static void arql_test_nacks_ignored(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->sender.estimate.least = 10 * MS;
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_test_nack(link, 0, 1, NOW + 9 * MS);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 0);
	arql_test_nack(link, 0, 1, NOW + 9 * MS);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 1);
	arql_test_send_all(link, NOW + 9 * MS);
	link->sender.estimate.least = 10 * MS;
	arql_test_nack(link, 0, 1, NOW + 19 * MS - 1);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 2);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 19 * MS), 0);
	arql_test_nack(link, 0, 1, NOW + 19 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 19 * MS), 1);
}

/* A packet of which two pieces are in the window is given up as a whole: the frames leave no more,
 * the rest leaves the ring, and the window is empty. A NACK finds nothing. SKIP is repeated until
 * the peer has passed over the numbers.
 */
static void arql_test_give_up(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.attempts = 1;
	link->cfg.ring = 200;
	arql_test_window(test, 2);
	arql_test_add(test, 414, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_EQ(test, link->ring_bytes[ARQLINK_QUEUE_ARQ], 414);
	KUNIT_EXPECT_TRUE(test, __netif_subqueue_stopped(link->dev, ARQLINK_QUEUE_ARQ));
	arql_test_send_all(link, NOW);
	arql_sender_expire(link, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, 1);
	KUNIT_EXPECT_EQ(test, link->held, 0);
	KUNIT_EXPECT_EQ(test, link->ring_bytes[ARQLINK_QUEUE_ARQ], 0);
	KUNIT_EXPECT_FALSE(test, __netif_subqueue_stopped(link->dev, ARQLINK_QUEUE_ARQ));
	KUNIT_EXPECT_EQ(test, link->sender.una, 2);
	KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 0);
	KUNIT_EXPECT_TRUE(test, arql_job_waits(&link->skip));
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), ARQL_NEVER);
	arql_test_nack(link, 0, 2, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 0);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT), 0);
	link->at[ARQL_EVENT_SKIP] = NOW + 2 * TIMEOUT;
	arql_test_ack(test, 1, NOW + TIMEOUT);
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_SKIP], NOW + 2 * TIMEOUT);
	KUNIT_EXPECT_FALSE(test, arql_job_waits(&link->skip));
	arql_test_ack(test, 2, NOW + TIMEOUT);
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_SKIP], ARQL_NEVER);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 0);
	arql_expect_stat(test, ARQLINK_STATS_SAMPLES, 0);
}

/* If the first piece is acknowledged, and a later piece is given up, the packet counts once. */
static void arql_test_give_up_rest(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.attempts = 1;
	arql_test_add(test, 314, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_test_ack(test, 1, NOW + MS);
	arql_sender_expire(link, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, 1);
	arql_test_send_all(link, NOW + TIMEOUT);
	arql_test_ack(test, 3, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 0);
	KUNIT_EXPECT_EQ(test, link->held, 0);
}

/* "oldest" passes over frames that are given up at the start of the window, and over no other. */
static void arql_test_oldest(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_add(test, 114 + 1, NOW + 20 * MS, NOW);
	arql_test_add(test, 50, NOW + 10 * MS, NOW);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	KUNIT_EXPECT_EQ(test, link->sender.una, 0);
	arql_sender_expire(link, NOW + 10 * MS);
	arql_sender_expire(link, NOW + 20 * MS);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 2);
	KUNIT_EXPECT_EQ(test, link->sender.una, 0);
	KUNIT_EXPECT_FALSE(test, arql_job_waits(&link->skip));
	arql_test_ack(test, 1, NOW + 20 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.una, 4);
	KUNIT_EXPECT_TRUE(test, arql_job_waits(&link->skip));
	arql_test_ack(test, 4, NOW + 20 * MS);
	KUNIT_EXPECT_FALSE(test, arql_job_waits(&link->skip));
	KUNIT_EXPECT_EQ(test, link->sender.una, 4);
}

/* While the peer hears nothing, frames that are given up leave their places to the next packets:
 * each packet is sent, across the wrap of the numbers. One acknowledgment ends the SKIPs.
 */
static void arql_test_outage(struct kunit *test)
{
	const u16 start = 65500, end = start + 3 * 50 - 65536;
	struct arql_link *link = test->priv;
	s64 now = NOW;
	int i, n;

	link->cfg.attempts = 1;
	arql_test_window(test, 2);
	arql_test_start_at(link, start);
	for (i = 1; i <= 50; i++) {
		for (n = 0; n < 3; n++)
			arql_test_add(test, 50, FL_NO_DEADLINE, now);
		KUNIT_EXPECT_EQ(test, arql_test_send_all(link, now), 2);
		now += TIMEOUT;
		arql_sender_expire(link, now);
		KUNIT_EXPECT_TRUE(test, arql_job_waits(&link->skip));
		KUNIT_EXPECT_EQ(test, arql_test_send_all(link, now), 1);
		now += TIMEOUT;
		arql_sender_expire(link, now);
		arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, 3 * i);
		KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 0);
		KUNIT_EXPECT_EQ(test, link->held, 0);
	}
	KUNIT_EXPECT_EQ(test, arql_accept_errors(link), 0);
	arql_test_send_all(link, now);
	KUNIT_EXPECT_EQ(test, link->sender.told, end);
	arql_test_ack(test, end, now);
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_SKIP], ARQL_NEVER);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 0);
}

/* The peer may acknowledge frames that were given up, with or without the first frame of the
 * window. Only the latter leaves the window, and only it is a sample.
 */
static void arql_test_ack_given_up(struct kunit *test)
{
	struct arql_link *link = test->priv;
	int i;

	for (i = 0; i < 3; i++)
		arql_test_add(test, 50, NOW + 5 * MS, NOW);
	arql_test_send_all(link, NOW);
	arql_sender_expire(link, NOW + 5 * MS);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW + 5 * MS);
	arql_test_send_all(link, NOW + 5 * MS);
	arql_test_ack(test, 2, NOW + 6 * MS);
	arql_test_ack(test, 3, NOW + 7 * MS);
	KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 1);
	arql_expect_stat(test, ARQLINK_STATS_SAMPLES, 0);
	KUNIT_EXPECT_EQ(test, arql_accept_errors(link), 0);
	arql_test_ack(test, 4, NOW + 9 * MS);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 1);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 3);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.srtt, 4 * MS);
}

/* Frames that are given up before they leave are passed over too. Until "oldest" has left, the peer
 * can neither acknowledge them nor report the frames behind them.
 */
static void arql_test_given_up_unsent(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_piece piece;
	int i;

	for (i = 0; i < 4; i++)
		arql_test_add(test, 50, i < 3 ? NOW + 5 * MS : FL_NO_DEADLINE, NOW);
	arql_test_send(link, &piece, NOW);
	arql_sender_expire(link, NOW + 5 * MS);
	KUNIT_EXPECT_EQ(test, link->sender.una, 3);
	KUNIT_EXPECT_EQ(test, link->sender.told, 1);
	KUNIT_EXPECT_FALSE(test, arql_sender_accepts(link, 2));
	arql_test_nack(link, 0, 65535, NOW + 5 * MS);
	arql_test_nack(link, 3, 1, NOW + 5 * MS);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 0);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 5 * MS), 1);
	arql_expect_stat(test, ARQLINK_STATS_DATA, 2);
	arql_test_ack(test, 4, NOW + 6 * MS);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 1);
}

/* The numbers run at most ARQLINK_AHEAD ahead of the last acknowledgment. Then packets wait, until
 * the peer acknowledges the frames that were given up.
 */
static void arql_test_ahead(struct kunit *test)
{
	const u16 start = 60000, end = start + ARQLINK_AHEAD - 65536;
	struct arql_link *link = test->priv;
	u32 given_up = 0, i;
	s64 now = NOW;

	link->cfg.attempts = 1;
	arql_test_start_at(link, start);
	for (i = 0; i <= ARQLINK_AHEAD && !link->held; i++) {
		arql_test_add(test, 50, FL_NO_DEADLINE, now);
		given_up += arql_test_send_all(link, now);
		now += TIMEOUT;
		arql_sender_expire(link, now);
	}
	KUNIT_EXPECT_EQ(test, given_up, ARQLINK_AHEAD);
	KUNIT_EXPECT_EQ(test, link->sender.una, end);
	KUNIT_EXPECT_EQ(test, arql_accept_errors(link), 0);
	arql_test_send_all(link, now);
	arql_test_add(test, 50, FL_NO_DEADLINE, now);
	arql_test_ack(test, start + 1, now);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, now), 1);
	arql_test_ack(test, end, now);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, now), 1);
	arql_test_ack(test, end + 2, now);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 2);
	arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, ARQLINK_AHEAD);
	KUNIT_EXPECT_EQ(test, link->held, 0);
}

/* At its deadline a packet is given up, even if the timeout is later, or if the frame waits. A
 * frame arrives half of the least round-trip time after it leaves.
 */
static void arql_test_deadline(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_add(test, 50, NOW + 5 * MS, NOW);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + 5 * MS);
	arql_sender_expire(link, NOW + 5 * MS);
	arql_expect_stat(test, ARQLINK_STATS_EXPIRED, 1);
	KUNIT_EXPECT_EQ(test, link->quality.tally[0].packets, 1);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 5 * MS), 0);
	arql_test_ack(test, 1, NOW + 5 * MS);

	link->sender.estimate.least = 8 * MS;
	arql_test_add(test, 50, NOW + 10 * MS, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 6 * MS), 1);
	arql_test_nack(link, 1, 1, NOW + 6 * MS + 1);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 1);
	arql_test_send_all(link, NOW + 7 * MS);
	arql_test_ack(test, 2, NOW + 7 * MS);

	arql_test_add(test, 50, NOW + 10 * MS, NOW + 6 * MS + 1);
	arql_expect_stat(test, ARQLINK_STATS_EXPIRED, 2);
	KUNIT_EXPECT_EQ(test, link->sender.next, 2);
}

/* A packet of which a piece has left is late, not expired, if another piece has not left in time.
 */
static void arql_test_late_not_expired(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_piece piece;

	arql_test_add(test, 214, NOW + 5 * MS, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW), 0);
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + 5 * MS), -1);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 1);
	arql_expect_stat(test, ARQLINK_STATS_EXPIRED, 0);
}

/* Frame numbers wrap: 70000 packets go through a small window, in order, and all arrive. */
static void arql_test_wrap(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_piece piece;
	int wrong = 0, i;

	for (i = 0; i < 70000; i++) {
		arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
		wrong += arql_test_send(link, &piece, NOW) != (u16)i;
		if (i % 5 == 4)
			arql_sender_acked(link, i - 1, true, NOW);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	arql_test_ack(test, (u16)i, NOW);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 70000);
	arql_expect_stat(test, ARQLINK_STATS_DATA, 70000);
}

/* The largest window works across the wrap: all its frames are in flight, are reported, are given
 * up and are released.
 */
static void arql_test_large_window(struct kunit *test)
{
	const u16 start = 65536 - 1000, end = ARQLINK_WINDOW_MAX - 1000;
	struct arql_link *link = test->priv;
	int i;

	arql_test_window(test, ARQLINK_WINDOW_MAX);
	arql_test_start_at(link, start);
	link->cfg.attempts = 2;
	for (i = 0; i < ARQLINK_WINDOW_MAX + 1; i++)
		arql_test_add(test, 20, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW), ARQLINK_WINDOW_MAX);
	arql_test_nack(link, start, 65535, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW), ARQLINK_WINDOW_MAX);
	arql_sender_expire(link, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, ARQLINK_WINDOW_MAX);
	KUNIT_EXPECT_EQ(test, link->sender.una, end);
	KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 1);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT), 1);
	arql_test_ack(test, end + 1, NOW + TIMEOUT);
	KUNIT_EXPECT_EQ(test, arql_flight(&link->sender), 0);
}

/* A new connection counts from 0. The packets in the window are given up, with what is left of them
 * in the ring. The other packets stay in the ring.
 */
static void arql_test_reset(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_start_at(link, 65534);
	arql_test_window(test, 4);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_add(test, 414, FL_NO_DEADLINE, NOW);
	arql_test_add(test, 60, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	link->sender.estimate.least = 1;
	arql_sender_reset(link);
	arql_expect_stat(test, ARQLINK_STATS_RESET, 2);
	KUNIT_EXPECT_EQ(test, link->held, 1);
	KUNIT_EXPECT_EQ(test, link->ring_bytes[ARQLINK_QUEUE_ARQ], 60);
	KUNIT_EXPECT_TRUE(test, list_empty(&link->jobs));
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), ARQL_NEVER);
	KUNIT_EXPECT_EQ(test, link->sender.estimate.least, 0);
	arql_sender_fill(link, NOW);
	KUNIT_EXPECT_EQ(test, link->sender.next, 1);
	KUNIT_EXPECT_FALSE(test, arql_sender_accepts(link, 1));
	arql_sender_close(link);
	arql_expect_stat(test, ARQLINK_STATS_PURGED, 1);
	KUNIT_EXPECT_EQ(test, link->held, 0);
}

/* With "flush yes", a packet whose attempts have failed takes all other packets with it. */
static void arql_test_flush(struct kunit *test)
{
	struct arql_link *link = test->priv;
	int i;

	link->cfg.attempts = 1;
	link->cfg.flush = ARQLINK_FLUSH_YES;
	link->notify = arql_test_notify;
	arql_test_window(test, 2);
	for (i = 0; i < 3; i++)
		arql_test_add(test, 164, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_sender_expire(link, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, 1);
	arql_expect_stat(test, ARQLINK_STATS_FLUSHED, 2);
	arql_expect_stat(test, ARQLINK_STATS_DROPS, 1);
	KUNIT_EXPECT_EQ(test, link->held, 0);
	KUNIT_EXPECT_EQ(test, link->ring_bytes[ARQLINK_QUEUE_ARQ], 0);
}

/* Starts a probe: of two packets whose attempts have failed, the first goes on. */
static void arql_test_probe_begin(struct kunit *test, s64 deadline)
{
	struct arql_link *link = test->priv;

	link->cfg.attempts = 1;
	link->cfg.flush = ARQLINK_FLUSH_PROBE;
	arql_test_add(test, 50, deadline, NOW);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_sender_expire(link, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_FLUSHED, 1);
	KUNIT_EXPECT_EQ(test, link->held, 1);
}

/* A probe is sent again without a limit, until it arrives. */
static void arql_test_probe(struct kunit *test)
{
	struct arql_link *link = test->priv;
	int i;

	arql_test_probe_begin(test, FL_NO_DEADLINE);
	for (i = 1; i < 20; i++) {
		KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + i * TIMEOUT), 1);
		arql_sender_expire(link, NOW + (i + 1) * TIMEOUT);
	}
	arql_test_ack(test, 1, NOW + i * TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 1);
	arql_expect_stat(test, ARQLINK_STATS_LINK_UPS, 1);
}

/* A new packet takes the place of a probe. Its arrival, too, shows that the link is up, once. */
static void arql_test_probe_ends(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_probe_begin(test, FL_NO_DEADLINE);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, 1);
	KUNIT_EXPECT_EQ(test, link->held, 1);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT), 1);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW + TIMEOUT);
	arql_test_send_all(link, NOW + TIMEOUT);
	arql_test_ack(test, link->sender.next, NOW + TIMEOUT);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 2);
	arql_expect_stat(test, ARQLINK_STATS_LINK_UPS, 1);
	/* of the second one */
	arql_expect_stat(test, ARQLINK_STATS_DEFERS, 1);
}

/* A probe whose lifetime ends goes on, at the pace of the timer. */
static void arql_test_probe_after_lifetime(struct kunit *test)
{
	struct arql_link *link = test->priv;
	const s64 later = NOW + 2 * TIMEOUT;

	arql_test_probe_begin(test, NOW + TIMEOUT + MS);
	KUNIT_ASSERT_EQ(test, arql_sender_expires(link), later);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT + 2 * MS), 1);
	arql_sender_expire(link, later);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, later), 1);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), later + TIMEOUT);
}

/* With "copies", a frame that waits leaves although it was acknowledged. Its packet counts once. */
static void arql_test_copies(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.copies = true;
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_test_nack(link, 0, 1, NOW + MS);
	arql_test_nack(link, 0, 1, NOW + MS);
	arql_expect_stat(test, ARQLINK_STATS_NACKS_IGNORED, 1);
	arql_test_ack(test, 1, NOW + 2 * MS);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 1);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 3 * MS), 1);
	KUNIT_EXPECT_EQ(test, link->copies, 0);
	arql_expect_stat(test, ARQLINK_STATS_REPEATS_NACK, 1);
}

/* If no more copies may wait, the timer still causes another attempt. */
static void arql_test_copies_max(struct kunit *test)
{
	struct arql_link *link = test->priv;
	u8 clock;

	link->cfg.copies = true;
	for (clock = 0; clock <= ARQLINK_CLOCK_MAX; clock++) {
		link->cfg.clock = clock;
		link->copies = U32_MAX;
		arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
		link->copies = 0;
		KUNIT_ASSERT_TRUE(test, list_empty(&link->jobs));
		KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + TIMEOUT);
		arql_sender_expire(link, NOW + TIMEOUT);
		KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT), 1);
		arql_test_ack(test, link->sender.next, NOW + TIMEOUT);
	}
}

/* Fills a window of one frame, so that the following packets wait. */
static void arql_test_pack_begin(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.pack = true;
	arql_test_window(test, 1);
	arql_test_add(test, 30, FL_NO_DEADLINE, NOW);
	KUNIT_ASSERT_EQ(test, arql_test_send_all(link, NOW), 1);
}

/* Packets that wait share a frame, as far as they fit. No packet waits for others. A packet that
 * has expired gets no place, and a packet that does not fit begins the next frame.
 */
static void arql_test_pack(struct kunit *test)
{
	const u8 whole = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST;
	struct arql_link *link = test->priv;
	/* lists of 114 and 32 bytes, and two single packets */
	const u32 sizes[] = { 54, 20, 34, 14, 14, 113, 14 };
	int i;

	arql_test_pack_begin(test);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		arql_test_add(test, 14, NOW + MS, NOW);
		arql_test_add(test, sizes[i], i == 1 ? NOW + 3 * MS : FL_NO_DEADLINE, NOW);
	}
	arql_test_ack(test, 1, NOW + 2 * MS);
	arql_expect_stat(test, ARQLINK_STATS_EXPIRED, 4);
	arql_expect_stat(test, ARQLINK_STATS_PACKED, 3);
	arql_expect_piece(test, 0, 114, whole | ARQLINK_FLAG_PACKED);
	arql_test_ack(test, 2, NOW + 2 * MS);
	arql_expect_stat(test, ARQLINK_STATS_PACKED, 5);
	arql_expect_piece(test, 0, 32, whole | ARQLINK_FLAG_PACKED);
	arql_test_ack(test, 3, NOW + 2 * MS);
	arql_expect_piece(test, 0, 113, whole);
	arql_test_ack(test, 4, NOW + 2 * MS);
	arql_expect_piece(test, 0, 14, whole);
	arql_test_ack(test, 5, NOW + 2 * MS);
	arql_expect_stat(test, ARQLINK_STATS_PACKED, 5);
	arql_expect_stat(test, ARQLINK_STATS_EXPIRED, 7);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 8);
	arql_expect_stat(test, ARQLINK_STATS_DATA, 5);
	KUNIT_EXPECT_EQ(test, link->held, 0);
}

/* A packet whose payload may be damaged shares no frame, because a list has only one checksum. */
static void arql_test_pack_tolerant(struct kunit *test)
{
	int i;

	arql_test_pack_begin(test);
	for (i = 1; i < 5; i++)
		arql_skb_cb(arql_test_add(test, 20, FL_NO_DEADLINE, NOW))->headers =
			i == 2 ? 14 : 0;
	for (i = 1; i < 3; i++) {
		arql_test_ack(test, i, NOW);
		arql_expect_piece(test, 0, 20, ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST);
		arql_expect_stat(test, ARQLINK_STATS_PACKED, 0);
	}
	arql_test_ack(test, 3, NOW);
	arql_expect_stat(test, ARQLINK_STATS_PACKED, 2);
}

/* A packet whose lifetime ends is left out of its frame, which is not sent earlier for that. The
 * last packet goes on without a list. When it is given up too, the frame is.
 */
static void arql_test_pack_expires(struct kunit *test)
{
	const u8 whole = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST;
	struct arql_link *link = test->priv;
	const s64 again = NOW + TIMEOUT;

	arql_test_pack_begin(test);
	arql_test_add(test, 20, NOW + 50 * MS, NOW);
	arql_test_add(test, 30, again + 50 * MS, NOW);
	arql_test_add(test, 40, NOW + 150 * MS, NOW);
	arql_test_ack(test, 1, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW), 1);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + 50 * MS);
	arql_sender_expire(link, NOW + 50 * MS);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 1);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 50 * MS), 0);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), again);
	arql_sender_expire(link, again);
	arql_expect_piece(test, 0, 74, whole | ARQLINK_FLAG_PACKED);
	arql_skb_cb(arql_slot(&link->sender, 1)->piece.skb->next->next)->lifetime.deadline =
		NOW + 120 * MS;
	arql_test_nack(link, 1, 1, NOW + 120 * MS);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 2);
	arql_expect_piece(test, 0, 30, whole | ARQLINK_FLAG_BOUNDED);
	KUNIT_EXPECT_EQ(test, link->sender.una, 1);
	arql_sender_expire(link, again + 50 * MS);
	arql_expect_stat(test, ARQLINK_STATS_LATE, 3);
	KUNIT_EXPECT_EQ(test, link->sender.una, 2);
	KUNIT_EXPECT_EQ(test, link->held, 0);
}

/* Of the packets of a frame, a slow one has twice the attempts. A flush takes it along. The probe
 * is the packet that has failed, in its frame.
 */
static void arql_test_pack_attempts(struct kunit *test)
{
	struct arql_link *link = test->priv;
	u8 flush;
	u16 begin;

	link->cfg.attempts = 1;
	for (flush = 0; flush <= ARQLINK_FLUSH_MAX; flush++) {
		link->cfg.flush = flush;
		memset(link->stats, 0, sizeof(link->stats));
		arql_test_pack_begin(test);
		arql_skb_cb(arql_test_add(test, 20, FL_NO_DEADLINE, NOW))->lifetime.slow = true;
		arql_test_add(test, 30, FL_NO_DEADLINE, NOW);
		begin = link->sender.next;
		arql_test_ack(test, begin, NOW);
		arql_test_send_all(link, NOW);
		arql_sender_expire(link, NOW + TIMEOUT);
		arql_expect_stat(test, ARQLINK_STATS_DROPS, 1);
		arql_expect_stat(test, ARQLINK_STATS_FLUSHED, flush != ARQLINK_FLUSH_NO);
		arql_expect_stat(test, ARQLINK_STATS_ATTEMPTS, flush != ARQLINK_FLUSH_PROBE);
		KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT),
				flush != ARQLINK_FLUSH_YES);
		arql_test_ack(test, begin + 1, NOW + TIMEOUT);
		arql_expect_stat(test, ARQLINK_STATS_LINK_UPS, flush == ARQLINK_FLUSH_PROBE);
		KUNIT_EXPECT_EQ(test, link->held, 0);
	}
}

/* A larger window keeps the frames, their places and their timers, across the wrap. */
static void arql_test_resize(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_piece piece;
	int i;

	arql_test_start_at(link, 65534);
	arql_test_window(test, 4);
	for (i = 0; i < 6; i++)
		arql_test_add(test, 30 + i, FL_NO_DEADLINE, NOW + i * MS);
	arql_test_send(link, &piece, NOW + 6 * MS);
	arql_test_send(link, &piece, NOW + 6 * MS);
	arql_test_window(test, 64);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), NOW + TIMEOUT);
	for (i = 2; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + 6 * MS), (u16)(65534 + i));
		KUNIT_EXPECT_EQ(test, piece.length, 30 + i);
	}
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + 6 * MS), -1);
	arql_sender_fill(link, NOW + 6 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + 6 * MS), 2);
	arql_test_nack(link, 65535, 1, NOW + 20 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_send(link, &piece, NOW + 20 * MS), 65535);
	KUNIT_EXPECT_EQ(test, piece.length, 31);
	arql_sender_expire(link, NOW + TIMEOUT + 2 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_send_all(link, NOW + TIMEOUT + 2 * MS), 2);
	arql_test_ack(test, 4, NOW + TIMEOUT + 2 * MS);
	arql_expect_stat(test, ARQLINK_STATS_SENT, 6);
	KUNIT_EXPECT_EQ(test, arql_sender_expires(link), ARQL_NEVER);
}

/* Reports say what has happened: DROP after all attempts, DEFER if the last attempt has succeeded.
 */
static void arql_test_reports(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct sk_buff *skb;

	link->cfg.attempts = 1;
	link->notify = arql_test_notify;
	skb = arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	skb->protocol = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	arql_test_send_all(link, NOW);
	arql_test_ack(test, 1, NOW + MS);
	KUNIT_EXPECT_EQ(test, arql_report_count, 1);
	KUNIT_EXPECT_EQ(test, arql_reports[0], XRTO_CODE_DEFER);
	skb = arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	skb->protocol = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	arql_test_send_all(link, NOW);
	arql_sender_expire(link, NOW + TIMEOUT);
	KUNIT_EXPECT_EQ(test, arql_report_count, 2);
	KUNIT_EXPECT_EQ(test, arql_reports[1], XRTO_CODE_DROP);
}

static struct arql_notice arql_told[8];	/* the notices of a subscriber */
static u8 arql_told_events[ARRAY_SIZE(arql_told)];
static int arql_told_count;

static int arql_test_told(struct notifier_block *nb, unsigned long event, void *data)
{
	if (arql_told_count < ARRAY_SIZE(arql_told)) {
		arql_told_events[arql_told_count] = event;
		arql_told[arql_told_count] = *(const struct arql_notice *)data;
	}
	arql_told_count++;
	return NOTIFY_DONE;
}

/* Checks the notices since the last call: @events is a list that ends with 0. */
static void arql_expect_told(struct kunit *test, const u8 *events)
{
	int i;

	for (i = 0; events[i]; i++)
		KUNIT_EXPECT_EQ_MSG(test, arql_told_events[i], events[i], "notice %d", i);
	KUNIT_EXPECT_EQ(test, arql_told_count, i);
	arql_told_count = 0;
}

/* A module that registers is told about each event, with the packet and how often it was sent,
 * until it unregisters.
 */
static void arql_test_notices(struct kunit *test)
{
	struct notifier_block nb = { .notifier_call = arql_test_told };
	struct arql_link *link = test->priv;
	const struct arql_notice *last;
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, arql_notifier_register(&nb), 0);
	arql_told_count = 0;
	skb = arql_test_add(test, 300, NOW + 500 * MS, NOW);
	arql_test_send_all(link, NOW);
	arql_test_nack(link, 1, 1, NOW + MS);
	arql_test_send_all(link, NOW + MS);
	arql_sender_expire(link, NOW + TIMEOUT);
	arql_test_send_all(link, NOW + TIMEOUT);
	arql_test_ack(test, 3, NOW + TIMEOUT + 2 * MS);
	last = &arql_told[0];
	KUNIT_EXPECT_PTR_EQ(test, last->dev, link->dev);
	KUNIT_EXPECT_PTR_EQ(test, last->skb, skb);
	KUNIT_EXPECT_EQ(test, last->result, ARQLINK_STATS_SENT);
	KUNIT_EXPECT_EQ(test, last->frames, 3);
	KUNIT_EXPECT_EQ(test, last->transmissions, 6);
	KUNIT_EXPECT_EQ(test, last->attempts, 2);
	KUNIT_EXPECT_EQ(test, last->deadline, NOW + 500 * MS);
	arql_expect_told(test, (const u8[]){ ARQLINK_CMD_PACKET, 0 });
	KUNIT_ASSERT_EQ(test, arql_notifier_unregister(&nb), 0);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_send_all(link, NOW);
	arql_test_ack(test, 4, NOW + MS);
	arql_expect_told(test, (const u8[]){ 0 });
}

/* The notices of a flush follow each other: the packet that fails, the packets that are given up
 * with it, and their number.
 */
static void arql_test_notices_of_flush(struct kunit *test)
{
	static const u8 flush[] = {
		ARQLINK_CMD_DROP, ARQLINK_CMD_PACKET, ARQLINK_CMD_PACKET, ARQLINK_CMD_FLUSH, 0,
	};
	struct notifier_block nb = { .notifier_call = arql_test_told };
	struct arql_link *link = test->priv;

	link->cfg.attempts = 1;
	link->cfg.backlog = 3;
	link->cfg.flush = ARQLINK_FLUSH_PROBE;
	KUNIT_ASSERT_EQ(test, arql_notifier_register(&nb), 0);
	arql_told_count = 0;
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	arql_expect_told(test, (const u8[]){ 0 });
	arql_test_add(test, 50, FL_NO_DEADLINE, NOW);
	KUNIT_EXPECT_EQ(test, arql_told[0].packets, 3);
	arql_expect_told(test, (const u8[]){ ARQLINK_CMD_BACKLOG, 0 });
	arql_test_send_all(link, NOW);
	arql_sender_expire(link, NOW + TIMEOUT);
	KUNIT_EXPECT_EQ(test, arql_told[1].result, ARQLINK_STATS_FLUSHED);
	KUNIT_EXPECT_EQ(test, arql_told[3].packets, 2);
	KUNIT_EXPECT_PTR_EQ(test, arql_told[3].skb, NULL);
	arql_expect_told(test, flush);
	arql_test_send_all(link, NOW + TIMEOUT);
	arql_test_ack(test, 1, NOW + TIMEOUT + MS);
	arql_expect_told(test, (const u8[]){ ARQLINK_CMD_LINK_UP, ARQLINK_CMD_PACKET, 0 });
	KUNIT_ASSERT_EQ(test, arql_notifier_unregister(&nb), 0);
}

static u32 arql_below(struct rnd_state *rnd, u32 limit)
{
	return prandom_u32_state(rnd) % limit;
}

/* A random configuration for a walk. */
static void arql_walk_config(struct kunit *test, struct rnd_state *rnd)
{
	struct arql_link *link = test->priv;

	arql_test_window(test, 1 + arql_below(rnd, 20));
	arql_test_start_at(link, 65536 - arql_below(rnd, 200));
	link->cfg.clock = arql_below(rnd, ARQLINK_CLOCK_MAX + 1);
	link->cfg.copies = arql_below(rnd, 2);
	link->cfg.pack = arql_below(rnd, 2);
	link->cfg.attempts = arql_below(rnd, 4);
	link->cfg.persist = arql_below(rnd, 2) * 250 * MS;
	link->cfg.flush = arql_below(rnd, ARQLINK_FLUSH_MAX + 1);
	link->cfg.timer.kind = arql_below(rnd, ARQLINK_TIMER_MAX + 1);
	link->cfg.timer.mean = 1500;
	link->cfg.timer.floor = MS;
	link->cfg.timer.ceiling = ARQLINK_TIMEOUT_MAX;
}

/* A frame that may still be sent waits, or has a timer. Otherwise it would stay for ever. */
static bool arql_slot_lives(const struct arql_slot *slot)
{
	return arql_slot_given_up(slot) ? !arql_timer_is_pending(slot) :
	       arql_timer_is_pending(slot) || arql_job_waits(&slot->job) || slot->copies;
}

/* The numbers are in order, and the first frame of the window is live. */
static void arql_expect_order(struct kunit *test)
{
	struct arql_link *link = test->priv;
	const struct arql_sender *s = &link->sender;

	KUNIT_ASSERT_LE(test, arql_flight(s), link->cfg.window);
	KUNIT_ASSERT_LE(test, (u16)(s->una - s->acked), (u16)(s->next - s->acked));
	KUNIT_ASSERT_LE(test, (u16)(s->told - s->acked), (u16)(s->next - s->acked));
	KUNIT_ASSERT_LE(test, (u16)(s->next - s->acked), ARQLINK_AHEAD);
	KUNIT_ASSERT_TRUE(test, s->una == s->next || !arql_slot_given_up(arql_slot(s, s->una)));
	KUNIT_ASSERT_TRUE(test, s->una != s->acked || !arql_job_waits(&link->skip));
}

static void arql_expect_sane(struct kunit *test)
{
	struct arql_link *link = test->priv;
	const u64 *stats = link->stats;
	u64 ended = stats[ARQLINK_STATS_SENT];
	int cause;
	u16 i;

	arql_expect_order(test);
	for (i = link->sender.una; i != link->sender.next; i++)
		KUNIT_ASSERT_TRUE_MSG(test, arql_slot_lives(arql_slot(&link->sender, i)),
				      "frame %u stays for ever", i);
	for (cause = ARQLINK_STATS_EXPIRED; cause < ARQLINK_STATS_HELD; cause++)
		ended += stats[cause];
	KUNIT_ASSERT_EQ(test, stats[ARQLINK_STATS_PACKETS_IN], ended + link->held);
}

static void arql_walk_step(struct kunit *test, struct rnd_state *rnd, s64 now)
{
	struct arql_link *link = test->priv;
	struct arql_sender *s = &link->sender;
	struct arql_piece piece;

	if (!arql_below(rnd, 100))
		arql_test_window(test, link->cfg.window + arql_below(rnd, 20));
	switch (arql_below(rnd, 5)) {
	case 0:
		arql_test_add(test, ETH_HLEN + arql_below(rnd, arql_below(rnd, 2) ? 500 : 50),
			      arql_below(rnd, 2) ? FL_NO_DEADLINE :
						   now + arql_below(rnd, 400) * MS, now);
		break;
	case 1:
		arql_test_nack(link, s->una + arql_below(rnd, 10), arql_below(rnd, 10), now);
		break;
	case 2:
		arql_test_ack(test, s->acked + arql_below(rnd, (u16)(s->told - s->acked) + 1), now);
		break;
	default:
		arql_test_send(link, &piece, now);
	}
	arql_sender_expire(link, now);
}

/* The peer acknowledges all that it may. After some timeouts no packet is held any more. */
static void arql_walk_end(struct kunit *test, s64 now)
{
	struct arql_link *link = test->priv;
	int i;

	for (i = 0; i < 200 && link->held; i++) {
		now += TIMEOUT;
		arql_sender_expire(link, now);
		arql_test_send_all(link, now);
		arql_test_ack(test, link->sender.told, now);
	}
	KUNIT_ASSERT_EQ(test, link->held, 0);
	arql_test_send_all(link, now);
	arql_test_ack(test, link->sender.told, now);
	KUNIT_ASSERT_EQ(test, arql_flight(&link->sender), 0);
	KUNIT_ASSERT_EQ(test, link->copies, 0);
}

/* Whatever happens, in each configuration: no frame stays for ever, the window keeps its limit, and
 * each packet counts once.
 */
static void arql_test_walks(struct kunit *test)
{
	struct rnd_state rnd;
	s64 now = NOW;
	int walk, i;

	prandom_seed_state(&rnd, 1);
	for (walk = 0; walk < WALKS; walk++) {
		arql_walk_config(test, &rnd);
		for (i = 0; i < STEPS; i++) {
			now += arql_below(&rnd, 40) * MS / 4;
			arql_walk_step(test, &rnd, now);
			arql_expect_sane(test);
		}
		arql_walk_end(test, now);
	}
}

static struct kunit_case arql_sender_cases[] = {
	KUNIT_CASE(arql_test_pieces),
	KUNIT_CASE(arql_test_piece_limits),
	KUNIT_CASE(arql_test_window_full),
	KUNIT_CASE(arql_test_backpressure),
	KUNIT_CASE(arql_test_acks),
	KUNIT_CASE(arql_test_hostile_ack),
	KUNIT_CASE(arql_test_sample),
	KUNIT_CASE(arql_test_echo),
	KUNIT_CASE(arql_test_clock_sent),
	KUNIT_CASE(arql_test_timer),
	KUNIT_CASE(arql_test_timers),
	KUNIT_CASE(arql_test_nacks),
	KUNIT_CASE(arql_test_nacks_ignored),
	KUNIT_CASE(arql_test_give_up),
	KUNIT_CASE(arql_test_give_up_rest),
	KUNIT_CASE(arql_test_oldest),
	KUNIT_CASE(arql_test_outage),
	KUNIT_CASE(arql_test_ack_given_up),
	KUNIT_CASE(arql_test_given_up_unsent),
	KUNIT_CASE(arql_test_ahead),
	KUNIT_CASE(arql_test_deadline),
	KUNIT_CASE(arql_test_late_not_expired),
	KUNIT_CASE(arql_test_wrap),
	KUNIT_CASE(arql_test_large_window),
	KUNIT_CASE(arql_test_reset),
	KUNIT_CASE(arql_test_flush),
	KUNIT_CASE(arql_test_probe),
	KUNIT_CASE(arql_test_probe_ends),
	KUNIT_CASE(arql_test_probe_after_lifetime),
	KUNIT_CASE(arql_test_copies),
	KUNIT_CASE(arql_test_copies_max),
	KUNIT_CASE(arql_test_pack),
	KUNIT_CASE(arql_test_pack_tolerant),
	KUNIT_CASE(arql_test_pack_expires),
	KUNIT_CASE(arql_test_pack_attempts),
	KUNIT_CASE(arql_test_resize),
	KUNIT_CASE(arql_test_reports),
	KUNIT_CASE(arql_test_notices),
	KUNIT_CASE(arql_test_notices_of_flush),
	KUNIT_CASE(arql_test_walks),
	{}
};

static struct kunit_suite arql_sender_suite = {
	.name = "arqlink_sender",
	.init = arql_test_init,
	.exit = arql_test_exit,
	.test_cases = arql_sender_cases,
};

kunit_test_suite(arql_sender_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's sender");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
