// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what takes the option out: what a header is without it, and
 * that the packet's other bytes, pointers and checksums stay true, also those of
 * a GSO packet's segments.
 */

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/gso.h>
#include <net/udp.h>
/* for their functions, which no module exports */
#include "../kmod/xlo/insert.c"
#include "strip.c"

#define LPD_TEST_ROUNDS		20000	/* of each test with random headers */
#define LPD_TEST_PACKETS	3000	/* likewise, of those with packets */
#define LPD_TEST_HEADER_MAX	(XLO_IPV6_HLEN + XLO_IPV6_HBH_MAX)
#define LPD_TEST_LINK_MAX	22	/* Ethernet and two tags */
#define LPD_TEST_PAYLOAD_MAX	400
#define LPD_TEST_FRAME_MAX	(LPD_TEST_LINK_MAX + LPD_TEST_HEADER_MAX + \
				 LPD_TEST_PAYLOAD_MAX)
#define LPD_TEST_FILL		0xa5

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the random tests, 0 (default) for a new one");

/**
 * struct lpd_test_header - a header under construction
 * @bytes: the header
 * @len: bytes of it
 */
struct lpd_test_header {
	u8 bytes[LPD_TEST_HEADER_MAX];
	u32 len;
};

/**
 * struct lpd_test - a header with the option, and what it is to be without it
 * @rnd: random numbers
 * @with: the header with the option
 * @without: the same without it
 * @work: where the option is taken out, or what a packet is afterwards
 * @frame: what a packet is to be
 * @opt_off: where the option is in @with
 * @others: options that are neither padding nor ours
 */
struct lpd_test {
	struct rnd_state rnd;
	struct lpd_test_header with;
	struct lpd_test_header without;
	u8 work[LPD_TEST_FRAME_MAX];
	u8 frame[LPD_TEST_FRAME_MAX];
	u32 opt_off;
	u32 others;
};

static struct lpd_test *lpd_test_begin(struct kunit *test)
{
	struct lpd_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	if (!seed)
		seed = get_random_u32() | 1;
	kunit_info(test, "seed=%u", seed);
	prandom_seed_state(&t->rnd, seed);
	return t;
}

static u32 lpd_test_below(struct lpd_test *t, u32 limit)
{
	return prandom_u32_state(&t->rnd) % limit;
}

static void lpd_test_put(struct lpd_test_header *h, const u8 *bytes, u32 len)
{
	memcpy(h->bytes + h->len, bytes, len);
	h->len += len;
}

/* In both headers. */
static void lpd_test_both(struct lpd_test *t, const u8 *bytes, u32 len)
{
	lpd_test_put(&t->with, bytes, len);
	lpd_test_put(&t->without, bytes, len);
}

/* One option of padding, as Linux writes it. */
static void lpd_test_pad6(struct lpd_test_header *h, u32 len)
{
	u8 pad[8] = { len > 1 ? XLO_IPV6_PADN : XLO_IPV6_PAD1,
		      len > 1 ? len - 2 : 0 };

	lpd_test_put(h, pad, len);
}

/* An option that is neither padding nor ours. */
static void lpd_test_other(struct lpd_test *t, u32 size, bool ipv6)
{
	u8 bytes[256];

	prandom_bytes_state(&t->rnd, bytes, size);
	while (bytes[0] <= 1 || xlo_type_matches(bytes[0], ipv6) ||
	       (ipv6 && bytes[0] == IPV6_TLV_JUMBO))
		bytes[0] = lpd_test_below(t, 256);
	bytes[1] = ipv6 ? size - 2 : size;
	lpd_test_both(t, bytes, size);
	t->others++;
}

static void lpd_test_ours(struct lpd_test *t, bool ipv6)
{
	const struct xlo opt = {
		.reorder = lpd_test_below(t, 256),
		.flags = lpd_test_below(t, XLO_FLAGS_ALL + 1),
		.lifetime = lpd_test_below(t, XLO_LIFETIME_MAX + 1),
	};
	u8 bytes[XLO_LEN];

	if (ipv6)
		xlo_write6_option(bytes, &opt);
	else
		xlo_write4(bytes, &opt);
	t->opt_off = t->with.len;
	lpd_test_put(&t->with, bytes, XLO_LEN);
}

static void lpd_test_put_be16(u8 *at, u32 value)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

/* The lengths and the checksum of a header that stands for itself. */
static void lpd_test_finish4(struct lpd_test_header *h, u32 payload)
{
	h->bytes[0] = 0x40 | h->len / 4;
	lpd_test_put_be16(h->bytes + LPD_IPV4_LENGTH,
			  payload ? h->len + payload : 0);
	ip_send_check((struct iphdr *)h->bytes);
}

static void lpd_test_finish6(struct lpd_test_header *h, u32 payload)
{
	if (h->len > XLO_IPV6_HLEN)
		h->bytes[XLO_IPV6_HLEN + 1] = (h->len - XLO_IPV6_HLEN) / 8 - 1;
	lpd_test_put_be16(h->bytes + LPD_IPV6_LENGTH,
			  payload ? h->len - XLO_IPV6_HLEN + payload : 0);
}

/* NOPs and other options, some of @room bytes. */
static u32 lpd_test_some4(struct lpd_test *t, u32 room)
{
	const u8 nop = XLO_IPV4_NOP;

	while (room && lpd_test_below(t, 4)) {
		u32 size = room < 2 || lpd_test_below(t, 2) ? 1 :
			   2 + lpd_test_below(t, room - 1);

		if (size == 1)
			lpd_test_both(t, &nop, 1);
		else
			lpd_test_other(t, size, false);
		room -= size;
	}
	return room;
}

/* Every mixture of options around ours, up to 60 bytes, ending in NOPs, in an
 * End of Options List, with anything behind it, or in neither. Now and then with
 * no total length, as in a GSO packet that is too long for it.
 */
static void lpd_test_random4(struct lpd_test *t, u32 payload)
{
	u32 room = 32, end;
	u8 tail[40];

	t->with.len = 0;
	t->without.len = 0;
	t->others = 0;
	prandom_bytes_state(&t->rnd, tail, sizeof(tail));
	lpd_test_both(t, tail, XLO_IPV4_HLEN);
	if (lpd_test_below(t, 2))
		room = lpd_test_some4(t, room);
	lpd_test_ours(t, false);
	if (lpd_test_below(t, 2))
		room = lpd_test_some4(t, room);
	end = room % 4 + lpd_test_below(t, room / 4 + 1) * 4;
	if (lpd_test_below(t, 2))
		memset(tail, XLO_IPV4_NOP, sizeof(tail));
	else
		tail[0] = XLO_IPV4_EOL;
	lpd_test_both(t, tail, end);
	if (!t->others)
		t->without.len = XLO_IPV4_HLEN;
	lpd_test_finish4(&t->with, payload);
	lpd_test_finish4(&t->without, payload);
}

/* Up to 7 bytes of padding in a row, in pieces. */
static void lpd_test_padding6(struct lpd_test *t, struct lpd_test_header *h,
			      u32 len)
{
	while (len) {
		u32 piece = 1 + lpd_test_below(t, len);

		lpd_test_pad6(h, piece);
		len -= piece;
	}
}

/* Other options, padding between them. */
static void lpd_test_some6(struct lpd_test *t, u32 longest)
{
	lpd_test_other(t, 2 + lpd_test_below(t, longest), true);
	while (t->with.len < 700 && lpd_test_below(t, 2)) {
		u32 at = t->with.len;

		lpd_test_padding6(t, &t->with, lpd_test_below(t, 8));
		lpd_test_put(&t->without, t->with.bytes + at, t->with.len - at);
		lpd_test_other(t, 2 + lpd_test_below(t, longest), true);
	}
}

/* Ours with any padding on both sides, which becomes less than 8 bytes: as much
 * as keeps what follows at its place in the row of 8.
 */
static void lpd_test_ours6(struct lpd_test *t, bool last)
{
	u32 at = t->with.len;

	lpd_test_padding6(t, &t->with, lpd_test_below(t, 8));
	lpd_test_ours(t, true);
	lpd_test_padding6(t, &t->with, last ? -t->with.len % 8 :
					      lpd_test_below(t, 8));
	lpd_test_pad6(&t->without, (t->with.len - at) % 8);
}

/* Hop-by-hop headers of every length, with other options before and behind. */
static void lpd_test_random6(struct lpd_test *t, u32 payload)
{
	u32 longest = lpd_test_below(t, 4) ? 20 : 254;
	bool last = lpd_test_below(t, 2);
	u8 fixed[LPD_IPV6_OPTIONS];

	t->with.len = 0;
	t->without.len = 0;
	t->others = 0;
	prandom_bytes_state(&t->rnd, fixed, sizeof(fixed));
	fixed[0] = 0x60 | (fixed[0] & 0x0f);
	fixed[XLO_IPV6_NEXTHDR] = XLO_IPV6_HOPOPTS;
	fixed[XLO_IPV6_HLEN] = IPPROTO_UDP;
	lpd_test_both(t, fixed, sizeof(fixed));
	if (lpd_test_below(t, 2))
		lpd_test_some6(t, longest);
	lpd_test_ours6(t, last);
	if (!last) {
		lpd_test_some6(t, longest);
		lpd_test_pad6(&t->without, -t->with.len % 8);
		lpd_test_pad6(&t->with, -t->with.len % 8);
	}
	if (!t->others) {
		t->without.len = XLO_IPV6_HLEN;
		t->without.bytes[XLO_IPV6_NEXTHDR] = IPPROTO_UDP;
	}
	lpd_test_finish6(&t->with, payload);
	lpd_test_finish6(&t->without, payload);
}

static void lpd_test_random(struct lpd_test *t, bool ipv6, u32 payload)
{
	if (!lpd_test_below(t, 20))
		payload = 0;
	if (ipv6)
		lpd_test_random6(t, payload);
	else
		lpd_test_random4(t, payload);
}

/* Takes the option out of a copy of @t->with, as the plumbing does; returns where
 * it begins then.
 */
static u8 *lpd_test_take_out(struct kunit *test, struct lpd_test *t)
{
	struct lpd_gap gap;

	memset(t->work, LPD_TEST_FILL, sizeof(t->work));
	memcpy(t->work, t->with.bytes, t->with.len);
	KUNIT_ASSERT_TRUE(test, lpd_strip_gap(t->work, t->opt_off, &gap));
	lpd_strip_edit(t->work, &gap);
	KUNIT_ASSERT_EQ(test, (u32)gap.len, t->with.len - t->without.len);
	memmove(t->work + gap.len, t->work, gap.at);
	return t->work + gap.len;
}

static void lpd_test_expect_without(struct kunit *test,
				    const struct lpd_test *t, const u8 *hdr,
				    int round)
{
	KUNIT_ASSERT_EQ_MSG(test, memcmp(hdr, t->without.bytes, t->without.len),
			    0, "round %d: %*ph instead of %*ph", round,
			    min_t(int, t->without.len, 64), hdr,
			    min_t(int, t->without.len, 64), t->without.bytes);
	KUNIT_ASSERT_EQ(test, hdr[t->without.len], LPD_TEST_FILL);
}

static void lpd_test_headers(struct kunit *test, bool ipv6)
{
	struct lpd_test *t = lpd_test_begin(test);
	u32 alone = 0;
	int i;

	for (i = 0; i < LPD_TEST_ROUNDS; i++) {
		struct xlo_ref ref = {};
		struct xlo opt;

		lpd_test_random(t, ipv6, 1 + lpd_test_below(t, 1400));
		ref.off = t->opt_off;
		if (ipv6)
			xlo_find6(t->with.bytes, t->with.len, &ref, &opt);
		else
			xlo_find4(t->with.bytes, t->with.len, &ref, &opt);
		KUNIT_ASSERT_EQ(test, (u32)ref.off, t->opt_off);
		KUNIT_ASSERT_EQ(test, lpd_strip_header_len(t->with.bytes),
				t->with.len);
		lpd_test_expect_without(test, t, lpd_test_take_out(test, t), i);
		alone += !t->others;
	}
	KUNIT_EXPECT_GT(test, alone, LPD_TEST_ROUNDS / 100U);
	KUNIT_EXPECT_LT(test, alone, LPD_TEST_ROUNDS / 2U);
}

/* Whatever options stand around ours, they are what is left, byte for byte, with
 * the checksum that a sum from scratch gives; with none around, no options are.
 */
static void lpd_test_headers4(struct kunit *test)
{
	lpd_test_headers(test, false);
}

/* Likewise; behind IPv6 less than 8 bytes of padding are left where ours was. */
static void lpd_test_headers6(struct kunit *test)
{
	lpd_test_headers(test, true);
}

/* A header whose checksum was wrong has one that is as wrong as it was. */
static void lpd_test_damage(struct kunit *test)
{
	struct lpd_test *t = lpd_test_begin(test);
	int i;

	for (i = 0; i < LPD_TEST_ROUNDS; i++) {
		u16 damage = 1 + lpd_test_below(t, 0xfffe);
		u8 *check = t->with.bytes + XLO_IPV4_CHECK;
		u16 sum;
		u8 *hdr;

		lpd_test_random4(t, 100);
		sum = lpd_get_be16(t->without.bytes + XLO_IPV4_CHECK);
		lpd_test_put_be16(check, xlo_csum_replace(lpd_get_be16(check), 0,
							  damage));
		hdr = lpd_test_take_out(test, t);
		KUNIT_ASSERT_EQ(test, lpd_get_be16(hdr + XLO_IPV4_CHECK),
				xlo_csum_replace(sum, 0, damage));
	}
}

/* Puts the option into @t->without as xlo does; returns whether it has room. */
static bool lpd_test_place(struct lpd_test *t, bool ipv6)
{
	const struct xlo opt = { 3, 4, lpd_test_below(t, XLO_LIFETIME_MAX + 1) };
	struct xlo_place place;
	enum xlo_placed placed;

	placed = ipv6 ? xlo_place6(t->without.bytes, &place) :
			xlo_place4(t->without.bytes, &place);
	if (placed != XLO_PLACE_OK)
		return false;
	memcpy(t->with.bytes, t->without.bytes, place.keep);
	if (ipv6) {
		xlo_place_write6(t->with.bytes, &place, &opt);
	} else {
		xlo_place_write4(t->with.bytes, &place, &opt);
		ip_send_check((struct iphdr *)t->with.bytes);
	}
	t->with.len = place.end;
	t->opt_off = place.at;
	return true;
}

/* A header of others' options alone, ending in what Linux pads them with. */
static void lpd_test_original(struct lpd_test *t, bool ipv6, u32 payload)
{
	u8 zeros[4] = { 0 };

	lpd_test_random(t, ipv6, payload);
	if (!t->others)
		return;
	t->with.len = 0;
	t->without.len = ipv6 ? LPD_IPV6_OPTIONS : XLO_IPV4_HLEN;
	do {
		lpd_test_other(t, 2 + lpd_test_below(t, ipv6 ? 80 : 11), ipv6);
	} while (t->without.len < 38 && lpd_test_below(t, 2));
	if (ipv6) {
		lpd_test_pad6(&t->without, -t->without.len % 8);
		lpd_test_finish6(&t->without, payload);
	} else {
		lpd_test_put(&t->without, zeros, -t->without.len % 4);
		lpd_test_finish4(&t->without, payload);
	}
}

/* What xlo has put in comes out again, and the header is the one before. */
static void lpd_test_inverse(struct kunit *test)
{
	struct lpd_test *t = lpd_test_begin(test);
	u32 done = 0;
	int i;

	for (i = 0; i < LPD_TEST_ROUNDS; i++) {
		lpd_test_original(t, i & 1, 1 + lpd_test_below(t, 1400));
		if (!lpd_test_place(t, i & 1))
			continue;
		lpd_test_expect_without(test, t, lpd_test_take_out(test, t), i);
		done++;
	}
	KUNIT_EXPECT_GT(test, done, LPD_TEST_ROUNDS / 2U);
}

#define LPD_TEST_OPTION4	158, 8, 3, 4, 0, 0, 1, 44
#define LPD_TEST_OPTION6	0x3e, 6, 3, 4, 0, 0, 1, 44

/**
 * struct lpd_test_vector - options with ours, and what they are without
 * @with: before
 * @without: afterwards
 * @with_len: bytes of it
 * @without_len: likewise
 * @opt_off: where ours is in @with
 */
struct lpd_test_vector {
	u8 with[40];
	u8 without[40];
	u32 with_len;
	u32 without_len;
	u32 opt_off;
};

static const struct lpd_test_vector lpd_test_vectors4[] = {
	{ { LPD_TEST_OPTION4 }, { }, 8, 0 },
	{ { LPD_TEST_OPTION4, 0, 9, 9, 9 }, { }, 12, 0 },
	{ { 1, 1, LPD_TEST_OPTION4, 1, 1 }, { }, 12, 0, 2 },
	{ { 1, LPD_TEST_OPTION4, [39] = 1 }, { }, 40, 0, 1 },
	{ { 148, 4, 0, 0, LPD_TEST_OPTION4 }, { 148, 4, 0, 0 }, 12, 4, 4 },
	{ { LPD_TEST_OPTION4, 148, 4, 0, 0 }, { 148, 4, 0, 0 }, 12, 4 },
	{ { 7, 7, 4, 9, 9, 9, 9, LPD_TEST_OPTION4, 0 },
	  { 7, 7, 4, 9, 9, 9, 9, 0 }, 16, 8, 7 },
	{ { 1, 1, LPD_TEST_OPTION4, 1, 1, 7, 3, 4, 0 },
	  { 1, 1, 1, 1, 7, 3, 4, 0 }, 16, 8, 2 },
	{ { 94, 32, [32] = LPD_TEST_OPTION4 }, { 94, 32 }, 40, 32, 32 },
};

static const struct lpd_test_vector lpd_test_vectors6[] = {
	{ { 17, 1, 1, 0, LPD_TEST_OPTION6, 1, 2, 0, 0 }, { }, 16, 0, 4 },
	{ { 17, 1, LPD_TEST_OPTION6, 1, 4 }, { }, 16, 0, 2 },
	{ { 17, 2, 1, 3, [7] = 1, 1, [10] = 0, 0, LPD_TEST_OPTION6, 1, 2 }, { },
	  24, 0, 12 },
	{ { 17, 1, 5, 2, 0, 0, 1, 0, LPD_TEST_OPTION6 },
	  { 17, 0, 5, 2, 0, 0, 1, 0 }, 16, 8, 8 },
	{ { 17, 1, 5, 2, 0, 0, LPD_TEST_OPTION6, 0, 0 },
	  { 17, 0, 5, 2, 0, 0, 1, 0 }, 16, 8, 6 },
	{ { 17, 1, LPD_TEST_OPTION6, 31, 4, 9, 9, 9, 9 },
	  { 17, 0, 31, 4, 9, 9, 9, 9 }, 16, 8, 2 },
	{ { 17, 2, 31, 4, 9, 9, 9, 9, 1, 2, 0, 0, LPD_TEST_OPTION6,
	    1, 2, 0, 0 }, { 17, 0, 31, 4, 9, 9, 9, 9 }, 24, 8, 12 },
	{ { 17, 2, 31, 5, 9, 9, 9, 9, 9, 1, 1, 0, LPD_TEST_OPTION6, 1, 2, 0, 0 },
	  { 17, 1, 31, 5, 9, 9, 9, 9, 9, 1, 5 }, 24, 16, 12 },
	{ { 17, 2, 1, 0, LPD_TEST_OPTION6, 1, 2, 0, 0, 31, 4, 9, 9, 9, 9, 1, 0 },
	  { 17, 1, 1, 4, 0, 0, 0, 0, 31, 4, 9, 9, 9, 9, 1, 0 }, 24, 16, 4 },
};

/* Builds one header of a vector. */
static void lpd_test_vector(struct lpd_test_header *h, const u8 *options,
			    u32 len, bool ipv6)
{
	h->len = ipv6 ? XLO_IPV6_HLEN : XLO_IPV4_HLEN;
	memset(h->bytes, 0, h->len);
	if (ipv6) {
		h->bytes[0] = 0x60;
		h->bytes[XLO_IPV6_NEXTHDR] = len ? XLO_IPV6_HOPOPTS : 17;
	}
	lpd_test_put(h, options, len);
	if (ipv6)
		lpd_test_finish6(h, 100);
	else
		lpd_test_finish4(h, 100);
}

/* These options become those, byte by byte. */
static void lpd_test_try_vectors(struct kunit *test,
				 const struct lpd_test_vector *vectors, int n,
				 bool ipv6)
{
	struct lpd_test *t = lpd_test_begin(test);
	int i;

	for (i = 0; i < n; i++) {
		const struct lpd_test_vector *v = &vectors[i];

		lpd_test_vector(&t->with, v->with, v->with_len, ipv6);
		lpd_test_vector(&t->without, v->without, v->without_len, ipv6);
		t->opt_off = v->opt_off +
			     (ipv6 ? XLO_IPV6_HLEN : XLO_IPV4_HLEN);
		lpd_test_expect_without(test, t, lpd_test_take_out(test, t), i);
	}
}

static void lpd_test_examples4(struct kunit *test)
{
	lpd_test_try_vectors(test, lpd_test_vectors4,
			     ARRAY_SIZE(lpd_test_vectors4), false);
}

static void lpd_test_examples6(struct kunit *test)
{
	lpd_test_try_vectors(test, lpd_test_vectors6,
			     ARRAY_SIZE(lpd_test_vectors6), true);
}

/* A packet shorter than its header says keeps the option, and so does a
 * jumbogram.
 */
static void lpd_test_stays(struct kunit *test)
{
	static const u8 jumbo[] = { 17, 1, 0xc2, 4, 0, 1, 0, 0,
				    LPD_TEST_OPTION6 };
	struct lpd_test *t = lpd_test_begin(test);
	struct lpd_test_header *h = &t->with;
	struct lpd_gap gap;

	lpd_test_vector(h, lpd_test_vectors4[0].with, 8, false);
	KUNIT_EXPECT_TRUE(test, lpd_strip_gap(h->bytes, 20, &gap));
	lpd_test_put_be16(h->bytes + LPD_IPV4_LENGTH, 28);
	KUNIT_EXPECT_TRUE(test, lpd_strip_gap(h->bytes, 20, &gap));
	lpd_test_put_be16(h->bytes + LPD_IPV4_LENGTH, 27);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 20, &gap));

	lpd_test_vector(h, lpd_test_vectors6[0].with, 16, true);
	lpd_test_put_be16(h->bytes + LPD_IPV6_LENGTH, 16);
	KUNIT_EXPECT_TRUE(test, lpd_strip_gap(h->bytes, 44, &gap));
	lpd_test_put_be16(h->bytes + LPD_IPV6_LENGTH, 15);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 44, &gap));

	lpd_test_vector(h, jumbo, sizeof(jumbo), true);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 48, &gap));
	lpd_test_put_be16(h->bytes + LPD_IPV6_LENGTH, 0);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 48, &gap));
}

static struct kunit_case lpd_test_cases[] = {
	KUNIT_CASE(lpd_test_examples4),
	KUNIT_CASE(lpd_test_examples6),
	KUNIT_CASE(lpd_test_headers4),
	KUNIT_CASE(lpd_test_headers6),
	KUNIT_CASE(lpd_test_damage),
	KUNIT_CASE(lpd_test_inverse),
	KUNIT_CASE(lpd_test_stays),
	{}
};

static struct kunit_suite lpd_test_suite = {
	.name = "lpd_strip",
	.test_cases = lpd_test_cases,
};

kunit_test_suite(lpd_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd's strip");
MODULE_LICENSE("GPL");
