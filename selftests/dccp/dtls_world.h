/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two adapters of streams in one process, a sender and a receiver that listens, and a relay of UDP
 * datagrams between them that changes, keeps back or drops what a test chooses.
 */
#ifndef DCCP_DTLS_WORLD_H
#define DCCP_DTLS_WORLD_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>

#include "../codec/unit.h"
#include "freshlink-stream.h"
#include "path.h"

#define SEC		INT64_C(1000000000)
#define PORT		5002
#define MTU		1500	/* of lo, so that it is not searched */
#define DATA		2	/* types of packets with data, RFC 4340 section 5.1 */
#define DATAACK		4
#define STREAMS		520
#define MESSAGES	100
#define LEN_MAX		30000
#define PATIENCE	(60 * SEC)	/* only a failure takes so long */

/* A datagram on its way. */
struct parcel {
	bool to_server;
	uint8_t data[4096];
	size_t len;
};

/* What a relay does with a datagram: the test may change it. Return: false: it is dropped. */
typedef bool meddle_fn(struct parcel *parcel);

/* What the test has seen of a stream at one end. */
struct seen {
	struct fstream *stream;
	unsigned int opened, closed, messages, ends;
	enum fdccp_reason reason;
	enum fdccp_reset reset;
	struct fstream_dtls_info info;
	char failure[FSTREAM_WHY_MAX], suite[64];
	bool finished, wrong;
};

struct world {
	struct fstream_io *client, *server;
	struct fstream_dtls *client_keys, *server_keys;
	int near, far;			/* the relay's sockets */
	struct sockaddr_in client_at, server_at, relay_at;
	meddle_fn *meddle;
	struct parcel held;		/* by a test */
	bool has_held;
	unsigned int relayed;
	unsigned int clear;		/* datagrams with content of a message */
	struct seen sent[STREAMS], got[STREAMS];
	unsigned int accepted;
	uint64_t random;
};

static struct world w;

/* The content of a message: no eight bytes of it occur in another packet by chance. */
static inline size_t content(unsigned int stream, uint64_t number, uint8_t *out)
{
	uint64_t state = stream * 1000 + number + 1;
	size_t len = number % 10 == 9 ? LEN_MAX : 1 + path_random(&state) % 1000;

	for (size_t i = 0; i < len; i++)
		out[i] = "deadline"[i % 8] ^ (i % 64 < 8 ? 0 : number);
	return len;
}

static inline size_t header_len(const struct parcel *p)
{
	return p->len > 4 ? p->data[4] * 4U : p->len;
}

/* Whether the datagram is a packet with data. */
static inline bool has_data(const struct parcel *p)
{
	unsigned int type = p->len > 8 ? p->data[8] >> 1 & 15 : 0;

	return (type == DATA || type == DATAACK) && header_len(p) < p->len;
}

/* The first record of a packet: 22 is of the handshake, 23 is data (RFC 5246 section 6.2.1). */
static inline uint8_t *record(struct parcel *p)
{
	return &p->data[header_len(p)];
}

static inline bool has_record(struct parcel *p, uint8_t type)
{
	return has_data(p) && *record(p) == type;
}

static inline void deliver(const struct parcel *p)
{
	const struct sockaddr_in *to = p->to_server ? &w.server_at : &w.client_at;

	sendto(p->to_server ? w.far : w.near, p->data, p->len, 0, (const void *)to, sizeof(*to));
}

/* Content in a datagram: every message has this word. */
static inline bool is_clear(const struct parcel *p)
{
	return memmem(p->data, p->len, "deadline", 8) != NULL;
}

static inline bool relay(int fd)
{
	struct parcel p = { .to_server = fd == w.near };
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	ssize_t len = recvfrom(fd, p.data, sizeof(p.data), MSG_DONTWAIT, (void *)&from, &size);

	if (len < 0)
		return false;
	p.len = len;
	if (p.to_server)
		w.client_at = from;
	w.relayed++;
	w.clear += is_clear(&p);
	if (!w.meddle || w.meddle(&p))
		deliver(&p);
	return true;
}

static inline void take_message(struct seen *s, unsigned int id, const struct fstream_event *e)
{
	static uint8_t want[LEN_MAX];

	if (e->number != s->messages || content(id, e->number, want) != e->len ||
	    memcmp(want, e->data, e->len))
		s->wrong = true;
	s->messages++;
}

static inline void take_stream(struct seen *s, unsigned int id, const struct fstream_event *e)
{
	if (e->type == FSTREAM_EVENT_MESSAGE)
		take_message(s, id, e);
	if (e->type == FSTREAM_EVENT_END)
		s->ends += e->end == FSTREAM_END_ACKNOWLEDGED;
	if (e->type != FSTREAM_EVENT_FINISHED)
		return;
	s->finished = true;
	if (s >= w.sent && s < &w.sent[STREAMS])
		fstream_io_shutdown(s->stream);
}

static inline void take_info(struct seen *s, const struct fstream_io_event *e)
{
	fstream_io_dtls_info(e->stream, &s->info);
	snprintf(s->failure, sizeof(s->failure), "%s", s->info.failure ? s->info.failure : "");
	snprintf(s->suite, sizeof(s->suite), "%s", s->info.suite ? s->info.suite : "");
	s->reason = e->dccp.reason;
	s->reset = e->dccp.reset;
	s->closed++;
	s->stream = NULL;
}

/* Takes an event. A stream that the receiver has not seen yet is new. */
static inline void take(struct fstream_io_event *e, struct seen *all)
{
	struct seen *s = fstream_user(e->stream);

	if (!s) {
		if (w.accepted >= STREAMS)
			return;
		s = &all[w.accepted++];
		s->stream = e->stream;
		fstream_set_user(e->stream, s);
	}
	if (e->type == FSTREAM_IO_OPEN)
		s->opened++;
	else if (e->type == FSTREAM_IO_STREAM)
		take_stream(s, s - all, &e->event);
	else if (e->type == FSTREAM_IO_CLOSED)
		take_info(s, e);
}

/* Does what is to do now, and waits for more. */
static inline void pump(void)
{
	struct pollfd fds[] = {
		{ .fd = w.near, .events = POLLIN }, { .fd = w.far, .events = POLLIN },
		{ .fd = fstream_io_fd(w.client), .events = POLLIN },
		{ .fd = fstream_io_fd(w.server), .events = POLLIN },
	};
	struct fstream_io_event event;

	while (fstream_io_event(w.client, &event))
		take(&event, w.sent);
	while (fstream_io_event(w.server, &event))
		take(&event, w.got);
	while (relay(w.near) || relay(w.far))
		;
	poll(fds, 4, 100);
}

/* Runs until a condition holds. */
#define UNTIL(condition)						\
	do {								\
		int64_t end_ = now() + PATIENCE;			\
		while (!(condition) && now() < end_)			\
			pump();						\
		MUST(condition);					\
	} while (0)

static inline int64_t now(void)
{
	return fdccp_io_now(fstream_io_dccp(w.client));
}

static inline int socket_at(uint16_t port, struct sockaddr_in *at)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return fd >= 0 && !bind(fd, (void *)at, sizeof(*at)) ? fd : -1;
}

static inline bool close_world(void)
{
	fstream_io_close(w.client);
	fstream_io_close(w.server);
	fstream_dtls_free(w.client_keys);
	fstream_dtls_free(w.server_keys);
	close(w.near);
	close(w.far);
	w = (struct world){ .near = -1 };
	return true;
}

static inline uint32_t service(const struct fstream_dtls *keys)
{
	return keys ? FSTREAM_DTLS_SERVICE : FSTREAM_SERVICE;
}

/* Opens both adapters; NULL as keys: no encryption. */
static inline bool open_world(const struct fstream_dtls_config *client,
			      const struct fstream_dtls_config *server)
{
	struct fdccp_io_config config = { .lifetimes = FDCCP_LIFETIMES_OFF };
	struct fstream_config receiver;
	struct fdccp_params params;
	struct sockaddr_in unused;
	char why[FSTREAM_WHY_MAX];

	/* a test that failed has left its own */
	if (w.client)
		close_world();
	w.random = 1;
	MUST(!client || !fstream_dtls_new(client, &w.client_keys, why));
	MUST(!server || !fstream_dtls_new(server, &w.server_keys, why));
	w.near = socket_at(7000, &w.relay_at);
	w.far = socket_at(7001, &unused);
	MUST(w.near >= 0 && w.far >= 0);
	config.local.in = (struct sockaddr_in){ .sin_family = AF_INET,
						.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	MUST(!fstream_io_open(&config, &w.client, NULL));
	config.local.in.sin_port = htons(7002);
	w.server_at = config.local.in;
	MUST(!fstream_io_open(&config, &w.server, NULL));
	fstream_config_init(&receiver, false);
	receiver.order = FSTREAM_ORDER_ORDERED;
	fdccp_params_init(&params);
	MUST(!fstream_io_listen(w.server, PORT, service(w.server_keys), &params, &receiver,
				w.server_keys));
	return true;
}

static inline bool connect_stream(unsigned int id)
{
	union fdccp_address to = { .in = w.relay_at };
	struct fstream_config sender;
	struct fdccp_params params;

	fstream_config_init(&sender, true);
	sender.control = FSTREAM_CONTROL_RELIABLE;
	fdccp_params_init(&params);
	params.mtu = MTU;
	MUST(!fstream_io_connect(w.client, &to, PORT, service(w.client_keys), &params, &sender,
				 w.client_keys, &w.sent[id].stream));
	fstream_set_user(w.sent[id].stream, &w.sent[id]);
	return true;
}

/* Submits all messages of a stream. */
static inline bool submit_all(unsigned int id)
{
	static uint8_t data[LEN_MAX];

	for (uint64_t i = 0; i < MESSAGES; i++) {
		size_t len = content(id, i, data);

		MUST(!fstream_submit(w.sent[id].stream, data, len, NULL, now(), NULL));
	}
	fstream_finish(w.sent[id].stream, now());
	return true;
}

static inline bool enter_namespace(void)
{
	return !unshare(CLONE_NEWNET | (geteuid() ? CLONE_NEWUSER : 0)) &&
	       !system("ip link set lo up mtu 1500");
}

#endif
