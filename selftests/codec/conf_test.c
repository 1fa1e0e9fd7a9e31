// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of lines of configuration, and the order of statements. Prints TAP. */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/cli/random.h"
#include "../../userspace/conf/plan.h"
#include "../../userspace/conf/words.h"
#include "unit.h"

#define ROUNDS		100000
#define WORD_MAX	24

/* Splits a copy of the line that ends where its memory ends. Joins the words with a | in buf. */
static int split(const char *line, size_t len, char *buf, struct conf_error *error)
{
	char *words[CONF_WORDS_MAX], *copy = malloc(len + 1);
	int count;

	memcpy(copy, line, len);
	copy[len] = 'x';	/* is not part of the line */
	count = conf_split(copy, len, words, error);
	*buf = '\0';
	for (int i = 0; i < count; i++)
		sprintf(buf + strlen(buf), "%s%s", i ? "|" : "", words[i]);
	if (count < 0)		/* the text is in the copy */
		sprintf(buf, "%.*s", (int)error->len, error->at);
	free(copy);
	return count;
}

static bool has_words(const char *line, int count, const char *joined)
{
	struct conf_error error;
	char buf[CONF_LINE_MAX];

	if (split(line, strlen(line), buf, &error) == count && !strcmp(buf, joined))
		return true;
	printf("# %s: %s\n", line, buf);
	return false;
}

static bool is_wrong(const char *line, const char *at, const char *expected)
{
	struct conf_error error;
	char buf[CONF_LINE_MAX];

	if (split(line, strlen(line), buf, &error) == -1 && !strcmp(buf, at) &&
	    strstr(error.expected, expected))
		return true;
	printf("# %s: %s\n", line, buf);
	return false;
}

static bool test_words(void)
{
	MUST(has_words("", 0, "") && has_words(" \t ", 0, "") && has_words("# x", 0, ""));
	MUST(has_words("cap set wwan0", 3, "cap|set|wwan0"));
	MUST(has_words("\tcap  set\twwan0 ", 3, "cap|set|wwan0"));
	MUST(has_words("a # b", 1, "a") && has_words("a#b #", 1, "a#b"));
	MUST(has_words("a # \xc3\xa9", 1, "a"));
	return true;
}

static bool test_quotes(void)
{
	MUST(has_words("\"a b\" c", 2, "a b|c") && has_words("'a \"b' c", 2, "a \"b|c"));
	MUST(has_words("a\"b c\"d'e'", 1, "ab cde") && has_words("\"\"", 1, ""));
	MUST(has_words("'#' '\\' $x `y` *", 5, "#|\\|$x|`y`|*"));
	return true;
}

static bool test_wrong(void)
{
	MUST(is_wrong("cap \"set x", "\"set x", "a closing quote"));
	MUST(is_wrong("cap 'set", "'set", "a closing quote"));
	MUST(is_wrong("cap set \\", "\\", "a whole statement on the line"));
	MUST(is_wrong("cap set x\r", "\r", "no control characters"));
	MUST(is_wrong("cap \xc3\xa9", "\xc3", "ASCII") && is_wrong("'\xff'", "\xff", "ASCII"));
	MUST(is_wrong("# \x1b[31m", "\x1b", "no control characters"));
	return true;
}

static bool test_limits(void)
{
	static char line[CONF_LINE_MAX + 2];
	char buf[2 * CONF_LINE_MAX];
	struct conf_error error;

	memset(line, 'a', sizeof(line));
	MUST(split(line, CONF_LINE_MAX, buf, &error) == 1);
	MUST(split(line, CONF_LINE_MAX + 1, buf, &error) == -1);
	for (int i = 0; i < CONF_WORDS_MAX + 1; i++)
		memcpy(line + 2 * i, "a ", 2);
	MUST(split(line, 2 * CONF_WORDS_MAX, buf, &error) == CONF_WORDS_MAX);
	MUST(split(line, 2 * CONF_WORDS_MAX + 2, buf, &error) == -1);
	MUST(split("a\0b", 3, buf, &error) == -1 && error.len == 1);
	return true;
}

/* Draws a text of the characters that have a meaning, and of others. */
static size_t draw_text(uint64_t *random, char *text, size_t max, const char *from)
{
	size_t len = random_next(random) % (max + 1);

	for (size_t i = 0; i < len; i++)
		text[i] = from[random_next(random) % strlen(from)];
	text[len] = '\0';
	return len;
}

/* What conf_put_word() prints, conf_split() reads, whatever the words are. */
static bool reads_back(uint64_t *random)
{
	char typed[8][WORD_MAX + 1], joined[8 * (WORD_MAX + 1)] = "", line[CONF_LINE_MAX] = "";
	int count = random_next(random) % 8;
	FILE *out = fmemopen(line, sizeof(line), "w");

	for (int i = 0; i < count; i++) {
		draw_text(random, typed[i], WORD_MAX, "ab \"'#\\|$");
		sprintf(joined + strlen(joined), "%s%s", i ? "|" : "", typed[i]);
		fputc(' ', out);
		MUST(conf_put_word(typed[i], out));
	}
	fclose(out);
	return has_words(line, count, joined);
}

static bool test_round_trip(void)
{
	uint64_t random = 1;

	for (int i = 0; i < ROUNDS; i++)
		MUST(reads_back(&random));
	MUST(!conf_put_word("a\nb", stdout) && !conf_put_word("\x7f", stdout) &&
	     !conf_put_word("a\tb", stdout) && !conf_put_word("\xff", stdout));
	return true;
}

/* Any bytes are either words within the line, or an error within the line. The sanitizers see
 * accesses outside.
 */
static bool test_any_bytes(void)
{
	char text[WORD_MAX + 1], buf[2 * WORD_MAX + 2];
	struct conf_error error;
	uint64_t random = 2;

	for (int i = 0; i < ROUNDS; i++) {
		size_t len = draw_text(&random, text, WORD_MAX, "a  \t\"\"''##\\\r\x01\x7f\xff");
		int count = split(text, len, buf, &error);

		MUST(count >= -1 && count <= WORD_MAX);
		MUST(strlen(buf) <= 2 * len);
	}
	return true;
}

/* Whether these items have the steps "item act undo", with an act as a letter. */
static bool has_steps(const struct plan_item *items, size_t count, const char *expected)
{
	static const char acts[] = "PRXO";
	struct plan_step steps[16];
	char text[64] = "";
	size_t used = plan_make(items, count, steps);

	for (size_t i = 0; i < used; i++)
		sprintf(text + strlen(text), "%s%zu%c%c", i ? " " : "", steps[i].item,
			acts[steps[i].act], acts[steps[i].undo]);
	if (!strcmp(text, expected))
		return true;
	printf("# %s, expected %s\n", text, expected);
	return false;
}

#define STEPS(expected, ...)						\
	has_steps((const struct plan_item[]){ __VA_ARGS__ },		\
		  sizeof((const struct plan_item[]){ __VA_ARGS__ }) /	\
		  sizeof(struct plan_item), expected)

static bool test_steps(void)
{
	struct plan_item fresh = { .wanted = true };
	struct plan_item changed = { .wanted = true, .exists = true };
	struct plan_item replaced = { .wanted = true, .exists = true, .replaced = true };
	struct plan_item holds = { .exists = true, .replaced = true };
	struct plan_item secret = { .wanted = true, .exists = true, .last = true };

	MUST(STEPS("", holds));
	MUST(STEPS("0PX 1PR", fresh, changed));
	MUST(STEPS("0OR 2OR 0PX 2PX", replaced, holds, replaced));
	MUST(STEPS("2OR 1PX 2PX 0PR", secret, fresh, replaced));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "words", test_words },
		{ "quotes", test_quotes },
		{ "wrong lines", test_wrong },
		{ "limits", test_limits },
		{ "printed words are read", test_round_trip },
		{ "any bytes", test_any_bytes },
		{ "steps and how to undo them", test_steps },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
