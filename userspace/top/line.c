// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the table: see top.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../lib/text.h"
#include "top.h"

#define FORMAT	"%-*s %-7s %6s %7s %-*s %6s %6s %6s "

static const char *shown(const char *device, char buf[FL_ESCAPED(IF_NAMESIZE)])
{
	return fl_escape(device, strnlen(device, IF_NAMESIZE), buf);
}

int top_device_width(const char *device)
{
	char buf[FL_ESCAPED(IF_NAMESIZE)];

	return strlen(shown(device, buf));
}

void top_head(int device, char *line)
{
	snprintf(line, TOP_WIDTH, FORMAT "%s", device, "DEVICE", "HANDLE", "BIT/S", "BACKLOG",
		 TOP_LEFT, "2ms...131s", "LINK", "DELAY", "LOST/S", "BY CAUSE");
}

/* Writes the causes behind the columns. What does not fit in the line is left out. */
static void put_causes(const struct top_row *row, char *line)
{
	size_t used = strlen(line);
	char number[TOP_NUMBER];

	for (int i = 0; i < row->causes && used < TOP_WIDTH; i++)
		used += snprintf(line + used, TOP_WIDTH - used, "%s%s %s", i ? " " : "",
				 row->cause[i].word, top_count(row->cause[i].rate, number));
}

/* arqlink counts packets that wait, and no bytes. */
static const char *backlog(const struct top_row *row, char buf[TOP_NUMBER + 1])
{
	char number[TOP_NUMBER];

	if (row->has_bytes)
		return top_bytes(row->backlog, buf);
	snprintf(buf, TOP_NUMBER + 1, "%sp", top_count(row->packets, number));
	return buf;
}

void top_line(const struct top_row *row, int device, char *line)
{
	char name[FL_ESCAPED(IF_NAMESIZE)], waits[TOP_NUMBER + 1];
	char number[4][TOP_NUMBER];

	snprintf(line, TOP_WIDTH, FORMAT, device, shown(row->device, name), row->handle,
		 top_bits(row->rate, number[0]), backlog(row, waits), TOP_LEFT, row->left,
		 row->link_rate ? top_bits(row->link_rate, number[1]) : "-",
		 row->link_delay ? top_time(row->link_delay, number[2]) : "-",
		 top_count(row->lost, number[3]));
	put_causes(row, line);
}
