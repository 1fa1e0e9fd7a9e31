/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second implementation of <linux/xlo.h>, simple rather than fast. The reference shares
 * no code and no constants with the codec. The fuzzer compares the two.
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
 * struct reference - the result of a search for the option
 * @found: whether the option was found; the other members are valid only for
 *	REFERENCE_FOUND
 * @offset: offset of the option's type byte from the IP header
 * @type: type byte
 * @reorder: reorder field
 * @flags: flags field with unknown bits cleared
 * @lifetime: lifetime field
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
 * @size: number of bytes at @data
 * @version: the expected IP version, 4 or 6
 */
struct reference reference_find(const uint8_t *data, size_t size, int version);

/**
 * reference_header_size() - length of the IP header and a hop-by-hop header
 * @data: the header
 * @size: number of bytes at @data
 * @version: the expected IP version, 4 or 6
 *
 * Return: the length, or 0 if @size is too small. If the packet has another version, the
 * length of the fixed header
 */
size_t reference_header_size(const uint8_t *data, size_t size, int version);

/**
 * reference_ipv4_sum() - one's complement sum of an IPv4 header
 * @data: the header
 * @size: length of the header
 * @with_check: whether the sum includes the header checksum
 */
uint32_t reference_ipv4_sum(const uint8_t *data, size_t size, int with_check);

/**
 * reference_delta_ms() - time until an absolute deadline, in ms, negative after the
 * deadline
 * @lifetime: the lifetime field
 * @now: present time, in ms since midnight UT
 */
int64_t reference_delta_ms(uint64_t lifetime, uint64_t now);

#endif /* CODEC_REFERENCE_H */
