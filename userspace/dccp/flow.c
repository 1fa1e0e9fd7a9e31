// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "flow.h"

static const uint8_t mapped[12] = { [10] = 0xff, 0xff };

static uint16_t set_address(uint8_t out[16], const union fdccp_address *address)
{
	if (address->sa.sa_family == AF_INET6) {
		memcpy(out, &address->in6.sin6_addr, 16);
		return address->in6.sin6_port;
	}
	memcpy(out, mapped, sizeof(mapped));
	memcpy(out + 12, &address->in.sin_addr, 4);
	return address->in.sin_port;
}

void fdccp_flow_set(struct fdccp_flow *flow, const struct fdccp_path *path, uint16_t local_port,
		    uint16_t remote_port)
{
	flow->local_udp = set_address(flow->local, &path->local);
	flow->remote_udp = set_address(flow->remote, &path->remote);
	flow->local_port = local_port;
	flow->remote_port = remote_port;
}

void fdccp_flow_source(const struct fdccp_flow *flow, uint8_t address[16])
{
	memcpy(address, flow->remote, 16);
	if (memcmp(address, mapped, sizeof(mapped)))
		memset(address + 8, 0, 8);
}

bool fdccp_flow_same_hosts(const struct fdccp_flow *a, const struct fdccp_flow *b)
{
	return !memcmp(a->local, b->local, 16) && !memcmp(a->remote, b->remote, 16);
}
