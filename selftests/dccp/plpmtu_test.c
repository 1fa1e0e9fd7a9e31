// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The search finds the MTU of every path exactly, with a bounded number of probes, gives way to
 * black holes, and no lie about the MTU takes more than it has to. Prints TAP.
 */
#include "../../userspace/dccp/plpmtu.c"

#include <string.h>

#include "../codec/unit.h"

#define MS	INT64_C(1000000)
#define RTT	(50 * MS)

enum feedback {
	SILENT,		/* the probe's timer finds a loss */
	VECTOR,		/* an Ack Vector tells it after a round trip */
	ICMP,		/* the router says what it takes */
};

/* a path and what happened on it */
struct path {
	struct fdccp_plpmtu m;
	uint16_t mtu;
	enum feedback feedback;
	unsigned int drop;	/* each probe is lost with this many of 100 */
	int64_t now, last_probe;
	uint64_t seq;
	unsigned int probes;	/* sent */
	unsigned int changes;	/* of the confirmed size, told */
	uint64_t random;
};

static uint64_t rnd(struct path *p, uint64_t below)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (p->random >> 11) % below;
}

static void path_init(struct path *p, uint16_t mtu, uint16_t max, enum feedback feedback)
{
	*p = (struct path){ .mtu = mtu, .feedback = feedback, .last_probe = -RTT,
			    .random = UINT64_C(0x5eed4ea7) };
	fdccp_plpmtu_init(&p->m, false, 0, max);
	fdccp_plpmtu_start(&p->m, 0);
}

/* Sends a probe and lets its answer come. Return: whether an invariant holds: probes are larger
 * than what is confirmed, not larger than what is allowed, and a round trip apart.
 */
static bool probe(struct path *p)
{
	uint16_t size = fdccp_plpmtu_due(&p->m, p->now);
	bool changed;

	MUST(size <= p->m.max && size >= p->m.base && p->now - p->last_probe >= RTT);
	MUST(p->m.phase != FDCCP_PLPMTU_SEARCHING || size > p->m.size);
	p->last_probe = p->now;
	p->probes++;
	fdccp_plpmtu_sent(&p->m, ++p->seq, p->now, RTT);
	MUST(fdccp_plpmtu_due(&p->m, p->now) == 0);
	p->now += RTT;
	if (size <= p->mtu && rnd(p, 100) >= p->drop)
		changed = fdccp_plpmtu_acked(&p->m, p->seq, p->now);
	else if (size > p->mtu && p->feedback == ICMP)
		changed = fdccp_plpmtu_too_big(&p->m, size, p->mtu, p->now);
	else if (p->feedback == VECTOR)
		changed = fdccp_plpmtu_lost(&p->m, p->seq, p->now);
	else
		return true;
	p->changes += changed;
	return true;
}

/* Lets time pass until @end, or until the search has ended. */
static bool run(struct path *p, int64_t end)
{
	while (p->now < end) {
		if (fdccp_plpmtu_due(&p->m, p->now)) {
			if (!probe(p))
				return false;
			continue;
		}
		if (p->m.phase == FDCCP_PLPMTU_COMPLETE && end == FDCCP_NEVER)
			return true;
		MUST(fdccp_plpmtu_timer(&p->m) >= p->now);
		if (fdccp_plpmtu_timer(&p->m) >= end)
			break;
		p->now = fdccp_plpmtu_timer(&p->m);
		p->changes += fdccp_plpmtu_expire(&p->m, p->now);
	}
	if (end != FDCCP_NEVER)
		p->now = end;
	return true;
}

static bool search_ends(struct path *p)
{
	return run(p, FDCCP_NEVER) && p->m.phase == FDCCP_PLPMTU_COMPLETE;
}

/* Each path from 1280 to 9000 is found exactly: with ICMP by 3 probes (the base, the largest size,
 * the one that the router names), without by at most 14 sizes after the base (the largest, and
 * 13 halves), of which each that is too large is tried three times.
 */
static bool test_every_mtu(void)
{
	static const unsigned int limit[] = {
		[SILENT] = 1 + 3 * 14, [VECTOR] = 1 + 3 * 14, [ICMP] = 3 };

	for (int feedback = SILENT; feedback <= ICMP; feedback++) {
		unsigned int most = 0;

		for (uint16_t mtu = 1280; mtu <= 9000; mtu++) {
			struct path p;

			path_init(&p, mtu, 9000, feedback);
			MUST(search_ends(&p));
			MUST(p.m.size == mtu && p.probes <= limit[feedback]);
			most = p.probes > most ? p.probes : most;
		}
		printf("# at most %u probes\n", most);
	}
	return true;
}

/* The usual cases are cheap: a path that takes the largest size needs two probes, and no other
 * search follows. IPv6 and IPv4 differ in the smallest size only.
 */
static bool test_usual(void)
{
	struct fdccp_plpmtu m;
	struct path p;

	path_init(&p, 1500, 0, SILENT);
	MUST(p.m.size == 1280 && p.m.min == 576 && p.m.max == 1500);
	MUST(search_ends(&p) && p.m.size == 1500 && p.probes == 2 && p.changes == 1);
	MUST(fdccp_plpmtu_timer(&p.m) == FDCCP_NEVER);

	path_init(&p, 1280, 1500, VECTOR); /* 1500 1390 1335 1307 1293 1286 1283 1281 are too large */
	MUST(search_ends(&p) && p.m.size == 1280 && p.probes == 1 + 3 * 8);

	fdccp_plpmtu_init(&m, true, 1000, 1200); /* neither may be below 1280 */
	MUST(m.min == 1280 && m.base == 1280 && m.max == 1280 && m.size == 1280);
	MUST(fdccp_plpmtu_timer(&m) == FDCCP_NEVER && fdccp_plpmtu_due(&m, FDCCP_NEVER - 1) == 0);
	fdccp_plpmtu_init(&m, false, 1000, UINT16_MAX);
	MUST(m.base == 1000 && m.max == UINT16_MAX - 1);
	return true;
}

/* Loss that does not depend on the size leads to no wrong size: with 5 % of the probes lost, three
 * in a row are rare, and with this seed there are none.
 */
static bool test_random_loss(void)
{
	unsigned int exact = 0;

	for (uint16_t mtu = 1280; mtu <= 1500; mtu++) {
		struct path p;

		path_init(&p, mtu, 1500, VECTOR);
		p.drop = 5;
		MUST(search_ends(&p) && p.m.size <= mtu);
		exact += p.m.size == mtu;
	}
	MUST(exact == 221);
	return true;
}

/* PROBE_TIMER is 16 s, or two round trips; a probe is lost after it, not before. */
static bool test_probe_timer(void)
{
	struct path p;

	path_init(&p, 1500, 0, SILENT);
	fdccp_plpmtu_sent(&p.m, 1, 0, RTT);
	MUST(fdccp_plpmtu_timer(&p.m) == 16000 * MS);
	fdccp_plpmtu_expire(&p.m, 16000 * MS - 1);
	MUST(p.m.probe == 1280 && p.m.failures == 0);
	fdccp_plpmtu_expire(&p.m, 16000 * MS);
	MUST(p.m.probe == 0 && p.m.failures == 1 && fdccp_plpmtu_due(&p.m, 16000 * MS) == 1280);
	MUST(!fdccp_plpmtu_acked(&p.m, 1, 16000 * MS)); /* too late */
	fdccp_plpmtu_sent(&p.m, 2, 16000 * MS, 10000 * MS);
	MUST(fdccp_plpmtu_timer(&p.m) == 36000 * MS);
	MUST(!fdccp_plpmtu_acked(&p.m, 1, 17000 * MS) && p.m.probe); /* not this probe's */
	MUST(!fdccp_plpmtu_lost(&p.m, 1, 17000 * MS) && p.m.failures == 1);
	fdccp_plpmtu_lost(&p.m, 2, 17000 * MS); /* the next one follows after a round trip */
	MUST(fdccp_plpmtu_due(&p.m, 26000 * MS - 1) == 0 && fdccp_plpmtu_due(&p.m, 26000 * MS));
	return true;
}

/* Two losses before a probe of a size arrives do not count for the next size. */
static bool test_failures_in_a_row(void)
{
	struct path p;

	path_init(&p, 1500, 9000, VECTOR);
	MUST(probe(&p) && probe(&p) && probe(&p) && probe(&p) && p.m.high == 9000);
	p.m.low = 1400; /* the next probes are 5200 */
	p.m.size = 1400;
	MUST(probe(&p) && probe(&p) && p.m.failures == 2);
	p.mtu = 9000;
	MUST(probe(&p) && p.m.size == 5200 && p.m.failures == 0);
	return true;
}

/* After 600 s the search looks for more, with the size that is confirmed in use. */
static bool test_raise(void)
{
	struct path p;
	int64_t complete;

	path_init(&p, 1400, 1500, VECTOR);
	MUST(search_ends(&p));
	complete = p.now;
	MUST(fdccp_plpmtu_timer(&p.m) == complete + 600000 * MS);
	p.mtu = 1500;
	MUST(run(&p, complete + 600000 * MS) && p.m.size == 1400);
	MUST(p.m.phase == FDCCP_PLPMTU_COMPLETE);
	p.changes = 0;
	MUST(run(&p, complete + 601000 * MS) && p.m.size == 1500 && p.changes == 1);

	path_init(&p, 1400, 1500, VECTOR); /* a search that finds nothing changes nothing */
	MUST(search_ends(&p));
	p.changes = 0;
	MUST(run(&p, p.now + 650000 * MS) && p.m.size == 1400 && p.changes == 0);
	MUST(p.m.phase == FDCCP_PLPMTU_COMPLETE);
	return true;
}

/* A path below the base: 576 is used, and the base tried every 30 s until it passes. */
static bool test_error(void)
{
	struct path p;
	unsigned int probes;

	path_init(&p, 1000, 1500, VECTOR);
	MUST(run(&p, 1000 * MS) && p.m.phase == FDCCP_PLPMTU_ERROR);
	MUST(p.m.size == 576 && p.probes == 3 && p.changes == 1);
	probes = p.probes;
	MUST(run(&p, p.now + 300000 * MS) && p.m.phase == FDCCP_PLPMTU_ERROR);
	MUST(p.probes - probes >= 9 && p.probes - probes <= 10);
	p.mtu = 1450;
	MUST(search_ends(&p) && p.m.size == 1450);
	return true;
}

/* Lost probes do not forbid a size that arrives: with a third of all packets lost, three probes of
 * the base are lost often. If that size does not arrive any more, 576 is used.
 */
static bool test_proven(void)
{
	struct path p;

	path_init(&p, 1000, 1500, VECTOR);
	MUST(!fdccp_plpmtu_data(&p.m, 800, true, p.now) && p.m.size == 1280);
	MUST(!fdccp_plpmtu_data(&p.m, 900, false, p.now));
	MUST(run(&p, 1000 * MS) && p.m.phase == FDCCP_PLPMTU_ERROR && p.m.size == 800);
	MUST(fdccp_plpmtu_data(&p.m, 1000, true, p.now) && p.m.size == 1000); /* sent in BASE */
	MUST(!fdccp_plpmtu_data(&p.m, 900, true, p.now) && p.m.size == 1000);
	MUST(!fdccp_plpmtu_data(&p.m, 1280, false, p.now) && p.m.losses == 0); /* likewise */

	for (int i = 0; i < 3; i++, p.now += 1000 * MS)
		MUST(!fdccp_plpmtu_data(&p.m, 1000, false, p.now) && p.m.size == 1000);
	MUST(fdccp_plpmtu_data(&p.m, 1000, false, p.now) && p.m.size == 576);
	MUST(p.m.phase == FDCCP_PLPMTU_ERROR && p.m.losses == 0);
	p.mtu = 1500;
	MUST(search_ends(&p) && p.m.size == 1500);

	for (int i = 0; i < 2; i++, p.now += 4000 * MS) /* what was proven before is in doubt */
		fdccp_plpmtu_data(&p.m, 1500, false, p.now);
	MUST(fdccp_plpmtu_data(&p.m, 1500, false, p.now) && p.m.proven == 576);
	MUST(!fdccp_plpmtu_data(&p.m, 1500, true, p.now) && p.m.proven == 1280);
	return true;
}

/* Sends a data packet of the confirmed size and hears of it at once. */
static bool data(struct path *p, uint16_t size)
{
	return fdccp_plpmtu_data(&p->m, size, size <= p->mtu, p->now);
}

/* A path that becomes smaller is noticed by data packets alone, within 3 s and a packet. */
static bool test_black_hole(void)
{
	struct path p;
	int64_t start;

	path_init(&p, 1500, 1500, VECTOR);
	MUST(search_ends(&p));
	p.mtu = 1400;
	start = p.now;
	while (!data(&p, p.m.size)) {
		data(&p, 200); /* smaller ones pass */
		MUST(p.m.size == 1500 && p.now - start <= 3000 * MS);
		p.now += 100 * MS;
	}
	MUST(p.now - start == 3000 * MS);
	MUST(p.m.size == 1280 && p.m.phase == FDCCP_PLPMTU_BASE);
	MUST(!data(&p, 1500)); /* sent before */
	MUST(search_ends(&p) && p.m.size == 1400);
	for (int i = 0; i < 9; i++, p.now += 1000 * MS)
		MUST(!data(&p, 1500)); /* likewise */
	MUST(!fdccp_plpmtu_data(&p.m, 1400, false, p.now)); /* the count starts anew */
	MUST(!fdccp_plpmtu_data(&p.m, 1400, true, p.now));

	p.mtu = 1000; /* and below the base */
	for (int i = 0; i < 3 && !data(&p, 1280); i++)
		p.now += 2000 * MS;
	MUST(p.m.phase == FDCCP_PLPMTU_BASE && p.m.size == 1280);
	MUST(probe(&p) && p.m.failures == 1);
	for (int i = 0; i < 9; i++, p.now += 1000 * MS)
		MUST(!data(&p, 1280) && p.m.failures == 1); /* does not start the phase again */
	MUST(!fdccp_plpmtu_too_big(&p.m, 1280, 1000, p.now) && p.m.failures == 1);
	MUST(run(&p, p.now + 60000 * MS) && p.m.phase == FDCCP_PLPMTU_ERROR && p.m.size == 576);
	return true;
}

/* What is no black hole: an outage, losses among packets that pass, few packets, small ones. */
static bool test_no_black_hole(void)
{
	struct path p;

	path_init(&p, 1500, 1500, VECTOR);
	MUST(search_ends(&p));
	for (int i = 0; i < 100; i++)
		MUST(!fdccp_plpmtu_data(&p.m, 1500, false, p.now)); /* a burst */
	fdccp_plpmtu_data(&p.m, 1500, true, p.now);
	for (int i = 0; i < 100; i++, p.now += 1000 * MS)
		MUST(!fdccp_plpmtu_data(&p.m, 1500, i % 3 == 0, p.now)); /* two of three are lost */
	for (int i = 0; i < 100; i++, p.now += 1000 * MS)
		MUST(!fdccp_plpmtu_data(&p.m, 576, false, p.now)); /* smallest size */
	MUST(!fdccp_plpmtu_data(&p.m, 1500, true, p.now));
	for (int i = 0; i < 2; i++, p.now += 60000 * MS)
		MUST(!fdccp_plpmtu_data(&p.m, 1500, false, p.now));
	MUST(p.m.size == 1500 && p.m.phase == FDCCP_PLPMTU_COMPLETE);

	fdccp_plpmtu_data(&p.m, 1500, true, p.now); /* one at least as large as a lost one does */
	fdccp_plpmtu_data(&p.m, 1500, false, p.now);
	fdccp_plpmtu_data(&p.m, 1400, false, p.now);
	fdccp_plpmtu_data(&p.m, 1400, true, p.now);
	MUST(!fdccp_plpmtu_data(&p.m, 1500, false, p.now + 3000 * MS));

	fdccp_plpmtu_data(&p.m, 1500, true, p.now); /* smaller packets prove nothing */
	fdccp_plpmtu_data(&p.m, 1500, false, p.now);
	fdccp_plpmtu_data(&p.m, 1500, false, p.now);
	fdccp_plpmtu_data(&p.m, 1400, true, p.now);
	MUST(fdccp_plpmtu_data(&p.m, 1500, false, p.now + 3000 * MS));
	return true;
}

/* ICMP about data packets: the base is used until the size that it names was tried. */
static bool test_too_big(void)
{
	struct path p;
	unsigned int probes;

	path_init(&p, 1500, 1500, SILENT);
	MUST(search_ends(&p));
	p.mtu = 1450;
	MUST(fdccp_plpmtu_too_big(&p.m, 1500, 1450, p.now) && p.m.size == 1280);
	probes = p.probes;
	MUST(search_ends(&p) && p.m.size == 1450 && p.probes - probes == 2);

	p.mtu = 1400; /* without a size it is searched for */
	p.feedback = VECTOR;
	MUST(fdccp_plpmtu_too_big(&p.m, 1450, 0, p.now) && p.m.size == 1280);
	MUST(search_ends(&p) && p.m.size == 1400);

	path_init(&p, 1450, 1500, VECTOR); /* about a probe, without a size: one loss of three */
	MUST(probe(&p));
	fdccp_plpmtu_sent(&p.m, ++p.seq, p.now, RTT);
	MUST(!fdccp_plpmtu_too_big(&p.m, 1500, 0, p.now) && p.m.failures == 1);
	p.now += RTT;
	MUST(p.m.phase == FDCCP_PLPMTU_SEARCHING && search_ends(&p) && p.m.size == 1450);

	p.mtu = 1350; /* the probe that looks for more finds less */
	p.now += 600000 * MS;
	fdccp_plpmtu_expire(&p.m, p.now);
	fdccp_plpmtu_sent(&p.m, ++p.seq, p.now, RTT);
	MUST(fdccp_plpmtu_too_big(&p.m, 1500, 1350, p.now) && p.m.size == 1280);
	p.now += RTT;
	MUST(search_ends(&p) && p.m.size == 1350);

	p.mtu = 1000; /* below the base */
	MUST(fdccp_plpmtu_too_big(&p.m, 1300, 1000, p.now) && p.m.size == 1280);
	p.feedback = ICMP; /* the router says so about each probe */
	MUST(run(&p, p.now + 1000 * MS) && p.m.phase == FDCCP_PLPMTU_ERROR && p.m.size == 576);
	MUST(run(&p, p.now + 100000 * MS) && p.m.phase == FDCCP_PLPMTU_ERROR && p.m.size == 576);
	return true;
}

/* ICMP that cannot be right changes nothing at all. */
static bool test_impossible(void)
{
	static const struct {
		uint16_t size, mtu;
	} lies[] = {
		{ 1400, 1400 }, { 1400, 1401 }, { 1400, UINT16_MAX }, { 1400, 575 }, { 1400, 1 },
		{ 1401, 1300 },	/* larger than anything in use */
		{ 576, 576 }, { 575, 574 },
	};
	struct fdccp_plpmtu before;
	struct path p;

	path_init(&p, 1400, 1500, VECTOR);
	MUST(search_ends(&p) && p.m.size == 1400);
	before = p.m;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		MUST(!fdccp_plpmtu_too_big(&p.m, lies[i].size, lies[i].mtu, p.now));
		MUST(memcmp(&before, &p.m, sizeof(before)) == 0);
	}
	return true;
}

/* A lie that could be true costs at most the way down to the base: never less, never for longer
 * than until the next search; and lies in BASE and ERROR end neither.
 */
static bool test_lies(void)
{
	struct path p;

	for (uint16_t mtu = 576; mtu < 1500; mtu++) {
		path_init(&p, 1500, 1500, VECTOR);
		MUST(search_ends(&p));
		fdccp_plpmtu_too_big(&p.m, 1500, mtu, p.now);
		MUST(p.m.size == 1280);
		MUST(search_ends(&p));
		MUST(mtu < 1280 ? p.m.size == 1500 : p.m.size == mtu);
		MUST(run(&p, p.now + 601000 * MS) && p.m.size == 1500);
	}
	path_init(&p, 1500, 1500, VECTOR);
	for (int i = 0; i < 2; i++) { /* about the probe of the base */
		fdccp_plpmtu_sent(&p.m, ++p.seq, p.now, RTT);
		MUST(!fdccp_plpmtu_too_big(&p.m, 1280, 600, p.now) && p.m.size == 1280);
		p.now += RTT;
	}
	p.last_probe = p.now - RTT;
	MUST(search_ends(&p) && p.m.size == 1500);

	path_init(&p, 1500, 1500, VECTOR); /* about a probe: below what is confirmed */
	MUST(probe(&p));
	fdccp_plpmtu_sent(&p.m, ++p.seq, p.now, RTT);
	MUST(p.m.probe == 1500 && !fdccp_plpmtu_too_big(&p.m, 1500, 1200, p.now));
	MUST(p.m.phase == FDCCP_PLPMTU_BASE && p.m.size == 1280);
	p.now += RTT;
	MUST(search_ends(&p) && p.m.size == 1500);
	return true;
}

/* A path that has changed is searched anew. */
static bool test_restart(void)
{
	struct path p;

	path_init(&p, 1500, 1500, VECTOR);
	MUST(search_ends(&p) && p.m.size == 1500);
	p.mtu = 1300;
	p.now += RTT;
	fdccp_plpmtu_start(&p.m, p.now);
	MUST(p.m.size == 1280 && p.m.phase == FDCCP_PLPMTU_BASE);
	MUST(search_ends(&p) && p.m.size == 1300);
	return true;
}

/* A known MTU stays: nothing is probed, and neither losses nor messages change it. */
static bool test_disabled(void)
{
	struct fdccp_plpmtu m;

	fdccp_plpmtu_fix(&m, true, 1000);
	MUST(m.size == 1280);
	fdccp_plpmtu_fix(&m, false, 1500);
	fdccp_plpmtu_start(&m, 0);
	MUST(m.size == 1500 && fdccp_plpmtu_timer(&m) == FDCCP_NEVER && !fdccp_plpmtu_doubts(&m));
	for (int64_t now = 0; now < 100000 * MS; now += 1000 * MS) {
		MUST(fdccp_plpmtu_due(&m, now) == 0 && !fdccp_plpmtu_expire(&m, now));
		MUST(!fdccp_plpmtu_data(&m, 1500, false, now) && !fdccp_plpmtu_doubts(&m));
		MUST(!fdccp_plpmtu_too_big(&m, 1500, 1280, now) && m.size == 1500);
	}
	return true;
}

static const struct unit tests[] = {
	{ "each MTU from 1280 to 9000 is found", test_every_mtu },
	{ "the usual paths", test_usual },
	{ "random loss", test_random_loss },
	{ "PROBE_TIMER", test_probe_timer },
	{ "losses in a row", test_failures_in_a_row },
	{ "PMTU_RAISE_TIMER", test_raise },
	{ "paths below the base", test_error },
	{ "sizes that arrive while probes are lost", test_proven },
	{ "black holes", test_black_hole },
	{ "what is no black hole", test_no_black_hole },
	{ "ICMP messages that are right", test_too_big },
	{ "ICMP messages that cannot be right", test_impossible },
	{ "ICMP messages that lie", test_lies },
	{ "a new path", test_restart },
	{ "a known MTU", test_disabled },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
