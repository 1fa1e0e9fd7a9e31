/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The course of a link's rate: one rate for a stretch of time, then another. */
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
 * struct course - a series of stretches, which never ends
 * @states: each state's rate, with the length of its stretches
 * @count: number of states
 * @at: the next state
 * @is_markov: lengths are exponential, with those of @states as means, and the
 *	next state is any other state. Otherwise lengths are constant, and the
 *	states take turns
 * @has_outages: an outage, a stretch of rate 0, comes between two states
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
 * @c: its states are written
 * @who: prefix of error messages
 * @opt: the option with the states, an FL_TEXT
 * @text: RATE:TIME[,RATE:TIME]..., as typed
 *
 * Return: whether they are correct; if not, standard error says what is wrong
 */
bool course_parse(struct course *c, const char *who,
		  const struct fl_option *opt, const char *text);

/** course_next - the next stretch */
struct stretch course_next(struct course *c);

#endif
