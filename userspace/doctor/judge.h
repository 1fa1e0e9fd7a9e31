/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings of freshlink doctor: what the facts mean, in words, and what to type.
 *
 * queue.c says where packets wait. qdisc.c judges the qdiscs, path.c the device and
 * the path, and installation.c what is installed.
 */
#ifndef FRESHLINK_DOCTOR_JUDGE_H
#define FRESHLINK_DOCTOR_JUDGE_H

#include "facts.h"

#define DOCTOR_LINES	3	/* lines of advice */

/**
 * struct doctor_finding - a finding
 * @name: what the finding is about
 * @state: one word for programs
 * @text: sentences
 * @advice: lines to type, as many as are not empty
 */
struct doctor_finding {
	const char *name;
	const char *state;
	char text[512];
	char advice[DOCTOR_LINES][192];
};

#define DOCTOR_FINDINGS	9

/**
 * doctor_judge - judge the facts
 * @facts: the facts
 * @findings: written, DOCTOR_FINDINGS findings
 */
void doctor_judge(const struct doctor_facts *facts, struct doctor_finding *findings);

/**
 * enum doctor_place - where packets wait
 * @DOCTOR_UNSEEN: unknown
 * @DOCTOR_NOWHERE: the load met no queue
 * @DOCTOR_IN_LPD: in lpd
 * @DOCTOR_IN_QDISC: in another qdisc
 * @DOCTOR_BELOW: below the qdiscs, in the driver or the modem
 */
enum doctor_place {
	DOCTOR_UNSEEN,
	DOCTOR_NOWHERE,
	DOCTOR_IN_LPD,
	DOCTOR_IN_QDISC,
	DOCTOR_BELOW,
};

/** doctor_find_place - where packets wait */
enum doctor_place doctor_find_place(const struct doctor_facts *facts);

/**
 * enum doctor_overtaking - whether probes overtake packets below the qdiscs
 * @DOCTOR_NOT_SEEN: unknown
 * @DOCTOR_IN_ORDER: they do not
 * @DOCTOR_OVERTAKES: they do, so an answer says nothing about other packets
 */
enum doctor_overtaking {
	DOCTOR_NOT_SEEN,
	DOCTOR_IN_ORDER,
	DOCTOR_OVERTAKES,
};

/** doctor_find_overtaking - whether probes overtake packets below the qdiscs */
enum doctor_overtaking doctor_find_overtaking(const struct doctor_facts *facts);

/** doctor_find_root - the root qdisc, or NULL */
const struct doctor_qdisc *doctor_find_root(const struct doctor_facts *facts);

/** doctor_find_lpd - the first lpd, or NULL */
const struct doctor_qdisc *doctor_find_lpd(const struct doctor_facts *facts);

/** doctor_find_shaper - the first qdisc that limits the rate, or NULL */
const struct doctor_qdisc *doctor_find_shaper(const struct doctor_facts *facts);

/** doctor_find_holder - the lowest qdisc that holds more than half of the backlog, or NULL */
const struct doctor_qdisc *doctor_find_holder(const struct doctor_facts *facts);

/**
 * doctor_where - a qdisc's place, as tc has it
 * @qdisc: the qdisc
 * @buf: written, 24 bytes
 *
 * Return: @buf, such as "root" or "parent 1:1"
 */
const char *doctor_where(const struct doctor_qdisc *qdisc, char *buf);

#define DOCTOR_WHERE	24	/* bytes of the place of a qdisc */

/* The findings, one function each. */
void doctor_judge_backlog(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_overtaking(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_lpd(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_shaper(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_lifetimes(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_options(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_device(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_flowtable(const struct doctor_facts *facts, struct doctor_finding *f);
void doctor_judge_installation(const struct doctor_facts *facts, struct doctor_finding *f);

/** doctor_say - begin a finding with its state and its text */
void doctor_say(struct doctor_finding *f, const char *state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** doctor_advise - add a line of advice */
void doctor_advise(struct doctor_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
