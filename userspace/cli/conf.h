/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements of configuration, freshlink.conf(5). The kernel's state has the same form: the
 * configuration that conf_state_write() writes. So freshlink save prints this form, and freshlink
 * apply compares two configurations, and undoes a change by putting an old statement into effect.
 */
#ifndef FRESHLINK_CLI_CONF_H
#define FRESHLINK_CLI_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../lib/match.h"
#include "cli.h"

#define CONF_FOLDER	"/etc/freshlink"
/* what lasts until the next boot */
#define CONF_RUN_FOLDER	"/run/freshlink"

struct conf_statement;

/**
 * struct conf_kind - a kind of statement
 * @words: its first words
 * @usage: the whole statement, for messages
 * @command: the command that has these words, or NULL for words of tc and ip
 * @options: the options of words of tc and ip, see conf_options()
 * @module: the module that no request loads, or NULL
 * @needs_device: the name is the name of a device, which may be missing
 * @merges: options that the statement does not have keep their values
 * @replaced: the kernel cannot change the object
 * @parse: parses what follows @words. Prints a message and returns false if something is wrong
 * @put: puts the statement into effect, and may note in it what @remove has to know. The second
 *	argument is the statement of the existing object, or NULL. Returns the exit status
 * @remove: removes the object. Returns the exit status. NULL if the object always exists
 */
struct conf_kind {
	const char *words;
	const char *usage;
	const struct command *command;
	const struct fl_option *options;
	const char *module;
	bool needs_device;
	bool merges;
	bool replaced;
	bool (*parse)(struct conf_statement *s, int argc, char **argv);
	int (*put)(struct conf_statement *s, const struct conf_statement *before);
	int (*remove)(const struct conf_statement *s);
};

/** conf_kinds - all kinds; an entry without words ends the table */
extern const struct conf_kind conf_kinds[];

/** conf_options - the table of the options of a kind */
const struct fl_option *conf_options(const struct conf_kind *kind);

/**
 * struct conf_statement - a statement
 * @kind: its kind
 * @place: FILE:LINE, printable
 * @who: prefix of messages, with @place and the words of the kind
 * @text: memory of the words
 * @words: the words of the line
 * @count: number of words
 * @name: what the statement sets: the name of a profile or of a device, or ""
 * @device: the device that must exist, or NULL
 * @args: the parsed words
 * @rules: the rules of an lpd
 * @ran: the unit of pace ran before, with options that no statement has
 */
struct conf_statement {
	const struct conf_kind *kind;
	char *place;
	char *who;
	char *text;
	char **words;
	int count;
	const char *name;
	const char *device;
	struct cli_args args;
	struct lpd_rules rules;
	bool ran;
};

/**
 * struct conf - a configuration; initialized with 0 and @who
 * @who: prefix of messages
 * @items: the statements; conf_free() frees them
 * @count: number of statements
 */
struct conf {
	const char *who;
	struct conf_statement **items;
	size_t count;
};

/**
 * conf_read - read statements
 * @conf: the configuration, to which the statements are added
 * @file: name of the file, for messages
 * @text: the file's text
 * @len: its length
 *
 * A statement that is there already is not added again.
 *
 * Return: true if all lines are correct. False after a message on standard error about each wrong
 * line
 */
bool conf_read(struct conf *conf, const char *file, const char *text, size_t len);

/** conf_free - free the statements */
void conf_free(struct conf *conf);

/**
 * conf_find - find the statement about the same object
 * @conf: a configuration
 * @s: a statement of another configuration
 *
 * Return: the statement in @conf, or NULL
 */
struct conf_statement *conf_find(const struct conf *conf, const struct conf_statement *s);

/** conf_holds - whether the existing object @now already is what the statement @s wants */
bool conf_holds(const struct conf_statement *s, const struct conf_statement *now);

/** conf_repeats - whether a statement is the same as @other, which is about the same object */
bool conf_repeats(const struct conf_statement *s, const struct conf_statement *other);

/**
 * conf_sets_key - whether the statement sets or removes a key
 *
 * The kernel never shows a key, so nothing can undo the statement.
 */
bool conf_sets_key(const struct conf_statement *s);

/** conf_has_secret - whether the statement sets a key: nothing says whether the kernel has it */
bool conf_has_secret(const struct conf_statement *s);

/** conf_device_is_typed - whether a device can have this name, and a line can have it as a word */
bool conf_device_is_typed(const char *name);

/** conf_put_line - print the words of a statement, and a newline */
void conf_put_line(const struct conf_statement *s, FILE *out);

/**
 * conf_put_options - print the options that differ from their defaults, each after a blank
 * @options: the table
 * @values: the value of each option
 * @out: the output file
 */
void conf_put_options(const struct fl_option *options, const struct fl_value *values, FILE *out);

/** conf_put_option - print a blank and an option with its value */
void conf_put_option(const struct fl_option *opt, const struct fl_value *value, FILE *out);

/** conf_put_rule - print a blank and a rule of lpd */
void conf_put_rule(const struct lpd_rule *rule, FILE *out);

#endif
