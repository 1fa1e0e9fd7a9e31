// SPDX-License-Identifier: GPL-2.0-or-later
/* The loss event rate from loss intervals. */
#include <string.h>

#include "loss_interval.h"

/* a discount never falls below this: RFC 5348 section 5.5 */
#define THRESHOLD	0.25

static const double weights[FDCCP_INTERVALS - 1] = { 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 };

/**
 * struct sums - of a weighted average
 * @packets: the weighted lengths
 * @weight: the weights
 */
struct sums {
	double packets, weight;
};

static void add(struct sums *sums, const struct fdccp_loss_interval *interval, double weight)
{
	sums->packets += weight * interval->length;
	sums->weight += weight;
}

/* I_1 to I_n, each with the weight of its left neighbour: without the current interval. */
static struct sums closed(const struct fdccp_loss_intervals *intervals)
{
	struct sums sums = { 0 };

	for (unsigned int i = 1; i < intervals->count; i++)
		add(&sums, &intervals->at[i], weights[i - 1] * intervals->at[i].discount);
	return sums;
}

/* DF of RFC 5348 section 5.5: below 1 when the current interval is far longer than the others. */
static double discount(const struct fdccp_loss_intervals *intervals)
{
	struct sums old = closed(intervals);
	double current = intervals->at[0].length, twice;

	if (old.packets == 0)
		return 1;
	twice = 2 * old.packets / old.weight;
	if (current <= twice)
		return 1;
	return twice / current > THRESHOLD ? twice / current : THRESHOLD;
}

/* I_0 to I_n-1: with the current interval and without the oldest. */
static struct sums current(const struct fdccp_loss_intervals *intervals)
{
	double general = discount(intervals);
	struct sums sums = { 0 };

	add(&sums, &intervals->at[0], weights[0]);
	for (unsigned int i = 1; i + 1 < intervals->count; i++)
		add(&sums, &intervals->at[i], weights[i] * intervals->at[i].discount * general);
	return sums;
}

void fdccp_intervals_push(struct fdccp_loss_intervals *intervals, uint64_t start, uint32_t loss)
{
	double general = discount(intervals);

	/* I_0 is not discounted by its own length: DF_0 is 1 */
	for (unsigned int i = 1; i < intervals->count; i++)
		intervals->at[i].discount *= general;
	if (intervals->count < FDCCP_INTERVALS)
		intervals->count++;
	memmove(&intervals->at[1], &intervals->at[0],
		(intervals->count - 1) * sizeof(intervals->at[0]));
	intervals->at[0] = (struct fdccp_loss_interval){
		.start = start, .loss = loss, .length = 1, .discount = 1,
	};
}

double fdccp_intervals_mean(const struct fdccp_loss_intervals *intervals)
{
	struct sums with, without;
	double a, b;

	if (!intervals->count || !intervals->at[0].loss)
		return 0;
	with = current(intervals);
	without = closed(intervals);
	a = with.packets / with.weight;
	b = without.weight > 0 ? without.packets / without.weight : 0;
	a = a > b ? a : b;
	return a > 1 ? a : 1;
}
