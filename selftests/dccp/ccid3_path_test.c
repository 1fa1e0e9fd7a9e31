// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both halves of CCID 3 over a simulated path: the mean rate is within 10 % of the throughput
 * equation at the loss event rate and the round-trip time that were measured, and no burst is
 * longer than 1 ms. Losses are drawn by a seed, which is printed and can be given as the first
 * argument. Prints TAP.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/dccp/ccid3.h"
#include "../../userspace/dccp/seq.h"
#include "../../userspace/dccp/tfrc.h"
#include "../codec/unit.h"

#define MS		INT64_C(1000000)
#define SECOND		(1000 * MS)
#define SIZE		1000
#define FIRST_SEQ	(FDCCP_SEQ_MASK - 5000)	/* numbers wrap */
#define RING		65536

static uint64_t first_seed = 1, seed;

static double draw(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / (UINT64_C(1) << 53);
}

/* What is on the way, until @at; @mean: the receiver's average loss interval. */
struct packet {
	int64_t at;
	uint64_t seq;
	uint8_t ccval;
	bool lost;
};

struct acknowledgment {
	int64_t at;
	uint64_t seq, ack;
	uint8_t options[256];
	size_t len;
	double mean;
};

/**
 * struct world - a sender, a path and a receiver
 * @one_way: delay of each direction, in ns
 * @loss: probability of a data packet's loss
 * @ack_loss: of an acknowledgment's
 * @jitter: the sender's program is late by up to this, in ns
 * @linux_like: the receiver's Loss Intervals are taken away, as if it were Linux
 * @now: the time
 * @free_at: when the sender's program runs next, because it is late
 * @stopped: the program has no more data
 * @nominal: sum of the intervals between packets, as the rate has them
 * @behind: greatest time by which @nominal was ever behind the time
 * @burst: longest burst, in ns: by how much @nominal caught up with the time
 * @sent_at: when the packets were sent
 * @data: packets on the way, with their number and the number that arrived
 * @acks: the same for acknowledgments
 * @greatest: greatest sequence number that arrived
 * @events: loss events at the receiver
 * @latest: start of the latest one
 * @differ: feedback after which the ends had different loss event rates
 */
struct world {
	double loss, ack_loss;
	int64_t one_way, jitter;
	bool linux_like, stopped;
	int64_t now, free_at;
	int64_t nominal, behind, burst;
	struct fdccp_ccid3_tx tx;
	struct fdccp_ccid3_rx rx;
	int64_t sent_at[RING];
	struct packet data[RING];
	struct acknowledgment acks[RING / 256];
	uint64_t data_sent, data_done, acks_sent, acks_done;
	uint64_t greatest, events, latest, differ;
};

static struct world w;

static void start(int64_t one_way, double loss)
{
	struct fdccp_ccid_start begin = { .size = SIZE };

	memset(&w, 0, sizeof(w));
	w.one_way = one_way;
	w.loss = loss;
	fdccp_ccid3.tx_start(&w.tx, &begin);
	fdccp_ccid3.rx_start(&w.rx, &begin);
}

/* Packet after packet, the time between them may be less than nominal by 1 ms in sum. */
static void note_burst(void)
{
	w.nominal += w.data_sent ? w.tx.pace.interval : 0;
	if (w.now - w.nominal > w.behind)
		w.behind = w.now - w.nominal;
	if (w.nominal + w.behind - w.now > w.burst)
		w.burst = w.nominal + w.behind - w.now;
}

static void transmit(void)
{
	uint64_t n = w.data_sent;
	struct fdccp_sent_packet sent = {
		.seq = fdccp_seq_add(FIRST_SEQ, n), .at = w.now, .size = SIZE, .data = true,
	};

	w.data[n % RING] = (struct packet){
		.at = w.now + w.one_way, .seq = sent.seq, .lost = draw() < w.loss,
		.ccval = fdccp_ccid3.tx_ccval(&w.tx, w.now),
	};
	w.sent_at[n % RING] = w.now;
	note_burst();
	w.data_sent++;
	fdccp_ccid3.tx_sent(&w.tx, &sent, w.now);
	if (w.jitter && fdccp_ccid3.tx_when(&w.tx, w.now) > w.now)
		w.free_at = fdccp_ccid3.tx_when(&w.tx, w.now) + draw() * w.jitter;
}

static void arrive(void)
{
	struct packet *p = &w.data[w.data_done++ % RING];
	struct fdccp_rx_packet packet = {
		.now = w.now, .seq = p->seq, .ndp = -1, .ccval = p->ccval,
		.data = true, .size = SIZE,
	};
	const struct fdccp_loss_interval *newest = &w.rx.history.intervals.at[0];

	if (p->lost)
		return;
	w.greatest = p->seq;
	fdccp_ccid3.rx_packet(&w.rx, &packet);
	if (newest->loss && newest->start != w.latest) {
		w.latest = newest->start;
		w.events++;
	}
}

static void acknowledge(void)
{
	struct acknowledgment *a = &w.acks[w.acks_sent % (RING / 256)];
	struct fdccp_writer writer = { a->options, a->options, a->options + sizeof(a->options) };

	fdccp_ccid3.rx_write(&w.rx, &writer, false, w.now);
	a->at = w.now + w.one_way;
	a->seq = w.acks_sent++;
	a->ack = w.greatest;
	a->len = writer.at - writer.start;
	a->mean = fdccp_intervals_mean(&w.rx.history.intervals);
	fdccp_ccid3.rx_sent(&w.rx, a->seq, w.now);
	if (draw() < w.ack_loss)
		a->len = 0;
}

static void take_acknowledgment(void)
{
	struct acknowledgment *a = &w.acks[w.acks_done++ % (RING / 256)];
	struct fdccp_option_walk walk = { a->options, a->options + a->len };
	struct fdccp_option option;
	struct fdccp_tx_ack ack = {
		.now = w.now, .seq = a->seq, .ack = a->ack,
		.sent_at = w.sent_at[fdccp_seq_diff(a->ack, FIRST_SEQ) % RING],
	};

	if (!a->len)
		return;
	while (fdccp_option_next(&walk, &option) > 0) {
		if (option.type == FDCCP_OPT_ELAPSED_TIME)
			ack.elapsed = fdccp_get_number(option.value, option.len) * 10000;
		else if (!w.linux_like || option.type != FDCCP_OPT_LOSS_INTERVALS)
			fdccp_ccid3.tx_option(&w.tx, &option, a->ack, w.now);
	}
	fdccp_ccid3.tx_ack(&w.tx, &ack);
	w.differ += fabs(w.tx.p * a->mean - 1) > 1e-9;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t sender_time(void)
{
	int64_t when = w.stopped ? FDCCP_NEVER : fdccp_ccid3.tx_when(&w.tx, w.now);

	return when > w.free_at ? when : w.free_at;
}

/* Lets all happen that happens until @end. */
static void run(int64_t end)
{
	while (w.now < end) {
		int64_t next = earlier(sender_time(), fdccp_ccid3.rx_when(&w.rx));

		if (w.data_done < w.data_sent)
			next = earlier(next, w.data[w.data_done % RING].at);
		if (w.acks_done < w.acks_sent)
			next = earlier(next, w.acks[w.acks_done % (RING / 256)].at);
		next = earlier(earlier(next, fdccp_ccid3.tx_timer(&w.tx)), end);
		w.now = next > w.now ? next : w.now;
		if (w.data_done < w.data_sent && w.data[w.data_done % RING].at <= w.now)
			arrive();
		else if (fdccp_ccid3.rx_when(&w.rx) <= w.now)
			acknowledge();
		else if (w.acks_done < w.acks_sent &&
			 w.acks[w.acks_done % (RING / 256)].at <= w.now)
			take_acknowledgment();
		else if (fdccp_ccid3.tx_timer(&w.tx) <= w.now)
			fdccp_ccid3.tx_expire(&w.tx, w.now);
		else if (sender_time() <= w.now)
			transmit();
	}
}

/* Sends for @seconds after 20 s of start, and compares the rate with the equation's. */
static bool equation(int seconds)
{
	double p, rate, expected, error;
	uint64_t sent, events;

	run(20 * SECOND);
	sent = w.data_sent;
	events = w.events;
	w.differ = 0;
	run((20 + seconds) * SECOND);
	sent = w.data_sent - sent;
	p = (double)(w.events - events) / sent;
	rate = (double)sent * SIZE / seconds;
	expected = fdccp_tfrc_rate(SIZE, 2 * w.one_way, p);
	error = rate / expected - 1;
	printf("# loss %g: p %.6f, %.0f bytes/s, equation %.0f (%+.1f %%)\n", w.loss, p, rate,
	       expected, 100 * error);
	printf("# rtt %.3f ms, receiver's %.3f ms, longest burst %.3f ms\n", w.tx.rtt / 1e6,
	       w.rx.rtt / 1e6, w.burst / 1e6);
	MUST(w.events > events + 100);
	MUST(llabs(w.tx.rtt - 2 * w.one_way) < 10000);	/* the unit of Elapsed Time */
	/* each of the four quarters is rounded up to a packet */
	MUST(w.rx.rtt > 2 * w.one_way && w.rx.rtt < 2 * w.one_way + 4 * SIZE * 1e9 / rate);
	MUST(w.burst <= MS);
	MUST(fabs(error) < 0.1);
	return true;
}

static bool rates(void)
{
	static const double losses[] = { 0.001, 0.01, 0.05 };

	for (int i = 0; i < 3; i++) {
		start(20 * MS, losses[i]);
		MUST(equation(600));
		/* the sender has the receiver's loss event rate, from the intervals alone */
		MUST(w.differ == 0);
	}
	return true;
}

static bool as_linux(void)
{
	start(20 * MS, 0.01);
	w.linux_like = true;
	return equation(600);
}

static bool lost_feedback(void)
{
	start(20 * MS, 0.01);
	w.ack_loss = 0.3;
	MUST(equation(600));
	/* the sender learns of the intervals that were in the lost feedback by the next */
	MUST(w.differ == 0);
	return true;
}

/* At 10 MB/s there are ten packets in 1 ms. Late by up to the credit of half a millisecond, the
 * program keeps the rate; late by more it loses rate, but does not make up for it in a burst.
 */
static bool bursts(void)
{
	start(2 * MS, 0.001);
	w.jitter = MS / 2;
	MUST(equation(120));
	MUST(w.burst > MS / 2);
	start(2 * MS, 0.001);
	w.jitter = 5 * MS;
	run(60 * SECOND);
	printf("# longest burst %.3f ms\n", w.burst / 1e6);
	MUST(w.burst > MS * 8 / 10 && w.burst <= MS);
	return true;
}

/* The last packets are reported before the nofeedback timer, and then no timer runs. */
static bool stop(void)
{
	double rate;

	start(20 * MS, 0);
	run(SECOND);
	w.stopped = true;
	rate = w.tx.rate;
	run(SECOND + 4 * w.one_way + 2 * w.one_way);
	MUST(w.acks[(w.acks_done - 1) % (RING / 256)].ack ==
	     fdccp_seq_add(FIRST_SEQ, w.data_sent - 1));
	MUST(fdccp_ccid3.rx_when(&w.rx) == FDCCP_NEVER && w.tx.rate >= rate);
	run(100 * SECOND);
	MUST(fdccp_ccid3.tx_timer(&w.tx) == FDCCP_NEVER);
	/* idle, the rate falls to where a halving would go below the initial one */
	MUST(w.tx.rate >= 100000 && w.tx.rate < 200000);
	return true;
}

int main(int argc, char **argv)
{
	static const struct unit tests[] = {
		{ "the mean rate is within 10 % of the equation", rates },
		{ "it is with a receiver that sends Loss Event Rate only", as_linux },
		{ "it is if feedback is lost", lost_feedback },
		{ "no burst is longer than 1 ms", bursts },
		{ "the last packets are reported, and an idle sender has no timer", stop },
	};

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 0);
	seed = first_seed;
	printf("# seed %llu\n", (unsigned long long)seed);
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
