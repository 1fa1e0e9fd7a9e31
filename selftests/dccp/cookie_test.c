// SPDX-License-Identifier: GPL-2.0-or-later
/* Secrets of an endpoint: SipHash, initial sequence numbers, Init Cookies and what moves need. */
#include <arpa/inet.h>
#include <string.h>

#include "../codec/unit.h"
#include "cookie.h"
#include "seq.h"

#define SECOND	INT64_C(1000000000)

static uint64_t random_state;

static void random_bytes(void *context, void *buf, size_t len)
{
	uint8_t *at = buf;

	(void)context;
	while (len--) {
		random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
		*at++ = random_state >> 56;
	}
}

static const struct fdccp_config config = { .random = random_bytes };

static struct fdccp_secrets secrets_at(int64_t now)
{
	struct fdccp_secrets s;

	random_state = 1;
	fdccp_secrets_init(&s, &config, now);
	return s;
}

static struct fdccp_path make_path(uint32_t local, uint32_t remote, uint16_t port)
{
	struct fdccp_path path = { 0 };

	path.local.in = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(6511), .sin_addr.s_addr = htonl(local),
	};
	path.remote.in = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(remote),
	};
	return path;
}

/* SipHash-2-4 of the bytes 0, 1, ... under the key 0, 1, ... 15: the vectors of its authors */
static bool siphash_vectors(void)
{
	static const struct {
		size_t len;
		uint8_t sum[8];
	} vectors[] = {
		{ 0, { 0x31, 0x0e, 0x0e, 0xdd, 0x47, 0xdb, 0x6f, 0x72 } },
		{ 1, { 0xfd, 0x67, 0xdc, 0x93, 0xc5, 0x39, 0xf8, 0x74 } },
		{ 2, { 0x5a, 0x4f, 0xa9, 0xd9, 0x09, 0x80, 0x6c, 0x0d } },
		{ 3, { 0x2d, 0x7e, 0xfb, 0xd7, 0x96, 0x66, 0x67, 0x85 } },
		{ 4, { 0xb7, 0x87, 0x71, 0x27, 0xe0, 0x94, 0x27, 0xcf } },
		{ 5, { 0x8d, 0xa6, 0x99, 0xcd, 0x64, 0x55, 0x76, 0x18 } },
		{ 6, { 0xce, 0xe3, 0xfe, 0x58, 0x6e, 0x46, 0xc9, 0xcb } },
		{ 7, { 0x37, 0xd1, 0x01, 0x8b, 0xf5, 0x00, 0x02, 0xab } },
		{ 8, { 0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93 } },
		{ 9, { 0xb0, 0xe4, 0xa9, 0x0b, 0xdf, 0x82, 0x00, 0x9e } },
		{ 10, { 0xf3, 0xb9, 0xdd, 0x94, 0xc5, 0xbb, 0x5d, 0x7a } },
		{ 11, { 0xa7, 0xad, 0x6b, 0x22, 0x46, 0x2f, 0xb3, 0xf4 } },
		{ 12, { 0xfb, 0xe5, 0x0e, 0x86, 0xbc, 0x8f, 0x1e, 0x75 } },
		{ 13, { 0x90, 0x3d, 0x84, 0xc0, 0x27, 0x56, 0xea, 0x14 } },
		{ 14, { 0xee, 0xf2, 0x7a, 0x8e, 0x90, 0xca, 0x23, 0xf7 } },
		{ 15, { 0xe5, 0x45, 0xbe, 0x49, 0x61, 0xca, 0x29, 0xa1 } },
		{ 63, { 0x72, 0x45, 0x06, 0xeb, 0x4c, 0x32, 0x8a, 0x95 } },
	};
	uint8_t key[16], in[64];

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = i;
	memcpy(key, in, sizeof(key));
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		uint64_t sum = fdccp_siphash(key, in, vectors[i].len);

		for (int byte = 0; byte < 8; byte++)
			MUST((uint8_t)(sum >> (8 * byte)) == vectors[i].sum[byte]);
	}
	return true;
}

/* An initial number has 48 bits, moves on by one in 4 us, and says nothing about other flows. */
static bool initial_numbers(void)
{
	struct fdccp_secrets s = secrets_at(0), other;
	struct fdccp_path path = make_path(1, 2, 3), port = make_path(1, 2, 4);
	uint64_t first = fdccp_initial_seq(&s, &path, 5, 6, 0);

	fdccp_secrets_init(&other, &config, 0);
	MUST(first <= FDCCP_SEQ_MASK);
	MUST(fdccp_initial_seq(&s, &path, 5, 6, 3999) == first);
	MUST(fdccp_initial_seq(&s, &path, 5, 6, 4000) == fdccp_seq_add(first, 1));
	MUST(fdccp_initial_seq(&s, &path, 5, 6, 3600 * SECOND) ==
	     fdccp_seq_add(first, INT64_C(900000000)));
	MUST(fdccp_initial_seq(&s, &path, 6, 5, 0) != first);
	MUST(fdccp_initial_seq(&s, &port, 5, 6, 0) != first);
	MUST(fdccp_initial_seq(&other, &path, 5, 6, 0) != first);
	return true;
}

static const struct fdccp_cookie cookie = {
	.isr = UINT64_C(0xfedcba987654), .iss = UINT64_C(0x123456789abc), .service = 0x66647a70,
	.ccid = 3, .peer_ccid = 2, .flags = 0xa5, .peer_window = 12345, .min_coverage = { 7, 12 },
	.rtt_clock = 0xabcdef,
};

/* A cookie of 30 bytes brings back all that was put into it. */
static bool cookie_round_trip(void)
{
	struct fdccp_secrets s = secrets_at(0);
	struct fdccp_path path = make_path(1, 2, 3);
	struct fdccp_cookie in = cookie, out;
	uint8_t bytes[FDCCP_COOKIE_SIZE];

	MUST(fdccp_cookie_write(&s, &in, &path, 5, 6, bytes) == 30);
	MUST(!fdccp_cookie_read(&s, &out, &path, 5, 6, in.iss, bytes, 30));
	MUST(out.isr == in.isr && out.iss == in.iss && out.service == in.service);
	MUST(out.ccid == 3 && out.peer_ccid == 2 && out.flags == 0xa5);
	MUST(out.peer_window == 12345 && out.min_coverage[0] == 7 && out.min_coverage[1] == 12);
	MUST(out.rtt_clock == 0xabcdef);
	in.peer_window = UINT64_C(1) << 45;
	fdccp_cookie_write(&s, &in, &path, 5, 6, bytes);
	MUST(!fdccp_cookie_read(&s, &out, &path, 5, 6, in.iss, bytes, 30));
	MUST(out.peer_window == (UINT64_C(1) << 40) - 1);
	return true;
}

/* A cookie with any bit changed, of another length, or for other addresses, ports or another
 * acknowledgment number is refused.
 */
static bool cookie_forged(void)
{
	struct fdccp_secrets s = secrets_at(0);
	struct fdccp_path path = make_path(1, 2, 3), other_udp = make_path(1, 2, 4);
	struct fdccp_path other_host = make_path(1, 9, 3), other_local = make_path(7, 2, 3);
	struct fdccp_cookie out;
	uint8_t bytes[FDCCP_COOKIE_SIZE + 1] = { 0 };

	fdccp_cookie_write(&s, &cookie, &path, 5, 6, bytes);
	for (int bit = 0; bit < 8 * FDCCP_COOKIE_SIZE; bit++) {
		bytes[bit / 8] ^= 1 << bit % 8;
		MUST(fdccp_cookie_read(&s, &out, &path, 5, 6, cookie.iss, bytes, 30) == -1);
		bytes[bit / 8] ^= 1 << bit % 8;
	}
	MUST(fdccp_cookie_read(&s, &out, &path, 5, 6, cookie.iss, bytes, 29) == -1);
	MUST(fdccp_cookie_read(&s, &out, &path, 5, 6, cookie.iss, bytes, 31) == -1);
	MUST(fdccp_cookie_read(&s, &out, &path, 5, 7, cookie.iss, bytes, 30) == -1);
	MUST(fdccp_cookie_read(&s, &out, &path, 4, 6, cookie.iss, bytes, 30) == -1);
	MUST(fdccp_cookie_read(&s, &out, &path, 5, 6, cookie.iss + 1, bytes, 30) == -1);
	MUST(fdccp_cookie_read(&s, &out, &other_udp, 5, 6, cookie.iss, bytes, 30) == -1);
	MUST(fdccp_cookie_read(&s, &out, &other_host, 5, 6, cookie.iss, bytes, 30) == -1);
	MUST(fdccp_cookie_read(&s, &out, &other_local, 5, 6, cookie.iss, bytes, 30) == -1);
	MUST(!fdccp_cookie_read(&s, &out, &path, 5, 6, cookie.iss, bytes, 30));
	return true;
}

/* Whether a cookie made at @made is good at @then, if the secrets are refreshed every @step. */
static bool is_good(int64_t made, int64_t then, int64_t step)
{
	struct fdccp_secrets s = secrets_at(0);
	struct fdccp_path path = make_path(1, 2, 3);
	uint8_t bytes[FDCCP_COOKIE_SIZE];
	struct fdccp_cookie out;
	int64_t now;

	for (now = 0; now < made; now += step)
		fdccp_secrets_refresh(&s, &config, now);
	fdccp_secrets_refresh(&s, &config, made);
	fdccp_cookie_write(&s, &cookie, &path, 5, 6, bytes);
	for (; now < then; now += step)
		fdccp_secrets_refresh(&s, &config, now);
	fdccp_secrets_refresh(&s, &config, then);
	return !fdccp_cookie_read(&s, &out, &path, 5, 6, cookie.iss, bytes, FDCCP_COOKIE_SIZE);
}

/* A cookie is good for 60 s whenever it was made, and refused after 120 s, however often the
 * secrets are looked at.
 */
static bool cookie_lifetime(void)
{
	static const int64_t steps[] = { SECOND, 7 * SECOND, 59 * SECOND, 1000 * SECOND };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (int64_t made = 0; made < 200 * SECOND; made += 9 * SECOND) {
			MUST(is_good(made, made + 60 * SECOND - 1, steps[i]));
			MUST(!is_good(made, made + 120 * SECOND, steps[i]));
		}
		MUST(is_good(0, 120 * SECOND - 1, steps[i]));
	}
	return true;
}

/* A token is the same again for one connection, and another one for each other. */
static bool move_tokens(void)
{
	struct fdccp_secrets s = secrets_at(0);
	struct fdccp_path path = make_path(1, 2, 3);
	uint8_t token[16], again[16], other[16];

	fdccp_move_token(&s, &path, 5, 6, 7, token);
	fdccp_secrets_refresh(&s, &config, 500 * SECOND);
	fdccp_move_token(&s, &path, 5, 6, 7, again);
	MUST(fdccp_equal(token, again, 16));
	fdccp_move_token(&s, &path, 5, 6, 8, other);
	MUST(memcmp(token, other, 8) && memcmp(token + 8, other + 8, 8));
	MUST(memcmp(token, token + 8, 8));
	return true;
}

/* An answer is SipHash under the token over challenge, port of the challenger, and the other
 * port.
 */
static bool challenge_answers(void)
{
	static const uint8_t in[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 0x13, 0x89, 0xc0, 0x01 };
	uint8_t token[16] = { 9, 8, 7 }, answer[8], back[8];
	uint64_t sum = fdccp_siphash(token, in, sizeof(in));

	fdccp_challenge_answer(token, in, 0x1389, 0xc001, answer);
	for (int i = 0; i < 8; i++)
		MUST(answer[i] == (uint8_t)(sum >> (56 - 8 * i)));
	fdccp_challenge_answer(token, in, 0xc001, 0x1389, back);
	MUST(memcmp(answer, back, 8));
	return true;
}

/* A challenge is another one for each address, and for each 60 s. */
static bool challenges(void)
{
	struct fdccp_secrets s = secrets_at(0);
	struct fdccp_path path = make_path(1, 2, 3), moved = make_path(1, 2, 4);
	uint8_t first[8], other[8];

	fdccp_move_challenge(&s, &path, 5, 6, 7, false, first);
	fdccp_move_challenge(&s, &moved, 5, 6, 7, false, other);
	MUST(memcmp(first, other, 8));
	fdccp_secrets_refresh(&s, &config, 60 * SECOND);
	fdccp_move_challenge(&s, &path, 5, 6, 7, false, other);
	MUST(memcmp(first, other, 8));
	fdccp_move_challenge(&s, &path, 5, 6, 7, true, other);
	MUST(!memcmp(first, other, 8));
	return true;
}

/* A comparison sees a difference in each byte. */
static bool comparison(void)
{
	uint8_t a[16] = { 0 }, b[16] = { 0 };

	MUST(fdccp_equal(a, b, 16));
	for (int bit = 0; bit < 128; bit++) {
		b[bit / 8] = 1 << bit % 8;
		MUST(!fdccp_equal(a, b, 16));
		b[bit / 8] = 0;
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "siphash_vectors", siphash_vectors },
		{ "initial_numbers", initial_numbers },
		{ "cookie_round_trip", cookie_round_trip },
		{ "cookie_forged", cookie_forged },
		{ "cookie_lifetime", cookie_lifetime },
		{ "move_tokens", move_tokens },
		{ "challenge_answers", challenge_answers },
		{ "challenges", challenges },
		{ "comparison", comparison },
	};

	return unit_run(tests, sizeof(tests) / sizeof(*tests));
}
