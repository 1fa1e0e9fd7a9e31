/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A client's and a server's endpoint at the ends of a simulated path. */
#ifndef DCCP_WORLD_H
#define DCCP_WORLD_H

#include "checksum.h"
#include "path.h"
#include "wire.h"

#define WORLD_PORT	5001
#define WORLD_SERVICE	UINT32_C(0x66647072)

/**
 * struct world - two endpoints and a path
 * @ep: [1] the client's endpoint, [0] the server's
 * @now: the simulated time
 * @event: called for each event, with the side on which it happens
 */
struct world {
	struct path path;
	struct fdccp_endpoint *ep[2];
	int64_t now;
	void (*event)(struct world *w, bool client, const struct fdccp_event *event);
	void *context;
	uint8_t out[FDCCP_DATAGRAM_MAX];
};

static inline void world_random(void *context, void *buf, size_t len)
{
	struct path *p = context;
	uint8_t *bytes = buf;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(path_random(&p->seed) >> 24);
}

static inline struct fdccp_datagram world_datagram(struct world *w)
{
	return (struct fdccp_datagram){ .data = w->out, .size = sizeof(w->out) };
}

/* with the carrier udp: both ends take datagrams without UDP's checksum */
static bool world_no_udp_checksum;

static inline void world_open(struct world *w, uint64_t seed, enum fdccp_carrier carrier,
			      const struct fdccp_limits *limits)
{
	path_init(&w->path, seed, carrier);
	w->now = SEC;
	for (int side = 0; side < 2; side++) {
		struct fdccp_config config = { .carrier = carrier, .random = world_random,
			.context = &w->path, .no_udp_checksum = world_no_udp_checksum };

		if (limits)
			config.limits = *limits;
		w->ep[side] = fdccp_endpoint_new(&config, w->now);
	}
}

/* Both ends send by one CCID; the rest is as by default. */
static inline void world_params(struct fdccp_params *params, uint8_t ccid)
{
	fdccp_params_init(params);
	params->ccids[0] = params->peer_ccids[0] = ccid;
	params->ccids[1] = params->peer_ccids[1] = 0;
}

/* The server listens, and the client begins a connection. Return: 0, or an error. */
static inline int world_connect(struct world *w, const struct fdccp_params *params,
				struct fdccp_conn **client)
{
	const struct fdccp_path path = { .local = w->path.client, .remote = w->path.server };
	const uint32_t service = WORLD_SERVICE;
	int err = fdccp_listen(w->ep[0], WORLD_PORT, &service, 1, params);

	return err ? err : fdccp_connect(w->ep[1], &path, WORLD_PORT, service, params, w->now, client);
}

/* Hands all events of one side to the test. Return: whether there were any. */
static inline bool world_events(struct world *w, bool client)
{
	struct fdccp_event event;
	bool some = false;

	while (fdccp_event(w->ep[client], &event)) {
		w->event(w, client, &event);
		some = true;
	}
	return some;
}

/* Hands all output of one side to the path. Return: whether there was any. */
static inline bool world_output(struct world *w, bool client)
{
	struct fdccp_datagram d = world_datagram(w);
	bool some = false;

	while (fdccp_transmit(w->ep[client], &d, w->now)) {
		path_send(&w->path, client, &d, w->now);
		d = world_datagram(w);
		some = true;
	}
	return some;
}

/* Hands all events to the test and all output to the path. A received payload is valid until
 * something is sent, so events come first.
 */
static inline void world_drain(struct world *w)
{
	bool some;

	do {
		some = world_events(w, true);
		some = world_events(w, false) || some;
		some = world_output(w, true) || some;
		some = world_output(w, false) || some;
	} while (some);
}

/* Sends a packet of the program. Return: as fdccp_send(). */
static inline int world_send(struct world *w, bool client, struct fdccp_conn *conn,
			     const void *payload, size_t len, const struct fdccp_message *message)
{
	struct fdccp_datagram d = world_datagram(w);
	int err = fdccp_send(conn, payload, len, message, w->now, &d);

	if (!err)
		path_send(&w->path, client, &d, w->now);
	return err;
}

static inline int64_t world_next(const struct world *w)
{
	int64_t next = path_next(&w->path);

	for (int side = 0; side < 2; side++) {
		int64_t timer = fdccp_next_timer(w->ep[side]);

		next = timer < next ? timer : next;
	}
	return next;
}

/* Lets the next thing happen. Return: whether something is left before @end. */
static inline bool world_step(struct world *w, int64_t end)
{
	int64_t next;

	world_drain(w);
	next = world_next(w);
	if (next > end) {
		w->now = end;
		return false;
	}
	w->now = next > w->now ? next : w->now;
	if (path_next(&w->path) <= w->now) {
		struct path_flight *f = path_arrive(&w->path);

		if (f)
			fdccp_receive(w->ep[!f->forward], &f->d, w->now);
		return true;
	}
	for (int side = 0; side < 2; side++)
		if (fdccp_next_timer(w->ep[side]) <= w->now)
			fdccp_advance(w->ep[side], w->now);
	return true;
}

static inline void world_run(struct world *w, int64_t end)
{
	while (world_step(w, end))
		;
}

/* Writes the checksum of a packet from @remote to @local. */
static inline void world_seal(struct world *w, const struct fdccp_path *path, uint8_t *data,
			      size_t len)
{
	long covered = len >= 8 ? fdccp_covered(data[5] & 15, data[4] * 4u, len) : -1;
	uint16_t sum;

	if (w->path.carrier == FDCCP_CARRIER_UDP || covered < 0)
		return;
	memset(data + 6, 0, 2);
	sum = fdccp_checksum(path, data, len, covered);
	memcpy(data + 6, &sum, 2);
}

/* A third host asks the server for a connection and is not heard of again: half-open connections
 * with state reach the limit 1.
 */
static inline void world_occupy(struct world *w)
{
	const struct fdccp_packet request = { .type = FDCCP_PKT_REQUEST, .source = 1024,
		.dest = WORLD_PORT, .service = WORLD_SERVICE };
	uint8_t data[32];
	struct fdccp_datagram d = { .data = data, .len = fdccp_header_size(FDCCP_PKT_REQUEST) };

	d.path.local = w->path.server;
	d.path.remote = path_address(0xcb007103, ntohs(w->path.client.in.sin_port));
	fdccp_packet_write(&request, data, 0);
	world_seal(w, &d.path, data, d.len);
	fdccp_receive(w->ep[0], &d, w->now);
}

/* Frees the endpoints. The next world_open() uses the path's memory again. */
static inline void world_clear(struct world *w)
{
	fdccp_endpoint_free(w->ep[0]);
	fdccp_endpoint_free(w->ep[1]);
	path_clear(&w->path);
}

static inline void world_close(struct world *w)
{
	world_clear(w);
	path_free(&w->path);
}

#endif
