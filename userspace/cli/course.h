/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The changes of a link's rate with time. The rate is constant during a stretch. */
#ifndef FRESHLINK_COURSE_H
#define FRESHLINK_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/options.h"

#define COURSE_STATES_MAX	16

/**
 * struct stretch - a time with a constant rate
 * @rate: bytes/s
 * @length: ns
 */
struct stretch {
	uint64_t rate;
	uint64_t length;
};

/**
 * struct course - an endless series of stretches
 * @states: rate of each state, and length of its stretches
 * @count: number of states
 * @at: the next state
 * @is_markov: true if lengths are exponential and the next state is a random other state. False
 *	if lengths are constant and the states follow each other in order
 * @has_outages: between two states there is an outage, which is a stretch of rate 0
 * @outage_min: minimum length of an outage, ns
 * @outage_max: maximum length, ns
 * @is_out: the next stretch is an outage
 * @random: state of the random numbers
 */
struct course {
	struct stretch states[COURSE_STATES_MAX];
	unsigned int count;
	unsigned int at;
	bool is_markov;
	bool has_outages;
	uint64_t outage_min;
	uint64_t outage_max;
	bool is_out;
	uint64_t random;
};

/**
 * course_parse - read states
 * @c: the course, whose states are written
 * @who: prefix of error messages
 * @opt: the option with the states, of type FL_TEXT
 * @text: RATE:TIME[,RATE:TIME]..., as typed
 *
 * Return: true if the states are correct, or false after a message on standard error
 */
bool course_parse(struct course *c, const char *who,
		  const struct fl_option *opt, const char *text);

/** course_next - go to the next stretch and return it */
struct stretch course_next(struct course *c);

#endif
