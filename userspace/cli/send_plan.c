// SPDX-License-Identifier: GPL-2.0-or-later
/* Which messages freshlink send makes itself: see send_plan.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/units.h"
#include "../stream/freshlink-stream.h"
#include "cli.h"
#include "send_plan.h"

#define COLUMNS		4
#define STEPS_MAX	(UINT64_C(1) << 26)

static const struct fl_unit seconds[] = { { "", FL_SEC, 1 }, { NULL, 0, 0 } };

/* What a column has to be, for messages. */
static const char *const expected[COLUMNS] = {
	"a time in seconds that is not below the line before, such as 0.040",
	"a size of 1 to 1048576 bytes",
	"a lifetime such as 300ms, up to 4294s, or nothing",
	"a priority of 0 to 255, or nothing",
};

static bool read_time(const char *text, int64_t after, int64_t *when)
{
	uint64_t value;

	if (!fl_parse(text, seconds, &value) || value > INT64_MAX / 2 || (int64_t)value < after)
		return false;
	*when = (int64_t)value;
	return true;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	return fl_parse(text, fl_units_none, value) && *value >= least && *value <= most;
}

/* Reads one column of a line. */
static bool read_column(int column, const char *text, int64_t after, struct send_step *step)
{
	uint64_t value = 0;
	bool given = *text != '\0';

	switch (column) {
	case 0:
		return read_time(text, after, &step->when);
	case 1:
		if (!read_number(text, 1, FSTREAM_MESSAGE_MAX, &value))
			return false;
		step->size = (uint32_t)value;
		return true;
	case 2:
		if (given && (!fl_parse(text, fl_units_time, &value) || !value ||
			      value > FSTREAM_LIFETIME_MAX))
			return false;
		step->lifetime = (int64_t)value;
		return true;
	default:
		if (given && !read_number(text, 0, UINT8_MAX, &value))
			return false;
		step->priority = (uint8_t)value;
		return true;
	}
}

/* Reads a line. Return: the number of the wrong column, or -1. */
static int read_line(char *line, int64_t after, struct send_step *step)
{
	char *text = line;

	*step = (struct send_step){ 0 };
	for (int column = 0; column < COLUMNS; column++) {
		char *next = text ? strchr(text, ',') : NULL;

		if (next)
			*next = '\0';
		if (column == COLUMNS - 1 && next)
			return column;
		if (!read_column(column, text ? text : "", after, step))
			return column;
		text = next ? next + 1 : NULL;
	}
	return -1;
}

/* Makes room for one step more, in powers of two. */
static bool grow(struct send_plan *plan)
{
	struct send_step *step;

	if (plan->count & (plan->count - 1) || plan->count >= STEPS_MAX)
		return plan->count < STEPS_MAX;
	step = realloc(plan->step, (plan->count ? 2 * plan->count : 1) * sizeof(*step));
	if (!step)
		return false;
	plan->step = step;
	return true;
}

static bool add_line(struct send_plan *plan, const char *who, const char *path,
		     unsigned long number, char *line)
{
	int64_t after = plan->count ? plan->step[plan->count - 1].when : 0;
	int column;

	line[strcspn(line, "\r\n")] = '\0';
	if (*line == '#' || *line == '\0')
		return true;
	if (!grow(plan)) {
		cli_error(who, "--input %s: line %lu: no memory is left", path, number);
		return false;
	}
	column = read_line(line, after, &plan->step[plan->count]);
	if (column < 0) {
		plan->count++;
		return true;
	}
	cli_error(who, "--input %s: line %lu, column %d: expected %s", path, number, column + 1,
		  expected[column]);
	return false;
}

static bool read_file(struct send_plan *plan, const char *who, const char *path, FILE *file)
{
	unsigned long number = 0;
	char *line = NULL;
	size_t size = 0;
	bool ok = true;

	while (ok && getline(&line, &size, file) >= 0)
		ok = add_line(plan, who, path, ++number, line);
	free(line);
	if (ok && !plan->count) {
		cli_error(who, "--input %s: expected lines with time,size,lifetime,priority", path);
		ok = false;
	}
	return ok;
}

bool send_plan_read(struct send_plan *plan, const char *who, const char *path)
{
	FILE *file = fopen(path, "re");
	bool ok;

	*plan = (struct send_plan){ 0 };
	if (!file) {
		cli_error(who, "--input %s: expected -, udp:PORT or a file that can be read: %s",
			  path, strerror(errno));
		return false;
	}
	ok = read_file(plan, who, path, file);
	fclose(file);
	if (!ok)
		send_plan_free(plan);
	return ok;
}

struct send_step send_plan_step(const struct send_plan *plan, uint64_t index)
{
	struct send_step step;

	if (plan->step)
		return plan->step[index];
	step = plan->even;
	step.when = (int64_t)index * plan->interval;
	return step;
}

void send_plan_free(struct send_plan *plan)
{
	free(plan->step);
	*plan = (struct send_plan){ 0 };
}
