// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink reflect: a Session-Reflector of STAMP (RFC 8762) without sessions. It answers each
 * test packet on its own, with a packet of the same length.
 *
 * A forged test packet could make the reflector send to a victim. So the reflector answers only
 * sources that the user allows, or packets with the HMAC of a key, and only up to a limit for each
 * source. A forged packet must also not make two reflectors answer each other endlessly. This could
 * happen, because no field of a packet distinguishes a test packet from an answer. So the
 * reflector's own port is below 1024, and the reflector answers no port below 1024.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/timex.h>
#include <unistd.h>

#include "../stamp/packet.h"
#include "../stamp/timestamp.h"
#include "cli.h"
#include "datagram.h"
#include "key.h"
#include "limit.h"
#include "prefix.h"
#include "report.h"
#include "service.h"
#include "socket.h"
#include "wait.h"

#define RESERVED_PORTS	1024	/* lower ports need a privilege, and no sender uses them */
#define KEY_MIN		16	/* bytes; shorter keys can be guessed */
#define DSCP		0xfc	/* bits of the type of service that are not ECN */
#define TTL		255

enum { PORT, ALLOW, KEY, LIMIT, JSON };

static const struct fl_option options[] = {
	[PORT] = { .word = "--port", .type = FL_COUNT, .min = 1,
		   .max = RESERVED_PORTS - 1, .def = STAMP_PORT,
		   .help = "UDP port to receive on" },
	[ALLOW] = { .word = "--allow", .type = FL_TEXT, .unit = "prefix",
		    .def = FL_NO_DEFAULT, .repeats = true,
		    .help = "answer sources in this prefix of IPv4 or IPv6" },
	[KEY] = { .word = "--key", .type = FL_TEXT, .unit = "file",
		  .def = FL_NO_DEFAULT,
		  .help = "file with a key of 32 to 128 hexadecimal digits; answer only packets authenticated with it" },
	[LIMIT] = { .word = "--limit", .type = FL_COUNT, .unit = "packets",
		    .min = 1, .max = 100000, .def = 100,
		    .help = "answer each source up to this many packets a second" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "summary as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

/* What happened to a received packet */
enum fate {
	ANSWERED,
	NOT_UNICAST,
	NOT_ALLOWED,
	LOW_PORT,
	TOO_SHORT,
	FORGED,
	LIMITED,
	UNSENT,
	FATES,
};

static const char *const fate_names[FATES] = {
	[ANSWERED] = "answered", [NOT_UNICAST] = "not_unicast",
	[NOT_ALLOWED] = "not_allowed", [LOW_PORT] = "low_port",
	[TOO_SHORT] = "short", [FORGED] = "forged", [LIMITED] = "limited",
	[UNSENT] = "unsent",
};

struct reflector {
	const struct cli_args *args;
	int fd;
	struct prefix *allowed;
	size_t allowed_count;		/* 0: all sources */
	struct stamp_key keyed;
	const struct stamp_key *key;	/* NULL: the unauthenticated mode */
	struct limit limit;
	struct datagram packet;
	uint64_t count[FATES];
};

static bool read_prefixes(struct reflector *r)
{
	const struct fl_value *allow = &r->args->values[ALLOW];

	r->allowed = calloc(allow->count + 1, sizeof(*r->allowed));
	if (!r->allowed) {
		cli_error(r->args->who, "out of memory");
		return false;
	}
	for (size_t i = 0; i < allow->count; i++) {
		if (prefix_parse(allow->texts[i], &r->allowed[i]))
			continue;
		cli_error(r->args->who, "--allow %s: expected a prefix such as 192.0.2.0/24 or 2001:db8::/32, with no bit set behind its length",
			  allow->texts[i]);
		return false;
	}
	r->allowed_count = allow->count;
	return true;
}

static bool read_key(struct reflector *r)
{
	const struct fl_value *value = &r->args->values[KEY];
	struct key key;

	if (!value->set)
		return true;
	if (!key_read(r->args->who, value->text, KEY_MIN, KEY_MAX, &key))
		return false;
	stamp_set_key(&r->keyed, key.byte, key.len);
	r->key = &r->keyed;
	return true;
}

static bool start_limit(struct reflector *r)
{
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret)) {
		cli_error(r->args->who, "no random numbers: %s", strerror(errno));
		return false;
	}
	limit_init(&r->limit, r->args->values[LIMIT].number, secret);
	return true;
}

/* A sender can compute from the TTL of an answer how many routers the answer has passed. */
static bool set_ttl(int fd)
{
	int ttl = TTL;

	return !setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)) &&
	       (!setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &ttl, sizeof(ttl)) ||
		errno == ENOPROTOOPT);
}

static bool open_socket(struct reflector *r)
{
	uint16_t port = r->args->values[PORT].number;

	r->fd = socket_bind(SOCK_DGRAM, port);
	if (r->fd >= 0 && datagram_prepare(r->fd) && set_ttl(r->fd))
		return true;
	cli_error(r->args->who, "cannot receive on port %u: %s", port,
		  strerror(errno));
	return false;
}

static bool give_up_privileges(struct reflector *r)
{
	if (service_drop_privileges(0))
		return true;
	cli_error(r->args->who, "cannot give up privileges: %s",
		  strerror(errno));
	return false;
}

static bool is_allowed(const struct reflector *r, const struct in6_addr *source)
{
	for (size_t i = 0; i < r->allowed_count; i++)
		if (prefix_has(&r->allowed[i], source))
			return true;
	return !r->allowed_count;
}

/* The checks that need the least time come first. The check of the limit is last, so that only
 * packets that would be answered use up the limit of their source.
 */
static enum fate judge(struct reflector *r, struct stamp_test *test)
{
	const struct datagram *d = &r->packet;

	if (!d->is_unicast)
		return NOT_UNICAST;
	if (!is_allowed(r, &d->from))
		return NOT_ALLOWED;
	if (d->port < RESERVED_PORTS)
		return LOW_PORT;
	switch (stamp_get_test(d->bytes, d->len, r->key, test)) {
	case STAMP_SHORT:
		return TOO_SHORT;
	case STAMP_FORGED:
		return FORGED;
	case STAMP_GOOD:
		break;
	}
	return limit_allows(&r->limit, &d->from, fl_now()) ? ANSWERED : LIMITED;
}

/* Returns the kernel's own estimate of the error of CLOCK_REALTIME. */
static uint16_t clock_error(void)
{
	struct timex state = { .modes = 0 };
	bool is_synchronized = adjtimex(&state) >= 0 &&
			       !(state.status & STA_UNSYNC);

	return stamp_error((uint64_t)state.maxerror * 1000, is_synchronized);
}

/* Writes the answer over the test packet. Bytes after the test packet are not changed. A
 * reflector without sessions returns the number of the test packet (RFC 8762 section 4.3).
 */
static bool answer(struct reflector *r, const struct stamp_test *test)
{
	struct datagram *d = &r->packet;
	struct stamp_reflected reflected = {
		.own.sequence = test->sequence,
		.own.error = clock_error(),
		.received = stamp_time(d->received_ns),
		.test = *test,
		.ttl = d->ttl,
	};

	reflected.own.timestamp = stamp_time(fl_real());
	stamp_put_reflected(d->bytes, r->key, &reflected);
	return datagram_answer(r->fd, d, d->tos & DSCP);
}

static void serve(struct reflector *r)
{
	struct stamp_test test;
	enum fate fate;

	if (!datagram_receive(r->fd, &r->packet))
		return;
	fate = judge(r, &test);
	if (fate == ANSWERED && !answer(r, &test))
		fate = UNSENT;
	r->count[fate]++;
}

static void print_summary(const struct reflector *r)
{
	struct report report = report_begin(r->args->values[JSON].set);
	uint64_t received = 0;

	for (int i = 0; i < FATES; i++)
		received += r->count[i];
	report_number(&report, "received", received);
	for (int i = 0; i < FATES; i++)
		report_number(&report, fate_names[i], r->count[i]);
	report_number(&report, "socket_drops", socket_drops(r->fd));
	report_end(&report);
}

static bool start(struct reflector *r)
{
	return read_prefixes(r) && read_key(r) && start_limit(r) &&
	       open_socket(r) && give_up_privileges(r);
}

static int run_reflect(const struct cli_args *args)
{
	struct reflector *r;
	int signal = 0;

	if (!args->values[ALLOW].set && !args->values[KEY].set) {
		cli_error(args->who, "--allow or --key is missing: expected at least one of them");
		return EXIT_USAGE;
	}
	wait_hold_signals();
	r = calloc(1, sizeof(*r));
	if (!r) {
		cli_error(args->who, "out of memory");
		return EXIT_FAILED;
	}
	r->args = args;
	if (!start(r))
		return EXIT_FAILED;
	fprintf(stderr, "reflecting on port %u\n",
		(unsigned int)args->values[PORT].number);
	service_notify("READY=1");
	while (!signal)
		if (wait_input(r->fd, FL_NEVER, &signal))
			serve(r);
	print_summary(r);
	return EXIT_OK;
}

const struct command reflect_command = {
	.name = "reflect",
	.summary = "answer STAMP test packets",
	.options = options,
	.run = run_reflect,
};
