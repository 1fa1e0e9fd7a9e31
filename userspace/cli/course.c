// SPDX-License-Identifier: GPL-2.0-or-later
/* The changes of a link's rate with time: see course.h. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "course.h"
#include "random.h"

/* Reads one RATE:TIME. Overwrites the colon in @text. */
static bool parse_state(struct stretch *state, const char *who,
			const struct fl_option *opt, char *text)
{
	const struct fl_option rate = {
		.word = opt->word, .type = FL_RATE, .zero = "0", .min = 1,
		.max = 1250000000,
	};
	const struct fl_option length = {
		.word = opt->word, .type = FL_TIME, .min = FL_MS,
		.max = 3600 * FL_SEC,
	};
	struct fl_value first = { 0 }, second = { 0 };
	char *colon = strchr(text, ':');

	if (!colon) {
		cli_error(who, "%s %s: expected RATE:TIME", opt->word, text);
		return false;
	}
	*colon = '\0';
	if (!fl_set(who, &rate, text, &first) ||
	    !fl_set(who, &length, colon + 1, &second))
		return false;
	*state = (struct stretch){ first.number, second.number };
	return true;
}

bool course_parse(struct course *c, const char *who,
		  const struct fl_option *opt, const char *text)
{
	char *copy = strdup(text), *rest = copy, *part;
	bool good = copy;

	for (c->count = 0; good && (part = strsep(&rest, ",")); c->count++) {
		if (c->count == COURSE_STATES_MAX) {
			cli_error(who, "%s %s: expected at most %d states", opt->word,
				  text, COURSE_STATES_MAX);
			good = false;
			break;
		}
		good = parse_state(&c->states[c->count], who, opt, part);
	}
	free(copy);
	return good;
}

static struct stretch next_markov(struct course *c)
{
	struct stretch s = c->states[c->at];

	s.length = random_exponential(&c->random, s.length);
	c->at = (c->at + random_between(&c->random, 1, c->count - 1)) %
		c->count;
	return s;
}

static struct stretch next_in_turn(struct course *c)
{
	struct stretch s = { 0 };

	if (c->is_out) {
		s.length = random_between(&c->random, c->outage_min,
					  c->outage_max);
		c->is_out = false;
		return s;
	}
	s = c->states[c->at];
	c->at = (c->at + 1) % c->count;
	c->is_out = c->has_outages;
	return s;
}

struct stretch course_next(struct course *c)
{
	return c->is_markov ? next_markov(c) : next_in_turn(c);
}
