// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink send: sends messages with deadlines, and tells what became of each.
 *
 * The messages come from outside, or the command makes them at even intervals or as a trace says.
 * One heap has the times at which the streams make their next message. A stream whose buffer is
 * full waits for room, or passes over the message: a live source has a newer one by then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../lib/xlo.h"
#include "send_parts.h"
#include "traffic.h"
#include "wait.h"

static const char *const control_words[] = {
	[FSTREAM_CONTROL_FEASIBLE] = "feasible", [FSTREAM_CONTROL_PAPER] = "paper",
	[FSTREAM_CONTROL_RELIABLE] = "reliable", [FSTREAM_CONTROL_NONE] = "none",
	[CONTROL_FIXED] = "fixed", [CONTROL_IFTP] = "iftp", [CONTROL_IFTPV] = "iftpv", NULL,
};

static const char *const cancel_words[] = { "full", "ack", NULL };
static const char *const full_words[] = {
	[FULL_AUTO] = "auto", [FULL_WAIT] = "wait", [FULL_DROP] = "drop", NULL,
};

static const char *const lifetimes_words[] = {
	[LIFETIMES_ON] = "on", [LIFETIMES_AUTO] = "auto", NULL,
};

static const char *const expiry_words[] = {
	[FSTREAM_REMEDY_TELL] = "tell", [FSTREAM_REMEDY_LIFETIME] = "lifetime",
	[FSTREAM_REMEDY_RATE] = "rate", NULL,
};

static const struct fl_option options[] = {
	[PORT] = SEND_ROW_PORT("DCCP port of the receiver"),
	[UDP_PORT] = DCCP_ROW_UDP_PORT("UDP port of the receiver"),
	[CARRIER] = DCCP_ROW_CARRIER,
	[KERNEL_SILENT] = DCCP_ROW_KERNEL_SILENT,
	[CCID] = DCCP_ROW_CCID,
	[UNDO] = DCCP_ROW_UNDO,
	[FORGIVE] = DCCP_ROW_FORGIVE,
	[CONTROL] = { .word = "--control", .type = FL_WORD, .words = control_words,
		      .def = FSTREAM_CONTROL_FEASIBLE,
		      .help = "what is sent again, and until when" },
	[RATE] = { .word = "--rate", .type = FL_RATE, .min = 1, .max = 1250000000,
		   .def = FL_NO_DEFAULT,
		   .help = "largest rate with --control fixed, on a link of one's own" },
	[LIFETIME] = SEND_ROW_LIFETIME("lifetime of each message; without it twice the "
				       "round-trip time"),
	[EXPIRY] = { .word = "--expiry", .type = FL_WORD, .words = expiry_words,
		     .def = FSTREAM_REMEDY_TELL,
		     .help = "where over a tenth goes stale, and not by an outage of up to 10 s: only "
			     "tell it, or also live longer, or take fewer messages" },
	[LIFETIME_MAX] = { .word = "--lifetime-max", .type = FL_TIME, .min = FL_MS,
			   .max = FSTREAM_LIFETIME_MAX, .def = FL_NO_DEFAULT,
			   .help = "longest lifetime with --expiry lifetime" },
	[LATENCY] = SEND_ROW_LATENCY("wish for the receiver's order \"paced\""),
	[ALPHA] = { .word = "--alpha", .type = FL_FACTOR, .min = 1, .max = 1000, .def = 125,
		    .help = "gain of the smoothed round-trip time" },
	[OVERHEAD] = { .word = "--overhead", .type = FL_FACTOR, .min = 0, .max = 100000,
		       .def = 1000,
		       .help = "bytes of repeats for each byte; with --control feasible" },
	[CANCEL] = { .word = "--cancel", .type = FL_WORD, .words = cancel_words, .def = 0,
		     .help = "when --control paper cancels what has expired" },
	[BUFFER] = SEND_ROW_BUFFER("messages that may be outstanding"),
	[FULL] = { .word = "--full", .type = FL_WORD, .words = full_words, .def = FULL_AUTO,
		   .help = "with a full buffer, wait or drop the message; auto waits with paper "
			   "and reliable" },
	[INPUT] = { .word = "--input", .type = FL_TEXT, .unit = "input", .def = FL_NO_DEFAULT,
		    .help = "-, udp:PORT or a file with lines of time,size,lifetime,priority" },
	[SIZE] = { .word = "--size", .type = FL_SIZE, .min = 1, .max = FSTREAM_MESSAGE_MAX,
		   .def = FL_NO_DEFAULT, .help = "bytes of a message, 1000 unless from input" },
	[INTERVAL] = { .word = "--interval", .type = FL_TIME, .min = 1000, .max = 86400 * FL_SEC,
		       .def = 10 * FL_MS, .help = "time from a message to the next" },
	[COUNT] = { .word = "--count", .type = FL_COUNT, .unit = "messages", .min = 1,
		    .max = TRAFFIC_SEQUENCE_MAX, .def = FL_NO_DEFAULT,
		    .help = "end after this many messages of each stream" },
	[DURATION] = CLI_ROW_DURATION,
	[STREAMS] = { .word = "--streams", .type = FL_COUNT, .min = 1, .max = 1000, .def = 1,
		      .help = "streams, each with messages of its own" },
	[STALE] = { .word = "--stale", .type = FL_WORD, .words = xlo_stale_words,
		    .def = FRESHLINK_DISCARD, .help = "what routers do with a stale packet" },
	[VIA] = DCCP_ROW_LIFETIMES,
	[LIFETIMES] = { .word = "--lifetimes", .type = FL_WORD, .words = lifetimes_words,
			.def = LIFETIMES_ON,
			.help = "where packets have one: everywhere, or where the path enforces it" },
	[SCALE] = DCCP_ROW_SCALE,
	[WINDOW] = DCCP_ROW_WINDOW,
	[TOLERANCE] = DCCP_ROW_TOLERANCE,
	[CAUSES] = DCCP_ROW_CAUSES,
	[SENSITIVE] = DCCP_ROW_SENSITIVE(FSTREAM_MESSAGE_MAX, "first bytes of a message that "
					 "must not be damaged, as the others may be"),
	[NO_UDP_CHECKSUM] = DCCP_ROW_NO_UDP_CHECKSUM,
	[SILENCE] = SEND_ROW_SILENCE,
	[STATS] = SEND_ROW_STATS,
	[LOG] = SEND_ROW_LOG,
	[TUNE] = SEND_ROW_TUNE,
	[PSK] = SEND_ROW_PSK,
	[CERT] = SEND_ROW_CERT("certificate of this end for a receiver that asks for one, PEM"),
	[KEY] = SEND_ROW_KEY,
	[CA] = SEND_ROW_CA("encrypt; authorities that sign the certificate of HOST, PEM"),
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT, .help = "output as JSON" },
	{ .word = NULL },
};

CLI_FITS(options);

static int64_t idle_until(struct sender *s)
{
	struct fdccp_heap_entry *first = fdccp_heap_first(&s->due);
	int64_t until = send_do_stats(s), look = send_stamp_run(s);

	if (look < until)
		until = look;
	if (first && first->when < until)
		until = first->when;
	if (!s->waiting && s->goodbye < until)
		until = s->goodbye;
	return until;
}

/* What is ready when a stream, or the socket of --tune, has something to do. */
static int sockets(const struct sender *s)
{
	return s->tune.fd < 0 ? fstream_io_fd(s->io) : s->tune.epoll;
}

static void stop(struct sender *s)
{
	s->stopped = true;
	for (unsigned int i = 0; i < s->flows; i++)
		if (s->flow[i].stream)
			send_finish(s, &s->flow[i]);
}

static void set_terms(struct sender *s)
{
	for (unsigned int i = 0; i < s->flows; i++)
		if (s->flow[i].stream) {
			fstream_set_overhead(s->flow[i].stream, (unsigned int)s->tune.overhead);
			fstream_set_terms(s->flow[i].stream, s->tune.lifetime, s->tune.latency,
					  fl_now());
		}
}

/* Waits for an event of a stream, or for what makes messages. While input is gathered, nobody waits
 * for it. Return: whether there was an event of a stream.
 */
static bool wait_next(struct sender *s, struct fstream_io_event *event, int *signal)
{
	bool busy = send_due(s) || send_from_input(s);
	int64_t until = busy ? 0 : idle_until(s);

	*signal = 0;
	if (fstream_io_event(s->io, event))
		return true;
	if (!s->gather)
		wait_input(s->epoll, until, signal);
	else
		wait_input(sockets(s), s->gather < until ? s->gather : until, signal);
	return false;
}

static void run_loop(struct sender *s)
{
	struct fstream_io_event event;
	int signal;

	while (s->left && (s->waiting || fl_now() < s->goodbye)) {
		if (wait_next(s, &event, &signal))
			send_take(s, &event);
		else if (tune_run(&s->tune))
			set_terms(s);
		if (!signal)
			continue;
		/* a second signal does not wait for the peer */
		if (s->stopped)
			return;
		stop(s);
	}
}

static int watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* A file as standard input is always readable, and refused by epoll. */
static bool open_loop(struct sender *s)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll >= 0 && !watch(s->epoll, sockets(s)) &&
	    (!s->has_input || !watch(s->epoll, s->input.fd) || errno == EPERM)) {
		s->input_waits = s->has_input;
		/* not before the connection is open */
		send_watch_input(s, false);
		return true;
	}
	cli_error(s->args->who, "cannot wait for the socket: %s", strerror(errno));
	return false;
}

static struct fstream_config config_of(const struct sender *s)
{
	struct fstream_config config;

	fstream_config_init(&config, true);
	if (s->values[CONTROL].number < CONTROL_FIXED)
		config.control = s->values[CONTROL].number;
	else if (s->values[CONTROL].number > CONTROL_FIXED)
		config.control = FSTREAM_CONTROL_NONE;
	config.cancel_on_ack = s->values[CANCEL].number != 0;
	config.lifetime = given(s, LIFETIME) ? (int64_t)s->values[LIFETIME].number : FSTREAM_ANY;
	config.remedy = s->values[EXPIRY].number;
	config.lifetime_max = given(s, LIFETIME_MAX) ? (int64_t)s->values[LIFETIME_MAX].number : 0;
	config.latency = given(s, LATENCY) ? (int64_t)s->values[LATENCY].number : FSTREAM_ANY;
	config.alpha = (unsigned int)s->values[ALPHA].number;
	config.overhead = (unsigned int)s->values[OVERHEAD].number;
	config.messages = (unsigned int)s->values[BUFFER].number;
	config.has_sensitive = given(s, SENSITIVE);
	config.sensitive = given(s, SENSITIVE) ? s->values[SENSITIVE].number : 0;
	return config;
}

static struct dccp_rate rate_options(const struct sender *s)
{
	return (struct dccp_rate){
		.ccid = &s->values[CCID], .scale = &s->values[SCALE],
		.window = &s->values[WINDOW], .tolerance = &s->values[TOLERANCE],
		.causes = &s->values[CAUSES],
	};
}

static void connection_params(const struct sender *s, struct fdccp_params *params)
{
	static const uint8_t ccids[] = {
		[CONTROL_FIXED] = FDCCP_CCID_FIXED, [CONTROL_IFTP] = FDCCP_CCID_IFTP,
		[CONTROL_IFTPV] = FDCCP_CCID_IFTPV,
	};
	const struct dccp_rate rate = rate_options(s);

	send_params(params, &s->values[CCID], &s->values[SILENCE]);
	params->lifetimes = fdccp_io_lifetimes(fstream_io_dccp(s->io)) != FDCCP_LIFETIMES_OFF;
	params->undo = (enum fdccp_undo_choice)s->values[UNDO].number;
	params->forgive_stale = s->values[FORGIVE].number;
	dccp_rate_params(params, &rate);
	if (s->values[CONTROL].number < CONTROL_FIXED)
		return;
	params->ccids[0] = ccids[s->values[CONTROL].number];
	params->ccids[1] = 0;
	if (s->values[CONTROL].number == CONTROL_FIXED)
		params->fixed_rate = s->values[RATE].number;
}

/* Connects all streams. Return: the exit status. */
static int connect_all(struct sender *s, const union fdccp_address *remote)
{
	struct fstream_config config = config_of(s);
	struct fdccp_params params;

	send_stamp_open(s, remote);
	connection_params(s, &params);
	for (unsigned int i = 0; i < s->flows; i++) {
		struct flow *f = &s->flow[i];
		int err = fstream_io_connect(s->io, remote, (uint16_t)s->values[PORT].number,
					     send_service(s->dtls), &params, &config, s->dtls,
					     &f->stream);

		if (err) {
			cli_error(s->args->who, "cannot connect to %s: %s", s->args->operand,
				  strerror(-err));
			return EXIT_FAILED;
		}
		*f = (struct flow){ .stream = f->stream, .id = i, .start = FL_NEVER,
				    .due.index = FDCCP_HEAP_OUT };
		fstream_set_user(f->stream, f);
		s->left++;
		s->waiting++;
	}
	return EXIT_OK;
}

static bool open_io(struct sender *s, union fdccp_address *remote)
{
	struct fdccp_io_config config = {
		.carrier = s->values[CARRIER].number,
		.kernel_silent = given(s, KERNEL_SILENT),
		.lifetimes = given(s, SENSITIVE) ? dccp_sensitive_via(s->values[VIA].number) :
			     (enum fdccp_lifetimes)s->values[VIA].number,
		.no_udp_checksum = given(s, NO_UDP_CHECKSUM),
	};
	struct sockaddr_storage to;
	socklen_t len;

	if (!traffic_find(s->args, SOCK_DGRAM, config.carrier == FDCCP_CARRIER_UDP ?
			  (uint16_t)s->values[UDP_PORT].number : 0, &to, &len))
		return false;
	memcpy(remote, &to, len);
	config.local.sa.sa_family = remote->sa.sa_family;
	return send_open(s->args, &config, &s->io);
}

/* Opens what the messages come from. Return: the exit status. */
static int open_source(struct sender *s)
{
	const char *text = s->values[INPUT].text;
	size_t size = given(s, SIZE) ? s->values[SIZE].number : 1000;

	s->has_input = text && (strcmp(text, "-") == 0 || strncmp(text, "udp:", 4) == 0);
	if (s->has_input && s->flows > 1) {
		cli_error(s->args->who, "--streams %u: expected 1 with --input %s", s->flows, text);
		return EXIT_USAGE;
	}
	if (s->has_input && *text == '-' && !given(s, SIZE)) {
		cli_error(s->args->who, "--input -: expected --size, the bytes of a message");
		return EXIT_USAGE;
	}
	if (s->has_input)
		return send_input_open(&s->input, s->args->who, text, size) ? EXIT_OK : EXIT_FAILED;
	if (text)
		return send_plan_read(&s->plan, s->args->who, text) ? EXIT_OK : EXIT_USAGE;
	s->plan.even.size = (uint32_t)size;
	s->plan.interval = (int64_t)s->values[INTERVAL].number;
	s->plan.count = s->values[COUNT].number;
	return EXIT_OK;
}

static int open_memory(struct sender *s)
{
	s->payload = calloc(1, FSTREAM_MESSAGE_MAX);
	s->flow = calloc(s->flows, sizeof(*s->flow));
	if (s->payload && s->flow && fdccp_heap_reserve(&s->due, s->flows))
		return EXIT_OK;
	cli_error(s->args->who, "out of memory");
	return EXIT_FAILED;
}

/* A fixed rate replaces congestion control, so it needs a rate and no CCID; and IFTP is one. */
static int check_rate(const struct sender *s)
{
	uint64_t control = s->values[CONTROL].number;
	const char *text = s->values[CONTROL].text ? s->values[CONTROL].text : control_words[0];
	const struct dccp_rate rate = rate_options(s);
	bool fixed = control == CONTROL_FIXED, iftp = control > CONTROL_FIXED;

	if (fixed != given(s, RATE) || (fixed && given(s, CCID)))
		cli_error(s->args->who,
			  "--control %s%s: expected --rate with --control fixed, without --ccid",
			  text, given(s, RATE) ? " --rate" : "");
	else if (iftp && given(s, CCID))
		cli_error(s->args->who, "--control %s: expected no --ccid", text);
	else if (dccp_rate_fits(s->args, &rate, iftp || dccp_rate_is_iftp(&s->values[CCID])))
		return EXIT_OK;
	return EXIT_USAGE;
}

/* Whether what may be damaged goes with the carrier, the keys and the messages. */
static int check_protection(const struct sender *s)
{
	const struct fl_value *part = &s->values[SENSITIVE];
	bool mixed = given(s, INPUT) && strcmp(s->values[INPUT].text, "-") != 0;
	size_t size = given(s, SIZE) ? s->values[SIZE].number : 1000;

	if (part->set && !mixed && part->number > size) {
		cli_error(s->args->who, "--sensitive %s: expected at most the %zu bytes of a message",
			  part->text, size);
		return EXIT_USAGE;
	}
	if (part->set && s->values[LIFETIMES].number == LIFETIMES_AUTO) {
		cli_error(s->args->who, "--lifetimes auto: expected no --sensitive, whose option "
			  "says that damage is tolerable");
		return EXIT_USAGE;
	}
	return dccp_check_partial(s->args, s->values[CARRIER].number, part,
				  &s->values[NO_UDP_CHECKSUM]) &&
	       send_keys_fit(s->args, PSK, part->set || given(s, NO_UDP_CHECKSUM)) ?
	       EXIT_OK : EXIT_USAGE;
}

/* What is wrong with the options for persistent expiry, or NULL. */
static const char *expiry_fault(const struct sender *s)
{
	uint64_t remedy = s->values[EXPIRY].number;

	if (remedy != FSTREAM_REMEDY_TELL && s->values[CONTROL].number == FSTREAM_CONTROL_RELIABLE)
		return "another --control than reliable, which has no lifetimes";
	if ((remedy == FSTREAM_REMEDY_LIFETIME) != given(s, LIFETIME_MAX))
		return "--lifetime-max with --expiry lifetime, and only then";
	if (given(s, LIFETIME_MAX) && given(s, LIFETIME) &&
	    s->values[LIFETIME_MAX].number < s->values[LIFETIME].number)
		return "a --lifetime-max that is not below --lifetime";
	return NULL;
}

/* Return: the exit status. */
static int check_expiry(const struct sender *s)
{
	const char *fault = expiry_fault(s);

	if (!fault)
		return EXIT_OK;
	cli_error(s->args->who, "--expiry %s: expected %s",
		  expiry_words[s->values[EXPIRY].number], fault);
	return EXIT_USAGE;
}

static bool open_tune(struct sender *s)
{
	s->tune.sender = true;
	s->tune.overhead = s->values[OVERHEAD].number;
	s->tune.lifetime = given(s, LIFETIME) ? (int64_t)s->values[LIFETIME].number : FSTREAM_ANY;
	s->tune.latency = given(s, LATENCY) ? (int64_t)s->values[LATENCY].number : FSTREAM_ANY;
	return tune_open(&s->tune, s->args->who, s->values[TUNE].text, fstream_io_fd(s->io));
}

/* Opens everything. Return: the exit status. */
static int open_all(struct sender *s)
{
	union fdccp_address remote = { .sa.sa_family = AF_UNSPEC };
	int status = check_rate(s);

	if (!status && !dccp_check_ccid3(s->args, &s->values[UNDO], &s->values[FORGIVE],
					 &s->values[CCID]))
		status = EXIT_USAGE;
	if (!status)
		status = check_protection(s);
	if (!status)
		status = check_expiry(s);
	if (!status)
		status = open_source(s);
	if (!status && !send_keys_open(&s->dtls, s->args, PSK, s->args->operand))
		status = EXIT_FAILED;
	if (!status)
		status = open_memory(s);
	if (!status && !traffic_open_log(s->args, LOG, "stream,number,bytes,submitted_ns,"
					 "deadline_ns,"
					 "sent_ns,ended_ns,attempts,end", &s->log))
		status = EXIT_FAILED;
	if (!status && (!open_io(s, &remote) || !open_tune(s) || !open_loop(s)))
		status = EXIT_FAILED;
	return status ? status : connect_all(s, &remote);
}

/* Connections that have not ended are aborted, so that the peer does not wait for its timeout. */
static void leave(struct sender *s)
{
	struct fstream_io_event event;

	for (unsigned int i = 0; s->flow && i < s->flows; i++)
		if (s->flow[i].stream && fstream_io_conn(s->flow[i].stream))
			fdccp_abort(fstream_io_conn(s->flow[i].stream), fl_now());
	while (s->io && fstream_io_event(s->io, &event))
		send_take(s, &event);
}

static void free_all(struct sender *s)
{
	send_stamp_close(s);
	fstream_io_close(s->io);
	fstream_dtls_free(s->dtls);
	if (s->epoll >= 0)
		close(s->epoll);
	tune_close(&s->tune);
	send_input_close(&s->input);
	send_plan_free(&s->plan);
	fdccp_heap_free(&s->due);
	free(s->flow);
	free(s->payload);
	free(s);
}

static int run_send(const struct cli_args *args)
{
	struct sender *s = calloc(1, sizeof(*s));
	int status;

	if (!s) {
		cli_error(args->who, "out of memory");
		return EXIT_FAILED;
	}
	s->args = args;
	s->values = args->values;
	s->epoll = -1;
	s->input.fd = -1;
	s->tune.fd = -1;
	s->flows = (unsigned int)args->values[STREAMS].number;
	wait_hold_signals();
	/* messages are due to the microsecond, and the kernel's timers otherwise add 50 us */
	prctl(PR_SET_TIMERSLACK, 1);
	s->start = fl_now();
	s->next_stats = s->start + (int64_t)args->values[STATS].number;
	status = open_all(s);
	if (!status) {
		run_loop(s);
		send_print_summary(s);
		status = s->waiting || s->failed ? EXIT_FAILED : EXIT_OK;
	}
	leave(s);
	if (!traffic_close_log(args, LOG, s->log) && !status)
		status = EXIT_FAILED;
	free_all(s);
	return status;
}

const struct command send_command = {
	.name = "send",
	.operand = "HOST",
	.summary = "send messages with deadlines",
	.options = options,
	.run = run_send,
};
