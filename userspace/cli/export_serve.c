// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTTP server of freshlink export: see export.h.
 *
 * Clients are not trusted. A request has a bound, and so has the time of each client. There are at
 * most CLIENTS clients. For a new client the oldest one makes room, so slow clients cannot keep
 * others away. The kernel is asked at most once in FRESH, however many requests arrive.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../metrics/http.h"
#include "export.h"
#include "service.h"
#include "wait.h"

#define CLIENTS		32
#define BACKLOG		64
#define PATIENCE	(5 * (int64_t)FL_SEC)	/* time of a client from its connection on */
#define FRESH		(200 * (int64_t)FL_MS)
#define PAUSE		(100 * (int64_t)FL_MS)	/* after a failure to accept a client */

struct client {
	int fd;			/* -1: there is no client */
	int64_t until;
	size_t got;
	char request[HTTP_REQUEST_MAX];
	char *answer;		/* NULL before the request is complete */
	size_t len;
	size_t sent;
};

struct server {
	const struct cli_args *args;
	int listener;
	int epoll;
	struct client clients[CLIENTS];
	char *text;		/* the metrics, NULL if the kernel could not be asked */
	size_t text_len;
	int64_t text_until;
};

static void leave(struct client *c)
{
	close(c->fd);
	free(c->answer);
	c->answer = NULL;
	c->fd = -1;
}

static void refresh(struct server *s, int64_t now)
{
	bool done;
	FILE *out;

	if (now < s->text_until)
		return;
	free(s->text);
	s->text = NULL;
	s->text_until = now + FRESH;
	out = open_memstream(&s->text, &s->text_len);
	if (!out)
		return;
	done = export_print(s->args, out);
	if (!fclose(out) && done)
		return;
	free(s->text);
	s->text = NULL;
}

/* Writes the answer of a status. Returns false without memory. */
static bool prepare(struct server *s, struct client *c, int status)
{
	const char *content = http_reason(status);
	size_t len = strlen(content), head;

	if (status == 200) {
		content = s->text;
		len = s->text_len;
	}
	c->answer = malloc(HTTP_HEAD_MAX + len);
	if (!c->answer)
		return false;
	head = http_head(status, len, c->answer);
	memcpy(c->answer + head, content, len);
	c->len = head + len;
	c->sent = 0;
	return true;
}

/* Returns whether the client is to stay. */
static bool write_answer(struct client *c)
{
	ssize_t sent = send(c->fd, c->answer + c->sent, c->len - c->sent,
			    MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR;
	c->sent += sent;
	return c->sent < c->len;
}

static bool answer(struct server *s, struct client *c, int status)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.ptr = c };

	if (status == 200) {
		refresh(s, fl_now());
		status = s->text ? 200 : 503;
	}
	return prepare(s, c, status) && write_answer(c) &&
	       !epoll_ctl(s->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static bool read_request(struct server *s, struct client *c)
{
	ssize_t got = recv(c->fd, c->request + c->got, sizeof(c->request) - c->got, MSG_DONTWAIT);
	int status;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	c->got += got;
	status = http_judge(c->request, c->got);
	if (!status)
		return got;
	return answer(s, c, status);
}

static void serve(struct server *s, struct client *c)
{
	/* an event of a client that has left in the same round */
	if (c->fd < 0)
		return;
	if (!(c->answer ? write_answer(c) : read_request(s, c)))
		leave(c);
}

/* Returns a free place, after the oldest client has left if necessary. */
static struct client *make_room(struct server *s)
{
	struct client *oldest = s->clients;

	for (struct client *c = s->clients; c < s->clients + CLIENTS; c++) {
		if (c->fd < 0)
			return c;
		if (c->until < oldest->until)
			oldest = c;
	}
	leave(oldest);
	return oldest;
}

static void take_in(struct server *s, int fd)
{
	struct client *c = make_room(s);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };

	c->fd = fd;
	c->until = fl_now() + PATIENCE;
	c->got = 0;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		leave(c);
	else
		serve(s, c);
}

/* Accepts one client, so that clients that are there get their turn in between. If the machine has
 * no file for it, the loop would spin without a pause.
 */
static void accept_one(struct server *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		take_in(s, fd);
	else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
		usleep(PAUSE / 1000);
}

/* Sends away the clients whose time is over. Returns the time at which the next one's ends. */
static int64_t expire(struct server *s, int64_t now)
{
	int64_t next = FL_NEVER;

	for (struct client *c = s->clients; c < s->clients + CLIENTS; c++) {
		if (c->fd >= 0 && c->until <= now)
			leave(c);
		if (c->fd >= 0 && c->until < next)
			next = c->until;
	}
	return next;
}

static void run_loop(struct server *s)
{
	struct epoll_event events[CLIENTS + 1];
	int signal, count;

	for (;;) {
		wait_input(s->epoll, expire(s, fl_now()), &signal);
		if (signal)
			return;
		count = epoll_wait(s->epoll, events, CLIENTS + 1, 0);
		for (int i = 0; i < count; i++) {
			if (events[i].data.ptr)
				serve(s, events[i].data.ptr);
			else
				accept_one(s);
		}
	}
}

/* Removes the name of a Unix socket that no process listens on any more. */
static bool remove_stale(const struct listen_address *a)
{
	const struct sockaddr_un *name = (const void *)&a->address;
	struct stat there;
	int fd, error = 0;

	/* connect() refuses other files, too */
	if (a->address.ss_family != AF_UNIX || lstat(name->sun_path, &there) ||
	    !S_ISSOCK(there.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connect(fd, (const struct sockaddr *)name, a->len))
		error = errno;
	close(fd);
	return error == ECONNREFUSED && !unlink(name->sun_path);
}

static bool bind_to(int fd, const struct listen_address *a)
{
	const struct sockaddr *name = (const void *)&a->address;
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, name, a->len))
		return true;
	return errno == EADDRINUSE && (remove_stale(a) ? !bind(fd, name, a->len) :
				       (errno = EADDRINUSE, false));
}

static bool open_listener(struct server *s, const struct listen_address *a)
{
	struct epoll_event event = { .events = EPOLLIN };

	s->listener = socket(a->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	return s->listener >= 0 && s->epoll >= 0 && bind_to(s->listener, a) &&
	       !listen(s->listener, BACKLOG) &&
	       !epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listener, &event);
}

/* The process keeps CAP_NET_ADMIN, because the counters of xlo_rto need it. */
static bool start(struct server *s, const char *text, const struct listen_address *address)
{
	if (!open_listener(s, address)) {
		cli_error(s->args->who, "--listen %s: cannot listen: %s", text, strerror(errno));
		return false;
	}
	if (!service_drop_privileges(1 << CAP_NET_ADMIN)) {
		cli_error(s->args->who, "cannot give up privileges: %s", strerror(errno));
		return false;
	}
	service_notify("READY=1");
	return true;
}

bool export_serve(const struct cli_args *args, const char *text,
		  const struct listen_address *address)
{
	static struct server server;

	server.args = args;
	for (int i = 0; i < CLIENTS; i++)
		server.clients[i].fd = -1;
	wait_hold_signals();
	if (!start(&server, text, address))
		return false;
	run_loop(&server);
	return true;
}
