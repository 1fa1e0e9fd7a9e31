/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as tables.
 *
 * One table of struct fl_option says everything about a set of options. It
 * parses them, checks their range, words the error, prints the values back,
 * and writes the help: none of these can disagree with another.
 */
#ifndef FRESHLINK_OPTIONS_H
#define FRESHLINK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "units.h"

/* Also the greatest number: what is counted up to it goes on for ever. */
#define FL_NO_DEFAULT	UINT64_MAX

/* What the first word that stands in for a time is kept as; no time is as long. */
#define FL_OTHER	(UINT64_C(1) << 63)

/**
 * enum fl_type - what kind of value an option takes
 * @FL_FLAG: none
 * @FL_SWITCH: none, the word itself says it: "word" is 1, "noword" is 0; only in
 *	tables of fl_set_words()
 * @FL_COUNT: a whole number
 * @FL_SIZE: bytes
 * @FL_RATE: bytes/s, typed in bits
 * @FL_TIME: nanoseconds
 * @FL_TIMES: two times joined by a comma, the first not above the second
 * @FL_PERCENT: millionths, typed in per cent
 * @FL_FRACTION: 10^-12, typed as 1e-6
 * @FL_DECIMAL: millionths, typed as 1.5
 * @FL_WORD: one of the words of struct fl_option
 * @FL_MARK: a packet mark and its mask, all ones if not given
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
	FL_WORD,
	FL_MARK,
	FL_TEXT,
};

/**
 * struct fl_option - one option; a table of them ends with a NULL word
 * @word: as typed, dashes included
 * @type: what its value is
 * @attr: its netlink attribute, where it has one
 * @min: least value in base units
 * @max: greatest value
 * @def: value when not given, or FL_NO_DEFAULT
 * @zero: word for the value 0, which is then allowed besides @min to @max
 * @whole_ms: an FL_TIME or FL_TIMES takes only whole ms
 * @required: the command does not go without it
 * @unit: what an FL_COUNT or FL_DECIMAL counts or an FL_TEXT is, in plain words
 * @words: the words of an FL_WORD, by value, up to a NULL; those that an FL_TIME
 *	takes in place of a time, by value from FL_OTHER on
 * @help: what it does, one line without a full stop
 */
struct fl_option {
	const char *word;
	enum fl_type type;
	uint16_t attr;
	uint64_t min;
	uint64_t max;
	uint64_t def;
	const char *zero;
	bool whole_ms;
	bool required;
	const char *unit;
	const char *const *words;
	const char *help;
};

/**
 * struct fl_value - the value of an option
 * @set: the option was given
 * @number: in base units; the index of an FL_WORD
 * @second: the second of FL_TIMES, the mask of FL_MARK
 * @text: as typed
 */
struct fl_value {
	bool set;
	uint64_t number;
	uint64_t second;
	const char *text;
};

/**
 * fl_is_other - whether a word stands in for a time
 * @opt: the option
 * @number: its value
 */
bool fl_is_other(const struct fl_option *opt, uint64_t number);

/**
 * fl_find - look an option up
 * @table: where
 * @word: the word as typed, of @len characters; of an FL_SWITCH either form
 * @len: see @word
 *
 * Return: its index in @table, or -1
 */
int fl_find(const struct fl_option *table, const char *word, size_t len);

/**
 * fl_find_attr - look an option up by its netlink attribute
 * @table: where
 * @attr: the attribute, 0 for none
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
 * @text: its value as typed, NULL when the line ended before it; of an FL_SWITCH
 *	the word as typed
 * @value: where to keep it
 *
 * Return: whether it was right; if not, standard error says what was wrong
 * with which word and what was expected.
 */
bool fl_set(const char *who, const struct fl_option *opt, const char *text,
	    struct fl_value *value);

/**
 * fl_set_words - parse "WORD VALUE WORD VALUE SWITCH ..." of a whole table
 * @who: the program's name
 * @table: the options, none of them an FL_FLAG
 * @argc: how many words
 * @argv: the words
 * @values: one per option, written, defaults included
 *
 * Return: whether all were right; if not, standard error says what was wrong.
 */
bool fl_set_words(const char *who, const struct fl_option *table, int argc,
		  char **argv, struct fl_value *values);

/**
 * fl_unknown - complain about a word that is no option
 * @who: the program's name
 * @table: the options there are
 * @word: the word
 */
void fl_unknown(const char *who, const struct fl_option *table,
		const char *word);

/**
 * fl_print_value - print a value the way it is typed
 * @opt: the option
 * @number: the value
 * @buf: where to
 * @len: room in @buf
 *
 * Return: @buf
 */
const char *fl_print_value(const struct fl_option *opt, uint64_t number,
			   char *buf, size_t len);

/**
 * fl_synopsis - print an option the way a usage line shows it
 * @opt: the option
 * @buf: where to, for example "limit PACKETS", "stale honor|forward", "[no]adu"
 * @len: room in @buf
 *
 * Return: @buf
 */
const char *fl_synopsis(const struct fl_option *opt, char *buf, size_t len);

/**
 * fl_help - print one line of help for each option
 * @table: the options
 * @out: where to
 */
void fl_help(const struct fl_option *table, FILE *out);

#endif
