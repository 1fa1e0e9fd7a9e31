// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of lpd_packet_read() for different positions of the IP header. */

#include <kunit/test.h>
#include <linux/module.h>

#include "strip.c"
#include "match.c"
#include "packet.c"

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

static struct kunit_case lpd_packet_test_cases[] = {
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
