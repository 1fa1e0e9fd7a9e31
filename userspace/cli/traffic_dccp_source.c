// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink traffic dccp-source: sends packets over DCCP, and tells what became of each.
 *
 * With a rate, packets are due at fixed times. A packet for which the adapter's queue has no room
 * is not sent later, because a live source has a newer packet by then. The source counts it as held
 * back. Without a rate, the source makes and sends a packet whenever the congestion control allows
 * it.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/xlo.h"
#include "dccp.h"
#include "traffic.h"
#include "wait.h"

#define HALF_DAY	(43200 * FL_SEC)
#define SEARCH		(5 * FL_SEC)	/* for an MTU that is large enough */
#define BURST		64		/* packets, before the source hears its peer again */

enum {
	PORT, UDP_PORT, CARRIER, KERNEL_SILENT, SERVICE, CCID, UNDO, FORGIVE, COVERAGE, RATE, SIZE,
	MTU, COUNT, DURATION, LIFETIME, STALE, VIA, SCALE, WINDOW, TOLERANCE, CAUSES, SENSITIVE,
	NO_UDP_CHECKSUM, LOG, JSON,
};

static const struct fl_option options[] = {
	[PORT] = TRAFFIC_ROW_PORT("DCCP port of the sink"),
	[UDP_PORT] = DCCP_ROW_UDP_PORT("UDP port of the sink"),
	[CARRIER] = DCCP_ROW_CARRIER,
	[KERNEL_SILENT] = DCCP_ROW_KERNEL_SILENT,
	[SERVICE] = DCCP_ROW_SERVICE,
	[CCID] = DCCP_ROW_CCID,
	[UNDO] = DCCP_ROW_UNDO,
	[FORGIVE] = DCCP_ROW_FORGIVE,
	[COVERAGE] = DCCP_ROW_COVERAGE("checksum coverage of data packets, 0: everything"),
	[RATE] = { .word = "--rate", .type = FL_RATE, .min = 1, .max = 1250000000,
		   .def = FL_NO_DEFAULT,
		   .help = "rate of payload; without it as fast as the congestion control allows" },
	[SIZE] = { .word = "--size", .type = FL_SIZE, .min = sizeof(struct traffic_header),
		   .max = 9000, .def = 1000, .help = "payload of a packet" },
	[MTU] = DCCP_ROW_MTU,
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "packets", .min = 1,
		    .max = TRAFFIC_SEQUENCE_MAX, .def = FL_NO_DEFAULT,
		    .help = "end after this many packets" },
	[DURATION] = CLI_ROW_DURATION,
	[LIFETIME] = { .word = "--lifetime", .type = FL_TIME, .min = FL_MS, .max = HALF_DAY,
		       .def = FL_NO_DEFAULT, .whole_ms = true, .help = "lifetime of each packet" },
	[STALE] = { .word = "--stale", .type = FL_WORD, .words = xlo_stale_words,
		    .def = FRESHLINK_DISCARD, .help = "what routers do with a stale packet" },
	[VIA] = DCCP_ROW_LIFETIMES,
	[SCALE] = DCCP_ROW_SCALE,
	[WINDOW] = DCCP_ROW_WINDOW,
	[TOLERANCE] = DCCP_ROW_TOLERANCE,
	[CAUSES] = DCCP_ROW_CAUSES,
	[SENSITIVE] = DCCP_ROW_SENSITIVE(9000, "first bytes of a packet that must not be "
					 "damaged, as the others may be"),
	[NO_UDP_CHECKSUM] = DCCP_ROW_NO_UDP_CHECKSUM,
	[LOG] = { .word = "--log", .type = FL_TEXT, .unit = "file", .def = FL_NO_DEFAULT,
		  .help = "write a line of CSV for each packet, with its fate" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT, .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

struct source {
	const struct cli_args *args;
	const struct fl_value *values;
	struct fdccp_io *io;
	struct fdccp_conn *conn;
	uint32_t service;
	FILE *log;
	uint8_t *payload;
	size_t size;
	int64_t start, next, interval;
	uint64_t number;		/* packets that were due */
	uint64_t fate[FDCCP_FATES];
	uint64_t damaged;		/* that were delivered */
	struct fdccp_info info;
	bool open, blocked, ending, stopped;
	struct fdccp_event end;		/* the event CLOSED */
	bool ended;
};

static bool given(const struct source *s, int option)
{
	return s->values[option].set;
}

/* A packet that became stale before it was sent counts as held back. */
static void take_fate(struct source *s, const struct fdccp_event *e)
{
	if (e->sent == FDCCP_NEVER)
		return;
	s->fate[e->fate]++;
	s->damaged += e->damaged;
	if (s->log)
		fprintf(s->log, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%s\n", e->handle, e->seq,
			e->sent, fl_now(), dccp_fate_name(e->fate));
}

/* The summary shows the connection as it was before it was closed. */
static void take_end(struct source *s, const struct fdccp_event *e)
{
	struct fdccp_info last;

	fdccp_info(e->conn, &last);
	s->info.sent = last.sent;
	s->info.received = last.received;
	s->end = *e;
	s->ended = true;
	s->conn = NULL;
}

/* The largest payload has changed. Losses may look like a smaller MTU until a probe arrives, so a
 * source of larger packets waits.
 */
static void take_size(struct source *s, size_t largest)
{
	if (s->size <= largest)
		s->blocked = false;
	else if (s->size <= s->info.payload_max)
		cli_error(s->args->who, "packets of %zu bytes wait: the path takes at most %zu bytes",
			  s->size, largest);
}

static void take(struct source *s, const struct fdccp_event *e)
{
	switch (e->type) {
	case FDCCP_EVENT_CONNECTED:
		s->open = true;
		s->start = s->next = fl_now();
		break;
	case FDCCP_EVENT_READY:
		s->blocked = false;
		break;
	case FDCCP_EVENT_SIZE:
		take_size(s, e->len);
		break;
	case FDCCP_EVENT_FATE:
		take_fate(s, e);
		break;
	case FDCCP_EVENT_CLOSED:
		take_end(s, e);
		return;
	default:
		break;
	}
	if (!s->ending)
		fdccp_info(s->conn, &s->info);
}

/* Sends the packet that is due. Without a rate it never waits in the adapter's queue, so that it has
 * its whole lifetime when it leaves. Return: as fdccp_io_send() or fdccp_io_try_send().
 */
static int send_packet(struct source *s)
{
	uint32_t lifetime_ms = given(s, LIFETIME) ? (uint32_t)(s->values[LIFETIME].number / FL_MS) :
		TRAFFIC_NO_LIFETIME;
	struct traffic_header header = {
		.magic = htobe32(TRAFFIC_MAGIC),
		.lifetime_ms = htobe32(lifetime_ms),
		.size = htobe32((uint32_t)s->size),
		.sequence = htobe32((uint32_t)s->number),
		.sent_ns = htobe64((uint64_t)fl_real()),
	};
	struct fdccp_message message = {
		.handle = s->number,
		.deadline = given(s, LIFETIME) ? fl_now() + (int64_t)s->values[LIFETIME].number :
			FDCCP_NEVER,
		.stale = (enum freshlink_stale)s->values[STALE].number,
	};

	memcpy(s->payload, &header, sizeof(header));
	if (given(s, RATE))
		return fdccp_io_send(s->io, s->conn, s->payload, s->size, &message);
	return fdccp_io_try_send(s->io, s->conn, s->payload, s->size, &message);
}

static bool is_done(const struct source *s)
{
	int64_t now = given(s, RATE) ? s->next : fl_now();

	return s->stopped || s->number >= s->values[COUNT].number ||
	       (given(s, DURATION) && now - s->start >= (int64_t)s->values[DURATION].number);
}

/* Whether an event follows that lets the source go on: READY, SIZE, or CLOSED. */
static bool is_passing(int err)
{
	return err == -EAGAIN || err == -EMSGSIZE || err == -ENOTCONN || err == -ESHUTDOWN;
}

/* Sends as much as the adapter takes. */
static void send_all(struct source *s)
{
	while (!is_done(s) && !s->blocked) {
		int err = send_packet(s);

		if (!err) {
			s->number++;
			continue;
		}
		s->blocked = true;
		if (is_passing(err))
			return;
		cli_error(s->args->who, "cannot send: %s", strerror(-err));
		s->stopped = true;
	}
}

/* Sends what is due now, but not so much that the peer is not heard. */
static void send_due(struct source *s)
{
	for (int i = 0; i < BURST && !is_done(s) && s->next <= fl_now(); i++) {
		send_packet(s);
		s->number++;
		s->next += s->interval;
	}
}

/* Until when nothing has to be sent. */
static int64_t idle_until(const struct source *s)
{
	if (!s->open || s->ending)
		return FL_NEVER;
	if (given(s, RATE))
		return s->next;
	return given(s, DURATION) ? s->start + (int64_t)s->values[DURATION].number : FL_NEVER;
}

static void run_loop(struct source *s)
{
	struct fdccp_event event;
	int signal;

	while (!s->ended) {
		if (s->open && !s->ending) {
			if (given(s, RATE))
				send_due(s);
			else
				send_all(s);
		}
		if (s->open && !s->ending && is_done(s)) {
			fdccp_info(s->conn, &s->info);
			s->ending = true;
			fdccp_io_shutdown(s->io, s->conn);
		}
		if (dccp_next(s->io, &event, idle_until(s), &signal)) {
			take(s, &event);
			continue;
		}
		if (!signal)
			continue;
		/* a second signal, or one during the handshake, does not wait for the peer */
		if (s->stopped || !s->open)
			return;
		s->stopped = true;
	}
}

static void print_summary(const struct source *s)
{
	struct report r = report_begin(given(s, JSON));
	struct dccp_told told = { 0 };

	report_number(&r, "sent", (int64_t)s->info.sent);
	report_number(&r, "held_back", (int64_t)(s->number - s->info.sent));
	report_number(&r, "bytes", (int64_t)(s->info.sent * s->size));
	report_seconds(&r, "seconds", s->open ? fl_now() - s->start : 0);
	report_open(&r, "fates");
	for (int fate = 0; fate < FDCCP_FATES; fate++)
		report_number(&r, dccp_fate_name(fate), (int64_t)s->fate[fate]);
	report_close(&r);
	if (given(s, SENSITIVE))
		report_number(&r, "delivered_damaged", (int64_t)s->damaged);
	report_number(&r, "received", (int64_t)s->info.received);
	report_break(&r);
	dccp_report_info(&r, &s->info);
	report_text(&r, "via", dccp_lifetimes_words[fdccp_io_lifetimes(s->io)]);
	report_text(&r, "end", s->ended ? dccp_reason_text(&s->end) : "interrupted");
	report_break(&r);
	dccp_told_add(&told, &s->info);
	dccp_told_report(&told, &r);
	report_break(&r);
	dccp_report_counters(&r, fdccp_io_endpoint(s->io));
	report_end(&r);
}

/* Finds the sink, and opens an adapter of its family. */
static bool open_io(struct source *s, union fdccp_address *remote)
{
	struct fdccp_io_config config = { .carrier = s->values[CARRIER].number,
		.kernel_silent = given(s, KERNEL_SILENT),
		.no_udp_checksum = given(s, NO_UDP_CHECKSUM) };
	struct sockaddr_storage to;
	socklen_t len;

	if (given(s, SENSITIVE))
		config.lifetimes = dccp_sensitive_via(s->values[VIA].number);
	else
		config.lifetimes = given(s, LIFETIME) ?
			(enum fdccp_lifetimes)s->values[VIA].number : FDCCP_LIFETIMES_OFF;
	if (!traffic_find(s->args, SOCK_DGRAM, config.carrier == FDCCP_CARRIER_UDP ?
			  (uint16_t)s->values[UDP_PORT].number : 0, &to, &len))
		return false;
	memcpy(remote, &to, len);
	config.local.sa.sa_family = remote->sa.sa_family;
	return dccp_open(s->args, &config, &s->io);
}

/* Whether packets can carry the lifetime as the options say. Return: the exit status. */
static int check_lifetimes(const struct source *s)
{
	enum fdccp_lifetimes way = fdccp_io_lifetimes(s->io);

	if (!given(s, LIFETIME) || s->values[VIA].number == FDCCP_LIFETIMES_OFF)
		return EXIT_OK;
	if (way == FDCCP_LIFETIMES_OFF) {
		cli_error(s->args->who,
			  "--lifetime %s: expected the module xlo with its setting txtime, or CAP_NET_RAW",
			  s->values[LIFETIME].text);
		return EXIT_FAILED;
	}
	if (way == FDCCP_LIFETIMES_DEADLINE && s->values[STALE].number != FRESHLINK_DISCARD) {
		cli_error(s->args->who, "--stale %s: expected --via option", s->values[STALE].text);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static struct dccp_rate rate_options(const struct source *s)
{
	return (struct dccp_rate){
		.ccid = &s->values[CCID], .scale = &s->values[SCALE],
		.window = &s->values[WINDOW], .tolerance = &s->values[TOLERANCE],
		.causes = &s->values[CAUSES],
	};
}

/* The parameters of the connection. */
static void set_params(const struct source *s, struct fdccp_params *params)
{
	const struct dccp_rate rate = rate_options(s);

	dccp_params(params, &s->values[CCID]);
	params->undo = (enum fdccp_undo_choice)s->values[UNDO].number;
	params->forgive_stale = s->values[FORGIVE].number;
	dccp_rate_params(params, &rate);
	params->lifetimes = fdccp_io_lifetimes(s->io) != FDCCP_LIFETIMES_OFF;
	params->mtu_fixed = given(s, MTU);
	if (params->mtu_fixed)
		params->mtu = (uint16_t)s->values[MTU].number;
	params->coverage = (uint8_t)s->values[COVERAGE].number;
	params->has_sensitive = given(s, SENSITIVE);
	params->sensitive = (uint16_t)s->values[SENSITIVE].number;
}

/* Begins the connection. Return: the exit status. */
static int connect_to(struct source *s)
{
	union fdccp_address remote = { .sa.sa_family = AF_UNSPEC };
	struct fdccp_params params;
	int err;

	if (!open_io(s, &remote))
		return EXIT_FAILED;
	err = check_lifetimes(s);
	if (err)
		return err;
	set_params(s, &params);
	err = fdccp_io_connect(s->io, &remote, (uint16_t)s->values[PORT].number, s->service, &params,
			       &s->conn);
	if (err)
		cli_error(s->args->who, "cannot connect to %s: %s", s->args->operand, strerror(-err));
	return err ? EXIT_FAILED : EXIT_OK;
}

/* The connection is open: path MTU discovery, if it runs, has some time to find room for the size.
 * Return: the exit status.
 */
static int wait_size(struct source *s)
{
	int64_t until = given(s, MTU) ? 0 : fl_now() + SEARCH;
	struct fdccp_event event;
	int signal = 0;

	while (s->size > s->info.payload_max && !s->ended && !signal && fl_now() < until)
		if (dccp_next(s->io, &event, until, &signal))
			take(s, &event);
	s->start = s->next = fl_now();
	if (s->size <= s->info.payload_max)
		return EXIT_OK;
	if (s->ended) {
		cli_error(s->args->who, "the connection ended: %s", dccp_reason_text(&s->end));
		return EXIT_FAILED;
	}
	cli_error(s->args->who, "--size %s: expected at most %zu bytes on this path",
		  s->values[SIZE].text ? s->values[SIZE].text : "1000", s->info.payload_max);
	return EXIT_USAGE;
}

/* Waits until the handshake has ended. */
static bool wait_open(struct source *s)
{
	struct fdccp_event event;
	int signal = 0;

	while (!s->open && !s->ended && !signal)
		if (dccp_next(s->io, &event, FL_NEVER, &signal))
			take(s, &event);
	if (s->ended)
		cli_error(s->args->who, "no connection to %s: %s", s->args->operand,
			  dccp_reason_text(&s->end));
	return s->open;
}

static int run_connection(struct source *s)
{
	int status;

	s->payload = calloc(1, s->size);
	if (!s->payload) {
		cli_error(s->args->who, "out of memory");
		return EXIT_FAILED;
	}
	if (!wait_open(s) || (given(s, SENSITIVE) &&
			      !dccp_takes_partial(s->args, s->conn, s->values[CARRIER].number)))
		return EXIT_FAILED;
	if (s->values[FORGIVE].number && !dccp_forgives(s->args, s->conn))
		return EXIT_FAILED;
	status = wait_size(s);
	if (status)
		return status;
	run_loop(s);
	print_summary(s);
	return s->ended && s->end.reason == FDCCP_REASON_CLOSED ? EXIT_OK : EXIT_FAILED;
}

/* A connection that has not ended is aborted, so that the peer does not wait for its timeout. */
static void leave(struct source *s)
{
	struct fdccp_event event;

	if (s->conn)
		fdccp_abort(s->conn, fl_now());
	while (s->io && fdccp_io_event(s->io, &event))
		;
}

static bool check_rate(const struct source *s)
{
	const struct dccp_rate rate = rate_options(s);

	return dccp_rate_fits(s->args, &rate, dccp_rate_is_iftp(rate.ccid));
}

/* Whether the options say one thing about what may be damaged. */
static bool check_protection(const struct source *s)
{
	const struct fl_value *coverage = &s->values[COVERAGE], *part = &s->values[SENSITIVE];

	if (coverage->number && (s->values[CARRIER].number == FDCCP_CARRIER_UDP || part->set)) {
		cli_error(s->args->who, "--coverage %s: %s", coverage->text, part->set ?
			  "expected one of --coverage and --sensitive" :
			  "UDP covers everything, expected --carrier ip");
		return false;
	}
	if (part->set && part->number > s->size) {
		cli_error(s->args->who, "--sensitive %s: expected at most the %zu bytes of a packet",
			  part->text, s->size);
		return false;
	}
	return dccp_check_partial(s->args, s->values[CARRIER].number, part,
				  &s->values[NO_UDP_CHECKSUM]);
}

static int run_source(const struct cli_args *args)
{
	struct source s = { .args = args, .values = args->values };
	int status;

	s.size = args->values[SIZE].number;
	s.interval = given(&s, RATE) ? (int64_t)(s.size * FL_SEC / args->values[RATE].number) : 0;
	if (!dccp_service(args, SERVICE, &s.service))
		return EXIT_USAGE;
	if (!dccp_check_ccid3(args, &args->values[UNDO], &args->values[FORGIVE],
			      &args->values[CCID]))
		return EXIT_USAGE;
	if (!check_rate(&s) || !check_protection(&s))
		return EXIT_USAGE;
	wait_hold_signals();
	if (!traffic_open_log(args, LOG, "packet,seq,sent_ns,told_ns,fate", &s.log))
		return EXIT_FAILED;
	status = connect_to(&s);
	if (!status)
		status = run_connection(&s);
	leave(&s);
	if (!traffic_close_log(args, LOG, s.log) && !status)
		status = EXIT_FAILED;
	free(s.payload);
	fdccp_io_close(s.io);
	return status;
}

const struct command traffic_dccp_source_command = {
	.name = "traffic dccp-source",
	.operand = "HOST",
	.summary = "send packets over DCCP and tell what became of each",
	.options = options,
	.run = run_source,
};
