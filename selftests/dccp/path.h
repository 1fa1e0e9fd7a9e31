/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated path between two endpoints: it loses, doubles, reorders, damages, delays, marks and
 * cuts datagrams, and renumbers ports as a NAT does. Time is simulated.
 */
#ifndef DCCP_PATH_H
#define DCCP_PATH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "freshlink-dccp.h"

#define PATH_DATAGRAMS	4096

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)

/* A generator of random numbers that gives the same numbers on each machine (xorshift64*). */
static inline uint64_t path_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

/* A number from 0 to @below - 1. */
static inline uint64_t path_below(uint64_t *state, uint64_t below)
{
	return (path_random(state) >> 11) % below;
}

/* True @permille of a thousand times. */
static inline bool path_chance(uint64_t *state, unsigned int permille)
{
	return path_below(state, 1000) < permille;
}

/**
 * struct path_way - what one direction does; chances in thousandths
 * @loss: a datagram vanishes
 * @twice: a datagram arrives twice
 * @late: a datagram takes up to @spread longer, so that others overtake it
 * @damage: a bit is wrong. UDP's checksum finds this, and the datagram vanishes; without that, and
 *	with ip, it arrives
 * @mark: the ECN mark CE, if the packet is ECN-capable
 * @cut: the datagram is cut to its headers, if its sender allows it
 * @delay: time on the way
 * @spread: see @late
 * @mtu: larger IP packets vanish
 * @rate: bytes a second, 0: unlimited
 * @queue: with @rate, bytes that may wait
 * @lpd: with @rate, what is stale when the link takes it is discarded, or cut to its headers, as its
 *	sender asks
 * @busy: the time until which the link sends; later than that, the link is interrupted
 * @lost: datagrams that vanished
 * @marked: datagrams that were marked
 * @stale: datagrams that @lpd has cut
 * @last: the generic header of the newest datagram that was sent this way
 */
struct path_way {
	unsigned int loss, twice, late, damage, mark, cut;
	int64_t delay, spread;
	size_t mtu;
	uint64_t rate;
	size_t queue;
	bool lpd;
	int64_t busy;
	uint64_t lost, marked, stale;
	uint8_t last[16];
};

struct path_flight {
	int64_t at;
	uint64_t order;
	bool forward;
	struct fdccp_datagram d;
	uint8_t bytes[2048];
};

/**
 * struct path - both directions
 * @seed: state of the random numbers
 * @carrier: the carrier, see struct path_way's @damage
 * @way: [1] from the client to the server, [0] back
 * @client: the client's address, as the client knows it
 * @outside: the same, as the server sees it
 */
struct path {
	uint64_t seed;
	enum fdccp_carrier carrier;
	struct path_way way[2];
	union fdccp_address client, outside, server;
	struct path_flight *flight[PATH_DATAGRAMS];
	size_t count;
	uint64_t order;
	/* datagrams that are not in use, and the one that arrived last, of which events may speak
	 */
	struct path_flight *spare[PATH_DATAGRAMS + 1];
	size_t spares;
	struct path_flight *arrived;
};

static inline union fdccp_address path_address(uint32_t host, uint16_t port)
{
	union fdccp_address a;

	memset(&a, 0, sizeof(a));
	a.in.sin_family = AF_INET;
	a.in.sin_addr.s_addr = htonl(host);
	a.in.sin_port = htons(port);
	return a;
}

static inline void path_init(struct path *p, uint64_t seed, enum fdccp_carrier carrier)
{
	bool udp = carrier == FDCCP_CARRIER_UDP;

	p->seed = seed * 2 + 1;
	p->carrier = carrier;
	p->client = path_address(0xc0000201, udp ? 40000 : 0);
	p->outside = p->client;
	p->server = path_address(0xc6336402, udp ? FDCCP_UDP_PORT : 0);
	memset(p->way, 0, sizeof(p->way));
	p->way[0].mtu = p->way[1].mtu = 1500;
	p->count = 0;
	p->order = 0;
	p->arrived = NULL;
}

static inline bool path_earlier(const struct path_flight *a, const struct path_flight *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static inline void path_put(struct path *p, struct path_flight *f)
{
	size_t i = p->count++;

	for (; i && path_earlier(f, p->flight[(i - 1) / 2]); i = (i - 1) / 2)
		p->flight[i] = p->flight[(i - 1) / 2];
	p->flight[i] = f;
}

static inline struct path_flight *path_take(struct path *p)
{
	struct path_flight *first = p->flight[0], *last = p->flight[--p->count];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < p->count; i = child) {
		if (child + 1 < p->count && path_earlier(p->flight[child + 1], p->flight[child]))
			child++;
		if (!path_earlier(p->flight[child], last))
			break;
		p->flight[i] = p->flight[child];
	}
	p->flight[i] = last;
	return first;
}

static inline int64_t path_next(const struct path *p)
{
	return p->count ? p->flight[0]->at : FDCCP_NEVER;
}

static inline size_t path_header(const struct fdccp_datagram *d)
{
	size_t header = d->len > 4 ? d->data[4] * 4u : 0;

	return header < d->len ? header : d->len;
}

/* What is left of a datagram at time @start: 0, if it is discarded. */
static inline size_t path_fresh(struct path_way *w, const struct fdccp_datagram *d, int64_t start)
{
	if (!w->lpd || d->deadline > start || d->stale == FRESHLINK_FORWARD)
		return d->len;
	w->stale += d->stale == FRESHLINK_TRUNCATE;
	return d->stale == FRESHLINK_TRUNCATE ? path_header(d) : 0;
}

/* When @d, with @more bytes of headers, has left a link with a rate, or -1 if it does not.
 * @len: bytes of it that leave
 */
static inline int64_t path_link(struct path_way *w, const struct fdccp_datagram *d, size_t more,
				size_t *len, int64_t now)
{
	int64_t start = w->busy > now ? w->busy : now;

	*len = d->len;
	if (!w->rate)
		return now;
	if ((uint64_t)(start - now) * w->rate / SEC > w->queue)
		return -1;
	*len = path_fresh(w, d, start);
	if (!*len)
		return -1;
	w->busy = start + (int64_t)((*len + more) * SEC / w->rate);
	return w->busy;
}

/* Whether a checksum of UDP covers a datagram. */
static inline bool path_guarded(const struct path *p, const struct fdccp_datagram *d)
{
	return p->carrier == FDCCP_CARRIER_UDP && !d->bare;
}

static inline void path_copy(struct path *p, bool forward, const struct fdccp_datagram *d,
			     size_t len, int64_t left)
{
	struct path_way *w = &p->way[forward];
	struct path_flight *f;

	if (p->count == PATH_DATAGRAMS)
		return;
	f = p->spares ? p->spare[--p->spares] : malloc(sizeof(*f));
	f->at = left + w->delay;
	if (w->spread && path_chance(&p->seed, w->late))
		f->at += path_below(&p->seed, w->spread);
	f->order = p->order++;
	f->forward = forward;
	f->d = *d;
	/* it ends where the memory ends, so that the sanitizer finds who reads on */
	f->d.data = f->bytes + sizeof(f->bytes) - d->len;
	f->d.size = d->len;
	memcpy(f->d.data, d->data, d->len);
	if (d->ecn && path_chance(&p->seed, w->mark)) {
		f->d.ecn = 3;
		w->marked++;
	}
	f->d.len = len;
	if (d->stale == FRESHLINK_TRUNCATE && d->len > 4 && path_chance(&p->seed, w->cut))
		f->d.len = path_header(d);
	if (!path_guarded(p, d) && path_chance(&p->seed, w->damage))
		f->d.data[path_below(&p->seed, f->d.len)] ^= 1 << path_below(&p->seed, 8);
	/* the receiver's socket refuses a datagram without any checksum */
	if (d->bare && f->d.len > 7 && !f->d.data[6] && !f->d.data[7])
		p->spare[p->spares++] = f;
	else
		path_put(p, f);
}

/* A datagram leaves an endpoint. @forward: the client's. */
static inline void path_send(struct path *p, bool forward, const struct fdccp_datagram *d,
			     int64_t now)
{
	struct path_way *w = &p->way[forward];
	size_t more = 20 + (p->carrier == FDCCP_CARRIER_UDP ? 8 : 0), len;
	int64_t left;

	memcpy(w->last, d->data, sizeof(w->last));
	if (d->len + more > w->mtu || path_chance(&p->seed, w->loss) ||
	    (path_guarded(p, d) && path_chance(&p->seed, w->damage))) {
		w->lost++;
		return;
	}
	left = path_link(w, d, more, &len, now);
	if (left < 0) {
		w->lost++;
		return;
	}
	for (int copies = path_chance(&p->seed, w->twice) ? 2 : 1; copies; copies--)
		path_copy(p, forward, d, len, left);
}

static inline bool path_same(const union fdccp_address *a, const union fdccp_address *b)
{
	return a->in.sin_addr.s_addr == b->in.sin_addr.s_addr && a->in.sin_port == b->in.sin_port;
}

/* The next datagram arrives. Return: it, until the next call; NULL if its address has no owner. */
static inline struct path_flight *path_arrive(struct path *p)
{
	struct path_flight *f = path_take(p);

	if (p->arrived)
		p->spare[p->spares++] = p->arrived;
	p->arrived = f;
	if (p->carrier == FDCCP_CARRIER_UDP && f->d.len == 0)
		return NULL;
	if (!f->forward && !path_same(&f->d.path.remote, &p->outside))
		return NULL;
	f->d.path.local = f->forward ? p->server : p->client;
	f->d.path.remote = f->forward ? p->outside : p->server;
	return f;
}

/* Nothing is on the way any more. The memory is kept. */
static inline void path_clear(struct path *p)
{
	while (p->count)
		p->spare[p->spares++] = p->flight[--p->count];
	if (p->arrived)
		p->spare[p->spares++] = p->arrived;
	p->arrived = NULL;
}

static inline void path_free(struct path *p)
{
	path_clear(p);
	while (p->spares)
		free(p->spare[--p->spares]);
}

#endif
