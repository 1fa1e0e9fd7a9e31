// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic tcp-sink: accepts TCP connections and reads, counts and discards their
 * data. A connection is a session. Several sessions may be open at the same time.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "report.h"
#include "socket.h"
#include "traffic.h"
#include "wait.h"

#define READ_MAX	(1 << 20)	/* maximum bytes of one read, so that no connection waits */

enum { PORT, SESSIONS, DURATION, IDLE, JSON };

static const struct fl_option options[] = {
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

CLI_FITS(options);

/* The state of a sink. The number of accepted connections is the sum of sessions, broken and
 * open.
 */
struct sink {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	int listener;
	int epoll;			/* epoll instance for the listener and all connections */
	int64_t start;			/* CLOCK_MONOTONIC */
	int64_t last;			/* time of the last arrival, or of the start */

	uint64_t sessions;		/* connections that their sources ended */
	uint64_t broken;		/* connections that ended in another way */
	uint64_t open;
	uint64_t bytes;
};

static bool watch(const struct sink *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return !epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
}

static bool open_listener(struct sink *s)
{
	uint16_t port = s->values[PORT].number;

	s->listener = socket_bind(SOCK_STREAM, port);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->listener >= 0 && s->epoll >= 0 &&
	    !listen(s->listener, SOMAXCONN) && watch(s, s->listener))
		return true;
	cli_error(s->args->who, "cannot receive on port %u: %s", port,
		  strerror(errno));
	return false;
}

/* Accepts a connection. Returns whether the sink can continue. If no file descriptor is free,
 * the sink cannot continue.
 */
static bool accept_session(struct sink *s)
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

/* Reads data of a connection. MSG_TRUNC discards the data without a copy. */
static void read_session(struct sink *s, int fd)
{
	ssize_t len = recv(fd, NULL, READ_MAX, MSG_TRUNC);

	if (len > 0)
		s->bytes += len;
	if (len > 0 || (len < 0 && errno == EAGAIN))
		return;
	if (len)
		s->broken++;
	else
		s->sessions++;
	s->open--;
	close(fd);
}

/* Returns whether the sink ended without an error. */
static bool run_sink_loop(struct sink *s)
{
	struct epoll_event event;

	s->start = s->last = fl_now();
	while (s->sessions + s->broken < s->values[SESSIONS].number &&
	       traffic_wait(s->epoll, s->values, DURATION, IDLE, s->start,
			    s->last)) {
		if (epoll_wait(s->epoll, &event, 1, 0) != 1)
			continue;
		s->last = fl_now();
		if (event.data.fd != s->listener)
			read_session(s, event.data.fd);
		else if (!accept_session(s))
			return false;
	}
	return true;
}

static void print_summary(const struct sink *s)
{
	struct report r = report_begin(s->values[JSON].set);

	report_number(&r, "sessions", s->sessions);
	report_number(&r, "broken", s->broken);
	report_number(&r, "open", s->open);
	report_number(&r, "bytes", s->bytes);
	report_end(&r);
}

static int run_sink(const struct cli_args *args)
{
	struct sink s = { .args = args, .values = args->values };
	bool good;

	wait_hold_signals();
	if (!open_listener(&s))
		return EXIT_FAILED;
	fprintf(stderr, "receiving on port %u\n",
		(unsigned int)s.values[PORT].number);
	good = run_sink_loop(&s);
	print_summary(&s);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command traffic_tcp_sink_command = {
	.name = "traffic tcp-sink",
	.summary = "accept TCP connections and discard their data",
	.options = options,
	.run = run_sink,
};
