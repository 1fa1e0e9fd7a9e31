// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * q_lpd: tc's plugin for the qdisc lpd.
 *
 * The words, their ranges and the counters are the tables of lib/lpd.c; this
 * file only carries them between tc and netlink.
 */
#include <inttypes.h>
#include <linux/pkt_sched_lpd.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/lpd.h"
#include "tc_plugin.h"

#define REQUEST_MAX	4096	/* tc's buffer is larger */
#define USAGE		"Usage: ... lpd"
#define LINE_MAX_LEN	80

extern struct qdisc_util lpd_qdisc_util;

static void print_usage(void)
{
	int column = printf(USAGE);
	char buf[128];

	for (int i = 0; i < LPD_OPTIONS; i++) {
		fl_synopsis(&lpd_options[i], buf, sizeof(buf));
		if (column + strlen(" []") + strlen(buf) > LINE_MAX_LEN)
			column = printf("\n%*s", (int)strlen(USAGE), "") - 1;
		column += printf(" [%s]", buf);
	}
	fputs("\n\n", stdout);
}

static void print_help(void)
{
	print_usage();
	fl_help(lpd_options, stdout);
	fputs("\nAn option left out takes its default on add and keeps its value on change.\n"
	      "See tc-lpd(8).\n", stdout);
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "help"))
			return true;
	return false;
}

static int lpd_parse_opt(struct qdisc_util *qu, int argc, char **argv,
			 struct nlmsghdr *n, const char *dev)
{
	struct fl_value values[LPD_OPTIONS];
	union lpd_payload payload;
	struct rtattr *nest;

	(void)qu;
	(void)dev;
	if (wants_help(argc, argv)) {
		print_help();
		/* whatever a hook returns after help, tc would call an error */
		exit(EXIT_SUCCESS);
	}
	if (!fl_set_words("lpd", lpd_options, argc, argv, values))
		return -1;

	nest = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));
	addattr_l(n, REQUEST_MAX, TCA_OPTIONS | NLA_F_NESTED, NULL, 0);
	for (int i = 0; i < LPD_OPTIONS; i++) {
		if (!values[i].set)
			continue;
		addattr_l(n, REQUEST_MAX, lpd_options[i].attr, &payload,
			  lpd_encode(&lpd_options[i], values[i].number,
				     &payload));
	}
	nest->rta_len = (char *)n + NLMSG_ALIGN(n->nlmsg_len) - (char *)nest;
	return 0;
}

static void parse_nested(struct rtattr **tb, int max, struct rtattr *nest)
{
	parse_rtattr_flags(tb, max, RTA_DATA(nest), RTA_PAYLOAD(nest),
			   NLA_F_NESTED);
}

/* Numbers go into JSON in base units, a switch as a boolean; into text both go
 * the way they are typed. A word is a word in both.
 */
static void print_option(const struct fl_option *opt, uint64_t number)
{
	char fmt[32], buf[32];
	const char *text = fl_print_value(opt, number, buf, sizeof(buf));

	snprintf(fmt, sizeof(fmt), "%s %%s ", opt->word);
	if (opt->type == FL_WORD) {
		print_color_string(TC_ANY, TC_NO_COLOR, opt->word, fmt, text);
		return;
	}
	if (opt->type == FL_SWITCH) {
		print_color_bool(TC_JSON, TC_NO_COLOR, opt->word, NULL, number);
		print_color_string(TC_TEXT, TC_NO_COLOR, NULL, "%s ", text);
		return;
	}
	print_color_u64(TC_JSON, TC_NO_COLOR, opt->word, NULL, number);
	print_color_string(TC_TEXT, TC_NO_COLOR, NULL, fmt, text);
}

static int lpd_print_opt(struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	struct rtattr *tb[TCA_LPD_MAX + 1];

	(void)qu;
	(void)f;
	if (!opt)
		return 0;
	parse_nested(tb, TCA_LPD_MAX, opt);
	for (int i = 0; i < LPD_OPTIONS; i++) {
		struct rtattr *attr = tb[lpd_options[i].attr];

		if (attr)
			print_option(&lpd_options[i],
				     lpd_decode(RTA_DATA(attr),
						RTA_PAYLOAD(attr)));
	}
	return 0;
}

/* A kernel may tell fewer counters: lines without any are left out. */
static void print_counters(struct rtattr **tb)
{
	const struct lpd_counter *c;
	bool on_line = false;
	char fmt[48];

	for (c = lpd_counters; c->key; c++) {
		struct rtattr *attr = tb[c->attr];

		snprintf(fmt, sizeof(fmt), "  %s %%" PRIu64, c->key);
		if (attr)
			print_color_u64(TC_ANY, TC_NO_COLOR, c->key, fmt,
					lpd_decode(RTA_DATA(attr),
						   RTA_PAYLOAD(attr)));
		on_line |= attr != NULL;
		if (!c->ends_line || !on_line)
			continue;
		print_color_string(TC_TEXT, TC_NO_COLOR, NULL, "%s", "\n");
		on_line = false;
	}
}

/* Text shows the buckets that hold something: "<8ms 5" counts 4 <= ms < 8. */
static void print_bucket(int i, bool last, uint64_t count)
{
	char fmt[48];

	print_color_u64(TC_JSON, TC_NO_COLOR, NULL, "%" PRIu64, count);
	if (!count)
		return;
	snprintf(fmt, sizeof(fmt), " %s%ums %%" PRIu64, last ? ">=" : "<",
		 last ? 1U << (i - 1) : 1U << i);
	print_color_u64(TC_TEXT, TC_NO_COLOR, NULL, fmt, count);
}

static void print_histogram(struct rtattr *attr)
{
	uint64_t buckets[TC_LPD_HIST_BUCKETS];
	int n = RTA_PAYLOAD(attr) / sizeof(buckets[0]);

	/* a kernel may have fewer or more of them */
	if (n > TC_LPD_HIST_BUCKETS)
		n = TC_LPD_HIST_BUCKETS;
	memcpy(buckets, RTA_DATA(attr), n * sizeof(buckets[0]));
	open_json_array(TC_JSON, "remaining");
	print_color_string(TC_TEXT, TC_NO_COLOR, NULL, "  %s", "remaining");
	for (int i = 0; i < n; i++)
		print_bucket(i, i == TC_LPD_HIST_BUCKETS - 1, buckets[i]);
	close_json_array(TC_JSON, NULL);
}

static int lpd_print_xstats(struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats)
{
	struct rtattr *tb[TCA_LPD_STATS_MAX + 1];

	(void)qu;
	(void)f;
	if (!xstats)
		return 0;
	parse_nested(tb, TCA_LPD_STATS_MAX, xstats);
	print_counters(tb);
	if (tb[TCA_LPD_STATS_REMAINING])
		print_histogram(tb[TCA_LPD_STATS_REMAINING]);
	return 0;
}

/** lpd_qdisc_util - found by tc by its name */
__attribute__((visibility("default"))) struct qdisc_util lpd_qdisc_util = {
	.id = "lpd",
	.parse_qopt = lpd_parse_opt,
	.print_qopt = lpd_print_opt,
	.print_xstats = lpd_print_xstats,
};
