// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables between iproute2 and netlink: see tables.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../advice/look.h"
#include "../lib/dscp.h"
#include "tables.h"

#define LINE_MAX_LEN	80

static void print_usage(const char *usage, const struct fl_option *table)
{
	int column = printf("%s", usage);
	char buf[128];

	for (; table->word; table++) {
		fl_synopsis(table, buf, sizeof(buf));
		if (column + strlen(" []") + strlen(buf) > LINE_MAX_LEN)
			column = printf("\n%*s", (int)strlen(usage), "") - 1;
		column += printf(" [%s]", buf);
	}
	fputs("\n\n", stdout);
}

void tables_help(const char *usage, const struct fl_option *table,
		 const char *page)
{
	print_usage(usage, table);
	fl_help(table, stdout);
	printf("\nAn option left out takes its default on add and keeps its value on change.\n"
	       "See %s.\n", page);
}

/* what a plugin wants, for say_refused() */
static const char *wanting, *wanted;

/* The kernel tries to load the module while the request is under way. At the end of tc or ip a module
 * that is not loaded was probably refused.
 */
static void say_refused(void)
{
	if (look_needs_trust(wanted))
		fprintf(stderr, "%s: %s\n", wanting, look_for_module(wanted));
}

void tables_want_module(const char *who, const char *module)
{
	if (look_is_missing(module)) {
		fprintf(stderr, "%s: %s\n", who, look_for_module(module));
	} else if (!wanted && look_needs_trust(module)) {
		wanting = who;
		wanted = module;
		atexit(say_refused);
	}
}

bool tables_wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "help"))
			return true;
	return false;
}

static void put(struct nlmsghdr *n, int max, const struct fl_option *opt,
		uint16_t attr, uint64_t number)
{
	union fl_payload payload;

	addattr_l(n, max, attr, &payload, fl_encode(opt, number, &payload));
}

void tables_put(struct nlmsghdr *n, int max, const struct fl_option *table,
		const struct fl_value *values)
{
	for (int i = 0; table[i].word; i++) {
		if (!values[i].set || table[i].type == FL_TEXT)
			continue;
		put(n, max, &table[i], table[i].attr, values[i].number);
		if (table[i].type == FL_MARK)
			put(n, max, &table[i], table[i].mask_attr,
			    values[i].second);
	}
}

void tables_parse_nested(struct rtattr **tb, int max, struct rtattr *nest)
{
	parse_rtattr_flags(tb, max, RTA_DATA(nest), RTA_PAYLOAD(nest),
			   NLA_F_NESTED);
}

void tables_print_mark(const char *word, uint32_t mark, uint32_t mask)
{
	char fmt[32], buf[32] = "none";

	snprintf(fmt, sizeof(fmt), "%s %%s ", word);
	print_color_u64(OUT_JSON, NO_COLOR, "mark", NULL, mark);
	print_color_u64(OUT_JSON, NO_COLOR, "mask", NULL, mask);
	if (mask == UINT32_MAX)
		snprintf(buf, sizeof(buf), "0x%" PRIx32, mark);
	else if (mask)
		snprintf(buf, sizeof(buf), "0x%" PRIx32 "/0x%" PRIx32, mark, mask);
	print_color_string(OUT_TEXT, NO_COLOR, NULL, fmt, buf);
}

static void print_dscps(const char *word, uint64_t set)
{
	open_json_array(OUT_JSON, word);
	for (uint64_t i = 0; i <= FL_DSCP_MAX; i++)
		if (set >> i & 1)
			print_color_u64(OUT_JSON, NO_COLOR, NULL, "%" PRIu64, i);
	close_json_array(OUT_JSON, NULL);
}

/* JSON has numbers in base units, a switch as a boolean, and DSCPs as an array. Text has
 * these values as they are typed. A word or an address is the same in JSON and in text, also a word
 * that replaces a number.
 */
static void print_option(const struct fl_option *opt, uint64_t number)
{
	char fmt[32], buf[FL_DSCPS_LEN];
	const char *text = fl_print_value(opt, number, buf, sizeof(buf));

	snprintf(fmt, sizeof(fmt), "%s %%s ", opt->word);
	if (opt->type == FL_WORD || opt->type == FL_ADDRESS || fl_is_other(opt, number)) {
		print_color_string(OUT_ANY, NO_COLOR, opt->word, fmt, text);
		return;
	}
	if (opt->type == FL_SWITCH) {
		print_color_bool(OUT_JSON, NO_COLOR, opt->word, NULL, number);
		print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s ", text);
		return;
	}
	if (opt->type == FL_DSCPS)
		print_dscps(opt->word, number);
	else
		print_color_u64(OUT_JSON, NO_COLOR, opt->word, NULL, number);
	print_color_string(OUT_TEXT, NO_COLOR, NULL, fmt, text);
}

static uint64_t number_of(const struct rtattr *attr)
{
	return fl_decode(RTA_DATA(attr), RTA_PAYLOAD(attr));
}

void tables_print_options(const struct fl_option *table, struct rtattr **tb)
{
	for (; table->word; table++) {
		struct rtattr *attr = tb[table->attr];

		if (!attr || table->type == FL_TEXT)
			continue;
		if (table->type != FL_MARK) {
			print_option(table, number_of(attr));
			continue;
		}
		open_json_object(table->word);
		tables_print_mark(table->word, number_of(attr),
				  tb[table->mask_attr] ? number_of(tb[table->mask_attr]) : 0);
		close_json_object();
	}
}

void tables_print_counters(const struct fl_counter *counters,
			   struct rtattr **tb)
{
	bool on_line = false;
	char fmt[48];

	for (; counters->key; counters++) {
		struct rtattr *attr = tb[counters->attr];

		snprintf(fmt, sizeof(fmt), "  %s %%" PRIu64, counters->key);
		if (attr)
			print_color_u64(OUT_ANY, NO_COLOR, counters->key, fmt,
					number_of(attr));
		on_line |= attr != NULL;
		if (!counters->ends_line || !on_line)
			continue;
		print_color_string(OUT_TEXT, NO_COLOR, NULL, "%s", "\n");
		on_line = false;
	}
}
