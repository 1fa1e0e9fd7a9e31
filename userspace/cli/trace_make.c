// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink trace make: makes a trace from a mathematical law and a seed.
 *
 * A link works all the time, at its current rate. Each packet needs an amount of work. The
 * packet's opportunity is the time when this work is done, rounded up to whole milliseconds.
 * All calculations use whole numbers, so a seed gives the same trace on every computer.
 */
#include <linux/cellink.h>
#include <sys/param.h>

#include "cli.h"
#include "course.h"
#include "random.h"
#include "trace.h"

enum { KIND, RATE, STATES, OUTAGE, SEED, DURATION, SIZE, OUTPUT };
enum { CONSTANT, POISSON, MARKOV, HANDOVER };

static const char *const kind_words[] = {
	[CONSTANT] = "constant", [POISSON] = "poisson", [MARKOV] = "markov",
	[HANDOVER] = "handover", NULL,
};

static const struct fl_option options[] = {
	[KIND] = { .word = "--kind", .type = FL_WORD, .words = kind_words,
		   .def = FL_NO_DEFAULT, .required = true,
		   .help = "the law that opportunities follow" },
	[RATE] = { .word = "--rate", .type = FL_RATE, .min = 1,
		   .max = 1250000000, .def = 1500000,
		   .help = "constant, poisson: rate of the link" },
	[STATES] = { .word = "--states", .type = FL_TEXT,
		     .unit = "rate:time[,rate:time]...", .def = FL_NO_DEFAULT,
		     .help = "markov, handover: rates of the link, each with its mean or exact time" },
	[OUTAGE] = { .word = "--outage", .type = FL_TIMES, .min = 0,
		     .max = 3600 * FL_SEC, .def = FL_NO_DEFAULT,
		     .help = "handover: time without service before the next rate, drawn between the two" },
	[SEED] = { .word = "--seed", .type = FL_COUNT, .min = 0,
		   .max = INT64_MAX, .def = 1,
		   .help = "poisson, markov, handover: seed of all random numbers" },
	[DURATION] = { .word = "--duration", .type = FL_TIME, .min = FL_MS,
		       .max = UINT32_MAX * FL_MS, .def = 60 * FL_SEC,
		       .whole_ms = true,
		       .help = "no opportunity is later than this" },
	[SIZE] = { .word = "--size", .type = FL_SIZE, .min = 1, .max = 65535,
		   .def = TRACE_SIZE,
		   .help = "bytes that cross the link at an opportunity" },
	[OUTPUT] = { .word = "--output", .type = FL_TEXT, .unit = "file",
		     .def = FL_NO_DEFAULT,
		     .help = "write to a file instead of standard output" },
	{ .word = NULL },
};

CLI_FITS(options);

/* For each option, the kinds of trace that use it. */
static const unsigned int kinds_of[] = {
	[RATE] = 1 << CONSTANT | 1 << POISSON,
	[STATES] = 1 << MARKOV | 1 << HANDOVER,
	[OUTAGE] = 1 << HANDOVER,
	[SEED] = 1 << POISSON | 1 << MARKOV | 1 << HANDOVER,
};

/* A trace that is being made. The unit of work is 10^-9 bytes. A link of N bytes/s therefore
 * does N units of work in 1 ns.
 */
struct maker {
	const struct cli_args *args;
	struct trace trace;
	struct course course;
	bool is_poisson;		/* the work of a packet has an exponential distribution */
	uint64_t work;			/* work of a packet, or mean work */
	int64_t left;			/* work until the next packet; negative if it is overdue */
	uint64_t now;			/* ns */
	uint64_t random;		/* state of the random numbers for the work */
};

static bool check_options(const struct cli_args *args)
{
	unsigned int kind = args->values[KIND].number;

	for (int i = RATE; i <= SEED; i++) {
		bool fits = kinds_of[i] >> kind & 1;

		if (args->values[i].set && !fits) {
			cli_error(args->who, "%s %s: expected without --kind %s",
				  options[i].word, args->values[i].text,
				  kind_words[kind]);
			return false;
		}
		if (!args->values[i].set && fits &&
		    options[i].def == FL_NO_DEFAULT) {
			cli_error(args->who, "--kind %s: expected with %s",
				  kind_words[kind], options[i].word);
			return false;
		}
	}
	return true;
}

static bool make_course(struct maker *m)
{
	const struct fl_value *v = m->args->values;
	struct course *c = &m->course;

	*c = (struct course){
		.states = { { v[RATE].number, v[DURATION].number } },
		.count = 1,
		.is_markov = v[KIND].number == MARKOV,
		.has_outages = v[KIND].number == HANDOVER,
		.outage_min = v[OUTAGE].number,
		.outage_max = v[OUTAGE].second,
		.random = v[SEED].number,
	};
	if (v[STATES].set && !course_parse(c, m->args->who, &options[STATES],
					   v[STATES].text))
		return false;
	if (!c->is_markov || c->count > 1)
		return true;
	cli_error(m->args->who, "--states %s: expected at least two with --kind markov",
		  v[STATES].text);
	return false;
}

static uint64_t draw_work(struct maker *m)
{
	return m->is_poisson ? random_exponential(&m->random, m->work) :
			       m->work;
}

static bool add_opportunity(struct maker *m)
{
	if (m->trace.count == CELLINK_TRACE_MAX) {
		cli_error(m->args->who, "more than %u opportunities: expected a shorter --duration or lower rates",
			  CELLINK_TRACE_MAX);
		return false;
	}
	if (trace_append(&m->trace, (m->now + FL_MS - 1) / FL_MS))
		return true;
	cli_error(m->args->who, "out of memory");
	return false;
}

/* Adds the opportunities at one rate, up to a time. */
static bool serve(struct maker *m, uint64_t rate, uint64_t until)
{
	while (rate) {
		uint64_t wait = m->left > 0 ? (m->left + rate - 1) / rate : 0;

		if (wait > until - m->now)
			break;
		m->now += wait;
		if (!add_opportunity(m))
			return false;
		m->left += draw_work(m) - wait * rate;
	}
	m->left -= rate * (until - m->now);
	m->now = until;
	return true;
}

static bool make_trace(struct maker *m)
{
	uint64_t end = m->args->values[DURATION].number;

	m->left = draw_work(m);
	while (m->now < end) {
		struct stretch s = course_next(&m->course);

		if (!serve(m, s.rate, MIN(m->now + s.length, end)))
			return false;
	}
	if (trace_duration(&m->trace))
		return true;
	cli_error(m->args->who, "the trace has no opportunity: expected a longer --duration or higher rates");
	return false;
}

static int run_make(const struct cli_args *args)
{
	struct maker m = {
		.args = args,
		.is_poisson = args->values[KIND].number == POISSON,
		.work = args->values[SIZE].number * FL_SEC,
		.random = args->values[SEED].number,
	};
	bool good;

	if (!check_options(args) || !make_course(&m))
		return EXIT_USAGE;
	good = make_trace(&m) &&
	       trace_write(&m.trace, args->who, args->values[OUTPUT].text);
	trace_free(&m.trace);
	return good ? EXIT_OK : EXIT_FAILED;
}

const struct command trace_make_command = {
	.name = "trace make",
	.summary = "make a trace by a law and a seed",
	.options = options,
	.run = run_make,
};
