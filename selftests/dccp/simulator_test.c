// SPDX-License-Identifier: GPL-2.0-or-later
/* Two endpoints over a path that loses, doubles, reorders, damages, delays, marks and cuts
 * datagrams and renumbers ports: each connection ends, each packet is delivered at most once and
 * unchanged, each sent packet has exactly one fate, and nothing is left. CONNECTIONS and SEED are
 * environment variables. Prints TAP.
 */
#include "../codec/unit.h"
#include <errno.h>

#include "world.h"

#define PACKETS		64
#define PAYLOAD_MAX	1200
#define PART		100	/* sensitive bytes of longer payloads */

/* One direction of a connection. */
struct half {
	unsigned int wanted, sent, arrived, fates;
	bool delivered[PACKETS], fated[PACKETS], good[PACKETS], cut[PACKETS];
	bool waiting;
};

/* What one connection does. */
struct course {
	uint64_t seed;
	struct half half[2];		/* [1]: packets of the client */
	struct fdccp_conn *conn[2];
	bool closed[2];
	bool closer, closing;		/* @closer: the client closes */
	bool truncate;
	const char *wrong;
	unsigned int damaged;
};

static uint64_t first_seed;

static void fail(struct course *c, const char *what)
{
	if (!c->wrong)
		c->wrong = what;
}

/* The payload of a packet is made of its number, so that the receiver can check it. */
static size_t payload(const struct course *c, unsigned int number, bool client, uint8_t *out)
{
	uint64_t state = (c->seed << 8 | number << 1 | client) * 2 + 1;
	size_t len = 2 + path_below(&state, PAYLOAD_MAX - 2);

	for (size_t i = 2; i < len; i++)
		out[i] = (uint8_t)(path_random(&state) >> 24);
	out[0] = number;
	out[1] = client;
	return len;
}

/* Sends all packets that the rate control allows. */
static void send_more(struct world *w, struct course *c, bool client)
{
	struct half *h = &c->half[client];
	uint8_t bytes[PAYLOAD_MAX];

	h->waiting = false;
	while (c->conn[client] && h->sent < h->wanted) {
		struct fdccp_message m = { .handle = h->sent, .deadline = FDCCP_NEVER,
			.stale = c->truncate ? FRESHLINK_TRUNCATE : FRESHLINK_DISCARD };
		size_t len = payload(c, h->sent, client, bytes);
		int err;

		if (c->truncate)
			m.deadline = w->now + SEC;
		if (len > fdccp_payload_max(c->conn[client]))
			len = fdccp_payload_max(c->conn[client]);
		m.has_sensitive = true;
		m.sensitive = len < PART ? len : PART;
		err = world_send(w, client, c->conn[client], bytes, len, &m);
		if (err == -EAGAIN) {
			h->waiting = true;
			return;
		}
		if (err) {
			if (err != -ESHUTDOWN && err != -ENOTCONN)
				fail(c, "fdccp_send() failed");
			h->wanted = h->sent;
			break;
		}
		h->sent++;
	}
}

/* Closes the connection once both ends have sent all packets. */
static void close_at_end(struct world *w, struct course *c)
{
	if (c->closing || !c->conn[c->closer] || c->half[0].sent < c->half[0].wanted ||
	    c->half[1].sent < c->half[1].wanted)
		return;
	c->closing = true;
	fdccp_close(c->conn[c->closer], w->now);
}

static void took_data(struct course *c, bool client, const struct fdccp_event *e)
{
	struct half *h = &c->half[!client];
	uint8_t bytes[PAYLOAD_MAX];
	size_t len;

	/* without a sensitive part, nobody knows which packet it was */
	if (e->damaged && !e->intact)
		return;
	c->damaged += e->damaged;
	if (e->len < 2 || e->data[0] >= h->sent || e->data[1] != !client) {
		fail(c, "data that was never sent");
		return;
	}
	len = payload(c, e->data[0], !client, bytes);
	if (e->len > len || memcmp(e->data, bytes, e->damaged ? e->intact : e->len))
		fail(c, "changed data");
	if (h->delivered[e->data[0]])
		fail(c, "delivered twice");
	h->delivered[e->data[0]] = true;
	h->arrived++;
}

static void took_fate(struct course *c, bool client, const struct fdccp_event *e)
{
	struct half *h = &c->half[client];

	if (e->handle >= h->sent || h->fated[e->handle]) {
		fail(c, "a fate twice, or of no packet");
		return;
	}
	h->fated[e->handle] = true;
	h->good[e->handle] = e->fate <= FDCCP_FATE_MARKED;
	h->fates++;
}

static void took_event(struct world *w, bool client, const struct fdccp_event *e)
{
	struct course *c = w->context;

	switch (e->type) {
	case FDCCP_EVENT_CONNECTED:
	case FDCCP_EVENT_ACCEPTED:
		if (!client && c->conn[0] && c->conn[0] != e->conn) {
			fail(c, "accepted twice");
			break;
		}
		c->conn[client] = e->conn;
		send_more(w, c, client);
		break;
	case FDCCP_EVENT_READY:
		if (!c->half[client].waiting)
			fail(c, "READY without a wait");
		send_more(w, c, client);
		break;
	case FDCCP_EVENT_DATA:
		took_data(c, client, e);
		break;
	case FDCCP_EVENT_FATE:
		took_fate(c, client, e);
		break;
	case FDCCP_EVENT_CLOSED:
		c->conn[client] = NULL;
		c->closed[client] = true;
		break;
	default:
		break;
	}
	close_at_end(w, c);
}

/* A path that is worse the larger the numbers of its seed are. */
static void bad_path(struct path *p, uint64_t *random)
{
	for (int way = 0; way < 2; way++) {
		struct path_way *w = &p->way[way];

		w->loss = path_below(random, 4) ? path_below(random, 100) : path_below(random, 500);
		w->twice = path_below(random, 50);
		w->late = path_below(random, 300);
		w->damage = path_below(random, 20);
		w->mark = path_below(random, 50);
		w->cut = path_below(random, 100);
		w->delay = (int64_t)path_below(random, 200 * MS);
		w->spread = (int64_t)path_below(random, 50 * MS) + 1;
		w->mtu = 1300 + path_below(random, 300);
	}
}

static void any_params(struct fdccp_params *params, uint64_t *random, bool partial)
{
	static const uint8_t lists[][FDCCP_CCIDS_MAX] = {
		{ 2 }, { 3 }, { 2, 3 }, { 3, 2 }, { 254, 2 }, { 254 }, { 248 }, { 249, 248, 2 },
	};

	fdccp_params_init(params);
	memcpy(params->ccids, lists[path_below(random, 8)], FDCCP_CCIDS_MAX);
	memcpy(params->peer_ccids, lists[path_below(random, 8)], FDCCP_CCIDS_MAX);
	params->fixed_rate = 1000 + path_below(random, 1000000);
	params->ecn = path_below(random, 2);
	params->data_checksum = path_below(random, 2);
	params->linger = path_below(random, 2);
	params->keepalive = 15 * SEC;
	params->has_sensitive = partial && path_below(random, 2);
	params->min_coverage = path_below(random, 4) > 0;
}

/* The same CCIDs at both ends, so that they agree. */
static void agreeing(struct fdccp_params *client, struct fdccp_params *server)
{
	memcpy(server->ccids, client->peer_ccids, FDCCP_CCIDS_MAX);
	memcpy(server->peer_ccids, client->ccids, FDCCP_CCIDS_MAX);
}

/* Whether each acknowledged packet was delivered, and each packet has a fate. */
static void check(struct course *c)
{
	for (int way = 0; way < 2; way++) {
		struct half *h = &c->half[way];

		if (h->fates != h->sent)
			fail(c, "packets without a fate");
		for (unsigned int i = 0; i < h->sent; i++)
			if (h->good[i] && !h->delivered[i])
				fail(c, "acknowledged, but not delivered");
	}
}

static const char *run(uint64_t seed, struct course *c)
{
	uint64_t random = seed * 2 + 1;
	enum fdccp_carrier carrier = path_below(&random, 2) ? FDCCP_CARRIER_UDP : FDCCP_CARRIER_IP;
	/* one in four servers keeps no state before the third packet */
	struct fdccp_limits limits = { .stateless = path_below(&random, 4) ? 128 : 1 };
	struct fdccp_params client, server;
	uint32_t service = WORLD_SERVICE;
	struct world w = { .event = took_event, .context = c };
	struct fdccp_path where;
	int64_t renumber;

	*c = (struct course){ .seed = seed, .closer = path_below(&random, 2),
		.truncate = path_below(&random, 2) };
	c->half[0].wanted = path_below(&random, PACKETS);
	c->half[1].wanted = path_below(&random, PACKETS);
	world_no_udp_checksum = path_below(&random, 2);
	world_open(&w, seed, carrier, &limits);
	bad_path(&w.path, &random);
	any_params(&client, &random, carrier == FDCCP_CARRIER_IP || world_no_udp_checksum);
	any_params(&server, &random, carrier == FDCCP_CARRIER_IP || world_no_udp_checksum);
	agreeing(&client, &server);
	where = (struct fdccp_path){ w.path.client, w.path.server };
	if (fdccp_listen(w.ep[0], WORLD_PORT, &service, 1, &server) ||
	    fdccp_connect(w.ep[1], &where, WORLD_PORT, service, &client, w.now, &c->conn[1]))
		fail(c, "listen or connect failed");
	c->conn[1] = NULL;
	if (limits.stateless == 1)
		world_occupy(&w);
	renumber = path_below(&random, 4) ? FDCCP_NEVER : (int64_t)path_below(&random, 5 * SEC);
	if (renumber != FDCCP_NEVER && carrier == FDCCP_CARRIER_UDP) {
		world_run(&w, w.now + renumber);
		w.path.outside.in.sin_port = htons(50000);
	}
	world_run(&w, 3600 * SEC);
	if (!c->closed[1])
		fail(c, "the client's connection did not end");
	if (c->conn[0])
		fail(c, "the server's connection did not end");
	if (world_next(&w) != FDCCP_NEVER)
		fail(c, "something is left");
	check(c);
	world_close(&w);
	return c->wrong;
}

static unsigned long from_environment(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

static bool test_connections(void)
{
	unsigned long count = from_environment("CONNECTIONS", 2000);
	unsigned long good = 0, sent = 0, arrived = 0, damaged = 0;

	printf("# SEED=%llu CONNECTIONS=%lu\n", (unsigned long long)first_seed, count);
	for (unsigned long i = 0; i < count; i++) {
		static struct course c;
		const char *wrong = run(first_seed + i, &c);

		if (wrong) {
			printf("# SEED=%llu: %s\n", (unsigned long long)(first_seed + i), wrong);
			return false;
		}
		good += c.half[0].arrived || c.half[1].arrived;
		sent += c.half[0].sent + c.half[1].sent;
		arrived += c.half[0].arrived + c.half[1].arrived;
		damaged += c.damaged;
	}
	printf("# %lu connections, %lu with data, %lu packets sent, %lu arrived, %lu of them damaged\n",
	       count, good, sent, arrived, damaged);
	MUST(good > count * 3 / 4);
	MUST(arrived > sent / 2 && damaged > 0);
	return true;
}

/* Counts the packets of the client that arrive. */
static void count_event(struct world *w, bool client, const struct fdccp_event *e)
{
	struct half *h = w->context;

	h->arrived += !client && e->type == FDCCP_EVENT_DATA;
	h->fates += client && e->type == FDCCP_EVENT_FATE && e->fate == FDCCP_FATE_ACKNOWLEDGED;
}

/* Packets whose data is shorter than what Checksum Coverage asks for are covered as a whole. */
static bool test_short_data(void)
{
	static const uint8_t bytes[100];
	struct half half = { 0 };
	struct world w = { .event = count_event, .context = &half };
	struct fdccp_params params;
	uint32_t service = WORLD_SERVICE;
	struct fdccp_conn *conn;
	struct fdccp_path where;

	world_open(&w, 1, FDCCP_CARRIER_IP, NULL);
	where = (struct fdccp_path){ w.path.client, w.path.server };
	fdccp_params_init(&params);
	params.coverage = params.min_coverage = 15;
	MUST(!fdccp_listen(w.ep[0], WORLD_PORT, &service, 1, &params));
	MUST(!fdccp_connect(w.ep[1], &where, WORLD_PORT, service, &params, w.now, &conn));
	world_run(&w, w.now + SEC);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		MUST(!world_send(&w, true, conn, bytes, len, NULL));
		world_run(&w, w.now + SEC);
	}
	MUST(half.arrived == sizeof(bytes) + 1 && half.fates == half.arrived);
	world_close(&w);
	return true;
}

static bool test_same_seed(void)
{
	static struct course first, second;

	for (int i = 0; i < 20; i++) {
		MUST(!run(first_seed + i, &first));
		MUST(!run(first_seed + i, &second));
		MUST(!memcmp(first.half, second.half, sizeof(first.half)));
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "each connection ends, delivers once and leaks nothing", test_connections },
		{ "data shorter than its coverage", test_short_data },
		{ "the same seed gives the same course", test_same_seed },
	};

	first_seed = from_environment("SEED", 1);
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
