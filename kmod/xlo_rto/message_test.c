// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the functions that read messages. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>
/* the tests include this file, because its functions are not exported */
#include "parse.c"

#define XRTO_TEST_SEQ		0xfffffff0
#define XRTO_TEST_TSVAL		0x01020304
#define XRTO_TEST_SPORT		80
#define XRTO_TEST_DPORT		4000
#define XRTO_TEST_ROUNDS	20000

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the property tests, 0 (default) for a new one");

/* An ICMP or ICMPv6 packet, from its ICMP header on. */
struct xrto_test {
	bool ipv6;
	u32 len;
	u8 data[XRTO_MESSAGE_MAX];
};

static const u8 xrto_test_host[16] = { 0xfd, 1, [15] = 2 };
static const u8 xrto_test_peer[16] = { 0xfd, 2, [15] = 1 };
static const u8 xrto_test_router[16] = { 0xfd, 3, [15] = 9 };

static struct xrto_test *xrto_test_new(struct kunit *test, bool ipv6, u8 type,
				       u8 code)
{
	struct xrto_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->ipv6 = ipv6;
	t->len = XRTO_HLEN;
	t->data[0] = type;
	t->data[1] = code;
	return t;
}

static void xrto_test_add(struct xrto_test *t, const void *bytes, u32 len)
{
	memcpy(t->data + t->len, bytes, len);
	t->len += len;
}

#define XRTO_TEST_ADD(t, ...)						\
	do {								\
		const u8 bytes_[] = { __VA_ARGS__ };			\
									\
		xrto_test_add(t, bytes_, sizeof(bytes_));		\
	} while (0)

static void xrto_test_ip4(struct xrto_test *t, u32 hlen, u8 proto)
{
	u8 ip[60] = { 0x40 | hlen / 4, 0, 0x05, 0xdc, 0, 1, 0x40, 0, 63, proto };

	memcpy(ip + offsetof(struct iphdr, saddr), xrto_test_host, 4);
	memcpy(ip + offsetof(struct iphdr, daddr), xrto_test_peer, 4);
	memset(ip + sizeof(struct iphdr), 1, sizeof(ip) - sizeof(struct iphdr));
	xrto_test_add(t, ip, hlen);
}

static void xrto_test_ip6(struct xrto_test *t, u8 next)
{
	u8 ip[sizeof(struct ipv6hdr)] = { 0x60, 0, 0, 0, 0x05, 0xdc, next, 63 };

	memcpy(ip + offsetof(struct ipv6hdr, saddr), xrto_test_host, sizeof(xrto_test_host));
	memcpy(ip + offsetof(struct ipv6hdr, daddr), xrto_test_peer, sizeof(xrto_test_peer));
	xrto_test_add(t, ip, sizeof(ip));
}

static void xrto_test_ip(struct xrto_test *t)
{
	if (t->ipv6)
		xrto_test_ip6(t, IPPROTO_TCP);
	else
		xrto_test_ip4(t, sizeof(struct iphdr), IPPROTO_TCP);
}

/* Add a TCP header. The caller adds @options bytes of options. */
static void xrto_test_tcp(struct xrto_test *t, u32 options)
{
	XRTO_TEST_ADD(t, 0, XRTO_TEST_SPORT, XRTO_TEST_DPORT >> 8,
		      XRTO_TEST_DPORT & 255, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 1,
		      (5 + options / 4) << 4, 0x10, 1, 0, 0, 0, 0, 0);
}

static void xrto_test_tsval(struct xrto_test *t)
{
	XRTO_TEST_ADD(t, TCPOPT_NOP, TCPOPT_NOP, TCPOPT_TIMESTAMP,
		      TCPOLEN_TIMESTAMP, 1, 2, 3, 4, 0, 0, 0, 0);
}

static void xrto_test_checksum(struct xrto_test *t)
{
	u16 sum;

	memset(t->data + 2, 0, sizeof(sum));
	if (t->ipv6)
		sum = (__force u16)
			csum_ipv6_magic((const void *)xrto_test_router,
					(const void *)xrto_test_host, t->len,
					IPPROTO_ICMPV6,
					csum_partial(t->data, t->len, 0));
	else
		sum = (__force u16)ip_compute_csum(t->data, t->len);
	memcpy(t->data + 2, &sum, sizeof(sum));
}

/* Parse the first @len bytes in a buffer of exactly this size, so that KASAN detects a read
 * beyond the end.
 */
static int xrto_test_read(struct kunit *test, const struct xrto_test *t,
			  u32 len, struct xrto_message *msg)
{
	u8 *exact = kmemdup(t->data, len, GFP_KERNEL);
	__be32 host;
	int found;

	KUNIT_ASSERT_NOT_NULL(test, exact);
	memcpy(&host, xrto_test_host, sizeof(host));
	if (t->ipv6)
		found = xrto_parse6(exact, len, (const void *)xrto_test_router,
				    (const void *)xrto_test_host, msg);
	else
		found = xrto_parse4(exact, len, host, msg);
	kfree(exact);
	return found;
}

static int xrto_test_parse(struct kunit *test, struct xrto_test *t,
			   struct xrto_message *msg)
{
	xrto_test_checksum(t);
	return xrto_test_read(test, t, t->len, msg);
}

static void xrto_expect(struct kunit *test, struct xrto_test *t, int want)
{
	struct xrto_message msg;

	KUNIT_EXPECT_EQ(test, xrto_test_parse(test, t, &msg), want);
}

/* Expect a message about the test's segment, with or without its timestamp. */
static void xrto_expect_segment(struct kunit *test, struct xrto_test *t,
				enum xrto_event event, bool has_tsval)
{
	u32 size = t->ipv6 ? 16 : 4;
	struct xrto_message msg;

	KUNIT_EXPECT_EQ(test, xrto_test_parse(test, t, &msg), 0);
	KUNIT_EXPECT_EQ(test, msg.event, event);
	KUNIT_EXPECT_EQ(test, msg.quote.pf,
			t->ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
	KUNIT_EXPECT_EQ(test, memcmp(&msg.quote.saddr, xrto_test_host, size), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&msg.quote.daddr, xrto_test_peer, size), 0);
	KUNIT_EXPECT_EQ(test, ntohs(msg.quote.sport), XRTO_TEST_SPORT);
	KUNIT_EXPECT_EQ(test, ntohs(msg.quote.dport), XRTO_TEST_DPORT);
	KUNIT_EXPECT_EQ(test, msg.quote.seq, XRTO_TEST_SEQ);
	KUNIT_EXPECT_EQ(test, msg.quote.has_tsval, has_tsval);
	if (has_tsval)
		KUNIT_EXPECT_EQ(test, msg.quote.tsval, XRTO_TEST_TSVAL);
}

static struct xrto_test *xrto_test_native(struct kunit *test, bool ipv6, u8 code)
{
	struct xrto_test *t = xrto_test_new(test, ipv6, ipv6 ? XRTO_TYPE_IPV6 :
					    XRTO_TYPE_IPV4, code);

	xrto_test_ip(t);
	xrto_test_tcp(t, TCPOLEN_TSTAMP_ALIGNED);
	xrto_test_tsval(t);
	return t;
}

/* Make a message in Destination Unreachable. The caller adds the extension structure. */
static struct xrto_test *xrto_test_unreachable(struct kunit *test, bool ipv6)
{
	const struct xrto_format *f = ipv6 ? &xrto_format6 : &xrto_format4;
	struct xrto_test *t = xrto_test_new(test, ipv6, f->unreachable, 0);

	t->data[f->length_at] = XRTO_QUOTE_MIN / f->length_unit;
	xrto_test_ip(t);
	xrto_test_tcp(t, TCPOLEN_TSTAMP_ALIGNED);
	xrto_test_tsval(t);
	t->len = XRTO_HLEN + XRTO_QUOTE_MIN;
	return t;
}

static void xrto_test_extension_checksum(struct xrto_test *t)
{
	u8 *ext = t->data + XRTO_HLEN + XRTO_QUOTE_MIN;
	u16 sum = (__force u16)
		ip_compute_csum(ext, t->len - XRTO_HLEN - XRTO_QUOTE_MIN);

	memcpy(ext + 2, &sum, sizeof(sum));
}

/* All codes are read correctly in ICMP and ICMPv6. */
static void xrto_test_codes(struct kunit *test)
{
	int ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		xrto_expect_segment(test, xrto_test_native(test, ipv6, 0),
				    XRTO_DROP, true);
		xrto_expect_segment(test, xrto_test_native(test, ipv6, 1),
				    XRTO_DEFER, true);
		xrto_expect(test, xrto_test_native(test, ipv6, 2),
			    XRTO_STATS_CODE);
		xrto_expect_segment(test, xrto_test_native(test, ipv6, 3),
				    XRTO_LINK_UP, true);
		xrto_expect(test, xrto_test_native(test, ipv6, 4),
			    XRTO_STATS_CODE);
		xrto_expect(test, xrto_test_native(test, ipv6, 255),
			    XRTO_STATS_CODE);
		xrto_expect(test, xrto_test_new(test, ipv6, 8, 0), -ENOENT);
	}
}

/* Messages are cut off at every possible length. A message needs at least eight bytes of TCP. A
 * message with fewer bytes is malformed.
 */
static void xrto_test_lengths(struct kunit *test)
{
	int ipv6;
	u32 len;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		struct xrto_test *t = xrto_test_native(test, ipv6, 0);
		u32 ip = XRTO_HLEN + (ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
		u32 whole = t->len;

		for (len = XRTO_HLEN; len < ip + XRTO_QUOTED_TCP; len++) {
			t->len = len;
			xrto_expect(test, t, XRTO_STATS_MALFORMED);
		}
		for (; len <= whole; len++) {
			t->len = len;
			/* a cut-off timestamp is treated as missing */
			xrto_expect_segment(test, t, XRTO_DROP, len == whole);
		}
		for (len = 1; len < XRTO_HLEN; len++) {
			struct xrto_message msg;

			KUNIT_EXPECT_EQ(test, xrto_test_read(test, t, len, &msg),
					XRTO_STATS_MALFORMED);
		}
	}
}

/* Each flipped bit is detected. */
static void xrto_test_bits(struct kunit *test)
{
	struct xrto_message msg;
	int ipv6, bit;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		struct xrto_test *t = xrto_test_native(test, ipv6, 0);

		KUNIT_EXPECT_EQ(test, xrto_test_parse(test, t, &msg), 0);
		for (bit = 0; bit < t->len * 8; bit++) {
			t->data[bit / 8] ^= 1 << bit % 8;
			KUNIT_EXPECT_NE_MSG(test, xrto_test_read(test, t, t->len,
								 &msg),
					    0, "bit %d", bit);
			t->data[bit / 8] ^= 1 << bit % 8;
		}
	}
}

/* Options in the quoted IPv4 header are skipped. A quoted packet that is not the beginning of a TCP
 * segment is refused. A quoted packet from another host is also refused.
 */
static void xrto_test_quoted4(struct kunit *test)
{
	struct xrto_test *t;
	u32 hlen;

	for (hlen = sizeof(struct iphdr); hlen <= 60; hlen += 4) {
		t = xrto_test_new(test, false, XRTO_TYPE_IPV4, 0);
		xrto_test_ip4(t, hlen, IPPROTO_TCP);
		xrto_test_tcp(t, 0);
		xrto_expect_segment(test, t, XRTO_DROP, false);
		t->len = XRTO_HLEN + hlen - 1;
		xrto_expect(test, t, XRTO_STATS_MALFORMED);
	}
	t = xrto_test_native(test, false, 0);
	t->data[XRTO_HLEN] = 0x44;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t->data[XRTO_HLEN] = 0x65;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t = xrto_test_native(test, false, 0);
	t->data[XRTO_HLEN + offsetof(struct iphdr, protocol)] = IPPROTO_UDP;
	xrto_expect(test, t, XRTO_STATS_NOT_TCP);
	t = xrto_test_native(test, false, 0);
	t->data[XRTO_HLEN + offsetof(struct iphdr, frag_off)] = 0x20;
	xrto_expect_segment(test, t, XRTO_DROP, true);
	t->data[XRTO_HLEN + offsetof(struct iphdr, frag_off) + 1] = 1;
	xrto_expect(test, t, XRTO_STATS_NOT_TCP);
	t = xrto_test_native(test, false, 0);
	t->data[XRTO_HLEN + offsetof(struct iphdr, saddr) + 3] ^= 1;
	xrto_expect(test, t, XRTO_STATS_NOT_OURS);
}

/* Quoted IPv6 headers follow the same rules as a quoted IPv4 header. */
static void xrto_test_quoted6(struct kunit *test)
{
	struct xrto_test *t = xrto_test_new(test, true, XRTO_TYPE_IPV6, 1);
	u32 fragment;

	xrto_test_ip6(t, NEXTHDR_HOP);
	XRTO_TEST_ADD(t, NEXTHDR_DEST, 1, 1, 12, [15] = 0);
	XRTO_TEST_ADD(t, NEXTHDR_ROUTING, 0, 1, 4, 0, 0, 0, 0);
	XRTO_TEST_ADD(t, NEXTHDR_FRAGMENT, 0, 4, 0, 0, 0, 0, 0);
	fragment = t->len;
	XRTO_TEST_ADD(t, IPPROTO_TCP, 0xff, 0, 1, 0, 0, 0, 1);
	xrto_test_tcp(t, TCPOLEN_TSTAMP_ALIGNED);
	xrto_test_tsval(t);
	xrto_expect_segment(test, t, XRTO_DEFER, true);
	t->data[fragment + 3] = 8;
	xrto_expect(test, t, XRTO_STATS_NOT_TCP);
	t->data[fragment + 3] = 0;
	t->data[fragment] = IPPROTO_UDP;
	xrto_expect(test, t, XRTO_STATS_NOT_TCP);
	/* as many extension headers as fit, and an extension header that exceeds the packet */
	t = xrto_test_new(test, true, XRTO_TYPE_IPV6, 1);
	xrto_test_ip6(t, NEXTHDR_DEST);
	while (t->len + XRTO_IPV6_EXT_UNIT <= XRTO_MESSAGE_MAX)
		XRTO_TEST_ADD(t, NEXTHDR_DEST, 0, 1, 4, 0, 0, 0, 0);
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t->data[XRTO_HLEN + sizeof(struct ipv6hdr) + 1] = 255;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t = xrto_test_native(test, true, 0);
	t->data[XRTO_HLEN + offsetof(struct ipv6hdr, daddr) - 1] ^= 1;
	xrto_expect(test, t, XRTO_STATS_NOT_OURS);
	t->data[XRTO_HLEN] = 0x40;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
}

/* A timestamp is found at any position among the options, but not in malformed options. */
static void xrto_test_options(struct kunit *test)
{
	struct xrto_test *t = xrto_test_new(test, false, XRTO_TYPE_IPV4, 0);
	u32 options;

	xrto_test_ip(t);
	xrto_test_tcp(t, 24);
	options = t->len;
	XRTO_TEST_ADD(t, TCPOPT_SACK, 10, 0, 0, 0, 1, 0, 0, 0, 2, TCPOPT_NOP);
	XRTO_TEST_ADD(t, TCPOPT_TIMESTAMP, TCPOLEN_TIMESTAMP, 1, 2, 3, 4, 0, 0,
		      0, 0, TCPOPT_EOL, 0, 0);
	xrto_expect_segment(test, t, XRTO_DROP, true);
	t->data[options + 12] = TCPOLEN_TIMESTAMP - 1;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	t->data[options + 12] = TCPOLEN_TIMESTAMP;
	t->data[options + 1] = 0;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	t->data[options + 1] = 1;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	t->data[options + 1] = 25;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	t->data[options] = TCPOPT_EOL;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	/* a header that ends before the timestamp option or inside it */
	t->data[options] = TCPOPT_SACK;
	t->data[options + 1] = 10;
	t->data[options - 8] = 7 << 4;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	t->data[options - 8] = 10 << 4;
	xrto_expect_segment(test, t, XRTO_DROP, false);
	t->data[options - 8] = 4 << 4;
	xrto_expect_segment(test, t, XRTO_DROP, false);
}

/* The object is found among other objects, with and without a checksum. A packet without the
 * object is not a message.
 */
static void xrto_test_extension(struct kunit *test)
{
	struct xrto_test *t;
	int ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		t = xrto_test_unreachable(test, ipv6);
		XRTO_TEST_ADD(t, 0x20, 0, 0, 0);
		XRTO_TEST_ADD(t, 0, 8, 1, 1, 0, 1, 2, 3);
		xrto_expect(test, t, -ENOENT);
		XRTO_TEST_ADD(t, 0, 4, XRTO_OBJECT_CLASS, XRTO_CODE_DEFER);
		XRTO_TEST_ADD(t, 0, 4, 2, 1);
		xrto_expect_segment(test, t, XRTO_DEFER, true);
		xrto_test_extension_checksum(t);
		xrto_expect_segment(test, t, XRTO_DEFER, true);
		t->data[t->len - 5] = XRTO_CODE_DISCARDED;
		xrto_expect(test, t, XRTO_STATS_MALFORMED);
		t->data[t->len - 5] = XRTO_CODE_DEFER;
		t->data[1] = 1;
		xrto_expect(test, t, -ENOENT);
	}
}

/* Malformed extension structures are refused. */
static void xrto_test_extension_bad(struct kunit *test)
{
	struct xrto_test *t = xrto_test_unreachable(test, false);
	u32 ext = t->len;
	u8 size;

	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	XRTO_TEST_ADD(t, 0x20, 0, 0, 0);
	XRTO_TEST_ADD(t, 0, 4, XRTO_OBJECT_CLASS, XRTO_CODE_DROP);
	xrto_expect_segment(test, t, XRTO_DROP, true);
	t->data[ext] = 0x10;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t->data[ext] = 0x20;
	for (size = 0; size < 16; size++) {
		t->data[ext + 5] = size;
		if (size != XRTO_OBJECT_LEN)
			xrto_expect(test, t, XRTO_STATS_MALFORMED);
	}
	t->data[ext + 5] = XRTO_OBJECT_LEN;
	t->data[5] = XRTO_QUOTE_MIN / 4 - 1;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t->data[5] = 255;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t->data[5] = 0;
	xrto_expect(test, t, -ENOENT);
	t->data[5] = XRTO_QUOTE_MIN / 4;
	XRTO_TEST_ADD(t, 0, 4, XRTO_OBJECT_CLASS, XRTO_CODE_DROP);
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
	t->len -= 2;
	xrto_expect(test, t, XRTO_STATS_MALFORMED);
}

/* Valid messages with random changes never cause a read beyond the end, which KASAN would report.
 * The parser always returns a valid result.
 */
static void xrto_test_random(struct kunit *test)
{
	struct rnd_state rnd;
	struct xrto_message msg;
	int i, changes, found;

	if (!seed)
		seed = get_random_u32() | 1;
	kunit_info(test, "seed=%u", seed);
	prandom_seed_state(&rnd, seed);
	for (i = 0; i < XRTO_TEST_ROUNDS; i++) {
		struct xrto_test *t = i & 1 ? xrto_test_native(test, i & 2, 0) :
					      xrto_test_unreachable(test, i & 2);

		if (!(i & 1)) {
			XRTO_TEST_ADD(t, 0x20, 0, 0, 0);
			XRTO_TEST_ADD(t, 0, 4, XRTO_OBJECT_CLASS, 0);
		}
		for (changes = prandom_u32_state(&rnd) % 8; changes; changes--)
			t->data[1 + prandom_u32_state(&rnd) % (t->len - 1)] =
				prandom_u32_state(&rnd);
		t->len -= prandom_u32_state(&rnd) % 8 ? 0 :
			  prandom_u32_state(&rnd) % (t->len - XRTO_HLEN);
		found = xrto_test_parse(test, t, &msg);
		KUNIT_EXPECT_TRUE(test, found == -ENOENT ||
				  (found >= 0 && found <= XRTO_STATS_NOT_OURS));
		kunit_kfree(test, t);
	}
}

static struct kunit_case xrto_message_cases[] = {
	KUNIT_CASE(xrto_test_codes),
	KUNIT_CASE(xrto_test_lengths),
	KUNIT_CASE(xrto_test_bits),
	KUNIT_CASE(xrto_test_quoted4),
	KUNIT_CASE(xrto_test_quoted6),
	KUNIT_CASE(xrto_test_options),
	KUNIT_CASE(xrto_test_extension),
	KUNIT_CASE(xrto_test_extension_bad),
	KUNIT_CASE(xrto_test_random),
	{}
};

static struct kunit_suite xrto_message_suite = {
	.name = "xlo_rto_message",
	.test_cases = xrto_message_cases,
};

kunit_test_suite(xrto_message_suite);

MODULE_DESCRIPTION("KUnit tests of xlo_rto's messages");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
