// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of the words of a subcommand: see parse.h. */
#include <string.h>

#include "parse.h"

int cli_match(const char *name, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		size_t len = strcspn(name, " ");

		if (strlen(argv[i]) != len || strncmp(argv[i], name, len))
			return 0;
		if (!name[len])
			return i + 1;
		name += len + 1;
	}
	return 0;
}

const char *cli_verb_words(const struct fl_option *verb, char *buf, size_t len)
{
	return fl_synopsis(verb, buf, len) + strlen(verb->word) + 1;
}

/* Parses "--word VALUE", "--word=VALUE" or "-j" at argv[0]. Returns the number of parsed words,
 * or 0 after an error.
 */
static int parse_option(const struct command *cmd, int argc, char **argv,
			struct cli_args *args)
{
	size_t len = strcspn(argv[0], "=");
	int index = fl_find(cmd->options, argv[0], len);
	const struct fl_option *opt = NULL;
	bool joined = argv[0][len] == '=';
	const char *text = joined ? argv[0] + len + 1 :
			   argc > 1 ? argv[1] : NULL;

	if (index >= 0)
		opt = &cmd->options[index];
	if (!opt || (joined && opt->type == FL_FLAG)) {
		fl_unknown(args->who, cmd->options, argv[0]);
		return 0;
	}
	if (!fl_set(args->who, opt, text, &args->values[index]))
		return 0;
	if (cmd->rest && !strcmp(cmd->rest, opt->word)) {
		argv[joined ? 0 : 1] = (char *)text;
		args->rest = argv + !joined;
		args->rest_count = argc - !joined;
		return argc;
	}
	return opt->type == FL_FLAG || joined ? 1 : 2;
}

static bool check_operands(const struct command *cmd,
			   const struct cli_args *args)
{
	char buf[192];

	if (cmd->operand && *cmd->operand != '[' && !args->operand) {
		cli_error(args->who, "%s is missing: expected it before the options",
			  cmd->operand);
		return false;
	}
	if (cmd->verb && !args->verb.set) {
		cli_error(args->who, "%s is missing: expected %s after %s",
			  cmd->verb->word,
			  cli_verb_words(cmd->verb, buf, sizeof(buf)),
			  cmd->operand);
		return false;
	}
	return true;
}

static bool check_args(const struct command *cmd, const struct cli_args *args)
{
	char buf[192];

	if (!check_operands(cmd, args))
		return false;
	for (int i = 0; cmd->options[i].word; i++) {
		if (!cmd->options[i].required || args->values[i].set)
			continue;
		cli_error(args->who, "%s is missing: expected %s",
			  cmd->options[i].word,
			  fl_synopsis(&cmd->options[i], buf, sizeof(buf)));
		return false;
	}
	return true;
}

bool cli_parse(const struct command *cmd, int argc, char **argv, struct cli_args *args)
{
	int used;

	fl_set_defaults(cmd->options, args->values);
	/* the words move to the front of the array, over words that are already parsed */
	args->words = argv;
	for (; argc; argc -= used, argv += used) {
		used = 1;
		if (argv[0][0] == '-') {
			used = parse_option(cmd, argc, argv, args);
			if (!used)
				return false;
		} else if (cmd->operand && !args->operand) {
			args->operand = argv[0];
		} else if (cmd->verb && !args->verb.set) {
			if (!fl_set(args->who, cmd->verb, argv[0], &args->verb))
				return false;
		} else if (cmd->words) {
			args->words[args->word_count++] = argv[0];
		} else {
			fl_unknown(args->who, cmd->options, argv[0]);
			return false;
		}
	}
	return check_args(cmd, args) && (!cmd->check || cmd->check(args));
}
