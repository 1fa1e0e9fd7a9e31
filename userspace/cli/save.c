// SPDX-License-Identifier: GPL-2.0-or-later
/* freshlink save: prints the present state as a file of configuration. */
#include "conf_state.h"

static const struct fl_option no_options[] = {
	{ .word = NULL },
};

static int run_save(const struct cli_args *args)
{
	return conf_state_write(args, true, stdout) ? EXIT_OK : EXIT_FAILED;
}

const struct command save_command = {
	.name = "save",
	.summary = "print the present state as a file of configuration",
	.options = no_options,
	.run = run_save,
};
