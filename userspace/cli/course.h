/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the rate of a link goes on: one rate for a stretch of time, then another. */
#ifndef FRESHLINK_COURSE_H
#define FRESHLINK_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/options.h"

#define COURSE_STATES_MAX	16

/**
 * struct stretch - a time of one rate
 * @rate: bytes/s
 * @length: ns
 */
struct stretch {
	uint64_t rate;
	uint64_t length;
};

/**
 * struct course - a series of stretches, which never ends
 * @states: a rate each, with the length of its stretches
 * @count: how many states
 * @at: the state whose turn it is
 * @is_markov: lengths are exponential, those of @states their means, and the
 *	next state is any other; else lengths are constant, and the states take
 *	turns
 * @has_outages: they do so with an outage, a stretch of rate 0, between them
 * @outage_min: least length of an outage, ns
 * @outage_max: greatest length
 * @is_out: the outage's turn has come
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
 * @who: for messages
 * @opt: the option that they belong to, an FL_TEXT
 * @text: RATE:TIME[,RATE:TIME]..., as typed
 *
 * Return: whether they were right; if not, standard error says what was wrong
 */
bool course_parse(struct course *c, const char *who,
		  const struct fl_option *opt, const char *text);

/** course_next - the next stretch */
struct stretch course_next(struct course *c);

#endif
