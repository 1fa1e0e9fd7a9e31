// SPDX-License-Identifier: GPL-2.0-or-later
/* The receiving half of CCID 3: RFC 4342 sections 6, 8 and 10, RFC 5348 section 6. */
#include "ccid3.h"
#include "seq.h"
#include "tfrc.h"

#define SECOND		1e9
#define TEN_US		10000	/* the unit of Elapsed Time */
#define ELAPSED_MIN	INT64_C(1000000)	/* worth the option on what is no feedback */
#define WRAP		3	/* missing packets, with which the window counter may wrap */
#define OTHERS_LEN	(2 * 6 + 6 + 3)	/* the options of a feedback packet without an interval */

static void forget_counters(struct fdccp_ccid3_rx *rx)
{
	for (unsigned int i = 0; i < FDCCP_FIRST; i++)
		rx->first[i] = FDCCP_NEVER;
}

void fdccp_ccid3_rx_start(void *data, const struct fdccp_ccid_start *start)
{
	struct fdccp_ccid3_rx *rx = data;

	*rx = (struct fdccp_ccid3_rx){
		.rtt = start->rtt ? start->rtt : FDCCP_RTT_DEFAULT,
		.size = start->size,
		.due = FDCCP_NEVER,
	};
	forget_counters(rx);
}

/* A new window counter: the time since the one four quarters before it, or three or two, tells the
 * round-trip time (RFC 4342 section 8.1).
 */
static void sample_rtt(struct fdccp_ccid3_rx *rx, uint8_t counter, int64_t now)
{
	for (uint8_t skipped = rx->counter; skipped != counter;) {
		skipped = (skipped + 1) % FDCCP_WINDOW_COUNTERS;
		rx->first[skipped % FDCCP_FIRST] = FDCCP_NEVER;
	}
	rx->first[counter % FDCCP_FIRST] = now;
	for (unsigned int quarters = 4; quarters >= 2; quarters--) {
		int64_t then = rx->first[(counter - quarters) % FDCCP_FIRST];

		if (then == FDCCP_NEVER || then >= now)
			continue;
		rx->rtt = fdccp_average(rx->rtt, (now - then) * 4 / quarters);
		return;
	}
}

/* X_recv: the data since the last feedback that is at least a round-trip time old, and at least a
 * packet in a round-trip time (RFC 5348 section 6.2), even if all packets came without their data.
 * A pause after the latest data packet is Elapsed Time and does not count. X_recv is 0 in the first
 * feedback.
 */
static double receive_rate(const struct fdccp_ccid3_rx *rx)
{
	double rate, least = rx->size * SECOND / rx->rtt;
	uint64_t bytes = rx->bytes;
	int64_t time = 0;

	for (unsigned int i = 0; i < rx->report_count && time < rx->rtt; i++) {
		time = rx->data_at - rx->reports[i].at;
		bytes = rx->bytes - rx->reports[i].bytes;
	}
	if (!rx->report_count)
		return 0;
	rate = bytes * SECOND / (time > rx->rtt ? time : rx->rtt);
	return rate > least ? rate : least;
}

/* The first loss event: the first interval is what the equation gives for the greatest rate. */
static void set_first_interval(struct fdccp_ccid3_rx *rx)
{
	double rate = receive_rate(rx);
	double size = rx->size > 1 ? rx->size : 1;

	if (rx->rate_max > rate)
		rate = rx->rate_max;
	fdccp_history_set_first(&rx->history, fdccp_tfrc_interval(size, rx->rtt, rate));
}

/* A data packet that is later than all others: feedback is due when four quarters of a round-trip
 * time went by on the window counter. If the sender pauses before that, its last packets are
 * reported after two round-trip times, before its nofeedback timer (RFC 4342 section 10.3).
 */
static void advance(struct fdccp_ccid3_rx *rx, const struct fdccp_rx_packet *packet,
		    int64_t missing)
{
	uint8_t counter = packet->ccval;
	int64_t now = packet->now;

	if (!rx->started) {
		rx->started = true;
		rx->counter = counter;
		rx->first[counter % FDCCP_FIRST] = now;
		rx->due = now;
		return;
	}
	/* a packet that waited until it was stale tells when the queue went on */
	if (missing >= WRAP || packet->cut)
		forget_counters(rx);
	if (counter != rx->counter && !packet->cut)
		sample_rtt(rx, counter, now);
	rx->counter = counter;
	if (fdccp_counter_distance(rx->reported, counter) >= 4)
		rx->due = now;
	else if (rx->due == FDCCP_NEVER)
		rx->due = rx->reports[0].at + 2 * rx->rtt;
}

/* The first size is that of the first packet, as at the sender. */
static void note_size(struct fdccp_ccid3_rx *rx, uint32_t size)
{
	if (size)
		rx->size = rx->bytes ? rx->size + (size - rx->size) / 16 : size;
	rx->bytes += size;
}

void fdccp_ccid3_rx_packet(void *data, const struct fdccp_rx_packet *packet)
{
	struct fdccp_ccid3_rx *rx = data;
	bool known = rx->history.intervals.count;
	int64_t missing = known ? fdccp_seq_diff(packet->seq, rx->history.greatest) - 1 : 0;
	bool latest = !known || fdccp_seq_after(packet->seq, rx->history.greatest);

	rx->event |= fdccp_history_add(&rx->history, packet);
	if (latest)
		rx->greatest_at = packet->now;
	if (packet->data) {
		rx->fresh = true;
		rx->data_at = packet->now;
		note_size(rx, packet->size);
		if (latest)
			advance(rx, packet, missing);
	}
	if (fdccp_history_wants_first(&rx->history))
		set_first_interval(rx);
	/* packets without data can show a loss, but cause no feedback: RFC 5348 section 6.2 */
	if (rx->event && rx->fresh && rx->started)
		rx->due = packet->now;
}

int64_t fdccp_ccid3_rx_when(const void *data)
{
	const struct fdccp_ccid3_rx *rx = data;

	return rx->due;
}

static void write_number(struct fdccp_writer *w, uint8_t type, size_t len, uint64_t number)
{
	uint8_t value[4];

	fdccp_put_number(value, len, number);
	fdccp_write_option(w, type, value, len);
}

static uint32_t at_most(int64_t number, uint32_t limit)
{
	return number > limit ? limit : number;
}

/* Loss Intervals, all with nonce 0. Skip Length must not exceed NDUPACK. So of the packets that are
 * not decided yet, all but the last three are in the lossless part, without a change of p.
 */
static void write_intervals(const struct fdccp_loss_history *history, struct fdccp_writer *w)
{
	int64_t open = fdccp_seq_diff(history->greatest, history->decided);
	uint8_t value[1 + FDCCP_INTERVAL_LEN * FDCCP_INTERVALS];
	uint8_t *at = value + 1;
	uint64_t end;

	value[0] = at_most(open, FDCCP_NDUPACK);
	end = fdccp_seq_add(history->greatest, 1 - (int64_t)value[0]);
	for (unsigned int i = 0; i < history->intervals.count; i++, at += FDCCP_INTERVAL_LEN) {
		const struct fdccp_loss_interval *interval = &history->intervals.at[i];
		int64_t length = fdccp_seq_diff(end, interval->start);

		fdccp_put_number(at, 3, at_most(length - interval->loss, FDCCP_INTERVAL_MAX));
		fdccp_put_number(at + 3, 3, at_most(interval->loss, FDCCP_INTERVAL_MAX / 2));
		fdccp_put_number(at + 6, 3, interval->length);
		end = interval->start;
	}
	fdccp_write_option(w, FDCCP_OPT_LOSS_INTERVALS, value, at - value);
}

/* Rounds up, except for the error that averaging whole numbers can leave. */
static uint32_t up(double number)
{
	uint32_t down = number;

	return number - down > 1e-6 ? down + 1 : down;
}

static void write_elapsed(struct fdccp_writer *w, int64_t elapsed)
{
	uint32_t units = at_most(elapsed / TEN_US, UINT32_MAX);

	write_number(w, FDCCP_OPT_ELAPSED_TIME, units > UINT16_MAX ? 4 : 2, units);
}

/* An acknowledgment that is no feedback, after a wait that must not count as time on the way. */
static void write_wait(const struct fdccp_ccid3_rx *rx, struct fdccp_writer *w, int64_t now)
{
	if (rx->started && now - rx->greatest_at >= ELAPSED_MIN)
		write_elapsed(w, now - rx->greatest_at);
}

/* The whole feedback or nothing of it. Without room on a DataAck it stays due, and the connection
 * sends an Ack.
 */
void fdccp_ccid3_rx_write(void *data, struct fdccp_writer *w, bool data_packet, int64_t now)
{
	struct fdccp_ccid3_rx *rx = data;
	double mean = fdccp_intervals_mean(&rx->history.intervals);
	double rate = receive_rate(rx);
	ptrdiff_t room = OTHERS_LEN + FDCCP_INTERVAL_LEN * rx->history.intervals.count;

	if (now < rx->due && !data_packet)
		write_wait(rx, w, now);
	if (now < rx->due || w->end - w->at < room)
		return;
	if (rate > rx->rate_max)
		rx->rate_max = rate;
	write_number(w, FDCCP_OPT_LOSS_EVENT_RATE, 4, mean > 0 ? up(mean) : FDCCP_NO_LOSS);
	write_number(w, FDCCP_OPT_RECEIVE_RATE, 4, rate < UINT32_MAX ? rate : UINT32_MAX);
	write_elapsed(w, now - rx->greatest_at);
	write_intervals(&rx->history, w);
	rx->written = true;
}

void fdccp_ccid3_rx_sent(void *data, uint64_t seq, int64_t now)
{
	struct fdccp_ccid3_rx *rx = data;

	(void)seq;
	if (!rx->written)
		return;
	rx->written = rx->fresh = rx->event = false;
	rx->due = FDCCP_NEVER;
	rx->reported = rx->counter;
	for (unsigned int i = FDCCP_REPORTS - 1; i > 0; i--)
		rx->reports[i] = rx->reports[i - 1];
	rx->reports[0].at = now;
	rx->reports[0].bytes = rx->bytes;
	if (rx->report_count < FDCCP_REPORTS)
		rx->report_count++;
}

/* CCID 3 has no Ack Ratio. */
void fdccp_ccid3_rx_ack_ratio(void *data, uint16_t ratio)
{
	(void)data;
	(void)ratio;
}
