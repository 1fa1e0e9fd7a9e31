// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the functions that write messages, and of the token bucket. */

#include <kunit/test.h>
#include <linux/module.h>
/* the tests include these files, because their functions are not exported */
#include "notice.c"
#include "parse.c"

#define XRTO_TEST_PERIOD	100
#define XRTO_TEST_SIZE		10

static const siphash_key_t xrto_test_key = { .key = { 1, 2 } };

/* Two segments: from 10.1.0.1 with a timestamp, and from fd01::1 without a timestamp. */
static const u8 xrto_test_segment4[] = {
	0x45, 0, 0, 52, 0, 1, 0, 0, 63, IPPROTO_TCP, 0, 0,
	10, 1, 0, 1, 10, 2, 0, 1,
	0, 80, 15, 160, 1, 2, 3, 4, 0, 0, 0, 1, 0x80, 0x10, 4, 0, 0, 0, 0, 0,
	1, 1, 8, 10, 9, 9, 9, 9, 0, 0, 0, 0,
};

static const u8 xrto_test_segment6[] = {
	0x60, 0, 0, 0, 0, 20, IPPROTO_TCP, 63,
	0xfd, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0xfd, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0, 80, 15, 160, 1, 2, 3, 4, 0, 0, 0, 1, 0x50, 0x10, 4, 0, 0, 0, 0, 0,
};

/* A full bucket provides all its tokens immediately. An empty bucket provides one token per period.
 * Even after a long time, a bucket has no more tokens than its size.
 */
static void xrto_test_bucket(struct kunit *test)
{
	u64 full = 0, now = 1000000;
	int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < XRTO_TEST_SIZE; i++)
			KUNIT_EXPECT_TRUE(test, xrto_bucket_take(&full, now,
								 XRTO_TEST_PERIOD,
								 XRTO_TEST_SIZE));
		KUNIT_EXPECT_FALSE(test, xrto_bucket_take(&full, now,
							  XRTO_TEST_PERIOD,
							  XRTO_TEST_SIZE));
		now += XRTO_TEST_PERIOD - 1;
		KUNIT_EXPECT_FALSE(test, xrto_bucket_take(&full, now,
							  XRTO_TEST_PERIOD,
							  XRTO_TEST_SIZE));
		now += 1;
		KUNIT_EXPECT_TRUE(test, xrto_bucket_take(&full, now,
							 XRTO_TEST_PERIOD,
							 XRTO_TEST_SIZE));
		KUNIT_EXPECT_FALSE(test, xrto_bucket_take(&full, now,
							  XRTO_TEST_PERIOD,
							  XRTO_TEST_SIZE));
		now += (u64)XRTO_TEST_PERIOD * 1000000;
	}
}

/* A bucket of size one provides one token per period. */
static void xrto_test_bucket_of_one(struct kunit *test)
{
	u64 full = 0;

	KUNIT_EXPECT_TRUE(test, xrto_bucket_take(&full, 5, XRTO_TEST_PERIOD, 1));
	KUNIT_EXPECT_FALSE(test, xrto_bucket_take(&full, 104, XRTO_TEST_PERIOD, 1));
	KUNIT_EXPECT_TRUE(test, xrto_bucket_take(&full, 105, XRTO_TEST_PERIOD, 1));
}

static void xrto_test_checksum4(u8 *icmp, u32 len)
{
	u16 sum = (__force u16)ip_compute_csum(icmp, len);

	memcpy(icmp + 2, &sum, sizeof(sum));
}

static void xrto_test_checksum6(u8 *icmp, u32 len,
				const struct xrto_quote *quote)
{
	u16 sum = (__force u16)
		csum_ipv6_magic(&quote->daddr.in6, &quote->saddr.in6, len,
				IPPROTO_ICMPV6, csum_partial(icmp, len, 0));

	memcpy(icmp + 2, &sum, sizeof(sum));
}

/* A written message has the same content when it is read. */
static void xrto_test_round_trip(struct kunit *test, bool ipv6, bool extension,
				 bool keyed, u8 code)
{
	const u8 *ip = ipv6 ? xrto_test_segment6 : xrto_test_segment4;
	struct xrto_notice notice = {
		.code = code, .ipv6 = ipv6, .extension = extension,
		.keyed = keyed, .ip = ip,
		.len = ipv6 ? sizeof(xrto_test_segment6) :
			      sizeof(xrto_test_segment4),
	};
	struct xrto_message msg = { 0 };
	u8 icmp[XRTO_NOTICE_MAX];
	struct xrto_quote quote;
	int found;
	u32 len;

	KUNIT_EXPECT_EQ(test, (int)xrto_notice_refusal(ip, notice.len,
						       XRTO_CODE_DROP, &quote),
			(int)XRTO_NOTICES_UNSPEC);
	notice.token = xrto_token(&xrto_test_key, code, &quote);
	len = xrto_notice_write(icmp, &notice);
	KUNIT_EXPECT_LE(test, len, (u32)XRTO_NOTICE_MAX);
	/* bytes after the message do not belong to the message */
	memset(icmp + len, 0xff, sizeof(icmp) - len);
	if (ipv6) {
		xrto_test_checksum6(icmp, len, &quote);
		found = xrto_parse6(icmp, len, &quote.daddr.in6,
				    &quote.saddr.in6, &msg);
	} else {
		xrto_test_checksum4(icmp, len);
		found = xrto_parse4(icmp, len, quote.saddr.ip, &msg);
	}
	KUNIT_EXPECT_EQ(test, found, 0);
	KUNIT_EXPECT_EQ(test, (u8)msg.event, code);
	KUNIT_EXPECT_EQ(test, msg.native, !extension);
	KUNIT_EXPECT_EQ(test, msg.token, keyed ? notice.token : 0);
	KUNIT_EXPECT_EQ(test, msg.quote.seq, quote.seq);
	KUNIT_EXPECT_EQ(test, msg.quote.has_tsval, !ipv6);
}

static void xrto_test_round_trips(struct kunit *test)
{
	int i;

	for (i = 0; i < 16; i++)
		xrto_test_round_trip(test, i & 1, i & 2, i & 4,
				     i & 8 ? XRTO_CODE_DROP : XRTO_CODE_DEFER);
}

static enum xrto_notices xrto_test_refusal(const u8 *ip, u32 len, u8 code)
{
	struct xrto_quote quote;

	return xrto_notice_refusal(ip, len, code, &quote);
}

/* Packets are cut off at every possible length. Packets without the TCP flags are refused, and
 * packets with the TCP flags are accepted.
 */
static void xrto_test_cut_off(struct kunit *test)
{
	u32 len;

	for (len = 0; len <= sizeof(xrto_test_segment4); len++)
		KUNIT_EXPECT_EQ(test,
				(int)xrto_test_refusal(xrto_test_segment4, len,
						       XRTO_CODE_DROP),
				(int)(len < 34 ? XRTO_NOTICES_MALFORMED :
						 XRTO_NOTICES_UNSPEC));
	for (len = 0; len <= sizeof(xrto_test_segment6); len++)
		KUNIT_EXPECT_EQ(test,
				(int)xrto_test_refusal(xrto_test_segment6, len,
						       XRTO_CODE_DROP),
				(int)(len < 54 ? XRTO_NOTICES_MALFORMED :
						 XRTO_NOTICES_UNSPEC));
}

/* A DEFER is sent only about a packet with the cross-layer option. */
static void xrto_test_option(struct kunit *test)
{
	static const u8 option[] = { 0x9e, 8, 0, 4, 0, 0, 1, 0x2c };
	u8 ip[sizeof(struct iphdr) + sizeof(option) + sizeof(struct tcphdr)];

	memcpy(ip, xrto_test_segment4, sizeof(struct iphdr));
	memcpy(ip + sizeof(struct iphdr), option, sizeof(option));
	memcpy(ip + sizeof(struct iphdr) + sizeof(option),
	       xrto_test_segment4 + sizeof(struct iphdr), sizeof(struct tcphdr));
	ip[0] += sizeof(option) / 4;
	KUNIT_EXPECT_EQ(test, (int)xrto_test_refusal(ip, sizeof(ip),
						     XRTO_CODE_DEFER),
			(int)XRTO_NOTICES_UNSPEC);
	/* the option has a wrong length */
	ip[sizeof(struct iphdr) + 1] = 7;
	KUNIT_EXPECT_EQ(test, (int)xrto_test_refusal(ip, sizeof(ip),
						     XRTO_CODE_DEFER),
			(int)XRTO_NOTICES_NO_OPTION);
	KUNIT_EXPECT_EQ(test, (int)xrto_test_refusal(ip, sizeof(ip),
						     XRTO_CODE_DROP),
			(int)XRTO_NOTICES_UNSPEC);
}

/* Packets of both families without a transport header, and the option of each family. In IPv6 the
 * option is in a hop-by-hop header.
 */
struct xrto_test_packet {
	u8 ip[XRTO_QUOTE_MIN];
	u32 len;
};

static const u8 xrto_test_option4[] = { 0x9e, 8, 0, 4, 0, 0, 1, 0x2c };
static const u8 xrto_test_option6[] = {
	0, 1, 0x3e, 6, 0, 4, 0, 0, 1, 0x2c, 1, 4, 0, 0, 0, 0,
};

static void xrto_test_add(struct xrto_test_packet *p, const void *bytes, u32 len)
{
	memcpy(p->ip + p->len, bytes, len);
	p->len += len;
}

static struct xrto_test_packet xrto_test_ip(bool ipv6, bool option, u8 proto)
{
	struct xrto_test_packet p = { .len = 0 };

	if (ipv6) {
		xrto_test_add(&p, xrto_test_segment6, sizeof(struct ipv6hdr));
		p.ip[6] = option ? NEXTHDR_HOP : proto;
		if (option) {
			xrto_test_add(&p, xrto_test_option6,
				      sizeof(xrto_test_option6));
			p.ip[sizeof(struct ipv6hdr)] = proto;
		}
		return p;
	}
	xrto_test_add(&p, xrto_test_segment4, sizeof(struct iphdr));
	p.ip[9] = proto;
	if (option) {
		xrto_test_add(&p, xrto_test_option4, sizeof(xrto_test_option4));
		p.ip[0] += sizeof(xrto_test_option4) / 4;
	}
	return p;
}

static const u8 xrto_test_codes[] = {
	XRTO_CODE_DROP, XRTO_CODE_DEFER, XRTO_CODE_LINK_UP,
};

/* Expect one refusal for all messages that need a program to read them. */
static void xrto_test_expect(struct kunit *test,
			     const struct xrto_test_packet *p, u32 len,
			     enum xrto_notices refusal)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(xrto_test_codes); i++)
		KUNIT_EXPECT_EQ(test,
				(int)xrto_test_refusal(p->ip, len,
						       xrto_test_codes[i]),
				(int)refusal);
}

/* Messages about UDP and DCCP need the option, and a header up to the ports of UDP and the sequence
 * number of DCCP. Only "packet discarded" needs neither.
 */
static void xrto_test_datagram(struct kunit *test, bool ipv6, u8 proto,
			       bool extended, u32 needed)
{
	struct xrto_test_packet p = xrto_test_ip(ipv6, true, proto);
	struct xrto_test_packet plain = xrto_test_ip(ipv6, false, proto);
	u8 header[24] = { 0 };
	u32 len;

	header[8] = extended;
	for (len = 0; len <= sizeof(header); len++) {
		p.len = xrto_test_ip(ipv6, true, proto).len;
		xrto_test_add(&p, header, len);
		xrto_test_expect(test, &p, p.len,
				 len < needed ? XRTO_NOTICES_MALFORMED :
						XRTO_NOTICES_UNSPEC);
		KUNIT_EXPECT_EQ(test,
				(int)xrto_test_refusal(p.ip, p.len,
						       XRTO_CODE_DISCARDED),
				(int)XRTO_NOTICES_UNSPEC);
	}
	xrto_test_add(&plain, header, sizeof(header));
	xrto_test_expect(test, &plain, plain.len, XRTO_NOTICES_NO_OPTION);
	KUNIT_EXPECT_EQ(test,
			(int)xrto_test_refusal(plain.ip, plain.len,
					       XRTO_CODE_DISCARDED),
			(int)XRTO_NOTICES_UNSPEC);
}

static void xrto_test_datagrams(struct kunit *test)
{
	int ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		xrto_test_datagram(test, ipv6, IPPROTO_UDP, false, 8);
		/* an odd byte in UDP's data is not DCCP's bit X */
		xrto_test_datagram(test, ipv6, IPPROTO_UDP, true, 8);
		xrto_test_datagram(test, ipv6, IPPROTO_DCCP, false, 12);
		xrto_test_datagram(test, ipv6, IPPROTO_DCCP, true, 16);
	}
}

/* Packets of other protocols cause no message even with the option. */
static void xrto_test_other_protocols(struct kunit *test)
{
	static const u8 protocols[] = {
		IPPROTO_UDPLITE, IPPROTO_SCTP, IPPROTO_ESP, IPPROTO_IPIP,
	};
	const u8 header[24] = { 0 };
	int i, ipv6;

	for (i = 0; i < ARRAY_SIZE(protocols) * 2; i++) {
		struct xrto_test_packet p;

		ipv6 = i & 1;
		p = xrto_test_ip(ipv6, true, protocols[i / 2]);
		xrto_test_add(&p, header, sizeof(header));
		xrto_test_expect(test, &p, p.len, XRTO_NOTICES_NOT_TCP);
	}
}

static struct kunit_case xrto_notice_cases[] = {
	KUNIT_CASE(xrto_test_bucket),
	KUNIT_CASE(xrto_test_bucket_of_one),
	KUNIT_CASE(xrto_test_round_trips),
	KUNIT_CASE(xrto_test_cut_off),
	KUNIT_CASE(xrto_test_option),
	KUNIT_CASE(xrto_test_datagrams),
	KUNIT_CASE(xrto_test_other_protocols),
	{}
};

static struct kunit_suite xrto_notice_suite = {
	.name = "xlo_rto_notice",
	.test_cases = xrto_notice_cases,
};

kunit_test_suite(xrto_notice_suite);

MODULE_DESCRIPTION("KUnit tests of the messages that xlo_rto sends");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
