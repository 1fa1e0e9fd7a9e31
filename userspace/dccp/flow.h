/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The six numbers that name a connection: two addresses, two UDP ports and two DCCP ports. */
#ifndef FDCCP_FLOW_H
#define FDCCP_FLOW_H

#include <stddef.h>
#include <string.h>

#include "freshlink-dccp.h"

/**
 * struct fdccp_flow - the six numbers in one form for both families, without gaps
 * @local: address of this host; IPv4 as IPv4-mapped, which no IPv6 packet has
 * @remote: address of the peer
 * @local_udp: UDP ports in network order, 0 with the carrier ip
 * @remote_udp: likewise
 * @local_port: DCCP ports in host order
 * @remote_port: likewise
 *
 * The scope of a link-local address does not count: two links hardly have the same six numbers.
 */
struct fdccp_flow {
	uint8_t local[16], remote[16];
	uint16_t local_udp, remote_udp;
	uint16_t local_port, remote_port;
};

void fdccp_flow_set(struct fdccp_flow *flow, const struct fdccp_path *path, uint16_t local_port,
		    uint16_t remote_port);

static inline bool fdccp_flow_same_address(const union fdccp_address *a,
					   const union fdccp_address *b)
{
	/* family, port and address come first, in this order */
	if (a->sa.sa_family == AF_INET)
		return !memcmp(a, b, offsetof(struct sockaddr_in, sin_zero));
	return a->sa.sa_family == b->sa.sa_family && a->in6.sin6_port == b->in6.sin6_port &&
	       !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, sizeof(a->in6.sin6_addr));
}

/* Whether two paths have the same addresses and UDP ports. */
static inline bool fdccp_flow_same_path(const struct fdccp_path *a, const struct fdccp_path *b)
{
	return fdccp_flow_same_address(&a->remote, &b->remote) &&
	       fdccp_flow_same_address(&a->local, &b->local);
}

/* Who sends from @flow: an IPv4 address, or the first half of an IPv6 address. */
void fdccp_flow_source(const struct fdccp_flow *flow, uint8_t address[16]);

/* Whether two flows have the same addresses, but perhaps other ports. */
bool fdccp_flow_same_hosts(const struct fdccp_flow *a, const struct fdccp_flow *b);

#endif
