// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address changes. A NAT that gives a peer a new address does so unseen by the peer. A packet from
 * the new address has the two DCCP ports of a connection and numbers that are valid there; its
 * sender has to answer a Challenge by the Move Token of the handshake before the connection moves.
 *
 * This end keeps nothing meanwhile: the challenge is a hash of the new address under the secret of
 * Init Cookies. Each packet gets at most one Challenge, which is at most three times as long, and a
 * connection sends at most 8 a second.
 */
#include "endpoint_state.h"

/* connections with the same DCCP ports that one packet may make this end look at */
#define CANDIDATES	16
#define INTERVAL	(INT64_C(1000000000) / FDCCP_SYNCS_A_SECOND)

/* @crowded: there are connections that were not looked at */
static struct fdccp_conn *claimed(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
				  const struct fdccp_flow *flow, bool *crowded)
{
	struct fdccp_conn *conn = NULL;

	*crowded = false;
	for (int i = 0; i < CANDIDATES; i++) {
		conn = fdccp_endpoint_find_ports(ep, flow, conn);
		if (!conn || fdccp_conn_claims(conn, packet, ep->now))
			return conn;
	}
	*crowded = fdccp_endpoint_find_ports(ep, flow, conn);
	return NULL;
}

static bool is_answered(struct fdccp_endpoint *ep, const struct fdccp_conn *conn,
			const struct fdccp_packet *packet, const struct fdccp_path *path)
{
	uint8_t challenge[8];

	for (int old = 0; old < 2; old++) {
		fdccp_move_challenge(&ep->secrets, path, conn->local_port, conn->remote_port,
				     conn->window.iss, old, challenge);
		if (fdccp_conn_answers(conn, packet, challenge))
			return true;
	}
	return false;
}

static bool challenge(struct fdccp_endpoint *ep, struct fdccp_conn *conn,
		      const struct fdccp_packet *packet, const struct fdccp_datagram *received)
{
	struct fdccp_datagram sync;
	uint8_t value[8];

	if (ep->now < conn->challenged || !fdccp_answer_begin(ep, received, &sync))
		return false;
	fdccp_move_challenge(&ep->secrets, &received->path, conn->local_port, conn->remote_port,
			     conn->window.iss, false, value);
	if (!fdccp_conn_challenge(conn, packet, value, &sync, ep->now))
		return false;
	conn->challenged = ep->now + INTERVAL;
	fdccp_answer_end(ep, &sync);
	return true;
}

/* A packet that no connection claims belongs to none, and gets a Reset. But where not all were
 * looked at, the Reset may end the one that moves.
 */
static bool receive_unclaimed(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			      const struct fdccp_datagram *datagram,
			      const struct fdccp_flow *flow, bool crowded)
{
	if (!crowded)
		return false;
	if (!fdccp_listen_receive(ep, packet, datagram, flow))
		fdccp_count(ep, FDCCP_COUNT_moves_refused);
	return true;
}

bool fdccp_move_receive(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			const struct fdccp_datagram *datagram, const struct fdccp_flow *flow)
{
	struct fdccp_conn *conn;
	bool crowded;

	if (packet->type == FDCCP_PKT_REQUEST || packet->type == FDCCP_PKT_RESPONSE ||
	    packet->type == FDCCP_PKT_RESET)
		return false;
	conn = claimed(ep, packet, flow, &crowded);
	if (!conn)
		return receive_unclaimed(ep, packet, datagram, flow, crowded);
	fdccp_secrets_refresh(&ep->secrets, &ep->config, ep->now);
	if (!is_answered(ep, conn, packet, &datagram->path)) {
		fdccp_count(ep, challenge(ep, conn, packet, datagram) ? FDCCP_COUNT_challenged :
								       FDCCP_COUNT_moves_refused);
	} else if (!fdccp_endpoint_rename(ep, conn, flow)) {
		fdccp_count(ep, FDCCP_COUNT_moves_refused);
	} else {
		fdccp_count(ep, FDCCP_COUNT_moves);
		fdccp_conn_moved(conn, &datagram->path, ep->now);
		fdccp_conn_receive(conn, packet, datagram, ep->now);
	}
	return true;
}
