// SPDX-License-Identifier: GPL-2.0-or-later
/* CCID 254: its pace, its Ack Ratio, and when its circuit breaker trips. Prints TAP. */
#include <string.h>

#include "../../userspace/dccp/ccid_fixed.c"

#include "../codec/unit.h"
#include "ackvec.h"

#define MS	INT64_C(1000000)
#define S	(1000 * MS)
#define RATE	1000000
#define SIZE	1000		/* a packet in 1 ms */
#define START	(-5 * S)	/* a clock may begin anywhere */

static const struct fdccp_ccid *const ccid = &fdccp_ccid_fixed;
static struct fixed_tx tx;
static uint64_t seq, acks;

static void begin(uint64_t rate, int64_t rtt_of_handshake)
{
	const struct fdccp_ccid_start how = {
		.now = START, .size = 1400, .rtt = rtt_of_handshake, .rate = rate,
	};

	ccid->tx_start(&tx, &how);
	seq = acks = 0;
}

static void send_packet(uint32_t size, int64_t now)
{
	const struct fdccp_sent_packet p = {
		.seq = seq++, .at = now, .size = size, .data = true, .fate = FDCCP_FATES,
	};

	ccid->tx_sent(&tx, &p, now);
}

/* Sends all that may be sent at @now. Return: how many packets. */
static unsigned int send_all(uint32_t size, int64_t now)
{
	unsigned int count = 0;

	for (; ccid->tx_when(&tx, now) <= now; count++)
		send_packet(size, now);
	return count;
}

static void tell(enum fdccp_fate what, bool arrived)
{
	const struct fdccp_sent_packet p = { .data = true, .fate = what, .received = arrived };

	ccid->tx_verdict(&tx, &p, 0);
}

/* Return: the smoothed round-trip time */
static int64_t acknowledge(int64_t sent_at, int64_t now, int64_t elapsed)
{
	const struct fdccp_tx_ack a = {
		.now = now, .seq = acks++, .sent_at = sent_at, .elapsed = elapsed,
		.has_vector = true,
	};

	ccid->tx_ack(&tx, &a);
	return ccid->tx_rtt(&tx);
}

/* Packets are spaced by their size; a late program makes up for at most 1 ms. */
static bool pace(void)
{
	int64_t now = START;

	begin(RATE, 0);
	MUST(send_all(SIZE, now) == 1 && ccid->tx_when(&tx, now) == now + MS);
	MUST(!send_all(SIZE, now + MS - 1) && send_all(SIZE, now + MS) == 1);
	/* half a millisecond late, and then in time again */
	MUST(send_all(SIZE, now + 2 * MS + MS / 2) == 1);
	MUST(ccid->tx_when(&tx, now) == now + 3 * MS);
	/* after a pause: what the rate gives in 1 ms, and a packet */
	MUST(send_all(100, now + S) == 11);
	MUST(ccid->tx_when(&tx, now) == now + S + MS / 10);
	return true;
}

/* In 10 s of a program that is late by up to 5 ms, the mean is the rate at most. */
static bool mean(void)
{
	unsigned int sent = 0;

	begin(10 * RATE, 0);
	for (int64_t now = START; now < START + 10 * S; now += (sent * 7919 % 5000) * 1000 + 1)
		sent += send_all(SIZE, now);
	printf("# %u packets\n", sent);
	MUST(sent > 20000 && sent <= 10 * 10000 + 11);
	return true;
}

/* Packets without payload are not free: they count as 64 bytes. */
static bool empty(void)
{
	begin(RATE, 0);
	MUST(send_all(0, START) == 1 && ccid->tx_when(&tx, START) == START + 64000);
	return true;
}

/* A loss, a mark or a stale packet changes neither the rate nor the schedule. */
static bool unmoved(void)
{
	struct fdccp_info before = { 0 }, after = { 0 };
	int64_t next;

	begin(RATE, 40 * MS);
	send_all(SIZE, START);
	next = ccid->tx_when(&tx, START);
	ccid->tx_info(&tx, &before);
	for (int fate = 0; fate < FDCCP_FATES; fate++)
		tell(fate, fate == FDCCP_FATE_MARKED || fate == FDCCP_FATE_CUT);
	ccid->tx_info(&tx, &after);
	MUST(before.rate == RATE && after.rate == RATE && ccid->tx_when(&tx, START) == next);
	MUST(!ccid->ecn);
	return true;
}

/* Sends a packet each @gap for some round-trip times. */
static void stream(int64_t from, int64_t rtt, int64_t gap)
{
	for (int64_t now = from; now < from + 10 * rtt; now += gap) {
		send_packet(SIZE, now);
		acknowledge(now - rtt, now, 0);
	}
}

/* An acknowledgment is asked for each round-trip time, by what was sent, not by what might have
 * been. A small difference is not negotiated. Acknowledgments that are late do not change the wish.
 */
static bool ratio(void)
{
	begin(100 * RATE, 40 * MS);
	MUST(ccid->tx_ack_ratio(&tx) == 2);
	/* the packets of 40 ms, both ends included */
	stream(START, 40 * MS, MS);
	MUST(ccid->tx_ack_ratio(&tx) == 41);
	stream(START + 400 * MS, 44 * MS, MS);
	MUST(ccid->tx_ack_ratio(&tx) == 41);
	for (int64_t now = START + 840 * MS; now < START + 2 * S; now += MS) {
		send_packet(SIZE, now);
		if (now % (100 * MS) == 0)
			acknowledge(now - 40 * MS, now, 0);
	}
	MUST(ccid->tx_ack_ratio(&tx) == 41);
	stream(START + 2 * S, 100 * MS, MS);
	MUST(ccid->tx_ack_ratio(&tx) == 100);
	/* a slow program hears of each packet */
	stream(START + 4 * S, 40 * MS, 60 * MS);
	MUST(ccid->tx_ack_ratio(&tx) == 1);
	return true;
}

/* A round-trip time is measured once in a round-trip time. A peer that waited longer than the
 * packet was on its way, or acknowledges what is not known any more, tells none.
 */
static bool round_trips(void)
{
	begin(RATE, 0);
	MUST(!ccid->tx_rtt(&tx));
	MUST(acknowledge(START, START + 50 * MS, 10 * MS) == 40 * MS);
	MUST(acknowledge(START + MS, START + 51 * MS, 0) == 40 * MS);
	MUST(acknowledge(FDCCP_NEVER, START + 60 * MS, 0) == 40 * MS);
	MUST(acknowledge(START + 50 * MS, START + 90 * MS, 40 * MS) == 40 * MS);
	MUST(acknowledge(START + 50 * MS, START + 98 * MS, INT64_C(42949672950000)) == 40 * MS);
	MUST(acknowledge(START + 50 * MS, START + 98 * MS, 0) == 41 * MS);
	return true;
}

/* The peer's window is asked for what the rate gives in a round-trip time, within the ring. */
static bool windows(void)
{
	begin(100 * RATE, 40 * MS);
	send_packet(SIZE, START);
	MUST(ccid->tx_window(&tx) == 4001);
	begin(UINT64_MAX, 60 * S);
	MUST(ccid->tx_window(&tx) == FDCCP_SENT_MAX);
	send_packet(SIZE, START);
	MUST(ccid->tx_when(&tx, START) <= START);
	return true;
}

/* Runs an interval: packets are sent, and so many become known as received and lost. Return:
 * whether it ended without a word.
 */
static bool interval(int *second, uint32_t received, uint32_t lost)
{
	int64_t now = START + *second * S;

	send_packet(SIZE, now);
	while (received--)
		tell(FDCCP_FATE_ACKNOWLEDGED, true);
	while (lost--)
		tell(FDCCP_FATE_LOST, false);
	++*second;
	MUST(ccid->tx_timer(&tx) == now + S);
	MUST(!ccid->tx_expire(&tx, now + S - 1));
	return ccid->tx_expire(&tx, now + S);
}

/* Ten intervals of a second without feedback trip it, and nine do not. */
static bool silence(void)
{
	int second = 0;

	begin(RATE, 0);
	for (int i = 0; i < 9; i++)
		MUST(interval(&second, 0, 0) && !ccid->tx_broken(&tx));
	MUST(!interval(&second, 1, 0) && !ccid->tx_broken(&tx));
	for (int i = 0; i < 9; i++)
		MUST(interval(&second, 0, 0) && !ccid->tx_broken(&tx));
	MUST(interval(&second, 0, 0) && ccid->tx_broken(&tx));
	return true;
}

/* So do ten in which more than half was lost. Half is not more. What a router discarded counts as
 * lost, what became stale in this host or was cut does not.
 */
static bool losses(void)
{
	int second = 0;

	begin(RATE, 0);
	for (int i = 0; i < 30; i++)
		MUST(!interval(&second, 50, 50) && !ccid->tx_broken(&tx));
	for (int i = 0; i < 30; i++) {
		for (int k = 0; k < 100; k++)
			tell(k % 2 ? FDCCP_FATE_EXPIRED : FDCCP_FATE_CUT, !(k % 2));
		MUST(!interval(&second, 0, 0) && !ccid->tx_broken(&tx));
	}
	for (int i = 0; i < 9; i++)
		MUST(!interval(&second, 49, 51) && !ccid->tx_broken(&tx));
	tell(FDCCP_FATE_DISCARDED, false);
	MUST(!interval(&second, 1, 1) && ccid->tx_broken(&tx));
	return true;
}

/* What counted as lost and then arrived counts as received. */
static bool late(void)
{
	int second = 0;

	begin(RATE, 0);
	for (int i = 0; i < 30; i++) {
		for (int k = 0; k < 10; k++) {
			tell(FDCCP_FATE_LOST, false);
			tell(FDCCP_FATE_LOST, true);
		}
		MUST(!interval(&second, 0, 0) && !ccid->tx_broken(&tx));
	}
	return true;
}

/* A program that pauses after a lost packet is not judged, and needs no timer. */
static bool paused(void)
{
	int second = 0;

	begin(RATE, 0);
	MUST(ccid->tx_timer(&tx) == FDCCP_NEVER);
	MUST(interval(&second, 0, 0));
	MUST(ccid->tx_timer(&tx) == START + 2 * S);
	MUST(!ccid->tx_expire(&tx, START + 2 * S) && ccid->tx_timer(&tx) == FDCCP_NEVER);
	for (int i = 0; i < 8; i++) {
		second += 100;
		MUST(interval(&second, 0, 0) && !ccid->tx_broken(&tx));
		ccid->tx_expire(&tx, ccid->tx_timer(&tx));
	}
	second += 100;
	MUST(interval(&second, 0, 0) && ccid->tx_broken(&tx));
	return true;
}

/* A new path begins with a good circuit breaker and the same rate. */
static bool moved(void)
{
	const struct fdccp_ccid_start how = { .now = START + 60 * S, .size = 1400, .rate = RATE };
	struct fdccp_info after = { 0 };
	int second = 0;

	begin(RATE, 0);
	for (int i = 0; i < 9; i++)
		interval(&second, 0, 0);
	ccid->tx_restart(&tx, &how);
	second = 60;
	interval(&second, 0, 0);
	ccid->tx_info(&tx, &after);
	MUST(!ccid->tx_broken(&tx) && after.rate == RATE && !ccid->tx_rtt(&tx));
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "no burst has more than 1 ms", pace },
		{ "the mean is the rate at most", mean },
		{ "packets without payload have a rate", empty },
		{ "no fate moves the rate", unmoved },
		{ "Ack Ratio is a round-trip time", ratio },
		{ "round-trip times are measured", round_trips },
		{ "the window follows the rate", windows },
		{ "10 s without feedback trip the circuit breaker", silence },
		{ "10 s with more than half lost trip it", losses },
		{ "late packets do not trip it", late },
		{ "pauses do not trip it", paused },
		{ "a new path starts anew", moved },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
