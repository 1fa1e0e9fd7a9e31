// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints statements of configuration as they are typed: see conf.h. */
#include <inttypes.h>

#include "../conf/words.h"
#include "../lib/dscp.h"
#include "../lib/text.h"
#include "conf.h"

void conf_put_line(const struct conf_statement *s, FILE *out)
{
	for (int i = 0; i < s->count; i++) {
		fputs(i ? " " : "", out);
		conf_put_word(s->words[i], out);
	}
	fputc('\n', out);
}

static void put_mark(uint64_t value, uint64_t mask, FILE *out)
{
	fprintf(out, "0x%" PRIx64, value);
	if (mask != UINT32_MAX)
		fprintf(out, "/0x%" PRIx64, mask);
}

void conf_put_option(const struct fl_option *opt, const struct fl_value *value, FILE *out)
{
	char buf[512];

	fputc(' ', out);
	if (opt->type != FL_SWITCH)
		fputs(opt->word, out);
	if (opt->type == FL_FLAG)
		return;
	if (opt->type != FL_SWITCH)
		fputc(' ', out);
	if (opt->type == FL_TEXT)
		conf_put_word(value->text, out);
	else if (opt->type == FL_MARK && value->second)
		put_mark(value->number, value->second, out);
	else
		fputs(fl_print_value(opt, value->number, buf, sizeof(buf)), out);
}

static bool is_default(const struct fl_option *opt, const struct fl_value *value)
{
	return !value->set || (opt->type != FL_FLAG && !opt->required &&
			       value->number == opt->def && !value->second);
}

void conf_put_options(const struct fl_option *options, const struct fl_value *values, FILE *out)
{
	for (int i = 0; options[i].word; i++)
		if (!is_default(&options[i], &values[i]))
			conf_put_option(&options[i], &values[i], out);
}

static void put_field(const struct lpd_rule *rule, FILE *out)
{
	char buf[16];

	switch (rule->attr) {
	case TCA_LPD_RULE_MARK:
		fputs("mark ", out);
		put_mark(rule->value, rule->mask, out);
		break;
	case TCA_LPD_RULE_DSCP:
		fprintf(out, "dscp %s", fl_dscp_name(rule->value, buf, sizeof(buf)));
		break;
	default:
		fprintf(out, "priority %" PRIu32, rule->value);
	}
}

void conf_put_rule(const struct lpd_rule *rule, FILE *out)
{
	char buf[32];

	fputs(" match ", out);
	put_field(rule, out);
	fprintf(out, " %s", fl_print_value(&lpd_rule_lifetime, rule->lifetime, buf, sizeof(buf)));
	if (rule->stale != TC_LPD_STALE_DISCARD)
		fprintf(out, " %s", lpd_rule_stale[rule->stale]);
	if (rule->importance)
		fprintf(out, " importance %d", rule->importance);
}
