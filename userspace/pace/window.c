// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The window: the bytes that may be in the modem and on the way. The window changes by the rule in
 * rule.c. This file has the bounds of the window, and the drain that shows the least delay.
 */
#include "model.h"

#define EXTRA_LEAST	(2 * PACE_PACKET)
#define EXTRA_FEW	(4 * PACE_PACKET)	/* if they take at most EXTRA_TIME */
#define EXTRA_TIME	(100 * FL_MS)
#define BURST_SHARE	0.3			/* of a burst that is covered */
#define MOST		1.5			/* times the bytes for the estimated rate */
#define MOST_LEAST	(20 * PACE_PACKET)
#define DRAIN_TIME	(80 * (int64_t)FL_MS)	/* beyond a round trip */
#define DRAIN_AFTER	(2500 * (int64_t)FL_MS)	/* without a probe that found no queue */

/* The queue that belongs to a full window: the target, and the bytes until the next answer. */
static int64_t allowed(const struct pace *p)
{
	return p->config.target + pace_spacing(p);
}

bool pace_is_late(const struct pace *p)
{
	return p->delay.standing > allowed(p) + p->config.target / 2;
}

/* On a slow link a few packets are more than the allowed queue. */
double pace_extra(const struct pace *p)
{
	double rate = p->rate.bytes_per_s;
	double few = rate * EXTRA_TIME / FL_SEC;
	double bytes = rate * allowed(p) / FL_SEC;

	if (few > EXTRA_FEW)
		few = EXTRA_FEW;
	if (bytes < few)
		bytes = few;
	if (bytes < EXTRA_LEAST)
		bytes = EXTRA_LEAST;
	return bytes + BURST_SHARE * p->rate.burst;
}

/* The rule must not leave these bounds, whatever the answers say. */
static double bound(const struct pace *p, double window)
{
	double most = MOST * p->rate.bytes_per_s *
		      (p->delay.base + allowed(p)) / FL_SEC;

	if (most < MOST_LEAST)
		most = MOST_LEAST;
	if (window > most)
		return most;
	return window < 2 * PACE_PACKET ? 2 * PACE_PACKET : window;
}

/* If the window is always full, no probe finds the link without a queue. Then the least delay can
 * only be seen after the queue has drained.
 */
static void drain(struct pace *p, const struct pace_answer *a)
{
	if (p->delay.clock - p->delay.touched < DRAIN_AFTER)
		return;
	p->delay.touched = p->delay.clock;
	p->drain_until = a->heard + p->delay.base + DRAIN_TIME;
}

void pace_window_adapt(struct pace *p, const struct pace_answer *a,
		       const struct pace_answer *last)
{
	double round = (double)(a->heard - last->heard) / (a->heard - a->sent);

	/* while lpd was empty, the window was not the limit */
	if (!p->rate.limited || pace_is_late(p))
		p->window = pace_rule(p, round < 1 ? round : 1);
	p->window = bound(p, p->window);
	drain(p, a);
}
