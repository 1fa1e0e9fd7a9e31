/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection that knows just enough of RFC 4340 to test what the endpoint does around it: a
 * Request makes a Response, the next packet opens the connection, a Close ends it by a Reset, and
 * a Reset ends it in TIMEWAIT. Numbers up to 100 after those of the last packet are valid.
 */
#ifndef CONN_STUB_H
#define CONN_STUB_H

#include <stdlib.h>
#include <string.h>

#include "endpoint_state.h"

/* what one connection was given, and what it wants */
struct stub {
	struct fdccp_conn conn;
	unsigned int received, icmp, expired;
	uint64_t quoted_seq, request_seq;
	bool quoted_has_seq;
	bool acknowledges;	/* its timer is due until an Ack is sent */
	int64_t timer;
};

static unsigned int stub_live;		/* connections that are not freed */
static size_t stub_size = 3000;		/* bytes that one takes of the endpoint's memory */

const struct fdccp_ccid *fdccp_ccid_find(uint8_t id)
{
	static const struct fdccp_ccid ccid;

	return id == 2 || id == 3 ? &ccid : NULL;
}

static struct stub *stub_of(struct fdccp_conn *conn)
{
	return (struct stub *)conn;
}

struct fdccp_conn *fdccp_conn_new(struct fdccp_endpoint *ep, const struct fdccp_path *path,
				  uint16_t local_port, uint16_t remote_port, uint32_t service,
				  const struct fdccp_params *params, bool server, uint64_t iss,
				  int64_t now)
{
	struct stub *stub;

	(void)now;
	if (!fdccp_endpoint_charge(ep, stub_size))
		return NULL;
	stub = calloc(1, sizeof(*stub));
	stub->timer = FDCCP_NEVER;
	stub->conn.ep = ep;
	stub->conn.path = *path;
	stub->conn.local_port = local_port;
	stub->conn.remote_port = remote_port;
	stub->conn.service = service;
	stub->conn.params = *params;
	stub->conn.server = server;
	stub->conn.state = server ? FDCCP_RESPOND : FDCCP_REQUEST;
	stub->conn.window.iss = iss;
	stub->conn.out = server ? 0 : FDCCP_OUT_REQUEST;
	stub_live++;
	return &stub->conn;
}

void fdccp_conn_from_cookie(struct fdccp_conn *conn, const struct fdccp_cookie *cookie)
{
	conn->window.gsr = cookie->isr;
}

void fdccp_conn_free(struct fdccp_conn *conn)
{
	fdccp_endpoint_uncharge(conn->ep, stub_size);
	stub_live--;
	free(conn);
}

static bool stub_is_valid(const struct fdccp_conn *conn, const struct fdccp_packet *packet)
{
	return fdccp_seq_between(conn->window.gsr, packet->seq,
				 fdccp_seq_add(conn->window.gsr, 100));
}

static void stub_open(struct fdccp_conn *conn)
{
	conn->state = FDCCP_OPEN;
	conn->events |= 1U << FDCCP_EVENT_ACCEPTED;
	fdccp_endpoint_established(conn->ep, conn);
}

static void stub_valid(struct fdccp_conn *conn, const struct fdccp_packet *packet, int64_t now)
{
	conn->window.gsr = packet->seq;
	if (packet->type == FDCCP_PKT_REQUEST) {
		stub_of(conn)->request_seq = packet->seq;
		conn->out |= FDCCP_OUT_RESPONSE;
		return;
	}
	if (conn->state == FDCCP_RESPOND || conn->state == FDCCP_REQUEST)
		stub_open(conn);
	if (packet->type == FDCCP_PKT_CLOSE) {
		conn->state = FDCCP_CLOSED;
		conn->out = FDCCP_OUT_RESET;
		conn->events |= 1U << FDCCP_EVENT_CLOSED;
	} else if (packet->type == FDCCP_PKT_RESET) {
		conn->state = FDCCP_TIMEWAIT;
		conn->events |= 1U << FDCCP_EVENT_CLOSED;
		fdccp_endpoint_timewait(conn->ep, conn, now);
	}
}

void fdccp_conn_receive(struct fdccp_conn *conn, const struct fdccp_packet *packet,
			const struct fdccp_datagram *datagram, int64_t now)
{
	(void)datagram;
	stub_of(conn)->received++;
	if (packet->type == FDCCP_PKT_REQUEST && !conn->window.gsr)
		conn->window.gsr = packet->seq;
	if (stub_is_valid(conn, packet) || conn->state == FDCCP_REQUEST)
		stub_valid(conn, packet, now);
	else
		fdccp_count(conn->ep, FDCCP_COUNT_seq_invalid);
	fdccp_endpoint_update(conn->ep, conn);
}

void fdccp_conn_icmp(struct fdccp_conn *conn, const struct fdccp_icmp *icmp, uint64_t quoted_seq,
		     bool has_seq, int64_t now)
{
	(void)icmp;
	(void)now;
	stub_of(conn)->icmp++;
	stub_of(conn)->quoted_seq = quoted_seq;
	stub_of(conn)->quoted_has_seq = has_seq;
}

static size_t stub_write(struct fdccp_conn *conn, struct fdccp_datagram *datagram, uint8_t type,
			 uint64_t ack, uint8_t option, const void *value, size_t len)
{
	struct fdccp_packet packet = {
		.type = type, .source = conn->local_port, .dest = conn->remote_port,
		.extended = true, .seq = conn->window.iss, .ack = ack, .service = conn->service,
	};
	size_t header = fdccp_header_size(type);
	struct fdccp_writer w = {
		.start = datagram->data + header, .at = datagram->data + header,
		.end = datagram->data + datagram->size,
	};

	if (option)
		fdccp_write_option(&w, option, value, len);
	fdccp_write_padding(&w);
	/* a Response with a cookie has as much to say as there is room */
	for (; option == FDCCP_OPT_INIT_COOKIE && w.at + 4 <= w.end; w.at += 4)
		memset(w.at, 0, 4);
	fdccp_packet_write(&packet, datagram->data, w.at - w.start);
	return datagram->len = header + (w.at - w.start);
}

bool fdccp_conn_transmit_cookie(struct fdccp_conn *conn, struct fdccp_datagram *datagram,
				int64_t now)
{
	struct fdccp_cookie cookie = {
		.isr = conn->window.gsr, .iss = conn->window.iss, .service = conn->service,
	};
	uint8_t value[FDCCP_COOKIE_SIZE];

	(void)now;
	fdccp_cookie_write(fdccp_endpoint_secrets(conn->ep), &cookie, &conn->path,
			   conn->local_port, conn->remote_port, value);
	return stub_write(conn, datagram, FDCCP_PKT_RESPONSE, conn->window.gsr,
			  FDCCP_OPT_INIT_COOKIE, value, sizeof(value));
}

bool fdccp_conn_claims(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
		       int64_t now)
{
	(void)now;
	return conn->state == FDCCP_OPEN && stub_is_valid(conn, packet);
}

bool fdccp_conn_challenge(struct fdccp_conn *conn, const struct fdccp_packet *packet,
			  const uint8_t challenge[8], struct fdccp_datagram *datagram, int64_t now)
{
	(void)now;
	return stub_write(conn, datagram, FDCCP_PKT_SYNC, packet->seq, FDCCP_OPT_CHALLENGE,
			  challenge, 8);
}

/* the answer of this peer is the challenge itself */
bool fdccp_conn_answers(const struct fdccp_conn *conn, const struct fdccp_packet *packet,
			const uint8_t challenge[8])
{
	return fdccp_seq_after(packet->seq, conn->window.gsr) && packet->options_len == 12 &&
	       packet->options[0] == FDCCP_OPT_CHALLENGE_ANSWER &&
	       !memcmp(packet->options + 2, challenge, 8);
}

void fdccp_conn_moved(struct fdccp_conn *conn, const struct fdccp_path *path, int64_t now)
{
	(void)now;
	conn->path = *path;
	conn->events |= 1U << FDCCP_EVENT_MOVED;
	fdccp_endpoint_update(conn->ep, conn);
}

bool fdccp_conn_transmit(struct fdccp_conn *conn, struct fdccp_datagram *datagram, int64_t now)
{
	static const struct {
		unsigned int out;
		uint8_t type;
	} types[] = {
		{ FDCCP_OUT_REQUEST, FDCCP_PKT_REQUEST },
		{ FDCCP_OUT_RESPONSE, FDCCP_PKT_RESPONSE },
		{ FDCCP_OUT_ACK, FDCCP_PKT_ACK },
		{ FDCCP_OUT_RESET, FDCCP_PKT_RESET },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!(conn->out & types[i].out))
			continue;
		conn->out &= ~types[i].out;
		if (types[i].out == FDCCP_OUT_ACK)
			stub_of(conn)->timer = now + 1000;
		datagram->path = conn->path;
		stub_write(conn, datagram, types[i].type, conn->window.gsr, 0, NULL, 0);
		fdccp_endpoint_update(conn->ep, conn);
		return true;
	}
	return false;
}

bool fdccp_conn_event(struct fdccp_conn *conn, struct fdccp_event *event)
{
	*event = (struct fdccp_event){ .conn = conn, .type = __builtin_ctz(conn->events) };
	conn->events &= conn->events - 1;
	return true;
}

int64_t fdccp_conn_timer(const struct fdccp_conn *conn)
{
	return ((const struct stub *)conn)->timer;
}

void fdccp_conn_advance(struct fdccp_conn *conn, int64_t now)
{
	struct stub *stub = stub_of(conn);

	(void)now;
	stub->expired++;
	if (stub->acknowledges)
		conn->out |= FDCCP_OUT_ACK;
	else
		stub->timer = FDCCP_NEVER;
	fdccp_endpoint_update(conn->ep, conn);
}

#endif
