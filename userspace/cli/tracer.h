/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracer: an instance of its own, in which some events are on, whose
 * lines are read as they come.
 *
 * What comes faster than it is read is lost and counted: the buffer is bounded.
 */
#ifndef FRESHLINK_TRACER_H
#define FRESHLINK_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tracer - an instance
 * @who: for messages
 * @system: the events' system, such as "cellink"
 * @events: which, up to a NULL
 * @folder: its folder, "" without one
 * @pipe: where its lines come from, -1 without one
 * @line: what is there of a line that is not whole
 * @len: how much
 * @lost: events that were lost
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
 * tracer_open - make an instance, and switch its events on
 * @t: @who, @system and @events are the caller's, the rest is written; to be
 *	closed in any case
 * @filter: only events of which this is true, in the tracer's words
 *
 * Return: whether it worked; if not, standard error says why
 */
bool tracer_open(struct tracer *t, const char *filter);

/**
 * tracer_read - read what has come
 * @t: the instance
 * @until: CLOCK_MONOTONIC in ns: for no longer than that, however fast more comes;
 *	CLOCK_NEVER where the events are off, and so there is an end
 * @each: called with each line, which begins with the event's name, and @arg
 * @arg: see @each
 *
 * Return: whether it could be read; if not, standard error says why
 */
bool tracer_read(struct tracer *t, int64_t until,
		 void (*each)(const char *line, void *arg), void *arg);

/** tracer_stop - switch the events off; what has come can still be read */
void tracer_stop(struct tracer *t);

/** tracer_close - remove the instance */
void tracer_close(struct tracer *t);

#endif
