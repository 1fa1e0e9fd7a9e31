// SPDX-License-Identifier: GPL-2.0-or-later
/* The judgement of freshlink doctor: what it concludes from given facts. Prints TAP. */
#include <string.h>

#include "../../userspace/doctor/judge.h"
#include "unit.h"

#define MS	INT64_C(1000000)
#define ROOT	UINT32_MAX

static struct doctor_finding found[DOCTOR_FINDINGS];

/* A link of 250 kB/s below a root lpd. The load of 96 kB arrived 384 ms late, because it waited
 * below lpd.
 */
static struct doctor_facts link_facts(void)
{
	return (struct doctor_facts){
		.dev = "wwan0", .reflector = "192.0.2.1", .mtu = 1500,
		.segments = DOCTOR_NO, .merges = DOCTOR_NO,
		.qdiscs = { { .kind = "lpd", .handle = 0x10000, .parent = ROOT } }, .count = 1,
		.flowtable = { .there = DOCTOR_NO },
		.trial = {
			.state = DOCTOR_LOADED, .small = { 20, 20 }, .option = { 5, 5 },
			.can_option = true, .base = 40 * MS, .spread = 2 * MS,
			.load = { 64, 64 }, .load_bytes = 96000, .load_late = 384 * MS,
			.has_probe = true, .probe_late = 384 * MS, .rate = 250000,
			.held = 400 * MS,
		},
	};
}

static void judge(const struct doctor_facts *facts)
{
	doctor_judge(facts, found);
}

static const struct doctor_finding *finding(const char *name)
{
	for (int i = 0; i < DOCTOR_FINDINGS; i++)
		if (!strcmp(found[i].name, name))
			return &found[i];
	return &found[0];
}

static bool is(const char *name, const char *state)
{
	const struct doctor_finding *f = finding(name);

	if (!strcmp(f->state, state))
		return true;
	printf("# %s: %s, expected %s\n", name, f->state, state);
	return false;
}

/* Whether a line of advice is exactly @text, or does not exist if @text is NULL. */
static bool advises(const char *name, int line, const char *text)
{
	const char *advice = finding(name)->advice[line];

	if (!strcmp(advice, text ? text : ""))
		return true;
	printf("# %s: \"%s\"\n", name, advice);
	return false;
}

static bool test_every_finding_has_words(void)
{
	struct doctor_facts f = { .dev = "wwan0", .installation = { .right = "" } };

	for (int i = 0; i < 2; i++, f = link_facts()) {
		judge(&f);
		for (int k = 0; k < DOCTOR_FINDINGS; k++)
			MUST(found[k].name && found[k].state && found[k].text[0] &&
			     strlen(found[k].text) < sizeof(found[k].text) - 1);
	}
	return true;
}

static bool test_below(void)
{
	struct doctor_facts f = link_facts();

	judge(&f);
	MUST(is("backlog", "below") && is("overtaking", "no"));
	MUST(advises("backlog", 0, "freshlink pace wwan0 --reflector 192.0.2.1"));
	MUST(advises("backlog", 1, NULL));
	strcpy(f.qdiscs[0].kind, "fq_codel");
	judge(&f);
	MUST(advises("backlog", 0, "tc qdisc replace dev wwan0 root lpd limit 1000"));
	MUST(advises("backlog", 1, "freshlink pace wwan0 --reflector 192.0.2.1"));
	MUST(is("lpd", "absent"));
	return true;
}

/* The backlog is where the load spent more than half of its delay. */
static bool test_half(void)
{
	struct doctor_facts f = link_facts();

	f.trial.waiting = 47000;
	f.qdiscs[0].backlog = 47000;
	judge(&f);
	MUST(is("backlog", "below"));
	f.trial.waiting = 49000;
	f.qdiscs[0].backlog = 49000;
	judge(&f);
	MUST(is("backlog", "lpd") && is("overtaking", "unknown"));
	MUST(advises("backlog", 0, NULL));
	f.trial.waiting = UINT32_MAX;	/* more than the load: other traffic */
	judge(&f);
	MUST(is("backlog", "lpd"));
	return true;
}

/* A delay is no sign of a queue if it is less than 10 ms, or less than twice the spread of the
 * delays without load.
 */
static bool test_no_queue(void)
{
	struct doctor_facts f = link_facts();

	f.trial.load_late = 10 * MS - 1;
	judge(&f);
	MUST(is("backlog", "none"));
	f.trial.load_late = 10 * MS;
	judge(&f);
	MUST(is("backlog", "below"));
	f.trial.spread = 5 * MS + 1;
	judge(&f);
	MUST(is("backlog", "none"));
	f.trial.load.answered = 0;
	judge(&f);
	MUST(is("backlog", "unknown") && is("device", "mtu"));
	return true;
}

static bool test_overtaking(void)
{
	struct doctor_facts f = link_facts();

	f.trial.probe_late = 191 * MS;
	judge(&f);
	MUST(is("overtaking", "yes") && is("backlog", "below"));
	MUST(advises("backlog", 0, "tc qdisc replace dev wwan0 root handle 1: tbf rate 1800kbit "
		     "burst 5kb limit 1mb"));
	MUST(advises("backlog", 1, "tc qdisc replace dev wwan0 parent 1:1 lpd limit 1000 rate 1800kbit"));
	f.trial.probe_late = 192 * MS;
	judge(&f);
	MUST(is("overtaking", "no"));
	f.trial.has_probe = false;
	judge(&f);
	MUST(is("overtaking", "unknown"));
	return true;
}

/* A probe overtakes the load in lpd in any case. Below lpd, it has overtaken the load if its delay
 * is less than half of the load's delay there.
 */
static bool test_overtaking_of_a_part(void)
{
	struct doctor_facts f = link_facts();

	f.trial.waiting = f.qdiscs[0].backlog = 40000;	/* 160 ms of 384 ms */
	f.trial.probe_late = 200 * MS;
	judge(&f);
	MUST(is("backlog", "below") && is("overtaking", "no"));
	f.trial.probe_late = 100 * MS;
	judge(&f);
	MUST(is("overtaking", "yes"));
	return true;
}

static void set_tree(struct doctor_facts *f, const struct doctor_qdisc *qdiscs, size_t count)
{
	memcpy(f->qdiscs, qdiscs, count * sizeof(*qdiscs));
	f->count = count;
	f->trial.waiting = qdiscs[0].backlog;
}

static bool test_holder(void)
{
	const struct doctor_qdisc bucket[] = {
		{ "tbf", 0x10000, ROOT, 90000, true },
		{ "pfifo", 0x20000, 0x10001, 90000, false },
	};
	const struct doctor_qdisc class[] = {
		{ "lpd", 0x10000, ROOT, 90000, false },
		{ "fq_codel", 0, 0x10001, 90000, false },
	};
	const struct doctor_qdisc mq[] = {
		{ "mq", 0, ROOT, 90000, false },
		{ "fq_codel", 0, 0x1, 10000, false },
		{ "fq_codel", 0, 0x2, 80000, false },
	};
	struct doctor_facts f = link_facts();

	set_tree(&f, bucket, 1);
	judge(&f);
	MUST(is("backlog", "qdisc") && is("shaper", "there"));
	MUST(advises("backlog", 0, "tc qdisc replace dev wwan0 parent 1:1 lpd limit 1000"));
	set_tree(&f, bucket, 2);
	judge(&f);
	MUST(doctor_find_holder(&f) == &f.qdiscs[1]);
	MUST(advises("backlog", 0, "tc qdisc replace dev wwan0 parent 1:1 lpd limit 1000"));
	set_tree(&f, class, 2);
	judge(&f);
	MUST(is("backlog", "lpd"));
	set_tree(&f, mq, 3);
	judge(&f);
	MUST(doctor_find_holder(&f) == &f.qdiscs[2]);
	MUST(advises("backlog", 0, "tc qdisc replace dev wwan0 root lpd limit 1000"));
	return true;
}

/* Behind a fast token bucket, many bytes wait right after the load was sent, but only for a short
 * time. The load spent at most this time in the qdiscs.
 */
static bool test_held(void)
{
	struct doctor_facts f = link_facts();

	f.trial.waiting = f.qdiscs[0].backlog = 90000;
	f.trial.held = 191 * MS;
	judge(&f);
	MUST(is("backlog", "below"));
	MUST(strstr(finding("backlog")->text, "late by 0.384 s, of which 0.191 s in the qdiscs"));
	f.trial.held = 193 * MS;
	judge(&f);
	MUST(is("backlog", "lpd"));
	return true;
}

static bool test_shaper_too_fast(void)
{
	const struct doctor_qdisc bucket[] = {
		{ "tbf", 0x10000, ROOT, 0, true },
		{ "lpd", 0x20000, 0x10001, 0, false },
	};
	struct doctor_facts f = link_facts();

	set_tree(&f, bucket, 2);
	judge(&f);
	MUST(is("backlog", "below") && is("shaper", "fast") && is("lpd", "below"));
	MUST(advises("shaper", 0, "tc qdisc change dev wwan0 root tbf rate 1800kbit burst 5kb "
		     "limit 1mb   # if the link's rate is constant"));
	MUST(advises("backlog", 0, "tc qdisc replace dev wwan0 root lpd limit 1000"));
	return true;
}

static bool test_reasons(void)
{
	struct doctor_facts f = link_facts();

	f.trial = (struct doctor_trial){ .state = DOCTOR_NO_REFLECTOR };
	f.reflector = NULL;
	judge(&f);
	MUST(is("backlog", "unknown") && strstr(finding("backlog")->text, "without a reflector"));
	MUST(is("options", "unknown") && is("overtaking", "unknown"));
	f.present = f.qdiscs[0].backlog = DOCTOR_PRESENT;
	judge(&f);
	MUST(is("backlog", "lpd"));
	f.present = DOCTOR_PRESENT - 1;
	judge(&f);
	MUST(is("backlog", "unknown"));
	f.trial.state = DOCTOR_NO_PRIVILEGE;
	judge(&f);
	MUST(strstr(finding("backlog")->text, "CAP_NET_ADMIN"));
	MUST(strstr(finding("options")->text, "CAP_NET_ADMIN"));
	f.flowtable.there = DOCTOR_FORBIDDEN;
	judge(&f);
	MUST(is("flowtable", "unknown") && strstr(finding("flowtable")->text, "CAP_NET_ADMIN"));
	return true;
}

/* Packets with and without options may be lost. The path drops options only if the share of answers
 * is less than half as large with options as without.
 */
static bool test_options(void)
{
	struct doctor_facts f = link_facts();

	judge(&f);
	MUST(is("options", "pass"));
	f.trial.small.answered = 10;
	f.trial.option.answered = 2;
	judge(&f);
	MUST(is("options", "pass"));
	f.trial.option.answered = 1;
	judge(&f);
	MUST(is("options", "dropped"));
	MUST(advises("options", 0, "tc qdisc change dev wwan0 root lpd strip"));
	strcpy(f.qdiscs[0].kind, "pfifo");
	judge(&f);
	MUST(advises("options", 0, "tc qdisc replace dev wwan0 root lpd limit 1000 strip"));
	f.lpd.strip = true;
	judge(&f);
	MUST(is("options", "stripped"));
	f.lpd.strip = f.trial.can_option = false;
	judge(&f);
	MUST(is("options", "unknown") && strstr(finding("options")->text, "CAP_NET_RAW"));
	return true;
}

static bool test_lifetimes(void)
{
	struct doctor_facts f = link_facts();

	judge(&f);
	MUST(is("lifetimes", "idle"));
	f.lpd.packets = f.lpd.no_lifetime = 7;
	judge(&f);
	MUST(is("lifetimes", "none"));
	MUST(advises("lifetimes", 0, "tc qdisc change dev wwan0 root lpd match dscp ef 200ms"));
	f.lpd.no_lifetime = 6;
	judge(&f);
	MUST(is("lifetimes", "some") && strstr(finding("lifetimes")->text, "1 of 7"));
	return true;
}

/* 64 kB take 50 ms at 1.31 MB/s. freshlink pace splits GSO packets itself. */
static bool test_offloads(void)
{
	struct doctor_facts f = link_facts();

	f.segments = DOCTOR_YES;
	judge(&f);
	MUST(is("device", "good"));
	f.trial.waiting = f.qdiscs[0].backlog = 96000;
	judge(&f);
	MUST(is("device", "offload") && strstr(finding("device")->text, "0.262 s"));
	MUST(advises("device", 0, "ethtool -K wwan0 gso off tso off"));
	MUST(strstr(finding("device")->text, "1464 bytes (IPv4) or 1436 (IPv6)"));
	f.lpd.gate = true;
	judge(&f);
	MUST(is("device", "good"));
	f.lpd.gate = false;
	f.trial.rate = 1400000;
	judge(&f);
	MUST(is("device", "good"));
	return true;
}

static bool test_flowtable(void)
{
	struct doctor_facts f = link_facts();

	judge(&f);
	MUST(is("flowtable", "none"));
	f.flowtable = (struct doctor_flowtable){ DOCTOR_YES, false, "inet", "fw", "ft" };
	judge(&f);
	MUST(is("flowtable", "software") && advises("flowtable", 0, NULL));
	f.flowtable.hardware = true;
	judge(&f);
	MUST(is("flowtable", "hardware"));
	MUST(advises("flowtable", 0, "nft delete flowtable inet fw ft '{ devices = { wwan0 }; }'"));
	return true;
}

static bool test_installation(void)
{
	struct doctor_facts f = link_facts();
	struct doctor_installation *in = &f.installation;

	judge(&f);
	MUST(is("installation", "whole") && advises("installation", 0, NULL));
	in->missing[0] = (struct advice){ "no a", "get" };
	in->missing[1] = (struct advice){ "no b", "get" };
	in->missing[2] = (struct advice){ "no c", "make" };
	in->count = 3;
	judge(&f);
	MUST(is("installation", "missing"));
	MUST(!strcmp(finding("installation")->text, "No a. No b. No c."));
	MUST(advises("installation", 0, "get") && advises("installation", 1, "make"));
	MUST(advises("installation", 2, NULL));
	return true;
}

static bool test_longest_installation(void)
{
	struct doctor_facts f = link_facts();
	struct doctor_installation *in = &f.installation;

	in->count = DOCTOR_PARTS;
	for (size_t i = 0; i < in->count; i++) {
		memset(in->missing[i].cause, 'x', sizeof(in->missing[i].cause) - 1);
		memset(in->missing[i].command, 'a' + i, sizeof(in->missing[i].command) - 1);
	}
	judge(&f);
	MUST(strlen(finding("installation")->text) == sizeof(found[0].text) - 1);
	MUST(!strcmp(finding("installation")->advice[DOCTOR_PARTS - 1],
		     in->missing[DOCTOR_PARTS - 1].command));
	return true;
}

static const struct unit tests[] = {
	{ "every finding has a name, a state and a text", test_every_finding_has_words },
	{ "packets below the qdiscs", test_below },
	{ "where more than half of the delay is", test_half },
	{ "a delay that is no queue", test_no_queue },
	{ "probes that overtake", test_overtaking },
	{ "probes that overtake a part", test_overtaking_of_a_part },
	{ "which qdisc holds the packets", test_holder },
	{ "for how long the qdiscs held the load", test_held },
	{ "a shaper that is too fast", test_shaper_too_fast },
	{ "reasons for what is unknown", test_reasons },
	{ "options and losses", test_options },
	{ "lifetimes", test_lifetimes },
	{ "offloads", test_offloads },
	{ "flowtables", test_flowtable },
	{ "parts that are missing", test_installation },
	{ "the longest words about missing parts", test_longest_installation },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) > 0;
}
