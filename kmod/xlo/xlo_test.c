// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of xlo's computations. The tests check the place of the option in a header, the
 * header with the option, and the lifetime in the option. The tests also check that all other
 * bytes, offsets and checksums of the packet are still correct.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <net/fl_time.h>
#include <net/xlo_skb.h>
#include "lifetime.h"
/* the tests include this file, because the module does not export the functions under test */
#include "insert.c"

#define XLO_TEST_ROUNDS		20000	/* of each property test */
#define XLO_TEST_PACKETS	3000	/* of each test with packets */
#define XLO_TEST_HEADER_MAX	(XLO_IPV6_HLEN + XLO_IPV6_HBH_MAX)
#define XLO_TEST_CANARY		16	/* bytes after a header */
#define XLO_TEST_FILL		0xa5
#define XLO_TEST_TOT_LEN	2	/* offset of IPv4's total length */
#define XLO_TEST_PAYLOAD_LEN	4	/* offset of IPv6's payload length */
#define XLO_TEST_DAY_NS		((u64)XLO_DAY_MS * NSEC_PER_MSEC)

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the property tests, 0 (default) for a new one");

/**
 * struct xlo_test - a header without the option, and the same header with the option
 * @rnd: state of the random number generator
 * @old: the header without the option
 * @new: the header with the option, and some bytes after the header
 * @start: start of the options in @old
 * @end: end of the options in @old
 * @last: end of the last option that is not padding
 * @count: number of options that are not padding
 * @jumbo: whether @old has the jumbo payload option
 * @opt: the option to write
 * @place: place of the new option
 */
struct xlo_test {
	struct rnd_state rnd;
	u8 old[XLO_TEST_HEADER_MAX];
	u8 new[XLO_TEST_HEADER_MAX + XLO_TEST_CANARY];
	u32 start;
	u32 end;
	u32 last;
	int count;
	bool jumbo;
	struct xlo opt;
	struct xlo_place place;
};

static struct xlo_test *xlo_test_begin(struct kunit *test)
{
	struct xlo_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	if (!seed)
		seed = get_random_u32() | 1;
	kunit_info(test, "seed=%u", seed);
	prandom_seed_state(&t->rnd, seed);
	return t;
}

static u32 xlo_test_below(struct xlo_test *t, u32 limit)
{
	return prandom_u32_state(&t->rnd) % limit;
}

static void xlo_test_random_bytes(struct xlo_test *t, u8 *at, u32 len)
{
	prandom_bytes_state(&t->rnd, at, len);
}

static void xlo_test_random_option(struct xlo_test *t)
{
	static const u32 edges[] = { 0, 1, XLO_RELATIVE_MAX, XLO_LIFETIME_NONE,
				     XLO_LIFETIME_NONE + 1, XLO_LIFETIME_MAX };
	u32 i = xlo_test_below(t, 2 * ARRAY_SIZE(edges));

	t->opt.reorder = xlo_test_below(t, 256);
	t->opt.flags = xlo_test_below(t, XLO_FLAGS_ALL + 1);
	t->opt.lifetime = i < ARRAY_SIZE(edges) ? edges[i] :
			  xlo_test_below(t, XLO_LIFETIME_MAX + 1);
}

/* Writes an option at @off. The option is not padding and not the cross-layer option. Returns the
 * end of the option.
 */
static u32 xlo_test_other(struct xlo_test *t, u32 off, u32 size, bool ipv6)
{
	u8 *at = t->old + off;

	xlo_test_random_bytes(t, at, size);
	while (at[0] <= 1 || xlo_type_matches(at[0], ipv6) ||
	       (ipv6 && at[0] == XLO_IPV6_JUMBO))
		at[0] = xlo_test_below(t, 256);
	at[1] = ipv6 ? size - 2 : size;
	t->last = off + size;
	t->count++;
	return off + size;
}

/* Writes random options up to @t->end: no-operations, other options, and sometimes an end of
 * options list with random bytes after it.
 */
static void xlo_test_fill4(struct xlo_test *t)
{
	u32 off = t->start, left;

	while ((left = t->end - off)) {
		u32 kind = xlo_test_below(t, 8);

		if (!kind) {
			xlo_test_random_bytes(t, t->old + off, left);
			t->old[off] = XLO_IPV4_EOL;
			return;
		}
		if (kind < 3 || left < 2)
			t->old[off++] = XLO_IPV4_NOP;
		else
			off = xlo_test_other(t, off, 2 + xlo_test_below(t, left - 1),
					     false);
	}
}

static void xlo_test_random4(struct xlo_test *t)
{
	u32 size = xlo_test_below(t, 11) * 4;

	t->start = XLO_IPV4_HLEN;
	t->end = t->start + size;
	t->last = t->start;
	t->count = 0;
	xlo_test_random_bytes(t, t->old, t->start);
	t->old[0] = 0x40 | t->end / 4;
	t->old[XLO_TEST_TOT_LEN] &= 0x7f;
	xlo_test_fill4(t);
}

/* Writes @size bytes of padding at @off, a random mix of Pad1 and PadN. Returns the end. */
static u32 xlo_test_padding(struct xlo_test *t, u32 off, u32 size)
{
	while (size) {
		u32 piece = 1 + xlo_test_below(t, size);

		memset(t->old + off, 0, piece);
		if (piece > 1) {
			t->old[off] = XLO_IPV6_PADN;
			t->old[off + 1] = piece - 2;
		}
		off += piece;
		size -= piece;
	}
	return off;
}

/* Writes random hop-by-hop options with at most 7 consecutive bytes of padding. Sometimes writes
 * the jumbo payload option after these options. Returns the end of all options.
 */
static u32 xlo_test_fill6(struct xlo_test *t)
{
	u32 longest = xlo_test_below(t, 4) ? 20 : 256;
	u32 count = xlo_test_below(t, 11);
	u32 off = t->start;

	for (; count && off < XLO_IPV6_HBH_MAX - 512; count--) {
		off = xlo_test_padding(t, off, xlo_test_below(t, 8));
		off = xlo_test_other(t, off, 2 + xlo_test_below(t, longest),
				     true);
	}
	t->jumbo = !xlo_test_below(t, 30);
	if (t->jumbo) {
		t->old[off] = XLO_IPV6_JUMBO;
		t->old[off + 1] = 4;
		off += 6;
	}
	return off;
}

/* Makes an IPv6 header, with or without a hop-by-hop header. The hop-by-hop header may end in
 * more padding than a receiver accepts.
 */
static void xlo_test_random6(struct xlo_test *t)
{
	u32 off;

	t->count = 0;
	t->jumbo = false;
	t->start = XLO_IPV6_HLEN + 2;
	t->end = XLO_IPV6_HLEN;
	t->last = t->start;
	xlo_test_random_bytes(t, t->old, XLO_IPV6_HLEN);
	t->old[0] = 0x60 | (t->old[0] & 0x0f);
	t->old[XLO_TEST_PAYLOAD_LEN] &= 0x7f;
	t->old[XLO_IPV6_NEXTHDR] |= 1;
	if (!xlo_test_below(t, 5))
		return;
	t->old[XLO_IPV6_NEXTHDR] = XLO_IPV6_HOPOPTS;
	t->old[XLO_IPV6_HLEN] = xlo_test_below(t, 256);
	off = xlo_test_fill6(t);
	t->end = ALIGN(off, 8) + (xlo_test_below(t, 10) ? 0 : 8);
	xlo_test_padding(t, off, t->end - off);
	t->old[XLO_IPV6_HLEN + 1] = (t->end - XLO_IPV6_HLEN) / 8 - 1;
}

static u32 xlo_test_be16(const u8 *at)
{
	return at[0] << 8 | at[1];
}

/* Writes the option in the same way as xlo_insert(). The bytes before the option are already at
 * their final position, and all other bytes may have any value.
 */
static void xlo_test_write(struct xlo_test *t, bool ipv6)
{
	memset(t->new, XLO_TEST_FILL, sizeof(t->new));
	memcpy(t->new, t->old, t->place.keep);
	if (ipv6)
		xlo_place_write6(t->new, &t->place, &t->opt);
	else
		xlo_place_write4(t->new, &t->place, &t->opt);
}

/* Expects the written option at its place, with the written fields. Expects that the bytes after
 * the header have not changed.
 */
static void xlo_test_expect_found(struct kunit *test, const struct xlo_test *t,
				  bool ipv6)
{
	struct xlo_ref ref = {};
	struct xlo opt = {};

	KUNIT_ASSERT_EQ(test, ipv6 ?
			xlo_find6(t->new, t->place.end, &ref, &opt) :
			xlo_find4(t->new, t->place.end, &ref, &opt),
			(int)XLO_FOUND);
	KUNIT_ASSERT_EQ(test, ref.off, t->place.at);
	KUNIT_ASSERT_EQ(test, opt.reorder, t->opt.reorder);
	KUNIT_ASSERT_EQ(test, opt.flags, t->opt.flags);
	KUNIT_ASSERT_EQ(test, opt.lifetime, t->opt.lifetime);
	KUNIT_ASSERT_TRUE(test, !memchr_inv(t->new + t->place.end, XLO_TEST_FILL,
					    XLO_TEST_CANARY));
}

/* Expects the place at the first aligned offset after the last other option. Expects that the
 * header has grown as little as possible.
 */
static void xlo_test_expect_place(struct kunit *test, const struct xlo_test *t,
				  u32 align, u32 end)
{
	KUNIT_ASSERT_EQ(test, (u32)t->place.at, (u32)ALIGN(t->last, align));
	KUNIT_ASSERT_EQ(test, (u32)t->place.end, end);
	KUNIT_ASSERT_EQ(test, (u32)t->place.grow, end - t->end);
}

/* Expects changes only in the version, in the lengths and at the end of the options. */
static void xlo_test_expect4(struct kunit *test, const struct xlo_test *t)
{
	const u8 *old = t->old, *new = t->new;
	u32 tail = t->place.at + XLO_LEN;

	KUNIT_ASSERT_EQ(test, new[0], 0x40 | t->place.end / 4);
	KUNIT_ASSERT_EQ(test, new[1], old[1]);
	KUNIT_ASSERT_EQ(test, xlo_test_be16(new + XLO_TEST_TOT_LEN),
			xlo_test_be16(old + XLO_TEST_TOT_LEN) + t->place.grow);
	KUNIT_ASSERT_EQ(test, memcmp(new + 4, old + 4, t->last - 4), 0);
	KUNIT_ASSERT_TRUE(test, !memchr_inv(new + tail, XLO_IPV4_EOL,
					    t->place.end - tail));
}

/* Other options have any size and alignment. A place is found if and only if all options fit into
 * 60 bytes.
 */
static void xlo_test_place4(struct kunit *test)
{
	struct xlo_test *t = xlo_test_begin(test);
	u32 full = 0;
	int i;

	for (i = 0; i < XLO_TEST_ROUNDS; i++) {
		enum xlo_placed placed;
		u32 end;

		xlo_test_random4(t);
		xlo_test_random_option(t);
		end = max_t(u32, t->end, ALIGN(t->last + XLO_LEN, 4));
		placed = xlo_place4(t->old, &t->place);
		KUNIT_ASSERT_EQ(test, (int)placed, (int)(end > 60 ?
				XLO_PLACE_FULL : XLO_PLACE_OK));
		full += placed == XLO_PLACE_FULL;
		if (placed == XLO_PLACE_FULL)
			continue;
		xlo_test_expect_place(test, t, 1, end);
		xlo_test_write(t, false);
		xlo_test_expect_found(test, t, false);
		xlo_test_expect4(test, t);
	}
	KUNIT_EXPECT_GT(test, full, XLO_TEST_ROUNDS / 100U);
}

/* Counts the options that are not padding. Expects at most 7 consecutive bytes of padding, with the
 * value 0.
 */
static int xlo_test_walk6(struct kunit *test, const u8 *hdr, u32 end)
{
	u32 off, size, padding = 0;
	int count = 0;

	for (off = XLO_IPV6_HLEN + 2; off < end; off += size) {
		size = xlo_option_size(hdr, off, end, true);
		KUNIT_ASSERT_NE(test, size, 0U);
		padding += size;
		if (hdr[off] != XLO_IPV6_PAD1 && hdr[off] != XLO_IPV6_PADN) {
			padding = 0;
			count++;
		} else if (size > 2) {
			KUNIT_ASSERT_TRUE(test, !memchr_inv(hdr + off + 2, 0,
							    size - 2));
		}
		KUNIT_ASSERT_LE(test, padding, 7U);
	}
	return count;
}

static void xlo_test_expect6(struct kunit *test, const struct xlo_test *t)
{
	const u8 *old = t->old, *new = t->new;
	bool had = old[XLO_IPV6_NEXTHDR] == XLO_IPV6_HOPOPTS;

	KUNIT_ASSERT_EQ(test, memcmp(new, old, XLO_TEST_PAYLOAD_LEN), 0);
	KUNIT_ASSERT_EQ(test, xlo_test_be16(new + XLO_TEST_PAYLOAD_LEN),
			xlo_test_be16(old + XLO_TEST_PAYLOAD_LEN) +
			t->place.grow);
	KUNIT_ASSERT_EQ(test, new[XLO_IPV6_NEXTHDR], XLO_IPV6_HOPOPTS);
	KUNIT_ASSERT_EQ(test, memcmp(new + 7, old + 7, XLO_IPV6_HLEN - 7), 0);
	KUNIT_ASSERT_EQ(test, new[XLO_IPV6_HLEN],
			old[had ? XLO_IPV6_HLEN : XLO_IPV6_NEXTHDR]);
	KUNIT_ASSERT_EQ(test, (new[XLO_IPV6_HLEN + 1] + 1) * 8,
			t->place.end - XLO_IPV6_HLEN);
	KUNIT_ASSERT_EQ(test, memcmp(new + t->start, old + t->start,
				     t->last - t->start), 0);
	KUNIT_ASSERT_EQ(test, xlo_test_walk6(test, new, t->place.end),
			t->count + 1);
}

/* Returns the expected result. No place is found in a jumbogram or in a header with as many options
 * as receivers accept. No place is found in a header whose final padding is longer than the option.
 */
static enum xlo_placed xlo_test_wanted6(const struct xlo_test *t, u32 end)
{
	if (t->jumbo)
		return XLO_PLACE_JUMBO;
	return t->count >= XLO_PLACE_HBH_OPTIONS || end < t->end ?
	       XLO_PLACE_FULL : XLO_PLACE_OK;
}

/* The option has the alignment that <linux/xlo.h> describes, and the header's length is a multiple
 * of 8. Some packets have a hop-by-hop header before the test, and other packets have no hop-by-hop
 * header.
 */
static void xlo_test_place6(struct kunit *test)
{
	struct xlo_test *t = xlo_test_begin(test);
	u32 met[XLO_PLACE_JUMBO + 1] = { 0 };
	int i;

	for (i = 0; i < XLO_TEST_ROUNDS; i++) {
		enum xlo_placed placed;
		u32 end;

		xlo_test_random6(t);
		xlo_test_random_option(t);
		end = ALIGN(ALIGN(t->last, 4) + XLO_LEN, 8);
		placed = xlo_place6(t->old, &t->place);
		KUNIT_ASSERT_EQ(test, (int)placed, (int)xlo_test_wanted6(t, end));
		met[placed]++;
		if (placed != XLO_PLACE_OK)
			continue;
		xlo_test_expect_place(test, t, 4, end);
		xlo_test_write(t, true);
		xlo_test_expect_found(test, t, true);
		xlo_test_expect6(test, t);
	}
	for (i = 0; i < ARRAY_SIZE(met); i++)
		KUNIT_EXPECT_GT(test, met[i], XLO_TEST_ROUNDS / 100U);
}

#define XLO_TEST_OPTION4	158, 8, 3, 4, 0, 0, 1, 44
#define XLO_TEST_OPTION6	0x3e, 6, 3, 4, 0, 0, 1, 44

/**
 * struct xlo_test_vector - options before and after the cross-layer option is added
 * @old: options before the change
 * @new: options after the change
 * @old_len: number of used bytes in @old
 * @new_len: number of used bytes in @new, 0 if the header has no space
 */
struct xlo_test_vector {
	u8 old[48];
	u8 new[48];
	u32 old_len;
	u32 new_len;
};

static const struct xlo_test_vector xlo_test_vectors4[] = {
	{ .new = { XLO_TEST_OPTION4 }, .new_len = 8 },
	{ { 1, 1, 1, 1 }, { XLO_TEST_OPTION4 }, 4, 8 },
	{ { 0, 0, 0, 0 }, { XLO_TEST_OPTION4 }, 4, 8 },
	{ { 1, 1, 1, 1, 1, 1, 1, 1 }, { XLO_TEST_OPTION4 }, 8, 8 },
	{ { 1, 1, 1, 1, 0, 9, 9, 9, 9, 9, 9, 9 }, { XLO_TEST_OPTION4 }, 12, 12 },
	{ { 148, 4, 0, 0 }, { 148, 4, 0, 0, XLO_TEST_OPTION4 }, 4, 12 },
	{ { 7, 7, 4, 9, 9, 9, 9, 0 },
	  { 7, 7, 4, 9, 9, 9, 9, XLO_TEST_OPTION4, 0 }, 8, 16 },
	{ { 1, 148, 4, 0, 0, 1, 1, 1 },
	  { 1, 148, 4, 0, 0, XLO_TEST_OPTION4, 0, 0, 0 }, 8, 16 },
	{ { 148, 4, 0, 0, 0, 158, 8, 3 }, { 148, 4, 0, 0, XLO_TEST_OPTION4 },
	  8, 12 },
	{ { 94, 32 }, { 94, 32, [32] = XLO_TEST_OPTION4 }, 32, 40 },
	{ { 94, 33 }, { }, 36, 0 },
	{ { 94, 40 }, { }, 40, 0 },
	{ { [37] = 94, [38] = 3 }, { XLO_TEST_OPTION4, [37] = 0 }, 40, 40 },
	{ { [0 ... 36] = 1, [37] = 94, [38] = 3 }, { }, 40, 0 },
};

static const struct xlo_test_vector xlo_test_vectors6[] = {
	{ .new = { 17, 1, 1, 0, XLO_TEST_OPTION6, 1, 2, 0, 0 }, .new_len = 16 },
	{ { 17, 0, 1, 4 }, { 17, 1, 1, 0, XLO_TEST_OPTION6, 1, 2, 0, 0 }, 8, 16 },
	{ { 17, 0 }, { 17, 1, 1, 0, XLO_TEST_OPTION6, 1, 2, 0, 0 }, 8, 16 },
	{ { 17, 1, 1, 6, [10] = 1, 4 },
	  { 17, 1, 1, 0, XLO_TEST_OPTION6, 1, 2, 0, 0 }, 16, 16 },
	{ { 17, 0, 5, 2, 0, 0, 1, 0 },
	  { 17, 1, 5, 2, 0, 0, 1, 0, XLO_TEST_OPTION6 }, 8, 16 },
	{ { 17, 0, 1, 0, 5, 2, 0, 0 },
	  { 17, 1, 1, 0, 5, 2, 0, 0, XLO_TEST_OPTION6 }, 8, 16 },
	{ { 17, 0, 31, 3, 9, 9, 9, 0 },
	  { 17, 1, 31, 3, 9, 9, 9, 0, XLO_TEST_OPTION6 }, 8, 16 },
	{ { 17, 1, 31, 5, 9, 9, 9, 9, 9, 1, 5 },
	  { 17, 2, 31, 5, 9, 9, 9, 9, 9, 1, 1, 0, XLO_TEST_OPTION6, 1, 2, 0, 0 },
	  16, 24 },
	{ { 17, 1, 31, 8, 9, 9, 9, 9, 9, 9, 9, 9, 1, 2 },
	  { 17, 2, 31, 8, 9, 9, 9, 9, 9, 9, 9, 9, XLO_TEST_OPTION6, 1, 2, 0, 0 },
	  16, 24 },
	{ { 17, 2, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 1, 6 },
	  { 17, 2, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0,
	    XLO_TEST_OPTION6 }, 24, 24 },
	{ { 17, 2, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 31, 0, 1, 4 },
	  { }, 24, 0 },
	{ { 17, 0, 0xc2, 4, 0, 1, 0, 0 }, { }, 8, 0 },
};

/* Builds the header of a vector. Returns whether the header has space for the option. */
static bool xlo_test_vector(struct xlo_test *t,
			    const struct xlo_test_vector *vector, bool ipv6)
{
	memset(t->old, 0, sizeof(t->old));
	t->start = ipv6 ? XLO_IPV6_HLEN : XLO_IPV4_HLEN;
	t->end = t->start + vector->old_len;
	t->opt = (struct xlo){ 3, 4, 300 };
	if (ipv6) {
		t->old[0] = 0x60;
		t->old[XLO_IPV6_NEXTHDR] = vector->old_len ? XLO_IPV6_HOPOPTS : 17;
	} else {
		t->old[0] = 0x40 | t->end / 4;
	}
	memcpy(t->old + t->start, vector->old, vector->old_len);
	return vector->new_len;
}

/* Adding the option gives the expected bytes for each vector. */
static void xlo_test_try_vectors(struct kunit *test,
				 const struct xlo_test_vector *vectors, int n,
				 bool ipv6)
{
	struct xlo_test *t = xlo_test_begin(test);
	int i;

	for (i = 0; i < n; i++) {
		const struct xlo_test_vector *v = &vectors[i];
		bool room = xlo_test_vector(t, v, ipv6);
		enum xlo_placed placed = ipv6 ? xlo_place6(t->old, &t->place) :
						xlo_place4(t->old, &t->place);

		KUNIT_EXPECT_EQ_MSG(test, placed == XLO_PLACE_OK, room,
				    "vector %d", i);
		if (placed != XLO_PLACE_OK || !room)
			continue;
		xlo_test_write(t, ipv6);
		KUNIT_EXPECT_EQ_MSG(test, t->place.end - t->start, v->new_len,
				    "vector %d", i);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(t->new + t->start, v->new,
						 v->new_len), 0,
				    "vector %d: %*ph", i, (int)v->new_len,
				    t->new + t->start);
	}
}

static void xlo_test_examples4(struct kunit *test)
{
	xlo_test_try_vectors(test, xlo_test_vectors4,
			     ARRAY_SIZE(xlo_test_vectors4), false);
}

static void xlo_test_examples6(struct kunit *test)
{
	xlo_test_try_vectors(test, xlo_test_vectors6,
			     ARRAY_SIZE(xlo_test_vectors6), true);
}

/* The remaining time is rounded to the nearest ms, half a ms up. The remaining time is 0 for a past
 * deadline.
 */
static void xlo_test_ms_left(struct kunit *test)
{
	const s64 now = 1700000000LL * NSEC_PER_SEC;
	static const struct {
		s64 ns;
		u64 ms;
	} cases[] = {
		{ -1, 0 }, { 0, 0 }, { 1, 0 }, { 499999, 0 }, { 500000, 1 },
		{ 1499999, 1 }, { 1500000, 2 }, { 65534499999LL, 65534 },
		{ 65534500000LL, 65535 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, fl_ms_left(now + cases[i].ns, now),
				    cases[i].ms, "%lld ns", cases[i].ns);
	KUNIT_EXPECT_EQ(test, fl_ms_left(S64_MAX, 0), 9223372036855ULL);
	KUNIT_EXPECT_EQ(test, fl_ms_left(S64_MIN, now), 0ULL);
	KUNIT_EXPECT_EQ(test, fl_ms_left(S64_MIN + 1, 2), 0ULL);
	KUNIT_EXPECT_EQ(test, fl_ms_left(S64_MIN, S64_MAX), 0ULL);
	KUNIT_EXPECT_EQ(test, fl_ms_left(S64_MAX, S64_MIN), 18446744073710ULL);
}

/* The time of day is the number of whole ms since midnight, on any day. */
static void xlo_test_ms_of_day(struct kunit *test)
{
	static const u64 days[] = { 0, 1, 20000, 200000 };
	int i;

	for (i = 0; i < ARRAY_SIZE(days); i++) {
		u64 midnight = days[i] * XLO_TEST_DAY_NS;

		KUNIT_EXPECT_EQ(test, xlo_ms_of_day(midnight), 0U);
		KUNIT_EXPECT_EQ(test, xlo_ms_of_day(midnight + 999999), 0U);
		KUNIT_EXPECT_EQ(test, xlo_ms_of_day(midnight + 1000000), 1U);
		KUNIT_EXPECT_EQ(test, xlo_ms_of_day(midnight + XLO_TEST_DAY_NS -
						    1), XLO_DAY_MS - 1);
	}
}

/* A relative lifetime is written unchanged. A lifetime that is too long is written as the field's
 * maximum.
 */
static void xlo_test_encode_relative(struct kunit *test)
{
	static const struct {
		u64 ms;
		u32 field;
		bool clamped;
	} cases[] = {
		{ 0, 0, false }, { 1, 1, false }, { 65534, 65534, false },
		{ 65535, 65534, true }, { 43200000, 65534, true },
		{ U32_MAX + 1ULL, 65534, true }, { U64_MAX, 65534, true },
	};
	bool clamped;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		clamped = !cases[i].clamped;
		KUNIT_EXPECT_EQ_MSG(test, xlo_encode(cases[i].ms,
						     XLO_CLOCK_RELATIVE, 0,
						     &clamped),
				    cases[i].field, "%llu ms", cases[i].ms);
		KUNIT_EXPECT_EQ_MSG(test, clamped, cases[i].clamped, "%llu ms",
				    cases[i].ms);
	}
}

/* A deadline is written as a time of day, which may be on the next day. Midnight becomes the ms
 * before midnight. A deadline is at most 12 h away.
 */
static void xlo_test_encode_utc(struct kunit *test)
{
	static const struct {
		u32 now, sub;		/* ms since midnight, and more ns */
		u64 ms;
		u32 of_day;
		bool clamped;
	} cases[] = {
		{ 43200000, 0, 0, 43200000, false },
		{ 43200000, 999999, 250, 43200250, false },
		{ 0, 0, 0, 86399999, false },
		{ 0, 0, 1, 1, false },
		{ 86399990, 0, 9, 86399999, false },
		{ 86399990, 0, 10, 86399999, false },
		{ 86399990, 0, 11, 1, false },
		{ 86399999, 999999, 1, 86399999, false },
		{ 86399999, 999999, 2, 1, false },
		{ 0, 0, 43200000, 43200000, false },
		{ 0, 0, 43200001, 43200000, true },
		{ 43200001, 0, 43200000, 1, false },
		{ 43200000, 0, 43200000, 86399999, false },
		{ 43200000, 0, U64_MAX, 86399999, true },
		{ 50000000, 0, U32_MAX + 5ULL, 6800000, true },
	};
	bool clamped;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 utc = 20000 * XLO_TEST_DAY_NS + cases[i].sub +
			  (u64)cases[i].now * NSEC_PER_MSEC;

		clamped = !cases[i].clamped;
		KUNIT_EXPECT_EQ_MSG(test, xlo_encode(cases[i].ms, XLO_CLOCK_UTC,
						     utc, &clamped),
				    XLO_LIFETIME_NONE + cases[i].of_day,
				    "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, clamped, cases[i].clamped, "case %d",
				    i);
	}
}

/* A cap replaces "none" by a lifetime that the option's type allows, preferably a relative
 * lifetime.
 */
static void xlo_test_encode_cap(struct kunit *test)
{
	const u64 utc = 20000 * XLO_TEST_DAY_NS + 1000 * NSEC_PER_MSEC;
	static const struct {
		u8 type;
		u32 cap, field;
	} cases[] = {
		{ XLO_TYPE_IPV4, 1, 1 },
		{ XLO_TYPE_IPV4, 65534, 65534 },
		{ XLO_TYPE_IPV4, 65535, XLO_LIFETIME_NONE + 66535 },
		{ XLO_TYPE_IPV4, 43200000, XLO_LIFETIME_NONE + 43201000 },
		{ XLO_TYPE_IPV6_RELATIVE, 1, 1 },
		{ XLO_TYPE_IPV6_RELATIVE, 43200000, 65534 },
		{ XLO_TYPE_IPV6_ABSOLUTE, 1, XLO_LIFETIME_NONE + 1001 },
		{ XLO_TYPE_IPV6_ABSOLUTE, 43200000,
		  XLO_LIFETIME_NONE + 43201000 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 field = xlo_encode_cap(cases[i].type, cases[i].cap, utc);

		KUNIT_EXPECT_EQ_MSG(test, field, cases[i].field, "case %d", i);
		KUNIT_EXPECT_TRUE_MSG(test, xlo_lifetime_fits(cases[i].type,
							      field),
				      "case %d", i);
	}
}

/* A reader with the same clock reads the written deadline if it is at most 12 h ahead. Midnight is
 * read as the ms before midnight.
 */
static void xlo_test_encode_is_read_back(struct kunit *test)
{
	struct xlo_test *t = xlo_test_begin(test);
	int i;

	for (i = 0; i < XLO_TEST_ROUNDS; i++) {
		u32 now = xlo_test_below(t, XLO_DAY_MS);
		u32 ms = xlo_test_below(t, 4) ?
			 xlo_test_below(t, XLO_PROFILE_LIFETIME_MAX + 1) :
			 XLO_PROFILE_LIFETIME_MAX - xlo_test_below(t, 3);
		u64 utc = 20000 * XLO_TEST_DAY_NS + (u64)now * NSEC_PER_MSEC +
			  xlo_test_below(t, NSEC_PER_MSEC);
		bool clamped = true;
		u32 field;

		if (!xlo_test_below(t, 100))
			ms = min_t(u32, XLO_DAY_MS - now, ms);
		field = xlo_encode(ms, XLO_CLOCK_UTC, utc, &clamped);
		KUNIT_ASSERT_TRUE(test, xlo_is_absolute(field));
		KUNIT_ASSERT_EQ_MSG(test, xlo_absolute_delta_ms(field, now),
				    (s32)(ms - ((now + ms) % XLO_DAY_MS == 0)),
				    "%u ms at %u", ms, now);
		KUNIT_ASSERT_FALSE(test, clamped);
	}
}

/**
 * struct xlo_test_packet - a packet and a copy of its original bytes
 * @skb: the packet
 * @link: length of the link-layer header in bytes
 * @whole: original bytes of the link-layer header and the packet
 * @len: length of the packet without the link-layer header, in bytes
 * @header: length of the IP header with its options, in bytes
 */
struct xlo_test_packet {
	struct sk_buff *skb;
	u32 link;
	u8 whole[XLO_TEST_HEADER_MAX + 512];
	u32 len;
	u32 header;
};

/* Puts a part of the payload into a memory page, as many devices do on receipt. */
static void xlo_test_add_page(struct kunit *test, struct sk_buff *skb,
			      const u8 *data, u32 len)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), data, len);
	skb_add_rx_frag(skb, 0, page, 0, len, PAGE_SIZE);
}

/* Makes a packet from @t->old and a payload. A link-layer header and headroom are present at
 * random.
 */
static void xlo_test_make(struct kunit *test, struct xlo_test *t,
			  struct xlo_test_packet *p)
{
	u32 linear, headroom = xlo_test_below(t, 3) ? xlo_test_below(t, 80) : 0;
	struct sk_buff *skb;

	p->link = xlo_test_below(t, 3) * 9;	/* 0 for no link-layer header */
	p->header = t->end;
	p->len = p->header + 8 + xlo_test_below(t, 400);
	xlo_test_random_bytes(t, p->whole, p->link);
	memcpy(p->whole + p->link, t->old, p->header);
	xlo_test_random_bytes(t, p->whole + p->link + p->header,
			      p->len - p->header);
	linear = p->link + p->header + xlo_test_below(t, p->len - p->header + 1);
	skb = alloc_skb(headroom + linear, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	p->skb = skb;
	skb_reserve(skb, headroom);
	skb_put_data(skb, p->whole, linear);
	if (linear < p->link + p->len)
		xlo_test_add_page(test, skb, p->whole + linear,
				  p->link + p->len - linear);
	if (p->link)
		skb_reset_mac_header(skb);
	__skb_pull(skb, p->link);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, p->header);
}

static u16 xlo_test_sum(const struct sk_buff *skb)
{
	return (__force u16)csum_fold(skb_checksum(skb, 0, skb->len, 0));
}

/* Returns 0 if the checksum of the new IPv4 header is correct. */
static u16 xlo_test_header_sum(const struct xlo_test *t)
{
	return (__force u16)ip_fast_csum(t->new, t->place.end / 4);
}

/* Gives the checksum of the packet a random state. */
static void xlo_test_checksum(struct xlo_test *t, struct sk_buff *skb)
{
	static const u8 kinds[] = { CHECKSUM_NONE, CHECKSUM_UNNECESSARY,
				    CHECKSUM_COMPLETE, CHECKSUM_PARTIAL };

	skb->ip_summed = kinds[xlo_test_below(t, ARRAY_SIZE(kinds))];
	if (skb->ip_summed == CHECKSUM_COMPLETE) {
		skb->csum = skb_checksum(skb, 0, skb->len, 0);
	} else if (skb->ip_summed == CHECKSUM_PARTIAL) {
		skb->csum_start = skb_transport_header(skb) - skb->head;
		skb->csum_offset = 6;
	}
}

/* Expects that only the IP header has changed. The link-layer header and the payload are the same,
 * and their offsets are correct.
 */
static void xlo_test_expect_packet(struct kunit *test, const struct xlo_test *t,
				   const struct xlo_test_packet *p,
				   u8 ip_summed)
{
	struct sk_buff *skb = p->skb;
	u32 header = p->header + t->place.grow;
	u8 payload[512];

	KUNIT_ASSERT_EQ(test, skb->len, p->len + t->place.grow);
	KUNIT_ASSERT_EQ(test, skb_network_offset(skb), 0);
	KUNIT_ASSERT_EQ(test, skb_transport_offset(skb), (int)header);
	KUNIT_ASSERT_EQ(test, skb_mac_header_was_set(skb), p->link > 0);
	if (p->link)
		KUNIT_ASSERT_EQ(test, skb_mac_offset(skb), -(int)p->link);
	KUNIT_ASSERT_EQ(test, memcmp(skb->data - p->link, p->whole, p->link), 0);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, header, payload,
					    p->len - p->header), 0);
	KUNIT_ASSERT_EQ(test, memcmp(payload, p->whole + p->link + p->header,
				     p->len - p->header), 0);
	KUNIT_ASSERT_EQ(test, (u8)skb->ip_summed, (u8)ip_summed);
	if (ip_summed == CHECKSUM_COMPLETE)
		KUNIT_ASSERT_EQ(test, (__force u16)csum_fold(skb->csum),
				xlo_test_sum(skb));
	if (ip_summed == CHECKSUM_PARTIAL)
		KUNIT_ASSERT_EQ(test, skb_checksum_start_offset(skb),
				(int)header);
}

/* Makes a random header with space for the option. */
static void xlo_test_random_header(struct xlo_test *t, bool ipv6)
{
	enum xlo_placed placed;

	do {
		if (ipv6)
			xlo_test_random6(t);
		else
			xlo_test_random4(t);
		placed = ipv6 ? xlo_place6(t->old, &t->place) :
				xlo_place4(t->old, &t->place);
	} while (placed != XLO_PLACE_OK);
	if (!ipv6)
		ip_send_check((struct iphdr *)t->old);
	xlo_test_random_option(t);
}

/* Inserts the option into a packet of any shape. If another user has a clone of the packet, the
 * clone does not change.
 */
static void xlo_test_try_insert(struct kunit *test, struct xlo_test *t,
				struct xlo_test_packet *p, bool ipv6)
{
	struct sk_buff *other = NULL;
	u8 ip_summed;

	xlo_test_random_header(t, ipv6);
	xlo_test_make(test, t, p);
	xlo_test_checksum(t, p->skb);
	ip_summed = p->skb->ip_summed;
	if (xlo_test_below(t, 2))
		other = skb_clone(p->skb, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, xlo_insert(p->skb, ipv6 ? NFPROTO_IPV6 :
					 NFPROTO_IPV4, &t->place, &t->opt), 0);
	memset(t->new, XLO_TEST_FILL, sizeof(t->new));
	memcpy(t->new, p->skb->data, t->place.end);
	xlo_test_expect_found(test, t, ipv6);
	if (ipv6) {
		xlo_test_expect6(test, t);
	} else {
		KUNIT_ASSERT_EQ(test, xlo_test_header_sum(t), 0);
		memcpy(t->new + XLO_IPV4_CHECK, t->old + XLO_IPV4_CHECK, 2);
		xlo_test_expect4(test, t);
	}
	xlo_test_expect_packet(test, t, p, ip_summed);
	if (other) {
		KUNIT_ASSERT_EQ(test, other->len, p->len);
		KUNIT_ASSERT_EQ(test, memcmp(other->data, p->whole + p->link,
					     p->header), 0);
	}
	kfree_skb(other);
	kfree_skb(p->skb);
}

static struct xlo_test_packet *xlo_test_packet(struct kunit *test)
{
	struct xlo_test_packet *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static void xlo_test_insert4(struct kunit *test)
{
	struct xlo_test_packet *p = xlo_test_packet(test);
	struct xlo_test *t = xlo_test_begin(test);
	int i;

	for (i = 0; i < XLO_TEST_PACKETS; i++)
		xlo_test_try_insert(test, t, p, false);
}

static void xlo_test_insert6(struct kunit *test)
{
	struct xlo_test_packet *p = xlo_test_packet(test);
	struct xlo_test *t = xlo_test_begin(test);
	int i;

	for (i = 0; i < XLO_TEST_PACKETS; i++)
		xlo_test_try_insert(test, t, p, true);
}

/* Chooses another lifetime that the type of the test's option allows. */
static u32 xlo_test_other_lifetime(struct xlo_test *t)
{
	u32 other;

	if (xlo_is_none(t->opt.lifetime))
		return t->opt.lifetime;
	do {
		other = xlo_test_below(t, 2) ? xlo_test_below(t, 65536) :
			xlo_test_below(t, XLO_LIFETIME_MAX + 1);
	} while (xlo_is_relative(other) != xlo_is_relative(t->opt.lifetime));
	return other;
}

/* After a new lifetime is written, CHECKSUM_COMPLETE and the IPv4 header checksum are correct. The
 * offset of the option may be odd.
 */
static void xlo_test_rewrite(struct kunit *test)
{
	struct xlo_test_packet *p = xlo_test_packet(test);
	struct xlo_test *t = xlo_test_begin(test);
	int i;

	for (i = 0; i < XLO_TEST_PACKETS; i++) {
		bool ipv6 = i & 1;
		struct xlo_ref ref;
		struct xlo opt;
		u32 lifetime;

		xlo_test_random_header(t, ipv6);
		t->place.at = t->last;		/* not aligned */
		lifetime = xlo_test_other_lifetime(t);
		xlo_test_make(test, t, p);
		KUNIT_ASSERT_EQ(test, xlo_insert(p->skb, ipv6 ? NFPROTO_IPV6 :
						 NFPROTO_IPV4, &t->place,
						 &t->opt), 0);
		xlo_test_checksum(t, p->skb);
		KUNIT_ASSERT_EQ(test, ipv6 ?
				xlo_skb_find6(p->skb, 0, &ref, &opt) :
				xlo_skb_find4(p->skb, 0, &ref, &opt),
				(int)XLO_FOUND);
		xlo_skb_set_lifetime(p->skb, 0, &ref, lifetime);
		t->opt.lifetime = lifetime;
		memset(t->new, XLO_TEST_FILL, sizeof(t->new));
		memcpy(t->new, p->skb->data, t->place.end);
		xlo_test_expect_found(test, t, ipv6);
		if (!ipv6)
			KUNIT_ASSERT_EQ(test, xlo_test_header_sum(t), 0);
		xlo_test_expect_packet(test, t, p, p->skb->ip_summed);
		kfree_skb(p->skb);
	}
}

static struct kunit_case xlo_test_cases[] = {
	KUNIT_CASE(xlo_test_place4),
	KUNIT_CASE(xlo_test_place6),
	KUNIT_CASE(xlo_test_examples4),
	KUNIT_CASE(xlo_test_examples6),
	KUNIT_CASE(xlo_test_ms_left),
	KUNIT_CASE(xlo_test_ms_of_day),
	KUNIT_CASE(xlo_test_encode_relative),
	KUNIT_CASE(xlo_test_encode_utc),
	KUNIT_CASE(xlo_test_encode_cap),
	KUNIT_CASE(xlo_test_encode_is_read_back),
	KUNIT_CASE(xlo_test_insert4),
	KUNIT_CASE(xlo_test_insert6),
	KUNIT_CASE(xlo_test_rewrite),
	{}
};

static struct kunit_suite xlo_test_suite = {
	.name = "xlo",
	.test_cases = xlo_test_cases,
};

kunit_test_suite(xlo_test_suite);

MODULE_DESCRIPTION("KUnit tests of xlo");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
