// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When to send a probe, and how to interpret missing answers.
 *
 * If no answers arrive, either the link has an outage or the reflector has failed. In an outage no
 * packets arrive at all. During an outage the gate stays closed, because packets in the modem would
 * be stale when the link works again.
 */
#include "model.h"

#define SLOW		(250 * (int64_t)FL_MS)	/* 4 probes a second */
#define IDLE		(5 * (int64_t)FL_SEC)
#define LATELY		(1 * (int64_t)FL_SEC)
#define SHARE		0.05	/* share of the rate that probes may use */
#define OVERDUE		10	/* least number of unanswered probes that counts as silence */
#define LOOK		(50 * (int64_t)FL_MS)	/* time between two checks for new packets */
#define PORTION		(20 * (int64_t)FL_MS)	/* time between two releases of bytes */
#define OTHERS		3	/* seconds with other packets, after which there is no outage */

/* During the slow start the rate is unknown, but lpd can send a window in a round trip. */
static double rate_of_sending(const struct pace *p)
{
	double rate = p->rate.bytes_per_s;

	if (!p->started && p->delay.base && rate < p->window * FL_SEC / p->delay.base)
		rate = p->window * FL_SEC / p->delay.base;
	return rate;
}

int64_t pace_spacing(const struct pace *p)
{
	double rate = rate_of_sending(p);
	double least = p->config.probe_bytes * FL_SEC / SHARE;

	if (least > rate * SLOW)
		return SLOW;
	least /= rate;
	return least > p->config.interval ? (int64_t)least : p->config.interval;
}

bool pace_is_busy(const struct pace *p, int64_t now)
{
	return now - p->payload_at <= LATELY;
}

int64_t pace_next_probe(const struct pace *p, int64_t now)
{
	int64_t wait = SLOW;

	if (!p->probes)
		return now;
	if (p->state == PACE_RUNNING)
		wait = pace_is_busy(p, now) ? pace_spacing(p) : IDLE;
	return p->probed[(p->probes - 1) % PACE_PROBES] + wait;
}

int64_t pace_next_gate(const struct pace *p, int64_t now)
{
	return now + (pace_is_busy(p, now) ? PORTION : LOOK);
}

uint32_t pace_probed(struct pace *p, int64_t now)
{
	p->probed[p->probes % PACE_PROBES] = now;
	return p->probes++;
}

int64_t pace_overdue(const struct pace *p, int64_t now)
{
	uint32_t waiting = p->probes - p->answered;
	uint32_t oldest = waiting < PACE_PROBES ? p->answered :
						  p->probes - PACE_PROBES;

	if (!waiting)
		return INT64_MIN;
	return now - p->probed[oldest % PACE_PROBES] - p->delay.base -
	       p->delay.standing - p->delay.back;
}

void pace_watch(struct pace *p, int64_t now)
{
	if (p->state == PACE_RUNNING && p->probes - p->answered >= OVERDUE &&
	    pace_overdue(p, now) >= OVERDUE * pace_spacing(p)) {
		p->state = PACE_OUTAGE;
		p->silent_at = now;
		p->others = 0;
	}
	if ((p->state == PACE_OUTAGE || p->state == PACE_DEAF) &&
	    now - p->silent_at >= p->config.give_up)
		p->state = PACE_OPEN;
}

void pace_overheard(struct pace *p, int64_t now)
{
	bool follows = p->others && now - p->others_at < 2 * (int64_t)FL_SEC;

	if (p->state != PACE_OUTAGE ||
	    (p->others && now - p->others_at < (int64_t)FL_SEC))
		return;
	p->others = follows ? p->others + 1 : 1;
	p->others_at = now;
	if (p->others >= OTHERS)
		p->state = PACE_DEAF;
}
