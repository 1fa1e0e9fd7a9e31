// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least delay of a link, and the delay in queues.
 *
 * The least delay is the minimum over the last 4 s during which answers arrived. The time of an
 * outage is not part of these 4 s, because after an outage all delays are long for a while. A
 * minimum over 10 s, as in BBR, would be too slow after a handover.
 *
 * The reflector's times distinguish a queue on the way to the reflector from a queue on the way
 * back. Only changes of a one-way delay are used, so the two clocks need not agree. The reflector's
 * clock may step, or the reflector may lie. Therefore these times are used only if they agree with
 * our own clock. Neither queue is estimated longer than the increase of the round-trip delay, which
 * our own clock measures.
 */
#include "model.h"

#define PART		(500 * (int64_t)FL_MS)	/* time that one floor covers */
#define GAP_MAX		(100 * (int64_t)FL_MS)	/* most time between answers that @clock counts */
#define NO_QUEUE	(5 * (int64_t)FL_MS)	/* jitter of a link without a queue */
#define HALF		(40 * (int64_t)FL_MS)	/* least duration of a half round trip */

static const struct pace_floor unknown = { INT64_MAX, INT64_MAX };

static int64_t shorter(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void pace_delay_init(struct pace_delay *d)
{
	*d = (struct pace_delay){ .standing = INT64_MAX, .low = INT64_MAX };
	for (int i = 0; i < PACE_FLOORS; i++)
		d->floors[i] = unknown;
}

static struct pace_floor least(const struct pace_delay *d)
{
	struct pace_floor floor = unknown;

	for (int i = 0; i < PACE_FLOORS; i++) {
		floor.both = shorter(floor.both, d->floors[i].both);
		floor.forward = shorter(floor.forward, d->floors[i].forward);
	}
	return floor;
}

/* Adds the time since the last answer to the time with answers. */
static void advance(struct pace_delay *d, const struct pace_answer *a,
		    const struct pace_answer *last)
{
	if (last)
		d->clock += shorter(a->heard - last->heard, GAP_MAX);
	if (d->clock - d->turned < PART)
		return;
	d->turned = d->clock;
	d->floor = (d->floor + 1) % PACE_FLOORS;
	d->floors[d->floor] = unknown;
}

/* Updates the least and the greatest queue in the present and the previous half round trip. */
static void take_range(struct pace_delay *d, int64_t now)
{
	int64_t half = d->base / 2 > HALF ? d->base / 2 : HALF;

	if (now - d->half_from >= half) {
		d->standing = d->low;
		d->peak = d->high;
		d->low = d->high = d->queue;
		d->half_from = now;
	}
	d->low = shorter(d->low, d->queue);
	d->high = longer(d->high, d->queue);
	d->standing = shorter(d->standing, d->low);
	d->peak = longer(d->peak, d->high);
}

/* Returns the delay on the way to the reflector beyond its least value, or INT64_MAX if unknown. */
static int64_t take_forward(struct pace_delay *d, const struct pace_answer *a,
			    bool is_plausible)
{
	int64_t forward = a->reached - a->sent;
	int64_t *part = &d->floors[d->floor].forward;

	if (!is_plausible) {
		for (int i = 0; i < PACE_FLOORS; i++)
			d->floors[i].forward = INT64_MAX;
		return INT64_MAX;
	}
	*part = shorter(*part, forward);
	return forward - least(d).forward;
}

void pace_delay_take(struct pace_delay *d, const struct pace_answer *a,
		     const struct pace_answer *last, bool is_plausible)
{
	int64_t both = a->heard - a->sent;
	struct pace_floor *part, floor;

	advance(d, a, last);
	part = &d->floors[d->floor];
	part->both = shorter(part->both, both);
	floor = least(d);
	d->base = floor.both;
	d->queue = shorter(both - floor.both,
			   take_forward(d, a, is_plausible));
	d->back = both - floor.both - d->queue;
	if (d->queue < NO_QUEUE)
		d->touched = d->clock;
	take_range(d, a->heard);
}
