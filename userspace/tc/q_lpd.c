// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * q_lpd: tc's plugin for the qdisc lpd.
 *
 * lib/lpd.c has the tables of options, ranges and counters. This file only connects
 * the tables with tc and netlink.
 */
#include <inttypes.h>
#include <linux/pkt_sched_lpd.h>
#include <string.h>

#include "../lib/dscp.h"
#include "../lib/lpd.h"
#include "tables.h"
#include "tc_plugin.h"

#define REQUEST_MAX	4096	/* tc's buffer is larger */
#define USAGE		"Usage: ... lpd"

extern struct qdisc_util lpd_qdisc_util;

static int lpd_parse_opt(struct qdisc_util *qu, int argc, char **argv,
			 struct nlmsghdr *n, const char *dev)
{
	struct fl_value values[LPD_OPTIONS];
	char match[LPD_RULES_LEN];
	struct lpd_rules rules;
	struct rtattr *nest;

	(void)qu;
	(void)dev;
	if (tables_wants_help(argc, argv)) {
		tables_help(USAGE, lpd_options, "tc-lpd(8)");
		/* no request is sent; a batch ends here unless it is forced */
		return -1;
	}
	if (!lpd_rules_take("lpd", lpd_options, &argc, argv, &rules) ||
	    !fl_set_words("lpd", lpd_options, argc, argv, values))
		return -1;

	nest = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));
	addattr_l(n, REQUEST_MAX, TCA_OPTIONS | NLA_F_NESTED, NULL, 0);
	tables_put(n, REQUEST_MAX, lpd_options, values);
	if (rules.set)
		addattr_l(n, REQUEST_MAX, TCA_LPD_MATCH | NLA_F_NESTED, match,
			  lpd_rules_encode(&rules, match));
	nest->rta_len = (char *)n + NLMSG_ALIGN(n->nlmsg_len) - (char *)nest;
	tables_want_module("lpd", "sch_lpd");
	return 0;
}

static uint32_t number_of(const struct rtattr *attr)
{
	return fl_decode(RTA_DATA(attr), RTA_PAYLOAD(attr));
}

static void print_number(const char *key, uint64_t value)
{
	print_color_u64(OUT_JSON, NO_COLOR, key, NULL, value);
}

/* Returns the value of an attribute, or the default that an answer leaves out. */
static uint64_t number_or(const struct rtattr *attr, uint64_t otherwise)
{
	return attr ? number_of(attr) : otherwise;
}

/* Prints the field that a rule compares. */
static void print_field(struct rtattr **tb)
{
	char buf[16];

	if (tb[TCA_LPD_RULE_MARK])
		tables_print_mark("mark", number_of(tb[TCA_LPD_RULE_MARK]),
				  number_or(tb[TCA_LPD_RULE_MASK], UINT32_MAX));
	if (tb[TCA_LPD_RULE_DSCP]) {
		print_number("dscp", number_of(tb[TCA_LPD_RULE_DSCP]));
		print_color_string(OUT_TEXT, NO_COLOR, NULL, "dscp %s ",
				   fl_dscp_name(number_of(tb[TCA_LPD_RULE_DSCP]), buf,
						 sizeof(buf)));
	}
	if (tb[TCA_LPD_RULE_PRIORITY])
		print_color_u64(OUT_ANY, NO_COLOR, "priority", "priority %" PRIu64 " ",
				number_of(tb[TCA_LPD_RULE_PRIORITY]));
}

static void print_lifetime(const struct rtattr *attr)
{
	uint64_t ns = fl_decode(RTA_DATA(attr), RTA_PAYLOAD(attr));
	char buf[32];

	print_number("lifetime", ns);
	print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s ",
			   fl_print_value(&lpd_rule_lifetime, ns, buf, sizeof(buf)));
}

/* Text leaves out the treatment that a rule has by default. */
static void print_stale(uint8_t stale)
{
	if (stale > TC_LPD_STALE_MAX) {
		print_color_u64(OUT_ANY, NO_COLOR, "stale", "%" PRIu64 " ", stale);
		return;
	}
	print_color_string(OUT_JSON, NO_COLOR, "stale", NULL, lpd_rule_stale[stale]);
	if (stale != TC_LPD_STALE_DISCARD)
		print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s ", lpd_rule_stale[stale]);
}

/* Text leaves out the importance that a rule has by default. */
static void print_importance(uint8_t importance)
{
	print_number("importance", importance);
	if (importance)
		print_color_u64(OUT_TEXT, NO_COLOR, NULL, "importance %" PRIu64 " ", importance);
}

static void print_rule(struct rtattr *rule)
{
	struct rtattr *tb[TCA_LPD_RULE_MAX + 1];

	tables_parse_nested(tb, TCA_LPD_RULE_MAX, rule);
	open_json_object(NULL);
	print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s ", "match");
	print_field(tb);
	if (tb[TCA_LPD_RULE_LIFETIME])
		print_lifetime(tb[TCA_LPD_RULE_LIFETIME]);
	print_stale(number_or(tb[TCA_LPD_RULE_STALE], TC_LPD_STALE_DISCARD));
	print_importance(number_or(tb[TCA_LPD_RULE_IMPORTANCE], 0));
	close_json_object();
}

/* Text shows nothing if there are no rules. */
static void print_match(struct rtattr *match)
{
	struct rtattr *rule = RTA_DATA(match);
	int left = RTA_PAYLOAD(match);

	open_json_array(OUT_JSON, "match");
	for (; RTA_OK(rule, left); rule = RTA_NEXT(rule, left))
		print_rule(rule);
	close_json_array(OUT_JSON, NULL);
}

static int lpd_print_opt(struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	struct rtattr *tb[TCA_LPD_MAX + 1];

	(void)qu;
	(void)f;
	if (!opt)
		return 0;
	tables_parse_nested(tb, TCA_LPD_MAX, opt);
	tables_print_options(lpd_options, tb);
	if (tb[TCA_LPD_MATCH])
		print_match(tb[TCA_LPD_MATCH]);
	return 0;
}

/* Text shows the buckets that are not empty: "<8ms 5" counts 4 <= ms < 8. */
static void print_bucket(int i, bool last, uint64_t count)
{
	char fmt[48];

	print_color_u64(OUT_JSON, NO_COLOR, NULL, "%" PRIu64, count);
	if (!count)
		return;
	snprintf(fmt, sizeof(fmt), " %s%ums %%" PRIu64, last ? ">=" : "<",
		 last ? 1U << (i - 1) : 1U << i);
	print_color_u64(OUT_TEXT, NO_COLOR, NULL, fmt, count);
}

static void print_histogram(struct rtattr *attr)
{
	uint64_t buckets[TC_LPD_HIST_BUCKETS];
	int n = RTA_PAYLOAD(attr) / sizeof(buckets[0]);

	/* a kernel may have fewer or more buckets */
	if (n > TC_LPD_HIST_BUCKETS)
		n = TC_LPD_HIST_BUCKETS;
	memcpy(buckets, RTA_DATA(attr), n * sizeof(buckets[0]));
	open_json_array(OUT_JSON, "remaining");
	print_color_string(OUT_TEXT, NO_COLOR, NULL, "  %s", "remaining");
	for (int i = 0; i < n; i++)
		print_bucket(i, i == TC_LPD_HIST_BUCKETS - 1, buckets[i]);
	close_json_array(OUT_JSON, NULL);
}

static int lpd_print_xstats(struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats)
{
	struct rtattr *tb[TCA_LPD_STATS_MAX + 1];

	(void)qu;
	(void)f;
	if (!xstats)
		return 0;
	tables_parse_nested(tb, TCA_LPD_STATS_MAX, xstats);
	tables_print_counters(lpd_counters, tb);
	if (tb[TCA_LPD_STATS_REMAINING])
		print_histogram(tb[TCA_LPD_STATS_REMAINING]);
	return 0;
}

/** lpd_qdisc_util - tc finds it by its name */
__attribute__((visibility("default"))) struct qdisc_util lpd_qdisc_util = {
	.id = "lpd",
	.parse_qopt = lpd_parse_opt,
	.print_qopt = lpd_print_opt,
	.print_xstats = lpd_print_xstats,
};
