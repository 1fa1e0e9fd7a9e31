// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of delay spikes: see spikes.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/units.h"
#include "cli.h"
#include "random.h"
#include "spikes.h"

/* Maximum of a time in a schedule. The sum of the current time and two such times does not
 * overflow.
 */
#define TIME_MAX	(INT64_MAX / 4)

/* Reads a spike from a line. Returns whether the line is correct and the spike begins after the
 * end of the previous spike.
 */
static bool parse_line(const struct spikes *s, char *line, struct spike *spike)
{
	const char *start = strtok(line, " \t"), *length = strtok(NULL, " \t");
	const struct spike *last = s->count ? &s->list[s->count - 1] : NULL;
	uint64_t from, ns;

	if (!length || strtok(NULL, " \t") ||
	    !fl_parse(start, fl_units_time, &from) || from > TIME_MAX ||
	    !fl_parse(length, fl_units_time, &ns) || ns > TIME_MAX || !ns)
		return false;
	*spike = (struct spike){ from, ns };
	return !last || spike->start > last->start + last->length;
}

static bool append(struct spikes *s, struct spike spike)
{
	struct spike *list = reallocarray(s->list, s->count + 1, sizeof(*list));

	if (!list)
		return false;
	list[s->count++] = spike;
	s->list = list;
	return true;
}

/* Reads a line of a schedule without its comment. A blank line is correct. */
static bool take_line(struct spikes *s, char *line)
{
	struct spike spike;

	if (!line[strspn(line, " \t")])
		return true;
	return parse_line(s, line, &spike) && append(s, spike);
}

/* Reads the n-th line of a file, or prints what is wrong with the line. */
static bool read_line(struct spikes *s, const char *who, const char *path,
		      int n, char *line, size_t length)
{
	char *copy;
	bool good;

	if (memchr(line, '\0', length)) {
		cli_error(who, "%s:%d: expected text, without a NUL byte",
			  path, n);
		return false;
	}
	line[strcspn(line, "#\n")] = '\0';
	copy = strdup(line);
	good = copy && take_line(s, copy);
	if (!good)
		cli_error(who, "%s:%d: \"%s\": expected START LENGTH, for example \"30s 10s\", with START after the end of the previous spike",
			  path, n, line);
	free(copy);
	return good;
}

static bool read_lines(struct spikes *s, const char *who, const char *path,
		       FILE *in)
{
	char *line = NULL;
	bool good = true;
	size_t room = 0;
	ssize_t length;

	for (int n = 1; good && (length = getline(&line, &room, in)) > 0; n++)
		good = read_line(s, who, path, n, line, length);
	free(line);
	return good;
}

/* Reads a whole schedule. If one line is wrong, the function returns false, because a part of a
 * schedule is a different schedule.
 */
static bool read_schedule(struct spikes *s, const char *who, const char *path,
			  FILE *in)
{
	if (!read_lines(s, who, path, in))
		return false;
	if (ferror(in)) {
		cli_error(who, "--schedule %s: expected a file that can be read: %s",
			  path, strerror(errno));
		return false;
	}
	if (!s->count)
		cli_error(who, "%s: expected at least one line of START LENGTH",
			  path);
	return s->count;
}

bool spikes_load(struct spikes *s, const char *who, const char *path)
{
	FILE *in = fopen(path, "re");
	bool good;

	if (!in) {
		cli_error(who, "--schedule %s: expected a file that can be read: %s",
			  path, strerror(errno));
		return false;
	}
	good = read_schedule(s, who, path, in);
	fclose(in);
	return good;
}

bool spikes_next(struct spikes *s, struct spike *spike)
{
	if (s->list) {
		if (s->next == s->count)
			return false;
		*spike = s->list[s->next++];
		return true;
	}
	spike->start = s->first + s->next++ * s->period;
	spike->length = random_between(&s->random, s->longest - s->jitter,
				       s->longest);
	return true;
}
