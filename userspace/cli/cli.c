// SPDX-License-Identifier: GPL-2.0-or-later
/* Error messages of the subcommands: see cli.h. */
#include <stdarg.h>
#include <stdio.h>

#include "../lib/text.h"
#include "cli.h"

void cli_error(const char *who, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	fl_verror(who, fmt, ap);
	va_end(ap);
}
