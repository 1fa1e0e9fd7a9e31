/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The qdisc under test. The kind and the options of the qdisc are words of the command line and
 * become netlink attributes.
 */
#ifndef FRESHLINK_CHILD_H
#define FRESHLINK_CHILD_H

#include <netlink/msg.h>
#include <stdbool.h>

#include "../lib/lpd.h"

#define CHILD_MAX_OPTIONS	16

struct child_kind;

/**
 * struct child - a qdisc to create
 * @kind: its kind
 * @values: the value of each option of the kind
 * @rules: the rules of an lpd
 */
struct child {
	const struct child_kind *kind;
	struct fl_value values[CHILD_MAX_OPTIONS];
	struct lpd_rules rules;
};

/**
 * struct child_kind - a kind of qdisc, in a table that ends with a NULL name
 * @name: tc's name of the kind
 * @options: its options
 * @put: function that adds TCA_OPTIONS to a request
 * @fifo_limit: function that returns the limit of a fifo, which tbf sets again on each change; NULL
 *	for a kind whose limit tbf does not set
 */
struct child_kind {
	const char *name;
	const struct fl_option *options;
	void (*put)(struct nl_msg *msg, const struct child *child);
	uint32_t (*fifo_limit)(const struct child *child);
};

/**
 * child_parse - read "KIND WORD VALUE ..."
 * @child: written
 * @who: prefix of error messages
 * @argc: number of words
 * @argv: the words. A word that contains blanks is split
 *
 * Return: true if all words are correct, or false after a message on standard error
 */
bool child_parse(struct child *child, const char *who, int argc, char **argv);

#endif
