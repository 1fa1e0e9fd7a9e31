// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of a parser's run, and the number of packets that were parsed to the end. */
#include "parser.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned int completed;

void fetch_reached(bool reached)
{
	completed += reached;
}

unsigned int fetch_completed(void)
{
	return completed;
}

void fetch_require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "is not true: %s\n", what);
	abort();
}
