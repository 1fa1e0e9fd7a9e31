/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The congestion loss rate (ElAarag and Hogg, section 4, equations 5 and 6): packets lost to
 * congestion between two random losses, over the time between them. At a random loss the rates
 * are brought up to date; then the two newest tell whether congestion is on the rise.
 */
#ifndef _TCP_IFTPV_LOSS_H
#define _TCP_IFTPV_LOSS_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct iftpv_rate - packets lost to congestion between two random losses
 * @lost: packets
 * @us: time between the two; one beyond U32_MAX (71 minutes) counts as that
 */
struct iftpv_rate {
	u32 lost;
	u32 us;
};

/**
 * struct iftpv_losses - what a flow has lost; all 0 at its beginning but @share
 * @last: when the last random loss was, in us; 0 before the first
 * @current_rate: between it and the one before; no time before the second random loss
 * @previous_rate: between the two before; no time before the third
 * @lost: packets lost to congestion since @last
 * @peak: the longest queue seen (gate.h)
 * @share: of reductions before which there was a stray loss, of 255 (gate.h)
 * @congestion: what is lost now is lost to congestion
 * @stray: a loss since the last reduction came without a full queue (gate.h)
 */
struct iftpv_losses {
	u64 last;
	struct iftpv_rate current_rate;
	struct iftpv_rate previous_rate;
	u32 lost;
	u16 peak;
	u8 share;
	bool congestion:1,
	     stray:1;
};

/**
 * iftpv_losses_count() - packets were found to be lost
 * @l: of the flow
 * @lost: how many
 */
static inline void iftpv_losses_count(struct iftpv_losses *l, u32 lost)
{
	if (l->congestion)
		l->lost += min(lost, U32_MAX - l->lost);
}

/**
 * iftpv_losses_random() - a random loss: bring the rates up to date
 * @l: of the flow
 * @now: in us, not 0
 */
static inline void iftpv_losses_random(struct iftpv_losses *l, u64 now)
{
	if (l->last) {
		l->previous_rate = l->current_rate;
		l->current_rate.lost = l->lost;
		l->current_rate.us = min_t(u64, now - l->last, U32_MAX);
	}
	l->last = now;
	l->lost = 0;
	l->congestion = false;
}

/**
 * iftpv_losses_rising() - is the newest congestion loss rate above the one before?
 * @l: of the flow
 *
 * Multiplied crosswise: a rate over no time at all is above every other, and one that there
 * is not yet (nothing lost in no time) neither above nor below any.
 */
static inline bool iftpv_losses_rising(const struct iftpv_losses *l)
{
	const struct iftpv_rate *new = &l->current_rate;
	const struct iftpv_rate *old = &l->previous_rate;

	return (u64)new->lost * old->us > (u64)old->lost * new->us;
}

#endif /* _TCP_IFTPV_LOSS_H */
