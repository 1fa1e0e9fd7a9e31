// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCID 3 between two endpoints, in simulated time: what a lost packet, a pause, a mark or a cut
 * packet does to the allowed rate. Each test prints the rate before, the lowest one, and the time
 * until the rate before is reached again. Prints TAP.
 */
#include "../codec/unit.h"

#include "world.h"

#define SIZE		1000
#define RTT		(40 * MS)
/* min(4 * 1000, max(2 * 1000, 4380)) bytes in a round-trip time: RFC 5348 section 4.2 */
#define INITIAL		(4.0 * SIZE * SEC / RTT)
#define PACKET		(1.0 * SIZE * SEC / RTT)	/* one packet in a round-trip time */

static struct world w;
static struct fdccp_conn *sender;
static size_t size;
static enum freshlink_stale stale;
static unsigned int arrived;

/* the allowed rate, in bytes a second */
static struct {
	uint64_t before, lowest;
	int64_t since, back;
} rate;

static void took_event(struct world *world, bool client, const struct fdccp_event *event)
{
	(void)world;
	if (client && event->type == FDCCP_EVENT_CONNECTED)
		sender = event->conn;
	arrived += event->type == FDCCP_EVENT_DATA && !client;
}

static struct fdccp_info info(void)
{
	struct fdccp_info i;

	fdccp_info(sender, &i);
	return i;
}

static bool start(int64_t keepalive)
{
	struct fdccp_params params;

	world_params(&params, FDCCP_CCID3);
	params.ecn = true;
	params.keepalive = keepalive;
	sender = NULL;
	size = SIZE;
	stale = FRESHLINK_DISCARD;
	world_open(&w, 1, FDCCP_CARRIER_UDP, NULL);
	w.event = took_event;
	w.path.way[0].delay = w.path.way[1].delay = RTT / 2;
	MUST(!world_connect(&w, &params, &sender));
	sender = NULL;
	world_run(&w, w.now + 10 * RTT);
	MUST(sender && info().ccid == FDCCP_CCID3);
	return true;
}

static bool end(void)
{
	world_close(&w);
	return true;
}

static int send_packet(void)
{
	static const uint8_t payload[1400];
	struct fdccp_message message = { .deadline = w.now + SEC, .stale = stale };

	return world_send(&w, true, sender, payload, size, &message);
}

static int send_lost(void)
{
	int err;

	w.path.way[1].loss = 1000;
	err = send_packet();
	w.path.way[1].loss = 0;
	return err;
}

static void note_rate(void)
{
	uint64_t now = info().rate;

	if (now < rate.lowest)
		rate.lowest = now;
	if (now < rate.before)
		rate.back = FDCCP_NEVER;
	else if (rate.back == FDCCP_NEVER)
		rate.back = w.now;
}

static void watch(void)
{
	rate.before = rate.lowest = info().rate;
	rate.since = rate.back = w.now;
}

static void idle(int64_t time)
{
	for (int64_t until = w.now + time; world_step(&w, until);)
		note_rate();
	note_rate();
}

/* Sends a packet each @interval, or as fast as may be with 0. */
static void stream(int64_t time, int64_t interval)
{
	int64_t until = w.now + time;

	while (w.now < until) {
		int64_t next = w.now + (interval ? interval : MS / 4);

		send_packet();
		idle((next < until ? next : until) - w.now);
	}
}

static void show(const char *what)
{
	printf("# %s: %llu bytes/s, lowest %llu, ", what, (unsigned long long)rate.before,
	       (unsigned long long)rate.lowest);
	if (rate.back == FDCCP_NEVER)
		printf("at the end %llu\n", (unsigned long long)info().rate);
	else
		printf("back after %.3f s\n", (rate.back - rate.since) / 1e9);
}

/* Loses packets of a stream, so that its rate is that of the equation. */
static void congest(void)
{
	w.path.way[1].loss = 10;
	stream(20 * SEC, 0);
	w.path.way[1].loss = 0;
	stream(SEC, 0);
}

/* Loses the only data packet for a long time. Syncs find the loss: no feedback follows. */
static bool only_packet(void)
{
	uint32_t p;

	idle(10 * SEC);
	watch();
	p = info().loss_event_rate;
	MUST(!send_lost());
	idle(20 * SEC);
	show("lost alone");
	/* the nofeedback timer halves the rate once */
	MUST(rate.lowest == rate.before / 2 && info().rate == rate.lowest);
	MUST(info().loss_event_rate == p);
	for (int i = 0; i < 10; i++) {
		unsigned int before = arrived;

		MUST(!send_packet());
		idle(100 * MS);
		MUST(arrived == before + 1);
	}
	show("ten packets later");
	/* X_recv in a data-limited interval with a loss; R is not below RTT */
	MUST(rate.lowest >= 0.84 * PACKET);
	MUST(info().loss_event_rate > 0);
	return end();
}

static bool syncs(void)
{
	/* only one packet has arrived before */
	MUST(start(SEC) && !send_packet() && only_packet());
	MUST(start(SEC));
	stream(SEC, 0);
	MUST(only_packet());
	MUST(start(SEC));
	congest();
	return only_packet();
}

/* A program that sends one packet in 100 ms loses one: the loss in a data-limited interval halves
 * what was received, and the program notices nothing.
 */
static bool slow_program(void)
{
	unsigned int before;

	MUST(start(0));
	stream(5 * SEC, 100 * MS);
	watch();
	MUST(!send_lost());
	idle(100 * MS);
	before = arrived;
	stream(5 * SEC, 100 * MS);
	idle(RTT);
	show("one packet of a slow program");
	MUST(arrived == before + 50);
	MUST(rate.lowest >= 0.5 * PACKET);
	return end();
}

/* The last packet of a burst is lost; the next burst finds that. */
static bool end_of_burst(void)
{
	MUST(start(0));
	for (int i = 0; i < 5; i++) {
		stream(100 * MS, 0);
		idle(SEC);
	}
	watch();
	stream(100 * MS, 0);
	MUST(!send_lost() || !(idle(MS * 10), send_lost()));
	idle(SEC);
	MUST(rate.lowest >= 0.99 * INITIAL);
	for (int i = 0; i < 5; i++) {
		stream(100 * MS, 0);
		idle(SEC);
	}
	show("the last packet of a burst");
	MUST(rate.lowest >= 2 * PACKET * 0.85);
	stream(2 * SEC, 0);
	MUST(info().rate >= INITIAL);
	return end();
}

/* All feedback is lost for a second: the rate halves each four round-trip times. */
static bool feedback_lost(void)
{
	MUST(start(0));
	congest();
	watch();
	w.path.way[0].loss = 1000;
	stream(SEC / 2, 0);
	w.path.way[0].loss = 0;
	stream(5 * SEC, 0);
	show("no feedback for half a second");
	MUST(rate.lowest >= rate.before / 16);
	MUST(rate.back - rate.since < SEC);
	return end();
}

/* A pause does not bring the rate below the initial one. Nor does the first feedback after it, that
 * of a single packet (RFC 5348 section 8.2.2).
 */
static bool pause_of_program(void)
{
	MUST(start(0));
	congest();
	for (int pause = 0; pause < 10; pause++) {
		watch();
		idle((1 + 7 * pause) * SEC);
		stream(5 * SEC, 0);
		show("a pause");
		MUST(rate.before > INITIAL && rate.lowest >= 0.99 * INITIAL);
		MUST(rate.back - rate.since < (1 + 7 * pause) * SEC + SEC);
	}
	return end();
}

/* The first packets are lost before there was any feedback. */
static bool first_packets(void)
{
	for (int lost = 1; lost <= 4; lost++) {
		MUST(start(SEC));
		for (int i = 0; i < lost; i++) {
			MUST(!send_lost());
			/* the sending half begins with the first packet */
			if (!i)
				watch();
			idle(RTT / 4 + MS);
		}
		idle(10 * SEC);
		stream(10 * SEC, 0);
		show("first packets lost");
		/* the first interval is null: half a packet in a round-trip time */
		MUST(rate.lowest >= 0.25 * PACKET);
		MUST(rate.back < FDCCP_NEVER && rate.back - rate.since < 15 * SEC);
		end();
	}
	return true;
}

/* A mark has the effect of a loss, without a missing packet. */
static bool marks(void)
{
	MUST(start(0));
	stream(SEC, 0);
	watch();
	for (int i = 0; i < 5; i++) {
		w.path.way[1].mark = 1000;
		MUST(!send_packet() || !(idle(5 * MS), send_packet()));
		w.path.way[1].mark = 0;
		stream(2 * SEC, 0);
	}
	show("marks");
	MUST(w.path.way[1].marked > 0 && !info().fate[FDCCP_FATE_LOST]);
	MUST(rate.lowest >= INITIAL);
	return end();
}

/* Marks of a program that sends one packet in 100 ms. */
static bool slow_marks(void)
{
	MUST(start(0));
	stream(2 * SEC, 100 * MS);
	watch();
	w.path.way[1].mark = 50;
	stream(60 * SEC, 100 * MS);
	show("marks of a slow program");
	MUST(w.path.way[1].marked > 20);
	MUST(info().sent == 620);
	return end();
}

/* Packets that arrive without their data are no losses. But only what arrives with its data counts
 * for the receive rate. If nothing does, that is one packet in a round-trip time, and twice that may
 * be sent.
 */
static bool cut(void)
{
	uint32_t p;

	MUST(start(0));
	stale = FRESHLINK_TRUNCATE;
	congest();
	watch();
	p = info().loss_event_rate;
	w.path.way[1].cut = 500;
	stream(5 * SEC, 0);
	show("half of the packets cut");
	w.path.way[1].cut = 1000;
	stream(5 * SEC, 0);
	show("all packets cut");
	MUST(rate.lowest >= 2 * PACKET * 0.9 && info().rate < 2 * PACKET * 1.1);
	MUST(info().loss_event_rate <= p);
	w.path.way[1].cut = 0;
	stream(SEC, 0);
	MUST(info().rate > rate.before / 2);
	return end();
}

/* Datagrams without payload have a rate, too. */
static bool empty(void)
{
	unsigned int before;

	MUST(start(0));
	size = 0;
	w.path.way[1].loss = 10;
	stream(20 * SEC, 20 * MS);
	w.path.way[1].loss = 0;
	before = arrived;
	stream(2 * SEC, 20 * MS);
	idle(RTT);
	MUST(arrived == before + 100);
	return end();
}

/* Four packets of any size may be sent in the first round-trip time: RFC 4342 section 5. */
static bool small(void)
{
	static const size_t sizes[] = { 10, 100, 1000 };

	for (int i = 0; i < 3; i++) {
		unsigned int before;

		MUST(start(0));
		size = sizes[i];
		before = info().sent;
		stream(RTT - MS, 0);
		printf("# %zu bytes: %u packets in the first round-trip time\n", size,
		       (unsigned int)info().sent - before);
		MUST(info().sent - before >= 4 && info().sent - before <= 5);
		end();
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "a lost packet that only Syncs follow halves the rate at most once", syncs },
		{ "a slow program that loses a packet keeps its rate", slow_program },
		{ "the end of a burst is lost", end_of_burst },
		{ "the rate is back soon after feedback was lost", feedback_lost },
		{ "a pause leaves the initial rate", pause_of_program },
		{ "the first packets are lost", first_packets },
		{ "marks slow a stream as losses do", marks },
		{ "marks leave a slow program its rate", slow_marks },
		{ "cut packets are no losses, and their bytes are not received", cut },
		{ "packets without payload are not stopped", empty },
		{ "small packets start at four in a round-trip time", small },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
