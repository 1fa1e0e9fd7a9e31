// SPDX-License-Identifier: GPL-2.0
/* Where the timeouts of connections stand: a table of a fixed size. */

#include <linux/hash.h>
#include <linux/typecheck.h>
#include "flow.h"

/**
 * xrto_flow_find() - what is remembered of a connection, or room for it
 * @flows: the table; only one at a time uses it
 * @cookie: that of the connection's socket
 * @now: 64-bit jiffies
 *
 * What is forgotten by now makes room, no other does: else who can make messages believed
 * for many connections would have those of others forgotten.
 *
 * Return: the flow, all 0 but @cookie if it is new; NULL where there is no room
 */
struct xrto_flow *xrto_flow_find(struct xrto_flows *flows, u64 cookie, u64 now)
{
	struct xrto_flow *set =
		flows->flow[hash_64(cookie, XRTO_FLOW_SETS_BITS)];
	struct xrto_flow *room = NULL;
	int i;

	for (i = 0; i < XRTO_FLOW_WAYS; i++) {
		if (set[i].cookie == cookie)
			return &set[i];
		if (!set[i].cookie || time_after_eq64(now, set[i].until))
			room = &set[i];
	}
	if (room)
		*room = (struct xrto_flow){ .cookie = cookie };
	return room;
}
