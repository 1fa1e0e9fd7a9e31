// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command freshlink. A table has the groups of subcommands, and each subcommand has a table
 * of options. Parsing, help and completion all read these tables.
 */
#include <string.h>

#include "../lib/arqlink.h"
#include "../lib/cellink.h"
#include "../lib/lpd.h"
#include "../lib/text.h"
#include "cli.h"
#include "parse.h"
#include "version.h"

/* A group of commands that have the same manual page. Help lists the commands of a group
 * together.
 */
struct group {
	const char *title;
	const char *page;
	const struct command *const *commands;
};

#define COMMANDS(...)	((const struct command *const[]){ __VA_ARGS__, NULL })

static const struct group groups[] = {
	{ "Give packets a lifetime (module xlo)", "freshlink-profile",
	  COMMANDS(&profile_add_command, &profile_del_command,
		   &profile_show_command, &cap_set_command, &cap_del_command,
		   &set_command) },
	{ "Show what the modules do", "freshlink-status",
	  COMMANDS(&status_command, &monitor_command) },
	{ "Watch devices and flows", "freshlink-top",
	  COMMANDS(&top_command) },
	{ "Give counters to a monitoring system", "freshlink-export",
	  COMMANDS(&export_command) },
	{ "Let links adjust TCP's timeouts (module xlo_rto)", "freshlink-rto",
	  COMMANDS(&rto_set_command, &rto_show_command, &notify_command) },
	{ "Keep configuration in files", "freshlink-apply",
	  COMMANDS(&apply_command, &save_command) },
	{ "Send and receive messages with deadlines", "freshlink-send",
	  COMMANDS(&send_command, &recv_command) },
	{ "Send and receive test traffic", "freshlink-traffic",
	  COMMANDS(&traffic_source_command, &traffic_sink_command,
		   &traffic_nrt_command, &traffic_tcp_sink_command,
		   &traffic_web_command, &traffic_web_server_command,
		   &traffic_dccp_source_command, &traffic_dccp_sink_command) },
	{ "Make a device a slow link", "freshlink-emulate",
	  COMMANDS(&emulate_command) },
	{ "Work with traces of links", "freshlink-trace",
	  COMMANDS(&trace_show_command, &trace_cut_command,
		   &trace_make_command, &trace_load_command,
		   &trace_unload_command, &trace_log_command) },
	{ "Keep packets in lpd in front of a modem", "freshlink-pace",
	  COMMANDS(&pace_command) },
	{ "Find out where packets wait", "freshlink-doctor",
	  COMMANDS(&doctor_command) },
	{ "Measure a path", "freshlink-reflect",
	  COMMANDS(&reflect_command) },
	{ "Find out what a path does with lifetimes", "freshlink-probe",
	  COMMANDS(&probe_command) },
	{ NULL, NULL, NULL },
};

#define for_each_group(group)						\
	for (const struct group *group = groups; group->title; group++)

#define for_each_command(cmd, group)					\
	for (const struct command *const *cmd = (group)->commands; *cmd; cmd++)

static void print_commands(FILE *out)
{
	fputs("Usage: freshlink COMMAND [OPTION]...\n", out);
	for_each_group(group) {
		fprintf(out, "\n%s, see %s(8):\n", group->title, group->page);
		for_each_command(cmd, group)
			fprintf(out, "  %-20s %s\n", (*cmd)->name,
				(*cmd)->summary);
	}
	fputs("\n\"freshlink COMMAND help\" lists the options of a command.\n"
	      "\"freshlink --version\" prints the version. See freshlink(8).\n"
	      "Exit status: 0 done, 1 failed, 2 wrong command line.\n", out);
}

/* Prints the operand, the required options, and a placeholder for all other options. */
static void print_usage(const struct command *cmd, FILE *out)
{
	bool more = false;
	char buf[192];

	fprintf(out, "Usage: freshlink %s%s%s", cmd->name,
		cmd->operand ? " " : "", cmd->operand ? cmd->operand : "");
	if (cmd->verb)
		fprintf(out, " %s", cli_verb_words(cmd->verb, buf, sizeof(buf)));
	for (const struct fl_option *opt = cmd->options; opt->word; opt++) {
		if (opt->required)
			fprintf(out, " %s",
				fl_synopsis(opt, buf, sizeof(buf)));
		else
			more = true;
	}
	fputs(more ? " [OPTION]..." : "", out);
	if (cmd->words)
		fprintf(out, " [%s]...", cmd->words->word);
	fputc('\n', out);
}

static const char *page_of(const struct command *wanted)
{
	for_each_group(group)
		for_each_command(cmd, group)
			if (*cmd == wanted)
				return group->page;
	return "freshlink";
}

static void print_command(const struct command *cmd, FILE *out)
{
	print_usage(cmd, out);
	fprintf(out, "\n%s\n", cmd->summary);
	if (cmd->options->word)
		fputc('\n', out);
	fl_help(cmd->options, out);
	fprintf(out, "\nSee %s(8).\n", page_of(cmd));
}

static const struct command *find_command(int argc, char **argv, int *words)
{
	for_each_group(group) {
		for_each_command(cmd, group) {
			*words = cli_match((*cmd)->name, argc, argv);
			if (*words)
				return *cmd;
		}
	}
	return NULL;
}

/* Returns whether this word is the first of the two words of a command. */
static bool begins_command(const char *word)
{
	size_t len = strlen(word);

	for_each_group(group)
		for_each_command(cmd, group)
			if (!strncmp((*cmd)->name, word, len) &&
			    (*cmd)->name[len] == ' ')
				return true;
	return false;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") ||
	       !strcmp(word, "-h");
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct cli_args args = { .command = cmd };
	char who[64];

	for (int i = 0; i < argc; i++) {
		if (is_help(argv[i])) {
			print_command(cmd, stdout);
			return EXIT_OK;
		}
	}
	snprintf(who, sizeof(who), "freshlink %s", cmd->name);
	args.who = who;
	if (!cli_parse(cmd, argc, argv, &args))
		return EXIT_USAGE;
	return cmd->run(&args);
}

/* Prints a line for each option: command, option and value, separated by tabs. A switch has two
 * lines. A command without options has a line with only the command. A verb has a line with
 * its choices as the value, and without an option, and so have further words. The completion
 * script and the tests read these lines.
 */
static void print_table(const char *name, const struct fl_option *table)
{
	char buf[192];

	if (!table->word)
		printf("%s\t\t\n", name);
	for (; table->word; table++) {
		fl_synopsis(table, buf, sizeof(buf));
		if (table->type == FL_SWITCH)
			printf("%s\t%s\t\n%s\tno%s\t\n", name, table->word,
			       name, table->word);
		else
			printf("%s\t%s\t%s\n", name, table->word,
			       table->type == FL_FLAG ? "" :
			       buf + strlen(table->word) + 1);
	}
}

static void print_command_table(const struct command *cmd)
{
	char buf[192];

	print_table(cmd->name, cmd->options);
	if (cmd->verb)
		printf("%s\t\t%s\n", cmd->name,
		       cli_verb_words(cmd->verb, buf, sizeof(buf)));
	if (cmd->words)
		printf("%s\t\t%s\n", cmd->name,
		       cli_verb_words(cmd->words, buf, sizeof(buf)));
}

static int print_tables(void)
{
	for_each_group(group)
		for_each_command(cmd, group)
			print_command_table(*cmd);
	print_table("tc lpd", lpd_options);
	print_table("ip cellink", cell_options);
	print_table("ip arqlink", arql_options);
	return EXIT_OK;
}

static int unknown_command(int argc, char **argv)
{
	fputs("freshlink: unknown command \"", stderr);
	fl_put_text(argv[0], stderr);
	fputs(argc > 1 ? " " : "", stderr);
	fl_put_text(argc > 1 ? argv[1] : "", stderr);
	fputs("\": expected one of ", stderr);
	for_each_group(group)
		for_each_command(cmd, group)
			fprintf(stderr, "%s, ", (*cmd)->name);
	fputs("help\n", stderr);
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	const struct command *cmd;
	int words;

	if (!argc) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (is_help(argv[0])) {
		print_commands(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[0], "--complete"))
		return print_tables();
	if (!strcmp(argv[0], "--version")) {
		print_versions("/sys/module");
		return EXIT_OK;
	}
	cmd = find_command(argc, argv, &words);
	if (!cmd && argc > 1 && is_help(argv[1]) && begins_command(argv[0])) {
		print_commands(stdout);
		return EXIT_OK;
	}
	if (!cmd)
		return unknown_command(argc, argv);
	return run_command(cmd, argc - words, argv + words);
}

int main(int argc, char **argv)
{
	int status = run(argc - 1, argv + 1);

	if (!fflush(stdout) && !ferror(stdout))
		return status;
	cli_error("freshlink", "standard output could not be written whole");
	return status ? status : EXIT_FAILED;
}
