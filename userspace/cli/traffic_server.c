// SPDX-License-Identifier: GPL-2.0-or-later
/* A TCP server: see traffic_server.h. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "socket.h"
#include "traffic.h"
#include "traffic_server.h"
#include "wait.h"

enum { PORT, SESSIONS, DURATION, IDLE, JSON };

const struct fl_option traffic_server_options[] = {
	[PORT] = TRAFFIC_ROW_PORT("TCP port to receive on"),
	[SESSIONS] = { .word = "--sessions", .type = FL_COUNT,
		       .unit = "sessions", .min = 1, .max = INT64_MAX,
		       .def = FL_NO_DEFAULT,
		       .help = "end when this many sessions have ended" },
	[DURATION] = CLI_ROW_DURATION,
	[IDLE] = TRAFFIC_ROW_IDLE,
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(traffic_server_options);

static bool watch(const struct traffic_server *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return !epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
}

static bool open_listener(struct traffic_server *s)
{
	uint16_t port = s->args->values[PORT].number;

	s->listener = socket_bind(SOCK_STREAM, port);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->listener >= 0 && s->epoll >= 0 &&
	    !listen(s->listener, SOMAXCONN) && watch(s, s->listener))
		return true;
	cli_error(s->args->who, "cannot receive on port %u: %s", port,
		  strerror(errno));
	return false;
}

/* Accepts a connection. Returns whether the server can continue. If no file descriptor is free,
 * the server cannot continue.
 */
static bool accept_session(struct traffic_server *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && errno == ECONNABORTED)
		return true;
	if (fd < 0 || !watch(s, fd)) {
		cli_error(s->args->who, "cannot accept a connection: %s",
			  strerror(errno));
		return false;
	}
	s->open++;
	return true;
}

static void end_session(struct traffic_server *s, int fd, bool broken)
{
	s->sessions += !broken;
	s->broken += broken;
	s->open--;
	close(fd);
}

/* Makes a session wait for what its new state needs. */
static void await(const struct traffic_server *s, const struct epoll_event *event,
		  bool writes)
{
	struct epoll_event next = *event;

	next.events = writes ? EPOLLOUT : EPOLLIN;
	if (!(next.events & event->events))
		epoll_ctl(s->epoll, EPOLL_CTL_MOD, event->data.fd, &next);
}

static void serve_session(struct traffic_server *s, const struct epoll_event *event)
{
	enum traffic_session state = s->serve(s, event->data.fd);

	if (state == TRAFFIC_READS || state == TRAFFIC_WRITES)
		await(s, event, state == TRAFFIC_WRITES);
	else
		end_session(s, event->data.fd, state == TRAFFIC_BROKEN);
}

/* Returns whether the server ended without an error. */
static bool run_loop(struct traffic_server *s)
{
	const struct fl_value *values = s->args->values;
	struct epoll_event event;

	s->start = s->last = fl_now();
	while (s->sessions + s->broken < values[SESSIONS].number &&
	       traffic_wait(s->epoll, values, DURATION, IDLE, s->start, s->last)) {
		if (epoll_wait(s->epoll, &event, 1, 0) != 1)
			continue;
		s->last = fl_now();
		if (event.data.fd != s->listener)
			serve_session(s, &event);
		else if (!accept_session(s))
			return false;
	}
	return true;
}

static void print_summary(const struct traffic_server *s)
{
	struct report r = report_begin(s->args->values[JSON].set);

	report_number(&r, "sessions", s->sessions);
	report_number(&r, "broken", s->broken);
	report_number(&r, "open", s->open);
	if (s->report)
		s->report(s, &r);
	report_number(&r, "bytes", s->bytes);
	report_end(&r);
}

int traffic_serve(struct traffic_server *s, const struct cli_args *args)
{
	bool good;

	s->args = args;
	wait_hold_signals();
	if (!open_listener(s))
		return EXIT_FAILED;
	fprintf(stderr, "receiving on port %u\n",
		(unsigned int)args->values[PORT].number);
	good = run_loop(s);
	print_summary(s);
	return good ? EXIT_OK : EXIT_FAILED;
}
