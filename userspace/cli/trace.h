/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of a link in mahimahi's format (Netravali et al., USENIX ATC 2015).
 *
 * Each line is an opportunity: a time at which one packet may cross the link, in ms from the
 * beginning. The lines are in ascending order. A trace repeats at its end, which is its last
 * line. The time of the last line is therefore time 0 of the next pass. An opportunity at the
 * end of an interval belongs to this interval. An opportunity at 0 belongs to the interval that
 * begins at 0.
 */
#ifndef FRESHLINK_TRACE_H
#define FRESHLINK_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/options.h"

#define TRACE_SIZE	1500	/* bytes that an opportunity carries in mahimahi */

/**
 * struct trace - a trace
 * @ms: times of the opportunities, in ms
 * @count: number of opportunities
 * @room: number of opportunities for which @ms has memory
 */
struct trace {
	uint32_t *ms;
	size_t count;
	size_t room;
};

/**
 * trace_append - add an opportunity
 * @t: the trace
 * @ms: time of the opportunity in ms, not before the previous opportunity
 *
 * Return: whether there was enough memory
 */
bool trace_append(struct trace *t, uint32_t ms);

/**
 * trace_duration - return the end of the trace in ms. A trace that ends at 0 is not valid,
 * because such a trace cannot repeat
 */
static inline uint32_t trace_duration(const struct trace *t)
{
	return t->count ? t->ms[t->count - 1] : 0;
}

/**
 * trace_read - read a trace
 * @t: the trace, written. The caller frees the trace also after an error
 * @who: prefix of error messages
 * @path: its file
 *
 * Return: true if the file is correct, or false after a message with the line on standard error
 */
bool trace_read(struct trace *t, const char *who, const char *path);

/**
 * trace_check_start - check that a time is before the end of a trace
 * @t: the trace
 * @who: prefix of error messages
 * @start: the value of the option --start
 *
 * Return: true if the time is before the end, or false after a message on standard error
 */
bool trace_check_start(const struct trace *t, const char *who,
		       const struct fl_value *start);

/**
 * trace_write - write a trace
 * @t: the trace
 * @who: prefix of error messages
 * @path: path of the file from the option --output, or NULL for standard output. main() reports
 *	errors of standard output
 *
 * Return: true if the whole file was written, or false after a message on standard error
 */
bool trace_write(const struct trace *t, const char *who, const char *path);

/** trace_free - free the memory of a trace */
void trace_free(struct trace *t);

#endif
