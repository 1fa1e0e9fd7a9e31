// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the option codec. The codec reads and writes every field and never reads outside the
 * header. The codec rejects exactly the headers that <linux/xlo.h> describes as malformed.
 *
 * This file is built twice, as a KUnit module and in user space. The user-space build is in
 * selftests/codec, which has its own kunit/test.h. Each buffer has exactly the needed size. In user
 * space an unmapped page follows each buffer. In the kernel KASAN guards each buffer.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/string.h>
#include <net/xlo.h>

#define CODEC_ROUNDS	20000	/* of each property test */
#define CODEC_HDR_MAX	(XLO_IPV6_HLEN + 2048)

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the property tests, 0 (default) for a new one");

/**
 * struct codec_family - the differences between IPv4 and IPv6
 * @find: the function under test
 * @options_at: offset of the options in the header
 * @options_max: bytes of options in the longest header of a test
 * @pad: type of the one-byte padding option
 * @base: bytes of an option that are not included in its length field
 */
struct codec_family {
	int (*find)(const void *hdr, __u32 len, struct xlo_ref *ref,
		    struct xlo *opt);
	u32 options_at;
	u32 options_max;
	u8 pad;
	u8 base;
};

static const struct codec_family codec_ipv4 = {
	.find = xlo_find4,
	.options_at = XLO_IPV4_HLEN,
	.options_max = 40,
	.pad = XLO_IPV4_NOP,
};

static const struct codec_family codec_ipv6 = {
	.find = xlo_find6,
	.options_at = XLO_IPV6_HLEN + 2,
	.options_max = 62,
	.pad = XLO_IPV6_PAD1,
	.base = 2,
};

static bool codec_is_ipv6(const struct codec_family *family)
{
	return family == &codec_ipv6;
}

static u8 *codec_alloc(struct kunit *test, u32 len)
{
	u8 *buf = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	return buf;
}

/* Copies bytes to a new buffer. A read beyond the end of the new buffer faults. */
static u8 *codec_copy(struct kunit *test, const void *src, u32 len)
{
	return memcpy(codec_alloc(test, len), src, len);
}

/* Writes the fixed part of @hdr for @len bytes of options. Returns the length of the complete
 * header.
 */
static u32 codec_frame(const struct codec_family *family, u8 *hdr, u32 len)
{
	memset(hdr, 0, family->options_at);
	if (codec_is_ipv6(family)) {
		hdr[0] = 0x60;
		hdr[6] = XLO_IPV6_HOPOPTS;
		hdr[40] = 17;
		hdr[41] = (len + 2) / 8 - 1;
	} else {
		hdr[0] = 0x40 | (XLO_IPV4_HLEN + len) / 4;
		hdr[8] = 64;
		hdr[9] = 17;
	}
	return family->options_at + len;
}

/* Writes the 8 bytes of the option with the codec under test. */
static void codec_put(struct kunit *test, const struct codec_family *family,
		      u8 *at, const struct xlo *opt)
{
	u8 hbh[XLO_IPV6_HBH_LEN];

	if (codec_is_ipv6(family)) {
		KUNIT_ASSERT_EQ(test, xlo_write6(hbh, 17, opt), 16);
		memcpy(at, hbh + 4, XLO_LEN);
	} else {
		KUNIT_ASSERT_EQ(test, xlo_write4(at, opt), 8);
	}
}

static void codec_expect_found(struct kunit *test,
			       const struct codec_family *family,
			       const u8 *hdr, u32 len, u32 at,
			       const struct xlo *want)
{
	struct xlo_ref ref = {};
	struct xlo opt = {};

	KUNIT_EXPECT_EQ(test, family->find(hdr, len, &ref, &opt), 1);
	KUNIT_EXPECT_EQ(test, (u32)ref.off, at);
	KUNIT_EXPECT_EQ(test, ref.type, hdr[at]);
	KUNIT_EXPECT_EQ(test, opt.reorder, want->reorder);
	KUNIT_EXPECT_EQ(test, opt.flags, want->flags);
	KUNIT_EXPECT_EQ(test, opt.lifetime, want->lifetime);
}

static void codec_expect(struct kunit *test, const struct codec_family *family,
			 const u8 *hdr, u32 len, int found)
{
	struct xlo_ref ref;
	struct xlo opt;

	KUNIT_EXPECT_EQ_MSG(test, family->find(hdr, len, &ref, &opt), found,
			    "%u bytes", len);
}

/**
 * struct codec_vector - the options of one header, and the expected result
 * @name: name of the case
 * @len: number of used bytes in @bytes, in IPv4 a multiple of 4, in IPv6 a multiple of 8 plus
 *	6; with these values the header has a valid length
 * @bytes: the options; in IPv6 without the next header and length fields
 * @found: expected result, enum xlo_found
 * @at: expected offset of the option in @bytes
 * @want: expected fields of the option
 */
struct codec_vector {
	const char *name;
	__u32 len;
	__u8 bytes[40];
	int found;
	__u32 at;
	struct xlo want;
};

static const struct codec_vector codec_vectors4[] = {
	/* fields */
	{ "relative", 8, { 158, 8, 3, 0x04, 0, 0, 0x13, 0x88 },
	  XLO_FOUND, 0, { 3, 0x04, 5000 } },
	{ "byte order", 8, { 158, 8, 1, 0x02, 0x01, 0x02, 0x03, 0x04 },
	  XLO_FOUND, 0, { 1, 0x02, 16909060 } },
	{ "every known flag", 8, { 158, 8, 255, 0x1f, 0, 0, 0, 9 },
	  XLO_FOUND, 0, { 255, 0x1f, 9 } },
	{ "unknown flags are ignored", 8, { 158, 8, 0, 0xe0, 0, 0, 0, 9 },
	  XLO_FOUND, 0, { 0, 0, 9 } },
	{ "unknown flags hide no known one", 8,
	  { 158, 8, 0, 0xff, 0, 0, 0, 9 }, XLO_FOUND, 0, { 0, 0x1f, 9 } },
	/* lifetimes */
	{ "expired", 8, { 158, 8, 3, 0, 0, 0, 0, 0 },
	  XLO_FOUND, 0, { 3, 0, 0 } },
	{ "1 ms", 8, { 158, 8, 3, 0, 0, 0, 0, 1 },
	  XLO_FOUND, 0, { 3, 0, 1 } },
	{ "longest relative", 8, { 158, 8, 3, 0, 0, 0, 0xff, 0xfe },
	  XLO_FOUND, 0, { 3, 0, 65534 } },
	{ "no lifetime", 8, { 158, 8, 3, 0, 0, 0, 0xff, 0xff },
	  XLO_FOUND, 0, { 3, 0, 65535 } },
	{ "earliest deadline", 8, { 158, 8, 3, 0, 0, 1, 0, 0 },
	  XLO_FOUND, 0, { 3, 0, 65536 } },
	{ "latest deadline", 8, { 158, 8, 3, 0, 0x05, 0x27, 0x5b, 0xfe },
	  XLO_FOUND, 0, { 3, 0, 86465534 } },
	{ "deadline past the day", 8, { 158, 8, 3, 0, 0x05, 0x27, 0x5b, 0xff },
	  XLO_MALFORMED, 0, {} },
	{ "deadline far past the day", 8,
	  { 158, 8, 3, 0, 0xff, 0xff, 0xff, 0xff }, XLO_MALFORMED, 0, {} },
	/* places */
	{ "no options", 0, { 0 }, XLO_NONE, 0, {} },
	{ "end of list alone", 4, { 0, 0, 0, 0 }, XLO_NONE, 0, {} },
	{ "no-operations alone", 4, { 1, 1, 1, 1 }, XLO_NONE, 0, {} },
	{ "offset 1", 12, { 1, 158, 8, 3, 4, 0, 0, 0, 7, 0, 0, 0 },
	  XLO_FOUND, 1, { 3, 4, 7 } },
	{ "offset 2", 12, { 1, 1, 158, 8, 3, 4, 0, 0, 0, 7, 0, 0 },
	  XLO_FOUND, 2, { 3, 4, 7 } },
	{ "offset 3", 12, { 1, 1, 1, 158, 8, 3, 4, 0, 0, 0, 7, 0 },
	  XLO_FOUND, 3, { 3, 4, 7 } },
	{ "behind router alert", 12,
	  { 148, 4, 0, 0, 158, 8, 3, 4, 0, 0, 0, 7 },
	  XLO_FOUND, 4, { 3, 4, 7 } },
	{ "behind the shortest foreign option", 12,
	  { 200, 2, 158, 8, 3, 4, 0, 0, 0, 7, 0, 0 },
	  XLO_FOUND, 2, { 3, 4, 7 } },
	{ "before a foreign option", 12,
	  { 158, 8, 3, 4, 0, 0, 0, 7, 148, 4, 0, 0 },
	  XLO_FOUND, 0, { 3, 4, 7 } },
	{ "last in the longest header", 40,
	  { 7, 31, 4, [31] = 1, 158, 8, 3, 4, 0, 0, 0, 7 },
	  XLO_FOUND, 32, { 3, 4, 7 } },
	{ "behind the end of list", 12,
	  { 0, 158, 8, 3, 4, 0, 0, 0, 7, 0, 0, 0 }, XLO_NONE, 0, {} },
	{ "inside a foreign option", 12,
	  { 200, 12, 158, 8, 3, 4, 0, 0, 0, 7, 0, 0 }, XLO_NONE, 0, {} },
	{ "in the longest foreign option", 40, { 200, 40, 158, 8 }, XLO_NONE, 0, {} },
	/* types that are near */
	{ "type 30, not copied", 8, { 30, 8, 3, 4, 0, 0, 0, 7 }, XLO_NONE, 0, {} },
	{ "type 62", 8, { 62, 8, 3, 4, 0, 0, 0, 7 }, XLO_NONE, 0, {} },
	{ "type 94", 8, { 94, 8, 3, 4, 0, 0, 0, 7 }, XLO_NONE, 0, {} },
	{ "type 222", 8, { 222, 8, 3, 4, 0, 0, 0, 7 }, XLO_NONE, 0, {} },
	/* twice */
	{ "two", 16, { 158, 8, 3, 4, 0, 0, 0, 7, 158, 8, 3, 4, 0, 0, 0, 7 },
	  XLO_MALFORMED, 0, {} },
	{ "two apart", 20,
	  { 158, 8, 3, 4, 0, 0, 0, 7, 148, 4, 0, 0,
	    158, 8, 3, 4, 0, 0, 0, 7 }, XLO_MALFORMED, 0, {} },
	{ "a second one behind the end of list", 20,
	  { 158, 8, 3, 4, 0, 0, 0, 7, 0, 158, 8, 3, 4, 0, 0, 0, 7 },
	  XLO_FOUND, 0, { 3, 4, 7 } },
	{ "a second one cut off", 12,
	  { 158, 8, 3, 4, 0, 0, 0, 7, 158, 8, 3, 4 }, XLO_MALFORMED, 0, {} },
	/* lengths */
	{ "length 0", 8, { 158, 0, 3, 4, 0, 0, 0, 7 }, XLO_MALFORMED, 0, {} },
	{ "length 1", 8, { 158, 1, 3, 4, 0, 0, 0, 7 }, XLO_MALFORMED, 0, {} },
	{ "length 2", 8, { 158, 2, 1, 1, 1, 1, 1, 1 }, XLO_MALFORMED, 0, {} },
	{ "length 4", 4, { 158, 4, 3, 4 }, XLO_MALFORMED, 0, {} },
	{ "length 6, as in IPv6", 8, { 158, 6, 3, 4, 0, 0, 0, 7 },
	  XLO_MALFORMED, 0, {} },
	{ "length 7", 8, { 158, 7, 3, 4, 0, 0, 7, 0 }, XLO_MALFORMED, 0, {} },
	{ "length 9", 12, { 158, 9, 3, 4, 0, 0, 0, 7, 0 }, XLO_MALFORMED, 0, {} },
	{ "length 12", 12, { 158, 12, 3, 4, 0, 0, 0, 7 }, XLO_MALFORMED, 0, {} },
	{ "length 255", 8, { 158, 255, 3, 4, 0, 0, 0, 7 }, XLO_MALFORMED, 0, {} },
	{ "runs past the header", 4, { 158, 8, 3, 4 }, XLO_MALFORMED, 0, {} },
	{ "runs past by a byte", 8, { 1, 158, 8, 3, 4, 0, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "no length byte", 4, { 1, 1, 1, 158 }, XLO_MALFORMED, 0, {} },
	{ "foreign, length 0", 12, { 148, 0, 0, 0, 158, 8, 3, 4, 0, 0, 0, 7 },
	  XLO_MALFORMED, 0, {} },
	{ "foreign, length 1", 12, { 148, 1, 0, 0, 158, 8, 3, 4, 0, 0, 0, 7 },
	  XLO_MALFORMED, 0, {} },
	{ "foreign, past the header", 4, { 148, 5, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "foreign, no length byte", 4, { 1, 1, 1, 148 }, XLO_MALFORMED, 0, {} },
	{ "foreign and bad behind a good one", 12,
	  { 158, 8, 3, 4, 0, 0, 0, 7, 148, 5, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "foreign, no length byte behind a good one", 12,
	  { 158, 8, 3, 4, 0, 0, 0, 7, 1, 1, 1, 148 }, XLO_MALFORMED, 0, {} },
};

static const struct codec_vector codec_vectors6[] = {
	/* fields */
	{ "relative", 14,
	  { 1, 0, 0x3e, 6, 3, 0x04, 0, 0, 0x13, 0x88, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0x04, 5000 } },
	{ "absolute, byte order", 14,
	  { 1, 0, 0x1e, 6, 1, 0x02, 0x01, 0x02, 0x03, 0x04, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 1, 0x02, 16909060 } },
	{ "every known flag", 14,
	  { 1, 0, 0x3e, 6, 255, 0x1f, 0, 0, 0, 9, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 255, 0x1f, 9 } },
	{ "unknown flags are ignored", 14,
	  { 1, 0, 0x3e, 6, 0, 0xe0, 0, 0, 0, 9, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 0, 0, 9 } },
	/* lifetimes and their option types */
	{ "expired", 14, { 1, 0, 0x3e, 6, 3, 0, 0, 0, 0, 0, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0, 0 } },
	{ "expired in an absolute option", 14,
	  { 1, 0, 0x1e, 6, 3, 0, 0, 0, 0, 0, 1, 2, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "longest relative", 14,
	  { 1, 0, 0x3e, 6, 3, 0, 0, 0, 0xff, 0xfe, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0, 65534 } },
	{ "longest relative in an absolute option", 14,
	  { 1, 0, 0x1e, 6, 3, 0, 0, 0, 0xff, 0xfe, 1, 2, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "no lifetime, relative option", 14,
	  { 1, 0, 0x3e, 6, 3, 0, 0, 0, 0xff, 0xff, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0, 65535 } },
	{ "no lifetime, absolute option", 14,
	  { 1, 0, 0x1e, 6, 3, 0, 0, 0, 0xff, 0xff, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0, 65535 } },
	{ "earliest deadline", 14,
	  { 1, 0, 0x1e, 6, 3, 0, 0, 1, 0, 0, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0, 65536 } },
	{ "earliest deadline in a relative option", 14,
	  { 1, 0, 0x3e, 6, 3, 0, 0, 1, 0, 0, 1, 2, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "latest deadline", 14,
	  { 1, 0, 0x1e, 6, 3, 0, 0x05, 0x27, 0x5b, 0xfe, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 0, 86465534 } },
	{ "latest deadline in a relative option", 14,
	  { 1, 0, 0x3e, 6, 3, 0, 0x05, 0x27, 0x5b, 0xfe, 1, 2, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "deadline past the day", 14,
	  { 1, 0, 0x1e, 6, 3, 0, 0x05, 0x27, 0x5b, 0xff, 1, 2, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "deadline past the day in a relative option", 14,
	  { 1, 0, 0x3e, 6, 3, 0, 0x05, 0x27, 0x5b, 0xff, 1, 2, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	/* places */
	{ "padding alone", 6, { 1, 4, 0, 0, 0, 0 }, XLO_NONE, 0, {} },
	{ "padding of single bytes", 6, { 0, 0, 0, 0, 0, 0 }, XLO_NONE, 0, {} },
	{ "behind two single bytes", 14,
	  { 0, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 4, 7 } },
	{ "behind router alert", 14,
	  { 5, 2, 0, 0, 1, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7 },
	  XLO_FOUND, 6, { 3, 4, 7 } },
	{ "before router alert", 14,
	  { 1, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7, 5, 2, 0, 0 },
	  XLO_FOUND, 2, { 3, 4, 7 } },
	{ "behind an unknown option", 22,
	  { 0xde, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 0, 0,
	    0x1e, 6, 3, 4, 0, 1, 0, 7 }, XLO_FOUND, 14, { 3, 4, 65543 } },
	{ "misaligned by 2", 14,
	  { 0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 4, 0, 0, 0, 0 },
	  XLO_FOUND, 0, { 3, 4, 7 } },
	{ "misaligned by 3", 14,
	  { 0, 0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 3, 0, 0, 0 },
	  XLO_FOUND, 1, { 3, 4, 7 } },
	{ "misaligned by 1", 14,
	  { 0, 0, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 1, 0 },
	  XLO_FOUND, 3, { 3, 4, 7 } },
	{ "inside padding", 14,
	  { 1, 12, 0x3e, 6, 3, 4, 0, 0, 0, 7, 0, 0, 0, 0 }, XLO_NONE, 0, {} },
	{ "inside an unknown option", 14,
	  { 0xde, 12, 0x3e, 6, 3, 4, 0, 0, 0, 7, 0, 0, 0, 0 }, XLO_NONE, 0, {} },
	/* types that are near */
	{ "the IPv4 type", 14,
	  { 1, 0, 158, 6, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 }, XLO_NONE, 0, {} },
	{ "type 0x5e", 14,
	  { 1, 0, 0x5e, 6, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 }, XLO_NONE, 0, {} },
	{ "type 0xfe", 14,
	  { 1, 0, 0xfe, 6, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 }, XLO_NONE, 0, {} },
	/* twice */
	{ "two relative", 22,
	  { 1, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7,
	    0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "two absolute", 22,
	  { 1, 0, 0x1e, 6, 3, 4, 0, 1, 0, 7,
	    0x1e, 6, 3, 4, 0, 1, 0, 7, 1, 2, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "one of each", 22,
	  { 1, 0, 0x1e, 6, 3, 4, 0, 1, 0, 7,
	    0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 }, XLO_MALFORMED, 0, {} },
	/* lengths */
	{ "length 0", 14, { 1, 0, 0x3e, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "length 5", 14, { 1, 0, 0x3e, 5, 3, 4, 0, 0, 0, 1, 3, 0, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "length 7", 14, { 1, 0, 0x3e, 7, 3, 4, 0, 0, 0, 7, 0, 1, 1, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "length 8, as in IPv4", 14,
	  { 1, 0, 0x3e, 8, 3, 4, 0, 0, 0, 7, 0, 0, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "length 255", 14, { 1, 0, 0x3e, 255, 3, 4, 0, 0, 0, 7, 1, 2, 0, 0 },
	  XLO_MALFORMED, 0, {} },
	{ "runs past the header", 6, { 0x3e, 6, 3, 4, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "runs past by a byte", 14,
	  { 1, 5, 0, 0, 0, 0, 0, 0x3e, 6, 3, 4, 0, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "no length byte", 6, { 1, 3, 0, 0, 0, 0x3e }, XLO_MALFORMED, 0, {} },
	{ "foreign, past the header", 6, { 5, 5, 0, 0, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "foreign, no length byte", 6, { 1, 3, 0, 0, 0, 5 }, XLO_MALFORMED, 0, {} },
	{ "padding past the header", 6, { 1, 5, 0, 0, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "bad padding behind a good one", 14,
	  { 1, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7, 1, 3, 0, 0 }, XLO_MALFORMED, 0, {} },
	{ "padding without length behind a good one", 14,
	  { 1, 3, 0, 0, 0, 0x3e, 6, 3, 4, 0, 0, 0, 7, 1 }, XLO_MALFORMED, 0, {} },
};

/* Checks that the header of the vector gives the expected result. A payload after the header that
 * looks like another option must not change the result. If only a part of the header is readable,
 * the result is XLO_SHORT.
 */
static void codec_try_vector(struct kunit *test,
			     const struct codec_family *family)
{
	static const u8 payload[] = { 158, 8, 3, 4, 0, 0, 0, 7,
				      0x3e, 6, 3, 4, 0, 0, 0, 7 };
	const struct codec_vector *vector = test->param_value;
	u8 hdr[XLO_IPV6_HLEN + 2 + sizeof(vector->bytes) + sizeof(payload)];
	u32 at = family->options_at + vector->at;
	u32 len, total;

	len = codec_frame(family, hdr, vector->len);
	memcpy(hdr + family->options_at, vector->bytes, vector->len);
	memcpy(hdr + len, payload, sizeof(payload));
	for (total = len; total <= len + sizeof(payload); total++) {
		const u8 *whole = codec_copy(test, hdr, total);

		if (vector->found == XLO_FOUND)
			codec_expect_found(test, family, whole, total, at,
					   &vector->want);
		else
			codec_expect(test, family, whole, total,
				     vector->found);
		KUNIT_EXPECT_EQ(test, memcmp(whole, hdr, total), 0);
	}
	for (total = 0; total < len; total++)
		codec_expect(test, family, codec_copy(test, hdr, total), total,
			     XLO_SHORT);
}

static void codec_vector_name(const struct codec_vector *vector, char *desc)
{
	strscpy(desc, vector->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(codec_vectors4, codec_vectors4, codec_vector_name);
KUNIT_ARRAY_PARAM(codec_vectors6, codec_vectors6, codec_vector_name);

static void ipv4_vector(struct kunit *test)
{
	codec_try_vector(test, &codec_ipv4);
}

static void ipv6_vector(struct kunit *test)
{
	codec_try_vector(test, &codec_ipv6);
}

/* An IPv4 header has the version 4 and a header length of at least 20. */
static void ipv4_header(struct kunit *test)
{
	u8 *hdr = codec_alloc(test, XLO_IPV4_HLEN);
	u32 first;

	memset(hdr, 0, XLO_IPV4_HLEN);
	for (first = 0; first <= 0xff; first++) {
		int found = XLO_MALFORMED;

		if (first == 0x45)
			found = XLO_NONE;
		else if (first > 0x45 && first <= 0x4f)
			found = XLO_SHORT;
		hdr[0] = first;
		codec_expect(test, &codec_ipv4, hdr, XLO_IPV4_HLEN, found);
	}
}

/* An IPv6 header has the version 6. The codec needs only 40 bytes to check the version. */
static void ipv6_header(struct kunit *test)
{
	u8 *hdr = codec_alloc(test, XLO_IPV6_HLEN);
	u32 first;

	memset(hdr, 0, XLO_IPV6_HLEN);
	for (first = 0; first <= 0xff; first++) {
		bool ipv6 = first >> 4 == 6;

		hdr[0] = first;
		hdr[6] = XLO_IPV6_HOPOPTS;
		codec_expect(test, &codec_ipv6, hdr, XLO_IPV6_HLEN,
			     ipv6 ? XLO_SHORT : XLO_MALFORMED);
		KUNIT_EXPECT_EQ(test, xlo_hdrlen6(hdr, XLO_IPV6_HLEN),
				ipv6 ? XLO_SHORT : 40);
		hdr[6] = 17;
		codec_expect(test, &codec_ipv6, hdr, XLO_IPV6_HLEN,
			     ipv6 ? XLO_NONE : XLO_MALFORMED);
	}
}

/* Next header 0 announces a hop-by-hop header. The length of this header is known if 42 bytes are
 * readable.
 */
static void ipv6_hdrlen(struct kunit *test)
{
	u8 *hdr = codec_alloc(test, XLO_IPV6_HLEN + 2);
	u32 value;

	for (value = 0; value <= 0xff; value++) {
		memset(hdr, 0, XLO_IPV6_HLEN + 2);
		hdr[0] = 0x60;
		hdr[6] = value;
		KUNIT_EXPECT_EQ(test, xlo_hdrlen6(hdr, 42), value ? 40 : 48);
		KUNIT_EXPECT_EQ(test, xlo_hdrlen6(hdr, 41),
				value ? 40 : XLO_SHORT);
		KUNIT_EXPECT_EQ(test, xlo_hdrlen6(hdr, 39), XLO_SHORT);
		codec_expect(test, &codec_ipv6, hdr, 42,
			     value ? XLO_NONE : XLO_SHORT);
		hdr[6] = XLO_IPV6_HOPOPTS;
		hdr[41] = value;
		KUNIT_EXPECT_EQ(test, xlo_hdrlen6(hdr, 42),
				(int)(48 + value * 8));
	}
}

/* The option is found at any offset. If the header cuts off the option's end, the header is
 * malformed.
 */
static void codec_try_offsets(struct kunit *test,
			      const struct codec_family *family, u32 room)
{
	static const struct xlo want = { 3, 4, 70 };
	u8 *hdr = codec_alloc(test, family->options_at + room);
	u32 len = codec_frame(family, hdr, room);
	u8 option[XLO_LEN];
	u32 at;

	codec_put(test, family, option, &want);
	for (at = family->options_at; at < len; at++) {
		u32 fits = min_t(u32, XLO_LEN, len - at);

		memset(hdr + family->options_at, family->pad, room);
		memcpy(hdr + at, option, fits);
		if (fits == XLO_LEN)
			codec_expect_found(test, family, hdr, len, at, &want);
		else
			codec_expect(test, family, hdr, len, XLO_MALFORMED);
	}
}

static void ipv4_every_offset(struct kunit *test)
{
	codec_try_offsets(test, &codec_ipv4, codec_ipv4.options_max);
}

static void ipv6_every_offset(struct kunit *test)
{
	codec_try_offsets(test, &codec_ipv6, codec_ipv6.options_max);
}

/* The codec reads the longest hop-by-hop header up to its end, with one-byte padding and with the
 * longest options.
 */
static void ipv6_longest_header(struct kunit *test)
{
	static const struct xlo want = { 3, 4, 70000 };
	u8 *hdr = codec_alloc(test, CODEC_HDR_MAX);
	u32 len = codec_frame(&codec_ipv6, hdr, 2046);
	u32 at = len - XLO_LEN;
	u32 off;

	KUNIT_ASSERT_EQ(test, len, (u32)CODEC_HDR_MAX);
	memset(hdr + 42, XLO_IPV6_PAD1, 2046);
	codec_expect(test, &codec_ipv6, hdr, len, XLO_NONE);
	codec_put(test, &codec_ipv6, hdr + at, &want);
	codec_expect_found(test, &codec_ipv6, hdr, len, at, &want);
	for (off = 42; off + 257 <= at; off += 257) {
		memset(hdr + off, XLO_TYPE_IPV6_RELATIVE, 257);
		hdr[off] = 0xde;
		hdr[off + 1] = 255;
	}
	codec_expect_found(test, &codec_ipv6, hdr, len, at, &want);
	hdr[len - 1 - XLO_LEN] = XLO_IPV6_PADN;	/* the option's type becomes its length */
	codec_expect(test, &codec_ipv6, hdr, len, XLO_MALFORMED);
}

/* The writer writes exactly the expected bytes. */
static void ipv4_write(struct kunit *test)
{
	static const u8 want[] = { 158, 8, 3, 0x1f, 0x05, 0x27, 0x5b, 0xfe };
	struct xlo opt = { 3, 0xff, XLO_LIFETIME_MAX };
	u8 *buf = codec_alloc(test, sizeof(want));

	KUNIT_EXPECT_EQ(test, xlo_write4(buf, &opt), 8);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
	opt = (struct xlo){ 9, 1, XLO_LIFETIME_MAX + 1 };
	KUNIT_EXPECT_EQ(test, xlo_write4(buf, &opt), XLO_MALFORMED);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
}

static void ipv6_write(struct kunit *test)
{
	u8 want[] = { 58, 1, 1, 0, 0x3e, 6, 3, 0x1f, 0, 0, 0xff, 0xfe,
		      1, 2, 0, 0 };
	struct xlo opt = { 3, 0xff, XLO_RELATIVE_MAX };
	u8 *buf = codec_alloc(test, sizeof(want));

	memset(buf, 0xa5, sizeof(want));
	KUNIT_EXPECT_EQ(test, xlo_write6(buf, 58, &opt), 16);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
	opt = (struct xlo){ 9, 1, XLO_LIFETIME_MAX + 1 };
	KUNIT_EXPECT_EQ(test, xlo_write6(buf, 17, &opt), XLO_MALFORMED);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);

	want[4] = XLO_TYPE_IPV6_ABSOLUTE;
	want[11] = 0xff;
	opt = (struct xlo){ 3, 0x1f, XLO_LIFETIME_NONE };
	KUNIT_EXPECT_EQ(test, xlo_write6(buf, 58, &opt), 16);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
	want[9] = 1;
	want[10] = 0;
	want[11] = 0;
	opt.lifetime = XLO_LIFETIME_NONE + 1;
	KUNIT_EXPECT_EQ(test, xlo_write6(buf, 58, &opt), 16);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
}

/* Every lifetime belongs to exactly one kind, or is malformed. */
static void lifetime_kinds(struct kunit *test)
{
	static const struct {
		u32 lifetime;
		bool relative, none, absolute;
	} cases[] = {
		{ 0, true, false, false },
		{ 65534, true, false, false },
		{ 65535, false, true, false },
		{ 65536, false, false, true },
		{ 86465534, false, false, true },
		{ 86465535, false, false, false },
		{ 0xffffffff, false, false, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 lifetime = cases[i].lifetime;

		KUNIT_EXPECT_EQ_MSG(test, xlo_is_relative(lifetime),
				    cases[i].relative, "%u", lifetime);
		KUNIT_EXPECT_EQ_MSG(test, xlo_is_none(lifetime),
				    cases[i].none, "%u", lifetime);
		KUNIT_EXPECT_EQ_MSG(test, xlo_is_absolute(lifetime),
				    cases[i].absolute, "%u", lifetime);
	}
}

/* The stale treatment uses bits 2 and 3 of the flags. */
static void stale_treatment(struct kunit *test)
{
	u32 flags;

	KUNIT_EXPECT_EQ(test, (int)XLO_STALE_FORWARD, 0);
	KUNIT_EXPECT_EQ(test, (int)XLO_STALE_DISCARD, 1);
	KUNIT_EXPECT_EQ(test, (int)XLO_STALE_TRUNCATE, 2);
	KUNIT_EXPECT_EQ(test, (int)XLO_STALE_RESERVED, 3);
	for (flags = 0; flags <= 0xff; flags++) {
		KUNIT_EXPECT_EQ(test, XLO_TREATMENT(flags), flags / 4 % 4);
		KUNIT_EXPECT_EQ(test, XLO_STALE_FLAGS(XLO_TREATMENT(flags)),
				flags & 0x0c);
	}
}

/* Midnight is encoded as the ms before midnight. Any other time of day is encoded exactly. */
static void encode_absolute(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(0), 86465534U);
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(1), 65536U);
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(43200000), 43265535U);
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(86399999), 86465534U);
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(86400000), 86465534U);
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(86400001), 65536U);
	KUNIT_EXPECT_EQ(test, xlo_encode_absolute(0xffffffff), 61432830U);
}

/* An absolute deadline has the date nearest to now, even across midnight. */
static void absolute_delta(struct kunit *test)
{
	static const struct {
		u32 deadline, now;	/* ms of day */
		s32 want;
	} cases[] = {
		{ 1000, 1000, 0 },
		{ 1001, 1000, 1 },
		{ 999, 1000, -1 },
		{ 1, 86399999, 2 },
		{ 86399999, 0, -1 },
		{ 86399999, 1, -2 },
		{ 1, 86400000, 1 },
		{ 43200000, 0, 43200000 },
		{ 43200001, 0, -43199999 },
		{ 43200001, 1, 43200000 },
		{ 43200000, 1, 43199999 },
		{ 1, 43200001, 43200000 },
		{ 1, 43200002, 43199999 },
		{ 1, 43200000, -43199999 },
		{ 86399999, 43199999, 43200000 },
		{ 86399999, 43199998, -43199999 },
		{ 1, 0xffffffff, 25032706 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 lifetime = 65535 + cases[i].deadline;

		KUNIT_EXPECT_EQ_MSG(test,
				    xlo_absolute_delta_ms(lifetime,
							  cases[i].now),
				    cases[i].want, "deadline %u now %u",
				    cases[i].deadline, cases[i].now);
	}
}

/* Marsaglia's xorshift32, which gives the same numbers in the kernel and in user space. */
static u32 codec_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static u32 codec_below(u32 *state, u32 limit)
{
	return codec_random(state) % limit;
}

/* Chooses one of @values, or sometimes any number below @limit. */
static u32 codec_pick(u32 *state, const u32 *values, u32 count, u32 limit)
{
	u32 i = codec_below(state, count + 1);

	return i < count ? values[i] : codec_below(state, limit);
}

static u32 codec_random_lifetime(u32 *state)
{
	static const u32 edges[] = {
		0, 1, 255, 256, 65534, 65535, 65536, 86465534,
	};

	if (codec_random(state) & 1)
		return codec_below(state, XLO_LIFETIME_NONE);
	return codec_pick(state, edges, ARRAY_SIZE(edges), XLO_LIFETIME_MAX);
}

static struct xlo codec_random_option(u32 *state)
{
	return (struct xlo){
		.reorder = codec_random(state),
		.flags = codec_random(state) & XLO_FLAGS_ALL,
		.lifetime = codec_random_lifetime(state),
	};
}

static u32 codec_start(struct kunit *test)
{
	if (!seed)
		seed = get_random_u32() | 1;
	kunit_info(test, "seed=%u", seed);
	return seed;
}

/* Fills @len bytes with random options, none of which is a cross-layer option. */
static void codec_fill(const struct codec_family *family, u32 *state, u8 *at,
		       u32 len)
{
	while (len) {
		u32 size = 1 + codec_below(state, len);
		u32 i;

		if (size == 1) {
			at[0] = family->pad;
		} else {
			at[0] = 64 + codec_below(state, 64);
			at[1] = size - family->base;
		}
		for (i = 2; i < size; i++)
			at[i] = codec_random(state);
		at += size;
		len -= size;
	}
}

/* Makes a header with @opt at a random position among random options. Sets @at to the offset of the
 * option, and returns the header's length.
 */
static u32 codec_random_header(struct kunit *test,
			       const struct codec_family *family, u32 *state,
			       u8 *hdr, const struct xlo *opt, u32 *at)
{
	u32 step = codec_is_ipv6(family) ? 8 : 4;
	u32 room = family->options_max - XLO_LEN;
	u32 spare = room - codec_below(state, room / step + 1) * step;
	u32 before = codec_below(state, spare + 1);
	u8 *options = hdr + family->options_at;

	codec_fill(family, state, options, before);
	codec_put(test, family, options + before, opt);
	codec_fill(family, state, options + before + XLO_LEN, spare - before);
	*at = family->options_at + before;
	return codec_frame(family, hdr, spare + XLO_LEN);
}

/* An option is found at any position at which it was written. */
static void codec_try_round_trip(struct kunit *test,
				 const struct codec_family *family)
{
	u32 max = family->options_at + family->options_max;
	u8 hdr[XLO_IPV6_HLEN + 64];
	u8 *end = codec_alloc(test, max) + max;
	u32 state = codec_start(test);
	u32 round, len, at;

	for (round = 0; round < CODEC_ROUNDS; round++) {
		struct xlo opt = codec_random_option(&state);

		len = codec_random_header(test, family, &state, hdr, &opt, &at);
		memcpy(end - len, hdr, len);
		codec_expect_found(test, family, end - len, len, at, &opt);
	}
}

static void ipv4_round_trip(struct kunit *test)
{
	codec_try_round_trip(test, &codec_ipv4);
}

static void ipv6_round_trip(struct kunit *test)
{
	codec_try_round_trip(test, &codec_ipv6);
}

/* Computes an IPv4 header's checksum over the whole header (RFC 791). */
static u16 codec_checksum(const u8 *hdr, u32 len)
{
	u32 sum = 0;
	u32 i;

	for (i = 0; i < len; i += 2)
		if (i != XLO_IPV4_CHECK)
			sum += hdr[i] << 8 | hdr[i + 1];
	while (sum > 0xffff)
		sum = sum % 0x10000 + sum / 0x10000;
	return 0xffff - sum;
}

static u16 codec_get16(const u8 *at)
{
	return at[0] << 8 | at[1];
}

static void codec_put16(u8 *at, u16 value)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

/* Sets the identification so that the checksum becomes @want. The checksum cannot be 0xffff,
 * because the version makes the sum of every header different from 0.
 */
static void codec_aim_checksum(u8 *hdr, u32 len, u16 want)
{
	u32 sum;

	codec_put16(hdr + 4, 0);
	sum = 0xffff - codec_checksum(hdr, len);
	codec_put16(hdr + 4, (0xffff - want + 0xffff - sum) % 0xffff);
}

/* Makes a random header for a test that changes its lifetime to @lifetime. In some headers, the
 * checksum before or after the change of the lifetime is an edge value. The old and the new
 * checksum are computed over the whole header.
 */
static u32 codec_header_to_rewrite(struct kunit *test, u32 *state, u8 *hdr,
				   u32 *at, u32 lifetime, u16 *after)
{
	static const u32 edges[] = { 0, 1, 0x7fff, 0x8000, 0xff00, 0xfffe };
	struct xlo opt = codec_random_option(state);
	u8 copy[60];
	u8 *aimed = codec_random(state) & 1 ? hdr : copy;
	u32 len, i;

	len = codec_random_header(test, &codec_ipv4, state, hdr, &opt, at);
	for (i = 1; i < XLO_IPV4_HLEN; i++)
		hdr[i] = codec_random(state);
	memcpy(copy, hdr, len);
	opt.lifetime = lifetime;
	codec_put(test, &codec_ipv4, copy + *at, &opt);
	codec_aim_checksum(aimed, len, codec_pick(state, edges,
						  ARRAY_SIZE(edges), 0xffff));
	codec_put16(hdr + 4, codec_get16(aimed + 4));
	codec_put16(copy + 4, codec_get16(aimed + 4));
	codec_put16(hdr + XLO_IPV4_CHECK, codec_checksum(hdr, len));
	*after = codec_checksum(copy, len);
	return len;
}

/* Rewriting the lifetime gives the same checksum as a sum over the whole header. Only the lifetime
 * and the checksum change.
 */
static void ipv4_rewrite(struct kunit *test)
{
	u8 *end = codec_alloc(test, 60) + 60;
	u32 state = codec_start(test);
	u8 hdr[60];
	u32 round;

	for (round = 0; round < CODEC_ROUNDS; round++) {
		u32 lifetime = codec_random_lifetime(&state);
		struct xlo_ref ref;
		struct xlo opt;
		u32 len, at;
		u16 after;

		len = codec_header_to_rewrite(test, &state, hdr, &at, lifetime,
					      &after);
		memcpy(end - len, hdr, len);
		KUNIT_ASSERT_EQ(test, xlo_find4(end - len, len, &ref, &opt), 1);
		xlo_set_lifetime4(end - len, &ref, lifetime);

		opt.lifetime = lifetime;
		codec_put(test, &codec_ipv4, hdr + at, &opt);
		codec_put16(hdr + XLO_IPV4_CHECK, after);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(end - len, hdr, len), 0,
				    "round %u: check %04x, from scratch %04x",
				    round, codec_get16(end - len + 10), after);
	}
}

/* Rewriting the lifetime does not correct a wrong checksum. A sender may write a correct checksum
 * as 0xffff instead of 0, because 0xffff is 0 modulo 0xffff. A checksum of 0xffff stays correct
 * when the lifetime is rewritten.
 */
static void ipv4_rewrite_damaged(struct kunit *test)
{
	static const u32 zeros[] = { 0, 0xffff };
	u32 state = codec_start(test);
	u32 round;

	for (round = 0; round < CODEC_ROUNDS; round++) {
		u32 damaged = codec_pick(&state, zeros, 2, 0x10000);
		u32 lifetime = codec_random_lifetime(&state);
		u32 len, at, right, got;
		struct xlo_ref ref;
		struct xlo opt;
		u8 hdr[60];
		u16 after;

		len = codec_header_to_rewrite(test, &state, hdr, &at, lifetime,
					      &after);
		right = codec_get16(hdr + XLO_IPV4_CHECK);
		codec_put16(hdr + XLO_IPV4_CHECK, damaged);
		KUNIT_ASSERT_EQ(test, xlo_find4(hdr, len, &ref, &opt), 1);
		xlo_set_lifetime4(hdr, &ref, lifetime);
		got = codec_get16(hdr + XLO_IPV4_CHECK);
		KUNIT_ASSERT_EQ_MSG(test, got % 0xffff,
				    (after + damaged + 0xffff - right) % 0xffff,
				    "round %u", round);
		KUNIT_ASSERT_NE_MSG(test, got, 0xffffU, "round %u", round);
	}
}

/* Rewriting the lifetime in IPv6 changes only the bytes of the lifetime. */
static void ipv6_rewrite(struct kunit *test)
{
	u32 state = codec_start(test);
	u32 round;

	for (round = 0; round < CODEC_ROUNDS; round++) {
		struct xlo opt = codec_random_option(&state);
		u32 lifetime = codec_below(&state, XLO_LIFETIME_NONE);
		u8 hdr[XLO_IPV6_HLEN + 64], before[sizeof(hdr)];
		struct xlo_ref ref;
		u32 len, at;

		opt.lifetime = codec_below(&state, XLO_LIFETIME_NONE);
		len = codec_random_header(test, &codec_ipv6, &state, hdr, &opt,
					  &at);
		memcpy(before, hdr, len);
		KUNIT_ASSERT_EQ(test, xlo_find6(hdr, len, &ref, &opt), 1);
		xlo_set_lifetime6(hdr, &ref, lifetime);
		codec_put16(before + at + 4, 0);
		codec_put16(before + at + 6, lifetime);
		KUNIT_ASSERT_EQ(test, memcmp(hdr, before, len), 0);
	}
}

static void codec_try_replace(struct kunit *test, u16 other, u16 from, u16 to)
{
	u8 words[4];
	u16 check;

	codec_put16(words, other);
	codec_put16(words + 2, from);
	check = xlo_csum_replace(codec_checksum(words, 4), from, to);
	codec_put16(words + 2, to);
	KUNIT_EXPECT_EQ_MSG(test, check, codec_checksum(words, 4),
			    "beside %04x, %04x to %04x", other, from, to);
}

/* Tests the example of RFC 1624 section 4, and values around both zeros. Each result is equal to a
 * sum over two words. The unchanged word of the sum is not 0.
 */
static void checksum_replace(struct kunit *test)
{
	static const u16 edges[] = { 0, 1, 2, 0x7fff, 0x8000, 0xfffe, 0xffff };
	u32 other, from, to;

	KUNIT_EXPECT_EQ(test, xlo_csum_replace(0xdd2f, 0x5555, 0x3285), 0);
	for (other = 1; other < ARRAY_SIZE(edges); other++)
		for (from = 0; from < ARRAY_SIZE(edges); from++)
			for (to = 0; to < ARRAY_SIZE(edges); to++)
				codec_try_replace(test, edges[other],
						  edges[from], edges[to]);
}

/* A deadline up to 12 h away is decoded to the same time that was encoded, except midnight. */
static void absolute_round_trip(struct kunit *test)
{
	u32 state = codec_start(test);
	u32 round;

	for (round = 0; round < CODEC_ROUNDS; round++) {
		u32 now = codec_below(&state, XLO_DAY_MS);
		s32 delta = codec_below(&state, XLO_DAY_MS) - 43199999;
		u32 deadline = (now + XLO_DAY_MS + delta) % XLO_DAY_MS;

		if (!deadline)
			continue;
		KUNIT_ASSERT_EQ_MSG(test,
				    xlo_absolute_delta_ms(xlo_encode_absolute(deadline),
							  now),
				    delta, "now %u", now);
	}
}

static struct kunit_case codec_cases[] = {
	KUNIT_CASE_PARAM(ipv4_vector, codec_vectors4_gen_params),
	KUNIT_CASE_PARAM(ipv6_vector, codec_vectors6_gen_params),
	KUNIT_CASE(ipv4_header),
	KUNIT_CASE(ipv6_header),
	KUNIT_CASE(ipv6_hdrlen),
	KUNIT_CASE(ipv4_every_offset),
	KUNIT_CASE(ipv6_every_offset),
	KUNIT_CASE(ipv6_longest_header),
	KUNIT_CASE(ipv4_write),
	KUNIT_CASE(ipv6_write),
	KUNIT_CASE(lifetime_kinds),
	KUNIT_CASE(stale_treatment),
	KUNIT_CASE(encode_absolute),
	KUNIT_CASE(absolute_delta),
	KUNIT_CASE(ipv4_round_trip),
	KUNIT_CASE(ipv6_round_trip),
	KUNIT_CASE(ipv4_rewrite),
	KUNIT_CASE(ipv4_rewrite_damaged),
	KUNIT_CASE(ipv6_rewrite),
	KUNIT_CASE(checksum_replace),
	KUNIT_CASE(absolute_round_trip),
	{}
};

static struct kunit_suite codec_suite = {
	.name = "xlo_codec",
	.test_cases = codec_cases,
};

kunit_test_suite(codec_suite);

MODULE_DESCRIPTION("KUnit tests of the cross-layer option's codec");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
