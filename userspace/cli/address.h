/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv4 addresses as IPv6 addresses, in their mapped form ::ffff:192.0.2.1 (RFC 4291 section
 * 2.5.5.2).
 */
#ifndef FRESHLINK_ADDRESS_H
#define FRESHLINK_ADDRESS_H

#include <netinet/in.h>
#include <string.h>

#define ADDRESS_MAPPED	12	/* bytes before the IPv4 address */

/** address_map - return the mapped form of an IPv4 address */
static inline struct in6_addr address_map(struct in_addr ipv4)
{
	struct in6_addr address = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	memcpy(address.s6_addr + ADDRESS_MAPPED, &ipv4, sizeof(ipv4));
	return address;
}

/** address_unmap - return the IPv4 address of a mapped form */
static inline struct in_addr address_unmap(const struct in6_addr *address)
{
	struct in_addr ipv4;

	memcpy(&ipv4, address->s6_addr + ADDRESS_MAPPED, sizeof(ipv4));
	return ipv4;
}

#endif
