// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink export: the modules' counters for other programs. */
#include "../metrics/prometheus.h"
#include "export.h"
#include "snapshot.h"
#include "wait.h"

enum { PROMETHEUS, TEXTFILE, EVERY, LISTEN };

static const struct fl_option options[] = {
	[PROMETHEUS] = { .word = "--prometheus", .type = FL_FLAG, .def = FL_NO_DEFAULT,
			 .required = true, .help = "in the text format of Prometheus" },
	[TEXTFILE] = { .word = "--textfile", .type = FL_TEXT, .unit = "file",
		       .def = FL_NO_DEFAULT,
		       .help = "write to this file, which is replaced as a whole; default: standard output" },
	[EVERY] = { .word = "--every", .type = FL_TIME, .min = FL_SEC, .max = 86400 * FL_SEC,
		    .def = FL_NO_DEFAULT, .help = "with --textfile: replace the file at this interval" },
	[LISTEN] = { .word = "--listen", .type = FL_TEXT, .unit = "where",
		     .def = FL_NO_DEFAULT,
		     .help = "answer GET /metrics over HTTP; WHERE: the path of a Unix socket, a TCP port on 127.0.0.1, or ADDRESS:PORT" },
	{ .word = NULL },
};

CLI_FITS(options);

bool export_print(const struct cli_args *args, FILE *out)
{
	struct state state;
	bool done = snapshot_read(args, 0, &state);

	if (done)
		prometheus_print(&state, out);
	state_forget(&state);
	return done;
}

static bool replace_again(const struct cli_args *args, const char *path, int64_t every)
{
	wait_hold_signals();
	do {
		if (!export_replace(args, path))
			return false;
	} while (!wait_until(fl_now() + every));
	return true;
}

static bool check(const struct cli_args *args, struct listen_address *address)
{
	const struct fl_value *values = args->values;

	if (values[LISTEN].set && values[TEXTFILE].set) {
		cli_error(args->who, "--listen with --textfile: expected one of them");
		return false;
	}
	if (values[EVERY].set && !values[TEXTFILE].set) {
		cli_error(args->who, "--every without --textfile: expected both");
		return false;
	}
	if (!values[LISTEN].set || listen_parse(values[LISTEN].text, address))
		return true;
	cli_error(args->who, "--listen %s: expected a path that begins with /, a port from 1 to 65535, or an address and a port such as 192.0.2.1:9099 or [2001:db8::1]:9099",
		  values[LISTEN].text);
	return false;
}

static bool export(const struct cli_args *args, const struct listen_address *address)
{
	const struct fl_value *values = args->values;

	if (values[LISTEN].set)
		return export_serve(args, values[LISTEN].text, address);
	if (values[EVERY].set)
		return replace_again(args, values[TEXTFILE].text, values[EVERY].number);
	if (values[TEXTFILE].set)
		return export_replace(args, values[TEXTFILE].text);
	return export_print(args, stdout);
}

static int run_export(const struct cli_args *args)
{
	struct listen_address address;

	if (!check(args, &address))
		return EXIT_USAGE;
	return export(args, &address) ? EXIT_OK : EXIT_FAILED;
}

const struct command export_command = {
	.name = "export",
	.summary = "give the modules' counters to a monitoring system",
	.options = options,
	.run = run_export,
};
