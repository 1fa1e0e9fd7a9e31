// SPDX-License-Identifier: GPL-2.0-or-later
/* The rounds of freshlink probe, with a way that a test controls, in simulated time. Prints TAP. */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/cli/probe.h"
#include "../../userspace/lib/clock.h"
#include "unit.h"

#define MS	INT64_C(1000000)
#define DELAY	(30 * MS)	/* until an answer comes */

static int64_t clock_ns;

int64_t fl_now(void)
{
	return clock_ns;
}

/**
 * struct fake - a way
 * @way: as probe_run() sees it
 * @outcome: of each kind, MISSING: no answer
 * @here: a queue of this host discards what shall be discarded
 * @first: a message that is forged comes before each answer
 * @sent: probes
 * @when: when the answer to each comes
 * @kind: of each
 * @told: what @first and answers have been told so far
 * @stop: a signal comes after so many probes, 0: none
 * @limit: no more can be sent
 */
struct fake {
	struct probe_way way;
	enum probe_outcome outcome[PROBE_KINDS];
	bool here, first;
	unsigned int sent, stop, limit;
	int64_t when[PROBE_MAX + 1];
	enum probe_kind kind[PROBE_MAX + 1];
	unsigned int told[PROBE_MAX + 1];
	int64_t began;
};

static bool fake_send(struct probe_way *way, enum probe_kind kind, uint64_t *id)
{
	struct fake *f = (struct fake *)way;

	if (f->sent == f->limit)
		return false;
	f->when[f->sent] = clock_ns + DELAY;
	f->kind[f->sent] = kind;
	*id = 1000 + f->sent++;
	return true;
}

/* Fills the next answer to a probe. Return: whether there is one */
static bool answer_of(struct fake *f, unsigned int i, struct probe_answer *answer)
{
	enum probe_outcome outcome = f->outcome[f->kind[i]];
	bool here = f->here && f->kind[i] == PROBE_DISCARD;
	unsigned int first = f->first ? 2 : 0;

	*answer = (struct probe_answer){ .id = 1000 + i, .here = here, .outcome = outcome };
	if (here)
		answer->outcome = PROBE_MISSING;
	if (f->told[i] < first) {
		/* of a probe that was never sent, and that it was discarded */
		answer->id = f->told[i] ? 1000 + i : 7;
		answer->outcome = PROBE_REPORTED;
		answer->here = false;
		f->told[i]++;
		return true;
	}
	if (f->told[i] > first || (outcome == PROBE_MISSING && !here))
		return false;
	f->told[i]++;
	return true;
}

static bool fake_next(struct probe_way *way, int64_t until, struct probe_answer *answer,
		      int *signal)
{
	struct fake *f = (struct fake *)way;

	*signal = 0;
	for (unsigned int i = 0; i < f->sent; i++) {
		if (f->when[i] > until || !answer_of(f, i, answer))
			continue;
		clock_ns = f->when[i] > clock_ns ? f->when[i] : clock_ns;
		return true;
	}
	clock_ns = until > clock_ns ? until : clock_ns;
	*signal = f->stop && f->sent >= f->stop ? 15 : 0;
	return false;
}

/* Probes with these outcomes, by kind. */
static struct probe_result run(struct fake *f, const enum probe_outcome outcome[PROBE_KINDS])
{
	struct probe_result result;

	f->way = (struct probe_way){ .send = fake_send, .next = fake_next, .tells_length = true,
				     .tells_option = true, .rtt = DELAY };
	memcpy(f->outcome, outcome, sizeof(f->outcome));
	f->limit = f->limit ? f->limit : PROBE_MAX + 1;
	f->began = clock_ns = 1000000 * MS;
	probe_run(&f->way, &result);
	return result;
}

static const enum probe_outcome tolerates[] = {
	PROBE_BARE, PROBE_STAMPED, PROBE_STAMPED, PROBE_STAMPED,
};
static const enum probe_outcome discards[] = {
	PROBE_BARE, PROBE_STAMPED, PROBE_MISSING, PROBE_MISSING,
};
static const enum probe_outcome unclear[] = {
	PROBE_BARE, PROBE_MISSING, PROBE_STAMPED, PROBE_MISSING,
};

/* A round whose probes are all answered ends with the last answer. */
static bool test_early(void)
{
	struct fake f = { 0 };
	struct probe_result r = run(&f, tolerates);

	MUST(r.verdict == PROBE_TOLERATES && r.sent == 8 && r.answered == 8 && !r.here);
	MUST(clock_ns - f.began == 7 * PROBE_SPACING + DELAY);
	return true;
}

/* Where answers are missing, each round waits for them, and the rounds end within 5 s. */
static bool test_patient(void)
{
	struct fake f = { 0 };
	struct probe_result r = run(&f, discards);

	MUST(r.verdict == PROBE_DISCARDS && r.sent == 24 && r.answered == 12);
	MUST(clock_ns - f.began == 3 * (7 * PROBE_SPACING + 200 * MS));
	return true;
}

/* Answers that contradict each other end after 64 probes or 5 s, at the latest. */
static bool test_bounds(void)
{
	for (int64_t rtt = 0; rtt <= 2000 * MS; rtt += 1000 * MS) {
		struct fake f = { 0 };
		struct probe_result r;

		f.way.rtt = rtt;
		r = run(&f, unclear);
		MUST(r.sent <= PROBE_MAX && clock_ns - f.began <= PROBE_TIME);
		MUST(r.verdict != PROBE_DROPS && r.verdict != PROBE_NO_ANSWER);
	}
	return true;
}

/* Messages about probes that were not sent count for nothing, and a message that a probe was
 * discarded does not count once the probe is answered.
 */
static bool test_forged(void)
{
	struct fake f = { .first = true };
	struct probe_result r = run(&f, tolerates);

	MUST(r.verdict == PROBE_TOLERATES && r.sent == 8 && r.answered == 8);
	return true;
}

/* What this host discards says nothing of the path, and is the verdict if nothing else is known. */
static bool test_here(void)
{
	static const enum probe_outcome cuts[] = {
		PROBE_BARE, PROBE_STAMPED, PROBE_MISSING, PROBE_HEADERS,
	};
	struct fake f = { .here = true }, g = { .here = true };
	struct probe_result r = run(&f, discards);

	MUST(r.verdict == PROBE_DISCARDS && r.here == 2 && r.sent == 8 && r.answered == 4);
	r = run(&g, cuts);
	MUST(r.verdict == PROBE_CUTS && r.here == 2 && r.answered == 6);
	return true;
}

/* Where nothing comes back, that is the verdict. */
static bool test_unanswered(void)
{
	static const enum probe_outcome nothing[PROBE_KINDS] = { PROBE_MISSING };
	struct fake f = { 0 };
	struct probe_result r = run(&f, nothing);

	MUST(r.verdict == PROBE_NO_ANSWER && !r.answered && r.sent > 8);
	return true;
}

/* A signal, and a way that sends no more, end it. */
static bool test_ends(void)
{
	struct fake f = { .stop = 3 }, g = { .limit = 3 };
	struct probe_result r = run(&f, discards);

	MUST(r.signal == 15 && r.sent == 3);
	r = run(&g, discards);
	MUST(!r.signal && r.sent == 3 && r.verdict == PROBE_UNDECIDED);
	return true;
}

static const struct unit tests[] = {
	{ "a round ends with its last answer", test_early },
	{ "missing answers are waited for", test_patient },
	{ "the bounds of 64 probes and 5 s", test_bounds },
	{ "forged messages", test_forged },
	{ "what this host discards", test_here },
	{ "a host without an answer", test_unanswered },
	{ "signals and errors", test_ends },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
