/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of a link in mahimahi's format (Netravali et al., USENIX ATC 2015).
 *
 * Each line is an opportunity: the millisecond, counted from the beginning, at
 * which one packet may cross the link. The lines are in ascending order. A trace
 * repeats at its end, which is its last line: 0 and the last line are the same
 * moment. Therefore an opportunity belongs to the interval that ends with it. An
 * opportunity at 0 belongs to the interval that begins with it.
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
 * @ms: times of its opportunities
 * @count: number of opportunities
 * @room: number of opportunities for which @ms has space
 */
struct trace {
	uint32_t *ms;
	size_t count;
	size_t room;
};

/**
 * trace_append - add an opportunity
 * @t: the trace
 * @ms: its time, not before the previous one
 *
 * Return: whether there was enough memory
 */
bool trace_append(struct trace *t, uint32_t ms);

/** trace_duration - end of the trace, ms; 0 is not a valid trace, because it cannot repeat */
static inline uint32_t trace_duration(const struct trace *t)
{
	return t->count ? t->ms[t->count - 1] : 0;
}

/**
 * trace_read - read a trace
 * @t: written; the caller frees it in any case
 * @who: prefix of error messages
 * @path: its file
 *
 * Return: whether the file is correct; if not, standard error names the line
 */
bool trace_read(struct trace *t, const char *who, const char *path);

/**
 * trace_check_start - whether a time is before the end of a trace
 * @t: the trace
 * @who: prefix of error messages
 * @start: the value of the option --start
 *
 * Return: whether it is; if not, standard error says what is expected
 */
bool trace_check_start(const struct trace *t, const char *who,
		       const struct fl_value *start);

/**
 * trace_write - write a trace
 * @t: the trace
 * @who: prefix of error messages
 * @path: its file, from the option --output; NULL for standard output, whose
 *	errors main() reports
 *
 * Return: whether it could be written; if not, standard error says why
 */
bool trace_write(const struct trace *t, const char *who, const char *path);

/** trace_free - free its memory */
void trace_free(struct trace *t);

#endif
