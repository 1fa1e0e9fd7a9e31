// SPDX-License-Identifier: GPL-2.0-or-later
/* The receiver's loss history. */
#include <string.h>

#include "loss_history.h"
#include "seq.h"

/* the distance between window counters of one loss event: a round-trip time has four quarters */
#define ROUND_TRIP	4

static struct fdccp_loss_interval *newest(struct fdccp_loss_history *history)
{
	return &history->intervals.at[0];
}

/* The data packets from the start of the current interval up to @last. */
static uint32_t data_length(const struct fdccp_loss_interval *interval, uint64_t last)
{
	int64_t length = fdccp_seq_diff(last, interval->start) + 1 - interval->other;

	if (length > FDCCP_INTERVAL_MAX)
		return FDCCP_INTERVAL_MAX;
	return length > 1 ? length : 1;
}

/* Packets @first to @last were lost, or the one was marked. Return: whether it is a new event. */
static bool lose(struct fdccp_loss_history *history, uint64_t first, uint64_t last)
{
	struct fdccp_loss_interval *interval = newest(history);

	if (interval->loss && !history->event_over) {
		interval->loss = fdccp_seq_diff(last, interval->start) + 1;
		return false;
	}
	if (interval->loss)
		interval->length = data_length(interval, fdccp_seq_add(first, -1));
	fdccp_intervals_push(&history->intervals, first, fdccp_seq_diff(last, first) + 1);
	history->event_counter = history->counter;
	history->event_over = false;
	return true;
}

/* A received data packet: does it end the round-trip time of the loss event? */
static void note_counter(struct fdccp_loss_history *history, uint8_t counter)
{
	if (fdccp_counter_distance(history->event_counter, counter) > ROUND_TRIP)
		history->event_over = true;
	history->counter = counter;
}

/* Decides about the packets up to @heard. NDP Count tells which of the missing ones had no data. */
static inline bool decide(struct fdccp_loss_history *history, const struct fdccp_heard *heard)
{
	int64_t missing = fdccp_seq_diff(heard->seq, history->decided) - 1;
	int64_t other = heard->ndp < missing ? heard->ndp : missing;
	int64_t lost = missing - (other > 0 ? other : 0);
	bool event = false;

	if (lost > 0)
		event = lose(history, fdccp_seq_add(history->decided, 1),
			     fdccp_seq_add(history->decided, lost));
	newest(history)->other += missing - lost;
	if (heard->data && heard->marked && lose(history, heard->seq, heard->seq))
		event = true;
	if (heard->data)
		note_counter(history, heard->counter);
	else
		newest(history)->other++;
	history->decided = heard->seq;
	return event;
}

/* Whether the first waiting packet waits no longer: nothing is missing before it, enough came after
 * the gap, or a mark shows congestion at once (RFC 5348 section 5.1).
 */
static bool decidable(const struct fdccp_loss_history *history)
{
	if (!history->count)
		return false;
	if (history->waiting[0].seq == fdccp_seq_add(history->decided, 1))
		return true;
	for (unsigned int i = 0; i < history->count; i++)
		if (history->waiting[i].data && history->waiting[i].marked)
			return true;
	return history->count == FDCCP_NDUPACK;
}

static void wait_in_order(struct fdccp_loss_history *history, const struct fdccp_heard *heard)
{
	unsigned int i = history->count++;

	for (; i > 0 && fdccp_seq_after(history->waiting[i - 1].seq, heard->seq); i--)
		history->waiting[i] = history->waiting[i - 1];
	history->waiting[i] = *heard;
}

static bool decide_all(struct fdccp_loss_history *history)
{
	bool event = false;

	while (decidable(history)) {
		struct fdccp_heard heard = history->waiting[0];

		history->count--;
		memmove(&history->waiting[0], &history->waiting[1],
			history->count * sizeof(history->waiting[0]));
		if (decide(history, &heard))
			event = true;
	}
	return event;
}

static void begin(struct fdccp_loss_history *history, const struct fdccp_rx_packet *packet)
{
	fdccp_intervals_push(&history->intervals, packet->seq, 0);
	newest(history)->length = 0;
	history->decided = fdccp_seq_add(packet->seq, -1);
	history->greatest = packet->seq;
	history->counter = packet->data ? packet->ccval : 0;
}

bool fdccp_history_add(struct fdccp_loss_history *history, const struct fdccp_rx_packet *packet)
{
	struct fdccp_heard heard = {
		.seq = packet->seq, .ndp = packet->ndp, .counter = packet->ccval,
		.data = packet->data, .marked = packet->marked,
	};
	bool event;

	if (!history->intervals.count)
		begin(history, packet);
	if (!fdccp_seq_after(packet->seq, history->decided))
		return false;
	if (fdccp_seq_after(packet->seq, history->greatest))
		history->greatest = packet->seq;
	if (!history->count && packet->seq == fdccp_seq_add(history->decided, 1)) {
		event = decide(history, &heard);
	} else {
		wait_in_order(history, &heard);
		event = decide_all(history);
	}
	if (newest(history)->loss)
		newest(history)->length = data_length(newest(history), history->decided);
	return event;
}

bool fdccp_history_wants_first(const struct fdccp_loss_history *history)
{
	const struct fdccp_loss_intervals *intervals = &history->intervals;

	return intervals->count > 1 && !intervals->at[intervals->count - 1].length;
}

void fdccp_history_set_first(struct fdccp_loss_history *history, uint32_t length)
{
	history->intervals.at[history->intervals.count - 1].length = length;
}
