// SPDX-License-Identifier: GPL-2.0
/* The arithmetic of a gate: see gate.h. */

#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/time64.h>
#include "gate.h"

/* lpd uses a new rate at most once in this time, because a new rate makes lpd compute all keys
 * again.
 */
#define LPD_RATE_PAUSE	NSEC_PER_SEC

/**
 * lpd_gate_begin() - make an open gate without a window
 * @g: the gate; its times of closure and of the last new rate are kept
 * @sent: bytes that lpd has sent
 */
void lpd_gate_begin(struct lpd_gate *g, u64 sent)
{
	g->acked = sent;
	g->until = U64_MAX;
	g->noted = 0;
}

/**
 * lpd_gate_note() - note a probe that leaves
 * @g: the gate
 * @id: number of the probe
 * @sent: bytes that lpd has sent, which includes the probe
 * @now: monotonic time in ns
 * @idle: whether lpd could have sent more packets since the previous probe
 */
void lpd_gate_note(struct lpd_gate *g, u32 id, u64 sent, s64 now, bool idle)
{
	g->probe[g->noted++ % LPD_PROBES_NOTED] = (struct lpd_probe){
		.bytes = sent,
		.time = now,
		.id = id,
		.idle = idle,
	};
}

/**
 * lpd_gate_find() - find a probe that has left
 * @g: the gate
 * @id: number of the probe
 *
 * Return: the newest noted probe with this number, or NULL
 */
const struct lpd_probe *lpd_gate_find(const struct lpd_gate *g, u32 id)
{
	u32 known = min_t(u64, g->noted, LPD_PROBES_NOTED), i;
	const struct lpd_probe *p;

	for (i = 1; i <= known; i++) {
		p = &g->probe[(g->noted - i) % LPD_PROBES_NOTED];
		if (p->id == id)
			return p;
	}
	return NULL;
}

/**
 * lpd_gate_set() - set the window
 * @g: the gate
 * @window: bytes
 * @answered: a probe that was answered, or NULL; an answer to a probe that is older than the newest
 *	acknowledged probe acknowledges nothing new
 */
void lpd_gate_set(struct lpd_gate *g, u64 window, const struct lpd_probe *answered)
{
	if (answered)
		g->acked = max(g->acked, answered->bytes);
	g->window = window;
	if (check_add_overflow(g->acked, window, &g->until))
		g->until = U64_MAX;
}

/**
 * lpd_gate_differs() - decide whether a new rate is worth new keys
 * @used: the rate that lpd uses, bytes/s, 0 for unlimited
 * @rate: the new rate, bytes/s
 *
 * Return: whether the rates differ by at least a quarter of @used
 */
bool lpd_gate_differs(u64 used, u64 rate)
{
	u64 difference = rate > used ? rate - used : used - rate;
	u64 quarter = used / 4 + (used % 4 > 0);

	return difference && difference >= quarter;
}

/**
 * lpd_gate_rates() - decide whether lpd uses a new rate
 * @g: the gate
 * @used: the rate that lpd uses, bytes/s, 0 for unlimited
 * @rate: the new rate, bytes/s
 * @now: monotonic time in ns
 *
 * Return: whether the rates differ by at least a quarter of @used and the last new rate is
 * old enough; the caller then uses @rate
 */
bool lpd_gate_rates(struct lpd_gate *g, u64 used, u64 rate, s64 now)
{
	if (!lpd_gate_differs(used, rate) ||
	    (g->rated && now - g->rated < LPD_RATE_PAUSE))
		return false;
	g->rated = now;
	return true;
}

/**
 * lpd_gate_hold() - note that the gate holds packets back
 * @g: the gate
 * @now: monotonic time in ns
 */
void lpd_gate_hold(struct lpd_gate *g, s64 now)
{
	if (g->closed)
		return;
	g->closed = true;
	g->closed_at = now;
}

/**
 * lpd_gate_let_go() - release packets if the window allows the next packet
 * @g: the gate
 * @sent: bytes that lpd has sent
 * @now: monotonic time in ns
 *
 * Return: whether the gate held packets back until now
 */
bool lpd_gate_let_go(struct lpd_gate *g, u64 sent, s64 now)
{
	if (!g->closed || sent > g->until)
		return false;
	g->closed_ns = lpd_gate_closed_ns(g, now);
	g->closed = false;
	return true;
}

/**
 * lpd_gate_closed_ns() - compute how long the gate has held packets back
 * @g: the gate
 * @now: monotonic time in ns
 *
 * Return: ns
 */
u64 lpd_gate_closed_ns(const struct lpd_gate *g, s64 now)
{
	return g->closed_ns + (g->closed ? now - g->closed_at : 0);
}
