/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether there is evidence that losses here are random. What is lost to congestion is lost while
 * a queue is full, however short it is, and however few packets of it are this flow's. Random
 * losses come at any time. So it counts whether, from one reduction of the window to the next,
 * while the queue grew, there was a loss without a full queue: a stray one.
 *
 *	share += (1 - share) / 8	at the first stray loss since a reduction
 *	share -= share / 8		at a reduction, if there was none
 *
 * Not each loss counts: where they are many, those that come while the queue is long follow on
 * each other, and would outweigh the stray ones before them.
 */
#ifndef _TCP_IFTPV_GATE_H
#define _TCP_IFTPV_GATE_H

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include "loss.h"

#define IFTPV_QUEUE_SHIFT	16	/* queues are parts of a round trip, in 1/65536 */
#define IFTPV_QUEUE_LEAST	BIT(IFTPV_QUEUE_SHIFT - 4)	/* a shorter one is none */
#define IFTPV_GATE_GAIN		8
#define IFTPV_GATE_SHARE	102	/* of 255, 2/5: more is evidence */

/**
 * iftpv_gate_queue() - how long the queue is
 * @actual: smoothed round-trip time in us
 * @base: round-trip time of the path without queues in us, 0 if it is not known
 *
 * Return: the part of a round trip that is spent there, which is that of a window as well
 */
static inline u16 iftpv_gate_queue(u32 actual, u32 base)
{
	if (!base)
		return U16_MAX;
	if (actual <= base)
		return 0;
	return div_u64((u64)(actual - base) << IFTPV_QUEUE_SHIFT, actual);
}

/**
 * iftpv_gate_init() - a flow begins; its first loss decides
 * @l: of the flow
 */
static inline void iftpv_gate_init(struct iftpv_losses *l)
{
	l->share = IFTPV_GATE_SHARE;
}

/**
 * iftpv_gate_see() - there is a queue
 * @l: of the flow
 * @queue: iftpv_gate_queue()
 */
static inline void iftpv_gate_see(struct iftpv_losses *l, u16 queue)
{
	l->peak = max(l->peak, queue);
}

/**
 * iftpv_gate_is_full() - is a queue about as long as it gets?
 * @l: of the flow
 * @queue: iftpv_gate_queue()
 */
static inline bool iftpv_gate_is_full(const struct iftpv_losses *l, u16 queue)
{
	return queue >= IFTPV_QUEUE_LEAST && queue > l->peak / 2;
}

/**
 * iftpv_gate_stray() - a loss without a full queue
 * @l: of the flow
 */
static inline void iftpv_gate_stray(struct iftpv_losses *l)
{
	if (!l->stray)
		l->share += (U8_MAX - l->share) / IFTPV_GATE_GAIN;
	l->stray = true;
}

/**
 * iftpv_gate_reduced() - the window is reduced
 * @l: of the flow
 * @queue: iftpv_gate_queue(); to which the longest one comes nearer by 1/8
 */
static inline void iftpv_gate_reduced(struct iftpv_losses *l, u16 queue)
{
	if (!l->stray)
		l->share -= l->share / IFTPV_GATE_GAIN;
	l->stray = false;
	l->peak -= (l->peak - min(l->peak, queue)) / IFTPV_GATE_GAIN;
}

/**
 * iftpv_gate_is_open() - is there evidence that losses are random?
 * @l: of the flow
 */
static inline bool iftpv_gate_is_open(const struct iftpv_losses *l)
{
	return l->share > IFTPV_GATE_SHARE;
}

#endif /* _TCP_IFTPV_GATE_H */
