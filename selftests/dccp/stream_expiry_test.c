// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sender knows persistent expiry from an outage, at the packet at which it is so by the numbers
 * in the comments, in simulated time. Prints TAP.
 */
#include "../../userspace/stream/expiry.h"

#include <string.h>

#include "../codec/unit.h"

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define START	(5 * SEC)

static struct fstream_expiry e;
static struct fstream_expiry_verdict verdict;
static int64_t now;

static void restart(void)
{
	e = (struct fstream_expiry){ 0 };
	now = START;
	fstream_expiry_restart(&e, now);
}

static bool stale(enum fstream_place place)
{
	return fstream_expiry_stale(&e, place, now, SEC, &verdict);
}

/* @count packets come that were sent in this round trip, before its end. */
static void came(unsigned int count)
{
	while (count--)
		fstream_expiry_came(&e, now, 100);
}

/* The round trip ends 100 ms later. Return: whether it was clean. */
static bool turn(void)
{
	int64_t sent = now;
	bool clean;

	now += 100 * MS;
	return fstream_expiry_turn(&e, sent, now, &clean) && clean;
}

/* A round trip with 1 packet that is stale and @count that come. */
static bool mixed(unsigned int count)
{
	bool persistent = stale(FSTREAM_PLACE_ROUTER);

	came(count);
	turn();
	return persistent;
}

/* Four round trips with 1 of 12 stale, and then 1 of 2, are 5 of 50: exactly a tenth. One more is 6
 * of 51, and without the one that came it is 5 of 49.
 */
static bool test_tenth(void)
{
	restart();
	for (int i = 0; i < 4; i++)
		MUST(!mixed(11));
	came(1);
	MUST(!stale(FSTREAM_PLACE_ROUTER));
	MUST(stale(FSTREAM_PLACE_ROUTER));
	MUST(verdict.share == 6000 / 51 && verdict.place == FSTREAM_PLACE_ROUTER);
	MUST(verdict.rounds == 5);
	restart();
	for (int i = 0; i < 4; i++)
		MUST(!mixed(11));
	MUST(stale(FSTREAM_PLACE_ROUTER));
	return true;
}

/* The window has four round trips that have ended and the one that has not, and nothing older: with
 * 10 clean round trips before, the fifth stale packet is the fifth of 21, as with none.
 */
static bool test_rounds(void)
{
	for (int before = 0; before <= 10; before += 10) {
		restart();
		for (int i = 0; i < before; i++) {
			came(5);
			MUST(turn());
		}
		for (int i = 0; i < 3; i++)
			MUST(!mixed(4));
		/* 4 of 16 packets are too few, of 21 they are not */
		MUST(mixed(4) == (before > 0));
		MUST(stale(FSTREAM_PLACE_HOST));
		MUST(verdict.share == 5000 / 21 && verdict.rounds == 5);
	}
	return true;
}

/* Of round trips with one packet there are 20 in the window, and the ring of 21 wraps. One that is
 * stale is followed by one that comes, because nothing else ends its round trip. So the fourth one
 * is the 7th packet, and the window is full with 13 before it.
 */
static bool test_packets(void)
{
	for (int before = 0; before < 50; before++) {
		restart();
		for (int i = 0; i < before; i++) {
			came(1);
			MUST(turn());
		}
		for (int i = 0; i < 3; i++)
			MUST(!mixed(1));
		MUST(stale(FSTREAM_PLACE_ROUTER) == (before >= 13));
		if (before >= 13)
			MUST(verdict.share == 4000 / 7 && verdict.rounds == 4);
	}
	return true;
}

/* Three round trips in which nearly all is stale may be an outage, a fourth one is none. */
static bool test_spread(void)
{
	restart();
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 30; i++)
			MUST(!stale(FSTREAM_PLACE_ROUTER));
		came(1);
		MUST(!turn());
	}
	came(1);
	MUST(turn());
	MUST(stale(FSTREAM_PLACE_ROUTER));
	/* 91 of 95 */
	MUST(verdict.share == 957);
	return true;
}

/* The place is where most packets went stale, and it has to be the same in four round trips: three
 * with one and three with the other are no more than an outage.
 */
static bool test_place(void)
{
	restart();
	for (int i = 0; i < 4; i++) {
		MUST(!stale(FSTREAM_PLACE_HOST));
		MUST(!stale(FSTREAM_PLACE_ROUTER));
		came(4);
		turn();
	}
	MUST(stale(FSTREAM_PLACE_ROUTER) && verdict.place == FSTREAM_PLACE_ROUTER);
	MUST(stale(FSTREAM_PLACE_HOST) && verdict.place == FSTREAM_PLACE_HOST);
	restart();
	for (int i = 0; i < 6; i++) {
		MUST(!stale(i < 3 ? FSTREAM_PLACE_ROUTER : FSTREAM_PLACE_HOST));
		came(3);
		turn();
	}
	MUST(stale(FSTREAM_PLACE_HOST) && verdict.share == 6000 / 21);
	return true;
}

/*
 * A path that takes a packet each @service, FIFO, and discards a packet that cannot be through
 * before its deadline. Packets are sent each @gap, with the lifetimes in turn. Nothing is taken
 * from @down to @up. Both ways take 50 ms. The sender hears of what is stale by the next packet
 * that comes.
 */
struct path {
	int64_t gap, service, down, up;
	int64_t lifetime[3];
};

/* Return: when expiry was persistent, or 0. */
static int64_t run(const struct path *p, unsigned int packets)
{
	unsigned int untold = 0;
	int64_t at, free_at = 0;
	bool clean;

	restart();
	for (unsigned int i = 0; i < packets; i++) {
		int64_t sent = START + i * p->gap, begin = sent > free_at ? sent : free_at;

		if (begin + p->service > START + p->down && begin < START + p->up)
			begin = START + p->up;
		if (begin + p->service > sent + p->lifetime[i % 3]) {
			untold++;
			continue;
		}
		free_at = begin + p->service;
		at = free_at + 100 * MS;
		for (; untold; untold--)
			if (fstream_expiry_stale(&e, FSTREAM_PLACE_ROUTER,
						 sent - untold * p->gap, p->lifetime[0], &verdict))
				return at - START;
		fstream_expiry_came(&e, sent, 100);
		fstream_expiry_turn(&e, sent, at, &clean);
	}
	return 0;
}

/*
 * One outage of 10 s, wherever it begins, on a path that takes 100 packets a second: with equal
 * lifetimes at up to 90 % load. With different ones the queue keeps what lives long, and the rest
 * goes stale behind it until that has gone. So at 80 % and lifetimes of 0.3, 1 and 3 s this is
 * congestion, and at 60 % with 0.2 and 20 s.
 */
static bool test_outage(void)
{
	static const struct {
		int load;
		int64_t lifetime[3];
	} flows[] = {
		{ 9, { SEC, SEC, SEC } }, { 7, { 300 * MS, SEC, 3 * SEC } },
		{ 5, { 200 * MS, 20 * SEC, 200 * MS } },
	};

	for (int f = 0; f < 3; f++)
		for (int load = 1; load <= flows[f].load; load++)
			for (int64_t down = 4 * SEC; down < 5 * SEC; down += 7 * MS) {
				struct path p = {
					.gap = 100 * MS / load, .service = 10 * MS,
					.down = down, .up = down + 10 * SEC,
				};

				memcpy(p.lifetime, flows[f].lifetime, sizeof(p.lifetime));
				MUST(!run(&p, 3000));
			}
	return true;
}

/*
 * Twice as much as the path carries: a packet in 60 ms, each takes 120 ms, and lives for 1 s.
 * Packet n is through at 120 (n + 1) ms, which is in time up to n = 14. From then on the even ones
 * come, and are acknowledged 1060 ms after they were sent. Of 15, the sender hears by 16, at 2020
 * ms.
 *
 * Round trips begin at 0, at 220 (the first packet), 700 (4, sent at 240), 1660 (12), 2740 (28),
 * 3820 (46), 4900 (64). The fourth with something stale is the last one: it tells of 65 by 66 at
 * 5020 ms. Since 1660 ms, 13 and 14 have come and of 15 to 64 the even ones; of 65 it knows that it
 * is stale. That is 26 of 53.
 */
static bool test_overload(void)
{
	const struct path p = {
		.gap = 60 * MS, .service = 120 * MS, .down = INT64_MAX / 2, .up = INT64_MAX / 2,
		.lifetime = { SEC, SEC, SEC },
	};

	MUST(run(&p, 200) == 5020 * MS);
	MUST(verdict.share == 26000 / 53 && verdict.place == FSTREAM_PLACE_ROUTER);
	MUST(verdict.rounds == 4);
	return true;
}

/* When nothing comes, an outage of 10 s is ruled out after 21 s and a lifetime. */
static bool test_nothing(void)
{
	restart();
	for (int i = 0; i <= 220; i++) {
		MUST(!stale(FSTREAM_PLACE_HOST));
		now += 100 * MS;
	}
	MUST(stale(FSTREAM_PLACE_HOST) && verdict.share == 1000);
	/* at a packet in 2 s, the 20th is at 38 s */
	restart();
	for (int i = 0; i < 19; i++) {
		MUST(!stale(FSTREAM_PLACE_HOST));
		now += 2 * SEC;
	}
	MUST(stale(FSTREAM_PLACE_HOST));
	/* what came before the stale ones began does not count */
	restart();
	came(1);
	now += 60 * SEC;
	for (int i = 0; i < 100; i++)
		MUST(!stale(FSTREAM_PLACE_HOST));
	return true;
}

/* A report of 35 late ones of 50 makes the newest 35 stale, of five round trips since the last one. A
 * report after that tells of nothing that was told before.
 */
static bool test_late(void)
{
	restart();
	for (int i = 0; i < 3; i++) {
		came(10);
		MUST(turn());
	}
	MUST(!fstream_expiry_late(&e, 0, 30, &verdict));
	for (int i = 0; i < 4; i++) {
		came(10);
		MUST(turn());
	}
	came(10);
	MUST(fstream_expiry_late(&e, 35, 15, &verdict));
	MUST(verdict.share == 35000 / 40 && verdict.place == FSTREAM_PLACE_RECEIVER);
	for (unsigned int i = 0; i < 5; i++)
		MUST(e.ring[3 + i].stale[FSTREAM_PLACE_RECEIVER] == (i > 1 ? 10 : 5 * i));
	MUST(!fstream_expiry_late(&e, 10, 0, &verdict));
	MUST(e.ring[7].stale[FSTREAM_PLACE_RECEIVER] == 10);
	came(1);
	MUST(!turn());
	return true;
}

/* Messages of several packets: 2 of 3 messages are 4 of 6 packets. A report before anything came
 * changes nothing, nor does an empty one.
 */
static bool test_report(void)
{
	restart();
	MUST(!fstream_expiry_late(&e, 7, 0, &verdict) && !e.ring[0].stale[2]);
	MUST(!fstream_expiry_late(&e, 0, 0, &verdict));
	for (int i = 0; i < 6; i++) {
		came(1);
		turn();
	}
	MUST(!fstream_expiry_late(&e, 2, 1, &verdict));
	for (unsigned int i = 0; i < 6; i++)
		MUST(e.ring[i].stale[FSTREAM_PLACE_RECEIVER] == (i >= 2));
	/* more round trips than are kept, and the greatest counts */
	restart();
	for (int i = 0; i < 100; i++) {
		came(1);
		turn();
	}
	MUST(fstream_expiry_late(&e, UINT32_MAX, UINT32_MAX, &verdict) && verdict.share >= 450);
	return true;
}

/* What was sent before a new window counts neither as stale nor as come. The episode stays until a
 * full window has at most a twentieth.
 */
static bool test_restart(void)
{
	bool clean;

	restart();
	e.episode = true;
	now += SEC;
	fstream_expiry_restart(&e, now);
	MUST(!fstream_expiry_stale(&e, FSTREAM_PLACE_ROUTER, now - 1, SEC, &verdict));
	fstream_expiry_came(&e, now - 1, 100);
	fstream_expiry_lost(&e, now - 1);
	fstream_expiry_slow(&e, now - 1);
	MUST(!fstream_expiry_turn(&e, now - 1, now, &clean));
	MUST(e.count == 1 && !e.ring[0].packets && !e.ring[0].slow && e.episode);
	/* 5 round trips of 10 with 1 stale each; 4 of them with 2 of 40, and the one that begins */
	for (int i = 0; i < 4; i++)
		mixed(9);
	for (int i = 0; i < 2; i++) {
		MUST(e.episode);
		came(10);
		MUST(turn());
	}
	MUST(!e.episode);
	return true;
}

/* A round trip is clean if nothing in it was stale or slow; a packet that is lost for another
 * reason counts as a packet. Only a packet that was sent in it ends it.
 */
static bool test_clean(void)
{
	bool clean = false;

	restart();
	fstream_expiry_lost(&e, now);
	came(1);
	MUST(e.ring[0].packets == 2 && turn());
	fstream_expiry_slow(&e, now);
	came(1);
	MUST(!turn() && e.count == 3);
	MUST(!fstream_expiry_turn(&e, now - 1, now, &clean) && e.count == 3);
	MUST(fstream_expiry_turn(&e, now, now, &clean) && clean && e.count == 4);
	return true;
}

/* 10 round trips of 100 ms in which 300 bytes were taken and 200 came; the newest three had 500. */
static bool test_rates(void)
{
	restart();
	MUST(!fstream_expiry_taken_rate(&e, now) && !fstream_expiry_came_rate(&e, 5, now));
	for (int i = 0; i < 10; i++) {
		fstream_expiry_taken(&e, 300);
		came(i < 7 ? 2 : 5);
		turn();
	}
	MUST(fstream_expiry_taken_rate(&e, now) == 3000);
	MUST(fstream_expiry_came_rate(&e, 0, now) == 0);
	MUST(fstream_expiry_came_rate(&e, 4, now) == 5000);
	MUST(fstream_expiry_came_rate(&e, 5, now) == 4250);
	MUST(fstream_expiry_came_rate(&e, 1000, now) == 2900);
	/* headers take 64 bytes, or what the packet had */
	fstream_expiry_cut(&e, now, 500);
	fstream_expiry_cut(&e, now, 40);
	fstream_expiry_cut(&e, START - 1, 500);	/* before the window */
	turn();
	MUST(fstream_expiry_came_rate(&e, 2, now) == 1040);
	return true;
}

/* Counters stay at their greatest value. */
static bool test_saturation(void)
{
	restart();
	e.ring[0].packets = e.ring[0].came = UINT32_MAX;
	e.ring[0].stale[FSTREAM_PLACE_HOST] = UINT32_MAX;
	MUST(!stale(FSTREAM_PLACE_HOST));
	came(1);
	MUST(e.ring[0].packets == UINT32_MAX && e.ring[0].came == UINT32_MAX);
	MUST(e.ring[0].stale[FSTREAM_PLACE_HOST] == UINT32_MAX);
	return true;
}

/* 1 s, 1.5 s, 2.25 s ... up to the greatest one, and never shorter. */
static bool test_longer(void)
{
	MUST(fstream_expiry_longer(SEC, 10 * SEC) == 1500 * MS);
	MUST(fstream_expiry_longer(1500 * MS, 10 * SEC) == 2250 * MS);
	MUST(fstream_expiry_longer(SEC, 1500 * MS) == 1500 * MS);
	MUST(fstream_expiry_longer(SEC, 1499 * MS) == 1499 * MS);
	MUST(fstream_expiry_longer(SEC, SEC) == SEC);
	MUST(fstream_expiry_longer(SEC, 500 * MS) == SEC && fstream_expiry_longer(SEC, 0) == SEC);
	MUST(fstream_expiry_longer(INT64_MAX / 4 * 3, INT64_MAX) == INT64_MAX);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a tenth", test_tenth },
		{ "four round trips", test_rounds },
		{ "twenty packets", test_packets },
		{ "stale in four round trips", test_spread },
		{ "the place", test_place },
		{ "an outage of 10 s", test_outage },
		{ "twice what the path carries", test_overload },
		{ "nothing comes", test_nothing },
		{ "late packets", test_late },
		{ "reports", test_report },
		{ "a new window", test_restart },
		{ "clean round trips", test_clean },
		{ "rates", test_rates },
		{ "saturation", test_saturation },
		{ "a longer lifetime", test_longer },
	};

	return unit_run(tests, sizeof(tests) / sizeof(*tests)) != 0;
}
