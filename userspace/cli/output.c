// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that a command writes: see output.h. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "output.h"

FILE *output_open(const char *who, const char *option, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		cli_error(who, "%s %s: expected a file that can be written: %s",
			  option, path, strerror(errno));
	return file;
}

bool output_close(const char *who, const char *option, const char *path,
		  FILE *file)
{
	bool bad = ferror(file);

	if (!fclose(file) && !bad)
		return true;
	cli_error(who, "%s %s: could not be written whole", option, path);
	return false;
}
