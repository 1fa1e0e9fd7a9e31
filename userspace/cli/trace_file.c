// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces in memory and in files: see trace.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "../lib/text.h"
#include "cli.h"
#include "output.h"
#include "trace.h"

#define LINE_ROOM	24	/* maximum length of a line, with leading zeros */
#define SHOWN_ROOM	(FL_ESCAPED(LINE_ROOM) + sizeof("..."))

bool trace_append(struct trace *t, uint32_t ms)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 4096;
		uint32_t *grown = reallocarray(t->ms, room, sizeof(*grown));

		if (!grown)
			return false;
		t->ms = grown;
		t->room = room;
	}
	t->ms[t->count++] = ms;
	return true;
}

void trace_free(struct trace *t)
{
	free(t->ms);
}

/* Reads a line and stores as many characters as fit. Returns the length of the whole line
 * without the newline, or -1 at the end of the file and after an error.
 */
static ssize_t read_line(FILE *in, char line[LINE_ROOM])
{
	size_t len = 0;
	int c;

	while ((c = getc_unlocked(in)) != '\n') {
		if (c == EOF && (!len || ferror(in)))
			return -1;
		if (c == EOF)
			break;
		if (len < LINE_ROOM)
			line[len] = c;
		len++;
	}
	return len;
}

static bool parse_ms(const char *line, size_t len, uint32_t *ms)
{
	uint64_t number = 0;

	if (!len || len > LINE_ROOM)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)line[i]))
			return false;
		number = number * 10 + line[i] - '0';
		if (number > UINT32_MAX)
			return false;
	}
	*ms = number;
	return true;
}

/* Escapes a line for a message. The line may contain NULs. */
static const char *shown(const char *line, size_t len, char buf[SHOWN_ROOM])
{
	fl_escape(line, MIN(len, LINE_ROOM), buf);
	return strcat(buf, len > LINE_ROOM ? "..." : "");
}

/* Reads one line of a trace. Each line is an opportunity, so the number of opportunities is the
 * line number.
 */
static bool take_line(struct trace *t, const char *who, const char *path,
		      const char *line, size_t len)
{
	char buf[SHOWN_ROOM];
	uint32_t ms;

	if (!parse_ms(line, len, &ms))
		cli_error(who, "%s:%zu: \"%s\": expected a time in whole ms, from 0 to %" PRIu32,
			  path, t->count + 1, shown(line, len, buf),
			  UINT32_MAX);
	else if (ms < trace_duration(t))
		cli_error(who, "%s:%zu: \"%s\": expected no less than the %" PRIu32 " of the line before",
			  path, t->count + 1, shown(line, len, buf),
			  trace_duration(t));
	else if (!trace_append(t, ms))
		cli_error(who, "%s: out of memory", path);
	else
		return true;
	return false;
}

static bool read_trace(struct trace *t, const char *who, const char *path,
		       FILE *in)
{
	char line[LINE_ROOM];
	ssize_t len;

	while ((len = read_line(in, line)) >= 0)
		if (!take_line(t, who, path, line, len))
			return false;
	if (ferror(in))
		cli_error(who, "%s: expected a file that can be read: %s", path,
			  strerror(errno));
	else if (!t->count)
		cli_error(who, "%s: expected at least one line, a time in whole ms",
			  path);
	else if (!trace_duration(t))
		cli_error(who, "%s:%zu: \"0\": expected a last line above 0, because the trace repeats there",
			  path, t->count);
	else
		return true;
	return false;
}

bool trace_read(struct trace *t, const char *who, const char *path)
{
	FILE *in = fopen(path, "re");
	bool good;

	*t = (struct trace){ 0 };
	if (!in) {
		cli_error(who, "%s: expected a file that can be read: %s", path,
			  strerror(errno));
		return false;
	}
	good = read_trace(t, who, path, in);
	fclose(in);
	return good;
}

bool trace_check_start(const struct trace *t, const char *who,
		       const struct fl_value *start)
{
	if (start->number / FL_MS < trace_duration(t))
		return true;
	cli_error(who, "--start %s: expected less than the trace's %" PRIu32 "ms",
		  start->text, trace_duration(t));
	return false;
}

static void write_lines(const struct trace *t, FILE *out)
{
	for (size_t i = 0; i < t->count && !ferror(out); i++)
		fprintf(out, "%" PRIu32 "\n", t->ms[i]);
}

bool trace_write(const struct trace *t, const char *who, const char *path)
{
	FILE *out = path ? output_open(who, "--output", path) : stdout;

	if (!out)
		return false;
	write_lines(t, out);
	return !path || output_close(who, "--output", path, out);
}
