// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections that have ended, for 2 MSL. There are at most as many as connections: the oldest give
 * way.
 */
#include <stdlib.h>
#include <string.h>

#include "endpoint_state.h"

static void remove_oldest(struct fdccp_endpoint *ep)
{
	struct fdccp_timewait *oldest = ep->timewait_oldest;

	ep->timewait_oldest = oldest->newer;
	fdccp_hash_remove(&ep->timewait, &oldest->node);
	fdccp_endpoint_uncharge(ep, sizeof(*oldest));
	free(oldest);
}

static void remove_expired(struct fdccp_endpoint *ep)
{
	while (ep->timewait_oldest && ep->timewait_oldest->until <= ep->now)
		remove_oldest(ep);
}

void fdccp_timewait_clear(struct fdccp_endpoint *ep)
{
	while (ep->timewait_oldest)
		remove_oldest(ep);
}

bool fdccp_timewait_has(struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	uint64_t hash = fdccp_endpoint_hash(ep, flow, sizeof(*flow));
	struct fdccp_hash_node *node;

	remove_expired(ep);
	for (node = fdccp_hash_first(&ep->timewait, hash); node; node = fdccp_hash_next(node)) {
		struct fdccp_timewait *entry = fdccp_container(node, struct fdccp_timewait, node);

		if (!memcmp(&entry->flow, flow, sizeof(*flow)))
			return true;
	}
	return false;
}

static struct fdccp_timewait *new_entry(struct fdccp_endpoint *ep)
{
	struct fdccp_timewait *entry;

	if (ep->timewait.count == ep->config.limits.connections)
		remove_oldest(ep);
	if (!fdccp_endpoint_charge(ep, sizeof(*entry)))
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		fdccp_endpoint_uncharge(ep, sizeof(*entry));
	return entry;
}

void fdccp_timewait_add(struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	struct fdccp_timewait *entry;

	if (fdccp_timewait_has(ep, flow))
		return;
	entry = new_entry(ep);
	if (!entry)
		return;
	entry->flow = *flow;
	entry->until = ep->now + FDCCP_TIMEWAIT_LIFETIME;
	if (ep->timewait_oldest)
		ep->timewait_newest->newer = entry;
	else
		ep->timewait_oldest = entry;
	ep->timewait_newest = entry;
	fdccp_hash_add(&ep->timewait, &entry->node,
		       fdccp_endpoint_hash(ep, flow, sizeof(*flow)));
}

void fdccp_endpoint_timewait(struct fdccp_endpoint *ep, const struct fdccp_conn *conn, int64_t now)
{
	ep->now = now;
	fdccp_timewait_add(ep, &conn->flow);
}
