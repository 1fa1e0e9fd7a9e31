// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic sink: receives and logs the packets of a source, and counts the valid and
 * the stale packets.
 *
 * A packet is valid if it arrived within its lifetime. The sink calculates the delay from the
 * time stamps of sending and arrival. The option does not show the whole delay, because no
 * router subtracts the delay of the last link. Packets that a router has cut to their headers
 * have their own counter.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "../libfreshlink/freshlink.h"
#include "cli.h"
#include "report.h"
#include "socket.h"
#include "traffic.h"
#include "wait.h"

#define RECEIVE_BUFFER	(4 << 20)

enum { PORT, LOG, COUNT, DURATION, IDLE, JSON };

static const struct fl_option options[] = {
	[PORT] = TRAFFIC_ROW_PORT("UDP port to receive on"),
	[LOG] = { .word = "--log", .type = FL_TEXT, .unit = "file",
		  .def = FL_NO_DEFAULT,
		  .help = "write a line of CSV for each packet" },
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "packets",
		    .min = 1, .max = TRAFFIC_SEQUENCE_MAX, .def = FL_NO_DEFAULT,
		    .help = "packets that the source sends: end when all have arrived, count the lost ones" },
	[DURATION] = CLI_ROW_DURATION,
	[IDLE] = TRAFFIC_ROW_IDLE,
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/* The state of a sink. The member "received" is the sum of the five counters after it. */
struct sink {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	int fd;
	FILE *log;
	unsigned char *seen;		/* a bit for each sequence number that has arrived */
	size_t seen_len;
	int64_t start;			/* CLOCK_MONOTONIC */
	int64_t last;			/* time of the last packet, or of the start */

	uint64_t received;
	uint64_t valid;
	uint64_t stale;
	uint64_t no_lifetime;
	uint64_t headers;		/* packets that a router has cut */
	uint64_t duplicates;
	uint64_t foreign;		/* packets that are not from a traffic source */
};

/* A received packet. */
struct arrival {
	struct traffic_header header;
	bool has_header;		/* the header is complete and identifies the packet */
	bool is_cut;
	int64_t received_ns;		/* CLOCK_REALTIME, by the kernel */
	bool has_remaining;
	int64_t remaining_ms;
};

static bool open_socket(struct sink *s)
{
	int on = 1;
	uint16_t port = s->values[PORT].number;

	s->fd = socket_bind(SOCK_DGRAM, port);
	if (s->fd < 0 || freshlink_receive_lifetimes(s->fd)) {
		cli_error(s->args->who, "cannot receive on port %u: %s", port,
			  strerror(errno));
		return false;
	}
	socket_enlarge(s->fd, RECEIVE_BUFFER);
	if (!setsockopt(s->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		return true;
	cli_error(s->args->who, "cannot enable time stamps of packets: %s",
		  strerror(errno));
	return false;
}

/* Returns whether a packet is from a traffic source. A router may have removed a part of the
 * payload or the whole payload, so the function checks only the bytes that are left.
 */
static bool is_ours(const struct arrival *a, size_t len)
{
	const uint32_t magic = htobe32(TRAFFIC_MAGIC);

	if (!a->has_header)
		return !memcmp(&a->header, &magic, MIN(len, sizeof(magic)));
	return a->header.magic == magic &&
	       be32toh(a->header.sequence) < TRAFFIC_SEQUENCE_MAX;
}

/* Receives a datagram. Returns whether the datagram is from a traffic source. If the datagram
 * is not from a source, only its time of arrival is valid.
 */
static bool receive(struct sink *s, struct arrival *a)
{
	char control[FRESHLINK_RECEIVE_ROOM];
	struct iovec iov = { &a->header, sizeof(a->header) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct freshlink_lifetime left = { 0 };
	ssize_t len = recvmsg(s->fd, &msg, MSG_TRUNC);	/* whole length */

	a->received_ns = fl_real();
	if (len < 0)
		return false;
	a->has_remaining = freshlink_get_lifetime(&msg, &left) ==
			   FRESHLINK_FOUND && left.kind != FRESHLINK_UNLIMITED;
	a->remaining_ms = left.remaining_ms;
	a->received_ns = left.at_ns;
	a->has_header = len >= (ssize_t)sizeof(a->header);
	a->is_cut = !a->has_header || len < be32toh(a->header.size);
	return is_ours(a, len);
}

/* Marks a sequence number as arrived. Returns whether the same number had arrived before. */
static bool mark_seen(struct sink *s, uint64_t sequence)
{
	size_t byte = sequence / 8;
	unsigned char bit = 1 << sequence % 8;
	bool before;

	if (byte >= s->seen_len) {
		size_t len = byte * 2 + 64;
		unsigned char *grown = realloc(s->seen, len);

		if (!grown) {
			cli_error(s->args->who, "out of memory");
			exit(EXIT_FAILED);
		}
		memset(grown + s->seen_len, 0, len - s->seen_len);
		s->seen = grown;
		s->seen_len = len;
	}
	before = s->seen[byte] & bit;
	s->seen[byte] |= bit;
	return before;
}

/* Returns the time from sending to arrival, or 0 if the sender's clock is ahead. */
static uint64_t age_ns(const struct arrival *a)
{
	uint64_t sent = be64toh(a->header.sent_ns), received = a->received_ns;

	return received > sent ? received - sent : 0;
}

static void judge(struct sink *s, const struct arrival *a)
{
	uint32_t lifetime_ms = be32toh(a->header.lifetime_ms);

	s->received++;
	if (a->has_header && mark_seen(s, be32toh(a->header.sequence)))
		s->duplicates++;
	else if (a->is_cut)
		s->headers++;
	else if (lifetime_ms == TRAFFIC_NO_LIFETIME)
		s->no_lifetime++;
	else if (age_ns(a) <= lifetime_ms * FL_MS)
		s->valid++;
	else
		s->stale++;
}

static void log_arrival(const struct sink *s, const struct arrival *a)
{
	if (!s->log || !a->has_header)
		return;
	fprintf(s->log, "%" PRIu32 ",%" PRIu64 ",%" PRId64 ",",
		be32toh(a->header.sequence), be64toh(a->header.sent_ns),
		a->received_ns);
	if (a->has_remaining)
		fprintf(s->log, "%" PRId64, a->remaining_ms);
	fprintf(s->log, ",%d\n", a->is_cut);
}

static uint64_t distinct(const struct sink *s)
{
	return s->received - s->duplicates;
}

/* Returns whether the idle time had already passed when a foreign packet arrived. Packets are
 * read in the order of their arrival, so no packet of a source arrived within the idle time.
 */
static bool was_idle(const struct sink *s, const struct arrival *a)
{
	int64_t arrived = fl_now() - (fl_real() - a->received_ns);

	return s->values[IDLE].set &&
	       arrived >= s->last + (int64_t)s->values[IDLE].number;
}

static void run_sink_loop(struct sink *s)
{
	struct arrival a;

	while (distinct(s) < s->values[COUNT].number &&
	       traffic_wait(s->fd, s->values, DURATION, IDLE, s->start,
			    s->last)) {
		if (!receive(s, &a)) {
			s->foreign++;
			if (was_idle(s, &a))
				break;
			continue;
		}
		s->last = fl_now();
		judge(s, &a);
		log_arrival(s, &a);
	}
}

static void print_summary(const struct sink *s)
{
	struct report r = report_begin(s->values[JSON].set);

	report_number(&r, "received", s->received);
	report_number(&r, "valid", s->valid);
	report_number(&r, "stale", s->stale);
	report_number(&r, "no_lifetime", s->no_lifetime);
	report_number(&r, "headers", s->headers);
	report_number(&r, "duplicates", s->duplicates);
	if (s->values[COUNT].set)
		report_number(&r, "lost", s->values[COUNT].number - distinct(s));
	report_number(&r, "foreign", s->foreign);
	report_number(&r, "socket_drops", socket_drops(s->fd));
	report_end(&r);
}

static int run_sink(const struct cli_args *args)
{
	struct sink s = { .args = args, .values = args->values };
	bool logged;

	wait_hold_signals();
	/* the start time is taken before the socket is opened, so no packet arrives before this
	 * time
	 */
	s.start = s.last = fl_now();
	/* the log is opened after the socket, because another sink with the same port may be
	 * writing this log
	 */
	if (!open_socket(&s) ||
	    !traffic_open_log(args, LOG,
			      "sequence,sent_ns,received_ns,remaining_ms,headers",
			      &s.log))
		return EXIT_FAILED;
	fprintf(stderr, "receiving on port %u\n",
		(unsigned int)s.values[PORT].number);
	run_sink_loop(&s);
	logged = traffic_close_log(args, LOG, s.log);
	print_summary(&s);
	free(s.seen);
	close(s.fd);
	return logged ? EXIT_OK : EXIT_FAILED;
}

const struct command traffic_sink_command = {
	.name = "traffic sink",
	.summary = "receive the packets of a source and count the valid ones",
	.options = options,
	.run = run_sink,
};
