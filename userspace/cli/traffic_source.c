// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink traffic source: sends UDP packets of one size at a constant rate, all the time or
 * in bursts. Each packet has its own lifetime.
 *
 * The schedule is absolute: a late packet does not delay the packets after it. While a queue of
 * this host is full, the source sleeps in sendmsg().
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "../advice/look.h"
#include "../lib/xlo.h"
#include "../libfreshlink/freshlink.h"
#include "cli.h"
#include "random.h"
#include "report.h"
#include "traffic.h"
#include "wait.h"

#define IPV4_HEADER	20
#define IPV6_HEADER	40
#define UDP_HEADER	8
#define IP_PACKET_MAX	65535
#define RELATIVE_MAX	(FRESHLINK_RELATIVE_MAX * FL_MS)
#define HALF_DAY	(43200 * FL_SEC)
#define SEND_PATIENCE	1	/* maximum time of a sendmsg() in s, between checks for signals */

enum {
	PORT, RATE, SIZE, COUNT, DURATION, ON, OFF, LAW, LIFETIME,
	LIFETIME_RANDOM, VIA, STALE, REORDER, SLOW, CLOCK, SEED, JSON,
};

enum { LAW_EXPONENTIAL, LAW_CONSTANT };
enum { VIA_OPTION, VIA_TXTIME };

static const char *const law_words[] = {
	[LAW_EXPONENTIAL] = "exponential", [LAW_CONSTANT] = "constant", NULL,
};

static const char *const via_words[] = {
	[VIA_OPTION] = "option", [VIA_TXTIME] = "txtime", NULL,
};

static const struct fl_option options[] = {
	[PORT] = TRAFFIC_ROW_PORT("UDP port of the sink"),
	[RATE] = { .word = "--rate", .type = FL_RATE, .min = 1,
		   .max = 1250000000, .def = 3125,
		   .help = "rate while sending, of whole IP packets" },
	[SIZE] = { .word = "--size", .type = FL_SIZE, .min = 52,
		   .max = IP_PACKET_MAX, .def = 500,
		   .help = "size of a whole IP packet" },
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "packets",
		    .min = 1, .max = TRAFFIC_SEQUENCE_MAX, .def = FL_NO_DEFAULT,
		    .help = "end after this many packets" },
	[DURATION] = CLI_ROW_DURATION,
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
		       .max = HALF_DAY, .def = FL_NO_DEFAULT, .whole_ms = true,
		       .help = "lifetime of each packet" },
	[LIFETIME_RANDOM] = { .word = "--lifetime-random", .type = FL_TIMES,
			      .min = 0, .max = HALF_DAY, .def = FL_NO_DEFAULT,
			      .whole_ms = true,
			      .help = "lifetime drawn uniformly between two times" },
	[VIA] = { .word = "--via", .type = FL_WORD, .words = via_words,
		  .def = VIA_OPTION,
		  .help = "write the option, or give a deadline to the module xlo, which writes it" },
	[STALE] = { .word = "--stale", .type = FL_WORD, .words = xlo_stale_words,
		    .def = FRESHLINK_DISCARD,
		    .help = "what routers do with a stale packet" },
	[REORDER] = { .word = "--reorder", .type = FL_COUNT, .unit = "packets",
		      .min = 0, .max = 255, .def = 0,
		      .help = "number of overtaking packets at which the flow takes a packet for lost" },
	[SLOW] = { .word = "--slow", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "mark the flow as slowly responsive" },
	[CLOCK] = { .word = "--clock", .type = FL_WORD, .words = xlo_clock_words,
		    .def = XLO_CLOCK_RELATIVE,
		    .help = "write the lifetime as remaining time or as time of day" },
	[SEED] = CLI_ROW_SEED,
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/* One source at work. */
struct source {
	const struct cli_args *args;
	const struct fl_value *values;	/* args->values */
	struct sockaddr_storage to;
	socklen_t to_len;
	int fd;
	bool has_option;
	uint64_t random;

	/* schedule, CLOCK_MONOTONIC in ns */
	int64_t start;
	int64_t interval;
	int64_t next;			/* time of the next packet */
	int64_t burst_end;

	char *payload;
	size_t payload_len;
	uint64_t sequence;
	uint64_t sent;
	uint64_t errors;
	int last_error;
	bool stopped;			/* a signal has stopped the source */
};

static bool given(const struct source *s, int option)
{
	return s->values[option].set;
}

static bool check_lifetime(const struct source *s, int option,
			   uint64_t longest)
{
	if (!given(s, option) || longest <= RELATIVE_MAX ||
	    s->values[CLOCK].number == XLO_CLOCK_UTC)
		return true;
	cli_error(s->args->who, "%s %s: expected at most 65534ms with --clock relative",
		  options[option].word, s->values[option].text);
	return false;
}

/* Checks the options for --via txtime. A deadline has a lifetime but no other field of the
 * cross-layer option.
 */
static bool check_via(const struct source *s)
{
	static const int others[] = { STALE, REORDER, SLOW, CLOCK };

	if (s->values[VIA].number == VIA_OPTION)
		return true;
	if (!given(s, LIFETIME) && !given(s, LIFETIME_RANDOM)) {
		cli_error(s->args->who, "--via txtime: expected with --lifetime or --lifetime-random");
		return false;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!given(s, others[i]))
			continue;
		cli_error(s->args->who, "%s: expected without --via txtime",
			  options[others[i]].word);
		return false;
	}
	return true;
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
	return check_via(s) &&
	       check_lifetime(s, LIFETIME, s->values[LIFETIME].number) &&
	       check_lifetime(s, LIFETIME_RANDOM,
			      s->values[LIFETIME_RANDOM].second);
}

/* Returns whether the program may send the cross-layer option, which needs CAP_NET_RAW. The
 * check prints an error before the first packet.
 */
static bool may_send_option(const struct source *s)
{
	const struct freshlink_lifetime any = { 0 };

	if (!freshlink_socket_lifetime(s->fd, &any) &&
	    !freshlink_socket_lifetime(s->fd, NULL))
		return true;
	cli_error(s->args->who, "cannot send the cross-layer option: %s",
		  errno == EPERM ? look_for_right("it needs", "CAP_NET_RAW") :
				   strerror(errno));
	return false;
}

static bool may_send_deadlines(const struct source *s)
{
	if (!freshlink_enable_deadlines(s->fd, CLOCK_MONOTONIC))
		return true;
	cli_error(s->args->who, "cannot send deadlines: %s", strerror(errno));
	return false;
}

static bool open_socket(struct source *s)
{
	const struct timeval patience = { .tv_sec = SEND_PATIENCE };

	s->fd = socket(s->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
				    sizeof(patience))) {
		cli_error(s->args->who, "cannot open a socket: %s",
			  strerror(errno));
		return false;
	}
	s->has_option = given(s, LIFETIME) || given(s, LIFETIME_RANDOM) ||
			given(s, STALE) || given(s, REORDER) || given(s, SLOW);
	if (!s->has_option)
		return true;
	return s->values[VIA].number == VIA_TXTIME ? may_send_deadlines(s) :
						     may_send_option(s);
}

static size_t headers_size(const struct source *s)
{
	bool ipv4 = s->to.ss_family == AF_INET;
	size_t size = (ipv4 ? IPV4_HEADER : IPV6_HEADER) + UDP_HEADER;

	if (s->has_option)
		size += ipv4 ? FRESHLINK_IPV4_SIZE : FRESHLINK_IPV6_SIZE;
	return size;
}

static bool make_payload(struct source *s)
{
	size_t headers = headers_size(s);
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

/* Adds the lifetime to a message, as a cross-layer option or as a deadline. */
static void attach_lifetime(const struct source *s, struct msghdr *msg,
			    size_t room, uint64_t lifetime_ms, int64_t now)
{
	struct freshlink_lifetime lifetime = {
		.kind = s->values[CLOCK].number == XLO_CLOCK_UTC ?
			FRESHLINK_ABSOLUTE : FRESHLINK_RELATIVE,
		.stale = s->values[STALE].number,
		.remaining_ms = lifetime_ms,
		.at_ns = now,
		.reorder = s->values[REORDER].number,
		.flags = given(s, SLOW) ? FRESHLINK_SLOW : 0,
	};

	if (s->values[VIA].number == VIA_TXTIME) {
		freshlink_set_deadline(msg, room,
				       fl_now() + lifetime_ms * FL_MS);
		return;
	}
	if (lifetime_ms == TRAFFIC_NO_LIFETIME)
		lifetime.kind = FRESHLINK_UNLIMITED;
	freshlink_set_option(msg, room, s->to.ss_family, &lifetime);
}

/* Sends a packet. The function sleeps while queues of this host are full. A signal ends the
 * sleep and is not an error.
 */
static void transmit(struct source *s, const struct msghdr *msg)
{
	while (sendmsg(s->fd, msg, 0) < 0) {
		if (errno != EAGAIN) {
			s->errors++;
			s->last_error = errno;
			return;
		}
		s->stopped = wait_take_signal();
		if (s->stopped)
			return;
	}
	s->sent++;
}

static void send_packet(struct source *s)
{
	char control[FRESHLINK_OPTION_ROOM];	/* a deadline needs less */
	struct iovec iov = { s->payload, s->payload_len };
	struct msghdr msg = {
		.msg_name = &s->to, .msg_namelen = s->to_len,
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};
	uint64_t lifetime_ms = draw_lifetime_ms(s);
	int64_t now = fl_real();
	struct traffic_header header = {
		.magic = htobe32(TRAFFIC_MAGIC),
		.lifetime_ms = htobe32(lifetime_ms),
		.size = htobe32(s->payload_len),
		.sequence = htobe32(s->sequence++),
		.sent_ns = htobe64(now),
	};

	memcpy(s->payload, &header, sizeof(header));
	if (s->has_option)
		attach_lifetime(s, &msg, sizeof(control), lifetime_ms, now);
	transmit(s, &msg);
}

static int64_t draw_period(struct source *s, int option)
{
	int64_t mean = s->values[option].number;

	if (s->values[LAW].number == LAW_CONSTANT)
		return mean;
	return -log(random_unit(&s->random)) * mean;
}

/* Sets the time of the next packet. A silence follows the end of a burst. */
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
	s->start = s->next = fl_now();
	if (given(s, ON))
		s->burst_end = s->start + draw_period(s, ON);
	while (!is_done(s)) {
		if (wait_until(s->next))
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
	report_seconds(&r, "seconds", fl_now() - s->start);
	report_number(&r, "seed", s->values[SEED].number);
	report_end(&r);
}

static int run_source(const struct cli_args *args)
{
	struct source s = { .args = args, .values = args->values };

	if (!check_options(&s))
		return EXIT_USAGE;
	if (!traffic_find(args, SOCK_DGRAM, s.values[PORT].number, &s.to,
			  &s.to_len) || !open_socket(&s))
		return EXIT_FAILED;
	if (!make_payload(&s))
		return EXIT_USAGE;
	wait_hold_signals();
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
