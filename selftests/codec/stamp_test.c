// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The codec of STAMP writes and reads exactly the bytes of RFC 8762. Each buffer has exactly the
 * needed size, and AddressSanitizer guards its end. The bytes in this file were written by hand
 * according to the RFC, and their HMACs were computed with Python's hmac. Prints TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/stamp/packet.h"
#include "../../userspace/stamp/timestamp.h"
#include "unit.h"

#define SECOND	UINT64_C(1000000000)

static const struct stamp_test a_test = {
	.sequence = 0x01020304, .timestamp = 0xee001122334455aa, .error = 0x8a01,
};

static const struct stamp_reflected a_reflected = {
	.own = { .sequence = 0x01020304, .timestamp = 0xee001122334455ac,
		 .error = 0x0bff },
	.received = 0xee001122334455ab,
	.test = { .sequence = 0xa1a2a3a4, .timestamp = 0xee001122334455aa,
		  .error = 0x8a01 },
	.ttl = 0xfd,
};

/* Four bytes of a packet, and the offset of the first. All other bytes of the packet are 0. */
struct word {
	size_t at;
	uint8_t bytes[4];
};

#define END	{ SIZE_MAX, { 0 } }

static const struct word plain_test[] = {
	{ 0, { 0x01, 0x02, 0x03, 0x04 } }, { 4, { 0xee, 0x00, 0x11, 0x22 } },
	{ 8, { 0x33, 0x44, 0x55, 0xaa } }, { 12, { 0x8a, 0x01 } },
	END,
};

static const struct word plain_reflected[] = {
	{ 0, { 0x01, 0x02, 0x03, 0x04 } }, { 4, { 0xee, 0x00, 0x11, 0x22 } },
	{ 8, { 0x33, 0x44, 0x55, 0xac } }, { 12, { 0x0b, 0xff } },
	{ 16, { 0xee, 0x00, 0x11, 0x22 } }, { 20, { 0x33, 0x44, 0x55, 0xab } },
	{ 24, { 0xa1, 0xa2, 0xa3, 0xa4 } }, { 28, { 0xee, 0x00, 0x11, 0x22 } },
	{ 32, { 0x33, 0x44, 0x55, 0xaa } }, { 36, { 0x8a, 0x01 } },
	{ 40, { 0xfd } }, END,
};

static const struct word sealed_test[] = {
	{ 0, { 0x01, 0x02, 0x03, 0x04 } }, { 16, { 0xee, 0x00, 0x11, 0x22 } },
	{ 20, { 0x33, 0x44, 0x55, 0xaa } }, { 24, { 0x8a, 0x01 } },
	{ 96, { 0x11, 0xaa, 0xe1, 0x47 } }, { 100, { 0xe6, 0x6b, 0x15, 0x6e } },
	{ 104, { 0x2b, 0xd8, 0xdd, 0x36 } }, { 108, { 0xe7, 0x4c, 0x1e, 0xe1 } },
	END,
};

static const struct word sealed_reflected[] = {
	{ 0, { 0x01, 0x02, 0x03, 0x04 } }, { 16, { 0xee, 0x00, 0x11, 0x22 } },
	{ 20, { 0x33, 0x44, 0x55, 0xac } }, { 24, { 0x0b, 0xff } },
	{ 32, { 0xee, 0x00, 0x11, 0x22 } }, { 36, { 0x33, 0x44, 0x55, 0xab } },
	{ 48, { 0xa1, 0xa2, 0xa3, 0xa4 } }, { 64, { 0xee, 0x00, 0x11, 0x22 } },
	{ 68, { 0x33, 0x44, 0x55, 0xaa } }, { 72, { 0x8a, 0x01 } },
	{ 80, { 0xfd } },
	{ 96, { 0xd5, 0x5a, 0x1e, 0x68 } }, { 100, { 0x45, 0x99, 0xd8, 0x6e } },
	{ 104, { 0xc8, 0xa0, 0x8c, 0x52 } }, { 108, { 0x5a, 0x5c, 0x3f, 0x35 } },
	END,
};

/* Returns a packet that the caller frees. */
static uint8_t *built(const struct word *words, size_t len)
{
	uint8_t *packet = calloc(1, len);

	if (!packet)
		abort();
	for (; words->at != SIZE_MAX; words++)
		memcpy(packet + words->at, words->bytes, sizeof(words->bytes));
	return packet;
}

static bool same(const uint8_t *packet, const struct word *words, size_t len)
{
	uint8_t *want = built(words, len);
	bool equal = !memcmp(packet, want, len);

	free(want);
	return equal;
}

static const struct stamp_key *the_key(void)
{
	static struct stamp_key key;
	uint8_t bytes[20];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	stamp_set_key(&key, bytes, sizeof(bytes));
	return &key;
}

static bool writes(const struct stamp_key *key, const struct word *test,
		   const struct word *reflected)
{
	size_t len = stamp_len(key);
	uint8_t *packet = malloc(len);

	memset(packet, 0x55, len);
	stamp_put_test(packet, key, &a_test);
	MUST(same(packet, test, len));
	memset(packet, 0x55, len);
	stamp_put_reflected(packet, key, &a_reflected);
	MUST(same(packet, reflected, len));
	free(packet);
	return true;
}

static bool equal_test(const struct stamp_test *a, const struct stamp_test *b)
{
	return a->sequence == b->sequence && a->timestamp == b->timestamp &&
	       a->error == b->error;
}

static bool equal_reflected(const struct stamp_reflected *a,
			    const struct stamp_reflected *b)
{
	return equal_test(&a->own, &b->own) && a->received == b->received &&
	       equal_test(&a->test, &b->test) && a->ttl == b->ttl;
}

static bool reads(const struct stamp_key *key, const struct word *test_words,
		  const struct word *reflected_words)
{
	size_t len = stamp_len(key);
	uint8_t *test = built(test_words, len);
	uint8_t *reflected = built(reflected_words, len);
	struct stamp_reflected r;
	struct stamp_test t;

	MUST(stamp_get_test(test, len, key, &t) == STAMP_GOOD);
	MUST(equal_test(&t, &a_test));
	MUST(stamp_get_reflected(reflected, len, key, &r) == STAMP_GOOD);
	MUST(equal_reflected(&r, &a_reflected));
	free(test);
	free(reflected);
	return true;
}

static bool test_plain(void)
{
	MUST(stamp_len(NULL) == 44);
	MUST(writes(NULL, plain_test, plain_reflected));
	MUST(reads(NULL, plain_test, plain_reflected));
	return true;
}

static bool test_authenticated(void)
{
	MUST(stamp_len(the_key()) == 112);
	MUST(writes(the_key(), sealed_test, sealed_reflected));
	MUST(reads(the_key(), sealed_test, sealed_reflected));
	return true;
}

/* The bytes between the fields have no effect in the unauthenticated mode. */
static bool test_gaps(void)
{
	uint8_t *packet = built(plain_reflected, STAMP_LEN);
	struct stamp_reflected r;

	packet[14] = packet[15] = packet[38] = packet[39] = packet[41] =
		packet[42] = packet[43] = 0xff;
	MUST(stamp_get_reflected(packet, STAMP_LEN, NULL, &r) == STAMP_GOOD);
	MUST(equal_reflected(&r, &a_reflected));
	free(packet);
	return true;
}

/* No byte after a packet that is too short is read, and nothing is written. */
static bool test_short(void)
{
	const struct stamp_key *keys[] = { NULL, the_key() };

	for (int k = 0; k < 2; k++) {
		for (size_t len = 0; len < stamp_len(keys[k]); len++) {
			struct stamp_reflected r = a_reflected;
			struct stamp_test t = a_test;
			uint8_t *packet = calloc(1, len ? len : 1);

			MUST(stamp_get_test(packet, len, keys[k], &t) == STAMP_SHORT);
			MUST(stamp_get_reflected(packet, len, keys[k], &r) == STAMP_SHORT);
			MUST(equal_test(&t, &a_test));
			MUST(equal_reflected(&r, &a_reflected));
			free(packet);
		}
	}
	return true;
}

/* The HMAC covers each bit of an authenticated packet, also the bits between the fields. */
static bool test_forged(void)
{
	uint8_t *packet = built(sealed_reflected, STAMP_LEN_AUTH);
	struct stamp_reflected r = a_reflected;
	struct stamp_test t = a_test;

	for (size_t bit = 0; bit < STAMP_LEN_AUTH * 8; bit++) {
		packet[bit / 8] ^= 1 << bit % 8;
		MUST(stamp_get_test(packet, STAMP_LEN_AUTH, the_key(), &t) ==
		     STAMP_FORGED);
		MUST(stamp_get_reflected(packet, STAMP_LEN_AUTH, the_key(),
					 &r) == STAMP_FORGED);
		packet[bit / 8] ^= 1 << bit % 8;
	}
	MUST(equal_test(&t, &a_test) && equal_reflected(&r, &a_reflected));
	MUST(stamp_get_test(packet, STAMP_LEN_AUTH, the_key(), &t) == STAMP_GOOD);
	free(packet);
	return true;
}

static bool test_another_key(void)
{
	uint8_t *packet = built(sealed_test, STAMP_LEN_AUTH);
	struct stamp_key other;
	struct stamp_test t;

	for (size_t len = 16; len <= 64; len++) {
		uint8_t bytes[64] = { 1 };

		stamp_set_key(&other, bytes, len);
		MUST(stamp_get_test(packet, STAMP_LEN_AUTH, &other, &t) ==
		     STAMP_FORGED);
	}
	free(packet);
	return true;
}

/* Further bytes are not covered by the HMAC. */
static bool test_longer(void)
{
	uint8_t *packet = built(sealed_test, STAMP_LEN_AUTH + 9);
	struct stamp_test t;

	memset(packet + STAMP_LEN_AUTH, 0xab, 9);
	MUST(stamp_get_test(packet, STAMP_LEN_AUTH + 9, the_key(), &t) ==
	     STAMP_GOOD);
	MUST(equal_test(&t, &a_test));
	stamp_put_reflected(packet, the_key(), &a_reflected);
	for (int i = 0; i < 9; i++)
		MUST(packet[STAMP_LEN_AUTH + i] == 0xab);
	free(packet);
	return true;
}

/* Times from 1970 on, also around the end of NTP's first era in 2036. */
static bool test_times(void)
{
	static const struct {
		int64_t ns;
		uint64_t time;
	} times[] = {
		{ 0, 0x83aa7e8000000000 },
		{ 1, 0x83aa7e8000000004 },
		{ 500000000, 0x83aa7e8080000000 },
		{ 999999999, 0x83aa7e80fffffffc },
		{ 1795157744999999999, 0xeeaa6d70fffffffc },
		{ 2085978495999999999, 0xfffffffffffffffc },
		{ 2085978496000000000, 0 },
		{ 2085978497000000000, 0x0000000100000000 },
		{ INT64_MAX, 0xa96bfb84dad29658 },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		MUST(stamp_time(times[i].ns) == times[i].time);
	return true;
}

/* Different ns have different time stamps, and each time stamp is converted back to the same ns.
 */
static bool test_times_are_exact(void)
{
	for (uint64_t ns = 0; ns < SECOND; ns += 99991) {
		uint64_t part = stamp_time(ns) & UINT32_MAX;

		MUST((part * SECOND + (UINT64_C(1) << 31)) >> 32 == ns);
	}
	return true;
}

static bool test_errors(void)
{
	static const struct {
		uint64_t ns;
		uint16_t error;
	} errors[] = {
		{ 0, 0x0001 },		/* the Multiplier must not be 0 */
		{ 1, 0x0005 },		/* 4.3 units */
		{ 59, 0x00fe },
		{ 60, 0x0181 },		/* 257.7 units are 129 * 2 */
		{ 1000000, 0x0f84 },	/* 131.1 * 2^15 */
		{ SECOND, 0x1980 },	/* 128 * 2^25 */
		{ 16 * SECOND, 0x1d80 },
		{ UINT64_MAX, 0x3980 },	/* 2^32 s or nearly */
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		MUST(stamp_error(errors[i].ns, false) == errors[i].error);
		MUST(stamp_error(errors[i].ns, true) == (errors[i].error | 0x8000));
	}
	return true;
}

/* The estimate is never less than the error, and exceeds it by less than one part in 64. */
static bool test_errors_are_close(void)
{
	for (uint64_t ns = 100; ns < 100 * SECOND; ns += ns / 7 + 1) {
		uint16_t error = stamp_error(ns, false);
		double said = (double)(error & 0xff) * (UINT64_C(1) << (error >> 8)) /
			      4294967296.0 * 1e9;

		MUST(said >= ns && said < ns * (1 + 1.0 / 64));
	}
	return true;
}

static const struct unit tests[] = {
	{ "packets of the unauthenticated mode", test_plain },
	{ "packets of the authenticated mode", test_authenticated },
	{ "bytes between the fields", test_gaps },
	{ "short packets", test_short },
	{ "a changed bit", test_forged },
	{ "another key", test_another_key },
	{ "bytes behind a packet", test_longer },
	{ "times", test_times },
	{ "times to the ns", test_times_are_exact },
	{ "error estimates", test_errors },
	{ "error estimates are rounded up", test_errors_are_close },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
