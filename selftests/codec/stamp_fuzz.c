// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: whatever the bytes, the codec of STAMP reads nothing after them. The codec
 * reads each field where RFC 8762 has it, and writes a packet that is read as the same fields.
 *
 * The input is a packet, which is read in both modes and as both kinds of packet. In the
 * authenticated mode the input is read once unchanged and once with a right HMAC. libFuzzer passes
 * the input in a buffer of exactly its size, and AddressSanitizer guards the buffer's end.
 */
#include <nettle/hmac.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/stamp/packet.h"
#include "fuzz.h"

static const uint8_t key_bytes[16] = "0123456789abcdef";

/* Returns @len bytes as a number. */
static uint64_t number(const uint8_t *at, int len)
{
	uint64_t value = 0;

	for (int i = 0; i < len; i++)
		value = value << 8 | at[i];
	return value;
}

static void right_hmac(const uint8_t *data, uint8_t *hmac)
{
	struct hmac_sha256_ctx state;

	hmac_sha256_set_key(&state, sizeof(key_bytes), key_bytes);
	hmac_sha256_update(&state, 96, data);
	hmac_sha256_digest(&state, 16, hmac);
}

static enum stamp_verdict expected(const uint8_t *data, size_t size,
				   const struct stamp_key *key)
{
	uint8_t hmac[16];

	if (size < (key ? 112 : 44))
		return STAMP_SHORT;
	if (!key)
		return STAMP_GOOD;
	right_hmac(data, hmac);
	return memcmp(hmac, data + 96, 16) ? STAMP_FORGED : STAMP_GOOD;
}

static void try_test(const uint8_t *data, size_t size,
		     const struct stamp_key *key)
{
	struct stamp_test test, again;
	uint8_t packet[STAMP_LEN_AUTH];

	MUST(stamp_get_test(data, size, key, &test) == expected(data, size, key));
	if (expected(data, size, key) != STAMP_GOOD)
		return;
	MUST(test.sequence == number(data, 4));
	MUST(test.timestamp == number(data + (key ? 16 : 4), 8));
	MUST(test.error == number(data + (key ? 24 : 12), 2));
	stamp_put_test(packet, key, &test);
	MUST(expected(packet, stamp_len(key), key) == STAMP_GOOD);
	MUST(stamp_get_test(packet, stamp_len(key), key, &again) == STAMP_GOOD);
	MUST(again.sequence == test.sequence && again.error == test.error);
	MUST(again.timestamp == test.timestamp);
}

static void must_match(const uint8_t *data, const struct stamp_key *key,
		       const struct stamp_reflected *r)
{
	MUST(r->own.sequence == number(data, 4));
	MUST(r->own.timestamp == number(data + (key ? 16 : 4), 8));
	MUST(r->own.error == number(data + (key ? 24 : 12), 2));
	MUST(r->received == number(data + (key ? 32 : 16), 8));
	MUST(r->test.sequence == number(data + (key ? 48 : 24), 4));
	MUST(r->test.timestamp == number(data + (key ? 64 : 28), 8));
	MUST(r->test.error == number(data + (key ? 72 : 36), 2));
	MUST(r->ttl == data[key ? 80 : 40]);
}

static void try_reflected(const uint8_t *data, size_t size,
			  const struct stamp_key *key)
{
	struct stamp_reflected r;
	uint8_t packet[STAMP_LEN_AUTH];

	MUST(stamp_get_reflected(data, size, key, &r) == expected(data, size, key));
	if (expected(data, size, key) != STAMP_GOOD)
		return;
	must_match(data, key, &r);
	stamp_put_reflected(packet, key, &r);
	MUST(expected(packet, stamp_len(key), key) == STAMP_GOOD);
	must_match(packet, key, &r);
}

static void try_sealed(const uint8_t *data, size_t size,
		       const struct stamp_key *key)
{
	uint8_t *sealed = malloc(size);

	MUST(sealed);
	memcpy(sealed, data, size);
	right_hmac(sealed, sealed + 96);
	try_test(sealed, size, key);
	try_reflected(sealed, size, key);
	free(sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stamp_key key;

	stamp_set_key(&key, key_bytes, sizeof(key_bytes));
	try_test(data, size, NULL);
	try_reflected(data, size, NULL);
	try_test(data, size, &key);
	try_reflected(data, size, &key);
	if (size >= STAMP_LEN_AUTH)
		try_sealed(data, size, &key);
	return 0;
}
