// SPDX-License-Identifier: GPL-2.0-or-later
/* Clients: connections to a server, from an ephemeral port at random (RFC 6056). */
#include <errno.h>

#include "endpoint_state.h"

/* RFC 6056 section 3.2 */
#define PORT_FIRST	1024
#define PORTS		(65536 - PORT_FIRST)

static bool is_free(struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	return !fdccp_is_listening(ep, flow->local_port) && !fdccp_endpoint_find(ep, flow) &&
	       !fdccp_timewait_has(ep, flow);
}

/* RFC 6056 section 3.3.1, algorithm 1. Return: the port, or 0 if none is free */
static uint16_t choose_port(struct fdccp_endpoint *ep, struct fdccp_flow *flow)
{
	uint32_t start;

	ep->config.random(ep->config.context, &start, sizeof(start));
	for (uint32_t i = 0; i < PORTS; i++) {
		flow->local_port = PORT_FIRST + (start % PORTS + i) % PORTS;
		if (is_free(ep, flow))
			return flow->local_port;
	}
	return 0;
}

static int start(struct fdccp_endpoint *ep, const struct fdccp_path *path,
		 const struct fdccp_flow *flow, uint32_t service,
		 const struct fdccp_params *params, struct fdccp_conn **conn)
{
	uint64_t iss = fdccp_initial_seq(&ep->secrets, path, flow->local_port, flow->remote_port,
					 ep->now);

	*conn = fdccp_conn_new(ep, path, flow->local_port, flow->remote_port, service, params,
			       false, iss, ep->now);
	if (!*conn)
		return -ENOMEM;
	if (fdccp_endpoint_add(ep, *conn))
		return 0;
	fdccp_conn_free(*conn);
	*conn = NULL;
	return -ENOMEM;
}

int fdccp_connect(struct fdccp_endpoint *ep, const struct fdccp_path *path, uint16_t port,
		  uint32_t service, const struct fdccp_params *params, int64_t now,
		  struct fdccp_conn **conn)
{
	struct fdccp_flow flow;

	fdccp_endpoint_begin(ep, now);
	if (service == FDCCP_SERVICE_INVALID || !fdccp_params_valid(ep, params) ||
	    path->local.sa.sa_family != path->remote.sa.sa_family)
		return -EINVAL;
	fdccp_flow_set(&flow, path, 0, port);
	if (!fdccp_endpoint_has_room(ep, &flow))
		return -ENOBUFS;
	if (!choose_port(ep, &flow))
		return -EADDRNOTAVAIL;
	return start(ep, path, &flow, service, params, conn);
}
