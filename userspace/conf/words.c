// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of a line of configuration: see words.h. */
#include <string.h>

#include "words.h"

#define BLANKS	" \t"

/* Characters that a word cannot have outside of quotes. A backslash would promise an escape or a
 * continuation. A # is only special at the start of a word.
 */
#define SPECIAL	BLANKS "\"'\\"

static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

static int fail(struct conf_error *error, const char *at, size_t len, const char *expected)
{
	*error = (struct conf_error){ .at = at, .len = len, .expected = expected };
	return -1;
}

/* A line with a control character is not what a terminal shows. */
static bool check_bytes(const char *line, size_t len, struct conf_error *error)
{
	if (len > CONF_LINE_MAX) {
		fail(error, line, 20, "expected at most 4096 bytes in a line");
		return false;
	}
	for (size_t i = 0; i < len; i++) {
		if (!is_control(line[i]))
			continue;
		fail(error, line + i, 1, "expected no control characters");
		return false;
	}
	return true;
}

/* Checks the word at from, which ends before end. Only a comment may have other characters than
 * ASCII.
 */
static bool check_word(const char *from, const char *end, struct conf_error *error)
{
	for (; from < end; from++) {
		if (!((unsigned char)*from & 0x80))
			continue;
		fail(error, from, 1, "expected ASCII characters");
		return false;
	}
	return true;
}

/* Moves a word's text to *to, without its quotes. Returns the first character after the word, or
 * NULL after an error.
 */
static char *take_word(char *from, char **to, struct conf_error *error)
{
	while (*from && !strchr(BLANKS, *from)) {
		bool quoted = *from == '"' || *from == '\'';
		char *end = from + 1;

		if (*from == '\\') {
			fail(error, from, 1, "expected quotes around a backslash, and a whole statement on the line");
			return NULL;
		}
		if (quoted) {
			end = strchr(from + 1, *from);
			if (!end) {
				fail(error, from, strlen(from), "expected a closing quote");
				return NULL;
			}
			from++;
		}
		if (!check_word(from, end, error))
			return NULL;
		memmove(*to, from, end - from);
		*to += end - from;
		from = end + quoted;
	}
	return from;
}

int conf_split(char *line, size_t len, char **words, struct conf_error *error)
{
	char *from = line, *to = line;
	int count = 0;

	if (!check_bytes(line, len, error))
		return -1;
	for (line[len] = '\0';; from++) {
		from += strspn(from, BLANKS);
		if (!*from || *from == '#')
			return count;
		if (count == CONF_WORDS_MAX)
			return fail(error, from, strlen(from), "expected at most 256 words in a line");
		words[count++] = to;
		from = take_word(from, &to, error);
		if (!from)
			return -1;
		/* from is at least as far as to, so the 0 may only replace the blank at from */
		if (!*from) {
			*to = '\0';
			return count;
		}
		*to++ = '\0';
	}
}

/* Prints as much of the text as one pair of quotes can hold. */
static const char *put_quoted(const char *text, FILE *out)
{
	char quote = *text == '"' ? '\'' : '"';
	size_t len = strchrnul(text, quote) - text;

	fprintf(out, "%c%.*s%c", quote, (int)len, text, quote);
	return text + len;
}

bool conf_put_word(const char *word, FILE *out)
{
	for (const char *c = word; *c; c++)
		if (is_control(*c) || *c == '\t' || (unsigned char)*c & 0x80)
			return false;
	if (*word && *word != '#' && !word[strcspn(word, SPECIAL)]) {
		fputs(word, out);
		return true;
	}
	do {
		word = put_quoted(word, out);
	} while (*word);
	return true;
}
