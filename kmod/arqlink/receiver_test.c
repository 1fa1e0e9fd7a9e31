// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the receiver. Each test has a link without a lower link, and reads the packets
 * that wait for the stack.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
/* the tests include these files, because their functions are not exported */
#include "frame.c"
#include "lifetime.c"
#include "receiver.c"
#include "test_link.h"
#include "test_packet.h"

#define FIRST	ARQLINK_FLAG_FIRST
#define LAST	ARQLINK_FLAG_LAST
#define WHOLE	(FIRST | LAST)
#define DATA	ARQLINK_STATS_IN_DATA
#define DUPLICATE	ARQLINK_STATS_DUPLICATE

/* Sets the window and makes space for it. Frames in the window stay. */
static void arql_test_resize(struct kunit *test, u32 window)
{
	const u32 count = roundup_pow_of_two(window);
	struct arql_arrived *slots = kvcalloc(count, sizeof(*slots), GFP_KERNEL);
	struct arql_link *link = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, slots);
	link->cfg.window = window;
	link->receiver.window = window;
	kvfree(arql_receiver_move(link, slots, count));
}

static int arql_test_init(struct kunit *test)
{
	test->priv = arql_test_link(test, 8);
	arql_test_resize(test, 8);
	return 0;
}

static void arql_test_exit(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_receiver_reset(link);
	kvfree(link->receiver.slots);
	skb_queue_purge(&link->inbox.packets);
	free_netdev(link->dev);
}

static void arql_test_window(struct kunit *test, u32 window)
{
	arql_receiver_reset(test->priv);
	arql_test_resize(test, window);
}

static void arql_test_start_at(struct arql_link *link, u16 number)
{
	link->receiver.next = number;
	link->receiver.end = number;
}

static void arql_expect_stat(struct kunit *test, int counter, u64 value)
{
	const struct arql_link *link = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, link->stats[counter], value, "counter %d", counter);
}

/* A DATA frame with @len bytes of payload arrives. Returns its counter. */
static int arql_test_frame(struct kunit *test, const struct arql_frame *frame,
			   const void *data, u32 len, s64 now)
{
	struct arql_link *link = test->priv;
	struct sk_buff *skb;
	int counter;

	if (!arql_receiver_accepts(link, frame))
		return ARQLINK_STATS_OUTSIDE;
	skb = alloc_skb(len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, data, len);
	local_bh_disable();
	arql_receiver_skip(link, frame->oldest, now);
	counter = arql_receiver_take(link, frame, skb, now);
	local_bh_enable();
	if (counter != ARQLINK_STATS_IN_DATA)
		kfree_skb(skb);
	return counter;
}

/* A piece with one letter arrives, behind an Ethernet header if it is the first of its packet. The
 * peer has given nothing up.
 */
static int arql_test_piece(struct kunit *test, unsigned int number, u8 flags, char letter)
{
	const struct arql_link *link = test->priv;
	const struct arql_frame frame = {
		.type = ARQLINK_DATA, .number = number, .flags = flags,
		.oldest = link->receiver.next,
	};
	u8 data[ETH_HLEN + 1] = {};

	data[12] = 0x88;
	data[13] = 0xb6;
	data[ETH_HLEN] = letter;
	return flags & FIRST ? arql_test_frame(test, &frame, data, ETH_HLEN + 1, NOW) :
			       arql_test_frame(test, &frame, data + ETH_HLEN, 1, NOW);
}

static void arql_test_skip(struct arql_link *link, u16 oldest)
{
	local_bh_disable();
	arql_receiver_skip(link, oldest, NOW);
	local_bh_enable();
}

/* The stack gets exactly these packets, which consist of letters, in this order. */
static void arql_expect_packets(struct kunit *test, const char *packets)
{
	struct arql_link *link = test->priv;
	char got[100] = "";
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&link->inbox.packets))) {
		if (*got)
			strlcat(got, " ", sizeof(got));
		strncat(got, skb->data, min_t(size_t, skb->len, sizeof(got) - strlen(got) - 1));
		kfree_skb(skb);
	}
	KUNIT_EXPECT_STREQ(test, got, packets);
}

/* Frames out of sequence wait. When the missing frame arrives, all packets are delivered in order.
 */
static void arql_test_order(struct kunit *test)
{
	struct arql_link *link = test->priv;

	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 0, WHOLE, 'a'), DATA);
	arql_expect_packets(test, "a");
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 3, WHOLE, 'd'), DATA);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 2, WHOLE, 'c'), DATA);
	arql_expect_packets(test, "");
	KUNIT_EXPECT_EQ(test, link->receiver.next, 1);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 1, WHOLE, 'b'), DATA);
	arql_expect_packets(test, "b c d");
	KUNIT_EXPECT_EQ(test, link->receiver.next, 4);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 4);
}

/* A frame that has arrived before is dropped, whether it was delivered or still waits. It is
 * acknowledged again.
 */
static void arql_test_duplicates(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.ack_delay = 7;
	arql_test_piece(test, 0, WHOLE, 'a');
	arql_test_piece(test, 2, WHOLE, 'c');
	link->at[ARQL_EVENT_ACK] = ARQL_NEVER;
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 0, WHOLE, 'x'), DUPLICATE);
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_ACK], NOW + 7);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 2, WHOLE, 'y'), DUPLICATE);
	arql_test_piece(test, 1, WHOLE, 'b');
	arql_expect_packets(test, "a b c");
}

/* Takes frames of each window from 1 to 8 in reverse order, across the wrap of the numbers. */
static void arql_test_wrap(struct kunit *test)
{
	u32 window, i;

	for (window = 1; window <= 8; window++) {
		struct arql_link *link = test->priv;
		const u16 start = 65536 - window / 2;

		arql_test_window(test, window);
		arql_test_start_at(link, start);
		KUNIT_EXPECT_EQ(test, arql_test_piece(test, start + window, WHOLE, 'x'),
				ARQLINK_STATS_OUTSIDE);
		for (i = window; i--;)
			KUNIT_EXPECT_EQ(test, arql_test_piece(test, start + i, WHOLE, 'x'), DATA);
		KUNIT_EXPECT_EQ(test, link->receiver.next, (u16)(start + window));
		KUNIT_EXPECT_EQ(test, skb_queue_len(&link->inbox.packets), window);
		skb_queue_purge(&link->inbox.packets);
	}
}

/* A packet is put together from its pieces, whatever order they arrive in. */
static void arql_test_assemble(struct kunit *test)
{
	arql_test_piece(test, 0, FIRST, 'a');
	arql_test_piece(test, 1, 0, 'b');
	arql_expect_packets(test, "");
	arql_test_piece(test, 2, LAST, 'c');
	arql_expect_packets(test, "abc");
	arql_test_piece(test, 5, LAST, 'f');
	arql_test_piece(test, 6, WHOLE, 'g');
	arql_test_piece(test, 4, 0, 'e');
	arql_test_piece(test, 3, FIRST, 'd');
	arql_expect_packets(test, "def g");
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 0);
}

/* Pieces without a first piece are useless. A first piece ends the packet before it. */
static void arql_test_contradictions(struct kunit *test)
{
	arql_test_piece(test, 0, 0, 'a');
	arql_test_piece(test, 1, LAST, 'b');
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 0);
	arql_test_piece(test, 2, FIRST, 'c');
	arql_test_piece(test, 3, FIRST, 'd');
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 1);
	arql_test_piece(test, 4, LAST, 'e');
	arql_test_piece(test, 5, LAST, 'f');
	arql_expect_packets(test, "de");
}

/* Frames that the peer has given up are passed over. Their packet is incomplete. Later packets are
 * delivered, up to the next missing frame. The peer hears of this at once.
 */
static void arql_test_skip_holes(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_piece(test, 0, FIRST, 'a');
	arql_test_piece(test, 2, LAST, 'c');
	arql_test_piece(test, 4, WHOLE, 'e');
	arql_test_piece(test, 5, WHOLE, 'f');
	arql_test_piece(test, 7, WHOLE, 'h');
	link->at[ARQL_EVENT_ACK] = ARQL_NEVER;
	arql_test_skip(link, 0);
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_ACK], ARQL_NEVER);
	arql_test_skip(link, 4);
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_ACK], NOW);
	arql_expect_packets(test, "e f");
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 1);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 6);
	arql_test_skip(link, 3);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 6);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 3, WHOLE, 'x'), DUPLICATE);
	arql_test_piece(test, 6, WHOLE, 'g');
	arql_expect_packets(test, "g h");
}

/* The whole window can be skipped, also if nothing has arrived. */
static void arql_test_skip_window(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_range ranges[ARQLINK_RANGES_MAX];

	arql_test_start_at(link, 65532);
	arql_test_skip(link, 4);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 4);
	KUNIT_EXPECT_EQ(test, arql_receiver_missing(link, ranges), 0);
	arql_test_piece(test, 4, WHOLE, 'a');
	arql_expect_packets(test, "a");
}

/* A packet longer than the MTU is refused once, before it is complete. The next packet is fine. */
static void arql_test_too_long(struct kunit *test)
{
	struct arql_link *link = test->priv;
	u8 data[1600] = {};
	struct arql_frame frame = { .type = ARQLINK_DATA, .flags = FIRST };
	int i;

	for (i = 0; i < 20; i++) {
		frame.number = i;
		frame.oldest = i;
		frame.flags = i == 19 ? LAST : i ? 0 : FIRST;
		KUNIT_EXPECT_EQ(test, arql_test_frame(test, &frame, data, 1000, NOW), DATA);
	}
	arql_expect_stat(test, ARQLINK_STATS_REFUSED, 1);
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 0);
	frame = (struct arql_frame){ .type = ARQLINK_DATA, .flags = WHOLE,
				     .number = 20, .oldest = 20 };
	arql_test_frame(test, &frame, data, 1500 + ETH_HLEN + VLAN_HLEN + 1, NOW);
	arql_expect_stat(test, ARQLINK_STATS_REFUSED, 2);
	frame.number++;
	arql_test_frame(test, &frame, data, 1500 + ETH_HLEN + VLAN_HLEN, NOW);
	arql_expect_stat(test, ARQLINK_STATS_REFUSED, 2);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&link->inbox.packets), 1);
}

/* A packet without a whole Ethernet header is refused. */
static void arql_test_too_short(struct kunit *test)
{
	struct arql_frame frame = { .type = ARQLINK_DATA, .flags = WHOLE };
	const u8 data[ETH_HLEN] = {};

	arql_test_frame(test, &frame, data, ETH_HLEN - 1, NOW);
	arql_expect_stat(test, ARQLINK_STATS_REFUSED, 1);
	frame.number++;
	arql_test_frame(test, &frame, data, ETH_HLEN, NOW);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 1);
}

/* At most 1000 packets wait for the stack. */
static void arql_test_full(struct kunit *test)
{
	int i;

	for (i = 0; i < FL_INBOX_MAX + 1; i++)
		KUNIT_EXPECT_EQ(test, arql_test_piece(test, i, WHOLE, 'x'), DATA);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, FL_INBOX_MAX);
	arql_expect_stat(test, ARQLINK_STATS_REFUSED, 1);
}

/* Counts the numbers of DATA frames that are accepted or refused against the rule: a frame is near
 * the window that begins at "oldest", or at the first missing frame.
 */
static int arql_accept_errors(const struct arql_link *link, int oldest)
{
	const struct arql_receiver *r = &link->receiver;
	const int size = link->cfg.window;
	struct arql_frame frame = { .type = ARQLINK_DATA, .oldest = r->next + oldest };
	int wrong = 0, n;

	for (n = S16_MIN; n <= S16_MAX; n++) {
		frame.number = r->next + n;
		wrong += arql_receiver_accepts(link, &frame) !=
			 ((n >= -(int)ARQLINK_WINDOW_MAX && n < size) ||
			  (n >= oldest && n < oldest + size));
	}
	return wrong;
}

/* Of all 65536 numbers, only those of the window and those before it are accepted. "oldest" may
 * move the window.
 */
static void arql_test_accepts(struct kunit *test)
{
	struct arql_link *link = test->priv;
	const u16 starts[] = { 0, 65530, 32766 };
	const int oldest[] = { -9, -1, 0, 1, 8, 9, 1000 };
	int i, n;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		arql_test_start_at(link, starts[i]);
		for (n = 0; n < ARRAY_SIZE(oldest); n++)
			KUNIT_EXPECT_EQ_MSG(test, arql_accept_errors(link, oldest[n]), 0,
					    "next %u, oldest %d", starts[i], oldest[n]);
	}
}

/* "oldest" of any frame is at most ARQLINK_AHEAD ahead of the first missing frame. */
static void arql_test_oldest(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_frame frame = { .type = ARQLINK_ACK, .number = 12345 };
	int wrong = 0, n;

	arql_test_start_at(link, 65530);
	for (n = S16_MIN; n <= S16_MAX; n++) {
		frame.oldest = 65530 + n;
		wrong += arql_receiver_accepts(link, &frame) !=
			 (n >= -(int)ARQLINK_WINDOW_MAX && n <= (int)ARQLINK_AHEAD);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void arql_expect_ranges(struct kunit *test, const struct arql_range *expected,
			       unsigned int count)
{
	struct arql_range ranges[ARQLINK_RANGES_MAX];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, arql_receiver_missing(test->priv, ranges), count);
	for (i = 0; i < count; i++) {
		KUNIT_EXPECT_EQ(test, ranges[i].first, expected[i].first);
		KUNIT_EXPECT_EQ(test, ranges[i].count, expected[i].count);
	}
}

/* A NACK lists the frames that are missing before the last one that has arrived, across the wrap.
 */
static void arql_test_missing(struct kunit *test)
{
	const struct arql_range gaps[] = { { 65533, 2 }, { 0, 3 } };
	struct arql_link *link = test->priv;

	arql_test_start_at(link, 65532);
	arql_test_piece(test, 65532, WHOLE, 'a');
	KUNIT_EXPECT_FALSE(test, arql_job_waits(&link->nack));
	arql_test_piece(test, 65535, WHOLE, 'b');
	KUNIT_EXPECT_TRUE(test, arql_job_waits(&link->nack));
	arql_test_piece(test, 3, WHOLE, 'c');
	arql_expect_ranges(test, gaps, 2);
	arql_expect_ranges(test, gaps, 2);
	arql_test_piece(test, 65533, WHOLE, 'd');
	arql_test_piece(test, 65534, WHOLE, 'e');
	arql_expect_ranges(test, gaps + 1, 1);
	arql_test_skip(link, 4);
	arql_expect_ranges(test, NULL, 0);
}

/* "oldest" may be far ahead. What has arrived is delivered, a packet without its end is not, and
 * the window works at its new place, across the wrap.
 */
static void arql_test_jump(struct kunit *test)
{
	const struct arql_range gaps[] = { { 65532, 1 }, { 65534, 2 }, { 15533, 2 } };
	struct arql_link *link = test->priv;

	arql_test_start_at(link, 65532);
	link->cfg.reject = ARQLINK_REJECT_SINGLE;
	arql_test_piece(test, 65533, WHOLE, 'a');
	arql_test_piece(test, 0, WHOLE, 'b');
	arql_test_piece(test, 1, FIRST, 'c');
	arql_expect_ranges(test, gaps, 2);
	arql_test_skip(link, 15532);
	arql_expect_packets(test, "a b");
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 1);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 15532);
	KUNIT_EXPECT_EQ(test, link->receiver.end, 15532);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 15531, WHOLE, 'x'), DUPLICATE);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 15540, WHOLE, 'x'), ARQLINK_STATS_OUTSIDE);
	arql_test_piece(test, 15535, WHOLE, 'e');
	arql_test_piece(test, 15532, WHOLE, 'd');
	arql_expect_packets(test, "d");
	arql_expect_ranges(test, gaps + 2, 1);
	arql_test_skip(link, 15535);
	arql_expect_packets(test, "e");
}

/* More than 8 gaps do not fit into one NACK. With "single" each missing frame is reported once, and
 * the next NACK lists the rest. With "multi" all are reported again.
 */
static void arql_test_many_gaps(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct arql_range gaps[10];
	int i;

	arql_test_window(test, 32);
	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		gaps[i] = (struct arql_range){ 3 * i, 2 };
		arql_test_piece(test, 3 * i + 2, WHOLE, 'x');
	}
	link->cfg.reject = ARQLINK_REJECT_MULTI;
	arql_expect_ranges(test, gaps, 8);
	arql_expect_ranges(test, gaps, 8);
	link->cfg.reject = ARQLINK_REJECT_SINGLE;
	arql_expect_ranges(test, gaps + 8, 2);
	arql_expect_ranges(test, NULL, 0);
	/* the slots are used again */
	arql_test_skip(link, 30);
	arql_test_piece(test, 33, WHOLE, 'x');
	gaps[0] = (struct arql_range){ 30, 3 };
	arql_expect_ranges(test, gaps, 1);
	arql_expect_ranges(test, NULL, 0);
}

/* With "never" no frame is reported. */
static void arql_test_never(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.reject = ARQLINK_REJECT_NEVER;
	arql_test_piece(test, 1, WHOLE, 'x');
	KUNIT_EXPECT_FALSE(test, arql_job_waits(&link->nack));
}

/* An acknowledgment waits for ack_delay from the first frame on, but not if half of the window of
 * the sender is used up.
 */
static void arql_test_ack_delay(struct kunit *test)
{
	struct arql_link *link = test->priv;

	link->cfg.ack_delay = 10;
	link->peer.window = 6;
	arql_test_piece(test, 0, WHOLE, 'a');
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_ACK], NOW + 10);
	link->cfg.ack_delay = 20;
	arql_test_piece(test, 1, WHOLE, 'b');
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_ACK], NOW + 10);
	arql_test_piece(test, 2, WHOLE, 'c');
	KUNIT_EXPECT_EQ(test, link->at[ARQL_EVENT_ACK], NOW);
}

/* An IPv4 packet with an option arrives in one frame at @at, with @flags in addition. */
static int arql_test_option(struct kunit *test, u16 number, const struct xlo *opt,
			    u8 flags, s64 at)
{
	const struct arql_link *link = test->priv;
	const struct arql_frame frame = {
		.type = ARQLINK_DATA, .number = number, .flags = WHOLE | flags,
		.oldest = link->receiver.next,
	};
	u8 p[ARQL_TEST_IP4];

	arql_test_ip4(p, opt);
	return arql_test_frame(test, &frame, p, sizeof(p), at);
}

/* The lifetime of the next delivered packet, whose header is in order; -1 for no packet. */
static int arql_test_next_lifetime(struct kunit *test)
{
	struct arql_link *link = test->priv;
	struct sk_buff *skb = skb_dequeue(&link->inbox.packets);
	int lifetime;

	if (!skb)
		return -1;
	lifetime = arql_test_lifetime(skb->data - ETH_HLEN);
	KUNIT_EXPECT_FALSE(test, ip_fast_csum(skb->data, 7));
	kfree_skb(skb);
	return lifetime;
}

/* The time for which a packet has waited behind a missing frame is taken off its lifetime. A
 * bounded packet whose lifetime has ended is dropped. Other packets are delivered.
 */
static void arql_test_lifetimes(struct kunit *test)
{
	const struct xlo opt = { .lifetime = 5 };

	arql_test_option(test, 1, &opt, ARQLINK_FLAG_BOUNDED, NOW);
	arql_test_option(test, 2, &opt, 0, NOW);
	arql_test_option(test, 3, &opt, ARQLINK_FLAG_BOUNDED, NOW + 4 * MS);
	arql_test_option(test, 0, &opt, ARQLINK_FLAG_BOUNDED, NOW + 7 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 5);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 0);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 2);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), -1);
	arql_expect_stat(test, ARQLINK_STATS_STALE, 1);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 3);
}

/* A packet overtakes a missing frame if fewer packets than its option says have done so. It is
 * delivered once. A slow flow, and a packet without the option, stay in order.
 */
static void arql_test_overtake(struct kunit *test)
{
	const struct xlo three = { .reorder = 3, .lifetime = XLO_LIFETIME_NONE };
	const struct xlo slow = { .reorder = 9, .lifetime = XLO_LIFETIME_NONE,
				  .flags = XLO_FLAG_SLOW };
	struct arql_link *link = test->priv;

	arql_test_piece(test, 1, WHOLE, 'x');
	arql_test_option(test, 2, &slow, 0, NOW);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 0);
	arql_test_option(test, 3, &three, 0, NOW);
	arql_test_option(test, 4, &three, 0, NOW);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 2);
	arql_test_option(test, 5, &three, 0, NOW);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 2);
	KUNIT_EXPECT_EQ(test, arql_test_option(test, 3, &three, 0, NOW), DUPLICATE);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 0);
	arql_test_piece(test, 0, WHOLE, 'x');
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 6);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 6);
	KUNIT_EXPECT_EQ(test, link->receiver.early, 0);
}

/* Packets wait because enough others have overtaken the first missing frame. When this frame
 * arrives or is given up, they overtake the next missing frame, in order and as far as their option
 * allows.
 */
static void arql_test_overtake_next(struct kunit *test)
{
	const struct xlo three = { .reorder = 3, .lifetime = 100 };
	const int lifetimes[] = { 100, 100, 100, 94, 95, -1 };
	struct arql_link *link = test->priv;
	int i;

	for (i = 1; i < 8; i++)
		if (i != 3)
			arql_test_option(test, i, &three, 0, NOW + i * MS);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 2);
	arql_test_option(test, 0, &three, 0, NOW + 10 * MS);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 4);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 3);
	KUNIT_EXPECT_EQ(test, link->receiver.early, 2);
	for (i = 0; i < ARRAY_SIZE(lifetimes); i++)
		KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), lifetimes[i]);
	arql_test_option(test, 9, &three, 0, NOW + 11 * MS);
	arql_test_skip(link, 4);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 8);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 5);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 8);
	KUNIT_EXPECT_EQ(test, link->receiver.early, 1);
}

/* Frames whose flags contradict those of a packet that has overtaken do no harm. */
static void arql_test_overtake_hostile(struct kunit *test)
{
	const struct xlo opt = { .reorder = 255, .lifetime = XLO_LIFETIME_NONE };
	struct arql_link *link = test->priv;

	arql_test_option(test, 2, &opt, 0, NOW);
	arql_test_option(test, 5, &opt, 0, NOW);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 2);
	arql_test_piece(test, 3, LAST, 'x');
	arql_test_piece(test, 4, FIRST, 'x');
	arql_test_piece(test, 6, 0, 'x');
	arql_test_piece(test, 7, LAST, 'x');
	arql_test_piece(test, 1, 0, 'x');
	arql_test_piece(test, 0, WHOLE, 'x');
	KUNIT_EXPECT_EQ(test, link->receiver.next, 8);
	KUNIT_EXPECT_EQ(test, link->receiver.early, 0);
}

/* Writes an item of a list: an IPv4 packet with the option. Returns the item's length. */
static unsigned int arql_test_item(u8 *p, const struct xlo *opt, bool bounded)
{
	const struct arql_item item = { .length = ARQL_TEST_IP4, .bounded = bounded };

	arql_item_write(p, &item);
	arql_test_ip4(p + ARQLINK_ITEM_LEN, opt);
	return ARQLINK_ITEM_LEN + ARQL_TEST_IP4;
}

/* A frame with two packets arrives. The second packet is bounded. Returns the frame's counter. */
static int arql_test_pair(struct kunit *test, u16 number, const struct xlo *first,
			  const struct xlo *second, s64 at)
{
	const struct arql_link *link = test->priv;
	const struct arql_frame frame = {
		.type = ARQLINK_DATA, .number = number, .flags = WHOLE | ARQLINK_FLAG_PACKED,
		.oldest = link->receiver.next,
	};
	u8 p[2 * (ARQLINK_ITEM_LEN + ARQL_TEST_IP4)];
	unsigned int length = arql_test_item(p, first, false);

	arql_test_item(p + length, second, true);
	return arql_test_frame(test, &frame, p, sizeof(p), at);
}

/* The packets of a list are delivered one by one, in order. Each is dropped if it is bounded and
 * its own lifetime has ended. A list ends a packet whose last piece is missing.
 */
static void arql_test_packed(struct kunit *test)
{
	const struct xlo five = { .lifetime = 5 }, nine = { .lifetime = 9 };

	arql_test_piece(test, 0, FIRST, 'a');
	KUNIT_EXPECT_EQ(test, arql_test_pair(test, 1, &five, &nine, NOW), DATA);
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 1);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 5);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 9);
	arql_test_pair(test, 3, &nine, &five, NOW);
	KUNIT_EXPECT_EQ(test, arql_test_pair(test, 3, &nine, &five, NOW), DUPLICATE);
	arql_test_pair(test, 4, &five, &nine, NOW);
	arql_test_option(test, 2, &five, 0, NOW + 7 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 5);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 2);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 0);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), 2);
	KUNIT_EXPECT_EQ(test, arql_test_next_lifetime(test), -1);
	arql_expect_stat(test, ARQLINK_STATS_STALE, 1);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 6);
}

/* A list overtakes a missing frame only if each of its packets may. Each packet counts. */
static void arql_test_packed_overtakes(struct kunit *test)
{
	const struct xlo four = { .reorder = 4, .lifetime = XLO_LIFETIME_NONE };
	const struct xlo slow = { .reorder = 9, .lifetime = XLO_LIFETIME_NONE,
				  .flags = XLO_FLAG_SLOW };
	struct arql_link *link = test->priv;

	arql_test_pair(test, 1, &four, &slow, NOW);
	arql_test_pair(test, 2, &slow, &four, NOW);
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 0);
	arql_test_pair(test, 3, &four, &four, NOW);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 2);
	/* the first might be the third to overtake, but the second would be the fourth */
	arql_test_pair(test, 4, &four, &four, NOW);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 2);
	arql_test_option(test, 5, &four, 0, NOW);
	arql_expect_stat(test, ARQLINK_STATS_EARLY, 3);
	arql_test_piece(test, 0, WHOLE, 'x');
	arql_expect_stat(test, ARQLINK_STATS_DELIVERED, 10);
	KUNIT_EXPECT_EQ(test, link->receiver.next, 6);
	KUNIT_EXPECT_EQ(test, link->receiver.early, 0);
}

/* A larger window keeps all frames, across the wrap. A smaller window still takes the frames that
 * the peer may send because of the larger one.
 */
static void arql_test_resizes(struct kunit *test)
{
	struct arql_link *link = test->priv;
	u16 start = 65533;

	arql_test_window(test, 4);
	arql_test_start_at(link, start);
	arql_test_piece(test, start + 1, WHOLE, 'b');
	arql_test_piece(test, start + 3, WHOLE, 'd');
	arql_test_resize(test, 64);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, start + 1, WHOLE, 'x'), DUPLICATE);
	arql_test_piece(test, start + 4, WHOLE, 'e');
	link->cfg.window = 1;
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, start + 63, WHOLE, 'z'), DATA);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, start + 64, WHOLE, 'x'),
			ARQLINK_STATS_OUTSIDE);
	arql_test_piece(test, start, WHOLE, 'a');
	arql_expect_packets(test, "a b");
	arql_test_piece(test, start + 2, WHOLE, 'c');
	arql_expect_packets(test, "c d e");
}

/* A BYPASS packet is delivered at once, whatever is missing. */
static void arql_test_bypass(struct kunit *test)
{
	struct arql_link *link = test->priv;
	const struct arql_frame frame = { .type = ARQLINK_BYPASS };
	struct sk_buff *skb = alloc_skb(2000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_HLEN);
	skb_put_data(skb, "a", 1);
	local_bh_disable();
	arql_receiver_bypass(link, &frame, skb, NOW);
	skb_put_zero(skb, 1500 + VLAN_HLEN);
	arql_receiver_bypass(link, &frame, skb, NOW);
	local_bh_enable();
	kfree_skb(skb);
	arql_expect_packets(test, "a");
	arql_expect_stat(test, ARQLINK_STATS_REFUSED, 1);
}

/* A new connection forgets all frames, and counts from 0. */
static void arql_test_reset(struct kunit *test)
{
	struct arql_link *link = test->priv;

	arql_test_piece(test, 0, FIRST, 'a');
	arql_test_piece(test, 2, WHOLE, 'c');
	arql_receiver_reset(link);
	arql_expect_stat(test, ARQLINK_STATS_INCOMPLETE, 1);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 0, WHOLE, 'd'), DATA);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 1, WHOLE, 'e'), DATA);
	KUNIT_EXPECT_EQ(test, arql_test_piece(test, 2, WHOLE, 'f'), DATA);
	arql_expect_packets(test, "d e f");
}

/* The window has places for exactly its frames: all of them are in it, and the first is missing. */
static void arql_expect_sane(struct kunit *test)
{
	struct arql_link *link = test->priv;
	const struct arql_receiver *r = &link->receiver;
	u32 inside = 0, all = 0, early = 0, reported = 0, i;

	KUNIT_ASSERT_FALSE(test, arql_arrived(r, r->next)->here);
	KUNIT_ASSERT_LE(test, (u16)(r->end - r->next), link->cfg.window);
	for (i = 0; i < link->cfg.window; i++) {
		const struct arql_arrived *slot = arql_arrived(r, r->next + i);

		inside += slot->here;
		early += slot->early;
		reported += slot->reported;
	}
	for (i = 0; i <= r->mask; i++) {
		all += r->slots[i].here;
		reported -= r->slots[i].reported;
	}
	KUNIT_ASSERT_EQ(test, inside, all);
	KUNIT_ASSERT_EQ(test, reported, 0);
	KUNIT_ASSERT_EQ(test, early, r->early);
}

/* A frame of a peer that sends anything: any flags, any numbers near the window, any length, but no
 * list that arql_frame_read() would refuse. Sometimes "oldest" is far ahead.
 */
static int arql_test_anything(struct kunit *test, struct rnd_state *rnd, const u8 *packet)
{
	const struct arql_link *link = test->priv;
	const u32 random = prandom_u32_state(rnd);
	const u16 begin = link->receiver.next - 2;
	const u32 range = link->cfg.window + 4;
	struct arql_frame frame = {
		.type = ARQLINK_DATA,
		.flags = random % 8,
		.oldest = begin + (random >> 3 & 7 ? 0 : (random >> 6) % range),
		.number = begin + (random >> 16) % range,
	};

	if (random >> 22 == 0)
		frame.oldest += random % ARQLINK_AHEAD;
	return arql_test_frame(test, &frame, packet, 1 + (random >> 8) % ARQL_TEST_IP4, NOW);
}

/* Whatever frames a peer sends, no frame is stored outside the window. */
static void arql_test_hostile(struct kunit *test)
{
	const struct xlo opt = { .reorder = 4, .lifetime = 100 };
	const u32 windows[] = { 1, 2, 5, 8, 13, 64 };
	struct arql_range ranges[ARQLINK_RANGES_MAX];
	struct arql_link *link = test->priv;
	u8 packet[ARQL_TEST_IP4];
	struct rnd_state rnd;
	int i, n, stored;

	prandom_seed_state(&rnd, 1);
	arql_test_ip4(packet, &opt);
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		arql_test_window(test, windows[i]);
		arql_test_start_at(link, 65000);
		for (stored = 0, n = 0; n < 5000; n++) {
			stored += arql_test_anything(test, &rnd, packet) == DATA;
			arql_receiver_missing(link, ranges);
			arql_expect_sane(test);
			skb_queue_purge(&link->inbox.packets);
		}
		KUNIT_EXPECT_GT(test, stored, 500);
	}
	arql_expect_packets(test, "");
}

static struct kunit_case arql_receiver_cases[] = {
	KUNIT_CASE(arql_test_order),
	KUNIT_CASE(arql_test_duplicates),
	KUNIT_CASE(arql_test_wrap),
	KUNIT_CASE(arql_test_assemble),
	KUNIT_CASE(arql_test_contradictions),
	KUNIT_CASE(arql_test_skip_holes),
	KUNIT_CASE(arql_test_skip_window),
	KUNIT_CASE(arql_test_too_long),
	KUNIT_CASE(arql_test_too_short),
	KUNIT_CASE(arql_test_full),
	KUNIT_CASE(arql_test_accepts),
	KUNIT_CASE(arql_test_oldest),
	KUNIT_CASE(arql_test_missing),
	KUNIT_CASE(arql_test_jump),
	KUNIT_CASE(arql_test_many_gaps),
	KUNIT_CASE(arql_test_never),
	KUNIT_CASE(arql_test_ack_delay),
	KUNIT_CASE(arql_test_lifetimes),
	KUNIT_CASE(arql_test_overtake),
	KUNIT_CASE(arql_test_overtake_next),
	KUNIT_CASE(arql_test_overtake_hostile),
	KUNIT_CASE(arql_test_packed),
	KUNIT_CASE(arql_test_packed_overtakes),
	KUNIT_CASE(arql_test_resizes),
	KUNIT_CASE(arql_test_bypass),
	KUNIT_CASE(arql_test_reset),
	KUNIT_CASE(arql_test_hostile),
	{}
};

static struct kunit_suite arql_receiver_suite = {
	.name = "arqlink_receiver",
	.init = arql_test_init,
	.exit = arql_test_exit,
	.test_cases = arql_receiver_cases,
};

kunit_test_suite(arql_receiver_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's receiver");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
