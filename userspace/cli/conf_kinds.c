// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of statements of configuration: see conf.h. */
#include <stdlib.h>
#include <string.h>

#include "../conf/words.h"
#include "../lib/arqlink.h"
#include "../lib/lpd.h"
#include "conf.h"
#include "conf_pace.h"
#include "conf_state.h"
#include "parse.h"
#include "tool.h"

_Static_assert(LPD_OPTIONS <= CLI_MAX_OPTIONS && ARQL_OPTIONS <= CLI_MAX_OPTIONS,
	       "CLI_MAX_OPTIONS");

static bool parse_command(struct conf_statement *s, int argc, char **argv)
{
	return cli_parse(s->kind->command, argc, argv, &s->args);
}

static bool parse_pace(struct conf_statement *s, int argc, char **argv)
{
	return parse_command(s, argc, argv) && conf_pace_check(s);
}

static bool expect(const struct conf_statement *s, int argc, char **argv, int index,
		   const char *word)
{
	if (argc > index && (!word || !strcmp(argv[index], word)))
		return true;
	if (argc > index)
		cli_error(s->who, "%s: expected %s, as in \"%s\"", argv[index], word,
			  s->kind->usage);
	else
		cli_error(s->who, "the line ends too early: expected \"%s\"", s->kind->usage);
	return false;
}

/* Parses "DEV root lpd OPTION...". */
static bool parse_qdisc(struct conf_statement *s, int argc, char **argv)
{
	if (!expect(s, argc, argv, 0, NULL) || !expect(s, argc, argv, 1, "root") ||
	    !expect(s, argc, argv, 2, "lpd"))
		return false;
	s->args.operand = argv[0];
	argc -= 3;
	return lpd_rules_take(s->who, lpd_options, &argc, argv + 3, &s->rules) &&
	       fl_set_words(s->who, lpd_options, argc, argv + 3, s->args.values);
}

/* Parses "NAME link DEV type arqlink OPTION...". */
static bool parse_link(struct conf_statement *s, int argc, char **argv)
{
	if (!expect(s, argc, argv, 0, NULL) || !expect(s, argc, argv, 1, "link") ||
	    !expect(s, argc, argv, 2, NULL) || !expect(s, argc, argv, 3, "type") ||
	    !expect(s, argc, argv, 4, "arqlink"))
		return false;
	s->args.operand = argv[0];
	s->device = argv[2];
	return fl_set_words(s->who, arql_options, argc - 5, argv + 5, s->args.values);
}

static int put_command(struct conf_statement *s, const struct conf_statement *before)
{
	(void)before;
	return s->kind->command->run(&s->args);
}

/* Runs the command that takes only the name. */
static int remove_by(const struct command *command, const struct conf_statement *s)
{
	struct cli_args args = { .who = s->who, .command = command, .operand = s->name };

	return command->run(&args);
}

static int remove_profile(const struct conf_statement *s)
{
	return remove_by(&profile_del_command, s);
}

static int remove_cap(const struct conf_statement *s)
{
	return remove_by(&cap_del_command, s);
}

/* The words of a program, with space for defaults. */
struct words {
	const char *word[2 * CONF_WORDS_MAX];
	int count;
	char *defaults;
};

static void append(struct words *w, int count, char *const *words)
{
	memcpy(w->word + w->count, words, count * sizeof(*words));
	w->count += count;
}

/* Appends the default of each option that the statement does not have and the existing object has
 * with another value, because a change leaves such options as they are.
 */
static void append_defaults(struct words *w, const struct conf_statement *s,
			    const struct conf_statement *before)
{
	const struct fl_option *options = conf_options(s->kind);
	char *found[CONF_WORDS_MAX];
	struct conf_error error;
	size_t len;
	FILE *out = open_memstream(&w->defaults, &len);

	for (int i = 0; options[i].word; i++)
		if (!s->args.values[i].set && before->args.values[i].set)
			conf_put_option(&options[i], &s->args.values[i], out);
	if (!s->rules.set && before->rules.set)
		fputs(" match none", out);
	fputc(' ', out);
	fclose(out);
	append(w, conf_split(w->defaults, len - 1, found, &error), found);
}

/* Runs a program with its own words, and then the statement's words from number @from on. The kernel
 * loads the module.
 */
static int run_tool(const struct conf_statement *s, const struct conf_statement *before,
		    const char *module, const char *const *own, int from)
{
	struct words w = { 0 };
	bool done;

	while (own[w.count]) {
		w.word[w.count] = own[w.count];
		w.count++;
	}
	append(&w, s->count - from, s->words + from);
	if (before)
		append_defaults(&w, s, before);
	done = tool_run_for(s->who, module, w.word);
	free(w.defaults);
	return done ? EXIT_OK : EXIT_FAILED;
}

/* Another root qdisc could not be restored exactly, so it stays. */
static int put_qdisc(struct conf_statement *s, const struct conf_statement *before)
{
	if (!before && conf_route_has_root(s->who, s->name))
		return EXIT_FAILED;
	return run_tool(s, before, "sch_lpd", (const char *const[]){ "tc", "qdisc",
			before ? "change" : "add", "dev", s->name, NULL }, 2);
}

static int remove_qdisc(const struct conf_statement *s)
{
	const char *const words[] = { "tc", "qdisc", "del", "dev", s->name, "root", NULL };

	return tool_run(s->who, words) ? EXIT_OK : EXIT_FAILED;
}

static int put_link(struct conf_statement *s, const struct conf_statement *before)
{
	const char *const add[] = { "ip", "link", "add", "name", s->name, NULL };
	const char *const set[] = { "ip", "link", "set", "dev", s->name, NULL };

	if (!before)
		return run_tool(s, NULL, "arqlink", add, 2);
	if (!strcmp(s->device, before->device))
		return run_tool(s, before, "arqlink", set, 4);
	cli_error(s->who, "%s exists above %s, expected above %s: remove it: ip link del %s",
		  s->name, before->device, s->device, s->name);
	return EXIT_FAILED;
}

static int remove_link(const struct conf_statement *s)
{
	const char *const words[] = { "ip", "link", "del", "dev", s->name, NULL };

	return tool_run(s->who, words) ? EXIT_OK : EXIT_FAILED;
}

const struct conf_kind conf_kinds[] = {
	{ .words = "set", .usage = "set OPTION...", .command = &set_command,
	  .module = "xlo", .merges = true, .parse = parse_command, .put = put_command },
	{ .words = "profile add", .usage = "profile add NAME OPTION...",
	  .command = &profile_add_command, .module = "xlo", .replaced = true,
	  .parse = parse_command, .put = put_command, .remove = remove_profile },
	{ .words = "cap set", .usage = "cap set DEV --lifetime TIME",
	  .command = &cap_set_command, .module = "xlo", .needs_device = true,
	  .parse = parse_command, .put = put_command, .remove = remove_cap },
	{ .words = "rto set", .usage = "rto set OPTION...", .command = &rto_set_command,
	  .module = "xlo_rto", .merges = true, .parse = parse_command,
	  .put = put_command },
	{ .words = "link", .usage = "link NAME link DEV type arqlink [OPTION]...",
	  .options = arql_options, .needs_device = true, .parse = parse_link,
	  .put = put_link, .remove = remove_link },
	{ .words = "qdisc", .usage = "qdisc DEV root lpd [OPTION]...",
	  .options = lpd_options, .needs_device = true, .parse = parse_qdisc,
	  .put = put_qdisc, .remove = remove_qdisc },
	{ .words = "pace", .usage = "pace DEV --reflector HOST[,HOST] [OPTION]...",
	  .command = &pace_command, .needs_device = true, .parse = parse_pace,
	  .put = conf_pace_put, .remove = conf_pace_remove },
	{ .words = NULL },
};
