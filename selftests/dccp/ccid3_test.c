// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CCID 3: its feedback has exactly the bytes of RFC 4342, its sender follows RFC 5348 section 4 at
 * exact times, and a peer that lies gains nothing. The numbers of the throughput equation were
 * computed as in tfrc_test.c. Prints TAP.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/dccp/ccid3.h"
#include "../codec/unit.h"

#define MS		INT64_C(1000000)
#define SECOND		(1000 * MS)
#define SIZE		1000
#define RTT		(40 * MS)
#define ISS		100
#define INITIAL		100000.0	/* min(4 * 1000, max(2 * 1000, 4380)) bytes in 40 ms */

/* The receiving half */

static struct fdccp_ccid3_rx rx;
static uint8_t options[256];

static void rx_start(int64_t rtt)
{
	struct fdccp_ccid_start start = { .size = SIZE, .rtt = rtt };

	fdccp_ccid3.rx_start(&rx, &start);
}

static void arrive(uint64_t seq, uint8_t counter, int64_t now)
{
	struct fdccp_rx_packet packet = {
		.now = now, .seq = seq, .ndp = -1, .ccval = counter, .data = true, .size = SIZE,
	};

	fdccp_ccid3.rx_packet(&rx, &packet);
}

static size_t feedback(size_t room, int64_t now)
{
	struct fdccp_writer writer = { options, options, options + room };

	fdccp_ccid3.rx_write(&rx, &writer, false, now);
	fdccp_ccid3.rx_sent(&rx, 1, now);
	return writer.at - options;
}

static bool is(const uint8_t *expected, size_t len, int64_t now)
{
	return feedback(sizeof(options), now) == len && !memcmp(options, expected, len);
}

/* 10 arrives first, then 11 to 20 without 17, each 10 ms, then 22 and 31. */
static bool bytes(void)
{
	/* no loss, X_recv 0, no time elapsed, one interval of one packet */
	static const uint8_t first[] = {
		192, 6, 255, 255, 255, 255, 194, 6, 0, 0, 0, 0, 43, 4, 0, 0,
		193, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
	};
	/* the first interval gives 90 kB/s: 70 packets. 9000 bytes in 100 ms. 7 ms elapsed */
	static const uint8_t loss[] = {
		192, 6, 0, 0, 0, 70, 194, 6, 0, 1, 0x5f, 0x90, 43, 4, 0x02, 0xbc,
		193, 21, 0, 0, 0, 3, 0, 0, 1, 0, 0, 4, 0, 0, 7, 0, 0, 0, 0, 0, 70,
	};
	/* after a pause: one packet in a round-trip time; 21 may be lost; 700 ms elapsed */
	static const uint8_t late[] = {
		192, 6, 0, 0, 0, 70, 194, 6, 0, 0, 0x27, 0x10, 43, 6, 0, 1, 0x11, 0x70,
		193, 21, 2, 0, 0, 3, 0, 0, 1, 0, 0, 4, 0, 0, 7, 0, 0, 0, 0, 0, 70,
	};
	/* of 11 undecided packets 3 are skipped and 8 in the lossless part */
	static const uint8_t gap[] = {
		193, 21, 3, 0, 0, 11, 0, 0, 1, 0, 0, 4, 0, 0, 7, 0, 0, 0, 0, 0, 70,
	};

	rx_start(100 * MS);
	arrive(10, 0, 0);
	MUST(fdccp_ccid3.rx_when(&rx) == 0);
	MUST(feedback(sizeof(first) - 1, 0) == 0);	/* all or nothing */
	MUST(is(first, sizeof(first), 0));
	for (int i = 11; i <= 20; i++)
		if (i != 17)
			arrive(i, 0, (i - 10) * 10 * MS);
	MUST(is(loss, sizeof(loss), 107 * MS));
	arrive(22, 5, 1110 * MS);
	MUST(is(late, sizeof(late), 1810 * MS));
	arrive(31, 9, 1811 * MS);
	MUST(feedback(sizeof(options), 1811 * MS) == 16 + sizeof(gap));
	MUST(!memcmp(options + 16, gap, sizeof(gap)));
	return true;
}

/* Feedback is due with the first packet, each four quarters of a round-trip time, at once with a
 * loss event, and two round-trip times after the last if data came since.
 */
static bool feedback_times(void)
{
	rx_start(RTT);
	MUST(fdccp_ccid3.rx_when(&rx) == FDCCP_NEVER);
	arrive(1, 15, 10 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) == 10 * MS);
	MUST(feedback(256, 10 * MS) && fdccp_ccid3.rx_when(&rx) == FDCCP_NEVER);
	arrive(2, 0, 11 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) == 10 * MS + 2 * RTT);
	arrive(3, 2, 12 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) == 10 * MS + 2 * RTT && !feedback(256, 12 * MS));
	arrive(4, 3, 13 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) == 13 * MS && feedback(256, 13 * MS));
	arrive(6, 3, 14 * MS);
	arrive(7, 3, 15 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) > 15 * MS);
	arrive(8, 3, 16 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) == 16 * MS && feedback(256, 16 * MS));
	/* an old packet does not look like four quarters */
	arrive(5, 2, 17 * MS);
	MUST(fdccp_ccid3.rx_when(&rx) == FDCCP_NEVER);
	return true;
}

/* Neither data that was cut or dropped nor packets without data count for the receive rate. */
static bool cut_data(void)
{
	struct fdccp_rx_packet packet = { .now = 20 * MS, .seq = 2, .ndp = -1, .data = true };

	rx_start(RTT);
	arrive(1, 0, 0);
	feedback(256, 0);
	fdccp_ccid3.rx_packet(&rx, &packet);
	packet.seq = 3;
	packet.data = false;
	packet.size = 500;
	fdccp_ccid3.rx_packet(&rx, &packet);
	arrive(4, 4, RTT);
	MUST(feedback(256, RTT) && fdccp_get_number(options + 8, 4) == SIZE * 25);
	/* nor for the size of packets */
	MUST(rx.size == SIZE);
	/* but they are received: at least one packet in a round-trip time */
	packet = (struct fdccp_rx_packet){
		.now = 2 * RTT, .seq = 5, .ndp = -1, .ccval = 8, .data = true,
	};
	fdccp_ccid3.rx_packet(&rx, &packet);
	MUST(feedback(256, 2 * RTT) && fdccp_get_number(options + 8, 4) == SIZE * 25);
	/* when a queue cut it does not tell a round-trip time: the next packets do, from zero */
	MUST(rx.rtt == RTT);
	packet.cut = true;
	packet.now = SECOND;
	for (packet.seq = 6; packet.seq < 10; packet.seq++) {
		packet.ccval = 4 + packet.seq;
		fdccp_ccid3.rx_packet(&rx, &packet);
	}
	arrive(10, 14, SECOND + RTT / 4);
	MUST(rx.rtt == RTT);
	arrive(11, 2, SECOND + RTT / 4 + 2 * RTT);
	MUST(rx.rtt == RTT + RTT / 10);
	/* the packet without data is no part of the first interval, which has no length yet */
	MUST(rx.history.intervals.at[0].other == 1);
	return true;
}

/* After three lost packets the window counter may have passed all its 16 values: the time since an
 * older one is no round-trip time (RFC 4342 section 8.1).
 */
static bool counters_wrap(void)
{
	rx_start(RTT);
	arrive(1, 0, 0);
	arrive(5, 4, 60 * SECOND);	/* five more for each packet */
	MUST(rx.rtt == RTT);
	arrive(6, 8, 60 * SECOND + 2 * RTT);
	MUST(rx.rtt == RTT + RTT / 10);
	/* two lost packets are no reason */
	arrive(9, 12, 60 * SECOND + 3 * RTT);
	MUST(rx.rtt == RTT + RTT / 10 - RTT / 100);
	return true;
}

/* Packets without data show a loss. It is reported at once with the next data packet, and not
 * before: RFC 5348 section 6.2.
 */
static bool only_data_is_reported(void)
{
	struct fdccp_rx_packet packet = { .ndp = -1 };

	rx_start(RTT);
	arrive(1, 0, 0);
	feedback(256, 0);
	for (int i = 3; i <= 5; i++) {
		packet.seq = i;
		packet.now = i * MS;
		fdccp_ccid3.rx_packet(&rx, &packet);
	}
	MUST(rx.history.intervals.count == 2);
	MUST(fdccp_ccid3.rx_when(&rx) == FDCCP_NEVER && feedback(256, 5 * MS) == 0);
	/* not four quarters later */
	arrive(6, 3, 3 * RTT / 4);
	MUST(fdccp_ccid3.rx_when(&rx) == 3 * RTT / 4 && feedback(256, 3 * RTT / 4));
	MUST(fdccp_get_number(options + 8, 4) == SIZE * 25);
	return true;
}

/* The sending half */

static struct fdccp_ccid3_tx tx;

static void tx_start(int64_t rtt)
{
	struct fdccp_ccid_start start = { .size = SIZE, .rtt = rtt };

	fdccp_ccid3.tx_start(&tx, &start);
}

static void transmit(uint64_t seq, int64_t now)
{
	struct fdccp_sent_packet packet = { .seq = seq, .at = now, .size = SIZE, .data = true };

	fdccp_ccid3.tx_sent(&tx, &packet, now);
}

static int option(uint8_t type, const void *value, uint8_t len, uint64_t ack)
{
	struct fdccp_option o = { .type = type, .value = value, .len = len };

	return fdccp_ccid3.tx_option(&tx, &o, ack, 0);
}

static int number(uint8_t type, uint32_t value, uint64_t ack)
{
	uint8_t bytes[4];

	fdccp_put_number(bytes, 4, value);
	return option(type, bytes, 4, ack);
}

/* Loss Intervals of one interval after the first one, which has 100 data packets. */
static void intervals(uint32_t lossless, uint32_t loss, uint32_t data, uint64_t ack)
{
	uint8_t value[19] = { 0 };

	fdccp_put_number(value + 1, 3, lossless);
	fdccp_put_number(value + 4, 3, loss);
	fdccp_put_number(value + 7, 3, data);
	fdccp_put_number(value + 10, 3, 5);
	fdccp_put_number(value + 16, 3, loss ? 100 : 0);
	option(FDCCP_OPT_LOSS_INTERVALS, value, sizeof(value), ack);
}

static void acknowledge(uint64_t seq, uint64_t ack, int64_t sent_at, int64_t now)
{
	struct fdccp_tx_ack a = { .now = now, .seq = seq, .ack = ack, .sent_at = sent_at };

	fdccp_ccid3.tx_ack(&tx, &a);
}

/* A feedback packet as Linux makes it. */
static void linux_feedback(uint64_t seq, uint64_t ack, uint32_t rate, uint32_t interval,
			   int64_t now)
{
	number(FDCCP_OPT_LOSS_EVENT_RATE, interval, ack);
	number(FDCCP_OPT_RECEIVE_RATE, rate, ack);
	acknowledge(seq, ack, now - RTT, now);
}

static struct fdccp_info info(void)
{
	struct fdccp_info i = { 0 };

	fdccp_ccid3.tx_info(&tx, &i);
	return i;
}

/* Sends as much as the sender may until @end, and sets @seq behind it. */
static void send_until(uint64_t *seq, int64_t *now, int64_t end)
{
	while (*now < end) {
		int64_t when = fdccp_ccid3.tx_when(&tx, *now);

		*now = when > *now ? when : *now;
		if (*now < end)
			transmit((*seq)++, *now);
	}
	*now = end;
}

/* Without a round-trip time one packet a second may be sent; the nofeedback timer of 2 s halves
 * that, and then runs for two packets, down to a packet in 64 s.
 */
static bool no_feedback(void)
{
	static const int64_t times[] = { 2, 6, 14, 30, 62, 126, 254, 382 };
	double rate = SIZE;
	uint64_t seq = ISS;

	tx_start(0);
	MUST(fdccp_ccid3.tx_timer(&tx) == FDCCP_NEVER && fdccp_ccid3.tx_when(&tx, 0) <= 0);
	transmit(seq++, 0);
	/* a packet may be early by half a millisecond */
	MUST(fdccp_ccid3.tx_when(&tx, 0) == SECOND - MS / 2);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		MUST(info().rate == (uint64_t)rate);
		MUST(fdccp_ccid3.tx_timer(&tx) == times[i] * SECOND);
		transmit(seq++, times[i] * SECOND - 1);
		MUST(!fdccp_ccid3.tx_expire(&tx, times[i] * SECOND - 1));
		MUST(info().rate == (uint64_t)rate);
		MUST(!fdccp_ccid3.tx_expire(&tx, times[i] * SECOND));
		rate = rate / 2 > SIZE / 64.0 ? rate / 2 : SIZE / 64.0;
	}
	return true;
}

/* After feedback the timer runs for four round-trip times, and halves the rate while packets are
 * sent. An idle sender below its initial rate keeps it.
 */
static bool feedback_stops(void)
{
	const double equation = 92147.132823883934;	/* 1000 bytes, 40 ms, p = 1/20 */
	uint64_t seq = ISS;
	int64_t now = 0, timer;

	tx_start(RTT);
	send_until(&seq, &now, RTT);
	linux_feedback(1, ISS, 0, FDCCP_NO_LOSS, now);
	send_until(&seq, &now, 2 * RTT);
	linux_feedback(2, seq - 5, UINT32_MAX, 20, now);
	MUST(fabs(tx.rate - equation) < 1e-6);
	/* first half of what the equation says, then half of X_recv_set */
	timer = now + 4 * RTT;
	for (int i = 2; i <= 4; i *= 2, timer += 4 * RTT) {
		MUST(fdccp_ccid3.tx_timer(&tx) == timer);
		transmit(seq++, timer - 1);
		fdccp_ccid3.tx_expire(&tx, timer);
		MUST(fabs(tx.rate - equation / i) < 1e-6);
	}
	/* idle from now on */
	MUST(fdccp_ccid3.tx_timer(&tx) == timer);
	fdccp_ccid3.tx_expire(&tx, timer);
	MUST(fabs(tx.rate - equation / 4) < 1e-6 && fdccp_ccid3.tx_timer(&tx) == FDCCP_NEVER);
	transmit(seq++, timer + SECOND);
	MUST(fdccp_ccid3.tx_timer(&tx) == timer + SECOND + 4 * RTT);
	return true;
}

/* In slow start the rate doubles once in a round-trip time, up to twice the receive rate. */
static bool slow_start(void)
{
	uint64_t seq = ISS;
	int64_t now = 0;

	tx_start(0);
	MUST(info().rate == SIZE && info().size == SIZE);
	transmit(seq++, now);
	linux_feedback(1, ISS, 0, FDCCP_NO_LOSS, now += RTT);
	MUST(info().rate == INITIAL && fdccp_ccid3.tx_rtt(&tx) == RTT);
	MUST(fdccp_ccid3.tx_window(&tx) == 5);
	/* the packet that waited for the old rate may be sent now, and is not late */
	MUST(fdccp_ccid3.tx_when(&tx, now) <= now && fdccp_pace_limited(&tx.pace, now - 1, now));
	transmit(seq++, now);
	MUST(!fdccp_pace_limited(&tx.pace, now - 1, now));
	send_until(&seq, &now, 2 * RTT - 1);
	linux_feedback(2, seq - 3, INITIAL, FDCCP_NO_LOSS, now);
	MUST(info().rate == INITIAL);		/* not a round-trip time later */
	send_until(&seq, &now, 2 * RTT);
	linux_feedback(3, seq - 3, INITIAL, FDCCP_NO_LOSS, now);
	MUST(info().rate == 2 * INITIAL);
	for (int i = 3; i < 6; i++) {
		send_until(&seq, &now, i * RTT);
		linux_feedback(1 + i, seq - 3, 125000, FDCCP_NO_LOSS, now);
	}
	/* the first two receive rates are two round-trip times old */
	MUST(info().rate == 250000 && info().receive_rate == 125000);
	/* after more than two round-trip times without feedback only the latest counts */
	send_until(&seq, &now, 8 * RTT);
	linux_feedback(10, seq - 3, INITIAL, FDCCP_NO_LOSS, now);
	MUST(info().rate == 2 * INITIAL);
	return true;
}

/* The time that the peer waited is no part of the round-trip time, unless that cannot be. */
static bool elapsed(void)
{
	struct fdccp_tx_ack ack = { .seq = 1, .ack = ISS, .now = 70 * MS, .elapsed = 30 * MS };

	tx_start(0);
	transmit(ISS, 0);
	number(FDCCP_OPT_LOSS_EVENT_RATE, FDCCP_NO_LOSS, ISS);
	number(FDCCP_OPT_RECEIVE_RATE, 0, ISS);
	fdccp_ccid3.tx_ack(&tx, &ack);
	MUST(fdccp_ccid3.tx_rtt(&tx) == 40 * MS);
	number(FDCCP_OPT_LOSS_EVENT_RATE, FDCCP_NO_LOSS, ISS);
	number(FDCCP_OPT_RECEIVE_RATE, 0, ISS);
	ack.elapsed = ack.now;
	fdccp_ccid3.tx_ack(&tx, &ack);
	MUST(fdccp_ccid3.tx_rtt(&tx) == 43 * MS);
	return true;
}

/* A program that sends less than it may keeps its rate while nothing is lost. */
static bool data_limited(void)
{
	const double equation = 280830.58590748248;	/* 1000 bytes, 40 ms, p = 1/100 */
	uint64_t seq = ISS;
	int64_t now = 0;

	tx_start(RTT);
	for (int i = 1; i < 10; i++) {
		send_until(&seq, &now, i * RTT);
		linux_feedback(i, seq - 2, UINT32_MAX, i < 8 ? FDCCP_NO_LOSS : 100, now);
	}
	MUST(fabs(tx.rate - equation) < 1e-6);
	/* one packet in a round-trip time, reported as such */
	for (int i = 10; i < 30; i++) {
		transmit(seq++, now);
		now += RTT;
		linux_feedback(i, seq - 1, 25000, 100, now);
		MUST(fabs(tx.rate - equation) < 1e-6);
	}
	/* each loss event meanwhile halves what was received at best */
	for (int i = 30; i < 39; i++) {
		double best = tx.set.at[0].rate / 2;

		transmit(seq++, now);
		now += RTT;
		linux_feedback(i, seq - 1, 25000, 129 - i, now);
		best = best > 0.85 * 25000 ? best : 0.85 * 25000;
		MUST(tx.set.count == 1 && fabs(tx.set.at[0].rate - best) < 1e-6);
		MUST(tx.rate == best || (best > equation && tx.rate <= equation));
	}
	MUST(tx.rate == 0.85 * 25000);
	return true;
}

/* RFC 4342 section 8.6.2 */
static bool example(void)
{
	static const uint8_t value[] = {
		2, 0, 0, 10, 128, 0, 1, 0, 0, 10, 0, 0, 8, 0, 0, 5, 0, 0, 10,
		0, 0, 8, 0, 0, 1, 0, 0, 8, 0, 0, 10, 128, 0, 0, 0, 0, 15,
	};
	static const uint32_t known[4][3] = {
		{ 32, 1, 10 }, { 19, 5, 10 }, { 10, 1, 8 }, { 0, 0, 15 },
	};
	struct fdccp_option o = { .type = 193, .value = value, .len = sizeof(value) };
	struct fdccp_ccid3_report report = { 0 };

	MUST(fdccp_ccid3_read(&report, &o, 44, 0) == 0 && report.has_intervals);
	MUST(report.intervals.count == 4);
	for (int i = 0; i < 4; i++) {
		MUST(report.intervals.at[i].start == known[i][0]);
		MUST(report.intervals.at[i].loss == known[i][1]);
		MUST(report.intervals.at[i].length == known[i][2]);
	}
	return true;
}

static void established(uint64_t *seq, int64_t *now)
{
	*seq = ISS;
	*now = 0;
	tx_start(RTT);
	send_until(seq, now, RTT);
	linux_feedback(1, ISS, 0, FDCCP_NO_LOSS, *now);
	for (int i = 2; i < 5; i++) {
		send_until(seq, now, i * RTT);
		linux_feedback(i, *seq - 2, UINT32_MAX, FDCCP_NO_LOSS, *now);
	}
}

static void our_feedback(uint64_t seq, uint64_t ack, uint32_t rate, int64_t now)
{
	number(FDCCP_OPT_RECEIVE_RATE, rate, ack);
	acknowledge(seq, ack, now - RTT, now);
}

/* What a peer says is limited by what was sent. */
static bool lies(void)
{
	uint64_t seq;
	int64_t now;
	uint8_t junk[18] = { 0 };

	/* a receive rate above what was sent */
	established(&seq, &now);
	MUST(tx.received < 2 * INITIAL * 8 && tx.received <= tx.rate);
	/* an interval without a packet counts as one */
	intervals(3, 1, 0, seq - 1);
	our_feedback(10, seq - 1, 50000, now);
	MUST(tx.intervals.at[0].length == 1 && tx.intervals.count == 2);
	/* an interval has no more data packets than packets, nor reaches beyond the first packet */
	established(&seq, &now);
	intervals(3, 1, 0xffffff, seq - 1);
	our_feedback(10, seq - 1, 50000, now);
	MUST(tx.intervals.at[0].length == 4);
	established(&seq, &now);
	intervals(0xffffff, 1, 0xffffff, seq - 1);
	our_feedback(10, seq - 1, 50000, now);
	MUST(tx.p == 0);
	/* packets that are skipped, three at most, hide a loss event only for now */
	established(&seq, &now);
	junk[0] = 4;
	MUST(option(FDCCP_OPT_LOSS_INTERVALS, junk, 10, 1) == 0 && !tx.report.has_intervals);
	/* the first interval is not longer than that of the rate that was sent */
	established(&seq, &now);
	intervals(3, 1, 4, seq - 1);
	tx.report.intervals.at[1].length = FDCCP_INTERVAL_MAX;
	our_feedback(10, seq - 1, 50000, now);
	MUST(tx.equation < 1.1 * fdccp_pace_sent_rate(&tx.pace, RTT, now));
	/* one over nothing is the rate of losing all; a huge interval has a limit */
	established(&seq, &now);
	linux_feedback(10, seq - 1, 50000, 0, now);
	MUST(info().loss_event_rate == 1000000);
	linux_feedback(11, seq - 1, 50000, FDCCP_NO_LOSS - 1, now);
	MUST(info().loss_event_rate > 100);
	/* lengths that cannot be */
	MUST(option(FDCCP_OPT_LOSS_EVENT_RATE, junk, 3, 1) == FDCCP_RESET_OPTION_ERROR);
	MUST(option(FDCCP_OPT_RECEIVE_RATE, junk, 5, 1) == FDCCP_RESET_OPTION_ERROR);
	MUST(option(FDCCP_OPT_LOSS_INTERVALS, junk, 1, 1) == FDCCP_RESET_OPTION_ERROR);
	MUST(option(FDCCP_OPT_LOSS_INTERVALS, junk, 18, 1) == FDCCP_RESET_OPTION_ERROR);
	/* an option that nobody knows is ignored */
	MUST(option(200, junk, 5, 1) == 0);
	return true;
}

/* When the current interval is too long for the option, where it starts is not known. */
static bool endless(void)
{
	uint64_t seq, ack;
	int64_t now;

	established(&seq, &now);
	ack = seq + (1 << 25);
	intervals(3, 1, 4, ack);
	our_feedback(10, ack, 50000, now);
	MUST(tx.intervals.count == 2 && tx.intervals.at[0].length == 4);
	for (int i = 0; i < 3; i++) {
		intervals(0xffffff, 1, 0xffffff, ack + (1 << 24) + 100 * i);
		our_feedback(11 + i, ack, 50000, now);
		MUST(tx.intervals.count == 2 && tx.intervals.at[0].length == 0xffffff);
	}
	intervals(3, 1, 4, ack + (1 << 25));
	our_feedback(14, ack, 50000, now);
	MUST(tx.intervals.count == 3 && tx.intervals.at[0].length == 4);
	return true;
}

/* An acknowledgment that is older than the last feedback, or lacks an option, is no feedback. */
static bool no_feedback_packet(void)
{
	uint64_t seq;
	int64_t now, timer;
	double rate;

	established(&seq, &now);
	timer = fdccp_ccid3.tx_timer(&tx);
	rate = tx.rate;
	number(FDCCP_OPT_RECEIVE_RATE, 1, seq - 1);
	acknowledge(10, seq - 1, now, now + MS);
	number(FDCCP_OPT_LOSS_EVENT_RATE, 1, seq - 1);
	acknowledge(11, seq - 1, now, now + MS);
	linux_feedback(3, seq - 1, 1, 1, now + MS);
	MUST(tx.rate == rate && fdccp_ccid3.tx_timer(&tx) == timer && tx.rtt == RTT);
	return true;
}

/* A pause does not bring the rate below the initial one: RFC 4342 section 5.1. */
static bool pause_stops(void)
{
	uint64_t seq;
	int64_t now;

	established(&seq, &now);
	/* equation: 156 kB/s, of which half would be less than the initial rate */
	send_until(&seq, &now, 5 * RTT);
	linux_feedback(10, seq - 5, UINT32_MAX, 40, now);
	MUST(tx.equation > INITIAL && tx.equation < 2 * INITIAL && tx.rate == tx.equation);
	fdccp_ccid3.tx_expire(&tx, now + 4 * RTT);
	MUST(tx.rate == INITIAL);
	fdccp_ccid3.tx_expire(&tx, now + 8 * RTT);
	MUST(tx.rate == INITIAL && fdccp_ccid3.tx_timer(&tx) == FDCCP_NEVER);
	return true;
}

/* Links move the nofeedback timer by a quarter, three times; and when one is back after the timer has
 * halved the rate three times, the next packet is due at once, at the former rate.
 */
static bool links(void)
{
	struct fdccp_sent_packet packet = { .data = true };
	int64_t now, timer;
	uint64_t seq;
	double rate;

	established(&seq, &now);
	rate = tx.rate;
	timer = fdccp_ccid3.tx_timer(&tx);
	fdccp_ccid3.tx_cause(&tx, FDCCP_CAUSE_LINK_UP, &packet, now);
	MUST(tx.rate == rate && fdccp_ccid3.tx_timer(&tx) == timer && timer == now + 4 * RTT);
	for (int i = 1; i < 6; i++) {
		fdccp_ccid3.tx_cause(&tx, FDCCP_CAUSE_DEFER, &packet, now);
		MUST(fdccp_ccid3.tx_timer(&tx) == timer + (i < 3 ? i : 3) * RTT);
	}
	for (int i = 1; i <= 3; i++) {
		timer = fdccp_ccid3.tx_timer(&tx);
		send_until(&seq, &now, timer);
		fdccp_ccid3.tx_expire(&tx, now);
		MUST(fabs(tx.rate - rate / (1 << i)) < 1e-6);
	}
	MUST(fdccp_ccid3.tx_timer(&tx) == now + 4 * RTT);
	now += 2 * RTT;
	fdccp_ccid3.tx_cause(&tx, FDCCP_CAUSE_LINK_UP, &packet, now);
	MUST(tx.rate == rate && fdccp_ccid3.tx_when(&tx, now) <= now);
	MUST(fdccp_ccid3.tx_timer(&tx) == now + 4 * RTT);
	/* the message was wrong: the timer takes it again */
	send_until(&seq, &now, now + 4 * RTT);
	fdccp_ccid3.tx_expire(&tx, now);
	MUST(fabs(tx.rate - rate / 2) < 1e-6);
	return true;
}

/* A peer that reports an interval without data says a receive rate of 0. It counts as one packet in
 * a round-trip time. If the program sends less than it may, the loss event halves the receive
 * rates. Else twice that packet may be sent.
 */
static bool no_receive_rate(void)
{
	uint64_t seq;
	int64_t now;
	double received;

	established(&seq, &now);
	received = tx.set.at[0].rate;
	transmit(seq++, now + 10 * RTT);
	linux_feedback(10, seq - 1, 0, 1000, now + 11 * RTT);
	MUST(info().receive_rate == 25000);
	MUST(tx.set.count == 1 && tx.set.at[0].rate == received / 2 && tx.rate == received / 2);
	established(&seq, &now);
	for (int i = 5; i < 10; i++) {
		send_until(&seq, &now, i * RTT);
		linux_feedback(i, seq - 2, 0, 1000, now);
	}
	MUST(tx.rate == 50000);
	return true;
}

/* Slow Receiver stops the growth, and each packet that the peer's program dropped takes a packet in
 * a round-trip time from the rate (RFC 4342 section 5.2).
 */
static bool dropped(void)
{
	struct fdccp_sent_packet lost = { .data = true, .received = true };
	struct fdccp_tx_ack slow = { .slow_receiver = true, .sent_at = FDCCP_NEVER };
	uint64_t seq;
	int64_t now;

	established(&seq, &now);
	slow.now = now;
	fdccp_ccid3.tx_ack(&tx, &slow);
	send_until(&seq, &now, 5 * RTT);
	linux_feedback(10, seq - 1, 200000, FDCCP_NO_LOSS, now);
	MUST(tx.rate == 200000);
	for (int i = 0; i < 3; i++)
		fdccp_ccid3.tx_cause(&tx, FDCCP_CAUSE_REFUSED, &lost, now);
	send_until(&seq, &now, 6 * RTT);
	linux_feedback(11, seq - 1, 200000, FDCCP_NO_LOSS, now);
	MUST(fabs(tx.rate - (200000 - 3 * 25000)) < 1e-6);
	send_until(&seq, &now, 7 * RTT);
	linux_feedback(12, seq - 1, 200000, FDCCP_NO_LOSS, now);
	MUST(tx.rate > 200000);
	return true;
}

/* The window counter advances each quarter of a round-trip time, by five at most, and to four more
 * than a packet had that feedback acknowledges (RFC 4342 section 8.1). Other acknowledgments may
 * come at any time, and change nothing.
 */
static bool window_counter(void)
{
	tx_start(RTT);
	MUST(fdccp_ccid3.tx_ccval(&tx, 0) == 0);
	transmit(ISS, 0);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 4 - 1) == 0);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 4) == 1);
	MUST(fdccp_ccid3.tx_ccval(&tx, 3 * RTT) == 5);
	transmit(ISS + 1, RTT / 2);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 2) == 2);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 2 + RTT / 4) == 3);
	acknowledge(1, ISS + 1, 0, RTT / 2);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 2) == 2 && !tx.feedback);
	linux_feedback(2, ISS, 0, FDCCP_NO_LOSS, RTT / 2);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 2) == 4);
	linux_feedback(3, ISS + 1, 0, FDCCP_NO_LOSS, RTT / 2);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 2) == 6);
	transmit(ISS + 2, RTT / 2);
	MUST(fdccp_ccid3.tx_ccval(&tx, RTT / 2 + 100 * RTT) == 11);
	return true;
}

/* What the equation gives at p = 1/20, and a spike of 10 round trips, in which two timers took three
 * quarters of that. Its first packet is acknowledged, with a receive rate of 25000 and loss events of
 * @interval packets.
 */
static void spike(enum fdccp_undo_choice choice, uint64_t *seq, int64_t *now, uint32_t interval)
{
	struct fdccp_ccid_start how = { .size = SIZE, .rtt = RTT, .undo = choice };
	struct fdccp_sent_packet packet = { .data = true, .received = true };
	int64_t begin;

	*seq = ISS;
	*now = 0;
	fdccp_ccid3.tx_start(&tx, &how);
	send_until(seq, now, RTT);
	linux_feedback(1, ISS, 0, FDCCP_NO_LOSS, *now);
	send_until(seq, now, 2 * RTT);
	linux_feedback(2, *seq - 5, UINT32_MAX, 20, *now);
	begin = *now;
	packet.seq = *seq;
	for (int i = 1; i <= 2; i++) {
		send_until(seq, now, begin + 4 * i * RTT);
		fdccp_ccid3.tx_expire(&tx, *now);
	}
	send_until(seq, now, begin + 10 * RTT);
	fdccp_ccid3.tx_cause(&tx, FDCCP_CAUSE_CUT, &packet, *now);
	number(FDCCP_OPT_LOSS_EVENT_RATE, interval, packet.seq);
	number(FDCCP_OPT_RECEIVE_RATE, 25000, packet.seq);
	acknowledge(3, packet.seq, begin, *now);
}

/* The packets of the next @rtts round trips, and one feedback each. */
static void go_on(uint64_t *seq, int64_t *now, int rtts)
{
	for (int i = 0; i < rtts; i++) {
		send_until(seq, now, *now + RTT);
		linux_feedback(4 + *now / RTT, *seq - 3, 25000, 20, *now);
	}
}

/* As RFC 5348 has it, the spike's round-trip time counts: 0.9 * 40 + 0.1 * 400 = 76 ms. */
static bool spike_without_undo(void)
{
	uint64_t seq;
	int64_t now;

	spike(FDCCP_UNDO_OFF, &seq, &now, 20);
	MUST(tx.rtt == 76 * MS && fabs(tx.rate - 92147.132823883934 * 40 / 76) < 1e-6);
	/* and with the treatment that is not known to cut */
	spike(FDCCP_UNDO_AUTO, &seq, &now, 20);
	MUST(tx.rtt == 76 * MS);
	return true;
}

/* The rate and the round-trip time are those from before the spike, at once. They stay, while the
 * receive rate of the spike is reported, for two round trips, and for two more in which the set
 * remembers them. The packets have even gaps from the first one on.
 */
static bool spike_with_undo(void)
{
	const double equation = 92147.132823883934;	/* 1000 bytes, 40 ms, p = 1/20 */
	const int64_t gap = 10852209;			/* ns */
	int64_t now, last = 0;
	uint64_t seq;

	spike(FDCCP_UNDO_ON, &seq, &now, 20);
	MUST(fabs(tx.rate - equation) < 1e-6 && tx.rtt == RTT && tx.pace.interval == gap);
	MUST(fdccp_ccid3.tx_timer(&tx) == now + 4 * RTT);
	for (int i = 0; i < 20; i++) {
		int64_t when = fdccp_ccid3.tx_when(&tx, now);

		MUST(!i || when - last == gap);
		last = when;
		now = when > now ? when : now;
		transmit(seq++, now);
	}
	spike(FDCCP_UNDO_ON, &seq, &now, 20);
	/* a packet from the spike tells no round-trip time */
	number(FDCCP_OPT_LOSS_EVENT_RATE, 20, seq - 1);
	number(FDCCP_OPT_RECEIVE_RATE, 25000, seq - 1);
	acknowledge(4, seq - 1, now - 5 * RTT, now);
	go_on(&seq, &now, 4);
	MUST(fabs(tx.rate - equation) < 1e-6 && tx.rtt == RTT);
	/* then the receive rate limits it */
	go_on(&seq, &now, 1);
	MUST(tx.rate == 50000);
	return true;
}

/* A loss event that the first feedback reports, or one during the next two round trips, counts. */
static bool spike_with_loss(void)
{
	uint64_t seq;
	int64_t now;
	double best;

	spike(FDCCP_UNDO_ON, &seq, &now, 19);
	/* how much the program sent before the spike is not known any more, so 0.85 * 25000 */
	MUST(tx.rtt == 76 * MS && tx.rate == 21250);
	spike(FDCCP_UNDO_ON, &seq, &now, 20);
	best = tx.set.at[0].rate;
	send_until(&seq, &now, now + RTT);
	linux_feedback(4, seq - 3, 25000, 10, now);
	MUST(tx.set.count == 1 && tx.set.at[0].rate == best / 2 && tx.rate <= best / 2);
	return true;
}

/* What a pause of the program took is not given back. */
static bool spike_in_pause(void)
{
	struct fdccp_sent_packet packet = { .data = true, .received = true };
	struct fdccp_ccid_start how = { .size = SIZE, .rtt = RTT, .undo = FDCCP_UNDO_ON };
	uint64_t seq = ISS;
	int64_t now = 0;

	fdccp_ccid3.tx_start(&tx, &how);
	for (int i = 1; i <= 6; i++) {
		send_until(&seq, &now, i * RTT);
		linux_feedback(i, seq - 2, UINT32_MAX, FDCCP_NO_LOSS, now);
	}
	packet.seq = seq;
	transmit(seq++, now);
	for (int i = 0; i < 2; i++)
		fdccp_ccid3.tx_expire(&tx, now = fdccp_ccid3.tx_timer(&tx));
	fdccp_ccid3.tx_cause(&tx, FDCCP_CAUSE_CUT, &packet, now);
	linux_feedback(7, packet.seq, 25000, FDCCP_NO_LOSS, now);
	MUST(!fdccp_undo_holds(&tx.undo, now));
	return true;
}

static void cause(enum fdccp_cause c, uint64_t seq, int64_t now)
{
	struct fdccp_sent_packet packet = { .seq = seq, .data = true };

	fdccp_ccid3.tx_cause(&tx, c, &packet, now);
}

/* A loss event of packets that went stale counts as none, until a packet of it was lost. Nor does it
 * halve the receive rates of a program that sends less than it may.
 */
static bool forgiven(void)
{
	uint64_t seq;
	int64_t now;
	double before;

	for (int forgives = 0; forgives <= 1; forgives++) {
		established(&seq, &now);
		tx.forgives = forgives;
		before = tx.rate;
		now += 10 * RTT;
		cause(FDCCP_CAUSE_STALE, seq - 8, now);
		cause(FDCCP_CAUSE_STALE, seq - 7, now);
		intervals(3, 2, 5, seq - 4);
		our_feedback(10, seq - 4, 150000, now);
		MUST(tx.intervals.count == 2 && (tx.p == 0) == forgives);
		MUST(forgives ? tx.rate >= before : tx.rate < before);
	}
	/* the next packet is of the same event, and was lost */
	cause(FDCCP_CAUSE_MISSING, seq - 6, now);
	intervals(3, 3, 6, seq - 3);
	our_feedback(11, seq - 3, 150000, now);
	MUST(tx.intervals.count == 2 && tx.p > 0 && tx.rate < before);
	return true;
}

/* A longer round-trip time slows the sender at once, by the square root (RFC 5348 section 4.5). */
static bool oscillation(void)
{
	uint64_t seq;
	int64_t now;

	established(&seq, &now);
	number(FDCCP_OPT_LOSS_EVENT_RATE, FDCCP_NO_LOSS, seq - 1);
	number(FDCCP_OPT_RECEIVE_RATE, 200000, seq - 1);
	acknowledge(10, seq - 1, now - 4 * RTT, now);
	/* R_sqmean is 0.9 + 0.1 * 2, the sample's root 2, each times that of RTT */
	MUST(llabs(tx.pace.interval - (int64_t)(SIZE * 1e9 / (tx.rate * 1.1 / 2))) <= 1);
	MUST(tx.rtt == RTT + 3 * RTT / 10);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "feedback has the bytes of RFC 4342", bytes },
		{ "feedback is due at exact times", feedback_times },
		{ "data that was cut does not count for the receive rate", cut_data },
		{ "a window counter that wraps tells no round-trip time", counters_wrap },
		{ "packets without data cause no feedback", only_data_is_reported },
		{ "the nofeedback timer halves the first rate at exact times", no_feedback },
		{ "the nofeedback timer spares an idle sender", feedback_stops },
		{ "a pause leaves the initial rate", pause_stops },
		{ "slow start doubles the rate up to twice the receive rate", slow_start },
		{ "the time that the peer waited is no round-trip time", elapsed },
		{ "a data-limited sender keeps its rate until a loss event", data_limited },
		{ "the example of RFC 4342 section 8.6.2 is read", example },
		{ "a peer's lies are limited by what was sent", lies },
		{ "an interval too long to be told is no loss event", endless },
		{ "an old or incomplete report changes nothing", no_feedback_packet },
		{ "messages of links", links },
		{ "a receive rate of 0 leaves one packet in a round-trip time", no_receive_rate },
		{ "Slow Receiver and dropped data limit the rate", dropped },
		{ "the window counter advances as in RFC 4342 section 8.1", window_counter },
		{ "a longer round-trip time slows the sender at once", oscillation },
		{ "a loss event of stale packets is forgiven", forgiven },
		{ "a spike lowers the rate without undo", spike_without_undo },
		{ "undo gives back the rate of before a spike, with even gaps", spike_with_undo },
		{ "undo gives nothing back where a loss event is reported", spike_with_loss },
		{ "undo gives nothing back that a pause took", spike_in_pause },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
