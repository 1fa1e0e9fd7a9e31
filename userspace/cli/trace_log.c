// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink trace log: writes a log of each packet that a cellink device sends. The log has the
 * format of mahimahi's mm-link, for the tools that read this format.
 *
 * The data comes from the tracepoints of the module cellink. The kernel has a bounded buffer
 * for each CPU and counts the events that do not fit. Without a reader the tracepoints cost no
 * time.
 */
#include <errno.h>
#include <inttypes.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/text.h"
#include "cli.h"
#include "device.h"
#include "netlink.h"
#include "output.h"
#include "tracer.h"
#include "wait.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE	71
#endif

#define EACH_NS		(20 * (int64_t)FL_MS)	/* time between two reads of the buffer */

enum { DURATION, OUTPUT };

static const struct fl_option options[] = {
	[DURATION] = CLI_ROW_DURATION,
	[OUTPUT] = { .word = "--output", .type = FL_TEXT, .unit = "file",
		     .def = FL_NO_DEFAULT,
		     .help = "write to a file instead of standard output" },
	{ .word = NULL },
};

CLI_FITS(options);

static const char *const events[] = {
	"cell_arrival", "cell_departure", "cell_drop", "cell_opportunity", NULL,
};

/* One log being written. */
struct log {
	const struct cli_args *args;
	struct tracer tracer;
	FILE *out;
	int64_t start;		/* time 0 of the log, CLOCK_MONOTONIC in ns */
};

/* Returns the number in a field of an event, or 0 if the event does not have the field. */
static int64_t field(const char *line, const char *name)
{
	char key[16];
	const char *at;
	int64_t value;

	snprintf(key, sizeof(key), " %s=", name);
	at = strstr(line, key);
	return at && sscanf(at + strlen(key), "%" SCNd64, &value) == 1 ?
	       value : 0;
}

static int64_t to_ms(const struct log *log, int64_t ns)
{
	return (ns - log->start) / (int64_t)FL_MS;
}

static bool is(const char *line, const char *event)
{
	size_t len = strlen(event);

	return !strncmp(line, event, len) && !strncmp(line + len, ": ", 2);
}

/* Logs a departure. Packets that arrived before the log began are left out, because each
 * departure in the log must have an arrival.
 */
static void log_departure(struct log *log, const char *line)
{
	int64_t came = field(line, "came");
	int64_t at = to_ms(log, field(line, "at"));

	if (came >= log->start)
		fprintf(log->out, "%" PRId64 " - %" PRId64 " %" PRId64 "\n", at,
			field(line, "bytes"), at - to_ms(log, came));
}

static void log_opportunities(struct log *log, const char *line)
{
	int64_t count = field(line, "count");

	for (int64_t i = 0; i < count && !ferror(log->out); i++)
		fprintf(log->out, "%" PRId64 " # %" PRId64 "\n",
			to_ms(log, field(line, "at")), field(line, "bytes"));
}

static void log_event(const char *line, void *arg)
{
	struct log *log = arg;
	int64_t at = field(line, "at");

	if (at < log->start)
		return;
	if (is(line, "cell_arrival"))
		fprintf(log->out, "%" PRId64 " + %" PRId64 "\n", to_ms(log, at),
			field(line, "bytes"));
	else if (is(line, "cell_departure"))
		log_departure(log, line);
	else if (is(line, "cell_opportunity"))
		log_opportunities(log, line);
	else if (is(line, "cell_drop") && !strstr(line, "cause=handover"))
		fprintf(log->out, "%" PRId64 " d 1 %" PRId64 "\n",
			to_ms(log, at), field(line, "bytes"));
}

static bool check_device(const struct cli_args *args, unsigned int index)
{
	struct rtnl_link *link = NULL;
	const char *kind = NULL;
	struct netlink nl;
	bool good;

	if (netlink_open(&nl, NETLINK_ROUTE, -1) &&
	    !rtnl_link_get_kernel(nl.sock, index, NULL, &link))
		kind = rtnl_link_get_type(link);
	good = kind && !strcmp(kind, "cellink");
	if (!good)
		cli_error(args->who, "%s: expected a cellink device",
			  args->operand);
	rtnl_link_put(link);
	netlink_close(&nl);
	return good;
}

/* Makes the filter of the device's events. The filter contains the namespace, because devices
 * of other namespaces may have the same index.
 */
static bool make_filter(const struct cli_args *args, char *buf, size_t len)
{
	unsigned int index = device_find(args->who, args->operand);
	uint64_t cookie;
	socklen_t size = sizeof(cookie);
	bool good;
	int fd;

	if (!index || !check_device(args, index))
		return false;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	good = !getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size);
	if (good)
		snprintf(buf, len, "ifindex == %u && netns == %" PRIu64, index,
			 cookie);
	else
		cli_error(args->who, "cannot identify the network namespace: %s",
			  strerror(errno));
	close(fd);
	return good;
}

static void write_header(struct log *log)
{
	log->start = fl_now();
	fputs("# freshlink trace log (", log->out);
	fl_put_text(log->args->operand, log->out);
	fprintf(log->out, "), as mahimahi mm-link\n"
		"# init timestamp: %" PRId64 "\n# base timestamp: 0\n",
		fl_real() / (int64_t)FL_MS);
	fflush(log->out);
}

/* Reads the buffer again and again. If one read lasts until the time of the next read, the wait
 * between the reads only checks for signals. Returns true if all reads succeeded.
 */
static bool run_loop(struct log *log)
{
	const struct fl_value *v = log->args->values;
	int64_t end = FL_NEVER, next = log->start;
	int signal = 0;

	if (v[DURATION].set)
		end = log->start + v[DURATION].number;
	while (!signal && next < end && !ferror(log->out)) {
		next = end - next < EACH_NS ? end : next + EACH_NS;
		signal = wait_until(next);
		if (!tracer_read(&log->tracer, next + EACH_NS, log_event, log))
			return false;
		fflush(log->out);
	}
	tracer_stop(&log->tracer);
	return tracer_read(&log->tracer, FL_NEVER, log_event, log);
}

static bool open_output(struct log *log)
{
	const char *path = log->args->values[OUTPUT].text;

	log->out = path ? output_open(log->args->who, "--output", path) :
			  stdout;
	return log->out;
}

/* Opens the tracer before the file, because opening the file overwrites an existing file. */
static bool run_tracer(struct log *log)
{
	char filter[64];
	bool good;

	if (!make_filter(log->args, filter, sizeof(filter)))
		return false;
	good = tracer_open(&log->tracer, filter) && open_output(log);
	if (good) {
		write_header(log);
		good = run_loop(log);
	}
	tracer_close(&log->tracer);
	if (!log->tracer.lost)
		return good;
	fprintf(log->out, "# lost: %" PRIu64 "\n", log->tracer.lost);
	cli_error(log->args->who, "%" PRIu64 " events came too fast and are missing in the log",
		  log->tracer.lost);
	return false;
}

static int run_log(const struct cli_args *args)
{
	struct log log = {
		.args = args,
		.tracer = {
			.who = args->who, .system = "cellink",
			.events = events,
		},
	};
	bool good;

	wait_hold_signals();
	good = run_tracer(&log);
	if (log.out && log.out != stdout &&
	    !output_close(args->who, "--output", args->values[OUTPUT].text,
			  log.out))
		good = false;
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command trace_log_command = {
	.name = "trace log",
	.operand = "DEV",
	.summary = "log what a cellink device does with each packet",
	.options = options,
	.run = run_log,
};
