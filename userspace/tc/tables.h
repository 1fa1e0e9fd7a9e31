/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of all plugins for their tables of options and counters: help, attributes for the
 * kernel, and the kernel's answer as text and JSON.
 */
#ifndef FRESHLINK_TABLES_H
#define FRESHLINK_TABLES_H

#include "../lib/options.h"
#include "../lib/payload.h"
#include "iproute2.h"

/**
 * tables_help - print the usage line and a line for each option
 * @usage: beginning of the usage line, "Usage: ... lpd"
 * @table: the options
 * @page: the manual page
 */
void tables_help(const char *usage, const struct fl_option *table,
		 const char *page);

/**
 * tables_want_module - say on standard error what to type if the kernel has no file of a module, or
 *                      refuses its signature
 * @who: the kind, for the message
 * @module: the module
 *
 * Without the module the kernel refuses the request in words that do not help.
 */
void tables_want_module(const char *who, const char *module);

/**
 * tables_wants_help - whether one of the words is "help"
 * @argc: number of words
 * @argv: the words
 */
bool tables_wants_help(int argc, char **argv);

/**
 * tables_put - append an attribute for each given option, except an FL_TEXT, whose attribute
 *	the caller appends
 * @n: the request
 * @max: size of its buffer
 * @table: the options
 * @values: their values
 */
void tables_put(struct nlmsghdr *n, int max, const struct fl_option *table,
		const struct fl_value *values);

/**
 * tables_print_mark - print a mark and its mask
 * @word: the option, printed before the mark in text
 * @mark: the mark
 * @mask: the mask; text leaves out a mask of 32 bits, and has "none" for a mask of 0
 */
void tables_print_mark(const char *word, uint32_t mark, uint32_t mask);

/**
 * tables_print_options - print the reported options, except an FL_TEXT
 * @table: the options
 * @tb: attributes by number
 */
void tables_print_options(const struct fl_option *table, struct rtattr **tb);

/**
 * tables_print_counters - print the reported counters
 * @counters: the counters; a line without a reported counter is left out
 * @tb: attributes by number
 */
void tables_print_counters(const struct fl_counter *counters,
			   struct rtattr **tb);

/**
 * tables_parse_nested - sort the attributes of a nest
 * @tb: written, by number up to @max
 * @max: number of the last attribute
 * @nest: the nest
 */
void tables_parse_nested(struct rtattr **tb, int max, struct rtattr *nest);

#endif
