// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCID 2 sends and acknowledges as RFC 4341 says: windows, timeouts, Ack Ratio and acknowledgments
 * are compared with numbers that follow from the RFC's text. Prints TAP.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/dccp/ccid2.c"

#include "../codec/unit.h"
#include "ackvec.h"
#include "cause.h"

#define MS	INT64_C(1000000)
#define S	(1000 * MS)

/* the first data packet: numbers wrap soon */
#define FIRST	(FDCCP_SEQ_MASK - 20)

/* A sender, and what it has sent. */
static struct {
	struct ccid2_tx tx;
	int64_t at[4096];	/* when packet FIRST + i was sent */
	int64_t next;
	uint64_t acks;		/* acknowledgments received */
} end;

static const struct fdccp_ccid *const ccid = &fdccp_ccid2;

static void begin(uint32_t size, int64_t rtt_of_handshake)
{
	struct fdccp_ccid_start how = { .now = 0, .size = size, .rtt = rtt_of_handshake };

	memset(&end, 0, sizeof(end));
	ccid->tx_start(&end.tx, &how);
}

static bool may_send(int64_t now)
{
	return ccid->tx_when(&end.tx, now) <= now;
}

static struct fdccp_sent_packet packet(int64_t i)
{
	return (struct fdccp_sent_packet){
		.seq = fdccp_seq_add(FIRST, i), .at = end.at[i], .size = 1000, .data = true,
		.fate = FDCCP_FATES, .drop = FDCCP_DROP_NONE, .hint = FDCCP_FATES,
	};
}

/* Sends @count packets, whether it may or not. */
static void send_packets(int count, int64_t now)
{
	while (count--) {
		struct fdccp_sent_packet p;

		end.at[end.next] = now;
		p = packet(end.next++);
		ccid->tx_sent(&end.tx, &p, now);
	}
}

/* Sends all that may be sent. Return: how many packets. */
static int send_all(int64_t now)
{
	int64_t before = end.next;

	while (may_send(now))
		send_packets(1, now);
	return (int)(end.next - before);
}

static void fate(int64_t i, enum fdccp_fate what, int64_t now)
{
	struct fdccp_sent_packet p = packet(i);

	p.fate = what;
	p.received = what != FDCCP_FATE_LOST && what != FDCCP_FATE_EXPIRED &&
		     what != FDCCP_FATE_DISCARDED;
	p.marked = what == FDCCP_FATE_MARKED;
	ccid->tx_cause(&end.tx, fdccp_cause_of(&p), &p, now);
}

static void drop(int64_t i, enum fdccp_drop_code code, enum fdccp_fate what, bool marked)
{
	struct fdccp_sent_packet p = packet(i);

	p.fate = what;
	p.received = true;
	p.marked = marked;
	p.drop = code;
	ccid->tx_cause(&end.tx, fdccp_cause_of(&p), &p, 0);
}

/* An acknowledgment of packet @i, after the verdicts, that waited for @elapsed. */
static void acknowledge(int64_t i, int64_t now, int64_t elapsed, bool slow)
{
	struct fdccp_tx_ack a = {
		.now = now, .seq = end.acks++, .ack = fdccp_seq_add(FIRST, i),
		.sent_at = end.at[i], .elapsed = elapsed, .has_vector = true,
		.slow_receiver = slow,
	};

	ccid->tx_ack(&end.tx, &a);
}

/* Packets @from to @to arrive, and are acknowledged @each at a time. */
static void arrive(int64_t from, int64_t to, int each, int64_t now)
{
	for (int64_t i = from; i <= to; i++) {
		fate(i, FDCCP_FATE_ACKNOWLEDGED, now);
		if ((i - from) % each == each - 1 || i == to)
			acknowledge(i, now, 0, false);
	}
}

/* RFC 3390, in packets. */
static bool test_initial_window(void)
{
	static const struct {
		uint32_t size, cwnd;
	} windows[] = {
		{ 0, 4 }, { 100, 4 }, { 1095, 4 }, { 1096, 3 }, { 1460, 3 }, { 1461, 2 },
		{ 2190, 2 }, { 2191, 2 }, { 9000, 2 },
	};

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		begin(windows[i].size, 0);
		MUST(end.tx.cwnd == windows[i].cwnd);
		MUST(send_all(0) == (int)windows[i].cwnd);
		MUST(ccid->tx_when(&end.tx, 0) == FDCCP_NEVER);
	}
	return true;
}

/* Section 5: one packet for two that are acknowledged, at most Ack Ratio for an acknowledgment. */
static bool test_slow_start(void)
{
	begin(1000, 100 * MS);
	MUST(send_all(0) == 4);
	arrive(0, 3, 2, 100 * MS);
	MUST(end.tx.cwnd == 6 && end.tx.pipe.packets == 0);
	MUST(send_all(100 * MS) == 6);
	arrive(4, 9, 1, 200 * MS);
	MUST(end.tx.cwnd == 9);
	MUST(send_all(200 * MS) == 9);
	/* an acknowledgment of nine packets counts as one of two */
	arrive(10, 18, 9, 300 * MS);
	MUST(end.tx.cwnd == 10);
	/* marked packets do not count, and end slow start */
	MUST(send_all(300 * MS) == 10);
	fate(19, FDCCP_FATE_ACKNOWLEDGED, 400 * MS);
	fate(20, FDCCP_FATE_MARKED, 400 * MS);
	acknowledge(20, 400 * MS, 0, false);
	MUST(end.tx.cwnd == 5 && end.tx.ssthresh == 5);
	return true;
}

/* Section 5: a congestion event halves once, whatever packets that were sent before it say. */
static bool test_one_halving(void)
{
	begin(1000, 100 * MS);
	end.tx.cwnd = 20;
	MUST(send_all(0) == 20);
	fate(0, FDCCP_FATE_LOST, 100 * MS);
	MUST(end.tx.cwnd == 10 && end.tx.ssthresh == 10 && end.tx.pipe.packets == 19);
	/* a mark counts as a loss, and those of the same window are one event */
	for (int64_t i = 1; i < 20; i++)
		fate(i, i & 1 ? FDCCP_FATE_MARKED : FDCCP_FATE_LOST, 100 * MS);
	acknowledge(19, 100 * MS, 0, false);
	MUST(end.tx.cwnd == 10 && end.tx.pipe.packets == 0);
	MUST(send_all(100 * MS) == 10);
	/* sent after the first event: the next one */
	fate(29, FDCCP_FATE_MARKED, 200 * MS);
	MUST(end.tx.cwnd == 5 && end.tx.ssthresh == 5);
	/* rounded down, but never below 1 and 2 */
	for (int i = 0; i < 3; i++) {
		static const uint32_t cwnd[] = { 2, 1, 1 }, ssthresh[] = { 2, 2, 2 };

		send_packets(1, 200 * MS);
		fate(end.next - 1, FDCCP_FATE_DISCARDED, 300 * MS);
		MUST(end.tx.cwnd == cwnd[i] && end.tx.ssthresh == ssthresh[i]);
	}
	return true;
}

/* Section 5: after slow start one packet for each window without losses. */
static bool test_congestion_avoidance(void)
{
	begin(1000, 100 * MS);
	end.tx.cwnd = 10;
	end.tx.ssthresh = 10;
	MUST(send_all(0) == 10);
	arrive(0, 8, 2, 100 * MS);
	MUST(end.tx.cwnd == 10);
	arrive(9, 9, 1, 100 * MS);
	MUST(end.tx.cwnd == 11);
	MUST(send_all(100 * MS) == 11);
	arrive(10, 20, 2, 200 * MS);
	MUST(end.tx.cwnd == 12);
	/* a loss: what was acknowledged before it does not count */
	MUST(send_all(200 * MS) == 12);
	arrive(21, 27, 2, 300 * MS);
	fate(28, FDCCP_FATE_LOST, 300 * MS);
	arrive(29, 32, 2, 300 * MS);
	MUST(end.tx.cwnd == 6 && end.tx.credit == 4);
	return true;
}

/* Section 5: each data packet leaves the pipe once; packets without data were never in it. */
static bool test_pipe(void)
{
	struct fdccp_sent_packet ack_packet;

	begin(1000, 100 * MS);
	MUST(send_all(0) == 4);
	ack_packet = packet(3);
	ack_packet.data = false;
	ack_packet.fate = FDCCP_FATE_LOST;
	ccid->tx_cause(&end.tx, fdccp_cause_of(&ack_packet), &ack_packet, 0);
	MUST(end.tx.pipe.packets == 4 && end.tx.cwnd == 4);
	fate(0, FDCCP_FATE_LOST, 0);
	MUST(end.tx.pipe.packets == 3 && end.tx.cwnd == 2);
	/* it arrives nevertheless: no second time, and no increase */
	for (enum fdccp_fate f = FDCCP_FATE_LOST; f <= FDCCP_FATE_DISCARDED; f++) {
		struct fdccp_sent_packet late = packet(0);

		late.fate = f;
		late.received = true;
		ccid->tx_cause(&end.tx, fdccp_cause_of(&late), &late, 0);
		MUST(end.tx.pipe.packets == 3 && end.tx.fresh == 0);
	}
	/* a new path starts anew; what the old one says does not count */
	ccid->tx_restart(&end.tx, &(struct fdccp_ccid_start){ .now = 50 * MS, .size = 1000 });
	MUST(end.tx.pipe.packets == 0 && end.tx.cwnd == 4 && ccid->tx_rtt(&end.tx) == 0);
	MUST(send_all(60 * MS) == 4);
	fate(1, FDCCP_FATE_LOST, 60 * MS);
	arrive(2, 3, 2, 100 * MS);
	MUST(end.tx.pipe.packets == 4 && end.tx.cwnd == 4 && ccid->tx_rtt(&end.tx) == 0);
	arrive(4, 5, 2, 90 * MS);
	MUST(end.tx.pipe.packets == 2 && end.tx.cwnd == 5 && ccid->tx_rtt(&end.tx) == 30 * MS);
	return true;
}

/* RFC 6298 section 2, with G = 200 ms; backoff of section 5. */
static bool test_rto(void)
{
	struct fdccp_rto rto;

	fdccp_rto_init(&rto);
	MUST(rto.rto == 1 * S && rto.srtt == 0);
	fdccp_rto_back_off(&rto);
	MUST(rto.rto == 2 * S);
	fdccp_rto_sample(&rto, 100 * MS);
	MUST(rto.srtt == 100 * MS && rto.rttvar == 50 * MS && rto.rto == 300 * MS);
	fdccp_rto_sample(&rto, 180 * MS);
	/* RTTVAR = 3/4 * 50 + 1/4 * 80, SRTT = 7/8 * 100 + 1/8 * 180 */
	MUST(rto.rttvar == 57500000 && rto.srtt == 110 * MS && rto.rto == 340 * MS);
	fdccp_rto_sample(&rto, 30 * MS);
	MUST(rto.rttvar == 63125000 && rto.srtt == 100 * MS && rto.rto == 352500000);
	fdccp_rto_init(&rto);
	fdccp_rto_sample(&rto, 10 * MS);
	MUST(rto.rto == 210 * MS);
	for (int64_t expected = 420 * MS; expected < 60 * S; expected *= 2) {
		fdccp_rto_back_off(&rto);
		MUST(rto.rto == expected);
	}
	fdccp_rto_back_off(&rto);
	MUST(rto.rto == 60 * S);
	fdccp_rto_sample(&rto, 100 * S);
	MUST(rto.rto == 60 * S);
	return true;
}

/* Round-trip times are measured once a window, without the peer's delay. */
static bool test_samples(void)
{
	begin(1000, 0);
	MUST(ccid->tx_rtt(&end.tx) == 0 && send_all(0) == 4);
	fate(0, FDCCP_FATE_ACKNOWLEDGED, 300 * MS);
	acknowledge(0, 300 * MS, 200 * MS, false);
	MUST(ccid->tx_rtt(&end.tx) == 100 * MS);
	/* the same window again */
	fate(1, FDCCP_FATE_ACKNOWLEDGED, 900 * MS);
	acknowledge(3, 900 * MS, 0, false);
	acknowledge(3, 900 * MS, 0, false);
	MUST(ccid->tx_rtt(&end.tx) == 100 * MS);
	MUST(send_all(900 * MS) > 0);
	/* a peer that claims to have waited longer than it can have tells nothing */
	acknowledge(4, 1000 * MS, 100 * MS, false);
	MUST(ccid->tx_rtt(&end.tx) == 100 * MS && end.tx.rto.rto == 300 * MS);
	return true;
}

/* Section 5 and RFC 6298 section 5: when the timer runs, and what it does. */
static bool test_timeout(void)
{
	begin(1000, 100 * MS);
	end.tx.cwnd = 11;
	MUST(ccid->tx_timer(&end.tx) == FDCCP_NEVER);
	MUST(send_all(10 * MS) == 11);
	MUST(ccid->tx_timer(&end.tx) == 310 * MS);
	MUST(!ccid->tx_expire(&end.tx, 310 * MS - 1));
	/* new data acknowledged: it runs anew; nothing new: it does not */
	fate(0, FDCCP_FATE_ACKNOWLEDGED, 110 * MS);
	acknowledge(0, 110 * MS, 0, false);
	MUST(end.tx.rto.rttvar == 37500000 && ccid->tx_timer(&end.tx) == 410 * MS);
	acknowledge(0, 120 * MS, 0, false);
	MUST(ccid->tx_timer(&end.tx) == 410 * MS);
	MUST(ccid->tx_expire(&end.tx, 410 * MS));
	MUST(end.tx.cwnd == 1 && end.tx.ssthresh == 5 && end.tx.pipe.packets == 0);
	MUST(ccid->tx_timer(&end.tx) == FDCCP_NEVER);
	/* the packets are lost: that is this event again */
	for (int64_t i = 1; i < 11; i++)
		fate(i, FDCCP_FATE_LOST, 410 * MS);
	MUST(end.tx.cwnd == 1 && end.tx.pipe.packets == 0);
	MUST(send_all(410 * MS) == 1);
	MUST(ccid->tx_timer(&end.tx) == 410 * MS + 600 * MS);
	MUST(ccid->tx_expire(&end.tx, 1010 * MS));
	MUST(end.tx.cwnd == 1 && end.tx.ssthresh == 2);
	MUST(send_all(1010 * MS) == 1 && ccid->tx_timer(&end.tx) == 2210 * MS);
	/* all are acknowledged: it stops, and the measured time ends the backoff */
	fate(12, FDCCP_FATE_ACKNOWLEDGED, 1110 * MS);
	acknowledge(12, 1110 * MS, 0, false);
	MUST(ccid->tx_timer(&end.tx) == FDCCP_NEVER && end.tx.rto.rto == 300 * MS);
	return true;
}

/* A link's message about packet @i. */
static void message(enum fdccp_cause what, int64_t i, int64_t now)
{
	struct fdccp_sent_packet p = packet(i);

	ccid->tx_cause(&end.tx, what, &p, now);
}

/* DEFER moves the timeout a quarter later, three times; an acknowledgment allows three more. */
static bool test_defer(void)
{
	begin(1000, 100 * MS);
	message(FDCCP_CAUSE_DEFER, 0, 0);
	MUST(ccid->tx_timer(&end.tx) == FDCCP_NEVER);
	MUST(send_all(0) == 4 && ccid->tx_timer(&end.tx) == 300 * MS);
	for (int i = 1; i < 6; i++) {
		message(FDCCP_CAUSE_DEFER, i % 4, 100 * MS);
		MUST(ccid->tx_timer(&end.tx) == (300 + (i < 3 ? i : 3) * 75) * MS);
	}
	fate(0, FDCCP_FATE_ACKNOWLEDGED, 500 * MS);
	acknowledge(0, 500 * MS, 400 * MS, false);
	MUST(ccid->tx_timer(&end.tx) == 500 * MS + end.tx.rto.rto);
	message(FDCCP_CAUSE_DEFER, 1, 510 * MS);
	MUST(ccid->tx_timer(&end.tx) == 500 * MS + end.tx.rto.rto + end.tx.rto.rto / 4);
	MUST(end.tx.cwnd == 4 && end.tx.pipe.packets == 3);
	return true;
}

/* Sends a window of 16 packets, which are not acknowledged, and lets three timeouts pass. */
static void pause_link(void)
{
	begin(1000, 100 * MS);
	end.tx.cwnd = 16;
	end.tx.ssthresh = 12;
	send_all(0);
	ccid->tx_expire(&end.tx, 300 * MS);
	send_all(300 * MS);
	ccid->tx_expire(&end.tx, 900 * MS);
	send_all(900 * MS);
	ccid->tx_expire(&end.tx, 2100 * MS);
	send_all(2100 * MS);
}

/* LINK-UP after timeouts: one packet goes at once, and the window of before when it is acknowledged. */
static bool test_link_up(void)
{
	pause_link();
	MUST(end.tx.cwnd == 1 && !may_send(2500 * MS) && end.tx.rto.rto == 2400 * MS);
	/* an acknowledgment that has waited at the link comes first */
	arrive(0, 0, 1, 2490 * MS);
	MUST(ccid->tx_rtt(&end.tx) > 100 * MS);
	message(FDCCP_CAUSE_LINK_UP, 18, 2500 * MS);
	MUST(send_all(2500 * MS) == 1 && ccid->tx_timer(&end.tx) == 2800 * MS);
	MUST(end.tx.cwnd == 16);
	/* another message changes nothing but that one more packet goes */
	message(FDCCP_CAUSE_LINK_UP, 19, 2501 * MS);
	MUST(send_all(2501 * MS) == 1 && end.tx.cwnd == 16 && end.tx.ssthresh == 12);
	/* what was sent before does not count, and tells no round-trip time */
	arrive(1, 15, 2, 2550 * MS);
	MUST(!may_send(2550 * MS) && ccid->tx_rtt(&end.tx) == 100 * MS);
	arrive(20, 20, 1, 2600 * MS);
	MUST(send_all(2600 * MS) == 16);
	return true;
}

/* LINK-UP without a timeout changes nothing, and after a wrong one the next timeout is the first. */
static bool test_link_up_wrong(void)
{
	begin(1000, 100 * MS);
	MUST(send_all(0) == 4);
	message(FDCCP_CAUSE_LINK_UP, 3, 100 * MS);
	MUST(!may_send(100 * MS) && ccid->tx_timer(&end.tx) == 300 * MS);
	pause_link();
	message(FDCCP_CAUSE_LINK_UP, 18, 2500 * MS);
	MUST(send_all(2500 * MS) == 1);
	MUST(ccid->tx_expire(&end.tx, 2800 * MS));
	MUST(end.tx.cwnd == 1 && send_all(2800 * MS) == 1);
	MUST(ccid->tx_timer(&end.tx) == 3400 * MS);
	/* the window of before is still known */
	message(FDCCP_CAUSE_LINK_UP, 20, 2900 * MS);
	MUST(end.tx.cwnd == 16 && end.tx.ssthresh == 12);
	/* and not any more when data was acknowledged */
	MUST(send_all(2900 * MS) == 1);
	arrive(21, 21, 1, 3000 * MS);
	end.tx.cwnd = 5;
	message(FDCCP_CAUSE_LINK_UP, 21, 3001 * MS);
	MUST(end.tx.cwnd == 5);
	return true;
}

/* Section 5.1 and RFC 2861. */
static bool test_idle(void)
{
	begin(1000, 100 * MS);
	end.tx.cwnd = 64;
	MUST(send_all(0) == 64);
	arrive(0, 63, 64, 100 * MS);
	MUST(end.tx.cwnd == 65);
	/* three timeouts of 300 ms after the last packet, and a bit */
	send_packets(1, 950 * MS);
	MUST(end.tx.cwnd == 8 && end.tx.ssthresh == UINT32_MAX);
	/* down to the initial window, but ssthresh keeps three quarters */
	end.tx.cwnd = 40;
	end.tx.ssthresh = 10;
	arrive(64, 64, 1, 1050 * MS);
	send_packets(1, 100 * S);
	MUST(end.tx.cwnd == 4 && end.tx.ssthresh == 30);
	return true;
}

/* A program that sends less than it may: no increase, and the window goes halfway to its use. */
static bool test_application_limited(void)
{
	int64_t now = 0;

	begin(1000, 100 * MS);
	end.tx.cwnd = 40;
	for (int i = 0; i < 3; i++, now += 100 * MS) {
		send_packets(10, now);
		arrive(end.next - 10, end.next - 1, 2, now + 100 * MS);
	}
	MUST(end.tx.cwnd == 40);
	/* 300 ms after the window was full or the connection began */
	send_packets(10, now);
	MUST(end.tx.cwnd == 25 && end.tx.ssthresh == UINT32_MAX);
	arrive(end.next - 10, end.next - 1, 2, now + 100 * MS);
	for (int i = 0; i < 30; i++, now += 100 * MS) {
		send_packets(1, now);
		arrive(end.next - 1, end.next - 1, 1, now + 50 * MS);
	}
	MUST(end.tx.cwnd == 4);
	return true;
}

/* Section 5.2: codes that are marks, that take one packet, and that are none. */
static bool test_data_dropped(void)
{
	begin(1000, 100 * MS);
	end.tx.cwnd = 10;
	MUST(send_all(0) == 10);
	drop(0, FDCCP_DROP_PROTOCOL, FDCCP_FATE_CUT, false);
	MUST(end.tx.cwnd == 10 && end.tx.ssthresh == UINT32_MAX && end.tx.fresh == 1);
	drop(1, FDCCP_DROP_NOT_LISTENING, FDCCP_FATE_DROPPED, false);
	MUST(end.tx.cwnd == 10 && end.tx.ssthresh == 10);
	drop(2, FDCCP_DROP_RECEIVE_BUFFER, FDCCP_FATE_DROPPED, false);
	drop(3, FDCCP_DROP_RECEIVE_BUFFER, FDCCP_FATE_DROPPED, false);
	MUST(end.tx.cwnd == 8 && end.tx.ssthresh == 8 && end.tx.pipe.packets == 6 && end.tx.fresh == 1);
	drop(4, FDCCP_DROP_CORRUPT, FDCCP_FATE_DAMAGED, false);
	MUST(end.tx.cwnd == 4);
	/* a mark and a drop are both answered: halved, and one less */
	acknowledge(4, 100 * MS, 0, false);
	send_packets(1, 100 * MS);
	drop(10, FDCCP_DROP_RECEIVE_BUFFER, FDCCP_FATE_DROPPED, true);
	MUST(end.tx.cwnd == 1);
	drop(9, FDCCP_DROP_RECEIVE_BUFFER, FDCCP_FATE_DROPPED, false);
	MUST(end.tx.cwnd == 1 && end.tx.ssthresh == 2);
	begin(1000, 100 * MS);
	MUST(send_all(0) == 4);
	drop(0, FDCCP_DROP_DELIVERED_CORRUPT, FDCCP_FATE_MARKED, false);
	MUST(end.tx.cwnd == 2);
	return true;
}

/* RFC 4340 section 11.6: no increase for a round-trip time. */
static bool test_slow_receiver(void)
{
	begin(1000, 100 * MS);
	MUST(send_all(0) == 4);
	fate(0, FDCCP_FATE_ACKNOWLEDGED, 100 * MS);
	fate(1, FDCCP_FATE_ACKNOWLEDGED, 100 * MS);
	acknowledge(1, 100 * MS, 0, true);
	MUST(end.tx.cwnd == 4 && end.tx.ssthresh == 4);
	MUST(send_all(100 * MS) == 2);
	arrive(2, 5, 2, 200 * MS - 1);
	MUST(end.tx.cwnd == 4);
	MUST(send_all(200 * MS - 1) == 4);
	arrive(6, 9, 2, 200 * MS);
	MUST(end.tx.cwnd == 5);
	return true;
}

/* Packets of the peer without data arrive; those with a minus are marked. */
static void peer_sends(const int64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct fdccp_rx_packet p = {
			.seq = fdccp_seq_add(FIRST, llabs(numbers[i])), .ndp = -1,
			.marked = numbers[i] < 0,
		};

		ccid->tx_peer(&end.tx, &p);
	}
}

#define PEER_SENDS(...)									\
	peer_sends((int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

/* A window of data passes. */
static void pass_window(void)
{
	send_packets(1, 0);
	acknowledge(end.next - 1, 100 * MS, 0, false);
}

/* Section 6.1.1: three later ones make a loss of the peer's packets, which counts once. */
static bool test_ack_loss(void)
{
	begin(1000, 100 * MS);
	PEER_SENDS(10, 12, 13, 11, 14, 15, 16);
	MUST(!end.tx.ack_loss);
	PEER_SENDS(18, 19);
	MUST(!end.tx.ack_loss);
	PEER_SENDS(20);
	MUST(end.tx.ack_loss);
	end.tx.ack_loss = false;
	PEER_SENDS(21, 22, 17, 23, 24);
	MUST(!end.tx.ack_loss);
	PEER_SENDS(-25);
	MUST(end.tx.ack_loss);
	end.tx.ack_loss = false;
	PEER_SENDS(25 + 64, 26 + 64, 27 + 64, 1);
	MUST(end.tx.ack_loss);
	end.tx.ack_loss = false;
	PEER_SENDS(28 + 64);
	MUST(!end.tx.ack_loss);
	/* a mark on data is the business of the other half-connection */
	ccid->tx_peer(&end.tx, &(struct fdccp_rx_packet){
		.seq = fdccp_seq_add(FIRST, 29 + 64), .data = true, .marked = true });
	MUST(!end.tx.ack_loss);
	return true;
}

/* Section 6.1.2. */
static bool test_ack_ratio(void)
{
	int windows = 0;

	begin(1000, 100 * MS);
	MUST(ccid->tx_ack_ratio(&end.tx) == 2);
	end.tx.cwnd = 40;
	end.tx.ssthresh = 40;
	for (uint32_t expected = 4; expected <= 16; expected *= 2) {
		PEER_SENDS(-1, -1);
		pass_window();
		MUST(ccid->tx_ack_ratio(&end.tx) == expected);
	}
	/* two acknowledgments a window at least */
	PEER_SENDS(-1);
	pass_window();
	MUST(ccid->tx_ack_ratio(&end.tx) == 20);
	send_packets(1, 0);
	fate(end.next - 1, FDCCP_FATE_LOST, 0);
	MUST(end.tx.cwnd == 20 && ccid->tx_ack_ratio(&end.tx) == 10);
	/* one less after cwnd / (R^2 - R) windows without a loss: 100 / (4^2 - 4) = 8 */
	end.tx.cwnd = 100;
	end.tx.ratio = 4;
	end.tx.good_windows = 0;
	for (; ccid->tx_ack_ratio(&end.tx) == 4; windows++)
		pass_window();
	MUST(windows == 8 && ccid->tx_ack_ratio(&end.tx) == 3);
	for (windows = 0; ccid->tx_ack_ratio(&end.tx) == 3; windows++)
		pass_window();
	MUST(windows == 16 && ccid->tx_ack_ratio(&end.tx) == 2);
	for (windows = 0; windows < 100; windows++)
		pass_window();
	MUST(ccid->tx_ack_ratio(&end.tx) == 2);
	/* 1 for a window of 1 or 2, which acknowledges each packet; 2 again for a window of 4 */
	end.tx.ratio = 8;
	end.tx.pipe.timer = 0;
	MUST(ccid->tx_expire(&end.tx, 0) && ccid->tx_ack_ratio(&end.tx) == 1);
	for (uint32_t cwnd = 2; cwnd <= 4; cwnd++) {
		set_cwnd(&end.tx, cwnd);
		MUST(ccid->tx_ack_ratio(&end.tx) == (cwnd < 4 ? 1 : 2));
	}
	set_cwnd(&end.tx, 3);
	MUST(ccid->tx_ack_ratio(&end.tx) == 2);
	return true;
}

/* What the rest of the table says. */
static bool test_table(void)
{
	struct fdccp_option unknown = { .type = 200 };
	struct fdccp_info state = { 0 };

	MUST(fdccp_ccid_find(2) == &fdccp_ccid2 && fdccp_ccid_find(3) == &fdccp_ccid3);
	MUST(!fdccp_ccid_find(0) && !fdccp_ccid_find(1) && !fdccp_ccid_find(4));
	begin(1000, 0);
	ccid->tx_info(&end.tx, &state);
	MUST(state.cwnd == 4 && state.rate == 0);
	begin(1000, 50 * MS);
	ccid->tx_info(&end.tx, &state);
	MUST(state.rate == 80000 && state.size == 1000 && ccid->tx_window(&end.tx) == 4);
	MUST(ccid->tx_ccval(&end.tx, 0) == 0 && ccid->ack_vector);
	MUST(ccid->tx_option(&end.tx, &unknown, 0, 0) == 0);
	unknown.mandatory = true;
	MUST(ccid->tx_option(&end.tx, &unknown, 0, 0) == FDCCP_RESET_MANDATORY_ERROR);
	return true;
}

/* The receiving half. */
static struct fdccp_ccid2_rx rx;

static int64_t rx_gets(int64_t i, int64_t now, bool data, bool marked)
{
	struct fdccp_rx_packet p = {
		.now = now, .seq = fdccp_seq_add(FIRST, i), .ndp = -1, .data = data,
		.marked = marked, .size = data ? 1000 : 0,
	};

	ccid->rx_packet(&rx, &p);
	return ccid->rx_when(&rx);
}

/* After a pause of more than a round trip, the next packets wait a sixteenth of one, at least 1 ms, up
 * to four round trips after the pause.
 */
static bool test_pauses(void)
{
	static const int64_t rtts[] = { 64 * MS, 16 * MS, 1 * MS };
	static const int64_t pauses[] = { 64 * MS, 16 * MS, 8 * MS };
	static const int64_t waits[] = { 4 * MS, 1 * MS, 1 * MS };

	for (int i = 0; i < 3; i++) {
		int64_t now = 1000 * MS, delay = 200 * MS;

		ccid->rx_start(&rx, &(struct fdccp_ccid_start){ .now = 0, .rtt = rtts[i] });
		MUST(rx_gets(0, now, true, false) == now + delay);
		ccid->rx_sent(&rx, 0, now);
		now += pauses[i];
		MUST(rx_gets(1, now, true, false) == now + delay);
		ccid->rx_sent(&rx, 1, now);
		now += pauses[i] + 1;
		MUST(rx_gets(2, now, true, false) == now + waits[i]);
		ccid->rx_sent(&rx, 2, now);
		now += 4 * rtts[i];
		MUST(i < 2 || rx_gets(3, now, true, false) == now + delay);
		ccid->rx_sent(&rx, 3, now);
	}
	return true;
}

/* RFC 4340 section 11.3: each Ack Ratio data packets, after 200 ms, or at once. */
static bool test_acknowledgments(void)
{
	ccid->rx_start(&rx, &(struct fdccp_ccid_start){ .now = 0, .rtt = 50 * MS });
	MUST(ccid->rx_when(&rx) == FDCCP_NEVER);
	MUST(rx_gets(0, 1 * MS, false, false) == FDCCP_NEVER);
	MUST(rx_gets(1, 2 * MS, true, false) == 202 * MS);
	MUST(rx_gets(2, 3 * MS, false, false) == 202 * MS);
	MUST(rx_gets(3, 4 * MS, true, false) == 4 * MS);
	ccid->rx_sent(&rx, 1, 4 * MS);
	MUST(ccid->rx_when(&rx) == FDCCP_NEVER);
	ccid->rx_ack_ratio(&rx, 4);
	for (int64_t i = 4; i < 7; i++)
		MUST(rx_gets(i, 5 * MS, true, false) == 205 * MS);
	MUST(rx_gets(7, 6 * MS, true, false) == 6 * MS);
	ccid->rx_sent(&rx, 2, 6 * MS);
	/* a gap, and the packet that fills it */
	MUST(rx_gets(9, 7 * MS, true, false) == 7 * MS);
	ccid->rx_sent(&rx, 3, 7 * MS);
	MUST(rx_gets(10, 8 * MS, true, false) == 208 * MS);
	MUST(rx_gets(8, 9 * MS, true, false) == 9 * MS);
	ccid->rx_sent(&rx, 4, 9 * MS);
	/* a gap before a packet without data: at once only if data waits */
	MUST(rx_gets(12, 10 * MS, false, false) == FDCCP_NEVER);
	MUST(rx_gets(13, 11 * MS, true, false) == 211 * MS);
	MUST(rx_gets(15, 12 * MS, false, false) == 12 * MS);
	ccid->rx_sent(&rx, 5, 12 * MS);
	/* marks, once a round-trip time */
	MUST(rx_gets(16, 20 * MS, true, true) == 20 * MS);
	ccid->rx_sent(&rx, 6, 20 * MS);
	MUST(rx_gets(17, 69 * MS, true, true) == 269 * MS);
	MUST(rx_gets(18, 70 * MS, true, true) == 70 * MS);
	ccid->rx_sent(&rx, 7, 70 * MS);
	/* Ack Ratio 0 means the default */
	ccid->rx_ack_ratio(&rx, 0);
	MUST(rx_gets(19, 80 * MS, true, false) == 280 * MS);
	MUST(rx_gets(20, 81 * MS, true, false) == 81 * MS);
	return true;
}

/* RFC 4340 section 13.2. */
static bool test_elapsed_time(void)
{
	static const struct {
		int64_t elapsed;
		uint8_t bytes[6];
	} times[] = {
		{ 999999, { 0 } },
		{ MS, { 43, 4, 0, 100 } },
		{ 123456789, { 43, 4, 48, 57 } },
		{ 500 * MS - 1, { 43, 4, 195, 79 } },
		{ 500 * MS, { 43, 6, 0, 0, 195, 80 } },
		{ INT64_MAX / 2, { 43, 6, 255, 255, 255, 255 } },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint8_t bytes[8] = { 0 };
		struct fdccp_writer w = { bytes, bytes, bytes + sizeof(bytes) };

		ccid->rx_start(&rx, &(struct fdccp_ccid_start){ .now = 0 });
		ccid->rx_write(&rx, &w, false, times[i].elapsed);
		MUST(w.at == bytes);
		rx_gets(0, 5, true, false);
		ccid->rx_write(&rx, &w, false, 5 + times[i].elapsed);
		MUST(w.at - bytes == times[i].bytes[1]);
		MUST(!memcmp(bytes, times[i].bytes, times[i].bytes[1]));
	}
	return true;
}

/*
 * A path of 20 ms each way that loses each @every-th data packet: sender, receiver, and what is on
 * the way, in steps of 1 ms.
 */
#define DELAY	(20 * MS)
#define FLIGHT	1024

struct ack {
	uint64_t ack;
	int64_t at;
	int64_t elapsed;
	uint8_t vector[128];
	size_t len;
};

static struct {
	struct {
		uint64_t seq;
		int64_t at;
	} data[FLIGHT];
	struct ack acks[FLIGHT];
	size_t data_first, data_next, acks_first, acks_next;
	struct fdccp_sent *sent;
	struct fdccp_ackvec *ackvec;
	uint64_t gss, gsr;
	int64_t gsr_at;
	uint64_t sent_packets, lost_packets;
} path;

static void path_verdict(void *context, const struct fdccp_sent_packet *p)
{
	ccid->tx_cause(&end.tx, fdccp_cause_of(p), p, *(int64_t *)context);
	path.lost_packets += p->fate == FDCCP_FATE_LOST;
}

static void path_send(int64_t now, uint64_t every)
{
	while (may_send(now)) {
		struct fdccp_sent_packet *p;

		path.gss = fdccp_seq_add(path.gss, 1);
		p = fdccp_sent_add(path.sent, path.gss, now);
		p->data = true;
		p->size = 1000;
		ccid->tx_sent(&end.tx, p, now);
		if (++path.sent_packets % every == 0)
			continue;
		path.data[path.data_next % FLIGHT].seq = path.gss;
		path.data[path.data_next++ % FLIGHT].at = now + DELAY;
	}
}

/* Puts an acknowledgment on the way. Its own number is that of its place. */
static void path_acknowledge(int64_t now)
{
	struct ack *a = &path.acks[path.acks_next % FLIGHT];
	struct fdccp_writer w = { a->vector, a->vector, a->vector + sizeof(a->vector) };

	a->ack = path.gsr;
	a->at = now + DELAY;
	a->elapsed = now - path.gsr_at;
	fdccp_ackvec_write(path.ackvec, &w, path.acks_next, false);
	a->len = (size_t)(w.at - w.start);
	ccid->rx_sent(&rx, path.acks_next++, now);
}

static void path_receive(int64_t now)
{
	for (; path.data_first < path.data_next; path.data_first++) {
		uint64_t seq = path.data[path.data_first % FLIGHT].seq;

		if (path.data[path.data_first % FLIGHT].at > now)
			break;
		fdccp_ackvec_add(path.ackvec, seq, false);
		path.gsr = seq;
		path.gsr_at = now;
		ccid->rx_packet(&rx, &(struct fdccp_rx_packet){
			.now = now, .seq = seq, .ndp = -1, .data = true, .size = 1000 });
		if (ccid->rx_when(&rx) <= now)
			path_acknowledge(now);
	}
	if (ccid->rx_when(&rx) <= now)
		path_acknowledge(now);
}

/* The sender gets an acknowledgment, and acknowledges it, as a DataAck would. */
static void path_acknowledged(const struct ack *a, int64_t now)
{
	struct fdccp_acks acks = {
		.iss = FIRST, .gss = path.gss, .ack = a->ack, .vector = a->vector + 2,
		.vector_len = a->len - 2,
	};
	struct fdccp_tx_ack tx_ack = {
		.now = now, .seq = path.acks_first, .ack = a->ack, .elapsed = a->elapsed,
		.sent_at = fdccp_sent_find(path.sent, a->ack)->at, .has_vector = true,
	};

	fdccp_sent_acknowledge(path.sent, &acks, path_verdict, &now);
	ccid->tx_ack(&end.tx, &tx_ack);
	fdccp_ackvec_acked(path.ackvec, path.acks_first);
	while (fdccp_sent_tell(path.sent))
		;
}

static void path_step(int64_t now, uint64_t every)
{
	for (; path.acks_first < path.acks_next; path.acks_first++) {
		const struct ack *a = &path.acks[path.acks_first % FLIGHT];

		if (a->at > now)
			break;
		path_acknowledged(a, now);
	}
	if (ccid->tx_timer(&end.tx) <= now && ccid->tx_expire(&end.tx, now))
		fdccp_sent_give_up(path.sent, now + 1, path_verdict, &now);
	path_send(now, every);
	path_receive(now);
}

/* Runs the path for @seconds. Return: the mean window in packets, without the first tenth. */
static double path_window(uint64_t every, int64_t seconds)
{
	uint64_t sum = 0, count = 0;

	begin(1000, 2 * DELAY);
	memset(&path, 0, sizeof(path));
	path.gss = fdccp_seq_add(FIRST, -1);
	path.sent = fdccp_sent_new();
	path.ackvec = fdccp_ackvec_new(FIRST);
	ccid->rx_start(&rx, &(struct fdccp_ccid_start){ .now = 0, .rtt = 2 * DELAY });
	for (int64_t now = 0; now < seconds * S; now += MS) {
		path_step(now, every);
		if (now > seconds * S / 10) {
			sum += end.tx.cwnd;
			count++;
		}
	}
	fdccp_sent_free(path.sent);
	fdccp_ackvec_free(path.ackvec);
	return (double)sum / (double)count;
}

/* The mean window at a steady loss is that of TCP, sqrt(1.5 / p). */
static bool test_tcp_model(void)
{
	static const uint64_t every[] = { 1000, 100, 20 };

	for (size_t i = 0; i < sizeof(every) / sizeof(every[0]); i++) {
		double model = sqrt(1.5 * (double)every[i]);
		double mean = path_window(every[i], 400);

		printf("# p = 1/%d: window %.2f, model %.2f, %llu of %llu packets lost\n",
		       (int)every[i], mean, model, (unsigned long long)path.lost_packets,
		       (unsigned long long)path.sent_packets);
		MUST(mean > 0.8 * model && mean < 1.2 * model);
		/* the path lost them all, and nothing else counts as lost */
		MUST(path.lost_packets <= path.sent_packets / every[i]);
		MUST(path.lost_packets + 2 > path.sent_packets / every[i]);
	}
	return true;
}

int main(void)
{
	const struct unit tests[] = {
		{ "initial window", test_initial_window },
		{ "slow start", test_slow_start },
		{ "one halving a window", test_one_halving },
		{ "congestion avoidance", test_congestion_avoidance },
		{ "pipe", test_pipe },
		{ "RFC 6298", test_rto },
		{ "round-trip times", test_samples },
		{ "timeout", test_timeout },
		{ "DEFER", test_defer },
		{ "LINK-UP", test_link_up },
		{ "LINK-UP that is wrong", test_link_up_wrong },
		{ "idle", test_idle },
		{ "application-limited", test_application_limited },
		{ "Data Dropped", test_data_dropped },
		{ "Slow Receiver", test_slow_receiver },
		{ "lost acknowledgments", test_ack_loss },
		{ "Ack Ratio", test_ack_ratio },
		{ "table", test_table },
		{ "when data is acknowledged", test_acknowledgments },
		{ "what comes before a pause", test_pauses },
		{ "Elapsed Time", test_elapsed_time },
		{ "the window of TCP", test_tcp_model },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0]));
}
