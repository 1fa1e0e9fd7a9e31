// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink trace load and trace unload: set and remove the trace of a cellink device. */
#include <linux/cellink.h>
#include <sys/param.h>

#include "device.h"
#include "family.h"
#include "trace.h"

#define CHUNK	1000	/* opportunities in one request, whose size is at most a page */

enum { DEVICE, SIZE, START, ONCE, TURNS };
enum { UNLOAD_TURNS };

static const struct fl_option load_options[] = {
	[DEVICE] = { .word = "--device", .type = FL_TEXT, .unit = "dev",
		     .attr = CELLINK_A_IFINDEX, .def = FL_NO_DEFAULT,
		     .required = true,
		     .help = "the cellink device that sends by the trace" },
	[SIZE] = { .word = "--size", .type = FL_SIZE,
		   .attr = CELLINK_A_OPPORTUNITY, .min = 1,
		   .max = CELLINK_OPPORTUNITY_MAX,
		   .def = CELLINK_OPPORTUNITY_DEFAULT,
		   .help = "bytes that cross the link at an opportunity, link-layer headers included" },
	[START] = { .word = "--start", .type = FL_TIME,
		    .attr = CELLINK_A_OFFSET, .min = 0,
		    .max = UINT32_MAX * FL_MS, .def = 0, .whole_ms = true,
		    .help = "where in the trace to begin" },
	[ONCE] = { .word = "--once", .type = FL_FLAG, .attr = CELLINK_A_ONCE,
		   .def = FL_NO_DEFAULT,
		   .help = "do not repeat the trace: after its end the device sends nothing" },
	[TURNS] = { .word = "--turns", .type = FL_FLAG, .attr = CELLINK_A_TURNS,
		    .def = FL_NO_DEFAULT,
		    .help = "the lines are not opportunities, but times when the channel turns bad, good, bad, ..." },
	{ .word = NULL },
};

CLI_FITS(load_options);

static const struct fl_option unload_options[] = {
	[UNLOAD_TURNS] = { .word = "--turns", .type = FL_FLAG,
			   .attr = CELLINK_A_TURNS, .def = FL_NO_DEFAULT,
			   .help = "remove the trace that was loaded with --turns" },
	{ .word = NULL },
};

static bool open_cellink(struct family *f, const struct cli_args *args)
{
	static const uint16_t operands[] = { CELLINK_A_IFINDEX, 0 };

	f->name = CELLINK_GENL_NAME;
	f->operands = operands;
	return family_open(f, args);
}

static bool start(struct family *f, const struct trace *t)
{
	struct nl_msg *msg = family_message(f, CELLINK_CMD_TRACE_START);

	nla_put_u32(msg, CELLINK_A_COUNT, t->count);
	return family_request(f, msg);
}

static bool add(struct family *f, const struct trace *t)
{
	for (size_t i = 0; i < t->count; i += CHUNK) {
		struct nl_msg *msg = family_message(f, CELLINK_CMD_TRACE_ADD);

		nla_put(msg, CELLINK_A_TIMES,
			MIN(CHUNK, t->count - i) * sizeof(*t->ms), t->ms + i);
		if (!family_request(f, msg))
			return false;
	}
	return true;
}

static bool commit(struct family *f, unsigned int index)
{
	struct nl_msg *msg = family_message(f, CELLINK_CMD_TRACE_COMMIT);
	const struct fl_value *v = f->args->values;

	nla_put_u32(msg, CELLINK_A_IFINDEX, index);
	if (!v[TURNS].set)
		nla_put_u32(msg, CELLINK_A_OPPORTUNITY, v[SIZE].number);
	nla_put_u8(msg, CELLINK_A_TURNS, v[TURNS].set);
	nla_put_u8(msg, CELLINK_A_ONCE, v[ONCE].set);
	nla_put_u64(msg, CELLINK_A_OFFSET, v[START].number);
	return family_request(f, msg);
}

static bool load(const struct cli_args *args, const struct trace *t)
{
	unsigned int index = device_find(args->who, args->values[DEVICE].text);
	struct family f;
	bool done;

	if (!index || !open_cellink(&f, args))
		return false;
	done = start(&f, t) && add(&f, t) && commit(&f, index);
	family_close(&f);
	return done;
}

static bool check_trace(const struct cli_args *args, const struct trace *t)
{
	if (t->count > CELLINK_TRACE_MAX) {
		cli_error(args->who, "%s:%u: expected at most %u lines",
			  args->operand, CELLINK_TRACE_MAX + 1,
			  CELLINK_TRACE_MAX);
		return false;
	}
	return trace_check_start(t, args->who, &args->values[START]);
}

static int run_load(const struct cli_args *args)
{
	const struct fl_value *v = args->values;
	struct trace t;
	bool done;

	if (v[SIZE].set && v[TURNS].set) {
		cli_error(args->who, "--size %s: expected without --turns",
			  v[SIZE].text);
		return EXIT_USAGE;
	}
	done = trace_read(&t, args->who, args->operand) &&
	       check_trace(args, &t) && load(args, &t);

	trace_free(&t);
	return done ? EXIT_OK : EXIT_FAILED;
}

static int run_unload(const struct cli_args *args)
{
	unsigned int index = device_find(args->who, args->operand);
	struct nl_msg *msg;
	struct family f;
	bool done;

	if (!index || !open_cellink(&f, args))
		return EXIT_FAILED;
	msg = family_message(&f, CELLINK_CMD_TRACE_DEL);
	nla_put_u32(msg, CELLINK_A_IFINDEX, index);
	nla_put_u8(msg, CELLINK_A_TURNS, args->values[UNLOAD_TURNS].set);
	done = family_request(&f, msg);
	family_close(&f);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command trace_load_command = {
	.name = "trace load",
	.operand = "FILE",
	.summary = "make a cellink device send by a trace",
	.options = load_options,
	.run = run_load,
};

const struct command trace_unload_command = {
	.name = "trace unload",
	.operand = "DEV",
	.summary = "remove the trace of a cellink device",
	.options = unload_options,
	.run = run_unload,
};
