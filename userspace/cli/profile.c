// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freshlink profile: packets to which the kernel gives a lifetime, selected by
 * their mark. The table of "profile add" also defines how a profile is printed.
 */
#include <ctype.h>

#include "../lib/xlo.h"
#include "xlo_family.h"

/* words that replace the time of a lifetime; each word has its own attribute */
static const char *const lifetime_words[] = { "rto", "repeats", NULL };
static const uint16_t lifetime_attrs[] = { XLO_A_RTO, XLO_A_REPEATS };

enum { MARK, LIFETIME, REORDER, STALE, SLOW, CORRUPT_OK, CLOCK, PATH };

static const struct fl_option add_options[] = {
	[MARK] = { .word = "--mark", .type = FL_MARK, .attr = XLO_A_MARK,
		   .def = FL_NO_DEFAULT, .required = true,
		   .help = "packets whose mark is VALUE in the bits of MASK, by default all 32" },
	[LIFETIME] = { .word = "--lifetime", .type = FL_TIME,
		       .attr = XLO_A_LIFETIME, .min = 0,
		       .max = XLO_PROFILE_LIFETIME_MAX * FL_MS,
		       .def = FL_NO_DEFAULT, .words = lifetime_words,
		       .whole_ms = true, .required = true,
		       .help = "their lifetime; rto: the retransmission timeout of their TCP socket; repeats: the same, but only for segments that this timeout retransmits" },
	[REORDER] = { .word = "--reorder", .type = FL_COUNT,
		      .attr = XLO_A_REORDER, .unit = "packets",
		      .min = 0, .max = 255, .def = 0,
		      .help = "number of overtaking packets at which the flow takes a packet for lost" },
	[STALE] = { .word = "--stale", .type = FL_WORD, .attr = XLO_A_STALE,
		    .words = xlo_stale_words, .def = XLO_STALE_DISCARD,
		    .help = "what routers do with a stale packet" },
	[SLOW] = { .word = "--slow", .type = FL_FLAG, .attr = XLO_A_SLOW,
		   .def = FL_NO_DEFAULT,
		   .help = "mark the flow as slowly responsive" },
	[CORRUPT_OK] = { .word = "--corrupt-ok", .type = FL_FLAG,
			 .attr = XLO_A_CORRUPT_OK, .def = FL_NO_DEFAULT,
			 .help = "mark a damaged payload as still useful" },
	[CLOCK] = { .word = "--clock", .type = FL_WORD, .attr = XLO_A_CLOCK,
		    .words = xlo_clock_words, .def = XLO_CLOCK_RELATIVE,
		    .help = "write the lifetime as remaining time or as time of day" },
	[PATH] = { .word = "--path", .type = FL_WORD, .attr = XLO_A_PATH,
		   .words = xlo_path_words, .def = XLO_PATH_OUTPUT - 1,
		   .help = "packets that this host sends, packets that it forwards, or both" },
	{ .word = NULL },
};

CLI_FITS(add_options);

static const struct fl_option no_options[] = {
	{ .word = NULL },
};

enum { JSON };

static const struct fl_option show_options[] = {
	[JSON] = { .word = "-j", .type = FL_FLAG, .def = FL_NO_DEFAULT,
		   .help = "as JSON, one object for each profile" },
	{ .word = NULL },
};

/* Checks that a name follows the kernel's rule. */
static bool check_name(const struct cli_args *args)
{
	const char *c = args->operand;

	while (isascii(*c) && isgraph(*c))
		c++;
	if (!*c && c > args->operand && c - args->operand < XLO_NAME_LEN)
		return true;
	cli_error(args->who, "NAME %s: expected 1 to %d visible ASCII characters",
		  args->operand, XLO_NAME_LEN - 1);
	return false;
}

static void put_option(struct nl_msg *msg, int option,
		       const struct fl_value *value)
{
	uint16_t attr = add_options[option].attr;

	switch (option) {
	case MARK:
		nla_put_u32(msg, attr, value->number);
		nla_put_u32(msg, XLO_A_MASK, value->second);
		break;
	case LIFETIME:
		if (fl_is_other(&add_options[option], value->number))
			nla_put_flag(msg, lifetime_attrs[value->number - FL_OTHER]);
		else
			nla_put_u32(msg, attr, value->number / FL_MS);
		break;
	case SLOW:
	case CORRUPT_OK:
		nla_put_flag(msg, attr);
		break;
	default:
		nla_put_u8(msg, attr, value->number + (option == PATH));
	}
}

/* Returns whether the kernel's answer has a value for this option. */
static bool read_option(struct nlattr **attrs, int option,
			struct fl_value *value)
{
	struct nlattr *attr = attrs[add_options[option].attr];

	*value = (struct fl_value){ .set = attr };
	switch (option) {
	case SLOW:
	case CORRUPT_OK:
		return true;
	case LIFETIME:
		value->number = attr ? nla_get_u32(attr) * FL_MS :
				       FL_OTHER + !attrs[XLO_A_RTO];
		return attr || attrs[XLO_A_RTO] || attrs[XLO_A_REPEATS];
	case MARK:
		if (!attr || !attrs[XLO_A_MASK])
			return false;
		value->number = nla_get_u32(attr);
		value->second = nla_get_u32(attrs[XLO_A_MASK]);
		return true;
	default:
		if (attr)
			value->number = nla_get_u8(attr) - (option == PATH);
		return attr;
	}
}

void xlo_report_profile(struct report *r, struct nlattr **attrs)
{
	struct fl_value value;

	if (attrs[XLO_A_PROFILE_NAME])
		report_text(r, "name",
			    nla_get_string(attrs[XLO_A_PROFILE_NAME]));
	for (int i = 0; add_options[i].word; i++)
		if (read_option(attrs, i, &value))
			report_option(r, &add_options[i], &value);
	if (attrs[XLO_A_PACKETS])
		report_number(r, "packets", nla_get_u64(attrs[XLO_A_PACKETS]));
}

void xlo_profile_values(struct nlattr **attrs, struct fl_value *values)
{
	for (int i = 0; add_options[i].word; i++) {
		bool found = read_option(attrs, i, &values[i]);

		/* a flag is always found, and set if it is there */
		if (add_options[i].type != FL_FLAG)
			values[i].set = found;
	}
}

static void put_profile(struct nl_msg *msg, const struct cli_args *args)
{
	nla_put_string(msg, XLO_A_PROFILE_NAME, args->operand);
	for (int i = 0; args->command->options[i].word; i++)
		if (args->values[i].set)
			put_option(msg, i, &args->values[i]);
}

static int run_add(const struct cli_args *args)
{
	return xlo_change(args, XLO_CMD_PROFILE_ADD, put_profile);
}

static int run_del(const struct cli_args *args)
{
	return xlo_change(args, XLO_CMD_PROFILE_DEL, put_profile);
}

static int run_show(const struct cli_args *args)
{
	struct xlo_answers profiles = { 0 };
	struct nlattr *attrs[XLO_A_MAX + 1];
	struct family x;
	bool done;

	if (!xlo_open(&x, args))
		return EXIT_FAILED;
	done = xlo_read(&x, XLO_CMD_PROFILE_GET, &profiles);
	for (size_t i = 0; done && i < profiles.count; i++) {
		struct report r = report_begin(args->values[JSON].set);

		if (xlo_parse(profiles.msgs[i], attrs))
			xlo_report_profile(&r, attrs);
		report_end(&r);
	}
	xlo_forget(&profiles);
	family_close(&x);
	return done ? EXIT_OK : EXIT_FAILED;
}

const struct command profile_add_command = {
	.name = "profile add",
	.operand = "NAME",
	.summary = "make the kernel give packets with a mark a lifetime",
	.options = add_options,
	.check = check_name,
	.run = run_add,
};

const struct command profile_del_command = {
	.name = "profile del",
	.operand = "NAME",
	.summary = "remove a profile",
	.options = no_options,
	.check = check_name,
	.run = run_del,
};

const struct command profile_show_command = {
	.name = "profile show",
	.summary = "list the profiles with their packet counters",
	.options = show_options,
	.run = run_show,
};
