// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate: how many bytes lpd may send now.
 *
 * An answer to a probe allows lpd to send as many bytes as left the modem since the previous
 * answer. If lpd sent all these bytes immediately, they would all be between the same two probes,
 * and one answer would again allow all of them. The modem would then be empty for most of a round
 * trip. Therefore the gate releases bytes at one and a half times the rate, in small portions.
 * During the slow start the rate is unknown, and the gate releases the window at once.
 */
#include "model.h"

#define RELEASE		1.5	/* times the rate */
#define DENSE		1.5	/* answers are dense up to this multiple of the target delay apart */
#define STALLED_PROBES	4	/* probe intervals; a probe overdue by more means a stall */

/* Returns the bytes that may be in the modem and on the way. */
static double limit(const struct pace *p, int64_t now)
{
	double rate = p->rate.bytes_per_s, window = p->window;
	double drained = rate * (p->delay.base - p->config.target / 2) / FL_SEC;
	int64_t stalled = (int64_t)(STALLED_PROBES * p->step * pace_spacing(p)) +
			  (rate ? (int64_t)(p->rate.burst * FL_SEC / rate) : 0);

	/* an outage may have begun: packets that are sent now would be stale after the outage */
	if (pace_overdue(p, now) > stalled)
		window = 0;
	if (window < 2 * PACE_PACKET)
		window = 2 * PACE_PACKET;
	/* on a slow link, even two packets would be a queue */
	if (now < p->drain_until && window > drained)
		window = drained > 0 ? drained : 0;
	return window + rate * p->delay.back / FL_SEC;
}

static double release_rate(const struct pace *p)
{
	return (p->state == PACE_DEAF ? 1 : RELEASE) * p->rate.bytes_per_s;
}

/* Returns the credit at the time @now, if lpd has sent nothing since its last count. */
static double credit(const struct pace *p, int64_t now)
{
	return p->credit + release_rate(p) * (now - p->credit_at) / FL_SEC;
}

/* Returns the credit that @sent bytes leave for later, at most the bytes that the gate releases
 * until the gate is set again.
 */
static double unused(const struct pace *p, int64_t now, uint64_t sent)
{
	double left = credit(p, now) - sent;
	double most = release_rate(p) * (pace_next_gate(p, now) - now) / FL_SEC;

	return left < most ? left : most;
}

void pace_saw(struct pace *p, int64_t now, uint64_t bytes, uint32_t backlog)
{
	/* a new lpd counts from 0 */
	uint64_t sent = p->sent && bytes >= p->sent ? bytes - p->sent : 0;

	p->credit = p->started ? unused(p, now, sent) : 0;
	p->credit_at = now;
	p->sent = bytes;
	if (backlog ||
	    sent > (uint64_t)(p->probes - p->probes_seen) * p->config.probe_bytes)
		p->payload_at = now;
	p->probes_seen = p->probes;
}

uint64_t pace_gate(struct pace *p, int64_t now, uint64_t acked)
{
	double bytes, most;

	if (p->state == PACE_UNKNOWN || p->state == PACE_OPEN)
		return UINT64_MAX;
	bytes = (double)p->sent - acked + credit(p, now);
	most = limit(p, now);
	if (p->state != PACE_DEAF && (bytes > most || !p->started))
		bytes = most;
	return bytes > 0 ? bytes : 0;
}

/* The expected delay in the modem. A packet that lpd discards too early is lost, and a packet that
 * arrives too late takes the place of the next packet. While answers are dense, the newest queue
 * plus a third is close to the queue that the packet meets. Between sparse answers the queue can
 * grow unseen, so the longest queue of the last answers plus a quarter is used. The unacknowledged
 * bytes limit the estimate, because after an outage the answers are late although the modem is
 * empty.
 */
int64_t pace_transit(const struct pace *p, uint64_t unacked)
{
	double rate = p->rate.bytes_per_s;
	double most = rate ? 3.0 * unacked * FL_SEC / rate : 0;
	bool dense = p->step * pace_spacing(p) <= DENSE * p->config.target;
	double queue = dense ? p->delay.queue * 4 / 3.0 : p->delay.peak * 5 / 4.0;

	return p->delay.base / 2 + (int64_t)(queue < most ? queue : most);
}
