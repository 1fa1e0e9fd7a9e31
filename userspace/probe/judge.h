/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The judge of freshlink probe: finds out by likelihood what a path does with lifetimes (Gurtov and
 * Ludwig 2003, section VI.A). Only computes.
 */
#ifndef FRESHLINK_PROBE_JUDGE_H
#define FRESHLINK_PROBE_JUDGE_H

#include <stdbool.h>

/**
 * enum probe_kind - packets that are sent to find out
 * @PROBE_PLAIN: without the option
 * @PROBE_VALID: with a long lifetime
 * @PROBE_DISCARD: stale, to be discarded
 * @PROBE_CUT: stale, to be cut to its headers
 */
enum probe_kind {
	PROBE_PLAIN,
	PROBE_VALID,
	PROBE_DISCARD,
	PROBE_CUT,
	PROBE_KINDS,
};

/**
 * enum probe_outcome - what is known of a probe
 * @PROBE_MISSING: no answer came in time
 * @PROBE_ANSWERED: it arrived; the answer says no more
 * @PROBE_WHOLE: it arrived whole; the answer does not tell the option
 * @PROBE_STAMPED: it arrived whole, with the option
 * @PROBE_BARE: it arrived whole, without the option
 * @PROBE_HEADERS: it arrived without its data
 * @PROBE_REPORTED: a router said that it discarded the packet as stale
 */
enum probe_outcome {
	PROBE_MISSING,
	PROBE_ANSWERED,
	PROBE_WHOLE,
	PROBE_STAMPED,
	PROBE_BARE,
	PROBE_HEADERS,
	PROBE_REPORTED,
	PROBE_OUTCOMES,
};

/**
 * enum probe_verdict - what a path does with lifetimes
 * @PROBE_TOLERATES: the option passes, and nothing is enforced
 * @PROBE_DISCARDS: stale packets vanish, valid ones pass
 * @PROBE_CUTS: of stale packets that shall be cut, the headers arrive
 * @PROBE_STRIPS: the option is removed, so that stale packets arrive whole
 * @PROBE_DROPS: all packets with the option vanish
 * @PROBE_NO_ANSWER: nothing comes back
 * @PROBE_UNDECIDED: the probes do not say which; of the judge only
 */
enum probe_verdict {
	PROBE_TOLERATES,
	PROBE_DISCARDS,
	PROBE_CUTS,
	PROBE_STRIPS,
	PROBE_DROPS,
	PROBE_NO_ANSWER,
	PROBE_VERDICTS,
	PROBE_UNDECIDED = PROBE_VERDICTS,
};

/**
 * struct probe_evidence - the probes of a path
 * @count: probes by kind and outcome. Probes that a queue of this host discarded are not among them,
 *	because they say nothing of the path
 * @tells_length: answers tell how much of a probe arrived
 * @tells_option: and whether it had the option
 */
struct probe_evidence {
	unsigned int count[PROBE_KINDS][PROBE_OUTCOMES];
	bool tells_length, tells_option;
};

/**
 * struct probe_judgement - the result
 * @verdict: the most probable one, or PROBE_UNDECIDED
 * @wrong: probability that the most probable one is wrong
 */
struct probe_judgement {
	enum probe_verdict verdict;
	double wrong;
};

/**
 * probe_judge - judge a path
 * @evidence: what the probes have shown
 *
 * Losses are random and independent, up to 20 % in each direction; how many is not known. What
 * answers cannot show is left out: without @tells_option a path that strips the option looks like
 * one that tolerates it, and without @tells_length so does one that cuts all stale packets.
 *
 * Return: the judgement, with PROBE_UNDECIDED while it is wrong too often
 */
struct probe_judgement probe_judge(const struct probe_evidence *evidence);

#endif
