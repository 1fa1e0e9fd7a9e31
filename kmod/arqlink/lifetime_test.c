// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the lifetime of a packet. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "lifetime.c"
#include "test_packet.h"

#define MS	((s64)NSEC_PER_MSEC)
#define NOW	(1000 * (s64)NSEC_PER_SEC)

/* A packet from these bytes, as it arrives at a device. */
static struct sk_buff *arql_test_skb(struct kunit *test, const u8 *p, u32 len, int network)
{
	struct sk_buff *skb = alloc_skb(len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, p, len);
	skb->protocol = ((struct ethhdr *)skb->data)->h_proto;
	skb_set_network_header(skb, network);
	return skb;
}

static struct sk_buff *arql_test_packet(struct kunit *test, bool ip6, const struct xlo *opt)
{
	u8 p[ARQL_TEST_IP6];

	if (ip6)
		arql_test_ip6(p, opt);
	else
		arql_test_ip4(p, opt);
	return arql_test_skb(test, p, ip6 ? ARQL_TEST_IP6 : ARQL_TEST_IP4, ETH_HLEN);
}

/* A relative lifetime becomes a deadline. When the packet leaves, the option has what is left,
 * rounded to the nearest ms, and the header checksum is still right.
 */
static void arql_test_relative(struct kunit *test)
{
	const struct xlo opt = { .reorder = 3, .lifetime = 100 };
	struct arql_lifetime lifetime;
	int ip6;

	for (ip6 = 0; ip6 < 2; ip6++) {
		struct sk_buff *skb = arql_test_packet(test, ip6, &opt);

		arql_lifetime_read(&lifetime, skb, NOW);
		KUNIT_EXPECT_EQ(test, lifetime.deadline, NOW + 100 * MS);
		KUNIT_EXPECT_EQ(test, lifetime.reorder, 3);
		KUNIT_EXPECT_FALSE(test, lifetime.slow);
		arql_lifetime_write(&lifetime, skb, NOW + 40 * MS - MS / 2 - 1);
		KUNIT_EXPECT_EQ(test, arql_test_lifetime(skb->data), 61);
		arql_lifetime_write(&lifetime, skb, NOW + 40 * MS - MS / 2 + 1);
		KUNIT_EXPECT_EQ(test, arql_test_lifetime(skb->data), 60);
		arql_lifetime_write(&lifetime, skb, NOW + 200 * MS);
		KUNIT_EXPECT_EQ(test, arql_test_lifetime(skb->data), 0);
		if (!ip6)
			KUNIT_EXPECT_FALSE(test, ip_fast_csum(skb->data + ETH_HLEN, 7));
		kfree_skb(skb);
	}
}

/* A packet without a lifetime, and one with a time of day, keep their option. */
static void arql_test_not_rewritten(struct kunit *test)
{
	const u32 lifetimes[] = { XLO_LIFETIME_NONE, XLO_LIFETIME_NONE + 1, XLO_LIFETIME_MAX };
	struct arql_lifetime lifetime;
	int i;

	for (i = 0; i < 2 * ARRAY_SIZE(lifetimes); i++) {
		const struct xlo opt = { .lifetime = lifetimes[i / 2], .flags = XLO_FLAG_SLOW };
		struct sk_buff *skb = arql_test_packet(test, i % 2, &opt);

		arql_lifetime_read(&lifetime, skb, NOW);
		KUNIT_EXPECT_EQ(test, lifetime.deadline == FL_NO_DEADLINE, i < 2);
		KUNIT_EXPECT_TRUE(test, lifetime.slow);
		arql_lifetime_write(&lifetime, skb, NOW + 1000 * MS);
		KUNIT_EXPECT_EQ(test, arql_test_lifetime(skb->data), opt.lifetime);
		kfree_skb(skb);
	}
}

/* Without a valid option there is no deadline, and no byte changes: a packet that ends in its
 * option or before, another protocol, and a network header outside the packet.
 */
static void arql_test_no_option(struct kunit *test)
{
	const struct xlo opt = { .lifetime = 100 };
	struct arql_lifetime lifetime;
	u8 p[ARQL_TEST_IP4];
	struct sk_buff *skb;
	u32 len;

	arql_test_ip4(p, &opt);
	for (len = ETH_HLEN; len < sizeof(p); len++) {
		skb = arql_test_skb(test, p, len, ETH_HLEN);
		arql_lifetime_read(&lifetime, skb, NOW);
		KUNIT_EXPECT_EQ(test, lifetime.deadline, FL_NO_DEADLINE);
		arql_lifetime_write(&lifetime, skb, NOW + MS);
		KUNIT_EXPECT_EQ(test, memcmp(skb->data, p, len), 0);
		kfree_skb(skb);
	}
	skb = arql_test_skb(test, p, sizeof(p), sizeof(p) + 1);
	arql_lifetime_read(&lifetime, skb, NOW);
	KUNIT_EXPECT_EQ(test, lifetime.deadline, FL_NO_DEADLINE);
	skb_set_network_header(skb, ETH_HLEN);
	skb->protocol = htons(ETH_P_ARP);
	arql_lifetime_read(&lifetime, skb, NOW);
	KUNIT_EXPECT_EQ(test, lifetime.deadline, FL_NO_DEADLINE);
	kfree_skb(skb);
}

/* If another user shares the bytes, only our packet gets the new lifetime. */
static void arql_test_shared(struct kunit *test)
{
	const struct xlo opt = { .lifetime = 100 };
	struct sk_buff *skb = arql_test_packet(test, false, &opt);
	struct sk_buff *clone = skb_clone(skb, GFP_KERNEL);
	struct arql_lifetime lifetime;

	KUNIT_ASSERT_NOT_NULL(test, clone);
	arql_lifetime_read(&lifetime, skb, NOW);
	arql_lifetime_write(&lifetime, skb, NOW + 30 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_lifetime(skb->data), 70);
	KUNIT_EXPECT_EQ(test, arql_test_lifetime(clone->data), 100);
	kfree_skb(clone);
	kfree_skb(skb);
}

/* The option is found behind VLAN tags, even if the network header points to a tag. */
static void arql_test_vlan(struct kunit *test)
{
	const u8 tags[] = { 0x88, 0xa8, 0, 1, 0x81, 0, 0, 2 };
	const struct xlo opt = { .lifetime = 100 };
	u8 p[ARQL_TEST_IP4 + sizeof(tags)];
	struct arql_lifetime lifetime;
	struct sk_buff *skb;

	arql_test_ip4(p + sizeof(tags), &opt);
	memmove(p, p + sizeof(tags), 2 * ETH_ALEN);
	memcpy(p + 2 * ETH_ALEN, tags, sizeof(tags));
	skb = arql_test_skb(test, p, sizeof(p), ETH_HLEN);
	arql_lifetime_read(&lifetime, skb, NOW);
	KUNIT_EXPECT_EQ(test, lifetime.deadline, NOW + 100 * MS);
	arql_lifetime_write(&lifetime, skb, NOW + 30 * MS);
	KUNIT_EXPECT_EQ(test, arql_test_lifetime(skb->data + sizeof(tags)), 70);
	kfree_skb(skb);
}

static struct kunit_case arql_lifetime_cases[] = {
	KUNIT_CASE(arql_test_relative),
	KUNIT_CASE(arql_test_not_rewritten),
	KUNIT_CASE(arql_test_no_option),
	KUNIT_CASE(arql_test_shared),
	KUNIT_CASE(arql_test_vlan),
	{}
};

static struct kunit_suite arql_lifetime_suite = {
	.name = "arqlink_lifetime",
	.test_cases = arql_lifetime_cases,
};

kunit_test_suite(arql_lifetime_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's lifetimes");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
