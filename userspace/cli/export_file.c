// SPDX-License-Identifier: GPL-2.0-or-later
/* A file for the textfile collector of Prometheus' node exporter: see export.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"

#define SUFFIX	".XXXXXX"
#define MODE	0644	/* the collector is another user */

static bool complain(const struct cli_args *args, const char *path)
{
	cli_error(args->who, "--textfile %s: expected a file that can be written: %s", path,
		  strerror(errno));
	return false;
}

/* Closes the file in any case. */
static bool fill(const struct cli_args *args, const char *path, int fd)
{
	FILE *out = fdopen(fd, "w");
	bool done, bad;

	if (!out) {
		close(fd);
		return complain(args, path);
	}
	done = export_print(args, out);
	bad = fchmod(fd, MODE) || fflush(out) || ferror(out);
	if (fclose(out) || bad)
		return complain(args, path);
	return done;
}

/* The name of the temporary file does not end like that of a file which the collector reads. */
static bool replace(const struct cli_args *args, const char *path, char *temporary)
{
	int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0)
		return complain(args, path);
	if (fill(args, path, fd) && (!rename(temporary, path) || complain(args, path)))
		return true;
	unlink(temporary);
	return false;
}

/* A device or a link would be replaced by a file, too. */
static bool is_replaceable(const struct cli_args *args, const char *path)
{
	struct stat there;

	if (lstat(path, &there) || S_ISREG(there.st_mode))
		return true;
	cli_error(args->who, "--textfile %s: expected a regular file, or a name that no file has",
		  path);
	return false;
}

bool export_replace(const struct cli_args *args, const char *path)
{
	size_t size = strlen(path) + sizeof(SUFFIX);
	char *temporary = malloc(size);
	bool done;

	if (!temporary) {
		cli_error(args->who, "out of memory");
		return false;
	}
	snprintf(temporary, size, "%s" SUFFIX, path);
	done = is_replaceable(args, path) && replace(args, path, temporary);
	free(temporary);
	return done;
}
