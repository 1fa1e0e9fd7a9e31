// SPDX-License-Identifier: GPL-2.0-or-later
/* CCID 254: its pace, its Ack Ratio, and when its circuit breaker trips. Prints TAP. */
#include <string.h>

#include "../../userspace/dccp/ccid_fixed.c"

#include "../codec/unit.h"
#include "ackvec.h"
#include "cause.h"

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

/* What became of a packet that was sent at @at. */
static void tell(int64_t at, enum fdccp_fate what, bool arrived)
{
	const struct fdccp_sent_packet p = {
		.at = at, .data = true, .fate = what, .received = arrived,
	};

	ccid->tx_cause(&tx, fdccp_cause_of(&p), &p, 0);
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
		tell(START, fate, fate == FDCCP_FATE_MARKED || fate == FDCCP_FATE_CUT);
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

/* An acknowledgment is asked for in 5/4 of each round-trip time, by what was sent, not by what might have
 * been. A small difference is not negotiated. Acknowledgments that are late do not change the wish.
 */
static bool ratio(void)
{
	begin(100 * RATE, 40 * MS);
	MUST(ccid->tx_ack_ratio(&tx) == 2);
	/* the packets of 50 ms, and those of 40 ms have both ends included */
	stream(START, 40 * MS, MS);
	MUST(ccid->tx_ack_ratio(&tx) == 52);
	stream(START + 400 * MS, 44 * MS, MS);
	MUST(ccid->tx_ack_ratio(&tx) == 52);
	for (int64_t now = START + 840 * MS; now < START + 2 * S; now += MS) {
		send_packet(SIZE, now);
		if (now % (100 * MS) == 0)
			acknowledge(now - 40 * MS, now, 0);
	}
	MUST(ccid->tx_ack_ratio(&tx) == 52);
	stream(START + 2 * S, 100 * MS, MS);
	MUST(ccid->tx_ack_ratio(&tx) == 126);
	/* a slow program hears of each packet */
	stream(START + 4 * S, 40 * MS, 60 * MS);
	MUST(ccid->tx_ack_ratio(&tx) == 1);
	/* two of which the second comes before the first would be sent again need one */
	stream(START + 8 * S, 40 * MS, 50 * MS);
	MUST(ccid->tx_ack_ratio(&tx) == 2);
	stream(START + 12 * S, 40 * MS, 51 * MS);
	MUST(ccid->tx_ack_ratio(&tx) == 1);
	/* on a short path, those of 5 ms */
	stream(START + 16 * S, MS / 2, MS / 10);
	MUST(ccid->tx_ack_ratio(&tx) > 25 && ccid->tx_ack_ratio(&tx) <= 51);
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

#define HALF	FDCCP_BREAKER_INTERVAL

/* Lets the timer run up to @now. Return: whether the circuit breaker has tripped. */
static bool run(int64_t now)
{
	while (ccid->tx_timer(&tx) <= now)
		ccid->tx_expire(&tx, ccid->tx_timer(&tx));
	return ccid->tx_broken(&tx);
}

/* Sends a packet at @now, of which nothing is known yet. */
static bool send_at(int64_t now)
{
	if (run(now))
		return false;
	send_packet(SIZE, now);
	return true;
}

/* Sends @packets in half a second, of which so many are known as lost at its end, and the others as
 * received. Return: whether the circuit breaker has not tripped.
 */
static bool half_second(int64_t *now, unsigned int packets, unsigned int lost)
{
	for (unsigned int i = 0; i < packets; i++) {
		if (!send_at(*now))
			return false;
		tell(*now, i < lost ? FDCCP_FATE_LOST : FDCCP_FATE_ACKNOWLEDGED, i >= lost);
		*now += HALF / packets;
	}
	return true;
}

/* When the circuit breaker trips on an outage from @begin to @end, with packets each @gap and
 * nothing heard of what is sent then until a round trip after it.
 */
static int64_t outage(int64_t begin_at, int64_t end, int64_t gap)
{
	const int64_t rtt = 100 * MS;
	int64_t told = START;

	begin(RATE, rtt);
	for (int64_t now = START; now < end + 5 * S; now += gap) {
		if (!send_at(now))
			return now;
		if (now - rtt >= begin_at && now - rtt < end)
			continue;
		for (; told <= now - rtt; told += gap) {
			bool lost = told >= begin_at && told < end;

			tell(told, lost ? FDCCP_FATE_LOST : FDCCP_FATE_ACKNOWLEDGED, !lost);
		}
	}
	return FDCCP_NEVER;
}

/* An outage of 10 s never trips it, whenever it begins. One of 11.5 s always does, within 12 s. */
static bool outages(void)
{
	for (int64_t phase = 0; phase < 2 * HALF; phase += 7 * MS) {
		int64_t from = START + 3 * S + phase, tripped;

		MUST(outage(from, from + 10 * S, 4 * MS) == FDCCP_NEVER);
		tripped = outage(from, from + 11 * S + 500 * MS, 4 * MS);
		MUST(tripped > from + 10 * S && tripped < from + 12 * S + 5 * MS);
		MUST(outage(from, from + 60 * S, 4 * MS) < from + 12 * S + 5 * MS);
		/* messages at 64 kbit/s */
		MUST(outage(from, from + 10 * S, 125 * MS) == FDCCP_NEVER);
		MUST(outage(from, from + 12 * S, 125 * MS) < from + 12 * S + 130 * MS);
	}
	return true;
}

/* 22 half seconds without feedback trip it, and 21 do not: the next one with feedback, or feedback
 * on an older one, makes good. Feedback may come as late as the retransmission timeout.
 */
static bool silence(void)
{
	int64_t now = START;

	begin(RATE, 400 * MS);
	for (int i = 0; i < 22; i++, now += HALF)
		MUST(send_at(now));
	/* the timeout is 1.2 s */
	MUST(send_at(now) && send_at(now + HALF));
	MUST(!run(now + 2 * HALF) && run(now + 3 * HALF));
	begin(RATE, 400 * MS);
	for (now = START; now < START + 22 * HALF; now += HALF)
		MUST(send_at(now));
	MUST(send_at(now));
	tell(START, FDCCP_FATE_ACKNOWLEDGED, true);
	MUST(send_at(now + HALF) && !run(now + 2 * HALF));
	MUST(!run(now + 60 * S));
	return true;
}

/* 11 s in which more than half was lost trip it. Half is not more. What became stale in this host
 * or was cut was not lost.
 */
static bool losses(void)
{
	int64_t now = START;
	int halves = 0;

	begin(RATE, 40 * MS);
	for (int i = 0; i < 60; i++)
		MUST(half_second(&now, 100, 50));
	for (int i = 0; i < 60; i++) {
		for (int k = 1; k < 90; k++) {
			MUST(send_at(now));
			tell(now, k % 2 ? FDCCP_FATE_EXPIRED : FDCCP_FATE_CUT, !(k % 2));
		}
		MUST(half_second(&now, 10, 0));
	}
	while (half_second(&now, 100, 51))
		halves++;
	/* 22, and the wait for the feedback on the last one */
	MUST(halves == 23);
	return true;
}

/* At 40 % loss it never trips, at 60 % within 12 s. */
static bool shares(void)
{
	int64_t now = START;
	int halves = 0;

	begin(RATE, 40 * MS);
	for (int i = 0; i < 600; i++)
		MUST(half_second(&now, 50, 20));
	while (half_second(&now, 50, 30))
		halves++;
	MUST(halves == 23);
	return true;
}

/* What counted as lost and then arrived counts as received in the second in which it was sent. */
static bool late(void)
{
	int64_t now = START;

	begin(RATE, 40 * MS);
	for (int i = 0; i < 60; i++) {
		int64_t at = now;

		MUST(half_second(&now, 10, 10));
		for (int k = 0; k < 5; k++)
			tell(at + k * (HALF / 10), FDCCP_FATE_LOST, true);
	}
	return true;
}

/* A program that pauses after a lost packet is not judged, and needs no timer. A packet in half a
 * minute is judged by the same number of them.
 */
static bool paused(void)
{
	int64_t now = START;

	begin(RATE, 0);
	MUST(ccid->tx_timer(&tx) == FDCCP_NEVER);
	MUST(send_at(now) && ccid->tx_timer(&tx) == START + HALF);
	MUST(!run(START + S) && ccid->tx_timer(&tx) == FDCCP_NEVER && !run(START + 600 * S));
	for (int i = 1; i < 22; i++)
		MUST(send_at(now += 30 * S));
	MUST(!run(now + 20 * S));
	MUST(send_at(now + 30 * S) && run(now + 31 * S));
	return true;
}

/* Nothing arrived of what was sent in the last interval that was judged: the path may have become
 * too narrow for its packets.
 */
static bool silent(void)
{
	begin(RATE, 40 * MS);
	MUST(send_at(START) && !ccid->tx_expire(&tx, START + HALF - 1));
	MUST(!ccid->tx_expire(&tx, START + HALF) && ccid->tx_expire(&tx, START + 2 * HALF));
	MUST(send_at(START + S));
	tell(START, FDCCP_FATE_ACKNOWLEDGED, true);
	tell(START + S, FDCCP_FATE_ACKNOWLEDGED, true);
	MUST(!ccid->tx_expire(&tx, START + S + HALF) && !ccid->tx_expire(&tx, START + 2 * S));
	return true;
}

/* A new path begins with a good circuit breaker and the same rate. */
static bool moved(void)
{
	struct fdccp_ccid_start how = { .size = 1400, .rate = RATE };
	struct fdccp_info after = { 0 };
	int64_t now = START;

	begin(RATE, 0);
	while (half_second(&now, 10, 10))
		;
	how.now = now;
	ccid->tx_restart(&tx, &how);
	MUST(half_second(&now, 10, 10));
	ccid->tx_info(&tx, &after);
	MUST(!ccid->tx_broken(&tx) && after.rate == RATE && !ccid->tx_rtt(&tx));
	return true;
}

/* The receiver keeps an acknowledgment of fewer packets than Ack Ratio back for four round-trip
 * times, but not below 5 ms or above 200 ms.
 */
static bool delays(void)
{
	static const struct { int64_t rtt, delay; } cases[] = {
		{ 0, 200 * MS }, { MS / 10, 5 * MS }, { 2 * MS, 8 * MS }, { 20 * MS, 80 * MS },
		{ 50 * MS, 200 * MS }, { 100 * MS, 200 * MS },
	};
	struct fdccp_ccid2_rx rx;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ccid->rx_start(&rx, &(struct fdccp_ccid_start){ .now = 0, .rtt = cases[i].rtt });
		ccid->rx_ack_ratio(&rx, 3);
		for (int n = 0; n < 2; n++)
			ccid->rx_packet(&rx, &(struct fdccp_rx_packet){
				.seq = 1 + n, .now = S + n * MS, .data = true });
		MUST(ccid->rx_when(&rx) == S + cases[i].delay);
	}
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
		{ "an acknowledgment waits for four of them", delays },
		{ "round-trip times are measured", round_trips },
		{ "the window follows the rate", windows },
		{ "an outage of 10 s does not trip the circuit breaker, one of 11.5 s does", outages },
		{ "11 s without feedback trip it", silence },
		{ "11 s with more than half lost trip it", losses },
		{ "40 % loss does not trip it, 60 % does", shares },
		{ "late packets do not trip it", late },
		{ "pauses do not trip it", paused },
		{ "silence is told", silent },
		{ "a new path starts anew", moved },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
