// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copa (Arun, Balakrishnan 2018): the window moves towards the rate 1 / (delta * queue) in
 * packets/s, at an increasing speed while the direction stays the same. Here delta is chosen so
 * that the window settles at the same number of bytes in the queue as with the other rules.
 */
#include "../../../userspace/pace/model.h"

double pace_rule(const struct pace *p, double round)
{
	static double velocity, passed, before;
	static int direction;
	const struct pace_delay *d = &p->delay;
	double queued = p->window * d->standing / (d->base + d->standing);
	double extra = pace_extra(p);
	double step;

	if (p->rate.count == 1)
		velocity = 1, passed = 0, direction = 1, before = p->window;
	passed += round;
	if (passed >= 1) {
		int now = p->window > before ? 1 : -1;

		velocity = now == direction ? 2 * velocity : 1;
		if (velocity > p->window / PACE_PACKET)
			velocity = p->window / PACE_PACKET;
		direction = now;
		before = p->window;
		passed = 0;
	}
	/* the step in a round trip is v / delta packets, at most the window; 1 / delta is
	 * "extra" in packets
	 */
	step = velocity * extra;
	if (step > p->window)
		step = p->window;
	return p->window + (queued <= extra ? round : -round) * step / 2;
}
