// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Secrets. What is made from them is authenticated by SipHash-2-4, over a label for its purpose and
 * the six numbers, so that nothing made for one purpose or connection serves another.
 *
 * An Init Cookie, which the client need not read but may:
 *
 *	bytes	what
 *	0-5	sequence number of the Request
 *	6-9	service code
 *	10	CCID of this end
 *	11	CCID of the peer
 *	12	FDCCP_COOKIE_... flags
 *	13-17	Sequence Window of the peer
 *	18	Minimum Checksum Coverage: 4 bits of the peer, 4 bits of this end
 *	19-21	time in units of 10 us
 *	22-29	authentication of all that, the Response's number and the six numbers
 */
#include <string.h>

#include "cookie.h"
#include "seq.h"
#include "wire.h"

#define COOKIE_PLAIN	22
#define WINDOW_MAX	((UINT64_C(1) << 40) - 1)
#define SEQ_TICK	4000	/* ns, RFC 6528 section 3 */

enum label {
	LABEL_ISN,
	LABEL_COOKIE,
	LABEL_TOKEN,
	LABEL_CHALLENGE,
};

/* what is hashed, without gaps */
struct input {
	struct fdccp_flow flow;
	uint64_t label;
	uint64_t iss;
	uint8_t plain[24];
};

static void set_input(struct input *in, enum label label, const struct fdccp_path *path,
		      uint16_t local_port, uint16_t remote_port, uint64_t iss)
{
	*in = (struct input){ .label = label, .iss = iss };
	fdccp_flow_set(&in->flow, path, local_port, remote_port);
}

bool fdccp_equal(const void *a, const void *b, size_t len)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t different = 0;

	for (size_t i = 0; i < len; i++)
		different |= x[i] ^ y[i];
	return !different;
}

static void make_key(const struct fdccp_config *config, uint8_t key[16])
{
	config->random(config->context, key, 16);
}

void fdccp_secrets_init(struct fdccp_secrets *s, const struct fdccp_config *config, int64_t now)
{
	make_key(config, s->isn);
	make_key(config, s->token);
	make_key(config, s->cookie[0]);
	make_key(config, s->cookie[1]);
	s->changed = now;
}

void fdccp_secrets_refresh(struct fdccp_secrets *s, const struct fdccp_config *config, int64_t now)
{
	int64_t age = now - s->changed;

	if (age < FDCCP_SECRET_LIFETIME)
		return;
	memcpy(s->cookie[1], s->cookie[0], sizeof(s->cookie[1]));
	/* the current key is too old even for the previous one */
	if (age >= 2 * FDCCP_SECRET_LIFETIME)
		make_key(config, s->cookie[1]);
	make_key(config, s->cookie[0]);
	/* a late call lets no key live longer */
	s->changed += age / FDCCP_SECRET_LIFETIME * FDCCP_SECRET_LIFETIME;
}

uint64_t fdccp_initial_seq(const struct fdccp_secrets *s, const struct fdccp_path *path,
			   uint16_t local_port, uint16_t remote_port, int64_t now)
{
	struct input in;

	set_input(&in, LABEL_ISN, path, local_port, remote_port, 0);
	return fdccp_seq_add(fdccp_siphash(s->isn, &in, sizeof(in)), now / SEQ_TICK);
}

static void authenticate(const uint8_t key[16], const uint8_t *plain, const struct fdccp_path *path,
			 uint16_t local_port, uint16_t remote_port, uint64_t iss, uint8_t out[8])
{
	struct input in;

	set_input(&in, LABEL_COOKIE, path, local_port, remote_port, iss);
	memcpy(in.plain, plain, COOKIE_PLAIN);
	fdccp_put_number(out, 8, fdccp_siphash(key, &in, sizeof(in)));
}

size_t fdccp_cookie_write(const struct fdccp_secrets *s, const struct fdccp_cookie *cookie,
			  const struct fdccp_path *path, uint16_t local_port, uint16_t remote_port,
			  uint8_t out[FDCCP_COOKIE_SIZE])
{
	uint64_t window = cookie->peer_window < WINDOW_MAX ? cookie->peer_window : WINDOW_MAX;

	fdccp_put_number(out, 6, cookie->isr);
	fdccp_put_number(out + 6, 4, cookie->service);
	out[10] = cookie->ccid;
	out[11] = cookie->peer_ccid;
	out[12] = cookie->flags;
	fdccp_put_number(out + 13, 5, window);
	out[18] = cookie->min_coverage[0] << 4 | cookie->min_coverage[1];
	fdccp_put_number(out + 19, 3, cookie->rtt_clock & 0xffffff);
	authenticate(s->cookie[0], out, path, local_port, remote_port, cookie->iss,
		     out + COOKIE_PLAIN);
	return FDCCP_COOKIE_SIZE;
}

static void read_plain(struct fdccp_cookie *cookie, const uint8_t *in, uint64_t iss)
{
	*cookie = (struct fdccp_cookie){
		.isr = fdccp_get_number(in, 6),
		.iss = iss,
		.service = fdccp_get_number(in + 6, 4),
		.ccid = in[10],
		.peer_ccid = in[11],
		.flags = in[12],
		.peer_window = fdccp_get_number(in + 13, 5),
		.min_coverage = { in[18] >> 4, in[18] & 15 },
		.rtt_clock = fdccp_get_number(in + 19, 3),
	};
}

int fdccp_cookie_read(const struct fdccp_secrets *s, struct fdccp_cookie *cookie,
		      const struct fdccp_path *path, uint16_t local_port, uint16_t remote_port,
		      uint64_t ack, const uint8_t *in, size_t len)
{
	if (len != FDCCP_COOKIE_SIZE)
		return -1;
	for (int i = 0; i < 2; i++) {
		uint8_t tag[8];

		authenticate(s->cookie[i], in, path, local_port, remote_port, ack, tag);
		if (fdccp_equal(tag, in + COOKIE_PLAIN, sizeof(tag))) {
			read_plain(cookie, in, ack);
			return 0;
		}
	}
	return -1;
}

void fdccp_move_token(const struct fdccp_secrets *s, const struct fdccp_path *path,
		      uint16_t local_port, uint16_t remote_port, uint64_t iss, uint8_t out[16])
{
	struct input in;

	set_input(&in, LABEL_TOKEN, path, local_port, remote_port, iss);
	for (int half = 0; half < 2; half++) {
		in.plain[0] = half;
		fdccp_put_number(out + 8 * half, 8, fdccp_siphash(s->token, &in, sizeof(in)));
	}
}

void fdccp_challenge_answer(const uint8_t token[16], const uint8_t challenge[8], uint16_t port,
			    uint16_t peer_port, uint8_t out[8])
{
	uint8_t in[12];

	memcpy(in, challenge, 8);
	fdccp_put_number(in + 8, 2, port);
	fdccp_put_number(in + 10, 2, peer_port);
	fdccp_put_number(out, 8, fdccp_siphash(token, in, sizeof(in)));
}

void fdccp_move_challenge(const struct fdccp_secrets *s, const struct fdccp_path *path,
			  uint16_t local_port, uint16_t remote_port, uint64_t iss, bool old,
			  uint8_t out[8])
{
	struct input in;

	set_input(&in, LABEL_CHALLENGE, path, local_port, remote_port, iss);
	fdccp_put_number(out, 8, fdccp_siphash(s->cookie[old], &in, sizeof(in)));
}
