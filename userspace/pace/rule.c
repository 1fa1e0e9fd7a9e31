// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rule that adapts the window, as in FAST TCP (Wei, Jin, Low, Hegde 2006), the form of TCP
 * Vegas for fast links. In a round trip the window w becomes
 *
 *   w' = w * base / (base + queue) + extra
 *
 * Without a queue the window grows by extra bytes. On a busy link the window settles at rate *
 * base + extra. While answers stay late, the window shrinks in proportion to their delay. The
 * window can therefore follow even a rate that falls to a tenth. A maximum over a time interval
 * could not follow it.
 *
 * "selftests/pace/compare TRACE..." compares this rule with others.
 */
#include "model.h"

#define RISE	1.25	/* least growth in a round trip without a queue */

double pace_rule(const struct pace *p, double round)
{
	const struct pace_delay *d = &p->delay;
	double next = p->window * d->base / (d->base + d->standing) +
		      pace_extra(p);

	if (!p->rate.limited && d->queue < p->config.target / 4 &&
	    next < RISE * p->window)
		next = RISE * p->window;
	return p->window + round * (next - p->window);
}
