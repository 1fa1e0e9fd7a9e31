/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which messages freshlink send makes itself, and when: at even intervals, or as a trace says. */
#ifndef FRESHLINK_SEND_PLAN_H
#define FRESHLINK_SEND_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct send_step - a message of a plan
 * @when: when it is due, ns from the start
 * @size: bytes
 * @lifetime: ns; 0: that of the stream
 * @priority: 255 is sent first
 */
struct send_step {
	int64_t when;
	uint32_t size;
	int64_t lifetime;
	uint8_t priority;
};

/**
 * struct send_plan - the messages of a stream
 * @step: of a trace; NULL: all messages are as @even, @interval apart
 * @even: see @step
 * @interval: see @step
 * @count: messages
 */
struct send_plan {
	struct send_step *step;
	struct send_step even;
	int64_t interval;
	uint64_t count;
};

/**
 * send_plan_read - read a trace
 * @plan: written
 * @who: prefix of error messages
 * @path: a file with the lines "time,size,lifetime,priority": the time in seconds since the start,
 *	bytes, and a time with its unit; lifetime and priority may be missing. Lines that begin with
 *	# and empty lines are skipped.
 *
 * Return: true, or false after a message on standard error that names the line
 */
bool send_plan_read(struct send_plan *plan, const char *who, const char *path);

/** send_plan_step - the message @index; @index is below the plan's @count */
struct send_step send_plan_step(const struct send_plan *plan, uint64_t index);

void send_plan_free(struct send_plan *plan);

#endif
