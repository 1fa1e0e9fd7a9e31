/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the qdisc lpd, as they are typed and as netlink attributes:
 *
 *	match mark 0x1/0xff 300ms match dscp ef 200ms truncate match priority 6 1s
 */
#ifndef FRESHLINK_MATCH_H
#define FRESHLINK_MATCH_H

#include <linux/pkt_sched_lpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

/**
 * struct lpd_rule - a rule
 * @attr: the field that the rule compares: TCA_LPD_RULE_MARK, _DSCP or _PRIORITY
 * @value: the field's value
 * @mask: the compared bits of a mark
 * @lifetime: ns, 0 for none
 * @stale: enum tc_lpd_stale
 * @importance: 0 to TC_LPD_IMPORTANCE_MAX
 */
struct lpd_rule {
	uint16_t attr;
	uint32_t value;
	uint32_t mask;
	uint64_t lifetime;
	uint8_t stale;
	uint8_t importance;
};

/**
 * struct lpd_rules - the rules on a command line
 * @set: there is at least one word "match"
 * @count: number of rules; 0 with "match none"
 * @rule: the rules
 */
struct lpd_rules {
	bool set;
	int count;
	struct lpd_rule rule[TC_LPD_RULES_MAX];
};

/* Size of TCA_LPD_MATCH without its header: each rule needs 4 bytes for its own header, and at most
 * 44 bytes for its attributes.
 */
#define LPD_RULES_LEN	(TC_LPD_RULES_MAX * 48)

/**
 * lpd_rules_take - parse the rules, and remove them from the words of a command line
 * @who: the program's name for error messages
 * @table: the other options, which fl_set_words() parses afterwards
 * @argc: number of words, updated
 * @argv: the words, from which the rules are removed
 * @rules: written
 *
 * Return: whether the rules are correct; if not, standard error says what is wrong.
 */
bool lpd_rules_take(const char *who, const struct fl_option *table, int *argc, char **argv,
		    struct lpd_rules *rules);

/**
 * lpd_rules_encode - turn rules into the payload of TCA_LPD_MATCH
 * @rules: the rules
 * @buf: written, LPD_RULES_LEN bytes
 *
 * Return: number of bytes used in @buf
 */
size_t lpd_rules_encode(const struct lpd_rules *rules, void *buf);

/** lpd_rule_lifetime - the table's row for a rule's lifetime, which prints lifetimes */
extern const struct fl_option lpd_rule_lifetime;

/** lpd_rule_stale - the words for a rule's treatment, by value */
extern const char *const lpd_rule_stale[];

#endif
