// SPDX-License-Identifier: GPL-2.0-or-later
/* SipHash-2-4: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012. */
#include <endian.h>
#include <string.h>

#include "cookie.h"

static uint64_t load(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

static uint64_t rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned int count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

uint64_t fdccp_siphash(const uint8_t key[16], const void *data, size_t len)
{
	uint64_t k0 = load(key), k1 = load(key + 8);
	uint64_t v[4] = {
		k0 ^ UINT64_C(0x736f6d6570736575),
		k1 ^ UINT64_C(0x646f72616e646f6d),
		k0 ^ UINT64_C(0x6c7967656e657261),
		k1 ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *at = data;
	uint8_t last[8] = { [7] = (uint8_t)len };

	for (size_t words = len / 8; words; words--, at += 8)
		absorb(v, load(at));
	if (len % 8)
		memcpy(last, at, len % 8);
	absorb(v, load(last));
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
