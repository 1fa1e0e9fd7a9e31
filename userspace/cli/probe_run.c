// SPDX-License-Identifier: GPL-2.0-or-later
/* The rounds of freshlink probe: see probe.h. */
#include <string.h>
#include <sys/random.h>

#include "probe.h"
#include "wait.h"

/* probes that this host has discarded, all of their kind, until that is the verdict */
#define HERE_ENOUGH	2

/**
 * struct shot - a probe that was sent
 * @kind: its kind
 * @answer: what became of it, PROBE_MISSING so far
 */
struct shot {
	enum probe_kind kind;
	struct probe_answer answer;
};

struct rounds {
	struct probe_way *way;
	struct shot shot[PROBE_MAX];
	unsigned int count;
	int signal;
};

int64_t probe_lifetime_of(enum probe_kind kind, enum freshlink_stale *stale)
{
	*stale = kind == PROBE_CUT ? FRESHLINK_TRUNCATE : FRESHLINK_DISCARD;
	if (kind == PROBE_PLAIN)
		return FDCCP_NEVER;
	return fl_now() + (kind == PROBE_VALID ? FRESHLINK_RELATIVE_MAX * (int64_t)FL_MS : 0);
}

/* Whether an answer may still come: a message that the probe was discarded may be forged. */
static bool is_open(const struct probe_answer *answer)
{
	return !answer->here &&
	       (answer->outcome == PROBE_MISSING || answer->outcome == PROBE_REPORTED);
}

/* An answer says more than a message that may be forged, and both more than nothing. */
static void take(struct rounds *r, const struct probe_answer *answer)
{
	for (unsigned int i = 0; i < r->count; i++) {
		struct probe_answer *known = &r->shot[i].answer;

		if (known->id != answer->id)
			continue;
		if (is_open(known))
			*known = *answer;
	}
}

/* Whether an answer to one of the last round's probes may still come. */
static bool awaits(const struct rounds *r)
{
	for (unsigned int i = r->count - PROBE_ROUND; i < r->count; i++) {
		if (is_open(&r->shot[i].answer))
			return true;
	}
	return false;
}

/* Takes answers until a time, or with @all until the round has all. Return: false after a signal */
static bool listen_until(struct rounds *r, int64_t until, bool all)
{
	struct probe_answer answer;

	while (!all || awaits(r)) {
		if (r->way->next(r->way, until, &answer, &r->signal))
			take(r, &answer);
		else if (r->signal || fl_now() >= until)
			break;
	}
	return !r->signal;
}

static struct probe_evidence evidence_of(const struct rounds *r)
{
	struct probe_evidence e = {
		.tells_length = r->way->tells_length, .tells_option = r->way->tells_option,
	};

	e.count[PROBE_PLAIN][PROBE_MISSING] = r->way->unanswered;
	for (unsigned int i = 0; i < r->count; i++) {
		const struct probe_answer *answer = &r->shot[i].answer;

		if (answer->here)
			continue;
		e.count[r->shot[i].kind][answer->outcome]++;
		/* the peer does not tell after all */
		if (answer->outcome == PROBE_ANSWERED)
			e.tells_length = e.tells_option = false;
	}
	return e;
}

/* Whether all probes that shall be discarded ended in a queue of this host, so that nothing can be
 * known by them of the path behind.
 */
static bool ends_here(const struct rounds *r)
{
	unsigned int here = 0, sent = 0;

	for (unsigned int i = 0; i < r->count; i++) {
		if (r->shot[i].kind != PROBE_DISCARD)
			continue;
		sent++;
		here += r->shot[i].answer.here;
	}
	return here == sent && here >= HERE_ENOUGH;
}

/* Sends the probes of a round, and takes answers. Return: false after a signal or an error */
static bool run_round(struct rounds *r, uint64_t *state)
{
	enum probe_kind kinds[PROBE_ROUND];

	probe_round(kinds, state);
	for (int i = 0; i < PROBE_ROUND; i++) {
		struct shot *shot = &r->shot[r->count];

		*shot = (struct shot){ .kind = kinds[i] };
		if (!r->way->send(r->way, kinds[i], &shot->answer.id))
			return false;
		r->count++;
		if (i < PROBE_ROUND - 1 && !listen_until(r, fl_now() + PROBE_SPACING, false))
			return false;
	}
	return listen_until(r, fl_now() + probe_patience(r->way->rtt), true);
}

static void judge(const struct rounds *r, struct probe_result *result)
{
	struct probe_evidence e = evidence_of(r);
	struct probe_judgement j = probe_judge(&e);

	*result = (struct probe_result){
		.verdict = j.verdict, .wrong = j.wrong, .sent = r->count, .signal = r->signal,
	};
	for (unsigned int i = 0; i < r->count; i++) {
		const struct probe_answer *answer = &r->shot[i].answer;

		result->here += answer->here;
		result->answered += !is_open(answer) && !answer->here;
	}
	if (result->verdict == PROBE_UNDECIDED && ends_here(r)) {
		result->verdict = PROBE_DISCARDS;
		result->wrong = 0;
	}
}

void probe_run(struct probe_way *way, struct probe_result *result)
{
	struct rounds r = { .way = way };
	int64_t end = fl_now() + PROBE_TIME;
	uint64_t state = 0;

	/* the order need not be secret */
	if (getrandom(&state, sizeof(state), 0) < 0)
		state = (uint64_t)fl_now();
	do {
		bool going = run_round(&r, &state);

		judge(&r, result);
		if (!going)
			return;
	} while (result->verdict == PROBE_UNDECIDED && r.count < PROBE_MAX && fl_now() < end);
}
