/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second implementation of <linux/xlo.h>, simple rather than fast. It shares no code and
 * no constant with the codec, and the fuzzer compares the two.
 */
#ifndef CODEC_REFERENCE_H
#define CODEC_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum reference_found {
	REFERENCE_NONE,
	REFERENCE_FOUND,
	REFERENCE_MALFORMED,
	REFERENCE_SHORT,
};

/**
 * struct reference - an option, as found
 * @found: the result; the rest counts only with REFERENCE_FOUND
 * @offset: of the type byte from the IP header
 * @type: its type byte
 * @reorder: its reorder field
 * @flags: its flags field, unknown bits cleared
 * @lifetime: its lifetime field
 */
struct reference {
	enum reference_found found;
	size_t offset;
	unsigned int type;
	unsigned int reorder;
	unsigned int flags;
	uint64_t lifetime;
};

/**
 * reference_find() - look for the option in an IP header
 * @data: the header
 * @size: bytes there
 * @version: 4 or 6, the header that is expected
 */
struct reference reference_find(const uint8_t *data, size_t size, int version);

/**
 * reference_header_size() - whole length of the headers that matter
 * @data: the header
 * @size: bytes there
 * @version: 4 or 6, the header that is expected
 *
 * Return: the length, 0 if @size is too small to know. With another version, the length of
 * the bytes that show this
 */
size_t reference_header_size(const uint8_t *data, size_t size, int version);

/**
 * reference_ipv4_sum() - one's complement sum of an IPv4 header
 * @data: the header
 * @size: its length
 * @with_check: whether the header checksum is summed up too
 */
uint32_t reference_ipv4_sum(const uint8_t *data, size_t size, int with_check);

/**
 * reference_delta_ms() - how far away an absolute deadline is
 * @lifetime: the lifetime field
 * @now: ms since midnight UT
 */
int64_t reference_delta_ms(uint64_t lifetime, uint64_t now);

#endif /* CODEC_REFERENCE_H */
