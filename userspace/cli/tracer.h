/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracer. A command creates its own instance of the tracer, enables some events
 * and reads their lines.
 *
 * The buffer is bounded. Events that arrive faster than the command reads them are lost and
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
 * @events: names of the events, in an array that ends with NULL
 * @folder: path of the instance's folder, "" if the instance does not exist
 * @pipe: file descriptor for reading the lines, -1 if it is not open
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
 * tracer_open - create an instance of the tracer and enable its events
 * @t: the instance. The caller sets @who, @system and @events, and the function writes all
 *	other members. The caller closes the instance also after an error
 * @filter: the tracer's filter for events
 *
 * Return: true if the events are enabled, or false after a message on standard error
 */
bool tracer_open(struct tracer *t, const char *filter);

/**
 * tracer_read - read the lines in the buffer
 * @t: the instance
 * @until: time at which to stop reading, CLOCK_MONOTONIC in ns. With FL_NEVER the function
 *	reads until the buffer is empty, for use after the events are disabled
 * @each: function that is called with @arg and with each line, which begins with the event's
 *	name
 * @arg: see @each
 *
 * Return: true if the buffer could be read, or false after a message on standard error
 */
bool tracer_read(struct tracer *t, int64_t until,
		 void (*each)(const char *line, void *arg), void *arg);

/** tracer_stop - disable the events. Lines in the buffer can still be read */
void tracer_stop(struct tracer *t);

/** tracer_close - remove the instance of the tracer */
void tracer_close(struct tracer *t);

#endif
