/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Secrets of an endpoint: for initial sequence numbers, Init Cookies, and tokens to move. */
#ifndef FDCCP_COOKIE_H
#define FDCCP_COOKIE_H

#include "flow.h"
#include "freshlink-dccp.h"

#define FDCCP_SECRET_LIFETIME	INT64_C(60000000000)
#define FDCCP_COOKIE_SIZE	30

/**
 * struct fdccp_secrets - SipHash-2-4 keys
 * @isn: for initial sequence numbers, never changes (RFC 6528)
 * @token: for Move Tokens, never changes
 * @cookie: the current key and the one before it
 * @changed: when the current cookie key was due
 */
struct fdccp_secrets {
	uint8_t isn[16];
	uint8_t token[16];
	uint8_t cookie[2][16];
	int64_t changed;
};

void fdccp_secrets_init(struct fdccp_secrets *s, const struct fdccp_config *config, int64_t now);

/* Makes a new cookie key if the current one is older than FDCCP_SECRET_LIFETIME. */
void fdccp_secrets_refresh(struct fdccp_secrets *s, const struct fdccp_config *config, int64_t now);

/* SipHash-2-4 with 64 bits of output. */
uint64_t fdccp_siphash(const uint8_t key[16], const void *data, size_t len);

/* An initial sequence number: a clock of 4 us plus a hash of the six numbers (RFC 6528). */
uint64_t fdccp_initial_seq(const struct fdccp_secrets *s, const struct fdccp_path *path,
			   uint16_t local_port, uint16_t remote_port, int64_t now);

/**
 * struct fdccp_cookie - what a server must know at the third packet
 * @isr: sequence number of the Request
 * @iss: of the Response. It is not in the cookie, because the third packet acknowledges it, but the
 *	authentication covers it
 * @service: service code
 * @ccid: of this end, agreed on
 * @peer_ccid: of the peer
 * @flags: FDCCP_COOKIE_...
 * @peer_window: Sequence Window of the peer; the cookie holds at most 2^40 - 1
 * @min_coverage: that both ends agreed on, [0] of the peer, [1] of this end
 * @rtt_clock: low 24 bits of the time in units of 10 us, for a first round-trip time
 */
struct fdccp_cookie {
	uint64_t isr, iss;
	uint32_t service;
	uint8_t ccid, peer_ccid;
	uint8_t flags;
	uint64_t peer_window;
	uint8_t min_coverage[2];
	uint32_t rtt_clock;
};

#define FDCCP_COOKIE_OURS		0x01
#define FDCCP_COOKIE_ECN_INCAPABLE	0x02	/* this end */
#define FDCCP_COOKIE_PEER_ECN_INCAPABLE	0x04
#define FDCCP_COOKIE_ACK_VECTOR		0x08	/* this end sends them */
#define FDCCP_COOKIE_PEER_ACK_VECTOR	0x10
#define FDCCP_COOKIE_NDP		0x20
#define FDCCP_COOKIE_PEER_NDP		0x40
#define FDCCP_COOKIE_DATA_CHECKSUM	0x80

/* Writes a cookie, authenticated for these addresses and ports. Return: its length. */
size_t fdccp_cookie_write(const struct fdccp_secrets *s, const struct fdccp_cookie *cookie,
			  const struct fdccp_path *path, uint16_t local_port, uint16_t remote_port,
			  uint8_t out[FDCCP_COOKIE_SIZE]);

/**
 * fdccp_cookie_read() - read a cookie
 * @s: secrets, after fdccp_secrets_refresh()
 * @cookie: the result
 * @path: addresses of the packet
 * @local_port: port here
 * @remote_port: port of the peer
 * @ack: the packet's acknowledgment number
 * @in: value of the option
 * @len: its length
 *
 * Return: 0, or -1 if this endpoint did not make it for these addresses, ports and @ack, or it is
 * older than two lifetimes of a secret
 */
int fdccp_cookie_read(const struct fdccp_secrets *s, struct fdccp_cookie *cookie,
		      const struct fdccp_path *path, uint16_t local_port, uint16_t remote_port,
		      uint64_t ack, const uint8_t *in, size_t len);

/* The Move Token that this end gives to a peer: a secret that it can find again from its initial
 * sequence number.
 */
void fdccp_move_token(const struct fdccp_secrets *s, const struct fdccp_path *path,
		      uint16_t local_port, uint16_t remote_port, uint64_t iss, uint8_t out[16]);

/* The value of Challenge Answer: @token is that of the end that challenges, from @port; the
 * challenged end has @peer_port.
 */
void fdccp_challenge_answer(const uint8_t token[16], const uint8_t challenge[8], uint16_t port,
			    uint16_t peer_port, uint8_t out[8]);

/* Fills @out with a challenge for a flow that the peer has to answer from there; with @old the one
 * that the previous secret made.
 */
void fdccp_move_challenge(const struct fdccp_secrets *s, const struct fdccp_path *path,
			  uint16_t local_port, uint16_t remote_port, uint64_t iss, bool old,
			  uint8_t out[8]);

/* Compares in a time that does not depend on the bytes. */
bool fdccp_equal(const void *a, const void *b, size_t len);

#endif
