/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The qdisc under test: its kind and options, from words to attributes. */
#ifndef FRESHLINK_CHILD_H
#define FRESHLINK_CHILD_H

#include <netlink/msg.h>
#include <stdbool.h>

#include "../lib/options.h"

#define CHILD_MAX_OPTIONS	16

struct child_kind;

/**
 * struct child - a qdisc to be made
 * @kind: which
 * @values: one per option of the kind
 */
struct child {
	const struct child_kind *kind;
	struct fl_value values[CHILD_MAX_OPTIONS];
};

/**
 * struct child_kind - a kind of qdisc; a NULL name ends the table of them
 * @name: as tc calls it
 * @options: its options
 * @put: adds TCA_OPTIONS
 * @fifo_limit: the limit tbf enforces on it, NULL if it leaves it alone
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
 * @who: for messages
 * @argc: how many words
 * @argv: the words; one that holds several with blanks between is split
 *
 * Return: whether they are right; if not, standard error says what is wrong
 */
bool child_parse(struct child *child, const char *who, int argc, char **argv);

#endif
