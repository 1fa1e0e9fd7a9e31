// SPDX-License-Identifier: GPL-2.0-or-later
/* The connections of an endpoint: by their six numbers, by their ports, and by source. */
#include <stdlib.h>
#include <string.h>

#include "endpoint_state.h"

/* pointers in the tables, which are at least half full, and in the heap: a connection's share */
#define TABLE_BYTES	(6 * sizeof(void *))

uint64_t fdccp_endpoint_hash(const struct fdccp_endpoint *ep, const void *key, size_t len)
{
	return fdccp_siphash(ep->hash_key, key, len);
}

static uint64_t hash_ports(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	uint16_t ports[2] = { flow->local_port, flow->remote_port };

	return fdccp_endpoint_hash(ep, ports, sizeof(ports));
}

static bool is_at(const struct fdccp_conn *conn, const struct fdccp_flow *flow)
{
	return fdccp_endpoint_is_live(conn) && !memcmp(&conn->flow, flow, sizeof(*flow));
}

struct fdccp_conn *fdccp_endpoint_find(struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	struct fdccp_hash_node *node;

	node = fdccp_hash_first(&ep->by_flow, fdccp_endpoint_hash(ep, flow, sizeof(*flow)));
	for (; node; node = fdccp_hash_next(node)) {
		struct fdccp_conn *conn = fdccp_container(node, struct fdccp_conn, by_flow);

		if (is_at(conn, flow))
			return ep->recent = conn;
	}
	return NULL;
}

bool fdccp_endpoint_has_ended(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	struct fdccp_hash_node *node;

	node = fdccp_hash_first(&ep->by_flow, fdccp_endpoint_hash(ep, flow, sizeof(*flow)));
	for (; node; node = fdccp_hash_next(node)) {
		struct fdccp_conn *conn = fdccp_container(node, struct fdccp_conn, by_flow);

		if (!fdccp_endpoint_is_live(conn) && !memcmp(&conn->flow, flow, sizeof(*flow)))
			return true;
	}
	return false;
}

struct fdccp_conn *fdccp_endpoint_find_ports(struct fdccp_endpoint *ep,
					     const struct fdccp_flow *flow,
					     struct fdccp_conn *conn)
{
	struct fdccp_hash_node *node = conn ? fdccp_hash_next(&conn->by_ports) :
		fdccp_hash_first(&ep->by_ports, hash_ports(ep, flow));

	for (; node; node = fdccp_hash_next(node)) {
		conn = fdccp_container(node, struct fdccp_conn, by_ports);
		if (fdccp_endpoint_is_live(conn) && conn->flow.local_port == flow->local_port &&
		    conn->flow.remote_port == flow->remote_port)
			return conn;
	}
	return NULL;
}

static struct fdccp_source *find_source(const struct fdccp_endpoint *ep, const uint8_t address[16])
{
	struct fdccp_hash_node *node;

	node = fdccp_hash_first(&ep->sources, fdccp_endpoint_hash(ep, address, 16));
	for (; node; node = fdccp_hash_next(node)) {
		struct fdccp_source *source = fdccp_container(node, struct fdccp_source, node);

		if (!memcmp(source->address, address, 16))
			return source;
	}
	return NULL;
}

static bool source_has_room(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	const struct fdccp_source *source;
	uint8_t address[16];

	fdccp_flow_source(flow, address);
	source = find_source(ep, address);
	return !source || source->count < ep->config.limits.per_source;
}

bool fdccp_endpoint_has_room(const struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	return ep->by_flow.count < ep->config.limits.connections && source_has_room(ep, flow);
}

static struct fdccp_source *new_source(struct fdccp_endpoint *ep, const uint8_t address[16])
{
	struct fdccp_source *source;

	if (!fdccp_endpoint_charge(ep, sizeof(*source)))
		return NULL;
	source = calloc(1, sizeof(*source));
	if (!source) {
		fdccp_endpoint_uncharge(ep, sizeof(*source));
		return NULL;
	}
	memcpy(source->address, address, 16);
	fdccp_hash_add(&ep->sources, &source->node, fdccp_endpoint_hash(ep, address, 16));
	return source;
}

static struct fdccp_source *get_source(struct fdccp_endpoint *ep, const struct fdccp_flow *flow)
{
	struct fdccp_source *source;
	uint8_t address[16];

	fdccp_flow_source(flow, address);
	source = find_source(ep, address);
	if (!source)
		source = new_source(ep, address);
	if (source)
		source->count++;
	return source;
}

static void put_source(struct fdccp_endpoint *ep, struct fdccp_source *source)
{
	if (--source->count)
		return;
	fdccp_hash_remove(&ep->sources, &source->node);
	fdccp_endpoint_uncharge(ep, sizeof(*source));
	free(source);
}

bool fdccp_endpoint_add(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	struct fdccp_flow flow;

	if (!fdccp_heap_reserve(&ep->heap, ep->by_flow.count + 1) ||
	    !fdccp_endpoint_charge(ep, TABLE_BYTES))
		return false;
	fdccp_flow_set(&flow, &conn->path, conn->local_port, conn->remote_port);
	conn->source = get_source(ep, &flow);
	if (!conn->source) {
		fdccp_endpoint_uncharge(ep, TABLE_BYTES);
		return false;
	}
	conn->flow = flow;
	conn->made = ep->now;
	conn->challenged = ep->now;
	conn->heap = (struct fdccp_heap_entry){ .when = FDCCP_NEVER, .index = FDCCP_HEAP_OUT };
	fdccp_hash_add(&ep->by_flow, &conn->by_flow, fdccp_endpoint_hash(ep, &flow, sizeof(flow)));
	fdccp_hash_add(&ep->by_ports, &conn->by_ports, hash_ports(ep, &flow));
	fdccp_endpoint_update(ep, conn);
	return true;
}

void fdccp_endpoint_forget(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	/* the cookie that made it must not make it again */
	if (conn->by_cookie)
		fdccp_timewait_add(ep, &conn->flow);
	fdccp_stranger_note_reset(ep, conn);
	if (ep->recent == conn)
		ep->recent = NULL;
	fdccp_half_open_remove(ep, conn);
	fdccp_unqueue(ep, conn);
	fdccp_heap_remove(&ep->heap, &conn->heap);
	fdccp_hash_remove(&ep->by_flow, &conn->by_flow);
	fdccp_hash_remove(&ep->by_ports, &conn->by_ports);
	put_source(ep, conn->source);
	fdccp_endpoint_uncharge(ep, TABLE_BYTES);
	fdccp_conn_free(conn);
}

bool fdccp_endpoint_rename(struct fdccp_endpoint *ep, struct fdccp_conn *conn,
			   const struct fdccp_flow *flow)
{
	struct fdccp_source *source = get_source(ep, flow);

	if (!source)
		return false;
	/* it may move within its source */
	if (source != conn->source && source->count > ep->config.limits.per_source) {
		put_source(ep, source);
		return false;
	}
	put_source(ep, conn->source);
	conn->source = source;
	fdccp_hash_remove(&ep->by_flow, &conn->by_flow);
	conn->flow = *flow;
	fdccp_hash_add(&ep->by_flow, &conn->by_flow, fdccp_endpoint_hash(ep, flow, sizeof(*flow)));
	return true;
}
