// SPDX-License-Identifier: GPL-2.0-or-later
/* Prefixes of addresses: see prefix.h. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "prefix.h"

#define ADDRESS_BITS	128
#define MAPPED_BITS	(8 * ADDRESS_MAPPED)

/* Sets all bits after the prefix to 0. */
static void cut(struct in6_addr *address, unsigned int bits)
{
	for (unsigned int i = 0; i < sizeof(address->s6_addr); i++) {
		unsigned int left = bits > 8 * i ? bits - 8 * i : 0;

		if (left < 8)
			address->s6_addr[i] &= 0xff00 >> left;
	}
}

static bool starts_with(const struct in6_addr *address,
			const struct prefix *prefix)
{
	struct in6_addr first = *address;

	cut(&first, prefix->bits);
	return IN6_ARE_ADDR_EQUAL(&first, &prefix->address);
}

/* Reads an address. Returns the number of bits before the part that the user typed (96 for IPv4, 0
 * for IPv6), or -1.
 */
static int parse_address(const char *text, struct in6_addr *address)
{
	struct in_addr ipv4;

	if (inet_pton(AF_INET6, text, address) == 1)
		return 0;
	if (inet_pton(AF_INET, text, &ipv4) != 1)
		return -1;
	*address = address_map(ipv4);
	return MAPPED_BITS;
}

/* Reads a whole number of up to three digits. Returns -1 for any other text. */
static int parse_length(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)text[i]))
			return -1;
	return len && len <= 3 ? atoi(text) : -1;
}

bool prefix_parse(const char *text, struct prefix *prefix)
{
	const char *slash = strchrnul(text, '/');
	char address[INET6_ADDRSTRLEN];
	int before, length;

	if (slash - text >= (long)sizeof(address))
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	before = parse_address(address, &prefix->address);
	if (before < 0)
		return false;
	length = *slash ? parse_length(slash + 1) : ADDRESS_BITS - before;
	if (length < 0 || length > ADDRESS_BITS - before)
		return false;
	prefix->bits = before + length;
	return starts_with(&prefix->address, prefix);
}

bool prefix_has(const struct prefix *prefix, const struct in6_addr *address)
{
	/* a prefix with a mapped address has at least 96 bits, so it is an IPv4 prefix */
	return IN6_IS_ADDR_V4MAPPED(&prefix->address) ==
	       IN6_IS_ADDR_V4MAPPED(address) && starts_with(address, prefix);
}
