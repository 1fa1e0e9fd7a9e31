// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of the qdisc under test: see child.h. */
#include <linux/pkt_sched.h>
#include <linux/pkt_sched_lpd.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <string.h>

#include "../lib/text.h"
#include "child.h"
#include "cli.h"

#define WORDS_MAX	256

_Static_assert(LPD_OPTIONS < CHILD_MAX_OPTIONS, "CHILD_MAX_OPTIONS");

static const struct fl_option pfifo_options[] = {
	{ .word = "limit", .type = FL_COUNT, .unit = "packets",
	  .min = 1, .max = UINT32_MAX, .def = 100,
	  .help = "packets the queue holds" },
	{ .word = NULL },
};

static const struct fl_option bfifo_options[] = {
	{ .word = "limit", .type = FL_SIZE, .min = 1, .max = UINT32_MAX,
	  .def = 50000, .help = "bytes the queue holds" },
	{ .word = NULL },
};

static const struct fl_option fq_codel_options[] = {
	{ .word = "limit", .type = FL_COUNT, .attr = TCA_FQ_CODEL_LIMIT,
	  .unit = "packets", .min = 1, .max = UINT32_MAX, .def = 10240,
	  .help = "packets the queue holds" },
	{ .word = "target", .type = FL_TIME, .attr = TCA_FQ_CODEL_TARGET,
	  .min = 1000, .max = 60 * FL_SEC, .def = 5 * FL_MS,
	  .help = "acceptable standing delay" },
	{ .word = "interval", .type = FL_TIME, .attr = TCA_FQ_CODEL_INTERVAL,
	  .min = 1000, .max = 60 * FL_SEC, .def = 100 * FL_MS,
	  .help = "time for which the delay may exceed the target" },
	{ .word = NULL },
};

static void put_lpd(struct nl_msg *msg, const struct child *child)
{
	struct nlattr *nest = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	char match[LPD_RULES_LEN];
	union fl_payload payload;

	for (int i = 0; i < LPD_OPTIONS; i++) {
		if (!child->values[i].set)
			continue;
		nla_put(msg, lpd_options[i].attr,
			fl_encode(&lpd_options[i], child->values[i].number,
				  &payload), &payload);
	}
	if (child->rules.set)
		nla_put(msg, TCA_LPD_MATCH | NLA_F_NESTED,
			lpd_rules_encode(&child->rules, match), match);
	nla_nest_end(msg, nest);
}

static uint32_t fifo_limit(const struct child *child)
{
	return child->values[0].number;
}

static void put_fifo(struct nl_msg *msg, const struct child *child)
{
	struct tc_fifo_qopt opt = { .limit = fifo_limit(child) };

	nla_put(msg, TCA_OPTIONS, sizeof(opt), &opt);
}

static void put_fq_codel(struct nl_msg *msg, const struct child *child)
{
	struct nlattr *nest = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	const struct fl_option *opt = fq_codel_options;

	for (int i = 0; opt[i].word; i++)
		nla_put_u32(msg, opt[i].attr, opt[i].type == FL_TIME ?
			    child->values[i].number / 1000 :
			    child->values[i].number);
	nla_nest_end(msg, nest);
}

static const struct child_kind kinds[] = {
	{ "lpd", lpd_options, put_lpd, NULL },
	{ "pfifo", pfifo_options, put_fifo, fifo_limit },
	{ "bfifo", bfifo_options, put_fifo, fifo_limit },
	{ "fq_codel", fq_codel_options, put_fq_codel, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct child_kind *find_kind(const char *who, const char *name)
{
	const struct child_kind *k;

	for (k = kinds; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	fprintf(stderr, "%s: --child ", who);
	fl_put_text(name, stderr);
	fputs(": expected one of", stderr);
	for (k = kinds; k->name; k++)
		fprintf(stderr, " %s", k->name);
	fputc('\n', stderr);
	return NULL;
}

/* Splits the words in place, because the values of the options point into the words. */
static int split_words(int argc, char **argv, char **words)
{
	int n = 0;

	for (int i = 0; i < argc; i++)
		for (char *word = strtok(argv[i], " "); word && n < WORDS_MAX;
		     word = strtok(NULL, " "))
			words[n++] = word;
	return n;
}

bool child_parse(struct child *child, const char *who, int argc, char **argv)
{
	char *words[WORDS_MAX], name[64];
	int n = split_words(argc, argv, words);

	child->kind = find_kind(who, n ? words[0] : "\"\"");
	if (!child->kind)
		return false;
	snprintf(name, sizeof(name), "%s: --child %s", who, child->kind->name);
	n--;
	if (child->kind->options == lpd_options &&
	    !lpd_rules_take(name, lpd_options, &n, words + 1, &child->rules))
		return false;
	return fl_set_words(name, child->kind->options, n, words + 1, child->values);
}
