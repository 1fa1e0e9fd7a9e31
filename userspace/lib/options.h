/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as tables.
 *
 * A table of struct fl_option defines a set of options. The same table is used to
 * parse options, check their range, print errors, values and help. Therefore the
 * parser, the errors and the help always agree.
 */
#ifndef FRESHLINK_OPTIONS_H
#define FRESHLINK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "units.h"

/* FL_NO_DEFAULT is also the greatest number, so a count up to FL_NO_DEFAULT never
 * ends.
 */
#define FL_NO_DEFAULT	UINT64_MAX

/* The value of the first word that replaces a time or a rate, which are always below this value. */
#define FL_OTHER	(UINT64_C(1) << 63)

/**
 * enum fl_type - type of an option's value
 * @FL_FLAG: no value
 * @FL_SWITCH: no value, the word itself is the value: "word" is 1, "noword" is 0;
 *	only in tables of fl_set_words()
 * @FL_COUNT: a whole number
 * @FL_SIZE: bytes
 * @FL_RATE: bytes/s, typed in bits
 * @FL_TIME: nanoseconds
 * @FL_TIMES: two times separated by a comma, the first not above the second
 * @FL_PERCENT: millionths, typed in per cent
 * @FL_FRACTION: 10^-12, typed as 1e-6
 * @FL_DECIMAL: millionths, typed as 1.5
 * @FL_FACTOR: thousandths, typed as 1.5
 * @FL_WORD: one of the words of struct fl_option
 * @FL_MARK: a packet mark and its mask; without a mask, all bits of the mask are
 *	1
 * @FL_DSCPS: a set of DSCPs: bit N is set if the DSCP N is in the set
 * @FL_ADDRESS: the unicast address of a network device; the first byte is the most significant
 * @FL_TEXT: any text
 */
enum fl_type {
	FL_FLAG,
	FL_SWITCH,
	FL_COUNT,
	FL_SIZE,
	FL_RATE,
	FL_TIME,
	FL_TIMES,
	FL_PERCENT,
	FL_FRACTION,
	FL_DECIMAL,
	FL_FACTOR,
	FL_WORD,
	FL_MARK,
	FL_DSCPS,
	FL_ADDRESS,
	FL_TEXT,
};

/**
 * struct fl_option - one option; a table of options ends with a NULL word
 * @word: its name as typed, with dashes
 * @type: type of its value
 * @attr: its netlink attribute, 0 without an attribute
 * @mask_attr: the netlink attribute of the mask of an FL_MARK
 * @min: minimum in base units
 * @max: maximum in base units
 * @def: value when not given, or FL_NO_DEFAULT
 * @zero: word for the value 0, which is then allowed in addition to @min to @max; of an FL_MARK,
 *	the mask is then also 0
 * @whole_ms: an FL_TIME or FL_TIMES accepts only whole ms
 * @required: the command needs the option
 * @repeats: the option may be given several times, with a value each; only for FL_TEXT
 * @unit: the unit of an FL_COUNT or FL_DECIMAL, or the content of an FL_TEXT
 * @words: for an FL_WORD its words, indexed by value, up to a NULL; for an FL_TIME or FL_RATE the
 *	words that replace a time or a rate, whose values begin at FL_OTHER
 * @help: its purpose, one line without a full stop
 */
struct fl_option {
	const char *word;
	enum fl_type type;
	uint16_t attr;
	uint16_t mask_attr;
	uint64_t min;
	uint64_t max;
	uint64_t def;
	const char *zero;
	bool whole_ms;
	bool required;
	bool repeats;
	const char *unit;
	const char *const *words;
	const char *help;
};

/**
 * struct fl_value - the value of an option
 * @set: the option was given
 * @number: in base units; the index of an FL_WORD
 * @second: the second time of FL_TIMES, the mask of FL_MARK
 * @text: as typed; the last text of an option that repeats
 * @texts: all texts of an option that repeats, in order
 * @count: number of @texts
 */
struct fl_value {
	bool set;
	uint64_t number;
	uint64_t second;
	const char *text;
	const char **texts;
	size_t count;
};

/**
 * fl_is_other - whether the value is a word that replaces a time or a rate
 * @opt: the option
 * @number: its value
 */
bool fl_is_other(const struct fl_option *opt, uint64_t number);

/**
 * fl_find - look an option up
 * @table: the options
 * @word: the word as typed; an FL_SWITCH has two forms
 * @len: length of @word
 *
 * Return: its index in @table, or -1
 */
int fl_find(const struct fl_option *table, const char *word, size_t len);

/**
 * fl_find_attr - look an option up by its netlink attribute
 * @table: the options
 * @attr: the attribute, 0 for no attribute
 *
 * Return: its index in @table, or -1
 */
int fl_find_attr(const struct fl_option *table, uint16_t attr);

/**
 * fl_set_defaults - give every option of a table its default
 * @table: the options
 * @values: one per option, written
 */
void fl_set_defaults(const struct fl_option *table, struct fl_value *values);

/**
 * fl_set - parse and check one option
 * @who: the program's name for error messages
 * @opt: the option
 * @text: its value as typed, NULL if it is missing; for an FL_SWITCH the word as
 *	typed
 * @value: written
 *
 * Return: true if the value is correct. If the value is wrong, standard error
 * names the option, and says what is wrong and what is expected.
 */
bool fl_set(const char *who, const struct fl_option *opt, const char *text,
	    struct fl_value *value);

/**
 * fl_set_words - parse "WORD VALUE WORD VALUE SWITCH ..." of a whole table
 * @who: the program's name
 * @table: the options, without FL_FLAG
 * @argc: number of words
 * @argv: the words
 * @values: one per option, written, including defaults
 *
 * Return: true if all words are correct. If a word is wrong, standard error says
 * what is wrong.
 */
bool fl_set_words(const char *who, const struct fl_option *table, int argc,
		  char **argv, struct fl_value *values);

/**
 * fl_unknown - print an error about a word that is not an option
 * @who: the program's name
 * @table: the options
 * @word: the word
 */
void fl_unknown(const char *who, const struct fl_option *table,
		const char *word);

/**
 * fl_print_value - print a value in the form in which it is typed
 * @opt: the option
 * @number: the value
 * @buf: written, unless the value has a word
 * @len: size of @buf
 *
 * Return: the word of the value, or @buf
 */
const char *fl_print_value(const struct fl_option *opt, uint64_t number,
			   char *buf, size_t len);

/**
 * fl_synopsis - print an option as in a usage line
 * @opt: the option
 * @buf: written, for example "limit PACKETS", "stale honor|forward", "[no]adu"
 * @len: size of @buf
 *
 * Return: @buf
 */
const char *fl_synopsis(const struct fl_option *opt, char *buf, size_t len);

/**
 * fl_help - print one line of help for each option
 * @table: the options
 * @out: the output file
 */
void fl_help(const struct fl_option *table, FILE *out);

#endif
