// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's tracer: see tracer.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "cli.h"
#include "tracer.h"

#define TRACEFS		"/sys/kernel/tracing"
#define BUFFER_KB	"4096"	/* for each CPU */

__attribute__((format(printf, 3, 4)))
static bool put(const struct tracer *t, const char *text, const char *fmt, ...)
{
	size_t len = strlen(text);
	char path[256];
	va_list ap;
	bool good;
	int fd, at;

	at = snprintf(path, sizeof(path), "%s/", t->folder);
	va_start(ap, fmt);
	vsnprintf(path + at, sizeof(path) - at, fmt, ap);
	va_end(ap);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	good = fd >= 0 && write(fd, text, len) == (ssize_t)len;
	if (!good)
		cli_error(t->who, "%s: cannot be written: %s", path,
			  strerror(errno));
	if (fd >= 0)
		close(fd);
	return good;
}

static bool make_folder(struct tracer *t)
{
	snprintf(t->folder, sizeof(t->folder), TRACEFS "/instances/freshlink-%d",
		 getpid());
	if (!mkdir(t->folder, 0700))
		return true;
	cli_error(t->who, "%s: cannot be made: %s: expected root, and tracefs in " TRACEFS " (ip netns exec hides it, nsenter --net does not)",
		  t->folder, strerror(errno));
	t->folder[0] = '\0';
	return false;
}

static bool open_pipe(struct tracer *t)
{
	char path[sizeof(t->folder) + 16];

	snprintf(path, sizeof(path), "%s/trace_pipe", t->folder);
	t->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (t->pipe < 0)
		cli_error(t->who, "%s: cannot be read: %s", path,
			  strerror(errno));
	return t->pipe >= 0;
}

bool tracer_open(struct tracer *t, const char *filter)
{
	t->pipe = -1;
	t->len = 0;
	t->lost = 0;
	/* With one clock for all CPUs, the lines of the CPUs are in order. Without the context,
	 * a line has no process name. A process name could look like an event.
	 */
	if (!make_folder(t) || !put(t, "mono", "trace_clock") ||
	    !put(t, "0", "options/context-info") ||
	    !put(t, BUFFER_KB, "buffer_size_kb") || !open_pipe(t))
		return false;
	for (int i = 0; t->events[i]; i++)
		if (!put(t, filter, "events/%s/%s/filter", t->system,
			 t->events[i]) ||
		    !put(t, "1", "events/%s/%s/enable", t->system,
			 t->events[i]))
			return false;
	return true;
}

/* Handles one line of the tracer. A line such as "CPU:0 [LOST 12 EVENTS]" has the number of
 * lost events.
 */
static void take_line(struct tracer *t,
		      void (*each)(const char *line, void *arg), void *arg)
{
	const char *lost = strstr(t->line, "[LOST ");
	uint64_t count;

	if (lost && sscanf(lost, "[LOST %" SCNu64, &count) == 1)
		t->lost += count;
	else
		each(t->line, arg);
}

static void take(struct tracer *t, const char *text, size_t len,
		 void (*each)(const char *line, void *arg), void *arg)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '\n') {
			if (t->len < sizeof(t->line) - 1)
				t->line[t->len++] = text[i];
			continue;
		}
		t->line[t->len] = '\0';
		t->len = 0;
		take_line(t, each, arg);
	}
}

bool tracer_read(struct tracer *t, int64_t until,
		 void (*each)(const char *line, void *arg), void *arg)
{
	char text[1 << 14];
	ssize_t len;

	do {
		len = read(t->pipe, text, sizeof(text));
		if (len > 0)
			take(t, text, len, each, arg);
	} while (len > 0 && fl_now() < until);
	if (len >= 0 || errno == EAGAIN || errno == EINTR)
		return true;
	cli_error(t->who, "%s/trace_pipe: cannot be read: %s", t->folder,
		  strerror(errno));
	return false;
}

void tracer_stop(struct tracer *t)
{
	for (int i = 0; t->events[i]; i++)
		put(t, "0", "events/%s/%s/enable", t->system, t->events[i]);
}

void tracer_close(struct tracer *t)
{
	if (t->pipe >= 0)
		close(t->pipe);
	if (t->folder[0] && rmdir(t->folder))
		cli_error(t->who, "%s: cannot be removed: %s", t->folder,
			  strerror(errno));
}
