// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "endpoint_state.h"

static const struct fdccp_limits defaults = {
	.connections = 16384,
	.half_open = 1024,
	.stateless = 128,
	.per_source = 1024,
	.memory = 256 << 20,
	.strangers = 100,
};

static void fill_limits(struct fdccp_limits *limits)
{
#define FILL(name) (limits->name = limits->name ? limits->name : defaults.name)
	FILL(connections);
	FILL(half_open);
	FILL(stateless);
	FILL(per_source);
	FILL(memory);
	FILL(strangers);
#undef FILL
}

static void free_tables(struct fdccp_endpoint *ep)
{
	fdccp_hash_free(&ep->by_flow);
	fdccp_hash_free(&ep->by_ports);
	fdccp_hash_free(&ep->sources);
	fdccp_hash_free(&ep->timewait);
	fdccp_heap_free(&ep->heap);
}

struct fdccp_endpoint *fdccp_endpoint_new(const struct fdccp_config *config, int64_t now)
{
	struct fdccp_endpoint *ep = calloc(1, sizeof(*ep));

	if (!ep)
		return NULL;
	if (!fdccp_hash_init(&ep->by_flow) || !fdccp_hash_init(&ep->by_ports) ||
	    !fdccp_hash_init(&ep->sources) || !fdccp_hash_init(&ep->timewait)) {
		free_tables(ep);
		free(ep);
		return NULL;
	}
	ep->config = *config;
	fill_limits(&ep->config.limits);
	ep->now = now;
	ep->memory = sizeof(*ep);
	ep->strangers_due = now;
	fdccp_secrets_init(&ep->secrets, config, now);
	config->random(config->context, ep->hash_key, sizeof(ep->hash_key));
	return ep;
}

void fdccp_endpoint_free(struct fdccp_endpoint *ep)
{
	struct fdccp_hash_node *node;

	if (!ep)
		return;
	while ((node = fdccp_hash_any(&ep->by_flow)))
		fdccp_endpoint_forget(ep, fdccp_container(node, struct fdccp_conn, by_flow));
	while (ep->listeners)
		fdccp_unlisten(ep, ep->listeners->port);
	fdccp_timewait_clear(ep);
	free_tables(ep);
	free(ep);
}

const struct fdccp_config *fdccp_endpoint_config(const struct fdccp_endpoint *ep)
{
	return &ep->config;
}

const struct fdccp_secrets *fdccp_endpoint_secrets(const struct fdccp_endpoint *ep)
{
	return &ep->secrets;
}

void fdccp_count(struct fdccp_endpoint *ep, enum fdccp_counter_index counter)
{
	ep->counter[counter]++;
	if (counter >= FDCCP_CAUSE_FIRST && counter <= FDCCP_CAUSE_LAST)
		ep->refused = true;
}

uint64_t fdccp_counter(const struct fdccp_endpoint *ep, unsigned int index, const char **name)
{
	static const char *const names[] = {
#define NAME(name, text) #name,
		FDCCP_COUNTERS(NAME)
#undef NAME
	};

	*name = index < FDCCP_COUNT_MAX ? names[index] : NULL;
	return *name ? ep->counter[index] : 0;
}

bool fdccp_endpoint_charge(struct fdccp_endpoint *ep, size_t bytes)
{
	if (ep->memory > ep->config.limits.memory || bytes > ep->config.limits.memory - ep->memory)
		return false;
	ep->memory += bytes;
	return true;
}

void fdccp_endpoint_uncharge(struct fdccp_endpoint *ep, size_t bytes)
{
	ep->memory -= bytes;
}

/* bytes that the checksum of a written or received packet covers, or -1 */
static long covered(const uint8_t *data, size_t len)
{
	return fdccp_covered(data[5] & 15, (size_t)data[4] * 4, len);
}

void fdccp_endpoint_seal(struct fdccp_endpoint *ep, struct fdccp_datagram *datagram)
{
	bool udp = ep->config.carrier == FDCCP_CARRIER_UDP;
	uint16_t sum;

	fdccp_count(ep, FDCCP_COUNT_sent);
	if (udp && !datagram->bare)
		return; /* the field stays 0, RFC 6773 section 3.3 */
	/* NATs change the addresses of UDP, and do not know DCCP's checksum in it */
	sum = fdccp_checksum(udp ? NULL : &datagram->path, datagram->data, datagram->len,
			     covered(datagram->data, datagram->len));
	/* in UDP 0 means that there is none; both are the same in one's complement */
	if (udp && !sum)
		sum = UINT16_MAX;
	memcpy(datagram->data + 6, &sum, sizeof(sum));
}

/* Over UDP the checksum is ignored (RFC 6773 section 3.3): that of UDP covers all. Only an endpoint
 * that takes bare datagrams reads it, unless it is 0: its sockets let no datagram through that has
 * neither checksum.
 */
static bool is_intact(const struct fdccp_endpoint *ep, struct fdccp_packet *packet,
		      const struct fdccp_datagram *datagram, size_t covered)
{
	bool udp = ep->config.carrier == FDCCP_CARRIER_UDP;

	packet->bare = udp && ep->config.no_udp_checksum && fdccp_get_16(datagram->data + 6);
	return (udp && !packet->bare) ||
	       !fdccp_checksum(udp ? NULL : &datagram->path, datagram->data, datagram->len,
			       covered);
}

/* RFC 4340 section 8.5 step 1, and short sequence numbers, which no feature ever allows (step 6). */
static bool is_good(struct fdccp_endpoint *ep, struct fdccp_packet *packet,
		    const struct fdccp_datagram *datagram)
{
	long bytes = (long)datagram->len;

	if (fdccp_packet_parse(packet, datagram->data, datagram->len)) {
		fdccp_count(ep, FDCCP_COUNT_malformed);
		return false;
	}
	if (packet->coverage)
		bytes = covered(datagram->data, datagram->len);
	if (bytes < 0) {
		fdccp_count(ep, FDCCP_COUNT_coverage);
		return false;
	}
	if (!is_intact(ep, packet, datagram, bytes)) {
		fdccp_count(ep, FDCCP_COUNT_checksum);
		return false;
	}
	if (!packet->extended)
		fdccp_count(ep, FDCCP_COUNT_short_seq);
	return packet->extended;
}

/* Whether @conn has not ended and has the six numbers of a packet. */
static bool is_of(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
		  const struct fdccp_datagram *datagram)
{
	return conn->local_port == packet->dest && conn->remote_port == packet->source &&
	       fdccp_endpoint_is_live(conn) &&
	       fdccp_flow_same_path(&conn->path, &datagram->path);
}

/* RFC 4340 section 8.5 steps 2 and 3 */
static void dispatch(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
		     const struct fdccp_datagram *datagram)
{
	struct fdccp_conn *conn = ep->recent;
	struct fdccp_flow flow;

	/* packets come in trains */
	if (conn && is_of(conn, packet, datagram)) {
		fdccp_conn_receive(conn, packet, datagram, ep->now);
		return;
	}
	fdccp_flow_set(&flow, &datagram->path, packet->dest, packet->source);
	conn = fdccp_endpoint_find(ep, &flow);
	if (conn)
		fdccp_conn_receive(conn, packet, datagram, ep->now);
	else if (fdccp_timewait_has(ep, &flow))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_NO_CONNECTION,
				     FDCCP_COUNT_timewait);
	else if (fdccp_move_receive(ep, packet, datagram, &flow))
		return;
	else if (packet->bare)	/* only the ends of a connection agree on that */
		fdccp_count(ep, FDCCP_COUNT_checksum);
	else if (!fdccp_listen_receive(ep, packet, datagram, &flow))
		fdccp_stranger_receive(ep, packet, datagram, &flow);
}

void fdccp_receive(struct fdccp_endpoint *ep, const struct fdccp_datagram *datagram, int64_t now)
{
	struct fdccp_packet packet;

	fdccp_endpoint_begin(ep, now);
	fdccp_count(ep, FDCCP_COUNT_received);
	ep->refused = false;
	if (is_good(ep, &packet, datagram))
		dispatch(ep, &packet, datagram);
	if (!ep->refused)
		fdccp_count(ep, FDCCP_COUNT_processed);
}

void fdccp_icmp(struct fdccp_endpoint *ep, const struct fdccp_icmp *icmp, int64_t now)
{
	const uint8_t *quoted = icmp->quoted;
	struct fdccp_conn *conn = NULL;
	struct fdccp_flow flow;
	bool has_seq;

	fdccp_endpoint_begin(ep, now);
	/* a router quotes at least 8 bytes, which have the ports, but no sequence number */
	if (icmp->quoted_len >= 8) {
		fdccp_flow_set(&flow, &icmp->path, fdccp_get_number(quoted, 2),
			       fdccp_get_number(quoted + 2, 2));
		conn = fdccp_endpoint_find(ep, &flow);
	}
	if (!conn) {
		fdccp_count(ep, FDCCP_COUNT_icmp_ignored);
		return;
	}
	has_seq = icmp->quoted_len >= FDCCP_DATA_HEADER && (quoted[8] & 1);
	fdccp_conn_icmp(conn, icmp, has_seq ? fdccp_get_number(quoted + 10, 6) : 0, has_seq, now);
}
