// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams on the adapter of libfreshlink-dccp, with a timer for all of them. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../stream.h"
#include "stream_io.h"

#define NSEC_PER_SEC	INT64_C(1000000000)

/* Sets the timer, but leaves a timer that fires too early: the wakeup costs less than a system call
 * with each message that moves the timer to a later time.
 */
static void set_timer(struct fstream_io *io, int64_t when)
{
	struct itimerspec spec = { 0 };

	if (when == io->armed || (when > io->armed && io->armed > fdccp_io_now(io->dccp)))
		return;
	io->armed = when;
	if (when != FDCCP_NEVER) {
		/* 0 would stop the timer */
		when = when > 0 ? when : 1;
		spec.it_value.tv_sec = when / NSEC_PER_SEC;
		spec.it_value.tv_nsec = when % NSEC_PER_SEC;
	}
	timerfd_settime(io->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static int watch(struct fstream_io *io, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(io->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_loop(struct fstream_io *io)
{
	int err;

	io->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (io->timer < 0)
		return -errno;
	io->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (io->epoll < 0)
		return -errno;
	err = watch(io, io->timer);
	return err ? err : watch(io, fdccp_io_fd(io->dccp));
}

int fstream_io_open(const struct fdccp_io_config *config, struct fstream_io **io, const char **why)
{
	const char *unused;
	struct fstream_io *new;
	int err;

	if (!why)
		why = &unused;
	*why = "no memory is left";
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->no_udp_checksum = config->no_udp_checksum;
	new->timer = -1;
	new->epoll = -1;
	new->armed = FDCCP_NEVER;
	err = fdccp_io_open(config, &new->dccp, why);
	if (!err) {
		*why = "no file descriptor is left for the timer or epoll";
		err = open_loop(new);
	}
	if (err) {
		fstream_io_close(new);
		return err;
	}
	*why = NULL;
	*io = new;
	return 0;
}

void fstream_io_close(struct fstream_io *io)
{
	if (!io)
		return;
	while (io->all)
		fstream_carried_free(io->all);
	fdccp_io_close(io->dccp);
	if (io->epoll >= 0)
		close(io->epoll);
	if (io->timer >= 0)
		close(io->timer);
	fdccp_heap_free(&io->timers);
	free(io->port);
	free(io);
}

int fstream_io_fd(const struct fstream_io *io)
{
	return io->epoll;
}

struct fdccp_io *fstream_io_dccp(struct fstream_io *io)
{
	return io->dccp;
}

/* Fetches an event of the stream that was called last. Without one, its timer is set. */
static bool fetch(struct fstream_io *io, struct fstream_io_event *event)
{
	struct fstream_carried *c = io->current;

	if (!c)
		return false;
	if (fstream_event(c->stream, &event->event)) {
		event->type = FSTREAM_IO_STREAM;
		event->stream = c->stream;
		return true;
	}
	io->current = NULL;
	fstream_carried_set_timer(c);
	return false;
}

/* Takes a stream that the program has called, or whose timer is due. */
static bool next_stream(struct fstream_io *io)
{
	struct fdccp_heap_entry *first = fdccp_heap_first(&io->timers);
	int64_t now;

	if (io->changed) {
		io->current = io->changed;
		io->changed = io->current->next_changed;
		io->current->is_changed = false;
		return true;
	}
	if (!first)
		return false;
	now = fdccp_io_now(io->dccp);
	if (first->when > now)
		return false;
	io->current = fstream_carried_of(first);
	fstream_carried_advance(io->current, now);
	return true;
}

static bool tell(struct fstream_io_event *event, enum fstream_io_event_type type,
		 struct fstream_carried *c, const struct fdccp_event *dccp)
{
	*event = (struct fstream_io_event){ .type = type, .stream = c->stream, .dccp = *dccp };
	return true;
}

static bool is_open(enum fdccp_event_type type)
{
	return type == FDCCP_EVENT_CONNECTED || type == FDCCP_EVENT_ACCEPTED;
}

/* Hands an event of a connection to its stream. With encryption the stream has its own view of the
 * connection, which is open after the handshake. Return: whether the event has opened the stream.
 */
static bool hand(struct fstream_carried *c, const struct fdccp_event *dccp, int64_t now)
{
	struct fdccp_event event;
	bool opened = false;

	if (!c->session) {
		fstream_handle(c->stream, dccp, now);
		return is_open(dccp->type);
	}
	fstream_session_put(c->session, dccp, now);
	while (fstream_session_get(c->session, &event, now)) {
		fstream_handle(c->stream, &event, now);
		opened |= is_open(event.type);
	}
	return opened;
}

/* Takes an event of a connection. Return: whether the program hears of it, too. */
static bool take(struct fstream_io *io, const struct fdccp_event *dccp,
		 struct fstream_io_event *event)
{
	struct fstream_carried *c = fdccp_user(dccp->conn);

	if (dccp->type == FDCCP_EVENT_ACCEPTED)
		c = fstream_carried_accept(io, dccp->conn);
	if (!c)
		return false;
	io->current = c;
	if (hand(c, dccp, fdccp_io_now(io->dccp)))
		return tell(event, FSTREAM_IO_OPEN, c, dccp);
	switch (dccp->type) {
	case FDCCP_EVENT_SIZE:
		return tell(event, FSTREAM_IO_SIZE, c, dccp);
	case FDCCP_EVENT_CLOSED:
		/* after the last events of the stream */
		fdccp_info(c->conn, &c->last);
		c->conn = NULL;
		c->end = *dccp;
		c->end.conn = NULL;
		return false;
	default:
		return false;
	}
}

/* A stream whose connection has ended, and whose events have all been fetched, is told last. A slow
 * program has not fetched all.
 */
static bool ended(struct fstream_io *io, struct fstream_carried *c, struct fstream_io_event *event)
{
	if (!c || c->conn || c->stream->slow)
		return false;
	io->gone = c;
	return tell(event, FSTREAM_IO_CLOSED, c, &c->end);
}

static void free_gone(struct fstream_io *io)
{
	if (io->gone)
		fstream_carried_free(io->gone);
	io->gone = NULL;
}

bool fstream_io_event(struct fstream_io *io, struct fstream_io_event *event)
{
	struct fdccp_event dccp;
	struct fdccp_heap_entry *first;

	free_gone(io);
	for (;;) {
		struct fstream_carried *c = io->current;

		if (fetch(io, event))
			return true;
		if (ended(io, c, event))
			return true;
		if (next_stream(io))
			continue;
		if (!fdccp_io_event(io->dccp, &dccp))
			break;
		if (take(io, &dccp, event))
			return true;
	}
	first = fdccp_heap_first(&io->timers);
	set_timer(io, first ? first->when : FDCCP_NEVER);
	return false;
}
