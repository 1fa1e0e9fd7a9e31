/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a line of configuration. Blanks and tabs separate words. Quotes, "..." or '...',
 * make any text part of a word and have no escapes. A # at the start of a word begins a comment.
 * A line is never continued on the next line. Words have only printable ASCII and tabs.
 */
#ifndef FRESHLINK_CONF_WORDS_H
#define FRESHLINK_CONF_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CONF_WORDS_MAX	256	/* words of a line */
#define CONF_LINE_MAX	4096	/* bytes of a line */

/**
 * struct conf_error - why a line has no words
 * @at: the wrong text, in the line
 * @len: its length
 * @expected: what was expected instead
 */
struct conf_error {
	const char *at;
	size_t len;
	const char *expected;
};

/**
 * conf_split - split a line into words
 * @line: the line, without a newline. The words stay in this memory
 * @len: its length. The byte after the line must be writable
 * @words: array of CONF_WORDS_MAX words, written
 * @error: written if the line is wrong
 *
 * Return: the number of words, 0 for an empty line or a comment, or -1 for a wrong line
 */
int conf_split(char *line, size_t len, char **words, struct conf_error *error);

/**
 * conf_put_word - print a word so that conf_split() reads it
 * @word: the word
 * @out: the output file
 *
 * Return: true, or false without output if no line can have this word
 */
bool conf_put_word(const char *word, FILE *out);

#endif
