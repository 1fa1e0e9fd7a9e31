// SPDX-License-Identifier: GPL-2.0-or-later
/* IFTP and IFTPV: phases, gaps and verdicts against numbers worked out by hand. Prints TAP. */
#include <string.h>

#include "../../userspace/dccp/ccid_iftp.c"

#include "../codec/unit.h"
#include "cause.h"

#define MS	INT64_C(1000000)
#define S	(1000 * MS)
#define RTT	(100 * MS)
#define START	(-3 * S)	/* a clock may begin anywhere */

/* the first data packet: numbers wrap soon */
#define FIRST	(FDCCP_SEQ_MASK - 20)

static const struct fdccp_iftp_params plain = { .scale = 100, .window_max = 50 };

/* A sender, its path, and what it has sent. */
static struct {
	const struct fdccp_ccid *ccid;
	struct iftp_tx tx;
	int64_t rtt;			/* of the path, now */
	int64_t at[8192];
	enum fdccp_cause cause[8192];	/* what becomes of a packet: ARRIVED, if not set */
	int64_t next, heard;		/* packets that were sent, and whose time has come */
	uint64_t acks;
} end;

static void begin(const struct fdccp_ccid *ccid, const struct fdccp_iftp_params *how)
{
	struct fdccp_ccid_start start = {
		.now = START, .size = 1000, .rtt = RTT, .iftp = *how,
	};

	memset(&end, 0, sizeof(end));
	end.ccid = ccid;
	end.rtt = RTT;
	ccid->tx_start(&end.tx, &start);
}

static struct fdccp_sent_packet packet(int64_t i)
{
	return (struct fdccp_sent_packet){
		.seq = fdccp_seq_add(FIRST, i), .at = end.at[i], .size = 1000, .data = true,
		.fate = FDCCP_FATES, .drop = FDCCP_DROP_NONE, .hint = FDCCP_FATES,
	};
}

static void send_one(int64_t now)
{
	struct fdccp_sent_packet p;

	end.at[end.next] = now;
	p = packet(end.next++);
	end.ccid->tx_sent(&end.tx, &p, now);
}

static void tell(int64_t i, enum fdccp_cause cause, int64_t now)
{
	struct fdccp_sent_packet p = packet(i);

	p.received = cause <= FDCCP_CAUSE_REFUSED;
	p.marked = cause == FDCCP_CAUSE_MARKED;
	p.drop = cause == FDCCP_CAUSE_REFUSED ? FDCCP_DROP_RECEIVE_BUFFER : FDCCP_DROP_NONE;
	end.ccid->tx_cause(&end.tx, cause, &p, now);
}

/* An acknowledgment of packet @i, after the causes. */
static void acknowledge(int64_t i, int64_t now)
{
	struct fdccp_tx_ack a = {
		.now = now, .seq = end.acks++, .ack = fdccp_seq_add(FIRST, i),
		.sent_at = end.at[i], .newly = 1, .has_vector = true,
	};

	end.ccid->tx_ack(&end.tx, &a);
}

static bool is_missing(int64_t i)
{
	return i >= 0 && end.cause[i] > FDCCP_CAUSE_REFUSED;
}

/* The acknowledgment of packet @i is due: with the third one behind a packet that is missing, that is
 * known (RFC 4341 section 5).
 */
static void hear(int64_t i, int64_t now)
{
	if (is_missing(i - 3))
		tell(i - 3, end.cause[i - 3], now);
	if (is_missing(i))
		return;
	tell(i, end.cause[i], now);
	acknowledge(i, now);
}

/* The path, until @until: acknowledgments come before what may be sent at the same time. */
static void run(int64_t until)
{
	for (;;) {
		int64_t send = end.ccid->tx_when(&end.tx, 0);
		int64_t heard = end.heard < end.next ? end.at[end.heard] + end.rtt : INT64_MAX;

		if (heard > send && send < until) {
			send_one(send);
		} else if (heard < until) {
			hear(end.heard++, heard);
		} else {
			return;
		}
	}
}

static struct fdccp_info info_now(void)
{
	struct fdccp_info i = { 0 };

	end.ccid->tx_info(&end.tx, &i);
	return i;
}

static uint32_t window_now(void)
{
	return info_now().cwnd;
}

/* The gap that the last packet has left behind it. */
static int64_t last_gap(void)
{
	return end.tx.next - end.at[end.next - 1];
}

/* A sender that has come to a window of @n packets in congestion avoidance. */
static void reach(const struct fdccp_ccid *ccid, const struct fdccp_iftp_params *how, uint32_t n)
{
	begin(ccid, how);
	end.tx.window.n = n;
	end.tx.window.threshold = n;
	run(START + RTT / 2);
}

/* Slow start doubles up to 32; avoidance adds one a round trip; the window stays at 50. The packets
 * of a round trip have even gaps of R/n.
 */
static bool phases(void)
{
	static const uint32_t windows[] = { 2, 4, 8, 16, 32, 33, 34 };
	int64_t now = START + RTT / 2;

	begin(&fdccp_ccid_iftp, &plain);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++, now += RTT) {
		run(now);
		MUST(window_now() == windows[i]);
		MUST(last_gap() == RTT / windows[i]);
	}
	run(now += 14 * RTT);
	MUST(window_now() == 49);
	run(now += 5 * RTT);
	MUST(window_now() == 50 && last_gap() == RTT / 50);
	return true;
}

/* What each cause does to a window of 20, after three round trips: it is 21 when the cause is told, and
 * would be 22. A verdict takes the growth of its round trip.
 */
static bool causes(void)
{
	static const struct {
		enum fdccp_cause cause;
		uint32_t iftp, iftpv;
		int keeps, halves;	/* verdicts of IFTPV */
	} cells[] = {
		{ FDCCP_CAUSE_ARRIVED, 22, 22, 0, 0 },
		{ FDCCP_CAUSE_CUT, 22, 22, 0, 0 },
		{ FDCCP_CAUSE_MARKED, 10, 10, 0, 1 },
		{ FDCCP_CAUSE_FLAWED, 22, 22, 0, 0 },
		{ FDCCP_CAUSE_DAMAGED, 10, 21, 1, 0 },
		{ FDCCP_CAUSE_REFUSED, 21, 21, 0, 0 },
		{ FDCCP_CAUSE_STALE, 10, 22, 0, 0 },
		{ FDCCP_CAUSE_OVERDUE, 10, 10, 0, 1 },
		{ FDCCP_CAUSE_GIVEN_UP, 10, 21, 1, 0 },
		{ FDCCP_CAUSE_MISSING, 10, 21, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct fdccp_info v;

		reach(&fdccp_ccid_iftp, &plain, 20);
		end.cause[5] = cells[i].cause;
		run(START + 290 * MS);
		MUST(window_now() == cells[i].iftp);
		reach(&fdccp_ccid_iftpv, &plain, 20);
		end.cause[5] = cells[i].cause;
		run(START + 290 * MS);
		v = info_now();
		MUST(v.cwnd == cells[i].iftpv && last_gap() == RTT / v.cwnd);
		MUST(v.verdict[FDCCP_VERDICT_KEEP] == (uint64_t)cells[i].keeps);
		MUST(v.verdict[FDCCP_VERDICT_HALVE] == (uint64_t)cells[i].halves);
	}
	/* a packet that arrives late changes nothing */
	tell(5, FDCCP_CAUSE_LATE, START + 290 * MS);
	MUST(window_now() == 21);
	return true;
}

/* Losses of one round trip have one verdict, and the gap is R/n' of the new window. The window does
 * not grow in that round trip, and by one in the next.
 */
static bool one_verdict(void)
{
	reach(&fdccp_ccid_iftp, &plain, 20);
	end.cause[5] = end.cause[7] = end.cause[12] = FDCCP_CAUSE_MISSING;
	run(START + 141 * MS);
	MUST(window_now() == 10);
	run(START + 240 * MS);
	MUST(window_now() == 10 && info_now().verdict[FDCCP_VERDICT_HALVE] == 1);
	MUST(last_gap() == RTT / 10);
	run(START + 300 * MS);
	MUST(window_now() == 10);
	run(START + 400 * MS);
	MUST(window_now() == 11);
	return true;
}

/* Round-trip times whose mean is @actual, and whose least one is 100 ms. */
static struct fdccp_rtts measured(int64_t actual)
{
	return (struct fdccp_rtts){ .rto = { .srtt = actual }, .least = { RTT } };
}

static uint32_t after_loss(uint32_t n, int64_t actual, bool decides)
{
	struct fdccp_rtts rtts = measured(actual);
	struct fdccp_iftp w;

	fdccp_iftp_init(&w, &plain, decides, 0);
	w.n = n;
	fdccp_iftp_loss(&w, &rtts, false, S);
	return w.n;
}

/* B = n (R - 100 ms) / R; from three packets on it is congestion, whatever the window is. */
static bool backlogs(void)
{
	/* R = 125 ms: a fifth of the window waits */
	MUST(after_loss(14, 125 * MS, true) == 14);	/* 2.8 */
	MUST(after_loss(15, 125 * MS, true) == 7);	/* 3 */
	MUST(after_loss(20, 125 * MS, true) == 10);
	/* R = 200 ms: a half */
	MUST(after_loss(5, 200 * MS, true) == 5);	/* 2.5 */
	MUST(after_loss(6, 200 * MS, true) == 3);
	/* no queue at all */
	MUST(after_loss(50, RTT, true) == 50);
	/* IFTP does not look at it, and no window is below two packets */
	MUST(after_loss(50, RTT, false) == 25);
	MUST(after_loss(3, RTT, false) == 2 && after_loss(1, RTT, false) == 1);
	return true;
}

/* Equations 5 and 6: with two packets lost to congestion in a second, and then five, the window of 20
 * shrinks to 4n/5 at the third random loss; with two and two, or five and two, it stays.
 */
static bool congestion_rates(void)
{
	static const struct {
		int first, second;
		uint32_t n;
	} cells[] = { { 2, 5, 16 }, { 2, 2, 20 }, { 5, 2, 20 } };
	struct fdccp_rtts empty = measured(RTT), full = measured(200 * MS);

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct fdccp_iftp w;

		fdccp_iftp_init(&w, &plain, true, 0);
		for (int k = 0; k < 3; k++) {
			w.n = 20;
			fdccp_iftp_loss(&w, &empty, false, (k + 1) * S);
			if (k == 2)
				break;
			MUST(w.n == 20);
			fdccp_iftp_loss(&w, &full, false, (k + 1) * S + S / 2);
			MUST(w.n == 10);
			for (int lost = k ? cells[i].second : cells[i].first; lost > 0; lost--)
				fdccp_iftp_missing(&w);
		}
		MUST(w.n == cells[i].n && w.verdicts[FDCCP_VERDICT_EASE] == (w.n == 16));
	}
	return true;
}

/* A loss that is known to be random hides none that is not. */
static bool random_and_congestion(void)
{
	reach(&fdccp_ccid_iftpv, &plain, 20);
	end.cause[5] = FDCCP_CAUSE_DAMAGED;
	end.cause[6] = FDCCP_CAUSE_DAMAGED;
	run(START + 132 * MS);
	MUST(info_now().verdict[FDCCP_VERDICT_KEEP] == 1 && window_now() == 21);
	end.cause[7] = FDCCP_CAUSE_OVERDUE;
	run(START + 160 * MS);
	MUST(info_now().verdict[FDCCP_VERDICT_HALVE] == 1 && window_now() == 10);
	return true;
}

/* In slow start, a random loss leaves the window for a round trip, and slow start goes on. */
static bool slow_start(void)
{
	begin(&fdccp_ccid_iftpv, &plain);
	end.cause[2] = FDCCP_CAUSE_MISSING;
	run(START + 230 * MS);
	/* 2 packets, then 4 from 100 ms on; packet 2 is known to be missing at 300 ms */
	MUST(window_now() == 8);
	run(START + 320 * MS);
	MUST(window_now() == 8 && info_now().verdict[FDCCP_VERDICT_KEEP] == 1);
	run(START + 550 * MS);
	MUST(window_now() == 16);
	return true;
}

/* A timeout leaves one packet, and half of the window as threshold. The gap is R. */
static bool timeouts(void)
{
	int64_t due;

	reach(&fdccp_ccid_iftpv, &plain, 20);
	end.rtt = 100 * S;
	run(START + 2 * RTT);
	/* 20 packets and those that one acknowledgment answers; the sender stops */
	MUST(end.next == 22 && end.tx.pipe.packets == 22);
	due = end.ccid->tx_timer(&end.tx);
	MUST(due == START + 300 * MS && !end.ccid->tx_expire(&end.tx, due - 1));
	MUST(end.ccid->tx_expire(&end.tx, due));
	MUST(window_now() == 1 && end.tx.window.threshold == 10 && end.tx.pipe.packets == 0);
	MUST(end.ccid->tx_when(&end.tx, due) == due);
	send_one(due);
	MUST(last_gap() == RTT && end.ccid->tx_when(&end.tx, due) == FDCCP_NEVER);
	MUST(end.ccid->tx_timer(&end.tx) == due + 600 * MS);
	MUST(info_now().verdict[FDCCP_VERDICT_TIMEOUT] == 1);
	return true;
}

/* DEFER moves the timeout by a quarter, three times. LINK-UP lets one packet go at once, and restores
 * the window, which counts from the first acknowledgment on.
 */
static bool messages(void)
{
	int64_t due, now;

	reach(&fdccp_ccid_iftpv, &plain, 20);
	end.rtt = 100 * S;
	run(START + 2 * RTT);
	due = end.ccid->tx_timer(&end.tx);
	for (int i = 1; i <= 4; i++) {
		tell(3, FDCCP_CAUSE_DEFER, START + 2 * RTT);
		MUST(end.ccid->tx_timer(&end.tx) == due + (i < 3 ? i : 3) * 75 * MS);
	}
	tell(3, FDCCP_CAUSE_LINK_UP, START + 2 * RTT);
	MUST(end.tx.pipe.packets == 22 && !end.tx.revived);
	due = end.ccid->tx_timer(&end.tx);
	end.ccid->tx_expire(&end.tx, due);
	send_one(due);
	end.ccid->tx_expire(&end.tx, due + S);
	now = due + 5 * S;
	/* an acknowledgment that has waited at the link comes first */
	tell(0, FDCCP_CAUSE_ARRIVED, now);
	acknowledge(0, now);
	MUST(end.ccid->tx_rtt(&end.tx) > RTT);
	tell(3, FDCCP_CAUSE_LINK_UP, now);
	MUST(window_now() == 20 && end.ccid->tx_when(&end.tx, now) == now);
	send_one(now);
	MUST(end.ccid->tx_when(&end.tx, now) == FDCCP_NEVER);
	MUST(end.ccid->tx_timer(&end.tx) == now + 300 * MS);
	/* a packet from before tells no round-trip time */
	tell(end.next - 2, FDCCP_CAUSE_ARRIVED, now + RTT / 2);
	acknowledge(end.next - 2, now + RTT / 2);
	MUST(end.ccid->tx_rtt(&end.tx) == RTT);
	tell(end.next - 1, FDCCP_CAUSE_ARRIVED, now + RTT);
	acknowledge(end.next - 1, now + RTT);
	MUST(window_now() == 20 && end.ccid->tx_when(&end.tx, now) <= now + RTT);
	return true;
}

/* MulTCP: a flow of 1.5 grows by three packets in two round trips, and one of 2 loses a quarter. */
static bool scale(void)
{
	struct fdccp_iftp_params how = { .scale = 150, .window_max = 50 };
	struct fdccp_rtts empty = measured(RTT);
	struct fdccp_iftp w;

	fdccp_iftp_init(&w, &how, false, 0);
	w.n = w.threshold = 40;
	fdccp_iftp_round(&w, &empty, 40);
	MUST(w.n == 41);
	fdccp_iftp_round(&w, &empty, 41);
	MUST(w.n == 43);
	how.scale = 200;
	fdccp_iftp_init(&w, &how, false, 0);
	w.n = 40;
	fdccp_iftp_loss(&w, &empty, false, S);
	MUST(w.n == 30);
	return true;
}

/* A window of which half or less was used does not grow. */
static bool unused(void)
{
	struct fdccp_rtts empty = measured(RTT);
	struct fdccp_iftp w;

	fdccp_iftp_init(&w, &plain, false, 0);
	w.n = w.threshold = 40;
	fdccp_iftp_round(&w, &empty, 20);
	MUST(w.n == 40);
	fdccp_iftp_round(&w, &empty, 21);
	MUST(w.n == 41);
	/* after a pause of two timeouts a quarter of it is left, and it grows fast up to 3/4 */
	fdccp_iftp_idle(&w, 2);
	MUST(w.n == 10 && w.threshold == 40);
	fdccp_iftp_idle(&w, 100);
	MUST(w.n == 2);
	return true;
}

/* The tolerance's part "floor": where losses are random, congestion takes only what waits. Without
 * the part, a half.
 */
static bool tolerance(void)
{
	struct fdccp_iftp_params how = plain;
	struct fdccp_rtts empty = measured(RTT), full = measured(125 * MS);

	for (int part = 0; part < 2; part++) {
		struct fdccp_iftp w;

		how.tolerance = part ? IFTPV_PART_FLOOR : 0;
		fdccp_iftp_init(&w, &how, true, 0);
		fdccp_iftp_sample(&w, &full);
		w.n = 40;
		/* a loss while no queue waits is the evidence that losses are random */
		fdccp_iftp_loss(&w, &empty, false, S);
		MUST(w.n == 40);
		fdccp_iftp_loss(&w, &full, false, 2 * S);
		MUST(w.n == (part ? 32 : 20));
		MUST(w.verdicts[part ? FDCCP_VERDICT_DRAIN : FDCCP_VERDICT_HALVE] == 1);
	}
	return true;
}

static const struct unit tests[] = {
	{ "phases", phases },
	{ "what each cause does", causes },
	{ "one verdict in a round trip", one_verdict },
	{ "backlog", backlogs },
	{ "congestion loss rate", congestion_rates },
	{ "a random loss and congestion in a round trip", random_and_congestion },
	{ "a random loss in slow start", slow_start },
	{ "timeout", timeouts },
	{ "DEFER and LINK-UP", messages },
	{ "scale", scale },
	{ "a window that is not used", unused },
	{ "loss tolerance", tolerance },
};

int main(void)
{
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) ? 1 : 0;
}
