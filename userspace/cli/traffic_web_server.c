// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic web-server: answers the requests of freshlink traffic web. The format of a
 * request is in web.h. A request says how long its reply must be. A client with a request that is
 * not right, or that comes while there are CLIENTS others, loses its connection.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/param.h>
#include <sys/socket.h>

#include "traffic_server.h"
#include "web.h"

#define CLIENTS		64	/* a limit that bounds the server's memory */
#define WRITE_MAX	65536	/* maximum bytes of one write */

/* A client that has sent a request. A free entry has no socket (-1). */
struct client {
	int fd;
	uint32_t read;			/* bytes of the request that have been read */
	struct web_request start;	/* the first of these bytes */
	struct web_file file;		/* known when the start is complete */
	uint32_t left;			/* bytes of the reply that are still to be written */
};

struct web_server {
	struct traffic_server server;	/* must be the first field */
	struct client clients[CLIENTS];
	uint64_t refused;		/* connections that the server has ended */
	uint64_t replies;		/* completely written replies */
};

static struct client *find_client(struct web_server *w, int fd)
{
	for (struct client *c = w->clients; c < w->clients + CLIENTS; c++)
		if (c->fd == fd)
			return c;
	return NULL;
}

/* Returns the entry of a session, or NULL if the session is new and no entry is free. The end of
 * a reply is sent at once, although earlier data has not been acknowledged.
 */
static struct client *client_of(struct web_server *w, int fd)
{
	struct client *c = find_client(w, fd);
	int on = 1;

	if (c)
		return c;
	c = find_client(w, -1);
	if (!c)
		return NULL;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*c = (struct client){ .fd = fd };
	return c;
}

static enum traffic_session refuse(struct web_server *w)
{
	w->refused++;
	return TRAFFIC_BROKEN;
}

/* Reads a part of the request. MSG_TRUNC discards what follows the start. */
static ssize_t read_part(struct client *c)
{
	if (c->read < sizeof(c->start))
		return recv(c->fd, (char *)&c->start + c->read,
			    sizeof(c->start) - c->read, 0);
	return recv(c->fd, NULL, c->file.request - c->read, MSG_TRUNC);
}

static enum traffic_session read_request(struct web_server *w, struct client *c)
{
	ssize_t len = read_part(c);

	if (len < 0)
		return errno == EAGAIN ? TRAFFIC_READS : TRAFFIC_BROKEN;
	if (!len)
		return c->read ? TRAFFIC_BROKEN : TRAFFIC_ENDED;
	c->read += len;
	if (c->read < sizeof(c->start))
		return TRAFFIC_READS;
	if (c->read == sizeof(c->start) &&
	    !web_read_request(&c->start, &c->file))
		return refuse(w);
	if (c->read < c->file.request)
		return TRAFFIC_READS;
	c->read = 0;
	c->left = c->file.reply;
	return TRAFFIC_WRITES;
}

static enum traffic_session write_reply(struct web_server *w, struct client *c)
{
	static const char data[WRITE_MAX];
	size_t part = MIN(c->left, sizeof(data));
	int more = part < c->left ? MSG_MORE : 0;
	ssize_t len = send(c->fd, data, part, MSG_NOSIGNAL | more);

	if (len < 0)
		return errno == EAGAIN ? TRAFFIC_WRITES : TRAFFIC_BROKEN;
	w->server.bytes += len;
	c->left -= len;
	if (c->left)
		return TRAFFIC_WRITES;
	w->replies++;
	return TRAFFIC_READS;
}

static enum traffic_session serve(struct traffic_server *s, int fd)
{
	struct web_server *w = (struct web_server *)s;
	struct client *c = client_of(w, fd);
	enum traffic_session state;

	if (!c)
		return refuse(w);
	state = c->left ? write_reply(w, c) : read_request(w, c);
	if (state == TRAFFIC_ENDED || state == TRAFFIC_BROKEN)
		c->fd = -1;
	return state;
}

static void report(const struct traffic_server *s, struct report *r)
{
	const struct web_server *w = (const struct web_server *)s;

	report_number(r, "refused", w->refused);
	report_number(r, "replies", w->replies);
}

static int run_server(const struct cli_args *args)
{
	struct web_server w = { .server = { .serve = serve, .report = report } };

	for (size_t i = 0; i < CLIENTS; i++)
		w.clients[i].fd = -1;
	return traffic_serve(&w.server, args);
}

const struct command traffic_web_server_command = {
	.name = "traffic web-server",
	.summary = "answer the requests of traffic web over TCP",
	.options = traffic_server_options,
	.run = run_server,
};
