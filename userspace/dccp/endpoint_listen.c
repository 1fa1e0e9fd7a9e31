// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Servers: RFC 4340 section 8.5 step 3.
 *
 * Up to limits.stateless half-open connections have state. Above that, the Response has an Init
 * Cookie and the connection is made by the packet that brings it back. Clients that do not bring it
 * back, such as Linux, are served by the connections with state; so that a flood does not hold all
 * of these, the oldest gives way once it has had its time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ccid.h"
#include "endpoint_state.h"

/* time in which an honest client completes its handshake, with three Requests lost */
#define PATIENCE	INT64_C(8000000000)

/* when a client that probes counts as gone */
#define PROBE_SILENCE	INT64_C(30000000000)

static struct fdccp_listener *find_listener(const struct fdccp_endpoint *ep, uint16_t port)
{
	struct fdccp_listener *listener = ep->listeners;

	while (listener && listener->port != port)
		listener = listener->next;
	return listener;
}

bool fdccp_is_listening(const struct fdccp_endpoint *ep, uint16_t port)
{
	return find_listener(ep, port);
}

static bool offers(const struct fdccp_listener *listener, uint32_t service)
{
	for (int i = 0; i < listener->count; i++)
		if (listener->services[i] == service)
			return true;
	return service == FDCCP_SERVICE_PROBE;
}

static bool are_ccids(const uint8_t *ccids, size_t len)
{
	if (!ccids[0])
		return false;
	for (size_t i = 0; i < len && ccids[i]; i++)
		if (!fdccp_ccid_find(ccids[i]))
			return false;
	return true;
}

static bool sends_by(const struct fdccp_params *params, uint8_t ccid)
{
	return memchr(params->ccids, ccid, sizeof(params->ccids));
}

/* Only CCID 3 has loss events. */
static bool can_forgive(const struct fdccp_params *params)
{
	return !params->forgive_stale ||
	       (params->ccids[0] == FDCCP_CCID3 && !params->ccids[1]);
}

static bool has_rate(const struct fdccp_params *params)
{
	return params->fixed_rate || !sends_by(params, FDCCP_CCID_FIXED);
}

static bool is_iftp(const struct fdccp_params *params)
{
	const struct fdccp_iftp_params *iftp = &params->iftp;

	if (!sends_by(params, FDCCP_CCID_IFTP) && !sends_by(params, FDCCP_CCID_IFTPV))
		return true;
	return iftp->scale >= 100 && iftp->scale <= 1000 && iftp->tolerance <= 127 &&
	       iftp->window_max >= 2;
}

static bool is_keepalive(int64_t interval)
{
	return interval == FDCCP_NEVER || (interval >= 0 && interval <= FDCCP_KEEPALIVE_MAX);
}

/* UDP's checksum covers everything, except where the endpoint does without it. A sensitive part is
 * for coverage 1.
 */
static bool has_coverage(const struct fdccp_endpoint *ep, const struct fdccp_params *params)
{
	bool partial = ep->config.carrier == FDCCP_CARRIER_IP || ep->config.no_udp_checksum;

	if (params->has_sensitive)
		return partial && params->coverage <= 1;
	return partial || !params->coverage;
}

bool fdccp_params_valid(const struct fdccp_endpoint *ep, const struct fdccp_params *params)
{
	return are_ccids(params->ccids, sizeof(params->ccids)) &&
	       are_ccids(params->peer_ccids, sizeof(params->peer_ccids)) &&
	       has_rate(params) && can_forgive(params) && is_iftp(params) &&
	       params->undo <= FDCCP_UNDO_ON &&
	       params->coverage <= 15 && params->min_coverage <= 15 &&
	       is_keepalive(params->keepalive) &&
	       params->silence >= 0 && params->silence <= FDCCP_KEEPALIVE_MAX &&
	       has_coverage(ep, params);
}

int fdccp_listen(struct fdccp_endpoint *ep, uint16_t port, const uint32_t *services, size_t count,
		 const struct fdccp_params *params)
{
	struct fdccp_listener *listener;

	if (!port || !count || count > 16 || !fdccp_params_valid(ep, params))
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		if (services[i] == FDCCP_SERVICE_INVALID || services[i] == FDCCP_SERVICE_PROBE)
			return -EINVAL;
	if (fdccp_is_listening(ep, port))
		return -EADDRINUSE;
	listener = calloc(1, sizeof(*listener));
	if (!listener)
		return -ENOMEM;
	listener->port = port;
	listener->count = count;
	memcpy(listener->services, services, count * sizeof(*services));
	listener->params = *params;
	/* clients that have gone must not fill the table of connections */
	if (!params->keepalive)
		listener->params.keepalive = FDCCP_KEEPALIVE_LISTEN;
	listener->next = ep->listeners;
	ep->listeners = listener;
	return 0;
}

void fdccp_unlisten(struct fdccp_endpoint *ep, uint16_t port)
{
	struct fdccp_listener **at = &ep->listeners, *listener;

	while (*at && (*at)->port != port)
		at = &(*at)->next;
	listener = *at;
	if (!listener)
		return;
	*at = listener->next;
	free(listener);
}

static void half_open_add(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	conn->half_open = true;
	conn->older = ep->newest;
	conn->newer = NULL;
	if (ep->newest)
		ep->newest->newer = conn;
	else
		ep->oldest = conn;
	ep->newest = conn;
	ep->half_open++;
}

void fdccp_half_open_remove(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	if (!conn->half_open)
		return;
	conn->half_open = false;
	if (conn->older)
		conn->older->newer = conn->newer;
	else
		ep->oldest = conn->newer;
	if (conn->newer)
		conn->newer->older = conn->older;
	else
		ep->newest = conn->older;
	ep->half_open--;
}

void fdccp_endpoint_established(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	fdccp_half_open_remove(ep, conn);
}

static struct fdccp_conn *new_server(struct fdccp_endpoint *ep,
				     const struct fdccp_listener *listener,
				     const struct fdccp_packet *packet,
				     const struct fdccp_path *path, uint32_t service, uint64_t iss)
{
	struct fdccp_params params = listener->params;

	/* a client that probes may be gone at any time */
	if (service == FDCCP_SERVICE_PROBE) {
		params.keepalive = PROBE_SILENCE / 3;
		params.silence = PROBE_SILENCE;
	}
	return fdccp_conn_new(ep, path, packet->dest, packet->source, service, &params, true, iss,
			      ep->now);
}

/* Adds a new connection as half-open, or frees it. Return: whether it was added */
static bool add_server(struct fdccp_endpoint *ep, struct fdccp_conn *conn)
{
	if (!conn)
		return false;
	if (!fdccp_endpoint_add(ep, conn)) {
		fdccp_conn_free(conn);
		return false;
	}
	half_open_add(ep, conn);
	return true;
}

/* Return: whether there was memory */
static bool accept_request(struct fdccp_endpoint *ep, const struct fdccp_listener *listener,
			   const struct fdccp_packet *packet,
			   const struct fdccp_datagram *datagram, uint64_t iss)
{
	struct fdccp_conn *conn = new_server(ep, listener, packet, &datagram->path,
					     packet->service, iss);

	if (!add_server(ep, conn))
		return false;
	fdccp_conn_receive(conn, packet, datagram, ep->now);
	return true;
}

/* What a connection that nobody will remember has to say to the Request: a Response with a cookie,
 * or a Reset, of which strangers get no more than their limit. Return: whether it was queued
 */
static bool answer_request(struct fdccp_endpoint *ep, struct fdccp_conn *conn,
			   const struct fdccp_packet *packet,
			   const struct fdccp_datagram *datagram)
{
	struct fdccp_datagram answer;

	if (!fdccp_answer_begin(ep, datagram, &answer))
		return false;
	fdccp_conn_receive(conn, packet, datagram, ep->now);
	if (conn->state == FDCCP_RESPOND) {
		if (!fdccp_conn_transmit_cookie(conn, &answer, ep->now))
			return false;
		fdccp_count(ep, FDCCP_COUNT_cookies_sent);
	} else if (!fdccp_stranger_allowed(ep) ||
		   !fdccp_conn_transmit(conn, &answer, ep->now)) {
		return false;
	}
	fdccp_answer_end(ep, &answer);
	return true;
}

/* Return: whether the Request was answered */
static bool respond_without_state(struct fdccp_endpoint *ep, const struct fdccp_listener *listener,
				  const struct fdccp_packet *packet,
				  const struct fdccp_datagram *datagram, uint64_t iss)
{
	struct fdccp_conn *conn = new_server(ep, listener, packet, &datagram->path,
					     packet->service, iss);
	bool answered;

	if (!conn)
		return false;
	fdccp_secrets_refresh(&ep->secrets, &ep->config, ep->now);
	answered = answer_request(ep, conn, packet, datagram);
	fdccp_conn_free(conn);
	return answered || ep->refused;
}

static void make_room(struct fdccp_endpoint *ep)
{
	if (ep->oldest && ep->now - ep->oldest->made >= PATIENCE)
		fdccp_endpoint_forget(ep, ep->oldest);
}

/* Return: whether no limit and no lack of memory was in the way */
static bool serve(struct fdccp_endpoint *ep, const struct fdccp_listener *listener,
		  const struct fdccp_packet *packet, const struct fdccp_datagram *datagram,
		  const struct fdccp_flow *flow)
{
	const struct fdccp_limits *limits = &ep->config.limits;
	uint64_t iss = fdccp_initial_seq(&ep->secrets, &datagram->path, packet->dest,
					 packet->source, ep->now);

	if (ep->half_open >= limits->stateless || ep->half_open >= limits->half_open)
		make_room(ep);
	if (!fdccp_endpoint_has_room(ep, flow))
		return false;
	if (ep->half_open >= limits->stateless)
		return respond_without_state(ep, listener, packet, datagram, iss);
	return ep->half_open < limits->half_open &&
	       accept_request(ep, listener, packet, datagram, iss);
}

static void receive_request(struct fdccp_endpoint *ep, const struct fdccp_listener *listener,
			    const struct fdccp_packet *packet,
			    const struct fdccp_datagram *datagram, const struct fdccp_flow *flow)
{
	if (!listener)
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_CONNECTION_REFUSED,
				     FDCCP_COUNT_not_listening);
	else if (!offers(listener, packet->service))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_BAD_SERVICE_CODE,
				     FDCCP_COUNT_bad_service);
	else if (!serve(ep, listener, packet, datagram, flow))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_TOO_BUSY,
				     FDCCP_COUNT_too_busy);
}

/* An Init Cookie counts on packets that a client sends in PARTOPEN (RFC 4340 section 8.1.4). */
static bool find_cookie(const struct fdccp_packet *packet, struct fdccp_option *option)
{
	if (packet->type != FDCCP_PKT_ACK && packet->type != FDCCP_PKT_DATAACK &&
	    packet->type != FDCCP_PKT_CLOSE && packet->type != FDCCP_PKT_SYNC &&
	    packet->type != FDCCP_PKT_SYNCACK)
		return false;
	return fdccp_option_find(packet, FDCCP_OPT_INIT_COOKIE, option);
}

/* Return: whether no limit and no lack of memory was in the way */
static bool accept_cookie(struct fdccp_endpoint *ep, const struct fdccp_listener *listener,
			  const struct fdccp_packet *packet,
			  const struct fdccp_datagram *datagram, const struct fdccp_flow *flow,
			  const struct fdccp_cookie *cookie)
{
	struct fdccp_conn *conn;

	if (!fdccp_endpoint_has_room(ep, flow))
		return false;
	conn = new_server(ep, listener, packet, &datagram->path, cookie->service, cookie->iss);
	if (!add_server(ep, conn))
		return false;
	conn->by_cookie = true;
	fdccp_conn_from_cookie(conn, cookie);
	fdccp_conn_receive(conn, packet, datagram, ep->now);
	/* a packet that did not complete the handshake leaves no state either */
	if (conn->state == FDCCP_RESPOND) {
		conn->by_cookie = false;
		fdccp_endpoint_forget(ep, conn);
	}
	return true;
}

static void receive_cookie(struct fdccp_endpoint *ep, const struct fdccp_listener *listener,
			   const struct fdccp_packet *packet,
			   const struct fdccp_datagram *datagram, const struct fdccp_flow *flow,
			   const struct fdccp_option *option)
{
	struct fdccp_cookie cookie;

	fdccp_secrets_refresh(&ep->secrets, &ep->config, ep->now);
	/* the connection that the cookie made has ended, and is not in TIMEWAIT yet */
	if (fdccp_endpoint_has_ended(ep, flow))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_NO_CONNECTION,
				     FDCCP_COUNT_timewait);
	else if (fdccp_cookie_read(&ep->secrets, &cookie, &datagram->path, packet->dest,
				   packet->source, packet->ack, option->value, option->len))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_BAD_INIT_COOKIE,
				     FDCCP_COUNT_bad_cookie);
	else if (!offers(listener, cookie.service))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_BAD_SERVICE_CODE,
				     FDCCP_COUNT_bad_service);
	else if (!accept_cookie(ep, listener, packet, datagram, flow, &cookie))
		fdccp_stranger_reset(ep, packet, datagram, FDCCP_RESET_TOO_BUSY,
				     FDCCP_COUNT_too_busy);
}

bool fdccp_listen_receive(struct fdccp_endpoint *ep, const struct fdccp_packet *packet,
			  const struct fdccp_datagram *datagram, const struct fdccp_flow *flow)
{
	const struct fdccp_listener *listener = find_listener(ep, packet->dest);
	struct fdccp_option option;

	if (packet->type == FDCCP_PKT_REQUEST)
		receive_request(ep, listener, packet, datagram, flow);
	else if (listener && find_cookie(packet, &option))
		receive_cookie(ep, listener, packet, datagram, flow, &option);
	else
		return false;
	return true;
}
