// SPDX-License-Identifier: GPL-2.0-or-later
/* The sending half of CCID 3: RFC 5348 section 4, RFC 4342 sections 5 and 8. */
#include <math.h>
#include <string.h>

#include "ccid3.h"
#include "seq.h"
#include "tfrc.h"

#define SECOND		INT64_C(1000000000)
#define LONGEST		64.0	/* seconds between two packets, at most: t_mbi */
#define FIRST_TIMER	(2 * SECOND)
#define FIRST_WINDOW	4380.0	/* bytes: RFC 3390 */
#define RTT_MIN		1000	/* ns: no path is shorter, whatever a peer says */

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double greatest(double a, double b)
{
	return a > b ? a : b;
}

/* The round-trip time for the schedule, which needs one. */
static int64_t some_rtt(const struct fdccp_ccid3_tx *tx)
{
	return tx->rtt ? tx->rtt : FDCCP_RTT_DEFAULT;
}

/* s/t_mbi */
static double lowest_rate(const struct fdccp_ccid3_tx *tx)
{
	return tx->size / LONGEST;
}

/* initial_rate of RFC 5348 section 4.2, and recover_rate of section 4.4: two to four packets of the
 * size that the program sends, in a round-trip time (RFC 4342 section 5)
 */
static double initial_rate(const struct fdccp_ccid3_tx *tx)
{
	double window = least(4 * tx->size, greatest(2 * tx->size, FIRST_WINDOW));

	return window * SECOND / some_rtt(tx);
}

/* Oscillation reduction of RFC 5348 section 4.5: slower while the round-trip time is longer than
 * usual. @sample: the latest one, or 0.
 */
static void set_pace(struct fdccp_ccid3_tx *tx, int64_t sample, int64_t now)
{
	double rate = sample ? tx->rate * tx->root / sqrt(sample) : tx->rate;

	fdccp_pace_set(&tx->pace, tx->size, greatest(rate, lowest_rate(tx)), now);
}

/* @interval: until the nofeedback timer ends */
static void start_timer(struct fdccp_ccid3_tx *tx, int64_t interval, int64_t now)
{
	tx->timer = now + interval;
	tx->interval = interval;
	tx->defers = 0;
}

static void set_timer(struct fdccp_ccid3_tx *tx, int64_t now)
{
	double packets = 2 * tx->size * SECOND / tx->rate;

	start_timer(tx, (int64_t)greatest(4.0 * tx->rtt, packets), now);
	tx->idle = true;
}

void fdccp_ccid3_tx_start(void *data, const struct fdccp_ccid_start *start)
{
	struct fdccp_ccid3_tx *tx = data;

	*tx = (struct fdccp_ccid3_tx){
		.size = start->size ? start->size : 1,
		.rtt = start->rtt,
		.shortest = start->rtt,
		.doubled = start->now,
		.choice = start->undo,
		.forgives = start->forgive_stale,
		.timer = FDCCP_NEVER,
	};
	fdccp_undo_init(&tx->undo);
	fdccp_recv_set_replace(&tx->set, INFINITY, start->now);
	tx->rate = start->rtt ? initial_rate(tx) : tx->size;
	set_pace(tx, 0, start->now);
}

void fdccp_ccid3_tx_restart(void *data, const struct fdccp_ccid_start *start)
{
	fdccp_ccid3_tx_start(data, start);
}

int64_t fdccp_ccid3_tx_when(const void *data, int64_t now)
{
	const struct fdccp_ccid3_tx *tx = data;

	(void)now;
	return fdccp_pace_when(&tx->pace, some_rtt(tx));
}

void fdccp_ccid3_tx_sent(void *data, const struct fdccp_sent_packet *packet, int64_t now)
{
	struct fdccp_ccid3_tx *tx = data;

	double size = tx->pace.packets ? tx->size + (packet->size - tx->size) / 16 : packet->size;

	tx->size = greatest(size, 1);
	if (!tx->pace.packets) {
		tx->rate = tx->rtt ? initial_rate(tx) : tx->size;
		fdccp_recv_set_replace(&tx->set, INFINITY, now);
		set_pace(tx, 0, now);
	}
	fdccp_pace_sent(&tx->pace, packet->seq, packet->size, some_rtt(tx), now);
	if (tx->pace.packets == 1)
		start_timer(tx, FIRST_TIMER, now);
	else if (tx->timer == FDCCP_NEVER)
		set_timer(tx, now);
	tx->idle = false;
	tx->newest = packet->seq;
	tx->undoes = tx->choice == FDCCP_UNDO_ON ||
		     (tx->choice == FDCCP_UNDO_AUTO && packet->truncate);
}

/* A link says that its channel improves: the nofeedback timer ends a quarter later, three times. */
static void defer(struct fdccp_ccid3_tx *tx)
{
	if (tx->timer == FDCCP_NEVER || tx->defers == FDCCP_DEFERS_MAX)
		return;
	tx->timer += tx->interval / 4;
	tx->defers++;
}

/* The rates as they were before the nofeedback timers. */
static void restore(struct fdccp_ccid3_tx *tx, int64_t now)
{
	const struct fdccp_rates *before = &tx->undo.before;

	tx->rate = before->rate;
	tx->rtt = before->rtt;
	tx->root = before->root;
	tx->set = before->set;
	tx->doubled = now;
}

/* A link says that it is back: the next packet is due by the former rate, which is at once. */
static void link_up(struct fdccp_ccid3_tx *tx, int64_t now)
{
	if (!fdccp_undo_link_up(&tx->undo, now))
		return;
	restore(tx, now);
	set_pace(tx, 0, now);
	set_timer(tx, now);
}

/* Losses are Loss Intervals' affair. Packets that the peer's program dropped slow the sender down:
 * RFC 4342 section 5.2.
 */
void fdccp_ccid3_tx_cause(void *data, enum fdccp_cause cause,
			  const struct fdccp_sent_packet *packet, int64_t now)
{
	struct fdccp_ccid3_tx *tx = data;

	if (!packet->data)
		return;
	if (packet->received && tx->undo.taken)
		fdccp_undo_heard(&tx->undo, packet->seq);
	if (cause == FDCCP_CAUSE_ARRIVED)
		return;
	if (cause == FDCCP_CAUSE_DEFER)
		defer(tx);
	else if (cause == FDCCP_CAUSE_LINK_UP)
		link_up(tx, now);
	fdccp_forgive_note(&tx->forgive, cause, packet->seq);
	if (cause == FDCCP_CAUSE_REFUSED)
		tx->dropped++;
}

int fdccp_ccid3_tx_option(void *data, const struct fdccp_option *option, uint64_t ack, int64_t now)
{
	struct fdccp_ccid3_tx *tx = data;

	(void)now;
	return fdccp_ccid3_read(&tx->report, option, ack, tx->pace.first);
}

/* The time since a packet was sent, without the time that the peer says it took. A peer that says
 * too much would gain a greater rate, so no round trip is shorter than that of the handshake, or
 * one with that time. Without a handshake, half of the first one stands for it.
 */
static int64_t round_trip(struct fdccp_ccid3_tx *tx, const struct fdccp_tx_ack *ack)
{
	int64_t whole = ack->now - ack->sent_at;
	int64_t sample = ack->elapsed < whole ? whole - ack->elapsed : whole;

	if (!tx->shortest)
		tx->shortest = whole / 2;
	else if (whole < tx->shortest)
		tx->shortest = whole;
	if (sample < tx->shortest)
		sample = tx->shortest;
	return sample < RTT_MIN ? RTT_MIN : sample;
}

/* Steps 1 and 2 of RFC 5348 section 4.3. After an undo, packets from before it say how long the path
 * was late. Return: the sample, or 0.
 */
static int64_t sample_rtt(struct fdccp_ccid3_tx *tx, const struct fdccp_tx_ack *ack)
{
	int64_t sample;

	if (ack->sent_at == FDCCP_NEVER || ack->sent_at < tx->undo.since)
		return 0;
	sample = round_trip(tx, ack);
	tx->rtt = tx->feedback ? fdccp_average(tx->rtt, sample) : sample;
	tx->root = tx->root > 0 ? 0.9 * tx->root + 0.1 * sqrt(sample) : sqrt(sample);
	return sample;
}

/* The first interval gives at most the greatest rate that was sent: RFC 5348 section 6.3.1. */
static uint32_t longest_first(const struct fdccp_ccid3_tx *tx)
{
	return fdccp_tfrc_interval(tx->size, some_rtt(tx), tx->sent_max);
}

/* Finds a known interval. There is one first interval, whatever its start. */
static struct fdccp_loss_interval *find(struct fdccp_loss_intervals *known,
					const struct fdccp_loss_interval *interval)
{
	for (unsigned int i = 0; i < known->count; i++) {
		struct fdccp_loss_interval *k = &known->at[i];

		if (!k->loss == !interval->loss && (!k->loss || k->start == interval->start))
			return k;
	}
	return NULL;
}

/* Whether the loss event of an interval counts as none. It may have grown since it was judged. */
static bool is_forgiven(const struct fdccp_ccid3_tx *tx, const struct fdccp_loss_interval *k,
			const struct fdccp_loss_interval *interval)
{
	if (!tx->forgives || k->loss == interval->loss)
		return k->forgiven;
	return fdccp_forgive_event(&tx->forgive, interval->start, interval->loss);
}

/* Takes over a reported interval, if it is known or new. Return: whether it is a new loss event. */
static bool learn(struct fdccp_ccid3_tx *tx, const struct fdccp_loss_interval *interval)
{
	struct fdccp_loss_intervals *known = &tx->intervals;
	struct fdccp_loss_interval *k = find(known, interval);
	bool was_event, is_new = !k;

	if (!k) {
		if (known->count && !fdccp_seq_after(interval->start, known->at[0].start))
			return false;
		fdccp_intervals_push(known, interval->start, 0);
		k = &known->at[0];
	}
	was_event = !is_new && k->loss && !k->forgiven;
	k->forgiven = is_forgiven(tx, k, interval);
	k->loss = interval->loss;
	k->length = interval->length;
	return k->loss && !k->forgiven && !was_event;
}

/* Loss Intervals, the oldest first, so that each gets the discount that it has at the peer. When
 * the current interval is too long to be told, the places of the others are unknown. Return:
 * whether a loss event is new.
 */
static bool take_intervals(struct fdccp_ccid3_tx *tx)
{
	struct fdccp_loss_intervals *reported = &tx->report.intervals;
	struct fdccp_loss_interval *oldest = &reported->at[reported->count - 1];
	bool event = false;

	if (!oldest->loss && oldest->length > longest_first(tx))
		oldest->length = longest_first(tx);
	if (tx->report.endless && reported->at[0].loss && tx->intervals.count)
		reported->at[0].start = tx->intervals.at[0].start;
	for (unsigned int i = tx->report.endless ? 1 : reported->count; i > 0; i--)
		event |= learn(tx, &reported->at[i - 1]);
	tx->p = fdccp_forgive_rate(&tx->intervals);
	return event;
}

/* Loss Event Rate, which is all that Linux sends. Return: whether a loss event is new. */
static bool take_event_rate(struct fdccp_ccid3_tx *tx)
{
	double longest = greatest(tx->pace.packets, longest_first(tx));
	double interval = least(tx->report.event_rate, longest);
	double p = tx->p;

	tx->p = tx->report.event_rate == FDCCP_NO_LOSS ? 0 : 1 / greatest(interval, 1);
	return tx->p > p;
}

/* Whether the program sent less than it may in the whole interval that the feedback is about: a
 * round-trip time, as RFC 5348 section 8.2.1 estimates it. It keeps two times at which the program
 * sent all; with a time for each window counter, lost feedback does not matter.
 */
static bool data_limited(const struct fdccp_ccid3_tx *tx, const struct fdccp_tx_ack *ack)
{
	int64_t end = ack->sent_at;

	if (end == FDCCP_NEVER)
		end = ack->now - tx->rtt - ack->elapsed;
	return fdccp_pace_limited(&tx->pace, end - tx->rtt, end);
}

/* recv_limit of step 4 */
static double receive_limit(struct fdccp_ccid3_tx *tx, bool limited, bool event, int64_t now)
{
	if (limited && event) {
		fdccp_recv_set_halve(&tx->set);
		fdccp_recv_set_maximize(&tx->set, 0.85 * tx->received, now);
		return fdccp_recv_set_greatest(&tx->set);
	}
	if (limited)
		fdccp_recv_set_maximize(&tx->set, tx->received, now);
	else
		fdccp_recv_set_add(&tx->set, tx->received, now - 2 * tx->rtt, now);
	return 2 * fdccp_recv_set_greatest(&tx->set);
}

/* X_drop of RFC 4342 section 5.2: the limit by Data Dropped and Slow Receiver. It limits X itself,
 * because the set of RFC 5348 would remember greater receive rates.
 */
static double drop_limit(struct fdccp_ccid3_tx *tx)
{
	double packet = tx->size * SECOND / some_rtt(tx), limit = INFINITY;

	if (tx->dropped)
		limit = greatest(tx->received - tx->dropped * packet, least(tx->received, packet));
	else if (tx->slow)
		limit = tx->received;
	tx->dropped = 0;
	tx->slow = false;
	return limit;
}

/* The end of step 4 */
static void set_rate(struct fdccp_ccid3_tx *tx, double limit, int64_t now)
{
	if (tx->p > 0) {
		tx->equation = fdccp_tfrc_rate(tx->size, some_rtt(tx), tx->p);
		tx->rate = greatest(least(tx->equation, limit), lowest_rate(tx));
	} else if (now - tx->doubled >= tx->rtt) {
		tx->rate = greatest(least(2 * tx->rate, limit), initial_rate(tx));
		tx->doubled = now;
	}
}

/* X_recv: at most what was sent, and at least one packet in a round-trip time, which is the least
 * that a receiver of RFC 5348 section 6.2 measures. A peer that reports an interval without data
 * says less.
 */
static double received_rate(const struct fdccp_ccid3_tx *tx, double sent_rate)
{
	return greatest(least(tx->report.rate, sent_rate), tx->size * SECOND / some_rtt(tx));
}

/* Restores the rates of before the nofeedback timers, if the feedback shows that the path was late.
 * Return: whether it does
 */
static bool undo_timers(struct fdccp_ccid3_tx *tx, uint64_t ack, bool event, int64_t now)
{
	if (!fdccp_undo_feedback(&tx->undo, ack, event, now))
		return false;
	restore(tx, now);
	return true;
}

/* Takes over an acknowledgment with Receive Rate, and Loss Intervals or Loss Event Rate. RFC 4342
 * section 6 asks for Elapsed Time as well, but Linux does not send it.
 */
static void take_feedback(struct fdccp_ccid3_tx *tx, const struct fdccp_tx_ack *ack)
{
	bool had_rtt = tx->rtt, limited, event, undone;
	int64_t sample = sample_rtt(tx, ack);
	double sent_rate = fdccp_pace_sent_rate(&tx->pace, some_rtt(tx), ack->now), limit;

	tx->received = received_rate(tx, sent_rate);
	tx->sent_max = greatest(tx->sent_max, sent_rate);
	event = tx->report.has_intervals ? take_intervals(tx) : take_event_rate(tx);
	undone = undo_timers(tx, ack->ack, event, ack->now);
	/* the first feedback, with a receive rate of 0, covers no interval; after an undo, the path
	 * limited the data
	 */
	limited = fdccp_undo_holds(&tx->undo, ack->now) ||
		  (data_limited(tx, ack) && (tx->report.rate || tx->feedback));
	limit = receive_limit(tx, limited, event, ack->now);
	if (!had_rtt && tx->p == 0) {
		tx->rate = initial_rate(tx);
		tx->doubled = ack->now;
	} else if (!undone) {
		set_rate(tx, limit, ack->now);
	}
	tx->rate = greatest(least(tx->rate, drop_limit(tx)), lowest_rate(tx));
	tx->feedback = true;
	tx->feedback_seq = ack->seq;
	set_pace(tx, undone ? 0 : sample, ack->now);
	set_timer(tx, ack->now);
}

/* An acknowledgment that is no feedback can come at any time, and changes nothing here: RFC 4342
 * sections 6 and 8.1.
 */
void fdccp_ccid3_tx_ack(void *data, const struct fdccp_tx_ack *ack)
{
	struct fdccp_ccid3_tx *tx = data;
	bool feedback = tx->report.has_rate &&
			(tx->report.has_event_rate || tx->report.has_intervals);

	tx->slow |= ack->slow_receiver;
	if (feedback && tx->pace.packets) {
		if (!(tx->feedback && fdccp_seq_before(ack->seq, tx->feedback_seq)))
			take_feedback(tx, ack);
		fdccp_pace_acked(&tx->pace, ack->ack);
	}
	memset(&tx->report, 0, sizeof(tx->report));
}

int64_t fdccp_ccid3_tx_timer(const void *data)
{
	const struct fdccp_ccid3_tx *tx = data;

	return tx->timer;
}

/* Update_Limits() of RFC 5348 section 4.4 */
static void update_limits(struct fdccp_ccid3_tx *tx, double limit, int64_t now)
{
	limit = greatest(limit, lowest_rate(tx));
	fdccp_recv_set_replace(&tx->set, limit / 2, now);
	set_rate(tx, limit, now);
}

/* Whether an idle sender keeps its rate. */
static bool keeps_rate(const struct fdccp_ccid3_tx *tx)
{
	if (!tx->idle)
		return false;
	if (!tx->rtt)
		return true;
	if (tx->p > 0)
		return fdccp_recv_set_greatest(&tx->set) < initial_rate(tx);
	return tx->rate < 2 * initial_rate(tx);
}

/* timer_limit: half of what limits the rate. A pause does not bring the rate below the initial one:
 * RFC 5348 section 4.4.
 */
static double timer_limit(const struct fdccp_ccid3_tx *tx)
{
	double limit = least(fdccp_recv_set_greatest(&tx->set), tx->equation / 2);

	return tx->idle ? greatest(limit, initial_rate(tx)) : limit;
}

/* Remembers what the timer is about to change. What it takes while the program pauses was not the
 * path's doing.
 */
static void note_rates(struct fdccp_ccid3_tx *tx)
{
	const struct fdccp_rates rates = {
		.rate = tx->rate, .rtt = tx->rtt, .root = tx->root, .set = tx->set,
	};

	if (tx->idle)
		fdccp_undo_forget(&tx->undo);
	else if (tx->rtt)
		fdccp_undo_take(&tx->undo, &rates, tx->newest, tx->undoes);
}

/* The nofeedback timer: RFC 5348 section 4.4. While an idle sender keeps its rate, the timer stops
 * until the next packet: it could change nothing.
 */
bool fdccp_ccid3_tx_expire(void *data, int64_t now)
{
	struct fdccp_ccid3_tx *tx = data;

	if (now < tx->timer)
		return false;
	if (keeps_rate(tx)) {
		tx->timer = FDCCP_NEVER;
		return false;
	}
	note_rates(tx);
	if (tx->p == 0)
		tx->rate = greatest(tx->rate / 2, lowest_rate(tx));
	else
		update_limits(tx, timer_limit(tx), now);
	set_pace(tx, 0, now);
	set_timer(tx, now);
	return false;
}

uint8_t fdccp_ccid3_tx_ccval(const void *data, int64_t now)
{
	const struct fdccp_ccid3_tx *tx = data;

	return fdccp_pace_counter(&tx->pace, some_rtt(tx), now);
}

/* CCID 3 has no Ack Ratio. */
uint16_t fdccp_ccid3_tx_ack_ratio(const void *data)
{
	(void)data;
	return 0;
}

uint64_t fdccp_ccid3_tx_window(const void *data)
{
	const struct fdccp_ccid3_tx *tx = data;

	return tx->rate * some_rtt(tx) / SECOND / tx->size + 1;
}

int64_t fdccp_ccid3_tx_rtt(const void *data)
{
	const struct fdccp_ccid3_tx *tx = data;

	return tx->rtt;
}

void fdccp_ccid3_tx_info(const void *data, struct fdccp_info *info)
{
	const struct fdccp_ccid3_tx *tx = data;

	info->rate = tx->rate;
	info->size = tx->size;
	info->cwnd = 0;
	info->loss_event_rate = tx->p * 1e6;
	info->receive_rate = tx->received;
}
