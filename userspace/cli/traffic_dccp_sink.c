// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink traffic dccp-sink: accepts DCCP connections, and counts and logs their packets. */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dccp.h"
#include "traffic.h"
#include "wait.h"

enum {
	PORT, UDP_PORT, CARRIER, KERNEL_SILENT, SERVICE, CCID, COVERAGE, NO_UDP_CHECKSUM,
	CONNECTIONS, LOG,
	DURATION, IDLE, JSON,
};

static const struct fl_option options[] = {
	[PORT] = TRAFFIC_ROW_PORT("DCCP port to listen on"),
	[UDP_PORT] = DCCP_ROW_UDP_PORT("UDP port that the packets of all connections share"),
	[CARRIER] = DCCP_ROW_CARRIER,
	[KERNEL_SILENT] = DCCP_ROW_KERNEL_SILENT,
	[SERVICE] = DCCP_ROW_SERVICE,
	[CCID] = DCCP_ROW_CCID,
	[COVERAGE] = DCCP_ROW_COVERAGE("least checksum coverage of packets that are accepted"),
	[NO_UDP_CHECKSUM] = DCCP_ROW_NO_UDP_CHECKSUM,
	[CONNECTIONS] = { .word = "--connections", .type = FL_COUNT, .min = 1, .max = 1000000,
			  .def = FL_NO_DEFAULT,
			  .help = "end after this many connections have ended" },
	[LOG] = { .word = "--log", .type = FL_TEXT, .unit = "file", .def = FL_NO_DEFAULT,
		  .help = "write a line of CSV for each packet" },
	[DURATION] = CLI_ROW_DURATION,
	[IDLE] = TRAFFIC_ROW_IDLE,
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT, .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/* A connection that is open. */
struct client {
	struct client *next;
	struct fdccp_conn *conn;
};

/* @received is the sum of the four counters after it. */
struct sink {
	const struct cli_args *args;
	const struct fl_value *values;
	struct fdccp_io *io;
	uint32_t service;
	FILE *log;
	int64_t start, last;		/* CLOCK_MONOTONIC; @last: of the last event */
	struct client *clients;		/* that are connected */
	bool closing;
	uint64_t accepted, ended;
	uint64_t received, valid, stale, no_lifetime, damaged;
	uint64_t bytes, bytes_damaged;
};

/* A packet's header, if a source of ours has sent it. Return: whether there is one. */
static bool read_header(const struct fdccp_event *e, struct traffic_header *header)
{
	if (e->len < sizeof(*header))
		return false;
	memcpy(header, e->data, sizeof(*header));
	return be32toh(header->magic) == TRAFFIC_MAGIC;
}

static void take_data(struct sink *s, const struct fdccp_event *e)
{
	struct traffic_header header;
	int64_t now = fl_real();

	s->received++;
	s->bytes += e->len;
	if (e->damaged) {
		s->damaged++;
		s->bytes_damaged += e->len;
		return;
	}
	if (!read_header(e, &header) || be32toh(header.lifetime_ms) == TRAFFIC_NO_LIFETIME)
		s->no_lifetime++;
	else if (now - (int64_t)be64toh(header.sent_ns) <=
		 (int64_t)(be32toh(header.lifetime_ms) * FL_MS))
		s->valid++;
	else
		s->stale++;
	if (s->log && read_header(e, &header))
		fprintf(s->log, "%" PRIu32 ",%" PRIu64 ",%" PRId64 ",%zu,%u\n", be32toh(header.sequence),
			be64toh(header.sent_ns), now, e->len, e->ecn);
}

/* Without memory, the connection is refused. */
static void add_client(struct sink *s, struct fdccp_conn *conn)
{
	struct client *client = malloc(sizeof(*client));

	if (!client) {
		fdccp_abort(conn, fl_now());
		return;
	}
	*client = (struct client){ .next = s->clients, .conn = conn };
	s->clients = client;
}

static void remove_client(struct sink *s, const struct fdccp_conn *conn)
{
	struct client **at = &s->clients, *client;

	while (*at && (*at)->conn != conn)
		at = &(*at)->next;
	client = *at;
	if (!client)
		return;
	*at = client->next;
	free(client);
}

static void take(struct sink *s, const struct fdccp_event *e)
{
	switch (e->type) {
	case FDCCP_EVENT_ACCEPTED:
		s->accepted++;
		add_client(s, e->conn);
		break;
	case FDCCP_EVENT_DATA:
		take_data(s, e);
		break;
	case FDCCP_EVENT_CLOSED:
		s->ended += e->reason != FDCCP_REASON_ABORTED;
		remove_client(s, e->conn);
		break;
	default:
		return;
	}
	s->last = fl_now();
}

/* When the sink ends by itself. */
static int64_t end_of(const struct sink *s)
{
	int64_t end = FL_NEVER;

	if (s->values[DURATION].set)
		end = s->start + (int64_t)s->values[DURATION].number;
	if (s->values[IDLE].set && s->last + (int64_t)s->values[IDLE].number < end)
		end = s->last + (int64_t)s->values[IDLE].number;
	return end;
}

static void close_clients(struct sink *s)
{
	s->closing = true;
	fdccp_unlisten(fdccp_io_endpoint(s->io), (uint16_t)s->values[PORT].number);
	for (struct client *client = s->clients; client; client = client->next)
		fdccp_close(client->conn, fl_now());
}

static bool is_done(const struct sink *s)
{
	return s->ended >= s->values[CONNECTIONS].number || fl_now() >= end_of(s) ||
	       (s->closing && !s->clients);
}

static void run_loop(struct sink *s)
{
	struct fdccp_event event;
	int signal;

	while (!is_done(s)) {
		if (dccp_next(s->io, &event, end_of(s), &signal)) {
			take(s, &event);
		} else if (signal) {
			if (s->closing)
				return;
			close_clients(s);
		}
	}
}

static void abort_clients(struct sink *s)
{
	while (s->clients) {
		struct fdccp_conn *conn = s->clients->conn;

		fdccp_abort(conn, fl_now());
		remove_client(s, conn);
	}
}

/* Aborts what is still open, so that no peer waits for its timeout, and lets the last packets
 * leave.
 */
static void flush(struct sink *s)
{
	struct fdccp_event event;

	abort_clients(s);
	while (fdccp_io_event(s->io, &event)) {
		take(s, &event);
		abort_clients(s);
	}
}

static void print_summary(const struct sink *s)
{
	struct report r = report_begin(s->values[JSON].set);

	report_number(&r, "connections", (int64_t)s->accepted);
	report_number(&r, "ended", (int64_t)s->ended);
	report_number(&r, "received", (int64_t)s->received);
	report_number(&r, "valid", (int64_t)s->valid);
	report_number(&r, "stale", (int64_t)s->stale);
	report_number(&r, "no_lifetime", (int64_t)s->no_lifetime);
	report_number(&r, "damaged", (int64_t)s->damaged);
	report_number(&r, "bytes", (int64_t)s->bytes);
	if (s->values[COVERAGE].number)
		report_number(&r, "bytes_damaged", (int64_t)s->bytes_damaged);
	report_break(&r);
	dccp_report_counters(&r, fdccp_io_endpoint(s->io));
	report_end(&r);
}

static bool listen_on(struct sink *s)
{
	struct fdccp_io_config config = { .carrier = s->values[CARRIER].number,
		.lifetimes = FDCCP_LIFETIMES_OFF, .kernel_silent = s->values[KERNEL_SILENT].set,
		.no_udp_checksum = s->values[NO_UDP_CHECKSUM].set };
	struct fdccp_params params;
	int err;

	if (config.carrier == FDCCP_CARRIER_UDP)
		config.local.in.sin_port = htons((uint16_t)s->values[UDP_PORT].number);
	if (!dccp_open(s->args, &config, &s->io))
		return false;
	dccp_params(&params, &s->values[CCID]);
	dccp_rate_accept(&params, &s->values[CCID]);
	params.min_coverage = (uint8_t)s->values[COVERAGE].number;
	err = fdccp_listen(fdccp_io_endpoint(s->io), (uint16_t)s->values[PORT].number, &s->service, 1,
			   &params);
	if (err)
		cli_error(s->args->who, "cannot listen on port %" PRIu64 ": %s", s->values[PORT].number,
			  strerror(-err));
	return !err;
}

static int run_sink(const struct cli_args *args)
{
	struct sink s = { .args = args, .values = args->values };
	bool logged;

	if (!dccp_service(args, SERVICE, &s.service) ||
	    !dccp_check_partial(args, args->values[CARRIER].number, NULL,
				&args->values[NO_UDP_CHECKSUM]))
		return EXIT_USAGE;
	wait_hold_signals();
	s.start = s.last = fl_now();
	if (!listen_on(&s) ||
	    !traffic_open_log(args, LOG, "sequence,sent_ns,received_ns,bytes,ecn", &s.log)) {
		fdccp_io_close(s.io);
		return EXIT_FAILED;
	}
	fprintf(stderr, "listening on port %" PRIu64 "\n", s.values[PORT].number);
	run_loop(&s);
	flush(&s);
	logged = traffic_close_log(args, LOG, s.log);
	print_summary(&s);
	fdccp_io_close(s.io);
	return logged ? EXIT_OK : EXIT_FAILED;
}

const struct command traffic_dccp_sink_command = {
	.name = "traffic dccp-sink",
	.summary = "accept DCCP connections and count their packets",
	.options = options,
	.run = run_sink,
};
