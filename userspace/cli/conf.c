// SPDX-License-Identifier: GPL-2.0-or-later
/* Statements of configuration: see conf.h. */
#include <ctype.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "../conf/words.h"
#include "../lib/text.h"
#include "conf.h"
#include "parse.h"

/* Nothing has been changed yet, so the program may end. */
static void *need(void *memory)
{
	if (memory)
		return memory;
	cli_error("freshlink", "out of memory");
	exit(EXIT_FAILED);
}

static void free_statement(struct conf_statement *s)
{
	free(s->place);
	free(s->who);
	free(s->text);
	free(s->words);
	free(s);
}

static const struct conf_kind *find_kind(int count, char **words, int *used)
{
	for (const struct conf_kind *kind = conf_kinds; kind->words; kind++) {
		*used = cli_match(kind->words, count, words);
		if (*used)
			return kind;
	}
	return NULL;
}

static void complain_kind(const struct conf_statement *s)
{
	fprintf(stderr, "%s: unknown words \"", s->who);
	fl_put_text(s->words[0], stderr);
	fputs(s->count > 1 ? " " : "", stderr);
	fl_put_text(s->count > 1 ? s->words[1] : "", stderr);
	fputs("\": expected one of", stderr);
	for (const struct conf_kind *kind = conf_kinds; kind->words; kind++)
		fprintf(stderr, "%s %s", kind == conf_kinds ? "" : ",", kind->words);
	fputc('\n', stderr);
}

static void set_who(struct conf_statement *s, const char *who, const char *words)
{
	free(s->who);
	need(asprintf(&s->who, "%s: %s%s%s", who, s->place, *words ? ": " : "", words) < 0 ?
	     NULL : s->who);
}

/* The kernel's rule for names, dev_valid_name(), and the rule for words. */
bool conf_device_is_typed(const char *name)
{
	size_t len = strlen(name);

	for (const char *c = name; *c; c++)
		if (!isascii(*c) || !isgraph(*c) || *c == '/' || *c == ':')
			return false;
	return len && len < IF_NAMESIZE && strcmp(name, ".") && strcmp(name, "..");
}

static bool check_device(const struct conf_statement *s, const char *name)
{
	if (conf_device_is_typed(name))
		return true;
	cli_error(s->who, "DEV %s: expected the name of a network device, 1 to %d characters without / and :",
		  name, IF_NAMESIZE - 1);
	return false;
}

static bool parse_statement(struct conf_statement *s, const char *who)
{
	char *left[CONF_WORDS_MAX];
	int used;

	s->kind = find_kind(s->count, s->words, &used);
	if (!s->kind) {
		complain_kind(s);
		return false;
	}
	set_who(s, who, s->kind->words);
	s->args = (struct cli_args){ .who = s->who, .command = s->kind->command };
	/* a parser may reorder its words */
	memcpy(left, s->words + used, (s->count - used) * sizeof(left[0]));
	if (!s->kind->parse(s, s->count - used, left))
		return false;
	/* these words are on the stack */
	s->args.words = NULL;
	s->name = s->args.operand ? s->args.operand : "";
	if (s->kind->needs_device && !s->device)
		s->device = s->name;
	return !s->device || (check_device(s, s->name) && check_device(s, s->device));
}

/* freshlink save may have written several files. */
static bool is_repetition(const struct conf_statement *s, const struct conf_statement *other)
{
	if (conf_repeats(s, other))
		return true;
	cli_error(s->who, "%s%sis also set at %s: expected once", s->name, *s->name ? " " : "",
		  other->place);
	return false;
}

static void add(struct conf *conf, struct conf_statement *s)
{
	conf->items = need(reallocarray(conf->items, conf->count + 1, sizeof(*conf->items)));
	conf->items[conf->count++] = s;
}

static bool split_line(struct conf_statement *s, size_t len)
{
	char *words[CONF_WORDS_MAX];
	struct conf_error error;

	s->count = conf_split(s->text, len, words, &error);
	if (s->count < 0) {
		char *at = need(malloc(FL_ESCAPED(error.len)));

		/* also a 0, which would end a text */
		cli_error(s->who, "%s: %s", fl_escape(error.at, error.len, at), error.expected);
		free(at);
		return false;
	}
	s->words = need(calloc(s->count + 1, sizeof(*s->words)));
	memcpy(s->words, words, s->count * sizeof(*words));
	return true;
}

static bool read_line(struct conf *conf, const char *place, const char *line, size_t len)
{
	struct conf_statement *s = need(calloc(1, sizeof(*s)));
	bool good;

	s->place = need(strdup(place));
	s->text = need(calloc(1, len + 1));
	memcpy(s->text, line, len);
	set_who(s, conf->who, "");
	good = split_line(s, len) && (!s->count || parse_statement(s, conf->who));
	if (good && s->count) {
		const struct conf_statement *other = conf_find(conf, s);

		if (!other) {
			add(conf, s);
			return true;
		}
		good = is_repetition(s, other);
	}
	free_statement(s);
	return good;
}

bool conf_read(struct conf *conf, const char *file, const char *text, size_t len)
{
	char *shown = need(malloc(FL_ESCAPED(strlen(file)))), *place;
	const char *end = text + len;
	bool good = true;

	fl_escape(file, strlen(file), shown);
	for (int n = 1; text < end; n++) {
		const char *newline = memchr(text, '\n', end - text);
		size_t length = (newline ? newline : end) - text;

		need(asprintf(&place, "%s:%d", shown, n) < 0 ? NULL : place);
		good &= read_line(conf, place, text, length);
		free(place);
		text += length + 1;
	}
	free(shown);
	return good;
}

void conf_free(struct conf *conf)
{
	for (size_t i = 0; i < conf->count; i++)
		free_statement(conf->items[i]);
	free(conf->items);
	conf->items = NULL;
	conf->count = 0;
}

struct conf_statement *conf_find(const struct conf *conf, const struct conf_statement *s)
{
	for (size_t i = 0; i < conf->count; i++)
		if (conf->items[i]->kind == s->kind && !strcmp(conf->items[i]->name, s->name))
			return conf->items[i];
	return NULL;
}

const struct fl_option *conf_options(const struct conf_kind *kind)
{
	return kind->command ? kind->command->options : kind->options;
}

static bool same_text(const struct fl_value *a, const struct fl_value *b)
{
	return a->set == b->set && (!a->set || !strcmp(a->text, b->text));
}

static bool same_value(const struct fl_option *opt, const struct fl_value *a,
		       const struct fl_value *b)
{
	if (opt->type == FL_TEXT)
		return same_text(a, b);
	if (opt->type == FL_FLAG)
		return a->set == b->set;
	return a->number == b->number && a->second == b->second;
}

static bool same_rules(const struct lpd_rules *a, const struct lpd_rules *b)
{
	char one[LPD_RULES_LEN], other[LPD_RULES_LEN];
	size_t len = lpd_rules_encode(a, one);

	return lpd_rules_encode(b, other) == len && !memcmp(one, other, len);
}

/* Whether two statements have the same rules and device, and all their options agree. */
static bool agree(const struct conf_statement *s, const struct conf_statement *other,
		  bool (*option)(const struct conf_statement *s,
				 const struct conf_statement *other, int i))
{
	for (int i = 0; conf_options(s->kind)[i].word; i++)
		if (!option(s, other, i))
			return false;
	return same_rules(&s->rules, &other->rules) &&
	       (!s->device || !strcmp(s->device, other->device));
}

/* Whether an option of the existing object already is what the statement wants. */
static bool holds_option(const struct conf_statement *s, const struct conf_statement *now, int i)
{
	const struct fl_option *opt = &conf_options(s->kind)[i];
	const struct fl_value *value = &s->args.values[i], *old = &now->args.values[i];

	if (s->kind->merges && !value->set)
		return true;
	/* a key that exists is not shown, and may be the same */
	if (s->kind->merges && opt->type == FL_TEXT && !old->set && strcmp(value->text, "none"))
		return true;
	return same_value(opt, value, old);
}

bool conf_holds(const struct conf_statement *s, const struct conf_statement *now)
{
	return agree(s, now, holds_option);
}

/* A setting has no default value, so a line without it differs from a line with it. */
static bool same_option(const struct conf_statement *s, const struct conf_statement *other, int i)
{
	return same_value(&conf_options(s->kind)[i], &s->args.values[i], &other->args.values[i]);
}

bool conf_repeats(const struct conf_statement *s, const struct conf_statement *other)
{
	return agree(s, other, same_option);
}

/* Returns the file of the key that the statement sets, "none", or NULL. */
static const char *key_of(const struct conf_statement *s)
{
	const struct fl_option *options = conf_options(s->kind);

	for (int i = 0; s->kind->merges && options[i].word; i++)
		if (options[i].type == FL_TEXT && s->args.values[i].set)
			return s->args.values[i].text;
	return NULL;
}

bool conf_sets_key(const struct conf_statement *s)
{
	return key_of(s);
}

bool conf_has_secret(const struct conf_statement *s)
{
	const char *key = key_of(s);

	return key && strcmp(key, "none");
}
