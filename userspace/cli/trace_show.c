// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink trace show: shows the rate of a trace and its outages. */
#include <stdlib.h>
#include <sys/param.h>

#include "cli.h"
#include "report.h"
#include "trace.h"

enum { SIZE, WINDOW, GAP, JSON };

static const struct fl_option options[] = {
	[SIZE] = { .word = "--size", .type = FL_SIZE, .min = 1, .max = 65535,
		   .def = TRACE_SIZE,
		   .help = "bytes that cross the link at an opportunity" },
	[WINDOW] = { .word = "--window", .type = FL_TIME, .min = FL_MS,
		     .max = UINT32_MAX * FL_MS, .def = FL_SEC, .whole_ms = true,
		     .help = "time over which the varying rate is measured" },
	[GAP] = { .word = "--gap", .type = FL_TIME, .min = 0,
		  .max = UINT32_MAX * FL_MS, .def = 100 * FL_MS,
		  .whole_ms = true,
		  .help = "a longer time without an opportunity is an outage" },
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "as JSON, one object" },
	{ .word = NULL },
};

CLI_FITS(options);

/* The quantiles of the rate. In at least the given share of the windows, in per cent, the rate is
 * not above the quantile.
 */
static const struct {
	const char *key;
	unsigned int share;
} quantiles[] = {
	{ "rate_min", 0 }, { "rate_p5", 5 }, { "rate_p25", 25 },
	{ "rate_p50", 50 }, { "rate_p75", 75 }, { "rate_p95", 95 },
	{ "rate_max", 100 },
};

/* Windows of equal length, one after the other, as many as fit into the trace. */
struct windows {
	uint32_t ms;
	uint32_t count;
	uint32_t *with;			/* number of windows with n opportunities, for each n */
};

/* The gaps of a trace. A gap is a time without an opportunity. */
struct gaps {
	uint32_t longest;		/* length of the longest gap, ms */
	uint32_t longest_at;		/* beginning of the longest gap */
	size_t outages;			/* number of gaps that are long enough for an outage */
	uint32_t outage_ms;		/* total time of the outages */
};

static uint32_t window_of(const struct windows *w, uint32_t ms)
{
	return ms ? (ms - 1) / w->ms : 0;
}

/* Counts the opportunities in a window, from the opportunity with the index @from. */
static size_t count_in_window(const struct windows *w, const struct trace *t,
			      size_t from)
{
	uint32_t window = window_of(w, t->ms[from]);
	size_t i = from + 1;

	while (i < t->count && window_of(w, t->ms[i]) == window)
		i++;
	return i - from;
}

/* Counts the windows by their opportunities. The loop skips windows without opportunities,
 * because a trace may have far more windows than lines.
 */
static bool count_windows(struct windows *w, const struct trace *t)
{
	uint32_t empty = trace_duration(t) / w->ms;
	size_t n;

	w->count = empty;
	w->with = calloc(t->count + 1, sizeof(*w->with));
	if (!w->with)
		return false;
	for (size_t i = 0; i < t->count; i += n) {
		if (window_of(w, t->ms[i]) >= w->count)
			break;
		n = count_in_window(w, t, i);
		w->with[n]++;
		empty--;
	}
	w->with[0] = empty;
	return true;
}

/* Returns the nearest-rank quantile. This is the smallest number of opportunities that at least
 * @share per cent of the windows do not exceed.
 */
static uint64_t find_quantile(const struct windows *w, unsigned int share)
{
	uint64_t rank = MAX(1, ((uint64_t)w->count * share + 99) / 100);
	uint64_t seen = w->with[0], n = 0;

	while (seen < rank)
		seen += w->with[++n];
	return n;
}

static struct gaps find_gaps(const struct trace *t, uint32_t no_outage)
{
	struct gaps g = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		uint32_t before = i ? t->ms[i - 1] : 0;
		uint32_t gap = t->ms[i] - before;

		if (gap > g.longest) {
			g.longest = gap;
			g.longest_at = before;
		}
		if (gap > no_outage) {
			g.outages++;
			g.outage_ms += gap;
		}
	}
	return g;
}

static void report_time(struct report *r, const char *key, uint64_t ms)
{
	report_value(r, key, &options[WINDOW],
		     &(struct fl_value){ .number = ms * FL_MS });
}

/* Reports the rate of @count opportunities in @ms milliseconds. */
static void report_rate(struct report *r, const struct cli_args *args,
			const char *key, uint64_t count, uint32_t ms)
{
	static const struct fl_option rate = { .type = FL_RATE };
	uint64_t bytes = count * args->values[SIZE].number;

	report_value(r, key, &rate, &(struct fl_value){
		.number = (bytes * 1000 + ms / 2) / ms,
	});
}

static void report_windows(struct report *r, const struct cli_args *args,
			   const struct windows *w)
{
	report_option(r, &options[WINDOW], &args->values[WINDOW]);
	report_number(r, "windows", w->count);
	if (!w->count)
		return;
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		report_rate(r, args, quantiles[i].key,
			    find_quantile(w, quantiles[i].share), w->ms);
}

static void report_gaps(struct report *r, const struct cli_args *args,
			const struct trace *t)
{
	struct gaps g = find_gaps(t, args->values[GAP].number / FL_MS);

	report_time(r, "longest_gap", g.longest);
	report_time(r, "longest_gap_at", g.longest_at);
	report_option(r, &options[GAP], &args->values[GAP]);
	report_number(r, "outages", g.outages);
	report_time(r, "outage_time", g.outage_ms);
	report_share(r, "outage_share", g.outage_ms, trace_duration(t));
}

static void print_trace(const struct cli_args *args, const struct trace *t,
			const struct windows *w)
{
	struct report r = report_begin(args->values[JSON].set);

	report_number(&r, "opportunities", t->count);
	report_time(&r, "duration", trace_duration(t));
	report_option(&r, &options[SIZE], &args->values[SIZE]);
	report_rate(&r, args, "rate", t->count, trace_duration(t));
	report_break(&r);
	report_windows(&r, args, w);
	report_break(&r);
	report_gaps(&r, args, t);
	report_end(&r);
}

static bool show_trace(const struct cli_args *args, const struct trace *t)
{
	struct windows w = { .ms = args->values[WINDOW].number / FL_MS };

	if (!count_windows(&w, t)) {
		cli_error(args->who, "%s: out of memory", args->operand);
		return false;
	}
	print_trace(args, t, &w);
	free(w.with);
	return true;
}

static int run_show(const struct cli_args *args)
{
	struct trace t;
	bool good = trace_read(&t, args->who, args->operand) &&
		    show_trace(args, &t);

	trace_free(&t);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command trace_show_command = {
	.name = "trace show",
	.operand = "FILE",
	.summary = "show the rate of a trace and its outages",
	.options = options,
	.run = run_show,
};
