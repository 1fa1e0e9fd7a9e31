// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The window: the bytes that may be in the modem and on the way. The rule in rule.c changes the
 * window. This file keeps the window within bounds, and sometimes drains the queue to measure the
 * least delay.
 */
#include "model.h"

#define EXTRA_LEAST	(2 * PACE_PACKET)
#define EXTRA_FEW	(4 * PACE_PACKET)	/* limited to the bytes of EXTRA_TIME */
#define EXTRA_TIME	(100 * FL_MS)
#define BURST_SHARE	0.3			/* share of a burst that the window covers */
#define MOST		1.5			/* times the window for the estimated rate */
#define MOST_LEAST	(20 * PACE_PACKET)
#define DRAIN_TIME	(80 * (int64_t)FL_MS)	/* in addition to a round trip */
#define DRAIN_AFTER	(2500 * (int64_t)FL_MS)	/* time in which all probes found a queue */

/* Returns the queueing delay that a full window allows: the target, and the time until the next
 * answer.
 */
static int64_t allowed(const struct pace *p)
{
	return p->config.target + pace_spacing(p);
}

bool pace_is_late(const struct pace *p)
{
	return p->delay.standing > allowed(p) + p->config.target / 2;
}

/* On a slow link, the extra bytes are a few packets, although these exceed the allowed queue. */
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

/* Limits the window that the rule has computed, whatever the answers report. */
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
	int64_t emptying = p->delay.standing + pace_spacing(p);

	if (p->delay.clock - p->delay.touched < DRAIN_AFTER)
		return;
	p->delay.touched = p->delay.clock;
	p->drain_until = a->heard + p->delay.base +
			 (emptying > DRAIN_TIME ? emptying : DRAIN_TIME);
}

/* Doubles the window in a round trip, as in TCP (RFC 5681, section 3.1), until a probe finds that
 * the window lasts for half a round trip, as in HyStart (Ha and Rhee 2008). The window grows only
 * while lpd has packets (RFC 7661).
 */
static void start(struct pace *p, const struct pace_answer *a,
		  const struct pace_answer *last)
{
	const struct pace_delay *d = &p->delay;

	p->started = p->rate.known && d->queue > p->config.target &&
		     d->queue > d->base / 2;
	if (p->started)
		p->window = p->window * d->base / (d->base + d->queue) +
			    pace_extra(p);
	else if (!p->rate.limited)
		p->window += a->bytes - last->bytes;
}

void pace_window_adapt(struct pace *p, const struct pace_answer *a,
		       const struct pace_answer *last)
{
	double round = (double)(a->heard - last->heard) / (a->heard - a->sent);

	/* while lpd was empty, the window did not limit the rate */
	if (!p->started)
		start(p, a, last);
	else if (!p->rate.limited || pace_is_late(p))
		p->window = pace_rule(p, round < 1 ? round : 1);
	p->window = bound(p, p->window);
	drain(p, a);
}
