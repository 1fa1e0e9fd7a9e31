// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where packets wait: see judge.h.
 *
 * The load waits for as long as its last packet is late. A part of this time is in the qdiscs. This
 * part ends when the qdiscs are empty again, and is at most their backlog right behind the load
 * divided by the rate. The rest is below. A probe that follows the load passes lpd first. Below the
 * qdiscs the probe is as late as the load, unless something there lets the probe overtake the load.
 */
#include <string.h>

#include "../lib/units.h"
#include "judge.h"

#define LATE		(10 * (int64_t)FL_MS)	/* a shorter delay is no sign of a queue */
#define BUCKET_PERCENT	90	/* of the measured rate, for the rate of a token bucket */

/* Whether the load met a queue, and not just the differences that there are without load. */
static bool is_late(const struct doctor_trial *t)
{
	return t->load.answered && t->load_late >= LATE && t->load_late >= 2 * t->spread;
}

/* The part of the load's delay that the load spent in the qdiscs. */
static int64_t late_above(const struct doctor_trial *t)
{
	int64_t late = t->rate ? (int64_t)(t->waiting * (double)FL_SEC / t->rate) : 0;

	if (late > t->held)
		late = t->held;
	return late < t->load_late ? late : t->load_late;
}

static enum doctor_place place_of_load(const struct doctor_facts *facts)
{
	const struct doctor_qdisc *holder = doctor_find_holder(facts);
	const struct doctor_trial *t = &facts->trial;

	if (!t->load.answered)
		return DOCTOR_UNSEEN;
	if (!is_late(t))
		return DOCTOR_NOWHERE;
	if (!holder || late_above(t) < t->load_late / 2)
		return DOCTOR_BELOW;
	return holder == doctor_find_lpd(facts) ? DOCTOR_IN_LPD : DOCTOR_IN_QDISC;
}

enum doctor_place doctor_find_place(const struct doctor_facts *facts)
{
	const struct doctor_qdisc *holder = doctor_find_holder(facts);

	if (facts->trial.state == DOCTOR_LOADED)
		return place_of_load(facts);
	if (!holder || facts->present < DOCTOR_PRESENT)
		return DOCTOR_UNSEEN;
	return holder == doctor_find_lpd(facts) ? DOCTOR_IN_LPD : DOCTOR_IN_QDISC;
}

enum doctor_overtaking doctor_find_overtaking(const struct doctor_facts *facts)
{
	const struct doctor_trial *t = &facts->trial;

	if (doctor_find_place(facts) != DOCTOR_BELOW || !t->has_probe)
		return DOCTOR_NOT_SEEN;
	return t->probe_late < (t->load_late - late_above(t)) / 2 ?
	       DOCTOR_OVERTAKES : DOCTOR_IN_ORDER;
}

/* Says why the place is unknown. */
static void say_unseen(const struct doctor_facts *facts, struct doctor_finding *f)
{
	static const char *const reasons[] = {
		[DOCTOR_NO_REFLECTOR] = "without a reflector there is no load, and no packets of other programs wait in a qdisc",
		[DOCTOR_NO_PRIVILEGE] = "probes need CAP_NET_ADMIN",
		[DOCTOR_NO_SOCKET] = "the kernel opened no socket for probes",
		[DOCTOR_NO_ANSWER] = "the reflector answered no probe",
		[DOCTOR_BUSY] = "the packets of other programs went away",
		[DOCTOR_LOADED] = "the reflector answered no packet of the load",
	};

	doctor_say(f, "unknown", "Where packets wait is unknown: %s%s.",
		   reasons[facts->trial.state],
		   facts->trial.state == DOCTOR_NO_PRIVILEGE ? facts->installation.right : "");
	if (facts->trial.state == DOCTOR_NO_REFLECTOR) {
		doctor_advise(f, "freshlink reflect --allow PREFIX   # on a server; PREFIX has this router's address");
		doctor_advise(f, "freshlink doctor %s --reflector SERVER", facts->dev);
	} else if (facts->trial.state == DOCTOR_NO_ANSWER) {
		doctor_advise(f, "freshlink reflect --allow PREFIX   # on %s; PREFIX has this router's address",
			      facts->reflector);
	}
}

static double seconds(int64_t ns)
{
	return ns / (double)FL_SEC;
}

static void say_nowhere(const struct doctor_facts *facts, struct doctor_finding *f)
{
	doctor_say(f, "none", "No queue: %u kB arrived, and the last packet was late by %.3f s only. The link is fast, or it has a queue only under the load of other programs.",
		   facts->trial.load_bytes / 1000, seconds(facts->trial.load_late));
	doctor_advise(f, "freshlink doctor %s --reflector %s   # during an upload", facts->dev,
		      facts->reflector);
}

static void say_in_lpd(const struct doctor_facts *facts, struct doctor_finding *f)
{
	if (facts->lpd.gate)
		doctor_say(f, "lpd", "Packets wait in lpd. freshlink pace runs on this device, and keeps them out of the modem.");
	else if (doctor_find_shaper(facts))
		doctor_say(f, "lpd", "Packets wait in lpd, because %s is slower than the link.",
			   doctor_find_shaper(facts)->kind);
	else
		doctor_say(f, "lpd", "Packets wait in lpd: the device pushes back. lpd alone is enough, and freshlink pace is not needed.");
}

/* Whether the qdiscs below the root are one for each queue of the device. */
static bool is_mq(const struct doctor_facts *facts)
{
	return !strncmp(doctor_find_root(facts)->kind, "mq", 2);
}

static void say_in_qdisc(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_qdisc *holder = doctor_find_holder(facts);
	char where[DOCTOR_WHERE];

	doctor_say(f, "qdisc", "Packets wait in the qdisc %s, which also sends stale packets.%s",
		   holder->kind, holder->shapes ? "" : " The device pushes back, so lpd in its place is enough.");
	if (!strcmp(holder->kind, "tbf"))
		doctor_advise(f, "tc qdisc replace dev %s parent %x:1 lpd limit 1000", facts->dev,
			      holder->handle >> 16);
	else
		doctor_advise(f, "tc qdisc replace dev %s %s lpd limit 1000", facts->dev,
			      is_mq(facts) ? "root" : doctor_where(holder, where));
}

static void advise_pace(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_qdisc *root = doctor_find_root(facts);

	if (!root || root != doctor_find_lpd(facts))
		doctor_advise(f, "tc qdisc replace dev %s root lpd limit 1000", facts->dev);
	doctor_advise(f, "freshlink pace %s --reflector %s", facts->dev, facts->reflector);
}

static void advise_bucket(const struct doctor_facts *facts, struct doctor_finding *f)
{
	unsigned long long kbit = facts->trial.rate * 8 / 1000 * BUCKET_PERCENT / 100;

	if (!kbit)
		return;
	doctor_advise(f, "tc qdisc replace dev %s root handle 1: tbf rate %llukbit burst 5kb limit 1mb",
		      facts->dev, kbit);
	doctor_advise(f, "tc qdisc replace dev %s parent 1:1 lpd limit 1000 rate %llukbit",
		      facts->dev, kbit);
}

static void say_below(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_trial *t = &facts->trial;
	bool fair = doctor_find_overtaking(facts) == DOCTOR_OVERTAKES;

	doctor_say(f, "below", "Packets wait below the qdiscs, in the driver or the modem, where lpd cannot discard them. The last of %u kB was late by %.3f s, of which %.3f s in the qdiscs. The link carries about %llu kbit/s.%s",
		   t->load_bytes / 1000, seconds(t->load_late), seconds(late_above(t)),
		   (unsigned long long)t->rate * 8 / 1000,
		   fair ? " Only a token bucket that is slower than the link helps." : "");
	if (fair)
		advise_bucket(facts, f);
	else
		advise_pace(facts, f);
}

void doctor_judge_backlog(const struct doctor_facts *facts, struct doctor_finding *f)
{
	static void (*const say[])(const struct doctor_facts *facts, struct doctor_finding *f) = {
		[DOCTOR_UNSEEN] = say_unseen, [DOCTOR_NOWHERE] = say_nowhere,
		[DOCTOR_IN_LPD] = say_in_lpd, [DOCTOR_IN_QDISC] = say_in_qdisc,
		[DOCTOR_BELOW] = say_below,
	};

	say[doctor_find_place(facts)](facts, f);
}

void doctor_judge_overtaking(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_trial *t = &facts->trial;

	switch (doctor_find_overtaking(facts)) {
	case DOCTOR_OVERTAKES:
		doctor_say(f, "yes", "A probe behind the load was late by %.3f s only, the load by %.3f s. Something below lets the probe overtake the load (fair queueing). The answers say nothing about other packets, so freshlink pace is of no use here.",
			   seconds(t->probe_late), seconds(t->load_late));
		break;
	case DOCTOR_IN_ORDER:
		doctor_say(f, "no", "A probe behind the load was late by %.3f s, the load by %.3f s. Nothing below overtakes.",
			   seconds(t->probe_late), seconds(t->load_late));
		break;
	case DOCTOR_NOT_SEEN:
		doctor_say(f, "unknown", "Whether something below overtakes is unknown: %s.",
			   doctor_find_place(facts) == DOCTOR_BELOW ?
			   "no probe behind the load was answered" :
			   "the probes met no queue below the qdiscs");
		break;
	}
}
