// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * link_arqlink: ip's plugin for arqlink.
 *
 *	ip link add link cell0 name arq0 type arqlink [OPTION VALUE]...
 *
 * lib/arqlink.c has the tables of options, ranges and counters. This file only connects the
 * tables with ip and netlink.
 */
#include <inttypes.h>
#include <linux/arqlink.h>

#include "../lib/arqlink.h"
#include "ip_plugin.h"
#include "tables.h"

#define REQUEST_MAX	1024	/* size of ip's buffer */
#define USAGE		"Usage: ... arqlink"

extern struct link_util arqlink_link_util;

static void arql_print_help(struct link_util *lu, int argc, char **argv, FILE *f)
{
	(void)lu;
	(void)argc;
	(void)argv;
	(void)f;
	tables_help(USAGE, arql_options, "ip-arqlink(8)");
}

static int arql_parse_opt(struct link_util *lu, int argc, char **argv,
			  struct nlmsghdr *n)
{
	struct fl_value values[ARQL_OPTIONS];

	if (tables_wants_help(argc, argv)) {
		arql_print_help(lu, argc, argv, stdout);
		/* no request is sent; a batch ends here unless it is forced */
		return -1;
	}
	if (!fl_set_words("arqlink", arql_options, argc, argv, values))
		return -1;
	tables_put(n, REQUEST_MAX, arql_options, values);
	tables_want_module("arqlink", "arqlink");
	return 0;
}

static void arql_print_opt(struct link_util *lu, FILE *f, struct rtattr **tb)
{
	(void)lu;
	(void)f;
	if (tb)
		tables_print_options(arql_options, tb);
}

/* The deviation may be negative. */
static void print_srttvar(const struct rtattr *attr)
{
	if (attr)
		print_color_s64(OUT_ANY, NO_COLOR, "srttvar", "  srttvar %" PRId64 "\n",
				fl_decode(RTA_DATA(attr), RTA_PAYLOAD(attr)));
}

static void arql_print_xstats(struct link_util *lu, FILE *f,
			      struct rtattr *xstats)
{
	struct rtattr *tb[ARQLINK_STATS_MAX + 1];

	(void)lu;
	(void)f;
	tables_parse_nested(tb, ARQLINK_STATS_MAX, xstats);
	print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s", "\n");
	tables_print_counters(arql_counters, tb);
	print_srttvar(tb[ARQLINK_STATS_SRTTVAR]);
}

/** arqlink_link_util - ip finds it by its name */
__attribute__((visibility("default"))) struct link_util arqlink_link_util = {
	.id = "arqlink",
	.maxattr = ARQLINK_MAX,
	.parse_opt = arql_parse_opt,
	.print_opt = arql_print_opt,
	.print_xstats = arql_print_xstats,
	.print_help = arql_print_help,
};
