/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prefixes of addresses. Every address is an IPv6 address. An IPv4 address is in its mapped form,
 * ::ffff:192.0.2.1 (RFC 4291 section 2.5.5.2).
 */
#ifndef FRESHLINK_PREFIX_H
#define FRESHLINK_PREFIX_H

#include <netinet/in.h>
#include <stdbool.h>

/**
 * struct prefix - a prefix
 * @address: its first address
 * @bits: its length; an IPv4 prefix has at least 96 bits
 */
struct prefix {
	struct in6_addr address;
	unsigned int bits;
};

/**
 * prefix_parse - read a prefix
 * @text: for example 192.0.2.0/24 or 2001:db8::/32; without a length, one address
 * @prefix: written
 *
 * Return: whether @text is a prefix, and all bits after its length are 0
 */
bool prefix_parse(const char *text, struct prefix *prefix);

/**
 * prefix_has - whether an address is in a prefix
 * @prefix: the prefix; an IPv6 prefix contains no IPv4 address, not even ::/0
 * @address: the address
 */
bool prefix_has(const struct prefix *prefix, const struct in6_addr *address);

#endif
