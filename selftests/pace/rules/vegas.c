// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP Vegas (Brakmo, O'Malley, Peterson 1994): in a round trip the window grows or shrinks by one
 * packet, depending on the bytes that wait in the queue. In slow start, until more than
 * pace_extra() bytes wait in the queue for the first time, the window grows by half in each round
 * trip.
 */
#include "../../../userspace/pace/model.h"

double pace_rule(const struct pace *p, double round)
{
	static const struct pace *slow_start;
	const struct pace_delay *d = &p->delay;
	double waiting = p->window * d->standing / (d->base + d->standing);
	double extra = pace_extra(p);

	if (p->rate.count == 1)
		slow_start = p;
	if (waiting > extra)
		slow_start = NULL;
	if (slow_start == p)
		return p->window * (1 + round / 2);
	if (waiting < extra / 2)
		return p->window + round * PACE_PACKET;
	return waiting > extra ? p->window - round * PACE_PACKET : p->window;
}
