// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink cap: limits the lifetimes of packets that arrive. */
#include "../lib/xlo.h"
#include "device.h"
#include "xlo_family.h"

enum { LIFETIME };

static const struct fl_option set_options[] = {
	[LIFETIME] = { .word = "--lifetime", .type = FL_TIME, .attr = XLO_A_CAP,
		       .min = FL_MS, .max = XLO_PROFILE_LIFETIME_MAX * FL_MS,
		       .def = FL_NO_DEFAULT, .whole_ms = true,
		       .required = true,
		       .help = "longer lifetimes, and options without one, are limited to this" },
	{ .word = NULL },
};

CLI_FITS(set_options);

static const struct fl_option no_options[] = {
	{ .word = NULL },
};

bool xlo_cap_value(struct nlattr **attrs, char *name, struct fl_value *value)
{
	if (!attrs[XLO_A_IFINDEX] || !attrs[XLO_A_CAP])
		return false;
	device_name(nla_get_u32(attrs[XLO_A_IFINDEX]), name);
	*value = (struct fl_value){
		.set = true,
		.number = nla_get_u32(attrs[XLO_A_CAP]) * FL_MS,
	};
	return true;
}

void xlo_report_cap(struct report *r, struct nlattr **attrs)
{
	struct fl_value value;
	char name[IF_NAMESIZE];

	if (!xlo_cap_value(attrs, name, &value))
		return;
	report_text(r, "dev", name);
	report_option(r, &set_options[LIFETIME], &value);
}

void xlo_report_caps(struct report *r, const struct xlo_answers *caps)
{
	struct nlattr *attrs[XLO_A_MAX + 1];
	struct fl_value value;
	char name[IF_NAMESIZE];

	report_open(r, "caps");
	for (size_t i = 0; i < caps->count; i++)
		if (xlo_parse(caps->msgs[i], attrs) &&
		    xlo_cap_value(attrs, name, &value))
			report_value(r, name, &set_options[LIFETIME], &value);
	report_close(r);
}

static void put_cap(struct nl_msg *msg, const struct cli_args *args)
{
	nla_put_u32(msg, XLO_A_IFINDEX, device_index(args->operand));
	if (args->values[LIFETIME].set)
		nla_put_u32(msg, XLO_A_CAP,
			    args->values[LIFETIME].number / FL_MS);
}

static int run_set(const struct cli_args *args)
{
	if (!device_find(args->who, args->operand))
		return EXIT_FAILED;
	return xlo_change(args, XLO_CMD_CAP_SET, put_cap);
}

static int run_del(const struct cli_args *args)
{
	if (!device_find(args->who, args->operand))
		return EXIT_FAILED;
	return xlo_change(args, XLO_CMD_CAP_DEL, put_cap);
}

const struct command cap_set_command = {
	.name = "cap set",
	.operand = "DEV",
	.summary = "limit the lifetimes of packets that arrive on a device",
	.options = set_options,
	.run = run_set,
};

const struct command cap_del_command = {
	.name = "cap del",
	.operand = "DEV",
	.summary = "remove a device's limit",
	.options = no_options,
	.run = run_del,
};
