// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the choice of packets by mark and DSCP. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include this file, because its functions are not exported */
#include "classify.c"
#include "test_packet.h"

static const struct xlo arql_opt = { .lifetime = 100 };

/* An IPv4 or IPv6 packet with a DSCP. All bits of ECN are set. */
static struct sk_buff *arql_test_packet(struct kunit *test, bool ip6, u8 dscp)
{
	struct sk_buff *skb = alloc_skb(2 * ARQL_TEST_IP6, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	if (ip6) {
		arql_test_ip6(skb_put(skb, ARQL_TEST_IP6), &arql_opt);
		ipv6_change_dsfield((struct ipv6hdr *)(skb->data + ETH_HLEN), 0, dscp << 2 | 3);
	} else {
		arql_test_ip4(skb_put(skb, ARQL_TEST_IP4), &arql_opt);
		ipv4_change_dsfield((struct iphdr *)(skb->data + ETH_HLEN), 0, dscp << 2 | 3);
	}
	skb->protocol = ((struct ethhdr *)skb->data)->h_proto;
	skb_set_network_header(skb, ETH_HLEN);
	return skb;
}

/* Each DSCP matches its own bit, and no other, in IPv4 and in IPv6. */
static void arql_test_dscps(struct kunit *test)
{
	int dscp, bit;

	for (dscp = 0; dscp < 128; dscp++) {
		struct sk_buff *skb = arql_test_packet(test, dscp >= 64, dscp % 64);

		for (bit = 0; bit < 64; bit++) {
			const struct arql_match match = { .dscp = BIT_ULL(bit) };

			KUNIT_EXPECT_EQ(test, arql_matches(&match, skb), bit == dscp % 64);
		}
		kfree_skb(skb);
	}
}

/* Only the bits of the mask count. A mask of 0 matches no packet. Mark 0 can match. */
static void arql_test_marks(struct kunit *test)
{
	const struct {
		u32 mark, mask, packet;
		bool matches;
	} cases[] = {
		{ 1, U32_MAX, 1, true }, { 1, U32_MAX, 3, false }, { 1, 1, 3, true },
		{ 1, 1, 2, false }, { 0, 2, 1, true }, { 0, 2, 3, false },
		{ 0, U32_MAX, 0, true }, { 0, 0, 0, false }, { 0, 0, 5, false },
		{ 0x80000000, 0xf0000000, 0x8fffffff, true },
	};
	struct sk_buff *skb = arql_test_packet(test, false, 0);
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct arql_match match = { .mark = cases[i].mark, .mask = cases[i].mask };

		skb->mark = cases[i].packet;
		KUNIT_EXPECT_EQ_MSG(test, arql_matches(&match, skb), cases[i].matches,
				    "case %d", i);
	}
	kfree_skb(skb);
}

/* A packet matches by its mark or by its DSCP. */
static void arql_test_either(struct kunit *test)
{
	const struct arql_match match = { .mark = 1, .mask = 1, .dscp = BIT_ULL(46) };
	struct sk_buff *skb = arql_test_packet(test, false, 46);

	KUNIT_EXPECT_TRUE(test, arql_matches(&match, skb));
	ipv4_change_dsfield((struct iphdr *)(skb->data + ETH_HLEN), 0, 0);
	KUNIT_EXPECT_FALSE(test, arql_matches(&match, skb));
	skb->mark = 1;
	KUNIT_EXPECT_TRUE(test, arql_matches(&match, skb));
	kfree_skb(skb);
}

/* A packet without an IP header has no DSCP, not even 0. Nothing behind its end is read. */
static void arql_test_no_dscp(struct kunit *test)
{
	const struct arql_match match = { .dscp = U64_MAX };
	struct sk_buff *skb;
	int ip6;

	for (ip6 = 0; ip6 < 2; ip6++) {
		const int header = ip6 ? XLO_IPV6_HLEN : XLO_IPV4_HLEN;

		skb = arql_test_packet(test, ip6, 0);
		skb_trim(skb, ETH_HLEN + header);
		KUNIT_EXPECT_TRUE(test, arql_matches(&match, skb));
		skb_trim(skb, ETH_HLEN + header - 1);
		KUNIT_EXPECT_FALSE(test, arql_matches(&match, skb));
		kfree_skb(skb);
	}
	skb = arql_test_packet(test, false, 0);
	skb->protocol = htons(ETH_P_ARP);
	KUNIT_EXPECT_FALSE(test, arql_matches(&match, skb));
	skb->protocol = htons(ETH_P_IP);
	skb_pull(skb, ETH_HLEN + 1);
	/* the network header is in front of the data */
	KUNIT_EXPECT_FALSE(test, arql_matches(&match, skb));
	kfree_skb(skb);
}

/* A page with the second half of a packet. */
static void arql_test_split(struct kunit *test, struct sk_buff *skb, u32 headlen)
{
	struct page *page = alloc_page(GFP_KERNEL);
	const u32 rest = skb->len - headlen;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), skb->data + headlen, rest);
	memset(skb->data + headlen, 0xff, rest);
	skb_trim(skb, headlen);
	skb_add_rx_frag(skb, 0, page, 0, rest, PAGE_SIZE);
}

/* The DSCP is read wherever the bytes of the header are in memory, and the packet stays as it is.
 */
static void arql_test_not_linear(struct kunit *test)
{
	const struct arql_match match = { .dscp = BIT_ULL(46) };
	u32 headlen;
	int ip6;

	for (ip6 = 0; ip6 < 2; ip6++) {
		for (headlen = ETH_HLEN; headlen < ETH_HLEN + XLO_IPV4_HLEN; headlen++) {
			struct sk_buff *skb = arql_test_packet(test, ip6, 46);

			arql_test_split(test, skb, headlen);
			KUNIT_EXPECT_TRUE(test, arql_matches(&match, skb));
			KUNIT_EXPECT_EQ(test, skb_headlen(skb), headlen);
			kfree_skb(skb);
		}
	}
}

/* The DSCP behind a VLAN tag counts. */
static void arql_test_vlan(struct kunit *test)
{
	const struct arql_match match = { .dscp = BIT_ULL(46) };
	struct sk_buff *skb = arql_test_packet(test, false, 46);
	const u8 tag[] = { 0x81, 0, 0, 2 };

	skb_put(skb, sizeof(tag));
	memmove(skb->data + 12 + sizeof(tag), skb->data + 12, ARQL_TEST_IP4 - 12);
	memcpy(skb->data + 12, tag, sizeof(tag));
	skb->protocol = htons(ETH_P_8021Q);
	KUNIT_EXPECT_TRUE(test, arql_matches(&match, skb));
	kfree_skb(skb);
}

static struct kunit_case arql_classify_cases[] = {
	KUNIT_CASE(arql_test_dscps),
	KUNIT_CASE(arql_test_marks),
	KUNIT_CASE(arql_test_either),
	KUNIT_CASE(arql_test_no_dscp),
	KUNIT_CASE(arql_test_not_linear),
	KUNIT_CASE(arql_test_vlan),
	{}
};

static struct kunit_suite arql_classify_suite = {
	.name = "arqlink_classify",
	.test_cases = arql_classify_cases,
};

kunit_test_suite(arql_classify_suite);

MODULE_DESCRIPTION("KUnit tests of arqlink's classes");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
