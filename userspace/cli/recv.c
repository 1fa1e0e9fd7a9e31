// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink recv: accepts streams, and gives their messages to a program or counts them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "recv_output.h"
#include "send.h"
#include "spread.h"
#include "traffic.h"
#include "tune.h"
#include "wait.h"

enum {
	PORT, UDP_PORT, CARRIER, KERNEL_SILENT, CCID, FIXED, ORDER, LATE, DAMAGED, NO_UDP_CHECKSUM,
	LIFETIME, LATENCY, BUFFER, OUTPUT, STREAMS, DURATION, IDLE, SILENCE, STATS, LOG, TUNE, PSK, CERT, KEY, CA,
	JSON,
};

static const char *const order_words[] = {
	[FSTREAM_ORDER_ASAP] = "asap", [FSTREAM_ORDER_ORDERED] = "ordered",
	[FSTREAM_ORDER_PACED] = "paced", NULL,
};

static const char *const drop_words[] = { "drop", "deliver", NULL };

static const struct fl_option options[] = {
	[PORT] = SEND_ROW_PORT("DCCP port to listen on"),
	[UDP_PORT] = DCCP_ROW_UDP_PORT("UDP port that the packets of all streams share"),
	[CARRIER] = DCCP_ROW_CARRIER,
	[KERNEL_SILENT] = DCCP_ROW_KERNEL_SILENT,
	[CCID] = DCCP_ROW_CCID,
	[FIXED] = { .word = "--fixed", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		    .help = "senders may use --control fixed, on a link of one's own" },
	[ORDER] = { .word = "--order", .type = FL_WORD, .words = order_words,
		    .def = FSTREAM_ORDER_ASAP, .help = "when messages are given" },
	[LATE] = { .word = "--late", .type = FL_WORD, .words = drop_words, .def = 0,
		   .help = "what happens to messages after their deadline" },
	[DAMAGED] = { .word = "--damaged", .type = FL_WORD, .words = drop_words, .def = 0,
		      .help = "what happens to messages damaged where their sender allows that" },
	[NO_UDP_CHECKSUM] = DCCP_ROW_NO_UDP_CHECKSUM,
	[LIFETIME] = SEND_ROW_LIFETIME("longest lifetime that the sender may use"),
	[LATENCY] = SEND_ROW_LATENCY("time from submission, with --order paced"),
	[BUFFER] = SEND_ROW_BUFFER("messages that are kept for each stream"),
	[OUTPUT] = { .word = "--output", .type = FL_TEXT, .unit = "output", .def = FL_NO_DEFAULT,
		     .help = "- or udp:HOST:PORT; without it messages are only counted" },
	[STREAMS] = { .word = "--streams", .type = FL_COUNT, .min = 1, .max = 1000000,
		      .def = FL_NO_DEFAULT, .help = "end after this many streams have ended" },
	[DURATION] = CLI_ROW_DURATION,
	[IDLE] = TRAFFIC_ROW_IDLE,
	[SILENCE] = SEND_ROW_SILENCE,
	[STATS] = SEND_ROW_STATS,
	[LOG] = SEND_ROW_LOG,
	[TUNE] = SEND_ROW_TUNE,
	[PSK] = SEND_ROW_PSK,
	[CERT] = SEND_ROW_CERT("encrypt; certificate of this end, PEM"),
	[KEY] = SEND_ROW_KEY,
	[CA] = SEND_ROW_CA("authorities that sign the senders' certificates, PEM"),
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT, .help = "output as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/**
 * struct feed - a stream
 * @next: the next one of the command
 * @link: what points to this one
 * @stream: the stream
 * @id: its number, for the log
 * @last: when its last message came, 0: none
 */
struct feed {
	struct feed *next, **link;
	struct fstream *stream;
	unsigned int id;
	int64_t last;
};

struct receiver {
	const struct cli_args *args;
	const struct fl_value *values;
	struct fstream_io *io;
	struct recv_output output;
	struct tune tune;
	struct feed *feeds;
	unsigned int accepted;
	uint64_t ended, failed;		/* streams; the failed ones have ended as well */
	int64_t start, last, next_stats;
	int epoll;
	bool closing, leaving, broken, slow;
	FILE *log;
	struct fstream_totals totals;	/* of ended streams */
	struct spread age, gap;
	struct fstream_dtls *dtls;
	struct send_secrecy secrecy;
};

static bool given(const struct receiver *s, int option)
{
	return s->values[option].set;
}

static void log_message(struct receiver *s, const struct feed *f, const struct fstream_event *e)
{
	if (s->log)
		fprintf(s->log, "%u,%" PRIu64 ",%zu,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
			",%u,%d,%d\n", f->id, e->number, e->len, e->submitted, e->deadline, e->arrived,
			fl_now(), e->attempts, e->late, e->damaged);
}

/* All streams have one output. While it takes nothing, it is waited for. */
static void set_slow(struct receiver *s, bool slow)
{
	struct epoll_event event = { .events = EPOLLOUT };

	if (slow == s->slow)
		return;
	s->slow = slow;
	epoll_ctl(s->epoll, slow ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, s->output.fd, &event);
	for (struct feed *f = s->feeds; f; f = f->next)
		fstream_slow_receiver(f->stream, slow, fl_now());
}

/* Gives what waits to the output. */
static void flush(struct receiver *s)
{
	if (!recv_output_flush(&s->output))
		s->broken = true;
	if (!recv_output_is_full(&s->output))
		set_slow(s, false);
}

static void take_message(struct receiver *s, struct feed *f, const struct fstream_event *e)
{
	int64_t now = fl_now();

	if (!recv_output_write(&s->output, e->data, e->len))
		s->broken = true;
	if (recv_output_is_full(&s->output) && !s->leaving)
		set_slow(s, true);
	spread_add(&s->age, now - e->submitted);
	if (f->last)
		spread_add(&s->gap, now - f->last);
	f->last = now;
	log_message(s, f, e);
}

/* Without memory the connection is ended. */
static void add_feed(struct receiver *s, struct fstream *stream)
{
	struct feed *f = malloc(sizeof(*f));

	if (!f) {
		fdccp_abort(fstream_io_conn(stream), fl_now());
		return;
	}
	*f = (struct feed){
		.next = s->feeds, .link = &s->feeds, .stream = stream, .id = s->accepted++,
	};
	if (f->next)
		f->next->link = &f->next;
	s->feeds = f;
	fstream_set_user(stream, f);
	fstream_slow_receiver(stream, s->slow, fl_now());
	if (s->tune.fd >= 0)
		fstream_set_terms(stream, s->tune.lifetime, s->tune.latency, fl_now());
}

static void remove_feed(struct receiver *s, struct feed *f, enum fdccp_reason reason)
{
	struct fstream_info info;

	fstream_info(f->stream, &info);
	send_sum(&s->totals, &info.totals);
	s->ended++;
	s->failed += reason != FDCCP_REASON_CLOSED;
	*f->link = f->next;
	if (f->next)
		f->next->link = f->link;
	free(f);
}

static void take(struct receiver *s, const struct fstream_io_event *e)
{
	struct feed *f = fstream_user(e->stream);

	s->last = fl_now();
	if (e->type == FSTREAM_IO_CLOSED)
		send_secrecy_add(&s->secrecy, e->stream);
	if (e->type == FSTREAM_IO_OPEN)
		add_feed(s, e->stream);
	else if (e->type == FSTREAM_IO_CLOSED && f)
		remove_feed(s, f, e->dccp.reason);
	else if (e->type == FSTREAM_IO_STREAM && e->event.type == FSTREAM_EVENT_MESSAGE && f)
		take_message(s, f, &e->event);
}

static void report_streams(const struct receiver *s, struct report *r)
{
	report_number(r, "streams", s->accepted);
	report_number(r, "ended", (int64_t)s->ended);
	report_number(r, "failed", (int64_t)s->failed);
}

static void report_totals(const struct receiver *s, struct report *r)
{
	struct fstream_totals sum = s->totals;
	int64_t one_way = 0;

	for (const struct feed *f = s->feeds; f; f = f->next) {
		struct fstream_info info;

		fstream_info(f->stream, &info);
		send_sum(&sum, &info.totals);
		one_way = info.one_way > one_way ? info.one_way : one_way;
	}
	send_report_receiver(r, &sum, s->values[DAMAGED].number);
	report_number(r, "lost_output", (int64_t)recv_output_lost(&s->output));
	if (s->feeds)
		report_seconds(r, "one_way", one_way);
}

/* Messages on standard output leave standard error for the report. */
static void print_stats(struct receiver *s)
{
	struct report r = report_event(given(s, JSON), "stats", fl_real());

	report_streams(s, &r);
	report_totals(s, &r);
	report_end(&r);
}

static void print_summary(struct receiver *s)
{
	struct report r = report_begin(given(s, JSON));

	report_streams(s, &r);
	report_totals(s, &r);
	report_break(&r);
	spread_report(&r, "age", &s->age);
	spread_report(&r, "dispersion", &s->gap);
	if (s->dtls)
		send_secrecy_report(&r, &s->secrecy);
	report_break(&r);
	dccp_report_counters(&r, fdccp_io_endpoint(fstream_io_dccp(s->io)));
	report_end(&r);
}

static int64_t end_of(const struct receiver *s)
{
	int64_t end = FL_NEVER;

	if (given(s, DURATION))
		end = s->start + (int64_t)s->values[DURATION].number;
	if (given(s, IDLE) && s->last + (int64_t)s->values[IDLE].number < end)
		end = s->last + (int64_t)s->values[IDLE].number;
	return end;
}

static int64_t do_stats(struct receiver *s)
{
	if (!given(s, STATS))
		return FL_NEVER;
	if (fl_now() >= s->next_stats) {
		print_stats(s);
		s->next_stats += (int64_t)s->values[STATS].number;
	}
	return s->next_stats;
}

static void close_all(struct receiver *s)
{
	s->closing = true;
	fdccp_unlisten(fdccp_io_endpoint(fstream_io_dccp(s->io)), (uint16_t)s->values[PORT].number);
	for (struct feed *f = s->feeds; f; f = f->next)
		fstream_io_shutdown(f->stream);
}

static bool is_done(const struct receiver *s)
{
	bool ended = s->ended >= s->values[STREAMS].number || (s->closing && !s->feeds);

	return s->broken || (ended && !s->slow) || fl_now() >= end_of(s);
}

static void set_terms(struct receiver *s)
{
	for (struct feed *f = s->feeds; f; f = f->next)
		fstream_set_terms(f->stream, s->tune.lifetime, s->tune.latency, fl_now());
}

static bool open_loop(struct receiver *s)
{
	int fd = s->tune.fd < 0 ? fstream_io_fd(s->io) : s->tune.epoll;
	struct epoll_event event = { .events = EPOLLIN };

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll >= 0 && !epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		return true;
	cli_error(s->args->who, "cannot wait for packets: %s", strerror(errno));
	return false;
}

static void run_loop(struct receiver *s)
{
	struct fstream_io_event event;
	int signal;

	while (!is_done(s)) {
		int64_t stats = do_stats(s), end = end_of(s);

		if (fstream_io_event(s->io, &event)) {
			take(s, &event);
			continue;
		}
		flush(s);
		wait_input(s->epoll, stats < end ? stats : end, &signal);
		if (tune_run(&s->tune))
			set_terms(s);
		if (!signal)
			continue;
		if (s->closing)
			return;
		close_all(s);
	}
}

/* Aborts what is still open, so that no peer waits for its timeout. What a slow output has not taken
 * is lost.
 */
static void leave(struct receiver *s)
{
	struct fstream_io_event event;

	s->leaving = true;
	set_slow(s, false);
	for (struct feed *f = s->feeds; f; f = f->next)
		if (fstream_io_conn(f->stream))
			fdccp_abort(fstream_io_conn(f->stream), fl_now());
	while (fstream_io_event(s->io, &event))
		take(s, &event);
}

static struct fstream_config config_of(const struct receiver *s)
{
	struct fstream_config config;

	fstream_config_init(&config, false);
	config.order = s->values[ORDER].number;
	config.late = s->values[LATE].number != 0;
	config.damaged = s->values[DAMAGED].number != 0;
	config.lifetime = s->tune.lifetime;
	config.latency = s->tune.latency;
	config.messages = (unsigned int)s->values[BUFFER].number;
	return config;
}

static bool listen_on(struct receiver *s)
{
	struct fdccp_io_config config = { .carrier = s->values[CARRIER].number,
		.lifetimes = FDCCP_LIFETIMES_OFF, .kernel_silent = given(s, KERNEL_SILENT),
		.no_udp_checksum = given(s, NO_UDP_CHECKSUM) };
	struct fstream_config stream = config_of(s);
	struct fdccp_params params;
	int err;

	if (config.carrier == FDCCP_CARRIER_UDP)
		config.local.in.sin_port = htons((uint16_t)s->values[UDP_PORT].number);
	if (!send_open(s->args, &config, &s->io))
		return false;
	send_params(&params, &s->values[CCID], &s->values[SILENCE]);
	dccp_rate_accept(&params, &s->values[CCID]);
	if (given(s, FIXED))
		params.peer_ccids[strlen((char *)params.peer_ccids)] = FDCCP_CCID_FIXED;
	err = fstream_io_listen(s->io, (uint16_t)s->values[PORT].number, send_service(s->dtls),
				&params, &stream, s->dtls);
	if (err)
		cli_error(s->args->who, "cannot listen on port %" PRIu64 ": %s",
			  s->values[PORT].number, strerror(-err));
	return !err;
}

static int run_all(struct receiver *s)
{
	bool partial = s->values[DAMAGED].number || given(s, NO_UDP_CHECKSUM), logged;

	if (!recv_output_open(&s->output, s->args->who, s->values[OUTPUT].text) ||
	    !dccp_check_partial(s->args, s->values[CARRIER].number, NULL,
				&s->values[NO_UDP_CHECKSUM]) ||
	    !send_keys_fit(s->args, PSK, partial))
		return EXIT_USAGE;
	if (!send_keys_open(&s->dtls, s->args, PSK, NULL) || !listen_on(s) ||
	    !traffic_open_log(s->args, LOG, "stream,number,bytes,submitted_ns,deadline_ns,"
			      "arrived_ns,given_ns,attempts,late,damaged", &s->log) ||
	    !tune_open(&s->tune, s->args->who, s->values[TUNE].text, fstream_io_fd(s->io)) ||
	    !open_loop(s))
		return EXIT_FAILED;
	fprintf(stderr, "listening on port %" PRIu64 "\n", s->values[PORT].number);
	run_loop(s);
	leave(s);
	flush(s);
	logged = traffic_close_log(s->args, LOG, s->log);
	print_summary(s);
	return logged && !s->broken ? EXIT_OK : EXIT_FAILED;
}

static int run_recv(const struct cli_args *args)
{
	struct receiver *s = calloc(1, sizeof(*s));
	int status;

	if (!s) {
		cli_error(args->who, "out of memory");
		return EXIT_FAILED;
	}
	s->args = args;
	s->values = args->values;
	s->output.fd = -1;
	s->epoll = -1;
	s->tune.fd = -1;
	s->tune.lifetime = given(s, LIFETIME) ? (int64_t)s->values[LIFETIME].number : FSTREAM_ANY;
	s->tune.latency = given(s, LATENCY) ? (int64_t)s->values[LATENCY].number : FSTREAM_ANY;
	wait_hold_signals();
	s->start = s->last = fl_now();
	s->next_stats = s->start + (int64_t)args->values[STATS].number;
	status = run_all(s);
	tune_close(&s->tune);
	if (s->epoll >= 0)
		close(s->epoll);
	recv_output_close(&s->output);
	fstream_io_close(s->io);
	fstream_dtls_free(s->dtls);
	free(s);
	return status;
}

const struct command recv_command = {
	.name = "recv",
	.summary = "receive messages with deadlines",
	.options = options,
	.run = run_recv,
};
