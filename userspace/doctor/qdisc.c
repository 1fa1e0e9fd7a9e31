// SPDX-License-Identifier: GPL-2.0-or-later
/* The qdiscs of the device: see judge.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

#define ROOT	UINT32_MAX	/* TC_H_ROOT */
#define DEPTH	8		/* maximum depth of a tree, as in the kernel */

const struct doctor_qdisc *doctor_find_root(const struct doctor_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		if (facts->qdiscs[i].parent == ROOT)
			return &facts->qdiscs[i];
	return NULL;
}

const struct doctor_qdisc *doctor_find_lpd(const struct doctor_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		if (!strcmp(facts->qdiscs[i].kind, "lpd"))
			return &facts->qdiscs[i];
	return NULL;
}

const struct doctor_qdisc *doctor_find_shaper(const struct doctor_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		if (facts->qdiscs[i].shapes)
			return &facts->qdiscs[i];
	return NULL;
}

static bool is_child(const struct doctor_qdisc *child, const struct doctor_qdisc *parent)
{
	return child->parent != ROOT && child->parent >> 16 == parent->handle >> 16;
}

/* The child of a qdisc that holds more than a number of bytes, or NULL. */
static const struct doctor_qdisc *heavy_child(const struct doctor_facts *facts,
					      const struct doctor_qdisc *parent, uint32_t bytes)
{
	for (size_t i = 0; i < facts->count; i++)
		if (&facts->qdiscs[i] != parent && is_child(&facts->qdiscs[i], parent) &&
		    facts->qdiscs[i].backlog > bytes)
			return &facts->qdiscs[i];
	return NULL;
}

/* What waits in a class of lpd waits in lpd. */
const struct doctor_qdisc *doctor_find_holder(const struct doctor_facts *facts)
{
	const struct doctor_qdisc *lower = doctor_find_root(facts), *holder = NULL;
	uint32_t half = lower ? lower->backlog / 2 : 0;

	if (!half)
		return NULL;
	for (int depth = 0; lower && depth < DEPTH; depth++) {
		holder = lower;
		lower = holder == doctor_find_lpd(facts) ? NULL : heavy_child(facts, holder, half);
	}
	return holder;
}

const char *doctor_where(const struct doctor_qdisc *qdisc, char *buf)
{
	if (qdisc->parent == ROOT)
		return "root";
	snprintf(buf, DOCTOR_WHERE, "parent %x:%x", qdisc->parent >> 16, qdisc->parent & 0xffff);
	return buf;
}

void doctor_judge_lpd(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_qdisc *lpd = doctor_find_lpd(facts), *root = doctor_find_root(facts);
	char where[DOCTOR_WHERE];

	if (!lpd) {
		doctor_say(f, "absent", "There is no lpd on this device, so nothing discards stale packets.");
		doctor_advise(f, "tc qdisc replace dev %s root lpd limit 1000", facts->dev);
	} else if (lpd == root) {
		doctor_say(f, "root", "lpd is the root qdisc.");
	} else if (root && !strncmp(root->kind, "mq", 2)) {
		doctor_say(f, "mq", "lpd is below %s, once for each queue of the device. freshlink pace needs one lpd as the root qdisc.",
			   root->kind);
		doctor_advise(f, "tc qdisc replace dev %s root lpd limit 1000   # for freshlink pace",
			      facts->dev);
	} else {
		doctor_say(f, "below", "lpd is below %s (%s). freshlink pace needs lpd as the root qdisc.",
			   root ? root->kind : "another qdisc", doctor_where(lpd, where));
		doctor_advise(f, "tc qdisc replace dev %s root lpd limit 1000   # for freshlink pace",
			      facts->dev);
	}
}

void doctor_judge_shaper(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_qdisc *shaper = doctor_find_shaper(facts);
	char where[DOCTOR_WHERE];

	if (!shaper) {
		doctor_say(f, "none", "No qdisc of this device limits the rate.");
	} else if (doctor_find_place(facts) == DOCTOR_BELOW) {
		doctor_say(f, "fast", "%s limits the rate, but packets wait below the qdiscs: the rate of %s is above the rate of the link.",
			   shaper->kind, shaper->kind);
		if (facts->trial.rate && !strcmp(shaper->kind, "tbf"))
			doctor_advise(f, "tc qdisc change dev %s %s tbf rate %" PRIu64 "kbit burst 5kb limit 1mb   # if the link's rate is constant",
				      facts->dev, doctor_where(shaper, where),
				      facts->trial.rate * 8 / 1000 * 9 / 10);
	} else {
		doctor_say(f, "there", "%s limits the rate. If the link becomes slower than this rate, packets wait in the modem.",
			   shaper->kind);
	}
}

void doctor_judge_lifetimes(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_qdisc *lpd = doctor_find_lpd(facts);
	uint64_t with = facts->lpd.packets - facts->lpd.no_lifetime;
	char where[DOCTOR_WHERE];

	if (!lpd) {
		doctor_say(f, "unknown", "Whether packets have a lifetime is unknown: there is no lpd to count them.");
	} else if (!facts->lpd.packets) {
		doctor_say(f, "idle", "No packet has come to lpd yet.");
	} else if (with) {
		doctor_say(f, "some", "%" PRIu64 " of %" PRIu64 " packets had a lifetime when they came to lpd, or got it there%s.",
			   with, facts->lpd.packets,
			   facts->lpd.has_rule ? "" : " (lpd has no rule that gives one)");
	} else {
		doctor_say(f, "none", "None of %" PRIu64 " packets had a lifetime, so none became stale. Let the senders set a lifetime (freshlink profile add), or let lpd match a DSCP, a mark or a priority.",
			   facts->lpd.packets);
		doctor_advise(f, "tc qdisc change dev %s %s lpd match dscp ef 200ms", facts->dev,
			      doctor_where(lpd, where));
	}
}
