// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic nrt: simulates a person who browses the Web, over TCP. The model is the
 * non-real-time model in the report ETSI TR 101 112 (UMTS 30.03) V3.2.0, B.1.2.2.
 *
 * A session consists of packet calls, such as Web pages, with reading times between them. A
 * packet call consists of datagrams with gaps between them. The numbers of packet calls and
 * datagrams have a geometric distribution. Reading times and gaps have an exponential
 * distribution. In the report, reading times and gaps have a geometric distribution, because
 * time in the report has steps. Sizes have a Pareto distribution with a cut-off. A reading time
 * begins when the receiver has acknowledged the whole packet call.
 *
 * A session is a TCP connection. The next session begins at the end of the previous session,
 * because this command does not implement the model's arrival of sessions. A datagram is the
 * data that is written at one time. TCP divides this data into packets of its own, and sends a
 * packet without waiting for more data.
 *
 * All random numbers are whole numbers. The order in which they are drawn does not depend on
 * the network. A seed therefore gives the same sessions on every computer.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "random.h"
#include "report.h"
#include "traffic.h"
#include "traffic_client.h"
#include "wait.h"

#define SIZE_MAX_BYTES	(1 << 20)	/* maximum size of a datagram, for random_pareto() */
#define PATIENCE	1		/* maximum time between two checks for signals, in s */

enum {
	PORT, SESSIONS, CALLS, READING, DATAGRAMS, GAP, ALPHA, LEAST, CUTOFF,
	SEED, LOG, JSON,
};

static const struct fl_option options[] = {
	[PORT] = TRAFFIC_ROW_PORT("TCP port of the sink"),
	[SESSIONS] = { .word = "--sessions", .type = FL_COUNT,
		       .unit = "sessions", .min = 1, .max = 1000000, .def = 1,
		       .help = "end after this many sessions, one after the other" },
	[CALLS] = { .word = "--calls", .type = FL_COUNT,
		    .min = 1, .max = 1000000, .def = 5,
		    .help = "mean number of packet calls in a session" },
	[READING] = { .word = "--reading", .type = FL_TIME,
		      .min = 0, .max = 86400 * FL_SEC, .def = 412 * FL_SEC,
		      .help = "mean time from the end of a packet call to the next" },
	[DATAGRAMS] = { .word = "--datagrams", .type = FL_COUNT,
			.min = 1, .max = 1000000, .def = 25,
			.help = "mean number of datagrams in a packet call" },
	[GAP] = { .word = "--gap", .type = FL_TIME,
		  .min = 0, .max = 86400 * FL_SEC, .def = 62500000,
		  .help = "mean time from a datagram to the next" },
	[ALPHA] = { .word = "--alpha", .type = FL_DECIMAL,
		    .min = FL_ONE / 2, .max = 100 * FL_ONE, .def = 1100000,
		    .help = "shape of the distribution of sizes, alpha" },
	[LEAST] = { .word = "--least", .type = FL_DECIMAL, .unit = "bytes",
		    .min = FL_ONE, .max = SIZE_MAX_BYTES * FL_ONE,
		    .def = 81500000,
		    .help = "smallest size of a datagram, k" },
	[CUTOFF] = { .word = "--cutoff", .type = FL_SIZE,
		     .min = 1, .max = SIZE_MAX_BYTES, .def = 66666,
		     .help = "largest size of a datagram, which replaces larger ones, m" },
	[SEED] = CLI_ROW_SEED,
	[LOG] = { .word = "--log", .type = FL_TEXT, .unit = "file",
		  .def = FL_NO_DEFAULT,
		  .help = "write a line of CSV for each packet call" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/* A packet call, with its times in ns of CLOCK_MONOTONIC. */
struct call {
	uint64_t number;		/* number in its session, from 1 */
	uint64_t datagrams;
	uint64_t bytes;
	int64_t start;			/* scheduled time of the first datagram */
	int64_t end;			/* time when all data had been acknowledged */
};

/* One source at work. */
struct source {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	struct sockaddr_storage to;
	socklen_t to_len;
	int fd;				/* socket of the session */
	FILE *log;
	char *data;			/* payload of the largest datagram */
	uint64_t random;
	int64_t start;			/* CLOCK_MONOTONIC */
	int64_t real;			/* CLOCK_REALTIME minus CLOCK_MONOTONIC, at @start */

	uint64_t sessions;		/* number of complete sessions */
	uint64_t calls;			/* number of completely acknowledged calls */
	uint64_t datagrams;
	uint64_t bytes;
	int64_t *lengths;		/* length of each session, ns */
	bool failed;
};

static bool check_options(const struct source *s)
{
	const struct fl_value *least = &s->values[LEAST];
	const struct fl_value *cutoff = &s->values[CUTOFF];
	char low[32], high[32];

	if (least->number <= cutoff->number * FL_ONE)
		return true;
	cli_error(s->args->who, "--least %s: expected at most --cutoff %s",
		  fl_print_value(&options[LEAST], least->number, low,
				 sizeof(low)),
		  fl_print_value(&options[CUTOFF], cutoff->number, high,
				 sizeof(high)));
	return false;
}

/* Prints an error of the session and errno. A signal, which sets EINTR, is not an error. */
static bool fail(struct source *s, const char *what)
{
	if (errno == EINTR)
		return false;
	s->failed = true;
	cli_error(s->args->who, "session %" PRIu64 " with %s port %" PRIu64 ": %s: %s",
		  s->sessions + 1, s->args->operand, s->values[PORT].number,
		  what, strerror(errno));
	return false;
}

static int64_t draw_time(struct source *s, int option)
{
	uint64_t mean = s->values[option].number;

	return mean ? random_exponential(&s->random, mean) : 0;
}

/* Draws the size of a datagram in bytes, rounded to whole bytes. */
static size_t draw_size(struct source *s)
{
	return (random_pareto(&s->random, s->values[ALPHA].number,
			      s->values[LEAST].number,
			      s->values[CUTOFF].number * FL_ONE) +
		FL_ONE / 2) / FL_ONE;
}

/* Makes the kernel report when data that is written after this call has been acknowledged. If no
 * report arrives, the program checks for the acknowledgment once in each PATIENCE.
 */
static void set_stamp(const struct source *s, bool on)
{
	int flags = on ? SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_OPT_TSONLY :
			 0;

	setsockopt(s->fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
}

/* Writes data to the socket. The function blocks while the socket's buffer is full, like an
 * ordinary program.
 */
static bool write_datagram(struct source *s, struct call *call)
{
	uint64_t written = 0;
	bool good = traffic_write(s->fd, s->data, draw_size(s), FL_NEVER,
				  &written);

	call->bytes += written;
	s->bytes += written;
	if (!good)
		return fail(s, "broke off");
	s->datagrams++;
	return true;
}

/* Returns the error that has ended the connection, or 0 if the connection is still open.
 * SO_ERROR also reports errors that do not end a connection, such as an unreachable network
 * (RFC 1122 section 4.2.3.9). Discards the time stamps that report acknowledgments.
 */
static int take_error(int fd)
{
	char byte;

	while (recv(fd, NULL, 0, MSG_ERRQUEUE) >= 0)
		;
	if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
	    errno == EAGAIN)
		return 0;
	return errno;
}

static bool await_acknowledgment(struct source *s)
{
	int left, signal;

	while (!(errno = take_error(s->fd)) &&
	       !ioctl(s->fd, SIOCOUTQ, &left)) {
		if (!left)
			return true;
		wait_error(s->fd, fl_now() + PATIENCE * FL_SEC,
				 &signal);
		if (signal)
			return false;
	}
	return fail(s, "broke off");
}

/* Sends a packet call. The schedule of its datagrams is absolute. */
static bool run_call(struct source *s, struct call *call)
{
	int64_t next = call->start;

	call->datagrams = random_geometric(&s->random,
					   s->values[DATAGRAMS].number);
	for (uint64_t left = call->datagrams; left; left--) {
		if (wait_until(next))
			return false;
		set_stamp(s, left == 1);
		if (!write_datagram(s, call))
			return false;
		next += draw_time(s, GAP);
	}
	if (!await_acknowledgment(s))
		return false;
	call->end = fl_now();
	s->calls++;
	return true;
}

static void log_call(const struct source *s, const struct call *call)
{
	if (s->log)
		fprintf(s->log, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRId64 ",%" PRId64 "\n",
			s->sessions + 1, call->number, call->datagrams,
			call->bytes, s->real + call->start,
			s->real + call->end);
}

static bool run_session(struct source *s)
{
	int64_t begin = fl_now();
	uint64_t calls = random_geometric(&s->random, s->values[CALLS].number);
	struct call call = { 0 };

	s->fd = traffic_connect(&s->to, s->to_len, FL_NEVER);
	if (s->fd < 0)
		return fail(s, "cannot connect");
	call.start = fl_now();
	for (uint64_t i = 1; i <= calls; i++) {
		call.number = i;
		call.bytes = 0;
		if (!run_call(s, &call))
			return false;
		log_call(s, &call);
		call.start = call.end + draw_time(s, READING);
	}
	s->lengths[s->sessions++] = call.end - begin;
	return true;
}

static void run_sessions(struct source *s)
{
	bool go_on = true;

	s->random = s->values[SEED].number;
	s->start = fl_now();
	s->real = fl_real() - s->start;
	while (go_on && s->sessions < s->values[SESSIONS].number) {
		go_on = run_session(s);
		close(s->fd);
	}
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void report_lengths(const struct source *s, struct report *r)
{
	const int64_t *lengths = s->lengths;
	uint64_t count = s->sessions;

	if (!count)
		return;
	qsort(s->lengths, count, sizeof(*lengths), compare);
	report_seconds(r, "session_min", lengths[0]);
	report_seconds(r, "session_median",
		       (lengths[(count - 1) / 2] + lengths[count / 2]) / 2);
	report_seconds(r, "session_max", lengths[count - 1]);
}

static void print_summary(const struct source *s)
{
	struct report r = report_begin(s->values[JSON].set);

	report_number(&r, "sessions", s->sessions);
	report_number(&r, "packet_calls", s->calls);
	report_number(&r, "datagrams", s->datagrams);
	report_number(&r, "bytes", s->bytes);
	report_seconds(&r, "seconds", fl_now() - s->start);
	report_lengths(s, &r);
	report_number(&r, "seed", s->values[SEED].number);
	report_end(&r);
}

static bool allocate(struct source *s)
{
	s->data = calloc(1, s->values[CUTOFF].number);
	s->lengths = calloc(s->values[SESSIONS].number, sizeof(*s->lengths));
	if (s->data && s->lengths)
		return true;
	cli_error(s->args->who, "out of memory");
	return false;
}

static bool run(struct source *s)
{
	bool logged;

	if (!traffic_open_log(s->args, LOG,
			      "session,call,datagrams,bytes,start_ns,end_ns",
			      &s->log))
		return false;
	wait_hold_signals();
	run_sessions(s);
	logged = traffic_close_log(s->args, LOG, s->log);
	print_summary(s);
	return logged && !s->failed;
}

static int run_nrt(const struct cli_args *args)
{
	struct source s = { .args = args, .values = args->values };
	bool good;

	if (!check_options(&s))
		return EXIT_USAGE;
	good = traffic_find(args, SOCK_STREAM, s.values[PORT].number, &s.to,
			    &s.to_len) && allocate(&s) && run(&s);
	free(s.data);
	free(s.lengths);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command traffic_nrt_command = {
	.name = "traffic nrt",
	.operand = "HOST",
	.summary = "browse the Web over TCP, by the model of ETSI TR 101 112",
	.options = options,
	.run = run_nrt,
};
