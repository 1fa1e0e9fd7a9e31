/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two endpoints over a path without loss, of which a test takes single packets away. */
#ifndef DCCP_CONN_WORLD_H
#define DCCP_CONN_WORLD_H

#include <errno.h>
#include <string.h>

#include "conn_parts.h"

#define MS		INT64_C(1000000)
#define SEC		(1000 * MS)
#define DELAY		(10 * MS)	/* one way */
#define PORT		5001
#define SERVICE		UINT32_C(0x66647072)
#define FLIGHTS		4096

/* a packet on its way */
struct flight {
	int64_t when;
	bool to_client;
	uint8_t ecn;
	size_t len;
	uint8_t data[1600];
};

/* what one end has seen */
struct end {
	struct fdccp_endpoint *ep;
	struct fdccp_conn *conn;	/* NULL before and after its life */
	struct fdccp_event closed;	/* the event CLOSED */
	struct fdccp_event probed;	/* the last event PROBED */
	struct fdccp_info info;		/* at the last event */
	unsigned int events[FDCCP_EVENT_CLOSED + 1];
	unsigned int fates[FDCCP_FATES];
	unsigned int sent[FDCCP_PKT_TYPES];
	unsigned int damaged;
	size_t intact;			/* of the last event DATA */
	unsigned int fates_damaged;	/* events FATE with that */
	size_t bytes;
	uint64_t last_handle;
	unsigned int data_before_fate;	/* events DATA before the last FATE */
	unsigned int dropped_code;	/* reported for each event DATA, 0: none */
};

struct world {
	struct end end[2];		/* [0] server, [1] client */
	int64_t now;
	uint64_t seed;
	/* sees each packet that is sent. Return: whether it is lost */
	bool (*lose)(struct world *w, bool to_client, struct flight *f,
		     const struct fdccp_packet *p);
	unsigned int countdown;		/* for @lose */
	uint8_t type;			/* for @lose */
	struct fdccp_packet last[2];	/* the last packet sent to the server, to the client */
	struct flight kept;		/* by @lose */
	struct fdccp_datagram datagram;	/* of the last fdccp_send() */
	struct flight flight[FLIGHTS];
	size_t first, next;
	uint8_t out[FDCCP_DATAGRAM_MAX];
};

static struct world world;
static struct fdccp_limits world_limits;	/* of the server */
static enum fdccp_carrier world_carrier;
static bool world_no_udp_checksum[2];		/* of the server, of the client */
static uint16_t world_port = 40000;		/* UDP port of the client, as the server sees it */

static void fill_random(void *context, void *buf, size_t len)
{
	struct world *w = context;
	uint8_t *bytes = buf;

	for (size_t i = 0; i < len; i++) {
		w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bytes[i] = w->seed >> 56;
	}
}

static struct fdccp_path path_of(bool client)
{
	struct fdccp_path path = { 0 };
	union fdccp_address *a = client ? &path.local : &path.remote;
	union fdccp_address *b = client ? &path.remote : &path.local;

	a->in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001),
		.sin_port = htons(world_carrier == FDCCP_CARRIER_IP ? 0 :
				  client ? 40000 : world_port) };
	b->in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000002),
		.sin_port = htons(world_carrier == FDCCP_CARRIER_UDP ? FDCCP_UDP_PORT : 0) };
	return path;
}

/* Puts a packet on its way, from the end that is not @to_client. */
static void put(struct world *w, bool to_client, const uint8_t *data, size_t len, uint8_t ecn)
{
	struct flight *f = &w->flight[w->next % FLIGHTS];
	struct fdccp_packet p;

	*f = (struct flight){ .when = w->now + DELAY, .to_client = to_client, .ecn = ecn,
			      .len = len };
	memcpy(f->data, data, len);
	if (!fdccp_packet_parse(&p, f->data, len)) {
		w->end[!to_client].sent[p.type]++;
		w->last[to_client] = p;
	}
	if (w->lose && w->lose(w, to_client, f, &p))
		return;
	w->next++;
}

static struct fdccp_datagram out(struct world *w)
{
	return (struct fdccp_datagram){ .data = w->out, .size = sizeof(w->out) };
}

static void note_event(struct world *w, struct end *end, const struct fdccp_event *event)
{
	(void)w;
	end->events[event->type]++;
	if (event->type == FDCCP_EVENT_ACCEPTED)
		end->conn = event->conn;
	if (event->type == FDCCP_EVENT_DATA) {
		end->bytes += event->len;
		end->damaged += event->damaged;
		end->intact = event->intact;
		if (end->dropped_code)
			fdccp_report_dropped(event->conn, end->dropped_code);
	}
	if (event->type == FDCCP_EVENT_FATE) {
		end->fates[event->fate]++;
		end->fates_damaged += event->damaged;
		end->last_handle = event->handle;
		end->data_before_fate = end->events[FDCCP_EVENT_DATA];
	}
	if (event->type == FDCCP_EVENT_PROBED)
		end->probed = *event;
	fdccp_info(event->conn, &end->info);
	if (event->type == FDCCP_EVENT_CLOSED) {
		end->closed = *event;
		end->conn = NULL;
	}
}

/* Sends and tells what there is. */
static void drain(struct world *w)
{
	bool some;

	do {
		some = false;
		for (int side = 0; side < 2; side++) {
			struct fdccp_datagram d = out(w);
			struct fdccp_event event;

			while (fdccp_event(w->end[side].ep, &event)) {
				note_event(w, &w->end[side], &event);
				some = true;
			}
			while (fdccp_transmit(w->end[side].ep, &d, w->now)) {
				put(w, !side, d.data, d.len, d.ecn);
				d = out(w);
				some = true;
			}
		}
	} while (some);
}

static void arrive(struct world *w)
{
	struct flight *f = &w->flight[w->first++ % FLIGHTS];
	struct fdccp_datagram d = { .path = path_of(f->to_client), .data = f->data, .len = f->len,
		.ecn = f->ecn };

	fdccp_receive(w->end[f->to_client].ep, &d, w->now);
}

/* Lets time pass until @end. */
static void run(struct world *w, int64_t end)
{
	for (;;) {
		int64_t next = end;
		int64_t timer[2];

		drain(w);
		for (int side = 0; side < 2; side++) {
			timer[side] = fdccp_next_timer(w->end[side].ep);
			next = timer[side] < next ? timer[side] : next;
		}
		if (w->first < w->next && w->flight[w->first % FLIGHTS].when <= next) {
			w->now = w->flight[w->first % FLIGHTS].when;
			arrive(w);
			continue;
		}
		w->now = next > w->now ? next : w->now;
		if (w->now >= end)
			break;
		for (int side = 0; side < 2; side++)
			if (timer[side] <= w->now)
				fdccp_advance(w->end[side].ep, w->now);
	}
	for (int side = 0; side < 2; side++)
		fdccp_advance(w->end[side].ep, w->now);
	drain(w);
}

static struct fdccp_params params_of(uint8_t ccid, uint8_t peer_ccid)
{
	struct fdccp_params params;

	fdccp_params_init(&params);
	memset(params.ccids, 0, sizeof(params.ccids));
	memset(params.peer_ccids, 0, sizeof(params.peer_ccids));
	params.ccids[0] = ccid;
	params.peer_ccids[0] = peer_ccid;
	params.fixed_rate = 1000000;
	return params;
}

/* Makes two endpoints, the server listens, the client has its Request ready to send. */
static bool begin(struct world *w, const struct fdccp_params *client,
		  const struct fdccp_params *server)
{
	const uint32_t service = SERVICE;
	struct fdccp_config config = { .carrier = world_carrier, .random = fill_random,
		.context = w, .no_udp_checksum = world_no_udp_checksum[1] };
	struct fdccp_path path = path_of(true);

	memset(w, 0, sizeof(*w));
	w->now = SEC;
	w->seed = 1;
	w->end[1].ep = fdccp_endpoint_new(&config, w->now);
	config.limits = world_limits;
	config.no_udp_checksum = world_no_udp_checksum[0];
	w->end[0].ep = fdccp_endpoint_new(&config, w->now);
	return !fdccp_listen(w->end[0].ep, PORT, &service, 1, server) &&
	       !fdccp_connect(w->end[1].ep, &path, PORT, SERVICE, client, w->now,
			      &w->end[1].conn);
}

static void finish(struct world *w)
{
	fdccp_endpoint_free(w->end[0].ep);
	fdccp_endpoint_free(w->end[1].ep);
}

/* Opens a connection with these CCIDs for the client's and the server's data. */
static inline bool establish(struct world *w, uint8_t ccid, uint8_t peer_ccid)
{
	struct fdccp_params client = params_of(ccid, peer_ccid);
	struct fdccp_params server = params_of(peer_ccid, ccid);

	if (!begin(w, &client, &server))
		return false;
	run(w, w->now + 100 * MS);
	return w->end[0].conn && w->end[0].conn->state == FDCCP_OPEN &&
	       w->end[1].conn->state == FDCCP_OPEN;
}

/* Sends a packet of the program, with ascending handles. Return: as fdccp_send() */
static int send_one(struct world *w, bool client, size_t len, const struct fdccp_message *message)
{
	static const uint8_t payload[1500];
	struct fdccp_datagram d = out(w);
	int error = fdccp_send(w->end[client].conn, payload, len, message, w->now, &d);

	if (!error)
		put(w, !client, d.data, d.len, d.ecn);
	w->datagram = d;
	return error;
}

/* Sends @count packets as fast as the rate control allows. */
static inline bool send_many(struct world *w, bool client, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		int error = send_one(w, client, 1000, NULL);

		for (int tries = 0; error == -EAGAIN && tries < 10000; tries++) {
			unsigned int ready = w->end[client].events[FDCCP_EVENT_READY];

			for (int k = 0; k < 1000 &&
			     ready == w->end[client].events[FDCCP_EVENT_READY]; k++)
				run(w, w->now + 10 * MS);
			error = send_one(w, client, 1000, NULL);
		}
		if (error)
			return false;
	}
	return true;
}

/* Sends a packet that the end which is not @to_client did not make. @p: type, seq, ack, reset_code,
 * options, options_len, data and data_len are read; the options' length is a multiple of 4
 */
static inline void forge(struct world *w, bool to_client, const struct fdccp_packet *p, uint8_t ecn)
{
	const struct fdccp_conn *conn = w->end[1].conn;
	struct fdccp_packet packet = *p;
	uint8_t data[1600];
	size_t header = fdccp_header_size(p->type);

	packet.source = to_client ? PORT : conn->local_port;
	packet.dest = to_client ? conn->local_port : PORT;
	packet.service = SERVICE;
	fdccp_packet_write(&packet, data, p->options_len);
	if (p->options_len)
		memcpy(data + header, p->options, p->options_len);
	if (p->data_len)
		memcpy(data + header + p->options_len, p->data, p->data_len);
	put(w, to_client, data, header + p->options_len + p->data_len, ecn);
}

/* Sends a packet of @type with the next number and a right acknowledgment number, and lets the next
 * packet arrive.
 */
static inline void forge_next(struct world *w, bool to_client, uint8_t type, const void *options,
			      size_t len)
{
	struct fdccp_conn *from = w->end[!to_client].conn;
	struct fdccp_packet p = { .type = type, .seq = fdccp_window_next(&from->window),
		.ack = from->window.gsr, .options = options, .options_len = len };

	forge(w, to_client, &p, 0);
	w->now += DELAY;
	arrive(w);
}

/* Makes the number of packets sent so far 0. */
static inline void forget_sent(struct world *w)
{
	memset(w->end[0].sent, 0, sizeof(w->end[0].sent));
	memset(w->end[1].sent, 0, sizeof(w->end[1].sent));
}

static inline uint64_t counter(struct world *w, bool client, enum fdccp_counter_index index)
{
	const char *name;

	return fdccp_counter(w->end[client].ep, index, &name);
}

/* Loses the first @countdown packets of type @type. */
static inline bool lose_type(struct world *w, bool to_client, struct flight *f,
			     const struct fdccp_packet *p)
{
	(void)to_client;
	(void)f;
	if (p->type != w->type || !w->countdown)
		return false;
	w->countdown--;
	return true;
}

/* Keeps the first packet with data away from the server. */
static inline bool keep_data(struct world *w, bool to_client, struct flight *f,
			     const struct fdccp_packet *p)
{
	if (to_client || !w->countdown ||
	    (p->type != FDCCP_PKT_DATA && p->type != FDCCP_PKT_DATAACK))
		return false;
	w->countdown--;
	w->kept = *f;
	return true;
}

/* Finds an option of a packet. Return: its value or NULL */
static inline const uint8_t *option_of(const struct fdccp_packet *p, uint8_t type, uint8_t *len)
{
	struct fdccp_option_walk walk = { p->options, p->options + p->options_len };
	struct fdccp_option option;

	while (fdccp_option_next(&walk, &option) == 1)
		if (option.type == type) {
			*len = option.len;
			return option.value;
		}
	return NULL;
}

/* Loses all packets, except for the first @countdown. */
static inline bool lose_rest(struct world *w, bool to_client, struct flight *f,
			     const struct fdccp_packet *p)
{
	(void)to_client;
	(void)f;
	(void)p;
	if (!w->countdown)
		return true;
	w->countdown--;
	return false;
}

/* The sum rule of struct fdccp_info. */
static inline bool sums_up(const struct fdccp_info *info)
{
	uint64_t sum = info->in_flight;

	for (int i = 0; i < FDCCP_FATES; i++)
		sum += info->fate[i];
	return sum == info->sent;
}

#endif
