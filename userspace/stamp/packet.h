/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of STAMP, the Simple Two-way Active Measurement Protocol (RFC 8762). The
 * Session-Sender sends a test packet, and the Session-Reflector answers with a reflected packet.
 * Documentation/stamp.rst shows the bytes in diagrams.
 *
 * A packet has 44 bytes in the unauthenticated mode, and 112 in the authenticated mode. No field
 * shows whether a packet is a test packet or a reflected packet, or which mode it has. Further
 * bytes may follow the packet. These functions neither read nor write further bytes.
 *
 * The functions only compute, and read each byte of a packet once.
 */
#ifndef FRESHLINK_STAMP_PACKET_H
#define FRESHLINK_STAMP_PACKET_H

#include <nettle/hmac.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_PORT		862	/* UDP port of a Session-Reflector */
#define STAMP_LEN		44	/* bytes of a packet without authentication */
#define STAMP_LEN_AUTH		112	/* bytes of an authenticated packet */

/**
 * struct stamp_key - a key of the authenticated mode, ready for use
 * @hmac: nettle's state after it has processed the key
 */
struct stamp_key {
	struct hmac_sha256_ctx hmac;
};

/**
 * struct stamp_test - the fields of a test packet (RFC 8762 sections 4.2.1 and 4.2.2); a reflected
 *	packet also has these fields
 * @sequence: number of the packet
 * @timestamp: time of sending, as stamp_time() returns
 * @error: error estimate of @timestamp, as stamp_error() returns
 */
struct stamp_test {
	uint32_t sequence;
	uint64_t timestamp;
	uint16_t error;
};

/**
 * struct stamp_reflected - the fields of a reflected packet (RFC 8762 sections 4.3.1 and 4.3.2)
 * @own: number and time of sending of the reflected packet. The number is that of the test packet
 *	if the reflector is stateless. The error estimate also applies to @received
 * @received: time at which the reflector received the test packet
 * @test: the fields of the test packet
 * @ttl: time to live or hop limit with which the test packet arrived
 */
struct stamp_reflected {
	struct stamp_test own;
	uint64_t received;
	struct stamp_test test;
	uint8_t ttl;
};

/**
 * enum stamp_verdict - what a received packet is
 * @STAMP_GOOD: a packet of the expected mode
 * @STAMP_SHORT: too short for the mode
 * @STAMP_FORGED: the HMAC does not match the key
 */
enum stamp_verdict {
	STAMP_GOOD,
	STAMP_SHORT,
	STAMP_FORGED,
};

/**
 * stamp_set_key - prepare a key
 * @key: written
 * @bytes: the bytes of the key
 * @len: number of bytes
 */
void stamp_set_key(struct stamp_key *key, const uint8_t *bytes, size_t len);

/**
 * stamp_len - length of a packet
 * @key: the key of the authenticated mode, NULL in the unauthenticated mode
 *
 * Return: STAMP_LEN or STAMP_LEN_AUTH
 */
size_t stamp_len(const struct stamp_key *key);

/**
 * stamp_put_test - write a test packet
 * @packet: written, stamp_len() bytes
 * @key: as for stamp_len()
 * @test: the fields
 */
void stamp_put_test(uint8_t *packet, const struct stamp_key *key,
		    const struct stamp_test *test);

/**
 * stamp_get_test - read a test packet
 * @packet: the packet
 * @len: its length, which may be greater than stamp_len()
 * @key: as for stamp_len()
 * @test: written, if the packet is good
 *
 * Return: the verdict. A reflected packet of the same mode also counts as a good test packet.
 */
enum stamp_verdict stamp_get_test(const uint8_t *packet, size_t len,
				  const struct stamp_key *key,
				  struct stamp_test *test);

/**
 * stamp_put_reflected - write a reflected packet
 * @packet: written, stamp_len() bytes
 * @key: as for stamp_len()
 * @reflected: the fields
 */
void stamp_put_reflected(uint8_t *packet, const struct stamp_key *key,
			 const struct stamp_reflected *reflected);

/**
 * stamp_get_reflected - read a reflected packet
 * @packet: the packet
 * @len: its length, which may be greater than stamp_len()
 * @key: as for stamp_len()
 * @reflected: written, if the packet is good
 *
 * Return: the verdict. A test packet of the same mode also counts as a good reflected packet.
 */
enum stamp_verdict stamp_get_reflected(const uint8_t *packet, size_t len,
				       const struct stamp_key *key,
				       struct stamp_reflected *reflected);

#endif
