/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sender and a receiver of messages on two DCCP endpoints at the ends of a simulated path. */
#ifndef DCCP_STREAM_WORLD_H
#define DCCP_STREAM_WORLD_H

#include <errno.h>

#include "freshlink-stream.h"
#include "world.h"

#define STREAM_WORLD_STILL	1000000	/* things that happen at the same time */

struct stream_world;

/**
 * struct stream_end - a stream and its connection
 * @s: the stream
 * @conn: the connection; NULL before it is open and after its end
 * @client: at the client's endpoint
 * @closed: the connection has ended
 * @world: where
 */
struct stream_end {
	struct fstream *s;
	struct fdccp_conn *conn;
	bool client;
	bool closed;
	struct stream_world *world;
};

/**
 * struct stream_world - both ends
 * @w: the endpoints, and the path between them
 * @sender: the end that sends
 * @receiver: the end that receives
 * @offset: the sender's clock shows so much more than the receiver's, by which the endpoints and
 *	the path live
 * @event: called for each event of a stream, at the time @w.now
 * @context: of the test
 */
struct stream_world {
	struct world w;
	struct stream_end sender, receiver;
	int64_t offset;
	void (*event)(struct stream_world *sw, bool sender, const struct fstream_event *event);
	void *context;
};

/* The time on the clock of an end's stream. */
static inline int64_t stream_world_time(const struct stream_end *end)
{
	const struct stream_world *sw = end->world;

	return sw->w.now + (end == &sw->sender ? sw->offset : 0);
}

static inline int stream_world_send(void *context, const void *payload, size_t len,
				    const struct fdccp_message *message, int64_t now)
{
	struct stream_end *end = context;
	struct fdccp_message m = *message;

	if (m.deadline != FDCCP_NEVER)
		m.deadline -= now - end->world->w.now;
	return end->conn ? world_send(&end->world->w, end->client, end->conn, payload, len, &m) :
			   -ENOTCONN;
}

static inline void stream_world_acknowledge(void *context, int64_t now)
{
	struct stream_end *end = context;

	(void)now;
	if (end->conn)
		fdccp_acknowledge(end->conn, end->world->w.now);
}

static inline void stream_world_drop(void *context)
{
	struct stream_end *end = context;

	fdccp_report_dropped(end->conn, 2);
}

static inline size_t stream_world_payload_max(void *context)
{
	struct stream_end *end = context;

	return end->conn ? fdccp_payload_max(end->conn) : 0;
}

static inline void stream_world_measure(void *context, struct fdccp_measure *measure)
{
	struct stream_end *end = context;

	*measure = (struct fdccp_measure){ 0 };
	if (end->conn)
		fdccp_measure(end->conn, measure);
}

/* Hands all events of a stream to the test. */
static inline void stream_world_events(struct stream_end *end)
{
	struct stream_world *sw = end->world;
	struct fstream_event event;

	while (fstream_event(end->s, &event))
		sw->event(sw, end == &sw->sender, &event);
}

static inline void stream_world_dccp(struct world *w, bool client, const struct fdccp_event *event)
{
	struct stream_world *sw = w->context;
	struct stream_end *end = sw->sender.client == client ? &sw->sender : &sw->receiver;

	if (end->closed)
		return;
	if (event->type == FDCCP_EVENT_CONNECTED || event->type == FDCCP_EVENT_ACCEPTED)
		end->conn = event->conn;
	if (event->type == FDCCP_EVENT_CLOSED) {
		end->conn = NULL;
		end->closed = true;
	}
	fstream_handle(end->s, event, stream_world_time(end));
	stream_world_events(end);
}

static inline int stream_world_end(struct stream_world *sw, struct stream_end *end, bool client,
				   const struct fstream_config *config)
{
	struct fstream_link link = {
		.send = stream_world_send,
		.acknowledge = stream_world_acknowledge,
		.drop = stream_world_drop,
		.payload_max = stream_world_payload_max,
		.measure = stream_world_measure,
		.context = end,
	};

	*end = (struct stream_end){ .client = client, .world = sw };
	return fstream_new(config, &link, stream_world_time(end), &end->s);
}

/* Makes both ends, and begins to connect. The path and @sw->offset may be changed before. The
 * client's parameters are the server's as well. Return: whether all went well.
 */
static inline bool stream_world_connect(struct stream_world *sw, bool sender_is_client,
					const struct fstream_config *sender,
					const struct fstream_config *receiver,
					const struct fdccp_params *params)
{
	struct fdccp_path where = { sw->w.path.client, sw->w.path.server };
	uint32_t service = FSTREAM_SERVICE;
	struct fdccp_params server = *params;
	struct fdccp_conn *conn;

	memcpy(server.ccids, params->peer_ccids, sizeof(server.ccids));
	memcpy(server.peer_ccids, params->ccids, sizeof(server.peer_ccids));
	sw->w.event = stream_world_dccp;
	sw->w.context = sw;
	return !stream_world_end(sw, &sw->sender, sender_is_client, sender) &&
	       !stream_world_end(sw, &sw->receiver, !sender_is_client, receiver) &&
	       !fdccp_listen(sw->w.ep[0], WORLD_PORT, &service, 1, &server) &&
	       !fdccp_connect(sw->w.ep[1], &where, WORLD_PORT, service, params, sw->w.now, &conn);
}

/* When an end's stream has something to do, on the clock of the path. */
static inline int64_t stream_world_timer(const struct stream_end *end)
{
	int64_t timer = fstream_next_timer(end->s);

	return timer == FDCCP_NEVER ? timer : timer - (stream_world_time(end) - end->world->w.now);
}

static inline int64_t stream_world_next(const struct stream_world *sw)
{
	int64_t next = world_next(&sw->w), sender = stream_world_timer(&sw->sender),
		receiver = stream_world_timer(&sw->receiver);

	next = sender < next ? sender : next;
	return receiver < next ? receiver : next;
}

static inline void stream_world_advance(struct stream_end *end)
{
	if (stream_world_timer(end) > end->world->w.now)
		return;
	fstream_advance(end->s, stream_world_time(end));
	stream_world_events(end);
}

/* Lets time pass until @end, or until nothing is left to happen. */
static inline void stream_world_run(struct stream_world *sw, int64_t end)
{
	for (unsigned int still = 0;; still++) {
		int64_t next;

		world_drain(&sw->w);
		stream_world_events(&sw->sender);
		stream_world_events(&sw->receiver);
		next = stream_world_next(sw);
		if (next > end)
			break;
		if (next > sw->w.now) {
			sw->w.now = next;
			still = 0;
		}
		if (still == STREAM_WORLD_STILL)
			abort(); /* time stands still */
		stream_world_advance(&sw->sender);
		stream_world_advance(&sw->receiver);
		world_step(&sw->w, sw->w.now);
	}
	sw->w.now = end;
}

static inline void stream_world_close(struct stream_world *sw)
{
	fstream_free(sw->sender.s);
	fstream_free(sw->receiver.s);
	world_close(&sw->w);
}

#endif
