// SPDX-License-Identifier: GPL-2.0-or-later
/* DCCP's checksums (RFC 4340 section 9). */
#include "checksum.h"

#include <arpa/inet.h>
#include <string.h>

#define PROTOCOL	33	/* IP's protocol number of DCCP */

long fdccp_covered(unsigned int coverage, size_t header, size_t len)
{
	size_t covered = coverage == 0 ? len : header + (coverage - 1) * 4;

	return covered > len ? -1 : (long)covered;
}

/*
 * Adds bytes as words of 32 bits in the byte order of the host, and zeros behind the last one. The
 * one's complement sum of 16 bits comes out the same (RFC 1071 section 2).
 */
static uint64_t add(uint64_t sum, const void *data, size_t len)
{
	const uint8_t *at = data;
	uint32_t word;

	for (; len >= sizeof(word); len -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum += word;
	}
	word = 0;
	if (len > 0)
		memcpy(&word, at, len);
	return sum + word;
}

/* Length and protocol are a word each with IPv6. With IPv4 they are halves, with the same sum. */
static uint64_t add_pseudo_header(uint64_t sum, const struct fdccp_path *path, size_t len)
{
	sum += htonl(len);
	sum += htonl(PROTOCOL);
	if (path->local.sa.sa_family == AF_INET) {
		sum += path->local.in.sin_addr.s_addr;
		return sum + path->remote.in.sin_addr.s_addr;
	}
	sum = add(sum, &path->local.in6.sin6_addr, sizeof(struct in6_addr));
	return add(sum, &path->remote.in6.sin6_addr, sizeof(struct in6_addr));
}

uint16_t fdccp_checksum(const struct fdccp_path *path, const uint8_t *packet, size_t len,
			size_t covered)
{
	uint64_t sum = add(0, packet, covered);

	if (path)
		sum = add_pseudo_header(sum, path, len);
	while (sum > UINT16_MAX)
		sum = (sum & UINT16_MAX) + (sum >> 16);
	return ~sum;
}

/* CRC-32c of the byte @i. The CRC is linear, so it is the sum of those of the bits. */
#define ENTRY(i)							\
	(((i) & 0x01 ? 0xf26b8303 : 0) ^ ((i) & 0x02 ? 0xe13b70f7 : 0) ^	\
	 ((i) & 0x04 ? 0xc79a971f : 0) ^ ((i) & 0x08 ? 0x8ad958cf : 0) ^	\
	 ((i) & 0x10 ? 0x105ec76f : 0) ^ ((i) & 0x20 ? 0x20bd8ede : 0) ^	\
	 ((i) & 0x40 ? 0x417b1dbc : 0) ^ ((i) & 0x80 ? 0x82f63b78 : 0))
#define ENTRIES4(i)	ENTRY(i), ENTRY((i) + 1), ENTRY((i) + 2), ENTRY((i) + 3)
#define ENTRIES16(i)	ENTRIES4(i), ENTRIES4((i) + 4), ENTRIES4((i) + 8), ENTRIES4((i) + 12)
#define ENTRIES64(i)	ENTRIES16(i), ENTRIES16((i) + 16), ENTRIES16((i) + 32), ENTRIES16((i) + 48)

static const uint32_t crc_table[256] = {
	ENTRIES64(0), ENTRIES64(64), ENTRIES64(128), ENTRIES64(192),
};

uint32_t fdccp_crc32c(const void *data, size_t len)
{
	const uint8_t *at = data;
	uint32_t crc = UINT32_MAX;

	while (len-- > 0)
		crc = crc >> 8 ^ crc_table[(crc ^ *at++) & 0xff];
	return __builtin_bswap32(~crc);
}
