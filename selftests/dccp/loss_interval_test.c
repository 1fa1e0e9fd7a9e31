// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The receiver's loss history finds the loss events of RFC 4342 section 10.2 and the average loss
 * interval of RFC 5348 sections 5.4 and 5.5. A naive model computes both from the whole sequence of
 * packets, by the words of the RFCs. Losses, marks and packets without data are drawn by a seed,
 * which is printed and can be given as the first argument. Prints TAP.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/dccp/loss_history.c"
#include "../../userspace/dccp/loss_interval.c"
#include "../codec/unit.h"

#define PACKETS		3000
#define ROUNDS		300
#define FIRST_SEQ	(FDCCP_SEQ_MASK - 1000)	/* numbers wrap in each round */
#define FIRST_LENGTH	40

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % below;
}

/* A packet as it was sent; @bad: a data packet that the receiver takes for lost or marked. */
struct sent {
	bool data, lost, marked, bad;
	int64_t ndp;
	uint8_t counter;	/* of the last data packet that was received, up to this one */
};

struct event {
	int first, last;
};

static struct sent packets[PACKETS];
static struct event events[PACKETS];
static int event_count;

/* Loss probability and speed of the window counter differ from round to round. */
static void draw_packets(void)
{
	unsigned int loss = 1 + draw(100), step = 1 + draw(40), other = draw(3) * 200;
	uint8_t counter = 0;
	int64_t ndp = 0;

	for (int i = 0; i < PACKETS; i++) {
		struct sent *p = &packets[i];

		if (!draw(step))
			counter += draw(6);
		*p = (struct sent){
			.data = draw(1000) >= other, .lost = draw(1000) < loss,
			.marked = draw(1000) < loss / 2, .ndp = ndp, .counter = counter % 16,
		};
		ndp = p->data ? 0 : ndp + 1;
	}
	/* the first packet and the last three decide about nothing */
	packets[0].lost = packets[0].marked = false;
	packets[0].data = true;
	for (int i = PACKETS - FDCCP_NDUPACK; i < PACKETS; i++)
		packets[i].lost = packets[i].marked = false;
}

/* What the receiver takes for bad: NDP Count of the next received packet tells of lost packets
 * without data. A packet without data has the counter of the data packet before it.
 */
static void judge(void)
{
	uint8_t counter = 0;
	int64_t ndp = 0;

	for (int i = PACKETS - 1; i >= 0; i--) {
		struct sent *p = &packets[i];

		p->bad = p->lost ? ndp <= 0 : p->data && p->marked;
		ndp = p->lost ? ndp - 1 : p->ndp;
	}
	for (int i = 0; i < PACKETS; i++) {
		if (packets[i].data && !packets[i].lost)
			counter = packets[i].counter;
		else
			packets[i].counter = counter;
	}
}

static int received_before(int i)
{
	while (packets[--i].lost)
		;
	return i;
}

/* RFC 4342 section 10.2 */
static bool different_events(int x, int y)
{
	int x_prev = received_before(x), y_prev = received_before(y);

	for (int s = x_prev + 1; s <= y_prev; s++)
		if (!packets[s].lost && ((packets[s].counter - packets[x_prev].counter) & 15) > 4)
			return true;
	return false;
}

static void find_events(void)
{
	event_count = 0;
	for (int i = 1; i < PACKETS; i++) {
		if (!packets[i].bad)
			continue;
		if (!event_count || different_events(events[event_count - 1].first, i))
			events[event_count++].first = i;
		events[event_count - 1].last = i;
	}
}

/* Data packets from @first to the one before @end, as the receiver sees them. */
static uint32_t data_between(int first, int end)
{
	uint32_t count = 0;

	for (int i = first; i < end; i++)
		count += packets[i].lost ? packets[i].bad : packets[i].data;
	return count ? count : 1;
}

/* RFC 5348 section 5.5, with n = 8 and the intervals I[0] to I[k] */
static double naive_mean(void)
{
	static const double w[] = { 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 };
	double I[9] = { FIRST_LENGTH }, general, tot0, W0, tot1, W1;
	float DF[9] = { 1 };	/* as the history keeps it */
	int k = 0;

	for (int e = 0; e < event_count; e++) {
		int end = e + 1 < event_count ? events[e + 1].first : PACKETS;

		general = 1;
		tot1 = W1 = 0;
		for (int i = 1; i <= k; i++) {
			tot1 += I[i] * w[i - 1] * DF[i];
			W1 += w[i - 1] * DF[i];
		}
		if (k && I[0] > 2 * tot1 / W1)
			general = fmax(2 * (tot1 / W1) / I[0], 0.25);
		if (k < 8)
			k++;
		for (int i = k; i > 0; i--) {
			I[i] = I[i - 1];
			DF[i] = i > 1 ? DF[i - 1] * general : 1;
		}
		I[0] = data_between(events[e].first, end);
	}
	tot1 = W1 = 0;
	for (int i = 1; i <= k; i++) {
		tot1 += I[i] * w[i - 1] * DF[i];
		W1 += w[i - 1] * DF[i];
	}
	general = I[0] > 2 * tot1 / W1 ? fmax(2 * (tot1 / W1) / I[0], 0.25) : 1;
	tot0 = I[0];
	W0 = 1;
	for (int i = 1; i < k; i++) {
		tot0 += I[i] * w[i] * DF[i] * general;
		W0 += w[i] * DF[i] * general;
	}
	return fmax(tot0 / W0, tot1 / W1);
}

static bool hear(struct fdccp_loss_history *history, int i, int *found)
{
	struct fdccp_rx_packet packet = {
		.seq = fdccp_seq_add(FIRST_SEQ, i), .ndp = packets[i].ndp ? packets[i].ndp : -1,
		.ccval = packets[i].data ? packets[i].counter : draw(16),
		.data = packets[i].data, .marked = packets[i].marked,
	};

	if (packets[i].lost)
		return true;
	*found += fdccp_history_add(history, &packet);
	if (fdccp_history_wants_first(history)) {
		MUST(history->intervals.at[0].loss);
		fdccp_history_set_first(history, FIRST_LENGTH);
	}
	return true;
}

static bool agrees(const struct fdccp_loss_history *history)
{
	unsigned int count = event_count + 1 < FDCCP_INTERVALS ? event_count + 1 : FDCCP_INTERVALS;
	double mean = fdccp_intervals_mean(&history->intervals);

	MUST(history->decided == fdccp_seq_add(FIRST_SEQ, PACKETS - 1));
	MUST(history->intervals.count == count);
	for (unsigned int i = 0; i < count && (int)i < event_count; i++) {
		const struct fdccp_loss_interval *interval = &history->intervals.at[i];
		const struct event *event = &events[event_count - 1 - i];
		int end = i ? events[event_count - i].first : PACKETS;

		MUST(interval->start == fdccp_seq_add(FIRST_SEQ, event->first));
		MUST(interval->loss == (uint32_t)(event->last - event->first + 1));
		MUST(interval->length == data_between(event->first, end));
	}
	MUST(event_count ? fabs(mean - naive_mean()) < 1e-9 * mean : mean == 0);
	return true;
}

/* Events, lengths and the average are those of the naive model. */
static bool as_the_model(void)
{
	int total = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct fdccp_loss_history history = { 0 };
		int found = 0, adds = 0;

		draw_packets();
		judge();
		find_events();
		for (int i = 0; i < PACKETS; i++, adds++)
			MUST(hear(&history, i, &found));
		MUST(agrees(&history));
		/* one arrival can end the wait for two events */
		MUST(found <= event_count && found >= event_count / 2);
		total += found;
	}
	MUST(total > ROUNDS);
	return true;
}

/* Neighbours that change places are no loss. */
static bool reordered(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct fdccp_loss_history history = { 0 };
		int found = 0;

		draw_packets();
		for (int i = 0; i < PACKETS; i++)
			packets[i].marked = false;
		judge();
		find_events();
		for (int i = 0; i < PACKETS; i++) {
			bool swap = i && i + 1 < PACKETS && draw(5) == 0;

			MUST(hear(&history, i + swap, &found));
			if (swap)
				MUST(hear(&history, i++, &found));
		}
		MUST(agrees(&history));
	}
	return true;
}

static bool heard(struct fdccp_loss_history *history, uint64_t seq, uint8_t counter, bool marked)
{
	struct fdccp_rx_packet packet = {
		.seq = seq, .ndp = -1, .ccval = counter, .data = true, .marked = marked,
	};

	return fdccp_history_add(history, &packet);
}

/* A missing packet is lost with the third packet after it, not before, and late is lost. */
static bool third_packet(void)
{
	struct fdccp_loss_history history = { 0 };

	MUST(!heard(&history, 10, 0, false) && !heard(&history, 12, 0, false));
	MUST(!heard(&history, 13, 0, false) && history.decided == 10);
	MUST(heard(&history, 14, 0, false) && history.decided == 14);
	MUST(history.intervals.at[0].start == 11 && history.intervals.at[0].length == 4);
	MUST(!heard(&history, 11, 0, false) && history.intervals.at[0].start == 11);
	return true;
}

/* A mark counts at once, together with what is missing before it (RFC 5348 section 5.1). */
static bool mark(void)
{
	struct fdccp_loss_history history = { 0 };

	MUST(!heard(&history, 10, 0, false) && !heard(&history, 12, 0, false));
	MUST(heard(&history, 13, 0, true));
	MUST(history.intervals.at[0].start == 11 && history.intervals.at[0].loss == 3);
	MUST(!heard(&history, 14, 4, true) && history.intervals.at[0].loss == 4);
	/* packet 14 is within four quarters, 15 is not, so that 16 is another event */
	MUST(!heard(&history, 15, 5, true) && history.intervals.at[0].loss == 5);
	MUST(heard(&history, 16, 5, true));
	MUST(history.intervals.at[0].start == 16 && history.intervals.at[0].length == 1);
	MUST(history.intervals.at[1].length == 5);
	return true;
}

int main(int argc, char **argv)
{
	static const struct unit tests[] = {
		{ "events, intervals and average are those of a naive model", as_the_model },
		{ "reordered neighbours are no loss", reordered },
		{ "the third later packet shows a loss", third_packet },
		{ "a mark is a loss event at once", mark },
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	printf("# seed %llu\n", (unsigned long long)seed);
	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
