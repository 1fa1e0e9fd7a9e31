/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the subcommands of freshlink share. */
#ifndef FRESHLINK_CLI_H
#define FRESHLINK_CLI_H

#include <stdbool.h>

#include "../lib/options.h"

/* Exit statuses, documented in freshlink(8). */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* the work failed */
	EXIT_USAGE = 2,		/* the command line is wrong */
};

#define CLI_MAX_OPTIONS	48

/* Checks that struct cli_args has space for the values of a table of options. */
#define CLI_FITS(table)							\
	_Static_assert(sizeof(table) / sizeof(table[0]) <=		\
		       CLI_MAX_OPTIONS, "CLI_MAX_OPTIONS")

/* Rows for options that several commands have. */
#define CLI_ROW_DURATION						\
	{ .word = "--duration", .type = FL_TIME, .min = 1,		\
	  .max = 31536000 * FL_SEC, .def = FL_NO_DEFAULT,		\
	  .help = "end after this time" }
#define CLI_ROW_SEED							\
	{ .word = "--seed", .type = FL_COUNT, .min = 0,			\
	  .max = INT64_MAX, .def = 1, .help = "seed of all random numbers" }

struct command;

/**
 * struct cli_args - a parsed command line
 * @who: "freshlink" and the name of the subcommand, for messages
 * @command: the subcommand
 * @operand: the word before the options, NULL if the subcommand has no operand
 * @verb: the word after the operand, if the subcommand has a verb
 * @words: the other words that are not options, if the subcommand has such words
 * @word_count: number of @words
 * @values: the value of each option in the subcommand's table
 * @rest: the value of the option that struct command names in @rest: all following words
 * @rest_count: number of words in @rest
 */
struct cli_args {
	const char *who;
	const struct command *command;
	const char *operand;
	struct fl_value verb;
	char **words;
	int word_count;
	struct fl_value values[CLI_MAX_OPTIONS];
	char **rest;
	int rest_count;
};

/**
 * struct command - a subcommand
 * @name: one or two words
 * @operand: placeholder of the operand in help, in brackets if the operand may be left out; NULL if
 *	the subcommand has no operand
 * @verb: option of type FL_WORD whose value follows the operand, or NULL
 * @words: option of type FL_WORD with the placeholder of further words in help, and with words for
 *	completion; NULL if the subcommand has no further words
 * @summary: one line
 * @options: its options
 * @rest: name of the option whose value is all following words, or NULL
 * @check: function that checks what the table of options cannot express. It prints a message and
 *	returns false if the words are wrong. NULL if there is nothing else to check
 * @run: function that does the work and returns the exit status
 */
struct command {
	const char *name;
	const char *operand;
	const struct fl_option *verb;
	const struct fl_option *words;
	const char *summary;
	const struct fl_option *options;
	const char *rest;
	bool (*check)(const struct cli_args *args);
	int (*run)(const struct cli_args *args);
};

extern const struct command traffic_source_command;
extern const struct command traffic_sink_command;
extern const struct command traffic_nrt_command;
extern const struct command traffic_tcp_sink_command;
extern const struct command traffic_web_command;
extern const struct command traffic_web_server_command;
extern const struct command traffic_dccp_source_command;
extern const struct command traffic_dccp_sink_command;
extern const struct command send_command;
extern const struct command recv_command;
extern const struct command emulate_command;
extern const struct command trace_show_command;
extern const struct command trace_cut_command;
extern const struct command trace_make_command;
extern const struct command trace_load_command;
extern const struct command trace_unload_command;
extern const struct command trace_log_command;
extern const struct command profile_add_command;
extern const struct command profile_del_command;
extern const struct command profile_show_command;
extern const struct command cap_set_command;
extern const struct command cap_del_command;
extern const struct command set_command;
extern const struct command rto_set_command;
extern const struct command rto_show_command;
extern const struct command notify_command;
extern const struct command apply_command;
extern const struct command save_command;
extern const struct command pace_command;
extern const struct command doctor_command;
extern const struct command reflect_command;
extern const struct command probe_command;
extern const struct command status_command;
extern const struct command monitor_command;
extern const struct command top_command;
extern const struct command export_command;

/**
 * cli_error - print "WHO: MESSAGE" on standard error
 * @who: as in struct cli_args
 * @fmt: as for printf, without a newline
 */
void cli_error(const char *who, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
