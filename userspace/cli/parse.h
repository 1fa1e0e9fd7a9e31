/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the words of a subcommand, on the command line or in a file. */
#ifndef FRESHLINK_PARSE_H
#define FRESHLINK_PARSE_H

#include "cli.h"

/**
 * cli_match - check whether words begin with the name of a subcommand
 * @name: one or two words, separated by a blank
 * @argc: number of words
 * @argv: the words
 *
 * Return: the number of words of the name, or 0 for another name
 */
int cli_match(const char *name, int argc, char **argv);

/**
 * cli_verb_words - return the choices of a verb
 * @verb: the verb or the further words of a subcommand
 * @buf: written
 * @len: size of @buf
 *
 * Return: the choices, for example "drop|defer"
 */
const char *cli_verb_words(const struct fl_option *verb, char *buf, size_t len);

/**
 * cli_parse - parse the words after the name of a subcommand
 * @cmd: the subcommand
 * @argc: number of words
 * @argv: the words. Words that are not options move to the front of the array
 * @args: written. The caller sets @who and @command
 *
 * Return: true if the words are correct, or false after a message on standard error
 */
bool cli_parse(const struct command *cmd, int argc, char **argv, struct cli_args *args);

#endif
