// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of removing the option. The tests check the header after the removal. The tests also
 * check that the packet's other bytes, pointers and checksums are still correct, even in the
 * segments of a GSO packet.
 */

#include <kunit/test.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/gso.h>
#include <net/ip6_checksum.h>
/* the tests call static functions of these files */
#include "../kmod/xlo/insert.c"
#include "strip.c"

#define LPD_TEST_ROUNDS		20000	/* in each test with random headers */
#define LPD_TEST_PACKETS	3000	/* in each test with random packets */
#define LPD_TEST_HEADER_MAX	(XLO_IPV6_HLEN + XLO_IPV6_HBH_MAX)
#define LPD_TEST_LINK_MAX	22	/* Ethernet and two tags */
#define LPD_TEST_PAYLOAD_MAX	400
#define LPD_TEST_FRAME_MAX	(LPD_TEST_LINK_MAX + LPD_TEST_HEADER_MAX + \
				 LPD_TEST_PAYLOAD_MAX)
#define LPD_TEST_FILL		0xa5
#define LPD_TEST_LENGTH4	offsetof(struct iphdr, tot_len)
#define LPD_TEST_LENGTH6	offsetof(struct ipv6hdr, payload_len)

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the random tests, 0 (default) for a new one");

/**
 * struct lpd_test_header - a header that a test builds
 * @bytes: the header
 * @len: its length
 */
struct lpd_test_header {
	u8 bytes[LPD_TEST_HEADER_MAX];
	u32 len;
};

/**
 * struct lpd_test - a header with the option, and the same header without it
 * @rnd: random numbers
 * @with: the header with the option
 * @without: the header without the option
 * @work: a header from which the option is removed, or the packet with the option
 * @frame: the expected packet
 * @opt_off: offset of the option in @with
 * @others: number of options except padding and the cross-layer option
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

/* Appends the bytes to both headers. */
static void lpd_test_both(struct lpd_test *t, const u8 *bytes, u32 len)
{
	lpd_test_put(&t->with, bytes, len);
	lpd_test_put(&t->without, bytes, len);
}

/* Adds one padding option in the form that Linux uses. */
static void lpd_test_pad6(struct lpd_test_header *h, u32 len)
{
	u8 pad[8] = { len > 1 ? XLO_IPV6_PADN : XLO_IPV6_PAD1,
		      len > 1 ? len - 2 : 0 };

	lpd_test_put(h, pad, len);
}

/* Adds an option that is not padding and not the cross-layer option. */
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

/* Sets the length and the checksum of a complete header. */
static void lpd_test_finish4(struct lpd_test_header *h, u32 payload)
{
	h->bytes[0] = 0x40 | h->len / 4;
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH4,
			  payload ? h->len + payload : 0);
	ip_send_check((struct iphdr *)h->bytes);
}

static void lpd_test_finish6(struct lpd_test_header *h, u32 payload)
{
	if (h->len > XLO_IPV6_HLEN)
		h->bytes[XLO_IPV6_HLEN + 1] = (h->len - XLO_IPV6_HLEN) / 8 - 1;
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH6,
			  payload ? h->len - XLO_IPV6_HLEN + payload : 0);
}

/* Adds NOPs and other options, together at most @room bytes. Returns how many of the @room
 * bytes are unused.
 */
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

/* Makes an IPv4 header of at most 60 bytes with random options before and after the
 * cross-layer option. Behind the last option there may be NOPs, or an End of Options List
 * and random bytes. If @payload is 0, the total length is 0, as in a GSO packet that is too
 * long for the field.
 */
static void lpd_test_random4(struct lpd_test *t, u32 payload)
{
	u32 room = 32, end;
	u8 tail[40];

	t->with.len = 0;
	t->without.len = 0;
	t->others = 0;
	prandom_bytes_state(&t->rnd, tail, sizeof(tail));
	tail[offsetof(struct iphdr, protocol)] = IPPROTO_UDP;
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

/* Adds up to 7 bytes of padding in a row, in several options. */
static void lpd_test_padding6(struct lpd_test *t, struct lpd_test_header *h,
			      u32 len)
{
	while (len) {
		u32 piece = 1 + lpd_test_below(t, len);

		lpd_test_pad6(h, piece);
		len -= piece;
	}
}

/* Adds other options, with padding between them. */
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

/* Adds the cross-layer option with random padding on both sides. The header without the
 * option gets less than 8 bytes of padding, so that the alignment of the following bytes
 * does not change.
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

/* Makes a hop-by-hop header of random length, with other options before and after the
 * cross-layer option.
 */
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

/* Removes the option from a copy of @t->with in the same way as lpd_strip(). Returns the
 * start of the new header.
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

/* All other options of an IPv4 header stay unchanged. The checksum equals a checksum that
 * is computed over the whole header. A header with no other options has no options
 * afterwards.
 */
static void lpd_test_headers4(struct kunit *test)
{
	lpd_test_headers(test, false);
}

/* All other options of an IPv6 header stay unchanged. At most 7 bytes of padding replace
 * the cross-layer option.
 */
static void lpd_test_headers6(struct kunit *test)
{
	lpd_test_headers(test, true);
}

/* A wrong header checksum stays wrong by the same difference. */
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
		sum = get_unaligned_be16(t->without.bytes + XLO_IPV4_CHECK);
		lpd_test_put_be16(check,
				  xlo_csum_replace(get_unaligned_be16(check), 0,
						   damage));
		hdr = lpd_test_take_out(test, t);
		KUNIT_ASSERT_EQ(test, get_unaligned_be16(hdr + XLO_IPV4_CHECK),
				xlo_csum_replace(sum, 0, damage));
	}
}

/* Inserts the option into @t->without in the same way as the module xlo. Returns whether
 * the header had enough space for the option.
 */
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

/* Adds other options at the end of @t->without. */
static void lpd_test_others(struct lpd_test *t, u32 end, u32 longest, bool ipv6)
{
	do {
		lpd_test_other(t, 2 + lpd_test_below(t, longest), ipv6);
	} while (t->without.len < end && lpd_test_below(t, 2));
}

/* Makes a header that has only other options, with the padding that Linux writes, or a header
 * without options.
 */
static void lpd_test_original(struct lpd_test *t, bool ipv6, u32 payload)
{
	struct lpd_test_header *h = &t->without;
	const u8 zeros[4] = { 0 };

	do {
		lpd_test_random(t, ipv6, 0);
	} while (t->others);
	if (lpd_test_below(t, 5) && ipv6) {
		h->bytes[XLO_IPV6_NEXTHDR] = XLO_IPV6_HOPOPTS;
		h->bytes[XLO_IPV6_HLEN] = IPPROTO_UDP;
		h->len = LPD_IPV6_OPTIONS;
		lpd_test_others(t, 100, 80, true);
		lpd_test_pad6(h, -h->len % 8);
	} else if (lpd_test_below(t, 5) && !ipv6) {
		lpd_test_others(t, 36, 11, false);
		lpd_test_put(h, zeros, -h->len % 4);
	}
	if (ipv6)
		lpd_test_finish6(h, payload);
	else
		lpd_test_finish4(h, payload);
}

/* Removing the option that xlo has inserted gives the original header. */
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
 * struct lpd_test_vector - options with and without the cross-layer option
 * @with: the options before the removal
 * @without: the options after the removal
 * @with_len: length of @with
 * @without_len: length of @without
 * @opt_off: offset of the cross-layer option in @with
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
	{ { 0, 1, 1, 0, LPD_TEST_OPTION6, 1, 2, 0, 0 }, { 0, 0, 1, 4 }, 16, 8,
	  4 },
};

/* Builds a header from the options of a vector. */
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

/* Compares the result for each vector with the expected bytes. */
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

/* A packet whose length field is less than its header keeps the option. A jumbogram also keeps the
 * option.
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
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH4, 28);
	KUNIT_EXPECT_TRUE(test, lpd_strip_gap(h->bytes, 20, &gap));
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH4, 27);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 20, &gap));

	lpd_test_vector(h, lpd_test_vectors6[0].with, 16, true);
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH6, 16);
	KUNIT_EXPECT_TRUE(test, lpd_strip_gap(h->bytes, 44, &gap));
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH6, 15);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 44, &gap));

	lpd_test_vector(h, jumbo, sizeof(jumbo), true);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 48, &gap));
	lpd_test_put_be16(h->bytes + LPD_TEST_LENGTH6, 0);
	KUNIT_EXPECT_FALSE(test, lpd_strip_gap(h->bytes, 48, &gap));
}

/**
 * struct lpd_test_packet - a packet with the option, and a clone of it
 * @skb: the packet, with skb->data at its link header
 * @link: bytes of the link header
 * @payload: bytes after the IP header
 * @other: a clone of the whole packet, or of its payload as TCP keeps it, or NULL
 * @transport: expected offset of the transport header without the option
 */
struct lpd_test_packet {
	struct sk_buff *skb;
	u32 link;
	u32 payload;
	struct sk_buff *other;
	u32 transport;
};

/* Adds a page with a part of the payload, as many devices do for received packets. */
static void lpd_test_add_page(struct kunit *test, struct sk_buff *skb,
			      const u8 *data, u32 len)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), data, len);
	skb_add_rx_frag(skb, 0, page, 0, len, PAGE_SIZE);
}

/* Writes the packet with the option to @t->work, and the expected packet to @t->frame. */
static void lpd_test_frames(struct lpd_test *t, struct lpd_test_packet *p)
{
	u8 *rest = t->work + p->link;

	prandom_bytes_state(&t->rnd, t->work, sizeof(t->work));
	memcpy(t->frame, t->work, p->link);
	memcpy(t->frame + p->link, t->without.bytes, t->without.len);
	memcpy(t->frame + p->link + t->without.len, rest + t->with.len,
	       p->payload);
	memcpy(rest, t->with.bytes, t->with.len);
}

/* Sets the offsets of the headers and the state of the checksum. Sometimes the transport
 * header's offset equals the network header's offset, as in a bridge.
 */
static void lpd_test_describe(struct lpd_test *t, struct lpd_test_packet *p)
{
	static const u8 kinds[] = { CHECKSUM_NONE, CHECKSUM_UNNECESSARY,
				    CHECKSUM_COMPLETE, CHECKSUM_PARTIAL };
	struct sk_buff *skb = p->skb;
	u32 end = p->link + t->with.len;

	skb_reset_mac_header(skb);
	skb_set_network_header(skb, p->link);
	skb_set_transport_header(skb, end);
	p->transport = p->link + t->without.len;
	skb->ip_summed = kinds[lpd_test_below(t, ARRAY_SIZE(kinds))];
	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		skb->csum_start = skb_headroom(skb) + end;
		skb->csum_offset = 6;
	} else if (!lpd_test_below(t, 3)) {
		skb_set_transport_header(skb, p->link);
		p->transport = p->link;
	}
}

static void lpd_test_share(struct kunit *test, struct lpd_test *t,
			   struct lpd_test_packet *p)
{
	u32 header = p->link + t->with.len;

	p->other = NULL;
	switch (lpd_test_below(t, 3)) {
	case 0:
		return;
	case 1:
		p->other = skb_clone(p->skb, GFP_KERNEL);
		break;
	case 2:
		p->other = p->skb;
		__skb_pull(p->other, header);
		__skb_header_release(p->other);
		p->skb = skb_clone(p->other, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, p->skb);
		__skb_push(p->skb, header);
	}
	KUNIT_ASSERT_NOT_NULL(test, p->other);
}

/* Makes a packet with a random header. The packet has no link header, or an Ethernet header
 * with 0 to 2 VLAN tags. The packet may be linear or not.
 */
static void lpd_test_make(struct kunit *test, struct lpd_test *t,
			  struct lpd_test_packet *p, bool ipv6)
{
	static const u8 links[] = { 0, 14, 18, LPD_TEST_LINK_MAX };
	u32 linear, len, headroom = lpd_test_below(t, 80);

	p->link = links[lpd_test_below(t, ARRAY_SIZE(links))];
	p->payload = 8 + lpd_test_below(t, LPD_TEST_PAYLOAD_MAX - 7);
	lpd_test_random(t, ipv6, p->payload);
	lpd_test_frames(t, p);
	len = p->link + t->with.len + p->payload;
	linear = len - lpd_test_below(t, p->payload + 1);
	p->skb = alloc_skb(headroom + linear, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p->skb);
	skb_reserve(p->skb, headroom);
	skb_put_data(p->skb, t->work, linear);
	if (linear < len)
		lpd_test_add_page(test, p->skb, t->work + linear, len - linear);
	lpd_test_describe(t, p);
	lpd_test_share(test, t, p);
}

/* Compares the last @len bytes of a packet with @bytes. */
static void lpd_test_expect_bytes(struct kunit *test, const struct sk_buff *skb,
				  const u8 *bytes, u32 len)
{
	u8 *found = kmalloc(len, GFP_KERNEL);
	int diff = -1;

	KUNIT_ASSERT_NOT_NULL(test, found);
	KUNIT_ASSERT_GE(test, skb->len, len);
	if (!skb_copy_bits(skb, skb->len - len, found, len))
		diff = memcmp(found, bytes, len);
	kfree(found);
	KUNIT_ASSERT_EQ(test, diff, 0);
}

/* Expect that the pointers into the packet still point to the same headers. */
static void lpd_test_expect_pointers(struct kunit *test,
				     const struct lpd_test *t,
				     const struct lpd_test_packet *p,
				     u8 ip_summed)
{
	const struct sk_buff *skb = p->skb;

	KUNIT_ASSERT_EQ(test, skb_mac_offset(skb), 0);
	KUNIT_ASSERT_EQ(test, skb_network_offset(skb), (int)p->link);
	KUNIT_ASSERT_EQ(test, skb_transport_offset(skb), (int)p->transport);
	KUNIT_ASSERT_EQ(test, (u8)skb->ip_summed,
			(u8)(ip_summed == CHECKSUM_COMPLETE ? CHECKSUM_NONE :
							      ip_summed));
	if (ip_summed == CHECKSUM_PARTIAL)
		KUNIT_ASSERT_EQ(test, skb_checksum_start_offset(skb),
				(int)(p->link + t->without.len));
}

static void lpd_test_try_packet(struct kunit *test, struct lpd_test *t,
				bool ipv6)
{
	struct lpd_test_packet p;
	u8 ip_summed;
	u32 len;

	lpd_test_make(test, t, &p, ipv6);
	ip_summed = p.skb->ip_summed;
	len = p.link + t->without.len + p.payload;
	KUNIT_ASSERT_EQ(test, lpd_strip_prepare(p.skb, p.link), 0);
	KUNIT_ASSERT_EQ(test, lpd_strip(p.skb, p.link, t->opt_off),
			t->with.len - t->without.len);
	KUNIT_ASSERT_EQ(test, p.skb->len, len);
	lpd_test_expect_bytes(test, p.skb, t->frame, len);
	lpd_test_expect_pointers(test, t, &p, ip_summed);
	if (p.other)
		lpd_test_expect_bytes(test, p.other,
				      t->work + p.link + t->with.len +
				      p.payload - p.other->len, p.other->len);
	kfree_skb(p.other);
	kfree_skb(p.skb);
}

/* In packets of every form, only the option is removed. A clone of the packet stays
 * unchanged.
 */
static void lpd_test_packets(struct kunit *test)
{
	struct lpd_test *t = lpd_test_begin(test);
	int i;

	for (i = 0; i < LPD_TEST_PACKETS; i++)
		lpd_test_try_packet(test, t, i & 1);
}

/* An option in front of an authentication header stays, even if the packet ends before that
 * header.
 */
static void lpd_test_authenticated(struct kunit *test)
{
	static const u8 behind[] = { NEXTHDR_AUTH, 0, 1, 4, 0, 0, 0, 0 };
	struct lpd_test *t = lpd_test_begin(test);
	int i;

	for (i = 0; i < LPD_TEST_PACKETS; i++) {
		const u32 protocol[] = { offsetof(struct iphdr, protocol),
					 XLO_IPV6_HLEN, XLO_IPV6_HLEN };
		struct lpd_test_packet p;
		u8 *hdr;

		lpd_test_make(test, t, &p, i % 3 > 0);
		kfree_skb(p.other);
		KUNIT_ASSERT_EQ(test, skb_linearize(p.skb), 0);
		hdr = p.skb->data + p.link;
		hdr[protocol[i % 3]] = i % 3 < 2 ? NEXTHDR_AUTH : NEXTHDR_DEST;
		memcpy(hdr + t->with.len, behind, sizeof(behind));
		memcpy(t->work, p.skb->data, p.skb->len);
		KUNIT_ASSERT_EQ_MSG(test, lpd_strip(p.skb, p.link, t->opt_off),
				    0U, "packet %d, %u bytes of payload", i,
				    p.payload);
		lpd_test_expect_bytes(test, p.skb, t->work, p.skb->len);
		kfree_skb(p.skb);
	}
}

/* The option stays if a device must compute a checksum that starts in the header. A virtual
 * machine can choose any start.
 */
static void lpd_test_summed_header(struct kunit *test)
{
	struct lpd_test *t = lpd_test_begin(test);
	struct lpd_test_packet p;
	int i;

	for (i = 0; i < LPD_TEST_PACKETS; i++) {
		lpd_test_make(test, t, &p, i & 1);
		kfree_skb(p.other);
		KUNIT_ASSERT_EQ(test, skb_linearize(p.skb), 0);
		p.skb->ip_summed = CHECKSUM_PARTIAL;
		p.skb->csum_start = skb_headroom(p.skb) +
				    lpd_test_below(t, p.link + t->with.len);
		memcpy(t->work, p.skb->data, p.skb->len);
		KUNIT_ASSERT_EQ(test, lpd_strip(p.skb, p.link, t->opt_off), 0U);
		lpd_test_expect_bytes(test, p.skb, t->work, p.skb->len);
		kfree_skb(p.skb);
	}
}

#define LPD_TEST_SEGMENT	500
#define LPD_TEST_SEGMENTS	3

/**
 * struct lpd_test_gso - a kind of GSO packet
 * @name: name in messages
 * @type: SKB_GSO_*
 * @ipv6: IPv6 instead of IPv4
 * @tag: the frame has a VLAN tag
 */
struct lpd_test_gso {
	const char *name;
	u32 type;
	bool ipv6;
	bool tag;
};

static const struct lpd_test_gso lpd_test_gso[] = {
	{ "tcp4", SKB_GSO_TCPV4 },
	{ "tcp4 tag", SKB_GSO_TCPV4, .tag = true },
	{ "tcp6", SKB_GSO_TCPV6, .ipv6 = true },
	{ "tcp6 tag", SKB_GSO_TCPV6, .ipv6 = true, .tag = true },
	{ "udp4", SKB_GSO_UDP_L4 },
	{ "udp6", SKB_GSO_UDP_L4, .ipv6 = true },
	{ "udp4 list", SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST },
	{ "udp6 list", SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST, .ipv6 = true },
	{ "udp6 list tag", SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST, .ipv6 = true,
	  .tag = true },
};

static u32 lpd_test_gso_link(const struct lpd_test_gso *gso)
{
	return gso->tag ? VLAN_ETH_HLEN : ETH_HLEN;
}

static bool lpd_test_gso_tcp(const struct lpd_test_gso *gso)
{
	return gso->type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6);
}

static u32 lpd_test_gso_transport(const struct lpd_test_gso *gso)
{
	return lpd_test_gso_tcp(gso) ? sizeof(struct tcphdr) :
				       sizeof(struct udphdr);
}

static void lpd_test_gso_link_header(const struct lpd_test_gso *gso,
				     struct sk_buff *skb)
{
	__be16 proto = htons(gso->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	struct ethhdr *eth = skb_push(skb, lpd_test_gso_link(gso));
	struct vlan_ethhdr *tag = (struct vlan_ethhdr *)eth;

	memset(eth, 0x22, lpd_test_gso_link(gso));
	skb->protocol = gso->tag ? htons(ETH_P_8021Q) : proto;
	eth->h_proto = skb->protocol;
	if (gso->tag)
		tag->h_vlan_encapsulated_proto = proto;
	skb_reset_mac_header(skb);
}

/* Returns the sum over the pseudo header. */
static __sum16 lpd_test_gso_ip_header(const struct lpd_test_gso *gso,
				      struct sk_buff *skb)
{
	u8 proto = lpd_test_gso_tcp(gso) ? IPPROTO_TCP : IPPROTO_UDP;
	u32 len = skb->len;

	if (gso->ipv6) {
		struct ipv6hdr *ip6h = skb_push(skb, sizeof(*ip6h));

		*ip6h = (struct ipv6hdr){
			.version = 6,
			.payload_len = htons(len),
			.nexthdr = proto,
			.saddr.s6_addr = { 1, 2, 3 },
			.daddr.s6_addr = { 4, 5, 6 },
		};
		skb_reset_network_header(skb);
		return csum_ipv6_magic(&ip6h->saddr, &ip6h->daddr, len, proto,
				       0);
	} else {
		struct iphdr *iph = skb_push(skb, sizeof(*iph));

		*iph = (struct iphdr){
			.version = 4,
			.ihl = 5,
			.tot_len = htons(skb->len),
			.id = htons(77),
			.ttl = 64,
			.protocol = proto,
			.saddr = htonl(0x0a000001),
			.daddr = htonl(0x0a000002),
		};
		ip_send_check(iph);
		skb_reset_network_header(skb);
		return csum_tcpudp_magic(iph->saddr, iph->daddr, len, proto, 0);
	}
}

/* Makes a packet with @payload bytes, a link header and skb->data at the IP header. */
static struct sk_buff *lpd_test_gso_packet(struct kunit *test,
					   const struct lpd_test_gso *gso,
					   u32 payload)
{
	struct sk_buff *skb = alloc_skb(256 + payload, GFP_KERNEL);
	u32 transport = lpd_test_gso_transport(gso), i;
	__sum16 sum;
	u8 *hdr;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, 256);
	hdr = skb_put(skb, payload);
	for (i = 0; i < payload; i++)
		hdr[i] = i * 7 >> 3;
	hdr = memset(skb_push(skb, transport), 0, transport);
	skb_reset_transport_header(skb);
	skb->csum_start = skb_headroom(skb);
	sum = ~lpd_test_gso_ip_header(gso, skb);
	if (lpd_test_gso_tcp(gso)) {
		tcp_hdr(skb)->doff = 5;
		tcp_hdr(skb)->check = sum;
		skb->csum_offset = offsetof(struct tcphdr, check);
	} else {
		udp_hdr(skb)->len = htons(transport + payload);
		udp_hdr(skb)->check = sum;
		skb->csum_offset = offsetof(struct udphdr, check);
	}
	skb->ip_summed = CHECKSUM_PARTIAL;
	lpd_test_gso_link_header(gso, skb);
	__skb_pull(skb, lpd_test_gso_link(gso));
	return skb;
}

/* Inserts the option in the same way as the module xlo. Returns the option's offset. */
static u32 lpd_test_gso_insert(struct kunit *test,
			       const struct lpd_test_gso *gso,
			       struct sk_buff *skb)
{
	const struct xlo opt = { 3, 4, 300 };
	struct xlo_place place;

	KUNIT_ASSERT_EQ(test, (int)(gso->ipv6 ? xlo_place6(skb->data, &place) :
						xlo_place4(skb->data, &place)),
			(int)XLO_PLACE_OK);
	KUNIT_ASSERT_EQ(test, xlo_insert(skb, gso->ipv6 ? NFPROTO_IPV6 :
					 NFPROTO_IPV4, &place, &opt), 0);
	return place.at;
}

/* Appends a packet in the same way as GRO chains packets. The skb->data of the chained
 * packet is at its transport header.
 */
static void lpd_test_gso_chain(struct sk_buff *skb, struct sk_buff *last)
{
	struct sk_buff **link = &skb_shinfo(skb)->frag_list;

	while (*link)
		link = &(*link)->next;
	*link = last;
	__skb_pull(last, skb_transport_offset(last));
	skb->len += last->len;
	skb->data_len += last->len;
	skb->truesize += last->truesize;
}

/* Makes a GSO packet with skb->data at its link header. If @opt_off is not NULL, the packet
 * gets the option, and @opt_off is set to its offset.
 */
static struct sk_buff *lpd_test_gso_make(struct kunit *test,
					 const struct lpd_test_gso *gso,
					 u32 *opt_off)
{
	bool list = gso->type & SKB_GSO_FRAGLIST;
	u32 size = LPD_TEST_SEGMENT * (list ? 1 : LPD_TEST_SEGMENTS);
	struct sk_buff *skb, *next;
	int i;

	skb = lpd_test_gso_packet(test, gso, size);
	skb_shinfo(skb)->gso_type = gso->type;
	skb_shinfo(skb)->gso_size = LPD_TEST_SEGMENT;
	skb_shinfo(skb)->gso_segs = LPD_TEST_SEGMENTS;
	if (opt_off)
		*opt_off = lpd_test_gso_insert(test, gso, skb);
	for (i = 1; list && i < LPD_TEST_SEGMENTS; i++) {
		next = lpd_test_gso_packet(test, gso, size);
		if (opt_off)
			lpd_test_gso_insert(test, gso, next);
		lpd_test_gso_chain(skb, next);
	}
	if (list)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	__skb_push(skb, lpd_test_gso_link(gso));
	return skb;
}

static struct sk_buff *lpd_test_gso_segment(struct kunit *test,
					    struct sk_buff *skb)
{
	struct sk_buff *segs = skb_gso_segment(skb, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(segs));
	consume_skb(skb);
	return segs;
}

/* Compares two lists of segments, packet by packet. */
static void lpd_test_expect_segments(struct kunit *test,
				     const struct lpd_test_gso *gso,
				     struct sk_buff *seg,
				     struct sk_buff *wanted)
{
	int count = 0;

	for (; seg && wanted; seg = seg->next, wanted = wanted->next) {
		KUNIT_ASSERT_EQ(test, seg->len, wanted->len);
		lpd_test_expect_bytes(test, seg, wanted->data, wanted->len);
		KUNIT_ASSERT_EQ(test, skb_network_offset(seg),
				skb_network_offset(wanted));
		KUNIT_ASSERT_EQ(test, skb_transport_offset(seg),
				skb_transport_offset(wanted));
		count++;
	}
	KUNIT_ASSERT_TRUE(test, !seg && !wanted);
	KUNIT_EXPECT_EQ_MSG(test, count, LPD_TEST_SEGMENTS, "%s", gso->name);
}

static void lpd_test_try_segments(struct kunit *test,
				  const struct lpd_test_gso *gso)
{
	u32 link = lpd_test_gso_link(gso), grown, opt_off;
	struct sk_buff *skb = lpd_test_gso_make(test, gso, &opt_off);
	struct sk_buff *plain = lpd_test_gso_make(test, gso, NULL);

	grown = skb->len - plain->len;
	KUNIT_ASSERT_EQ(test, lpd_strip_prepare(skb, link), 0);
	KUNIT_ASSERT_EQ_MSG(test, lpd_strip(skb, link, opt_off), grown, "%s",
			    gso->name);
	KUNIT_ASSERT_EQ(test, skb->len, plain->len);
	skb = lpd_test_gso_segment(test, skb);
	plain = lpd_test_gso_segment(test, plain);
	lpd_test_expect_segments(test, gso, skb, plain);
	kfree_skb_list(skb);
	kfree_skb_list(plain);
}

/* A GSO packet from which the option was removed has the same segments as a GSO packet without the
 * option. A chain of packets that GRO made is treated in the same way.
 */
static void lpd_test_segments(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(lpd_test_gso); i++)
		lpd_test_try_segments(test, &lpd_test_gso[i]);
}

static struct kunit_case lpd_test_cases[] = {
	KUNIT_CASE(lpd_test_examples4),
	KUNIT_CASE(lpd_test_examples6),
	KUNIT_CASE(lpd_test_headers4),
	KUNIT_CASE(lpd_test_headers6),
	KUNIT_CASE(lpd_test_damage),
	KUNIT_CASE(lpd_test_inverse),
	KUNIT_CASE(lpd_test_stays),
	KUNIT_CASE(lpd_test_packets),
	KUNIT_CASE(lpd_test_authenticated),
	KUNIT_CASE(lpd_test_summed_header),
	KUNIT_CASE(lpd_test_segments),
	{}
};

static struct kunit_suite lpd_test_suite = {
	.name = "lpd_strip",
	.test_cases = lpd_test_cases,
};

kunit_test_suite(lpd_test_suite);

MODULE_DESCRIPTION("KUnit tests of sch_lpd's strip");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
