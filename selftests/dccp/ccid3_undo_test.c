// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCID 3 across a delay spike of 10 s between two endpoints, in simulated time. After the spike the
 * link sends on the headers of what is stale. With undo the former rate is back within two round
 * trips of the first feedback. Prints the allowed rates, and TAP.
 */
#include <math.h>

#include "../codec/unit.h"

#include "world.h"

#define SIZE		1000
#define RTT		(40 * MS)
#define LINK		1000000		/* bytes a second */
#define LIFETIME	(500 * MS)
#define SPIKE		(10 * SEC)
#define STEP		(MS / 4)
#define PERIOD		(8 * MS)	/* of the program that sends less than the link carries */
#define ALL		1000
/* min(4 * 1000, max(2 * 1000, 4380)) bytes in a round-trip time: RFC 5348 section 4.2 */
#define INITIAL		(4.0 * SIZE * SEC / RTT)

static struct world w;
static struct fdccp_conn *sender;
static uint64_t cut;

/**
 * struct scene - what happens
 * @undo: the parameter
 * @stale: the treatment of stale packets
 * @period: of the program; STEP: it sends as much as it may
 * @congested: losses before the spike give the rate
 * @outage: what is sent in the spike is lost
 */
static struct scene {
	enum fdccp_undo_choice undo;
	enum freshlink_stale stale;
	int64_t period;
	bool congested, outage;
} scene;

/**
 * struct rate - the allowed rate, in bytes a second
 * @rtt: round-trip time at the beginning of the spike, in ns
 * @before: at the beginning of the spike
 * @spike: at its end
 * @first: the greatest in the two round trips after the first feedback
 * @least: the least in the 5 s after those
 * @heard: when the first feedback came
 * @p: loss event rate before the spike
 */
static struct {
	uint64_t before, spike, first, least;
	int64_t heard, rtt;
	uint32_t p;
} rate;

/* when packets were sent after the first feedback */
static int64_t sent_at[4096];
static unsigned int sent_count;

static void took_event(struct world *world, bool client, const struct fdccp_event *event)
{
	if (client && event->type == FDCCP_EVENT_CONNECTED)
		sender = event->conn;
	if (!client || event->type != FDCCP_EVENT_FATE)
		return;
	cut += event->fate == FDCCP_FATE_CUT;
	if (rate.heard == FDCCP_NEVER)
		rate.heard = world->now;
}

static struct fdccp_info info(void)
{
	struct fdccp_info i;

	fdccp_info(sender, &i);
	return i;
}

static bool start(void)
{
	struct fdccp_params params;

	world_params(&params, FDCCP_CCID3);
	params.undo = scene.undo;
	cut = sent_count = 0;
	rate.heard = 0;
	world_open(&w, 1, FDCCP_CARRIER_UDP, NULL);
	w.event = took_event;
	w.path.way[0].delay = w.path.way[1].delay = RTT / 2;
	w.path.way[1].rate = LINK;
	w.path.way[1].queue = SIZE_MAX;
	w.path.way[1].lpd = true;
	MUST(!world_connect(&w, &params, &sender));
	sender = NULL;
	world_run(&w, w.now + 10 * RTT);
	MUST(sender && info().ccid == FDCCP_CCID3);
	return true;
}

static void watch(void)
{
	rate.heard = FDCCP_NEVER;
	rate.first = sent_count = 0;
	rate.least = UINT64_MAX;
}

static void note_rate(void)
{
	uint64_t now = info().rate;

	if (rate.heard == FDCCP_NEVER)
		return;
	if (w.now <= rate.heard + 2 * RTT)
		rate.first = now > rate.first ? now : rate.first;
	else if (now < rate.least)
		rate.least = now;
}

/* The program sends for @time. */
static void stream(int64_t time)
{
	static const uint8_t payload[SIZE];
	int64_t until = w.now + time;

	while (w.now < until) {
		struct fdccp_message message = { .deadline = w.now + LIFETIME,
			.stale = scene.stale };
		int64_t next = w.now + scene.period;

		if (!world_send(&w, true, sender, payload, SIZE, &message) &&
		    rate.heard != FDCCP_NEVER && sent_count < 4096)
			sent_at[sent_count++] = w.now;
		while (world_step(&w, next < until ? next : until))
			note_rate();
	}
}

static void congest(void)
{
	w.path.way[1].loss = 10;
	stream(20 * SEC);
	w.path.way[1].loss = 0;
}

/* 5 s, a spike, and 5 s. */
static bool play(void)
{
	MUST(start());
	if (scene.congested)
		congest();
	stream(5 * SEC);
	rate.before = info().rate;
	rate.p = info().loss_event_rate;
	rate.rtt = info().rtt;
	if (scene.outage)
		w.path.way[1].loss = ALL;
	else
		w.path.way[1].busy = w.now + SPIKE;
	/* what is on the way arrives */
	stream(SPIKE);
	rate.spike = info().rate;
	watch();
	w.path.way[1].loss = 0;
	stream(5 * SEC);
	printf("# %llu bytes/s before, %llu in the spike, then %llu, and at least %llu\n",
	       (unsigned long long)rate.before, (unsigned long long)rate.spike,
	       (unsigned long long)rate.first, (unsigned long long)rate.least);
	MUST(rate.heard != FDCCP_NEVER && rate.spike < rate.before / 100);
	return true;
}

/* What the link cut is told with its cause, and nothing is reported lost. */
static bool is_lossless(void)
{
	MUST(cut == w.path.way[1].stale && cut > 50);
	MUST(info().loss_event_rate <= rate.p);
	return true;
}

/* Packet after packet, the time may be less than the greatest rate asks for by 1 ms in sum. While the
 * round-trip time is shorter than usual, RFC 5348 section 4.5 has a greater rate.
 */
static bool is_even(void)
{
	double gap = 1.0 * SIZE * SEC / rate.first * sqrt(1.0 * RTT / rate.rtt), ahead = 0;

	MUST(sent_count > 100);
	for (unsigned int i = 1; i < sent_count && sent_at[i] <= rate.heard + 2 * RTT; i++) {
		ahead += gap - (sent_at[i] - sent_at[i - 1]);
		ahead = ahead > 0 ? ahead : 0;
		MUST(ahead <= MS);
	}
	return true;
}

static bool end(void)
{
	world_close(&w);
	return true;
}

static bool slow_program(void)
{
	scene = (struct scene){ .stale = FRESHLINK_TRUNCATE, .period = PERIOD };
	MUST(play() && is_lossless() && info().fate[FDCCP_FATE_LOST] == 0);
	MUST(rate.first == rate.before && rate.least >= rate.before && is_even());
	return end();
}

static bool full_rate(void)
{
	scene = (struct scene){ .stale = FRESHLINK_TRUNCATE, .period = STEP, .congested = true };
	MUST(play() && is_lossless());
	/* the queue of the link grows again: the equation has the round-trip time */
	MUST(rate.first >= rate.before && rate.least > rate.before / 10 * 9 && is_even());
	return end();
}

/* As RFC 5348 has it. */
static bool off(void)
{
	scene = (struct scene){ .undo = FDCCP_UNDO_OFF, .stale = FRESHLINK_TRUNCATE,
		.period = STEP, .congested = true };
	MUST(play() && is_lossless() && rate.first < rate.before / 100);
	end();
	scene.period = PERIOD;
	scene.congested = false;
	MUST(play() && is_lossless() && rate.first < rate.before / 50);
	return end();
}

/* By itself undo is for packets that routers cut. Others arrive late, and whole, and their queue
 * would be there to stay.
 */
static bool uncut(void)
{
	scene = (struct scene){ .stale = FRESHLINK_FORWARD, .period = PERIOD };
	MUST(play() && !cut && rate.first < rate.before / 50);
	end();
	scene.undo = FDCCP_UNDO_ON;
	MUST(play() && !cut && rate.first == rate.before);
	return end();
}

/* An outage loses all packets. The first one after it says nothing of that, and two to four packets
 * may be sent in a round-trip time, as at the start.
 */
static bool outage(void)
{
	scene = (struct scene){ .stale = FRESHLINK_TRUNCATE, .period = PERIOD, .outage = true };
	MUST(play() && !cut && rate.first <= INITIAL && rate.first < rate.before / 2);
	MUST(info().loss_event_rate > 0);
	return end();
}

/* What is discarded instead of cut is lost. */
static bool discarded(void)
{
	scene = (struct scene){ .undo = FDCCP_UNDO_ON, .stale = FRESHLINK_DISCARD,
		.period = PERIOD };
	MUST(play() && info().fate[FDCCP_FATE_LOST] > 50 && rate.first <= INITIAL);
	return end();
}

int main(void)
{
	static const struct unit tests[] = {
		{ "the rate of a slow program is back after a spike", slow_program },
		{ "the rate of the equation is", full_rate },
		{ "without undo it is not", off },
		{ "undo is for packets that routers may cut", uncut },
		{ "an outage that loses packets is no spike", outage },
		{ "nor is a spike with packets that are discarded", discarded },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
