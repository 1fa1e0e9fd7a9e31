// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic source: UDP packets of one size at a constant rate, all
 * the time or in bursts, each with a cross-layer option of its own.
 *
 * The schedule is absolute: a packet that goes out late does not move the
 * ones behind it. The socket blocks; where a queue of this host is full the
 * source sleeps in sendmsg().
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"
#include "clock.h"
#include "random.h"
#include "report.h"
#include "traffic.h"

#define IPV4_HEADER	20
#define IPV6_HEADER	40
#define UDP_HEADER	8
#define IP_PACKET_MAX	65535
#define RELATIVE_MAX	(XLO_RELATIVE_MAX * FL_MS)
#define HALF_DAY	(43200 * FL_SEC)
#define SEND_PATIENCE	1	/* s in sendmsg() before signals are looked at */

enum {
	PORT, RATE, SIZE, COUNT, DURATION, ON, OFF, LAW, LIFETIME,
	LIFETIME_RANDOM, STALE, REORDER, SLOW, CLOCK, SEED, JSON,
};

enum { LAW_EXPONENTIAL, LAW_CONSTANT };
enum { CLOCK_IS_RELATIVE, CLOCK_IS_UTC };

static const char *const law_words[] = {
	[LAW_EXPONENTIAL] = "exponential", [LAW_CONSTANT] = "constant", NULL,
};

static const char *const clock_words[] = {
	[CLOCK_IS_RELATIVE] = "relative", [CLOCK_IS_UTC] = "utc", NULL,
};

static const char *const stale_words[] = {
	[XLO_STALE_FORWARD] = "forward", [XLO_STALE_DISCARD] = "discard",
	[XLO_STALE_TRUNCATE] = "truncate", NULL,
};

static const struct fl_option options[] = {
	[PORT] = { .word = "--port", .type = FL_COUNT,
		   .min = 1, .max = 65535, .def = TRAFFIC_PORT,
		   .help = "UDP port of the sink" },
	[RATE] = { .word = "--rate", .type = FL_RATE, .min = 1,
		   .max = 1250000000, .def = 3125,
		   .help = "rate while sending, of whole IP packets" },
	[SIZE] = { .word = "--size", .type = FL_SIZE, .min = 52,
		   .max = IP_PACKET_MAX, .def = 500,
		   .help = "size of a whole IP packet" },
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "packets",
		    .min = 1, .max = TRAFFIC_SEQUENCE_MAX, .def = FL_NO_DEFAULT,
		    .help = "end after so many packets" },
	[DURATION] = { .word = "--duration", .type = FL_TIME, .min = 1,
		       .max = 31536000 * FL_SEC, .def = FL_NO_DEFAULT,
		       .help = "end after this time" },
	[ON] = { .word = "--on", .type = FL_TIME, .min = FL_MS,
		 .max = 86400 * FL_SEC, .def = FL_NO_DEFAULT,
		 .help = "mean length of a burst; needs --off" },
	[OFF] = { .word = "--off", .type = FL_TIME, .min = FL_MS,
		  .max = 86400 * FL_SEC, .def = FL_NO_DEFAULT,
		  .help = "mean length of a silence; needs --on" },
	[LAW] = { .word = "--law", .type = FL_WORD, .words = law_words,
		  .def = LAW_EXPONENTIAL,
		  .help = "how lengths of bursts and silences vary" },
	[LIFETIME] = { .word = "--lifetime", .type = FL_TIME, .min = 0,
		       .max = HALF_DAY, .def = FL_NO_DEFAULT,
		       .help = "lifetime of each packet" },
	[LIFETIME_RANDOM] = { .word = "--lifetime-random", .type = FL_TIMES,
			      .min = 0, .max = HALF_DAY, .def = FL_NO_DEFAULT,
			      .help = "lifetime drawn between two times, each ms as likely" },
	[STALE] = { .word = "--stale", .type = FL_WORD, .words = stale_words,
		    .def = XLO_STALE_DISCARD,
		    .help = "what routers shall do with a stale packet" },
	[REORDER] = { .word = "--reorder", .type = FL_COUNT, .unit = "packets",
		      .min = 0, .max = 255, .def = 0,
		      .help = "reordering that the flow tolerates" },
	[SLOW] = { .word = "--slow", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "mark the flow as slowly responsive" },
	[CLOCK] = { .word = "--clock", .type = FL_WORD, .words = clock_words,
		    .def = CLOCK_IS_RELATIVE,
		    .help = "lifetime as time that remains or as time of day" },
	[SEED] = { .word = "--seed", .type = FL_COUNT, .min = 0,
		   .max = INT64_MAX, .def = 1,
		   .help = "seed of everything random" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

_Static_assert(sizeof(options) / sizeof(options[0]) <= CLI_MAX_OPTIONS,
	       "CLI_MAX_OPTIONS");

/* One source at work. */
struct source {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	struct sockaddr_storage to;
	socklen_t to_len;
	int family;
	int fd;
	bool has_option;
	uint64_t random;

	/* schedule, CLOCK_MONOTONIC in ns */
	int64_t start;
	int64_t interval;
	int64_t next;			/* packet */
	int64_t burst_end;

	char *payload;
	size_t payload_len;
	uint64_t sequence;
	uint64_t sent;
	uint64_t errors;
	int last_error;
	bool stopped;			/* by a signal */
};

static bool given(const struct source *s, int option)
{
	return s->values[option].set;
}

static bool check_lifetime(const struct source *s, int option,
			   uint64_t shortest, uint64_t longest)
{
	const char *expected = NULL;

	if (!given(s, option))
		return true;
	if (shortest % FL_MS || longest % FL_MS)
		expected = "whole ms";
	else if (s->values[CLOCK].number != CLOCK_IS_UTC &&
		 longest > RELATIVE_MAX)
		expected = "at most 65534ms with --clock relative";
	if (expected)
		cli_error(s->args->who, "%s %s: expected %s",
			  options[option].word, s->values[option].text,
			  expected);
	return !expected;
}

static bool check_options(const struct source *s)
{
	if (given(s, ON) != given(s, OFF)) {
		cli_error(s->args->who, "%s without %s: expected both or none",
			  given(s, ON) ? "--on" : "--off",
			  given(s, ON) ? "--off" : "--on");
		return false;
	}
	if (given(s, LIFETIME) && given(s, LIFETIME_RANDOM)) {
		cli_error(s->args->who, "--lifetime and --lifetime-random: expected one of them");
		return false;
	}
	return check_lifetime(s, LIFETIME, s->values[LIFETIME].number,
			      s->values[LIFETIME].number) &&
	       check_lifetime(s, LIFETIME_RANDOM,
			      s->values[LIFETIME_RANDOM].number,
			      s->values[LIFETIME_RANDOM].second);
}

static bool find_sink(struct source *s)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	const char *host = s->args->operand;
	struct addrinfo *found;
	char port[8];
	int err;

	snprintf(port, sizeof(port), "%u", (unsigned int)s->values[PORT].number);
	err = getaddrinfo(host, port, &hints, &found);
	if (err) {
		cli_error(s->args->who, "HOST %s: expected an address or a known name: %s",
			  host, gai_strerror(err));
		return false;
	}
	memcpy(&s->to, found->ai_addr, found->ai_addrlen);
	s->to_len = found->ai_addrlen;
	s->family = found->ai_family;
	freeaddrinfo(found);
	return true;
}

static bool open_socket(struct source *s)
{
	const struct timeval patience = { .tv_sec = SEND_PATIENCE };

	s->fd = socket(s->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
				    sizeof(patience))) {
		cli_error(s->args->who, "cannot open a socket: %s",
			  strerror(errno));
		return false;
	}
	s->has_option = given(s, LIFETIME) || given(s, LIFETIME_RANDOM) ||
			given(s, STALE) || given(s, REORDER) || given(s, SLOW);
	return !s->has_option ||
	       traffic_option_allowed(s->args->who, s->fd, s->family);
}

static bool make_payload(struct source *s)
{
	size_t headers = (s->family == AF_INET ? IPV4_HEADER : IPV6_HEADER) +
			 UDP_HEADER +
			 (s->has_option ? traffic_option_size(s->family) : 0);
	size_t least = headers + sizeof(struct traffic_header);

	if (s->values[SIZE].number < least) {
		cli_error(s->args->who, "--size %s: expected at least %zu for these packets",
			  s->values[SIZE].text, least);
		return false;
	}
	s->payload_len = s->values[SIZE].number - headers;
	s->payload = calloc(1, s->payload_len);
	if (!s->payload)
		cli_error(s->args->who, "out of memory");
	return s->payload;
}

static uint64_t draw_lifetime_ms(struct source *s)
{
	const struct fl_value *range = &s->values[LIFETIME_RANDOM];

	if (given(s, LIFETIME))
		return s->values[LIFETIME].number / FL_MS;
	if (given(s, LIFETIME_RANDOM))
		return random_between(&s->random, range->number / FL_MS,
				      range->second / FL_MS);
	return TRAFFIC_NO_LIFETIME;
}

static struct xlo make_option(const struct source *s, uint64_t lifetime_ms,
			      int64_t now)
{
	struct xlo opt = {
		.reorder = s->values[REORDER].number,
		.flags = XLO_STALE_FLAGS(s->values[STALE].number) |
			 (given(s, SLOW) ? XLO_FLAG_SLOW : 0),
		.lifetime = lifetime_ms,
	};

	if (lifetime_ms == TRAFFIC_NO_LIFETIME)
		opt.lifetime = XLO_LIFETIME_NONE;
	else if (s->values[CLOCK].number == CLOCK_IS_UTC)
		opt.lifetime = xlo_encode_absolute(traffic_ms_of_day(now) +
						   lifetime_ms);
	return opt;
}

/* Sleeps as long as queues of this host are full; a signal then ends it, and
 * that is no error.
 */
static void transmit(struct source *s, const struct msghdr *msg)
{
	while (sendmsg(s->fd, msg, 0) < 0) {
		if (errno != EAGAIN) {
			s->errors++;
			s->last_error = errno;
			return;
		}
		s->stopped = clock_signal();
		if (s->stopped)
			return;
	}
	s->sent++;
}

static void send_packet(struct source *s)
{
	_Alignas(struct cmsghdr) char control[64];
	struct iovec iov = { s->payload, s->payload_len };
	struct msghdr msg = {
		.msg_name = &s->to, .msg_namelen = s->to_len,
		.msg_iov = &iov, .msg_iovlen = 1,
	};
	uint64_t lifetime_ms = draw_lifetime_ms(s);
	int64_t now = clock_real();
	struct traffic_header header = {
		.magic = htobe32(TRAFFIC_MAGIC),
		.lifetime_ms = htobe32(lifetime_ms),
		.sequence = htobe64(s->sequence++),
		.sent_ns = htobe64(now),
	};

	memcpy(s->payload, &header, sizeof(header));
	if (s->has_option) {
		struct xlo opt = make_option(s, lifetime_ms, now);

		msg.msg_control = control;
		traffic_option_attach(&msg, s->family, &opt);
	}
	transmit(s, &msg);
}

static int64_t draw_period(struct source *s, int option)
{
	int64_t mean = s->values[option].number;

	if (s->values[LAW].number == LAW_CONSTANT)
		return mean;
	return -log(random_unit(&s->random)) * mean;
}

/* Moves on by a packet; a burst that is over is followed by a silence. */
static void schedule_next(struct source *s)
{
	s->next += s->interval;
	while (given(s, ON) && s->next >= s->burst_end) {
		s->next = s->burst_end + draw_period(s, OFF);
		s->burst_end = s->next + draw_period(s, ON);
	}
}

static bool is_done(const struct source *s)
{
	return s->stopped || s->sequence >= s->values[COUNT].number ||
	       (given(s, DURATION) && s->next - s->start >=
		(int64_t)s->values[DURATION].number);
}

static void run_schedule(struct source *s)
{
	s->random = s->values[SEED].number;
	s->interval = s->values[SIZE].number * FL_SEC / s->values[RATE].number;
	s->start = s->next = clock_now();
	if (given(s, ON))
		s->burst_end = s->start + draw_period(s, ON);
	while (!is_done(s)) {
		if (clock_wait(s->next))
			return;
		send_packet(s);
		schedule_next(s);
	}
}

static void print_summary(const struct source *s)
{
	struct report r = report_begin(given(s, JSON));

	report_number(&r, "sent", s->sent);
	report_number(&r, "errors", s->errors);
	report_number(&r, "bytes", s->sent * s->values[SIZE].number);
	report_seconds(&r, "seconds", clock_now() - s->start);
	report_number(&r, "seed", s->values[SEED].number);
	report_end(&r);
}

static int run_source(const struct cli_args *args)
{
	struct source s = { .args = args, .values = args->values };

	if (!check_options(&s))
		return EXIT_USAGE;
	if (!find_sink(&s) || !open_socket(&s))
		return EXIT_FAILED;
	if (!make_payload(&s))
		return EXIT_USAGE;
	clock_hold_signals();
	run_schedule(&s);
	print_summary(&s);
	free(s.payload);
	close(s.fd);
	if (s.last_error)
		cli_error(args->who, "%" PRIu64 " of %" PRIu64 " packets could not be sent, the last of them: %s",
			  s.errors, s.sequence, strerror(s.last_error));
	return s.last_error ? EXIT_FAILED : EXIT_OK;
}

const struct command traffic_source_command = {
	.name = "traffic source",
	.operand = "HOST",
	.summary = "send UDP packets that carry a lifetime",
	.options = options,
	.run = run_source,
};
