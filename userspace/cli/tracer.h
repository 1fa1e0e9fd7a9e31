/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracer: an instance of its own with some events enabled, whose lines
 * are read as they arrive.
 *
 * The buffer is bounded: events that arrive faster than they are read are lost and
 * counted.
 */
#ifndef FRESHLINK_TRACER_H
#define FRESHLINK_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tracer - an instance
 * @who: prefix of error messages
 * @system: the events' system, such as "cellink"
 * @events: names of the events, up to a NULL
 * @folder: the instance's folder, "" without one
 * @pipe: file descriptor from which its lines are read, -1 without one
 * @line: the beginning of an incomplete line
 * @len: bytes of @line
 * @lost: number of lost events
 */
struct tracer {
	const char *who;
	const char *system;
	const char *const *events;
	char folder[64];
	int pipe;
	char line[512];
	size_t len;
	uint64_t lost;
};

/**
 * tracer_open - make an instance, and enable its events
 * @t: the caller sets @who, @system and @events, the rest is written; the caller
 *	closes it in any case
 * @filter: only events that match this filter of the tracer
 *
 * Return: whether it worked; if not, standard error says why
 */
bool tracer_open(struct tracer *t, const char *filter);

/**
 * tracer_read - read the lines in the buffer
 * @t: the instance
 * @until: CLOCK_MONOTONIC in ns: stop reading then, even if more lines arrive.
 *	FL_NEVER is for disabled events, when the buffer becomes empty
 * @each: called with each line, which begins with the event's name, and @arg
 * @arg: see @each
 *
 * Return: whether it could be read; if not, standard error says why
 */
bool tracer_read(struct tracer *t, int64_t until,
		 void (*each)(const char *line, void *arg), void *arg);

/** tracer_stop - disable the events; lines in the buffer can still be read */
void tracer_stop(struct tracer *t);

/** tracer_close - remove the instance */
void tracer_close(struct tracer *t);

#endif
