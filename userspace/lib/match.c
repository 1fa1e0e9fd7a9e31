// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of the qdisc lpd: see match.h. */
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "dscp.h"
#include "match.h"
#include "text.h"

#define WORD	"match"

const char *const lpd_rule_stale[] = {
	[TC_LPD_STALE_HONOR] = "",
	[TC_LPD_STALE_FORWARD] = "forward",
	[TC_LPD_STALE_DISCARD] = "discard",
	[TC_LPD_STALE_TRUNCATE] = "truncate",
	NULL,
};

const struct fl_option lpd_rule_lifetime = {
	.word = "lifetime", .type = FL_TIME, .min = 1, .max = TC_LPD_LIFETIME_MAX, .zero = "none",
};

static const struct fl_option importance = {
	.word = "importance", .type = FL_COUNT, .max = TC_LPD_IMPORTANCE_MAX,
};

/* The fields that a rule may compare. A DSCP also has names. */
static const struct fl_option fields[] = {
	{ .word = "mark", .attr = TCA_LPD_RULE_MARK, .type = FL_MARK },
	{ .word = "dscp", .attr = TCA_LPD_RULE_DSCP, .type = FL_COUNT, .max = TC_LPD_DSCP_MAX },
	{ .word = "priority", .attr = TCA_LPD_RULE_PRIORITY, .type = FL_COUNT,
	  .max = UINT32_MAX },
	{ .word = NULL },
};

/**
 * struct words - the words of a command line that are not parsed yet
 * @program: prefix of error messages
 * @who: prefix of error messages about a part of a rule
 * @at: the next word
 * @left: number of words from @at on
 */
struct words {
	const char *program;
	const char *who;
	char **at;
	int left;
};

static const char *next_word(struct words *w)
{
	if (!w->left)
		return NULL;
	w->left--;
	return *w->at++;
}

static bool parse_dscp(const char *who, const char *text, struct lpd_rule *rule)
{
	if (text && fl_dscp_parse(text, &rule->value))
		return true;
	fl_error(who, "dscp %s: expected a number from 0 to 63 or a name such as ef, af41 or cs5",
		 text ? text : "has no value");
	return false;
}

static bool parse_field(struct words *w, const char *word, struct lpd_rule *rule)
{
	int i = word ? fl_find(fields, word, strlen(word)) : -1;
	struct fl_value value = { 0 };

	if (i < 0) {
		fl_error(w->program, WORD " %s: expected mark, dscp, priority or none",
			 word ? word : "has no value");
		return false;
	}
	rule->attr = fields[i].attr;
	if (rule->attr == TCA_LPD_RULE_DSCP)
		return parse_dscp(w->who, next_word(w), rule);
	if (!fl_set(w->who, &fields[i], next_word(w), &value))
		return false;
	rule->value = value.number;
	rule->mask = value.second;
	return true;
}

static bool parse_lifetime(struct words *w, struct lpd_rule *rule)
{
	struct fl_value value = { 0 };

	if (!fl_set(w->who, &lpd_rule_lifetime, next_word(w), &value))
		return false;
	rule->lifetime = value.number;
	return true;
}

/* Parses the treatment, which may be missing. */
static void parse_stale(struct words *w, struct lpd_rule *rule)
{
	rule->stale = TC_LPD_STALE_DISCARD;
	for (int i = TC_LPD_STALE_FORWARD; w->left && lpd_rule_stale[i]; i++)
		if (!strcmp(*w->at, lpd_rule_stale[i])) {
			rule->stale = i;
			next_word(w);
			return;
		}
}

/* Parses the importance, which may be missing. */
static bool parse_importance(struct words *w, struct lpd_rule *rule)
{
	struct fl_value value = { 0 };

	if (!w->left || strcmp(*w->at, importance.word))
		return true;
	next_word(w);
	if (!fl_set(w->who, &importance, next_word(w), &value))
		return false;
	rule->importance = value.number;
	return true;
}

/* Parses the words after "match". */
static bool parse_rule(struct words *w, struct lpd_rules *rules)
{
	const char *word = next_word(w);
	bool none = word && !strcmp(word, "none");
	struct lpd_rule *rule;

	if (rules->set && (none || !rules->count)) {
		fl_error(w->program, WORD " none: expected no other rule");
		return false;
	}
	rules->set = true;
	if (none)
		return true;
	if (rules->count == TC_LPD_RULES_MAX) {
		fl_error(w->program, "too many rules: expected at most %u", TC_LPD_RULES_MAX);
		return false;
	}
	rule = &rules->rule[rules->count++];
	if (!parse_field(w, word, rule) || !parse_lifetime(w, rule))
		return false;
	parse_stale(w, rule);
	return parse_importance(w, rule);
}

/* Moves an option, with its value unless it is a switch, to the words that remain. */
static void keep_option(struct words *w, const struct fl_option *table, char **argv, int *argc)
{
	int i = fl_find(table, *w->at, strlen(*w->at));

	argv[(*argc)++] = *w->at;
	next_word(w);
	if (i < 0 || table[i].type == FL_SWITCH || !w->left)
		return;
	argv[(*argc)++] = *w->at;
	next_word(w);
}

bool lpd_rules_take(const char *who, const struct fl_option *table, int *argc, char **argv,
		    struct lpd_rules *rules)
{
	char name[80];
	struct words w = { who, name, argv, *argc };

	snprintf(name, sizeof(name), "%s: " WORD, who);
	*rules = (struct lpd_rules){ 0 };
	*argc = 0;
	while (w.left) {
		if (strcmp(*w.at, WORD)) {
			keep_option(&w, table, argv, argc);
			continue;
		}
		next_word(&w);
		if (!parse_rule(&w, rules))
			return false;
	}
	return true;
}

static char *put(char *at, uint16_t type, const void *payload, size_t len)
{
	struct nlattr attr = { .nla_len = NLA_HDRLEN + len, .nla_type = type };

	memset(at, 0, NLA_ALIGN(attr.nla_len));
	memcpy(at, &attr, sizeof(attr));
	memcpy(at + NLA_HDRLEN, payload, len);
	return at + NLA_ALIGN(attr.nla_len);
}

static char *put_rule(char *at, const struct lpd_rule *rule)
{
	char *nest = at;
	uint8_t dscp = rule->value;

	at += NLA_HDRLEN;
	if (rule->attr == TCA_LPD_RULE_DSCP)
		at = put(at, rule->attr, &dscp, sizeof(dscp));
	else
		at = put(at, rule->attr, &rule->value, sizeof(rule->value));
	if (rule->attr == TCA_LPD_RULE_MARK)
		at = put(at, TCA_LPD_RULE_MASK, &rule->mask, sizeof(rule->mask));
	at = put(at, TCA_LPD_RULE_LIFETIME, &rule->lifetime, sizeof(rule->lifetime));
	at = put(at, TCA_LPD_RULE_STALE, &rule->stale, sizeof(rule->stale));
	at = put(at, TCA_LPD_RULE_IMPORTANCE, &rule->importance, sizeof(rule->importance));
	memcpy(nest, &(struct nlattr){ .nla_len = at - nest,
				       .nla_type = TCA_LPD_MATCH_RULE | NLA_F_NESTED },
	       sizeof(struct nlattr));
	return at;
}

size_t lpd_rules_encode(const struct lpd_rules *rules, void *buf)
{
	char *at = buf;

	for (int i = 0; i < rules->count; i++)
		at = put_rule(at, &rules->rule[i]);
	return at - (char *)buf;
}
