// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * link_cellink: ip's plugin for cellink.
 *
 *	ip link add cell0 type cellink [OPTION VALUE]... peer name cell1 [OPTION VALUE]...
 *
 * lib/cellink.c has the tables of options, ranges and counters. This file only connects the
 * tables with ip and netlink.
 */
#include <linux/cellink.h>
#include <linux/if_link.h>
#include <string.h>

#include "../lib/cellink.h"
#include "../lib/text.h"
#include "ip_plugin.h"
#include "tables.h"

#define REQUEST_MAX	1024	/* size of ip's buffer */
#define USAGE		"Usage: ... cellink"

extern struct link_util cellink_link_util;

static struct rtattr *nest_start(struct nlmsghdr *n, int type)
{
	struct rtattr *nest = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	addattr_l(n, REQUEST_MAX, type | NLA_F_NESTED, NULL, 0);
	return nest;
}

static void nest_end(struct nlmsghdr *n, struct rtattr *nest)
{
	nest->rta_len = (char *)n + NLMSG_ALIGN(n->nlmsg_len) - (char *)nest;
}

/* Counts the words of ip-link(8), which are pairs, up to the first option of cellink. */
static int link_words(int argc, char **argv)
{
	int i = 0;

	while (i < argc && fl_find(cell_options, argv[i], strlen(argv[i])) < 0)
		i += 2;
	return i < argc ? i : argc;
}

/* The option outages has a format of its own, which the table does not describe. */
static bool put_outages(struct nlmsghdr *n, const struct fl_value *values)
{
	int i = fl_find_attr(cell_options, CELLINK_OUTAGES), count;
	struct cellink_outage list[CELLINK_OUTAGES_MAX];

	if (!values[i].set)
		return true;
	count = cell_parse_outages(values[i].text, list);
	return count >= 0 && !addattr_l(n, REQUEST_MAX, CELLINK_OUTAGES, list,
					count * sizeof(list[0]));
}

static void print_outages(const struct rtattr *attr)
{
	struct cellink_outage list[CELLINK_OUTAGES_MAX];
	size_t len = RTA_PAYLOAD(attr);
	char buf[CELL_OUTAGES_LEN];

	/* a later kernel may have more outages: only the first outages are shown */
	if (len > sizeof(list))
		len = sizeof(list);
	memcpy(list, RTA_DATA(attr), len);
	cell_format_outages(list, len / sizeof(list[0]), buf, sizeof(buf));
	print_color_string(OUT_ANY, NO_COLOR, "outages", "outages %s ", buf);
}

static void print_trace(const struct fl_option *table, struct rtattr *nest)
{
	struct rtattr *tb[CELLINK_A_MAX + 1];

	if (!nest)
		return;
	tables_parse_nested(tb, CELLINK_A_MAX, nest);
	tables_print_options(table, tb);
}

static bool put_options(struct nlmsghdr *n, int argc, char **argv)
{
	struct fl_value values[CELL_OPTIONS];

	if (!fl_set_words("cellink", cell_options, argc, argv, values))
		return false;
	tables_put(n, REQUEST_MAX, cell_options, values);
	return put_outages(n, values);
}

/* Adds the peer in the format of a separate message. iplink_parse() writes to the header of
 * the message @n, so this header contains the peer's header during the call.
 */
static bool put_peer(struct nlmsghdr *n, int argc, char **argv)
{
	struct ifinfomsg *header = NLMSG_DATA(n), outer = *header;
	int words = link_words(argc, argv);
	struct rtattr *peer, *info, *data;
	char *type = NULL;

	peer = nest_start(n, CELLINK_PEER);
	n->nlmsg_len += sizeof(*header);
	memset(header, 0, sizeof(*header));
	if (iplink_parse(words, argv, n, &type) < 0)
		return false;
	if (type) {
		fl_error("cellink", "type %s: expected no type for the peer",
			 type);
		return false;
	}
	memcpy(RTA_DATA(peer), header, sizeof(*header));
	*header = outer;
	info = nest_start(n, IFLA_LINKINFO);
	data = nest_start(n, IFLA_INFO_DATA);
	if (!put_options(n, argc - words, argv + words))
		return false;
	nest_end(n, data);
	nest_end(n, info);
	nest_end(n, peer);
	return true;
}

static void cell_print_help(struct link_util *lu, int argc, char **argv, FILE *f)
{
	(void)lu;
	(void)argc;
	(void)argv;
	(void)f;
	tables_help(USAGE, cell_options, "ip-cellink(8)");
}

static int cell_parse_opt(struct link_util *lu, int argc, char **argv,
			  struct nlmsghdr *n)
{
	int words = 0;

	if (tables_wants_help(argc, argv)) {
		cell_print_help(lu, argc, argv, stdout);
		/* no request is sent; a batch ends here unless it is forced */
		return -1;
	}
	while (words < argc && strcmp(argv[words], "peer"))
		words++;
	if (!put_options(n, words, argv))
		return -1;
	if (words < argc && !put_peer(n, argc - words - 1, argv + words + 1))
		return -1;
	tables_want_module("cellink", "cellink");
	return 0;
}

static void cell_print_opt(struct link_util *lu, FILE *f, struct rtattr **tb)
{
	(void)lu;
	(void)f;
	if (!tb)
		return;
	tables_print_options(cell_options, tb);
	if (tb[CELLINK_OUTAGES])
		print_outages(tb[CELLINK_OUTAGES]);
	print_trace(cell_trace_options, tb[CELLINK_TRACE]);
	print_trace(cell_turns_options, tb[CELLINK_TURNS]);
}

static void cell_print_xstats(struct link_util *lu, FILE *f,
			      struct rtattr *xstats)
{
	struct rtattr *tb[CELLINK_STATS_MAX + 1];

	(void)lu;
	(void)f;
	tables_parse_nested(tb, CELLINK_STATS_MAX, xstats);
	print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s", "\n");
	tables_print_counters(cell_counters, tb);
}

/** cellink_link_util - ip finds it by its name */
__attribute__((visibility("default"))) struct link_util cellink_link_util = {
	.id = "cellink",
	.maxattr = CELLINK_MAX,
	.parse_opt = cell_parse_opt,
	.print_opt = cell_print_opt,
	.print_xstats = cell_print_xstats,
	.print_help = cell_print_help,
};
