// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of transmission times and lengths on the wire. */

#include <kunit/test.h>
#include <linux/cellink.h>
#include <linux/module.h>
#include <net/fl_rate.h>

/* 1000 packets of 999 bytes take as long as one packet of 999,000 bytes, and the sum is rounded to
 * a ns only once.
 */
static void cell_test_work_adds_up(struct kunit *test)
{
	const u64 rates[] = { 1, 7, 375000, 1250000000, CELLINK_RATE_MAX };
	u64 carry, total;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		carry = 0;
		total = 0;
		for (n = 0; n < 1000; n++)
			total += fl_work_time(fl_work(999), rates[i],
						&carry);
		KUNIT_EXPECT_EQ_MSG(test, total,
				    div64_u64(999 * NSEC_PER_SEC * 1000,
					      rates[i]),
				    "rate %llu", rates[i]);
		KUNIT_EXPECT_LT(test, carry, rates[i]);
	}
}

/* Without a rate, sending takes no time. */
static void cell_test_work_unlimited(struct kunit *test)
{
	u64 carry = 0;

	KUNIT_EXPECT_EQ(test, fl_work_time(fl_work(1500), 0, &carry), 0);
	KUNIT_EXPECT_EQ(test, carry, 0);
}

/* If the rate changes in the middle of a packet, the second half takes half of the packet's time at
 * the new rate.
 */
static void cell_test_work_left(struct kunit *test)
{
	u64 carry = 0, whole, left;

	whole = fl_work_time(fl_work(1000), 1000, &carry);
	KUNIT_EXPECT_EQ(test, whole, NSEC_PER_SEC);
	left = fl_work_left(whole / 2, 1000);
	KUNIT_EXPECT_EQ(test, fl_work_time(left, 4000, &carry),
			NSEC_PER_SEC / 8);
	KUNIT_EXPECT_EQ(test, fl_work_time(left, 0, &carry), 0);
}

/* A GSO packet of TCP with @data bytes of data, in segments of @size bytes. */
static struct sk_buff *cell_test_super(struct kunit *test, int data, int size)
{
	const int headers = ETH_HLEN + 20 + 32;
	struct sk_buff *skb = alloc_skb(headers + data, GFP_KERNEL);
	struct tcphdr *tcp;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(skb_put(skb, headers + data), 0, headers + data);
	skb_set_transport_header(skb, ETH_HLEN + 20);
	tcp = (struct tcphdr *)skb_transport_header(skb);
	tcp->doff = 8;
	skb_shinfo(skb)->gso_size = size;
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	return skb;
}

/* Each segment of a GSO packet has its own headers and its own VLAN tag. */
static void cell_test_wire_bytes(struct kunit *test)
{
	struct sk_buff *skb = cell_test_super(test, 2500, 1000);

	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), 2500 + 3 * 66);
	__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), 5);
	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), 2500 + 3 * 70);
	skb_shinfo(skb)->gso_size = 0;
	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), 2500 + 70);
	kfree_skb(skb);
}

/* Headers from user space may claim more bytes than the packet has. */
static void cell_test_wire_bytes_hostile(struct kunit *test)
{
	struct sk_buff *skb = cell_test_super(test, 0, 1);

	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), 66);
	tcp_hdr(skb)->doff = 15;
	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), 66);
	skb_trim(skb, ETH_HLEN + 20 + 5);
	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), 39 + 4 * 34);
	skb_trim(skb, ETH_HLEN);
	KUNIT_EXPECT_EQ(test, fl_wire_bytes(skb), ETH_HLEN);
	kfree_skb(skb);
}

static struct kunit_case cell_cases[] = {
	KUNIT_CASE(cell_test_work_adds_up),
	KUNIT_CASE(cell_test_work_unlimited),
	KUNIT_CASE(cell_test_work_left),
	KUNIT_CASE(cell_test_wire_bytes),
	KUNIT_CASE(cell_test_wire_bytes_hostile),
	{}
};

static struct kunit_suite cell_suite = {
	.name = "cellink",
	.test_cases = cell_cases,
};

kunit_test_suite(cell_suite);

MODULE_DESCRIPTION("KUnit tests of cellink");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
