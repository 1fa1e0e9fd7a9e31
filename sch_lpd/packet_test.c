// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of lpd_packet_read() for different positions of the IP header, and of the
 * functions that read and rewrite usual packets.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "strip.c"
#include "match.c"
#include "packet.c"
#include "usual.h"

#define ROOM	128
#define NOW	(1000LL * NSEC_PER_SEC)

/* Writes an IP header with the option and without a payload. */
static void lpd_packet_test_header(u8 *hdr)
{
	const struct xlo opt = { .lifetime = 5000 };

	memset(hdr, 0, XLO_IPV4_HLEN);
	hdr[0] = 4 << 4 | (XLO_IPV4_HLEN + XLO_LEN) / 4;
	hdr[3] = XLO_IPV4_HLEN + XLO_LEN;
	xlo_write4(hdr + XLO_IPV4_HLEN, &opt);
}

/* Makes a packet with two IP headers: one in front of skb->data, and one @off bytes after
 * skb->data.
 */
static struct sk_buff *lpd_packet_test_skb(struct kunit *test, u32 off)
{
	struct sk_buff *skb = alloc_skb(4 * ROOM, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, ROOM);
	skb->protocol = htons(ETH_P_IP);
	lpd_packet_test_header(skb->data - XLO_IPV4_HLEN - XLO_LEN);
	skb_put_zero(skb, off);
	lpd_packet_test_header(skb_put(skb, XLO_IPV4_HLEN + XLO_LEN));
	return skb;
}

/* lpd_packet_read() finds the option at the offset that the skb states for the IP header. */
static void lpd_packet_test_found(struct kunit *test)
{
	static const u32 offs[] = { 0, 14, ROOM };
	int i;

	for (i = 0; i < ARRAY_SIZE(offs); i++) {
		struct sk_buff *skb = lpd_packet_test_skb(test, offs[i]);

		skb_set_network_header(skb, offs[i]);
		KUNIT_EXPECT_EQ(test, lpd_packet_read(skb, NOW, false),
				LPD_OPTION_GOOD);
		KUNIT_EXPECT_EQ(test, lpd_skb_cb(skb)->ip_off, offs[i]);
		kfree_skb(skb);
	}
}

/* If the skb states that the IP header is in front of skb->data, lpd_packet_read() does not
 * read the header.
 */
static void lpd_packet_test_in_front(struct kunit *test)
{
	const int offs[] = { -XLO_IPV4_HLEN - XLO_LEN, -1, -ROOM };
	int i;

	for (i = 0; i < ARRAY_SIZE(offs); i++) {
		struct sk_buff *skb = lpd_packet_test_skb(test, 14);

		skb_set_network_header(skb, offs[i]);
		KUNIT_EXPECT_EQ(test, lpd_packet_read(skb, NOW, true),
				LPD_OPTION_NOT_IP);
		KUNIT_EXPECT_EQ(test, lpd_skb_cb(skb)->ip_off, 0);
		KUNIT_EXPECT_EQ(test, lpd_skb_cb(skb)->deadline,
				FL_NO_DEADLINE);
		KUNIT_EXPECT_FALSE(test, lpd_skb_cb(skb)->relative);
		KUNIT_EXPECT_FALSE(test, lpd_skb_cb(skb)->strip);
		kfree_skb(skb);
	}
}

/* Changes the option of a usual header, and sometimes any byte of the header. */
static void lpd_packet_test_vary(u8 *hdr, struct rnd_state *rnd)
{
	u32 random = prandom_u32_state(rnd);

	put_unaligned_be32(prandom_u32_state(rnd) % (2 * XLO_RELATIVE_MAX),
			   hdr + XLO_IPV4_HLEN + XLO_OFF_LIFETIME);
	hdr[XLO_IPV4_HLEN + XLO_OFF_REORDER] = random;
	hdr[XLO_IPV4_HLEN + XLO_OFF_FLAGS] = random >> 8;
	if (random >> 30 == 0)
		hdr[(random >> 16) % LPD_USUAL_HLEN] = prandom_u32_state(rnd);
}

/* Checks that lpd_packet_read() finds in a usual packet what lpd_usual_fill() has filled in. */
static void lpd_packet_test_agrees(struct kunit *test, struct sk_buff *skb, u64 lifetime)
{
	struct lpd_skb_cb usual, general;
	const bool reserved = XLO_TREATMENT(skb_network_header(skb)[XLO_IPV4_HLEN +
								    XLO_OFF_FLAGS]) ==
			      XLO_STALE_RESERVED;

	lpd_skb_cb(skb)->deadline = fl_deadline_relative(lifetime, NOW);
	lpd_usual_fill(skb, false);
	usual = *lpd_skb_cb(skb);
	KUNIT_EXPECT_EQ(test, lpd_packet_read(skb, NOW, false),
			reserved ? LPD_OPTION_RESERVED : LPD_OPTION_GOOD);
	general = *lpd_skb_cb(skb);
	/* usual packets with other treatments do not take the fast path */
	if (lpd_usual_heeded(skb_network_header(skb), 0x0ff00ff0))
		KUNIT_EXPECT_EQ(test, memcmp(&usual, &general, sizeof(usual)), 0);
}

/* In a usual packet, lpd_packet_read() finds the values that lpd_usual_fill() fills in, whatever
 * the flags are, and most unusual headers are not taken for usual ones.
 */
static void lpd_packet_test_usual(struct kunit *test)
{
	struct sk_buff *skb = lpd_packet_test_skb(test, 14);
	int round, found = 0;
	struct rnd_state rnd;
	u64 lifetime;

	prandom_seed_state(&rnd, 28);
	kunit_info(test, "seed 28");
	skb_set_network_header(skb, 14);
	for (round = 0; round < 20000; round++) {
		lpd_packet_test_header(skb->data + 14);
		lpd_packet_test_vary(skb->data + 14, &rnd);
		if (!lpd_usual_read(skb, skb_network_header(skb), &lifetime))
			continue;
		found++;
		lpd_packet_test_agrees(test, skb, lifetime);
	}
	KUNIT_EXPECT_GT(test, found, 5000);
	KUNIT_EXPECT_LT(test, found, 15000);
	kfree_skb(skb);
}

/* A packet is not usual if its header is in front of skb->data, ends behind the linear part, or if
 * the packet claims less memory than an sk_buff.
 */
static void lpd_packet_test_unusual(struct kunit *test)
{
	struct sk_buff *skb = lpd_packet_test_skb(test, 14);
	u64 lifetime;

	skb_set_network_header(skb, 14);
	KUNIT_EXPECT_TRUE(test, lpd_usual_read(skb, skb_network_header(skb), &lifetime));
	skb_trim(skb, 14 + LPD_USUAL_HLEN - 1);
	KUNIT_EXPECT_FALSE(test, lpd_usual_read(skb, skb_network_header(skb), &lifetime));
	skb_put(skb, 1);
	skb->truesize = LPD_MEMORY_LEAST - 1;
	KUNIT_EXPECT_FALSE(test, lpd_usual_read(skb, skb_network_header(skb), &lifetime));
	skb->truesize = LPD_MEMORY_LEAST;
	skb->protocol = htons(ETH_P_8021Q);
	KUNIT_EXPECT_FALSE(test, lpd_usual_read(skb, skb_network_header(skb), &lifetime));
	skb->protocol = htons(ETH_P_IP);
	skb_set_network_header(skb, -XLO_IPV4_HLEN - XLO_LEN);
	KUNIT_EXPECT_FALSE(test, lpd_usual_read(skb, skb_network_header(skb), &lifetime));
	kfree_skb(skb);
}

/* Returns a lifetime with which the checksum of a usual header borrows twice. */
static u32 lpd_packet_test_borrow(const u8 *hdr)
{
	u16 check = get_unaligned((u16 *)(hdr + XLO_IPV4_CHECK));
	u16 field = get_unaligned((u16 *)(hdr + LPD_USUAL_HLEN - 2));

	return ntohs((__force __be16)(u16)(check + field + 1));
}

/* Chooses a checksum and a lifetime of a usual header: often values at which a sum carries. Returns
 * the next lifetime.
 */
static u32 lpd_packet_test_sums(u8 *hdr, struct rnd_state *rnd)
{
	static const u16 edge[] = { 0, 1, 0x7fff, 0x8000, 0xff00, 0xfffd, 0xfffe, 0xffff };
	u32 random = prandom_u32_state(rnd), after;
	u16 before = random & 2 ? edge[random >> 4 & 7] : random >> 16;

	put_unaligned_be16(random & 1 ? edge[random >> 8 & 7] : random >> 12,
			   hdr + XLO_IPV4_CHECK);
	put_unaligned_be32(min_t(u32, before, XLO_RELATIVE_MAX),
			   hdr + XLO_IPV4_HLEN + XLO_OFF_LIFETIME);
	after = random & 4 ? edge[random >> 20 & 7] : prandom_u32_state(rnd) & U16_MAX;
	if (random & 8)
		after = lpd_packet_test_borrow(hdr);
	return min(after, XLO_RELATIVE_MAX);
}

/* lpd_usual_write() writes the same bytes as the codec, for random checksums and lifetimes and for
 * the values at which the sum borrows or carries.
 */
static void lpd_packet_test_rewritten(struct kunit *test)
{
	const struct xlo_ref ref = { .off = XLO_IPV4_HLEN, .type = XLO_TYPE_IPV4 };
	u8 usual[LPD_USUAL_HLEN] = {}, codec[LPD_USUAL_HLEN];
	struct rnd_state rnd;
	int round;
	u32 ms;

	prandom_seed_state(&rnd, 29);
	kunit_info(test, "seed 29");
	for (round = 0; round < 20000; round++) {
		ms = lpd_packet_test_sums(usual, &rnd);
		memcpy(codec, usual, sizeof(codec));
		lpd_usual_write(usual, ms);
		xlo_set_lifetime4(codec, &ref, ms);
		KUNIT_ASSERT_EQ(test, memcmp(usual, codec, sizeof(codec)), 0);
	}
}

static struct kunit_case lpd_packet_test_cases[] = {
	KUNIT_CASE(lpd_packet_test_usual),
	KUNIT_CASE(lpd_packet_test_unusual),
	KUNIT_CASE(lpd_packet_test_rewritten),
	KUNIT_CASE(lpd_packet_test_found),
	KUNIT_CASE(lpd_packet_test_in_front),
	{}
};

static struct kunit_suite lpd_packet_test_suite = {
	.name = "lpd_packet",
	.test_cases = lpd_packet_test_cases,
};

kunit_test_suite(lpd_packet_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd's packet");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
