// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink set: changes settings of the module xlo for the whole network namespace. */
#include "../lib/xlo.h"
#include "xlo_family.h"

static const struct fl_option options[] = {
	{ .word = "--txtime", .type = FL_WORD, .attr = XLO_A_TXTIME,
	  .words = xlo_switch_words, .def = FL_NO_DEFAULT,
	  .help = "use deadlines that programs give with SO_TXTIME as lifetimes" },
	{ .word = "--validate", .type = FL_WORD, .attr = XLO_A_VALIDATE,
	  .words = xlo_switch_words, .def = FL_NO_DEFAULT,
	  .help = "check and count the options of packets that arrive" },
	{ .word = NULL },
};

CLI_FITS(options);

void xlo_report_settings(struct report *r, struct nlattr **attrs)
{
	family_report(r, options, attrs);
}

static void put_settings(struct nl_msg *msg, const struct cli_args *args)
{
	for (int i = 0; options[i].word; i++)
		if (args->values[i].set)
			nla_put_u8(msg, options[i].attr,
				   args->values[i].number);
}

static bool check_set(const struct cli_args *args)
{
	for (int i = 0; options[i].word; i++)
		if (args->values[i].set)
			return true;
	cli_error(args->who, "nothing to set: expected --txtime or --validate");
	return false;
}

static int run_set(const struct cli_args *args)
{
	return xlo_change(args, XLO_CMD_SET, put_settings);
}

const struct command set_command = {
	.name = "set",
	.summary = "switch the use of deadlines and the checks of lifetimes",
	.options = options,
	.check = check_set,
	.run = run_set,
};
