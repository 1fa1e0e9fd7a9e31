// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets of STAMP: see packet.h. */
#include <endian.h>
#include <nettle/memops.h>
#include <string.h>

#include "packet.h"

#define SEALED_LEN	96	/* bytes that the HMAC covers (RFC 8762 section 4.4) */
#define HMAC_LEN	16	/* HMAC-SHA-256 is cut to 128 bits (RFC 8762 section 4.4) */

_Static_assert(SEALED_LEN + HMAC_LEN == STAMP_LEN_AUTH, "the HMAC is the last field");

/* The offset of each field in the packets of a mode. The sequence number is at offset 0. All
 * bytes between the fields must be zero when they are sent, and are ignored when they arrive
 * (RFC 8762 section 4.2.1).
 */
struct layout {
	uint8_t timestamp;
	uint8_t error;
	uint8_t received;
	uint8_t test_sequence;
	uint8_t test_timestamp;
	uint8_t test_error;
	uint8_t ttl;
};

static const struct layout plain = {
	.timestamp = 4, .error = 12, .received = 16, .test_sequence = 24,
	.test_timestamp = 28, .test_error = 36, .ttl = 40,
};

static const struct layout authenticated = {
	.timestamp = 16, .error = 24, .received = 32, .test_sequence = 48,
	.test_timestamp = 64, .test_error = 72, .ttl = 80,
};

static const struct layout *layout_of(const struct stamp_key *key)
{
	return key ? &authenticated : &plain;
}

static void put16(uint8_t *at, uint16_t value)
{
	value = htobe16(value);
	memcpy(at, &value, sizeof(value));
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
	value = htobe64(value);
	memcpy(at, &value, sizeof(value));
}

static uint16_t get16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return be64toh(value);
}

void stamp_set_key(struct stamp_key *key, const uint8_t *bytes, size_t len)
{
	hmac_sha256_set_key(&key->hmac, len, bytes);
}

size_t stamp_len(const struct stamp_key *key)
{
	return key ? STAMP_LEN_AUTH : STAMP_LEN;
}

static void make_hmac(const uint8_t *packet, const struct stamp_key *key,
		      uint8_t *hmac)
{
	struct hmac_sha256_ctx state = key->hmac;

	hmac_sha256_update(&state, SEALED_LEN, packet);
	hmac_sha256_digest(&state, HMAC_LEN, hmac);
}

static void seal(uint8_t *packet, const struct stamp_key *key)
{
	if (key)
		make_hmac(packet, key, packet + SEALED_LEN);
}

/* The HMAC is checked before any field is read (RFC 8762 section 4.4). */
static enum stamp_verdict judge(const uint8_t *packet, size_t len,
				const struct stamp_key *key)
{
	uint8_t hmac[HMAC_LEN];

	if (len < stamp_len(key))
		return STAMP_SHORT;
	if (!key)
		return STAMP_GOOD;
	make_hmac(packet, key, hmac);
	/* the duration of this comparison does not reveal how many bytes are correct */
	return memeql_sec(hmac, packet + SEALED_LEN, HMAC_LEN) ? STAMP_GOOD :
								 STAMP_FORGED;
}

/* Writes the fields that both kinds of packet have, and zeros. */
static void put_head(uint8_t *packet, const struct stamp_key *key,
		     const struct stamp_test *head)
{
	const struct layout *at = layout_of(key);

	memset(packet, 0, stamp_len(key));
	put32(packet, head->sequence);
	put64(packet + at->timestamp, head->timestamp);
	put16(packet + at->error, head->error);
}

void stamp_put_test(uint8_t *packet, const struct stamp_key *key,
		    const struct stamp_test *test)
{
	put_head(packet, key, test);
	seal(packet, key);
}

enum stamp_verdict stamp_get_test(const uint8_t *packet, size_t len,
				  const struct stamp_key *key,
				  struct stamp_test *test)
{
	enum stamp_verdict verdict = judge(packet, len, key);
	const struct layout *at = layout_of(key);

	if (verdict != STAMP_GOOD)
		return verdict;
	*test = (struct stamp_test){
		.sequence = get32(packet),
		.timestamp = get64(packet + at->timestamp),
		.error = get16(packet + at->error),
	};
	return STAMP_GOOD;
}

void stamp_put_reflected(uint8_t *packet, const struct stamp_key *key,
			 const struct stamp_reflected *reflected)
{
	const struct layout *at = layout_of(key);

	put_head(packet, key, &reflected->own);
	put64(packet + at->received, reflected->received);
	put32(packet + at->test_sequence, reflected->test.sequence);
	put64(packet + at->test_timestamp, reflected->test.timestamp);
	put16(packet + at->test_error, reflected->test.error);
	packet[at->ttl] = reflected->ttl;
	seal(packet, key);
}

enum stamp_verdict stamp_get_reflected(const uint8_t *packet, size_t len,
				       const struct stamp_key *key,
				       struct stamp_reflected *reflected)
{
	const struct layout *at = layout_of(key);
	struct stamp_test own;
	enum stamp_verdict verdict = stamp_get_test(packet, len, key, &own);

	if (verdict != STAMP_GOOD)
		return verdict;
	*reflected = (struct stamp_reflected){
		.own = own,
		.received = get64(packet + at->received),
		.test.sequence = get32(packet + at->test_sequence),
		.test.timestamp = get64(packet + at->test_timestamp),
		.test.error = get16(packet + at->test_error),
		.ttl = packet[at->ttl],
	};
	return STAMP_GOOD;
}
