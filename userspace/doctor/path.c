// SPDX-License-Identifier: GPL-2.0-or-later
/* The device and the path behind it: see judge.h. */
#include <linux/xlo.h>
#include <stdio.h>

#include "../lib/units.h"
#include "judge.h"

#define UDP		8	/* bytes of headers */
#define IPV4		20
#define IPV6		40
#define SUPER		65536	/* bytes of the greatest GSO packet without BIG TCP */
#define LONG		(50 * (int64_t)FL_MS)	/* the longest fair wait for one packet */

static void say_dropped(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_qdisc *lpd = doctor_find_lpd(facts);
	char where[DOCTOR_WHERE];

	doctor_say(f, "dropped", "The path to %s drops the option: %u of %u packets with the option were answered, and %u of %u without. Let lpd remove the option.",
		   facts->reflector, facts->trial.option.answered, facts->trial.option.sent,
		   facts->trial.small.answered, facts->trial.small.sent);
	if (lpd)
		doctor_advise(f, "tc qdisc change dev %s %s lpd strip", facts->dev,
			      doctor_where(lpd, where));
	else
		doctor_advise(f, "tc qdisc replace dev %s root lpd limit 1000 strip", facts->dev);
}

/* Losses hit both kinds of packets. The option is to blame only if packets with it are answered
 * less than half as often as packets without it.
 */
static bool passes(const struct doctor_trial *t)
{
	return 2 * (uint64_t)t->option.answered * t->small.sent >=
	       (uint64_t)t->small.answered * t->option.sent;
}

void doctor_judge_options(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_trial *t = &facts->trial;

	if (t->state == DOCTOR_NO_REFLECTOR)
		doctor_say(f, "unknown", "Whether the path passes the option is unknown: that needs a reflector.");
	else if (facts->lpd.strip)
		doctor_say(f, "stripped", "lpd removes the option (strip), so the path need not pass the option.");
	else if (t->state < DOCTOR_BUSY)
		doctor_say(f, "unknown", "Whether the path passes the option is unknown: %s%s.",
			   t->state == DOCTOR_NO_ANSWER ? "the reflector answered no probe" :
			   "probes need CAP_NET_ADMIN",
			   t->state == DOCTOR_NO_ANSWER ? "" : facts->installation.right);
	else if (!t->can_option)
		doctor_say(f, "unknown", "Whether the path passes the option is unknown: sending the option needs CAP_NET_RAW%s.",
			   facts->installation.right);
	else if (passes(t))
		doctor_say(f, "pass", "Packets with the option reach %s: %u of %u were answered, and %u of %u without.",
			   facts->reflector, t->option.answered, t->option.sent,
			   t->small.answered, t->small.sent);
	else
		say_dropped(facts, f);
}

/* Whether probes were answered, but no packet of full size. */
static bool is_mtu_wrong(const struct doctor_trial *t)
{
	return t->state == DOCTOR_LOADED && t->small.answered && !t->load.answered;
}

/* Time that a GSO packet takes on the link, or 0 if unknown. */
static int64_t super_time(const struct doctor_facts *facts)
{
	return facts->trial.rate ? (int64_t)(SUPER * (double)FL_SEC / facts->trial.rate) : 0;
}

/* Whether one GSO packet makes others wait. The gate of freshlink pace splits such packets. */
static bool is_coarse(const struct doctor_facts *facts)
{
	bool paced = facts->lpd.gate || doctor_find_overtaking(facts) == DOCTOR_IN_ORDER;

	return facts->segments == DOCTOR_YES && !paced && super_time(facts) > LONG;
}

static const char *word_of(enum doctor_answer answer)
{
	return answer == DOCTOR_YES ? "on" : answer == DOCTOR_NO ? "off" : "unknown";
}

void doctor_judge_device(const struct doctor_facts *facts, struct doctor_finding *f)
{
	char room[160];

	snprintf(room, sizeof(room), "UDP payloads of up to %d bytes (IPv4) or %d (IPv6) have room for the option (MTU %u)",
		 (int)facts->mtu - IPV4 - UDP - XLO_LEN,
		 (int)facts->mtu - IPV6 - UDP - XLO_IPV6_HBH_LEN, facts->mtu);
	if (is_mtu_wrong(&facts->trial)) {
		doctor_say(f, "mtu", "Probes were answered, but no packet of full size: the MTU of the path is smaller than that of the device (%u), or the queue of the link is full.",
			   facts->mtu);
		doctor_advise(f, "ip link set dev %s mtu 1400", facts->dev);
	} else if (is_coarse(facts)) {
		doctor_say(f, "offload", "%s. GSO or TSO is on: a packet of 64 kB takes %.3f s on this link, and other packets wait as long.",
			   room, super_time(facts) / (double)FL_SEC);
		doctor_advise(f, "ethtool -K %s gso off tso off", facts->dev);
	} else {
		doctor_say(f, "good", "%s. GSO or TSO is %s, GRO is %s.", room,
			   word_of(facts->segments), word_of(facts->merges));
	}
}

void doctor_judge_flowtable(const struct doctor_facts *facts, struct doctor_finding *f)
{
	const struct doctor_flowtable *t = &facts->flowtable;

	if (t->there == DOCTOR_FORBIDDEN || t->there == DOCTOR_UNKNOWN) {
		doctor_say(f, "unknown", "Whether a flowtable of nft has this device is unknown: %s%s.",
			   t->there == DOCTOR_FORBIDDEN ?
			   "nft tells only a process with CAP_NET_ADMIN" : "nft did not tell",
			   t->there == DOCTOR_FORBIDDEN ? facts->installation.right : "");
	} else if (t->there == DOCTOR_NO) {
		doctor_say(f, "none", "No flowtable of nft has this device.");
	} else if (t->hardware) {
		doctor_say(f, "hardware", "The flowtable %s of the table %s offloads flows to hardware. The packets of these flows bypass all qdiscs, including lpd.",
			   t->name, t->table);
		doctor_advise(f, "nft delete flowtable %s %s %s '{ devices = { %s }; }'", t->family,
			      t->table, t->name, facts->dev);
	} else {
		doctor_say(f, "software", "The flowtable %s of the table %s has this device. Packets of its flows bypass the forward chains, so rules in these chains set no mark. Packets with the option do not bypass these chains.",
			   t->name, t->table);
	}
}
