/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of a link in mahimahi's format (Netravali et al., USENIX ATC 2015).
 *
 * A line is the millisecond, counted from the beginning, at which one packet
 * may cross the link: an opportunity. No line is earlier than the one above it.
 * A trace repeats at its end, which is its last line: 0 and the last line are
 * the same moment. So an opportunity belongs to the time that ends with it, and
 * the one at 0, in a trace that has it, to what follows.
 */
#ifndef FRESHLINK_TRACE_H
#define FRESHLINK_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/options.h"

#define TRACE_SIZE	1500	/* bytes of mahimahi's packet */

/**
 * struct trace - a trace
 * @ms: when its opportunities are
 * @count: how many
 * @room: for how many @ms has room
 */
struct trace {
	uint32_t *ms;
	size_t count;
	size_t room;
};

/**
 * trace_append - add an opportunity
 * @t: the trace
 * @ms: when, no sooner than the one before
 *
 * Return: whether there was memory for it
 */
bool trace_append(struct trace *t, uint32_t ms);

/** trace_duration - when the trace ends, ms; 0: it is none, nothing repeats */
static inline uint32_t trace_duration(const struct trace *t)
{
	return t->count ? t->ms[t->count - 1] : 0;
}

/**
 * trace_read - read a trace
 * @t: written; to be freed in any case
 * @who: for messages
 * @path: its file
 *
 * Return: whether the file is right; if not, standard error names the line
 */
bool trace_read(struct trace *t, const char *who, const char *path);

/**
 * trace_check_start - whether a time is before the end of a trace
 * @t: the trace
 * @who: for messages
 * @start: the value of the option --start
 *
 * Return: whether it is; if not, standard error says what was expected
 */
bool trace_check_start(const struct trace *t, const char *who,
		       const struct fl_value *start);

/**
 * trace_write - write a trace
 * @t: the trace
 * @who: for messages
 * @path: its file, of the option --output; NULL for standard output, whose
 *	errors main() finds
 *
 * Return: whether it could be written; if not, standard error says why
 */
bool trace_write(const struct trace *t, const char *who, const char *path);

/** trace_free - give back its memory */
void trace_free(struct trace *t);

#endif
