// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink trace cut: writes a part of a trace, or a share of its opportunities. */
#include <inttypes.h>

#include "cli.h"
#include "trace.h"

enum { START, LENGTH, KEEP, OUTPUT };

static const struct fl_option options[] = {
	[START] = { .word = "--start", .type = FL_TIME, .min = 0,
		    .max = UINT32_MAX * FL_MS, .def = 0, .whole_ms = true,
		    .help = "where the piece begins; this time becomes 0" },
	[LENGTH] = { .word = "--length", .type = FL_TIME, .min = FL_MS,
		     .max = UINT32_MAX * FL_MS, .def = FL_NO_DEFAULT,
		     .whole_ms = true,
		     .help = "length of the piece, by default up to the end" },
	[KEEP] = { .word = "--keep", .type = FL_PERCENT, .min = 10000,
		   .max = 1000000, .def = 1000000,
		   .help = "share of the opportunities that are kept, evenly" },
	[OUTPUT] = { .word = "--output", .type = FL_TEXT, .unit = "file",
		     .def = FL_NO_DEFAULT,
		     .help = "write to a file instead of standard output" },
	{ .word = NULL },
};

CLI_FITS(options);

static bool check_piece(const struct cli_args *args, const struct trace *t)
{
	uint64_t duration = trace_duration(t);
	uint64_t start = args->values[START].number / FL_MS;

	if (!trace_check_start(t, args->who, &args->values[START]))
		return false;
	if (args->values[LENGTH].set &&
	    args->values[LENGTH].number / FL_MS > duration - start) {
		cli_error(args->who, "--length %s: expected at most %" PRIu64 "ms, the rest of the trace",
			  args->values[LENGTH].text, duration - start);
		return false;
	}
	return true;
}

/* Cuts a part out of a trace. An opportunity at the end of an interval belongs to this
 * interval. Each opportunity is therefore in exactly one of two adjacent parts.
 */
static void cut(struct trace *t, uint32_t start, uint32_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count && t->ms[i] <= end; i++)
		if (t->ms[i] > start || !start)
			t->ms[count++] = t->ms[i] - start;
	t->count = count;
}

/* Keeps @keep of a million opportunities. With half a million, every second opportunity stays,
 * and the trace has half the rate.
 */
static void thin(struct trace *t, uint64_t keep)
{
	uint64_t credit = 0;
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++) {
		credit += keep;
		if (credit < 1000000)
			continue;
		credit -= 1000000;
		t->ms[count++] = t->ms[i];
	}
	t->count = count;
}

static bool cut_trace(const struct cli_args *args, struct trace *t)
{
	const struct fl_value *v = args->values;
	uint32_t start = v[START].number / FL_MS, end = trace_duration(t);

	if (!check_piece(args, t))
		return false;
	if (v[LENGTH].set)
		end = start + v[LENGTH].number / FL_MS;
	cut(t, start, end);
	thin(t, v[KEEP].number);
	if (trace_duration(t))
		return true;
	cli_error(args->who, "%s: no opportunity after %" PRIu32 "ms up to %" PRIu32 "ms is kept: expected at least one",
		  args->operand, start, end);
	return false;
}

static int run_cut(const struct cli_args *args)
{
	struct trace t;
	bool good = trace_read(&t, args->who, args->operand) &&
		    cut_trace(args, &t) &&
		    trace_write(&t, args->who, args->values[OUTPUT].text);

	trace_free(&t);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command trace_cut_command = {
	.name = "trace cut",
	.operand = "FILE",
	.summary = "write a piece of a trace, or a share of its rate",
	.options = options,
	.run = run_cut,
};
