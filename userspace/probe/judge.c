// SPDX-License-Identifier: GPL-2.0-or-later
/* Likelihoods of what a path may do with probes: see judge.h. */
#include <math.h>

#include "judge.h"

#define WRONG_MAX	0.0002	/* below 1 in 1000, also if losses are not as evenly spread as assumed */
#define LOSS_STEPS	9	/* answers missing: 0, 4, ... 36 %, which is 20 % in each direction */
#define LOSS_STEP	0.04
#define SURPRISE	0.001	/* probability of what a path of the kind does not do */

/* how a probe reaches the other end, without losses */
enum arrival { GONE, STAMPED, BARE, HEADERS };

/**
 * struct behaviour - what a path may do
 * @verdict: how that is called; the behaviours of a verdict share its probability
 * @valid: what becomes of PROBE_VALID
 * @discard: of PROBE_DISCARD
 * @cut: of PROBE_CUT
 */
struct behaviour {
	enum probe_verdict verdict;
	enum arrival valid, discard, cut;
};

/* A router may enforce lifetimes as packets ask, or discard or cut all that is stale, and strip the
 * option from what it sends on. So the verdict is about stale packets; only where they arrive whole
 * does the option tell.
 */
static const struct behaviour behaviours[] = {
	{ PROBE_TOLERATES, STAMPED, STAMPED, STAMPED },
	{ PROBE_DISCARDS, STAMPED, GONE, GONE },
	{ PROBE_DISCARDS, BARE, GONE, GONE },
	{ PROBE_CUTS, STAMPED, GONE, HEADERS },
	{ PROBE_CUTS, BARE, GONE, HEADERS },
	{ PROBE_CUTS, STAMPED, HEADERS, HEADERS },
	{ PROBE_CUTS, BARE, HEADERS, HEADERS },
	{ PROBE_STRIPS, BARE, BARE, BARE },
	{ PROBE_DROPS, GONE, GONE, GONE },
	{ PROBE_NO_ANSWER, GONE, GONE, GONE },
};

#define BEHAVIOURS	(sizeof(behaviours) / sizeof(behaviours[0]))

static enum arrival arrival_of(const struct behaviour *b, enum probe_kind kind)
{
	switch (kind) {
	case PROBE_VALID:
		return b->valid;
	case PROBE_DISCARD:
		return b->discard;
	case PROBE_CUT:
		return b->cut;
	default:
		return b->verdict == PROBE_NO_ANSWER ? GONE : BARE;
	}
}

/* Whether answers could show that a path behaves like this. */
static bool is_visible(const struct behaviour *b, const struct probe_evidence *e)
{
	if (b->verdict == PROBE_STRIPS)
		return e->tells_option;
	return b->discard != HEADERS || e->tells_length;
}

/* Whether an answer fits to how the probe arrived. */
static bool fits(enum probe_kind kind, enum arrival arrival, enum probe_outcome outcome)
{
	switch (outcome) {
	case PROBE_ANSWERED:
		return true;
	case PROBE_WHOLE:
		return arrival != HEADERS;
	case PROBE_STAMPED:
		/* a router may add the option to a packet without */
		return arrival == STAMPED || kind == PROBE_PLAIN;
	case PROBE_BARE:
		return arrival == BARE;
	case PROBE_HEADERS:
		return arrival == HEADERS;
	default:
		return false;
	}
}

/* The probability of an outcome where a share of @loss of the answers is missing. */
static double chance(enum probe_kind kind, enum arrival arrival, enum probe_outcome outcome,
		     double loss)
{
	if (arrival == GONE) {
		if (outcome == PROBE_MISSING)
			return 1 - SURPRISE;
		/* routers that discard may say so */
		return outcome == PROBE_REPORTED && kind != PROBE_PLAIN ? 0.5 : SURPRISE;
	}
	if (outcome == PROBE_MISSING)
		return loss > SURPRISE ? loss : SURPRISE;
	return fits(kind, arrival, outcome) ? 1 - loss : SURPRISE;
}

static double log_likelihood(const struct behaviour *b, const struct probe_evidence *e, double loss)
{
	double sum = 0;

	for (int kind = 0; kind < PROBE_KINDS; kind++) {
		for (int outcome = 0; outcome < PROBE_OUTCOMES; outcome++) {
			if (e->count[kind][outcome])
				sum += e->count[kind][outcome] *
				       log(chance(kind, arrival_of(b, kind), outcome, loss));
		}
	}
	return sum;
}

/* How many behaviours of this verdict answers could show. */
static unsigned int visible(enum probe_verdict verdict, const struct probe_evidence *e)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < BEHAVIOURS; i++)
		count += behaviours[i].verdict == verdict && is_visible(&behaviours[i], e);
	return count;
}

/* All losses are as probable as each other, and so are all verdicts. */
static double likelihood(const struct behaviour *b, const struct probe_evidence *e)
{
	double sum = 0;

	if (!is_visible(b, e))
		return 0;
	for (int step = 0; step <= LOSS_STEPS; step++)
		sum += exp(log_likelihood(b, e, step * LOSS_STEP));
	return sum / visible(b->verdict, e);
}

struct probe_judgement probe_judge(const struct probe_evidence *evidence)
{
	struct probe_judgement result = { .verdict = PROBE_TOLERATES, .wrong = 1 };
	double of[PROBE_VERDICTS] = { 0 }, sum = 0, rest = 0;

	for (unsigned int i = 0; i < BEHAVIOURS; i++)
		of[behaviours[i].verdict] += likelihood(&behaviours[i], evidence);
	for (int v = 0; v < PROBE_VERDICTS; v++) {
		sum += of[v];
		if (of[v] > of[result.verdict])
			result.verdict = v;
	}
	for (int v = 0; v < PROBE_VERDICTS; v++)
		rest += v == (int)result.verdict ? 0 : of[v];
	if (sum > 0)
		result.wrong = rest / sum;
	if (!(result.wrong < WRONG_MAX))
		result.verdict = PROBE_UNDECIDED;
	return result;
}
