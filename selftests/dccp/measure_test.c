// SPDX-License-Identifier: GPL-2.0-or-later
/* What a connection measures of its path: round-trip times and the rate. Prints TAP. */
#include "../codec/unit.h"

#include "rtt.h"
#include "world.h"

#define SIZE	1000
#define RTT	(40 * MS)

static struct world w;
static struct fdccp_conn *sender, *receiver;

/* The least time is that of the last 8 to 10 s before a sample, and stays when samples end. */
static bool least(void)
{
	struct fdccp_rtts rtts = { 0 };

	MUST(!fdccp_rtts_least(&rtts));
	fdccp_rtts_add(&rtts, 20 * MS, 101 * SEC);
	fdccp_rtts_add(&rtts, 30 * MS, 102 * SEC);
	MUST(fdccp_rtts_least(&rtts) == 20 * MS && rtts.count == 2 && rtts.last == 30 * MS);
	for (int s = 103; s <= 109; s++)
		fdccp_rtts_add(&rtts, 40 * MS, s * SEC);
	MUST(fdccp_rtts_least(&rtts) == 20 * MS);
	fdccp_rtts_add(&rtts, 40 * MS, 111 * SEC);
	MUST(fdccp_rtts_least(&rtts) == 30 * MS);
	fdccp_rtts_add(&rtts, 40 * MS, 112 * SEC);
	MUST(fdccp_rtts_least(&rtts) == 40 * MS);
	/* after a pause of any length */
	fdccp_rtts_add(&rtts, 50 * MS, INT64_MAX / 2);
	MUST(fdccp_rtts_least(&rtts) == 50 * MS);
	fdccp_rtts_restart(&rtts);
	MUST(!fdccp_rtts_least(&rtts) && !rtts.rto.srtt && rtts.count == 12);
	return true;
}

static void took_event(struct world *world, bool client, const struct fdccp_event *event)
{
	(void)world;
	(void)client;
	if (event->type == FDCCP_EVENT_ACCEPTED)
		receiver = event->conn;
}

static bool start(uint8_t ccid)
{
	struct fdccp_params params;

	world_params(&params, ccid);
	world_open(&w, 1, FDCCP_CARRIER_UDP, NULL);
	w.event = took_event;
	w.path.way[0].delay = w.path.way[1].delay = RTT / 2;
	MUST(!world_connect(&w, &params, &sender));
	receiver = NULL;
	world_run(&w, w.now + 5 * RTT);
	MUST(receiver);
	return true;
}

static struct fdccp_measure measure(const struct fdccp_conn *conn)
{
	struct fdccp_measure m;

	fdccp_measure(conn, &m);
	return m;
}

/* Sends a packet each 10 ms. */
static void stream(int64_t time)
{
	static const uint8_t payload[SIZE];

	for (int64_t until = w.now + time; w.now < until;) {
		world_send(&w, true, sender, payload, SIZE, NULL);
		world_run(&w, w.now + 10 * MS);
	}
}

/* The smoothed time and the rate are those of struct fdccp_info. */
static bool agrees(void)
{
	struct fdccp_measure m = measure(sender);
	struct fdccp_info info;

	fdccp_info(sender, &info);
	MUST(m.srtt == info.rtt && m.rate == info.rate && m.rate);
	return true;
}

/*
 * Both ends know the round-trip time of the handshake. Then each acknowledgment of new packets
 * gives the sender a sample. When the path becomes longer, the last sample, the variation and the
 * smoothed time say it at once, and the least time 10 s later.
 */
static bool path(uint8_t ccid)
{
	struct fdccp_measure m, longer;

	MUST(start(ccid));
	m = measure(sender);
	MUST(m.samples == 1 && m.sample == RTT && m.srtt == RTT && m.rtt_min == RTT);
	MUST(m.rttvar == RTT / 2 && !m.rate);
	m = measure(receiver);
	MUST(m.samples == 1 && m.sample == RTT && m.rtt_min == RTT);
	stream(2 * SEC);
	m = measure(sender);
	printf("# %llu samples, the last %.2f ms\n", (unsigned long long)m.samples, m.sample / 1e6);
	MUST(agrees());
	MUST(m.samples >= (ccid == FDCCP_CCID2 ? 2 : 1) * (2 * SEC / RTT) - 2);
	MUST(m.rtt_min == RTT && m.sample >= RTT && m.sample < RTT + MS && m.rttvar < MS);
	w.path.way[0].delay = w.path.way[1].delay = RTT;
	stream(3 * RTT);
	longer = measure(sender);
	MUST(agrees());
	MUST(longer.sample >= 2 * RTT && longer.sample < 2 * RTT + MS);
	MUST(longer.srtt > m.srtt && longer.rttvar > 5 * MS && longer.rtt_min == RTT);
	stream(7 * SEC);
	MUST(measure(sender).rtt_min == RTT);
	stream(4 * SEC);
	MUST(measure(sender).rtt_min >= 2 * RTT && measure(sender).rtt_min < 2 * RTT + MS);
	world_close(&w);
	return true;
}

static bool like_tcp(void)
{
	return path(FDCCP_CCID2);
}

static bool by_equation(void)
{
	return path(FDCCP_CCID3);
}

int main(void)
{
	static const struct unit tests[] = {
		{ "the least round-trip time is one of the last 10 s", least },
		{ "CCID 2 measures the path", like_tcp },
		{ "CCID 3 measures the path", by_equation },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
