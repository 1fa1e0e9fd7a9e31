// SPDX-License-Identifier: GPL-2.0-or-later
/* The judge of freshlink probe, in simulated paths that lose packets at random. Prints TAP. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/cli/random.h"
#include "../../userspace/probe/judge.h"
#include "../../userspace/probe/plan.h"
#include "unit.h"

#define PATHS		1000
#define LOSS_MAX	0.2	/* in each direction */

static uint64_t seed = 1;

/**
 * struct path - a path
 * @does: its verdict
 * @there: share of packets lost on the way there
 * @back: and back
 * @cuts_all: it cuts what shall be discarded as well
 * @strips: a router that enforces lifetimes strips the option from what it sends on
 */
struct path {
	enum probe_verdict does;
	double there, back;
	bool cuts_all, strips;
};

/* What the other end is: it tells what arrived, only how much, or nothing. */
enum peer { OURS, ECHO, FOREIGN, PEERS };

static bool is_stale(enum probe_kind kind)
{
	return kind == PROBE_DISCARD || kind == PROBE_CUT;
}

/* What a path without losses does with a probe; PROBE_MISSING: it vanishes. */
static enum probe_outcome pass(const struct path *p, enum probe_kind kind)
{
	if (p->does == PROBE_NO_ANSWER)
		return PROBE_MISSING;
	if (kind == PROBE_PLAIN)
		return PROBE_BARE;
	if (p->does == PROBE_DROPS)
		return PROBE_MISSING;
	if (p->does == PROBE_DISCARDS && is_stale(kind))
		return PROBE_MISSING;
	if (p->does == PROBE_CUTS && is_stale(kind))
		return kind == PROBE_CUT || p->cuts_all ? PROBE_HEADERS : PROBE_MISSING;
	return p->does == PROBE_STRIPS || p->strips ? PROBE_BARE : PROBE_STAMPED;
}

static enum probe_outcome told(enum peer peer, enum probe_outcome arrived)
{
	if (peer == FOREIGN)
		return PROBE_ANSWERED;
	return peer == ECHO && arrived != PROBE_HEADERS ? PROBE_WHOLE : arrived;
}

static enum probe_outcome send(const struct path *p, enum peer peer, enum probe_kind kind)
{
	enum probe_outcome arrived = pass(p, kind);

	if (arrived == PROBE_MISSING || random_unit(&seed) <= p->there ||
	    random_unit(&seed) <= p->back)
		return PROBE_MISSING;
	return told(peer, arrived);
}

/* Probes a path. Writes how many probes it took. */
static enum probe_verdict probe(const struct path *p, enum peer peer, unsigned int *probes)
{
	struct probe_evidence e = { .tells_length = peer != FOREIGN, .tells_option = peer == OURS };
	enum probe_verdict verdict = PROBE_UNDECIDED;

	for (*probes = 0; *probes < PROBE_MAX && verdict == PROBE_UNDECIDED;) {
		enum probe_kind kinds[PROBE_ROUND];

		probe_round(kinds, &seed);
		for (int i = 0; i < PROBE_ROUND; i++)
			e.count[kinds[i]][send(p, peer, kinds[i])]++;
		*probes += PROBE_ROUND;
		verdict = probe_judge(&e).verdict;
	}
	return verdict;
}

/* A path of the kind @does with random losses. */
static struct path draw(enum probe_verdict does)
{
	return (struct path){
		.does = does,
		.there = random_unit(&seed) * LOSS_MAX,
		.back = random_unit(&seed) * LOSS_MAX,
		.cuts_all = random_next(&seed) & 1,
		.strips = (does == PROBE_CUTS || does == PROBE_DISCARDS) && random_next(&seed) & 1,
	};
}

/* What can be known of a path without the peer's help. */
static enum probe_verdict knowable(const struct path *p, enum peer peer)
{
	if (p->does == PROBE_STRIPS && peer != OURS)
		return PROBE_TOLERATES;
	if (p->does == PROBE_CUTS && p->cuts_all && peer == FOREIGN)
		return PROBE_TOLERATES;
	return p->does;
}

/* Probes paths of all six kinds. Return: how many verdicts were wrong or none. */
static unsigned int probe_paths(enum peer peer, unsigned int paths)
{
	unsigned int wrong = 0, probes, most = 0;
	uint64_t sum = 0, began = seed;

	for (unsigned int i = 0; i < paths; i++) {
		const struct path p = draw(i % PROBE_VERDICTS);
		enum probe_verdict verdict = probe(&p, peer, &probes);

		if (verdict != knowable(&p, peer)) {
			printf("# %d for a path that is %d, losses %.2f and %.2f\n", verdict,
			       p.does, p.there, p.back);
			wrong++;
		}
		sum += probes;
		most = probes > most ? probes : most;
	}
	printf("# seed %" PRIu64 ", %u paths: %u wrong, %.1f probes on average, %u at most\n", began,
	       paths, wrong, (double)sum / paths, most);
	return wrong;
}

/* Of 1000 paths of all six kinds with losses up to 20 % in each direction, at most one is judged
 * wrongly, whatever the peer tells. FL_SOAK: a million paths, and no more than one in 1000.
 */
static bool test_paths(void)
{
	unsigned int thousands = getenv("FL_SOAK") ? 1000 : 1;

	for (enum peer peer = 0; peer < PEERS; peer++) {
		unsigned int wrong = probe_paths(peer, thousands * PATHS);

		MUST(wrong <= thousands);
	}
	return true;
}

/* Where no packet is lost, three rounds decide. */
static bool test_clean(void)
{
	for (enum peer peer = 0; peer < PEERS; peer++) {
		for (enum probe_verdict v = 0; v < PROBE_NO_ANSWER; v++) {
			const struct path p = { .does = v };
			unsigned int probes;

			MUST(probe(&p, peer, &probes) == knowable(&p, peer));
			printf("# peer %d, path %d: %u probes\n", peer, v, probes);
			MUST(probes <= 3 * PROBE_ROUND);
		}
	}
	return true;
}

/* Without a probe, nothing is known. */
static bool test_nothing(void)
{
	const struct probe_evidence none = { 0 };
	struct probe_judgement j = probe_judge(&none);

	MUST(j.verdict == PROBE_UNDECIDED);
	MUST(j.wrong > 0.5);
	return true;
}

/* Five valid probes missing beside three answered plain ones are no proof that the option is
 * dropped where a third of the answers is missing.
 */
static bool test_lossy(void)
{
	struct probe_evidence e = { .tells_length = true, .tells_option = true };

	e.count[PROBE_PLAIN][PROBE_BARE] = 3;
	e.count[PROBE_PLAIN][PROBE_MISSING] = 2;
	e.count[PROBE_VALID][PROBE_MISSING] = 5;
	MUST(probe_judge(&e).verdict == PROBE_UNDECIDED);
	e.count[PROBE_VALID][PROBE_STAMPED] = 2;
	e.count[PROBE_DISCARD][PROBE_STAMPED] = 4;
	MUST(probe_judge(&e).verdict == PROBE_TOLERATES);
	return true;
}

/* A router's message about a discarded packet counts for more than a missing answer. */
static bool test_reported(void)
{
	struct probe_evidence e = { .tells_length = true, .tells_option = true };

	e.count[PROBE_PLAIN][PROBE_BARE] = e.count[PROBE_VALID][PROBE_STAMPED] = 2;
	e.count[PROBE_DISCARD][PROBE_MISSING] = e.count[PROBE_CUT][PROBE_MISSING] = 2;
	MUST(probe_judge(&e).verdict == PROBE_UNDECIDED);
	e.count[PROBE_DISCARD][PROBE_MISSING] = e.count[PROBE_CUT][PROBE_MISSING] = 0;
	e.count[PROBE_DISCARD][PROBE_REPORTED] = e.count[PROBE_CUT][PROBE_REPORTED] = 2;
	MUST(probe_judge(&e).verdict == PROBE_DISCARDS);
	return true;
}

/* A path that changes its mind halfway never makes the judge divide by zero. */
static bool test_contradiction(void)
{
	struct probe_evidence e = { .tells_length = true, .tells_option = true };
	struct probe_judgement j;

	for (int kind = 0; kind < PROBE_KINDS; kind++)
		for (int outcome = 0; outcome < PROBE_OUTCOMES; outcome++)
			e.count[kind][outcome] = PROBE_MAX;
	j = probe_judge(&e);
	MUST(j.wrong >= 0 && j.wrong <= 1);
	return true;
}

/* A round has two probes of each kind, in an order that changes. */
static bool test_round(void)
{
	enum probe_kind first[PROBE_ROUND], kinds[PROBE_ROUND];
	unsigned int same = 0;

	probe_round(first, &seed);
	for (int i = 0; i < 100; i++) {
		unsigned int count[PROBE_KINDS] = { 0 };

		probe_round(kinds, &seed);
		for (int k = 0; k < PROBE_ROUND; k++)
			count[kinds[k]]++;
		for (int k = 0; k < PROBE_KINDS; k++)
			MUST(count[k] == PROBE_ROUND / PROBE_KINDS);
		same += !memcmp(first, kinds, sizeof(kinds));
	}
	/* of 2520 orders */
	MUST(same <= 2);
	return true;
}

/* All rounds together take no longer than 5 s, whatever the round-trip time is. */
static bool test_times(void)
{
	const int64_t rtts[] = { -1, 0, 1, 1000000, 80000000, 600000000, INT64_MAX };

	for (unsigned int i = 0; i < sizeof(rtts) / sizeof(rtts[0]); i++) {
		int64_t patience = probe_patience(rtts[i]);

		MUST(patience >= 200000000);
		MUST(PROBE_ROUNDS * ((PROBE_ROUND - 1) * PROBE_SPACING + patience) <= PROBE_TIME);
	}
	MUST(probe_patience(100000000) == 300000000);
	return true;
}

static const struct unit tests[] = {
	{ "1000 lossy paths of all six kinds, at most one wrong", test_paths },
	{ "paths without losses, by three rounds", test_clean },
	{ "nothing known without a probe", test_nothing },
	{ "losses are not taken for a verdict", test_lossy },
	{ "a router's message counts", test_reported },
	{ "contradictions stay in range", test_contradiction },
	{ "two probes of each kind in a mixed order", test_round },
	{ "all rounds within 5 s", test_times },
};

int main(void)
{
	if (getenv("seed"))
		seed = strtoull(getenv("seed"), NULL, 0);
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
