/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decision about a loss: was it random, or congestion, and what happens to the window?
 *
 *	1. backlog: how many packets wait in queues
 *	2. rates: does the congestion loss rate rise?
 *	3. verdict: the paper's rule (ElAarag and Hogg, section 4)
 *	4. gate: is there evidence that losses on this path are random?
 *	5. tolerance: the parameter loss_tolerance, which goes beyond the paper
 *
 * All functions here are pure. They also compile in user space, so this file includes only types.
 */
#ifndef _TCP_IFTPV_DECISION_H
#define _TCP_IFTPV_DECISION_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/math64.h>
#else
#include <stdbool.h>
#endif

static inline __u32 iftpv_min(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

static inline __u32 iftpv_max(__u32 a, __u32 b)
{
	return a > b ? a : b;
}

static inline __u32 iftpv_div(__u64 dividend, __u32 divisor)
{
#ifdef __KERNEL__
	return div_u64(dividend, divisor);
#else
	return dividend / divisor;
#endif
}

/*
 * 1. Backlog: packets of a flow that wait in queues (ElAarag and Hogg, section 4, equation 4,
 * taken from TCP Veno). A window of n packets is in flight for one round trip. The share of the
 * round trip that is queueing delay is also the share of the window that waits in queues:
 *
 *	B = n * (RTTactual - RTTbase) / RTTactual
 */

#define IFTPV_SHIFT		8	/* the unit of a backlog is 1/256 packet */

/* Larger windows count as this one, so that no product here exceeds 64 bits. It is 16 times the
 * largest TCP window in packets of 1 kB.
 */
#define IFTPV_WINDOW_MAX	(~0U >> IFTPV_SHIFT)

/**
 * iftpv_backlog() - packets of the flow that wait in queues
 * @n: the window in packets
 * @actual: smoothed round-trip time in us
 * @base: round-trip time of the path without queues in us, 0 if it is not known
 *
 * If the base is not known, the whole window counts as backlog.
 *
 * Return: in packets << IFTPV_SHIFT
 */
static inline __u32 iftpv_backlog(__u32 n, __u32 actual, __u32 base)
{
	n = iftpv_min(n, IFTPV_WINDOW_MAX);
	if (!base)
		return n << IFTPV_SHIFT;
	if (actual <= base)
		return 0;
	return iftpv_div((__u64)n * (actual - base) << IFTPV_SHIFT, actual);
}

/*
 * 2. The congestion loss rate (ElAarag and Hogg, section 4, equations 5 and 6): packets lost to
 * congestion between two random losses, divided by the time between these two losses. Each random
 * loss updates the rates. Then the two newest rates show whether congestion rises.
 */

/**
 * struct iftpv_rate - packets lost to congestion between two random losses
 * @lost: packets
 * @us: time between the two random losses, at most 2^32 - 1 us (71 minutes)
 */
struct iftpv_rate {
	__u32 lost;
	__u32 us;
};

/**
 * struct iftpv_losses - the losses of a flow; a new flow has all fields 0, except @share
 * @last: time of the last random loss in us; 0 before the first one
 * @current_rate: rate between the last two random losses; @us is 0 before the second one
 * @previous_rate: rate between the two random losses before; @us is 0 before the third one
 * @lost: packets lost to congestion since @last
 * @peak: longest queue, see iftpv_gate_see()
 * @share: share of the reductions that had a stray loss before them, of IFTPV_SHARE_MAX
 * @congestion: packets that are lost now are lost to congestion
 * @stray: since the last reduction, a packet was lost while the queue was not full
 */
struct iftpv_losses {
	__u64 last;
	struct iftpv_rate current_rate;
	struct iftpv_rate previous_rate;
	__u32 lost;
	__u16 peak;
	__u8 share;
	bool congestion:1,
	     stray:1;
};

/**
 * iftpv_losses_count() - count lost packets, if they are lost to congestion
 * @l: the losses of the flow
 * @lost: number of packets
 */
static inline void iftpv_losses_count(struct iftpv_losses *l, __u32 lost)
{
	if (l->congestion)
		l->lost += iftpv_min(lost, ~l->lost);
}

/**
 * iftpv_losses_random() - update the rates at a random loss
 * @l: the losses of the flow
 * @now: time in us, not 0
 */
static inline void iftpv_losses_random(struct iftpv_losses *l, __u64 now)
{
	const __u64 us = now - l->last;

	if (l->last) {
		l->previous_rate = l->current_rate;
		l->current_rate.lost = l->lost;
		l->current_rate.us = us < ~0U ? us : ~0U;
	}
	l->last = now;
	l->lost = 0;
	l->congestion = false;
}

/**
 * iftpv_losses_rising() - is the newest congestion loss rate higher than the one before?
 * @l: the losses of the flow
 *
 * The function compares cross products, so there is no division. Two special cases follow from
 * this. A rate with losses in no time is higher than every other rate. A rate that does not exist
 * yet has no losses and no time, so it is neither higher nor lower than another one.
 */
static inline bool iftpv_losses_rising(const struct iftpv_losses *l)
{
	const struct iftpv_rate *new = &l->current_rate;
	const struct iftpv_rate *old = &l->previous_rate;

	return (__u64)new->lost * old->us > (__u64)old->lost * new->us;
}

/*
 * 3. The verdict (ElAarag and Hogg, section 4):
 *
 *	B < beta, and the congestion loss rate does not rise:	n
 *	B < beta, and it rises:					4n/5
 *	B >= beta:						n/2
 */

/**
 * enum iftpv_verdict - what happens to the window
 * @IFTPV_KEEP: it stays as it is, because the loss was random
 * @IFTPV_EASE: it shrinks to 4/5, or as the parameter "ease" says: the loss was random, but
 *	congestion rises
 * @IFTPV_HALVE: it shrinks to one half, because of congestion
 * @IFTPV_DRAIN: it loses the backlog, at most one half, see iftpv_tolerance_drain()
 * @IFTPV_TIMEOUT: slow start from one packet up to one half of the window
 */
enum iftpv_verdict {
	IFTPV_KEEP,
	IFTPV_EASE,
	IFTPV_HALVE,
	IFTPV_DRAIN,
	IFTPV_TIMEOUT,
};

/**
 * iftpv_is_backlogged() - does this backlog mean congestion?
 * @backlog: from iftpv_backlog()
 * @beta: least backlog in packets that means congestion, below 2^24
 */
static inline bool iftpv_is_backlogged(__u32 backlog, __u32 beta)
{
	return backlog >= beta << IFTPV_SHIFT;
}

/**
 * iftpv_judge() - the paper's verdict
 * @losses: the losses of the flow; updated
 * @now: time in us, not 0
 * @congested: the loss is known to be congestion; if false, the backlog decides
 * @backlog: from iftpv_backlog()
 * @beta: as for iftpv_is_backlogged()
 *
 * Call this once per recovery, even if several packets are lost in it.
 */
static inline enum iftpv_verdict
iftpv_judge(struct iftpv_losses *losses, __u64 now, bool congested, __u32 backlog,
	    __u32 beta)
{
	if (congested || iftpv_is_backlogged(backlog, beta)) {
		losses->congestion = true;
		return IFTPV_HALVE;
	}
	iftpv_losses_random(losses, now);
	return iftpv_losses_rising(losses) ? IFTPV_EASE : IFTPV_KEEP;
}

/*
 * 4. The gate: is there evidence that losses on this path are random? Congestion drops packets
 * only while a queue is full, even if the queue is short and holds few packets of this flow.
 * Random losses happen at any time. A loss while the queue is not full is a stray loss. The gate
 * keeps the share of the window's reductions that had a stray loss before them:
 *
 *	share += (1 - share) / 8	at the first stray loss after a reduction
 *	share -= share / 8		at a reduction without a stray loss before it
 *
 * The gate counts reductions, not losses. On a path with many losses, the losses at a long queue
 * follow each other closely. If each of them counted, they would outweigh the stray losses.
 */

#define IFTPV_QUEUE_SHIFT	16	/* the unit of a queue is 1/65536 of a round trip */
#define IFTPV_QUEUE_LEAST	(1U << (IFTPV_QUEUE_SHIFT - 4)) /* a shorter queue counts as none */
#define IFTPV_GATE_GAIN		8
#define IFTPV_SHARE_MAX		255
#define IFTPV_GATE_SHARE	102	/* 2/5 of IFTPV_SHARE_MAX; a larger share is evidence */

/**
 * iftpv_gate_queue() - length of the queue
 * @actual: smoothed round-trip time in us
 * @base: round-trip time of the path without queues in us, 0 if it is not known
 *
 * Return: the share of the round trip that is queueing delay, in 1/65536
 */
static inline __u16 iftpv_gate_queue(__u32 actual, __u32 base)
{
	if (!base)
		return 0xffff;
	if (actual <= base)
		return 0;
	return iftpv_div((__u64)(actual - base) << IFTPV_QUEUE_SHIFT, actual);
}

/**
 * iftpv_gate_init() - start at the threshold, so that the first loss opens or closes the gate
 * @l: the losses of a new flow
 */
static inline void iftpv_gate_init(struct iftpv_losses *l)
{
	l->share = IFTPV_GATE_SHARE;
}

/**
 * iftpv_gate_see() - remember the longest queue
 * @l: the losses of the flow
 * @queue: from iftpv_gate_queue()
 */
static inline void iftpv_gate_see(struct iftpv_losses *l, __u16 queue)
{
	l->peak = iftpv_max(l->peak, queue);
}

/**
 * iftpv_gate_is_full() - is the queue longer than half of the longest one?
 * @l: the losses of the flow
 * @queue: from iftpv_gate_queue()
 */
static inline bool iftpv_gate_is_full(const struct iftpv_losses *l, __u16 queue)
{
	return queue >= IFTPV_QUEUE_LEAST && queue > l->peak / 2;
}

/**
 * iftpv_gate_stray() - a packet was lost while the queue was not full
 * @l: the losses of the flow
 */
static inline void iftpv_gate_stray(struct iftpv_losses *l)
{
	if (!l->stray)
		l->share += (IFTPV_SHARE_MAX - l->share) / IFTPV_GATE_GAIN;
	l->stray = true;
}

/**
 * iftpv_gate_reduced() - the window is reduced
 * @l: the losses of the flow
 * @queue: from iftpv_gate_queue(); the longest queue moves towards this one by 1/8
 */
static inline void iftpv_gate_reduced(struct iftpv_losses *l, __u16 queue)
{
	if (!l->stray)
		l->share -= l->share / IFTPV_GATE_GAIN;
	l->stray = false;
	l->peak -= (l->peak - iftpv_min(l->peak, queue)) / IFTPV_GATE_GAIN;
}

/**
 * iftpv_gate_is_open() - is there evidence that losses are random?
 * @l: the losses of the flow
 */
static inline bool iftpv_gate_is_open(const struct iftpv_losses *l)
{
	return l->share > IFTPV_GATE_SHARE;
}

/*
 * 5. Tolerance: the parameter "loss_tolerance" goes beyond the paper. It is for links that lose
 * packets at random all the time. The parameter is a sum of parts. All parts except "beta" depend
 * on the gate.
 */
enum {
	IFTPV_PART_FLOOR = 1,	/* congestion leaves the window that the path holds */
	IFTPV_PART_BETA = 2,	/* beta is a share of the window */
	IFTPV_PART_GROWTH = 4,	/* the window grows during the recovery from a random loss */
	IFTPV_PART_START = 8,	/* slow start goes on after a loss until there is a queue */
	IFTPV_PART_GAPS = 16,	/* a window that stays may be used at once */
	IFTPV_PART_COUNT = 32,	/* losses after IFTPV_DRAIN do not count as congestion losses */
	IFTPV_PART_STRICT = 64,	/* without evidence, a loss at a full queue is congestion */
	IFTPV_PARTS = 127,
};

#define IFTPV_BETA_PERCENT	12	/* of the window */

/**
 * struct iftpv_lost - a loss, the first one of a recovery
 * @now: time in us, not 0
 * @congested: the loss is known to be congestion
 * @backlog: from iftpv_backlog()
 * @beta: as for iftpv_is_backlogged()
 * @queue: from iftpv_gate_queue()
 * @slow_start: the flow was in slow start
 */
struct iftpv_lost {
	__u64 now;
	bool congested;
	__u32 backlog;
	__u32 beta;
	__u16 queue;
	bool slow_start;
};

/**
 * struct iftpv_course - how the tolerance changes a recovery; without it all fields are 0
 * @grows: the window grows during the recovery
 * @at_once: the window may be used at once, without proportional rate reduction
 * @starting: slow start goes on after the recovery, and during it if @grows is set
 * @drained: the verdict was IFTPV_DRAIN
 */
struct iftpv_course {
	__u8 grows:1,
	   at_once:1,
	   starting:1,
	   drained:1;
};

/**
 * iftpv_tolerance_beta() - least backlog that means congestion
 * @parts: value of loss_tolerance
 * @beta: value of the parameter "beta", in packets
 * @n: the window in packets
 *
 * A sender transmits all packets that are due within one millisecond in one burst. A fast flow
 * therefore has more than three packets in a queue without congestion.
 *
 * Return: in packets
 */
static inline __u32 iftpv_tolerance_beta(__u32 parts, __u32 beta, __u32 n)
{
	if (!(parts & IFTPV_PART_BETA))
		return beta;
	n = iftpv_min(n, IFTPV_WINDOW_MAX);
	return iftpv_max(beta, iftpv_div((__u64)n * IFTPV_BETA_PERCENT, 100));
}

/**
 * iftpv_tolerance_drain() - the window after IFTPV_DRAIN: the packets that the path itself holds
 * @n: the window before, in packets
 * @half: the window after IFTPV_HALVE, in packets; the result is not smaller
 * @backlog: from iftpv_backlog()
 */
static inline __u32 iftpv_tolerance_drain(__u32 n, __u32 half, __u32 backlog)
{
	const __u32 packet = 1U << IFTPV_SHIFT;

	return iftpv_max(half, n - iftpv_min(n, (backlog + packet - 1) / packet));
}

static inline struct iftpv_course
iftpv_tolerance_course(__u32 parts, enum iftpv_verdict verdict, bool slow_start)
{
	bool kept = verdict == IFTPV_KEEP;

	return (struct iftpv_course){
		.grows = parts & IFTPV_PART_GROWTH &&
			 (kept || verdict == IFTPV_EASE),
		.at_once = parts & IFTPV_PART_GAPS && kept,
		.starting = parts & IFTPV_PART_START && kept && slow_start,
		.drained = verdict == IFTPV_DRAIN,
	};
}

/* If the loss is known to be congestion, the verdict stays IFTPV_HALVE. IFTPV_PART_COUNT clears
 * @congestion even if an earlier verdict set it.
 */
static inline enum iftpv_verdict
iftpv_tolerance_floor(struct iftpv_losses *l, __u32 parts,
		      enum iftpv_verdict verdict, bool congested)
{
	if (verdict != IFTPV_HALVE || !(parts & IFTPV_PART_FLOOR) ||
	    congested)
		return verdict;
	if (parts & IFTPV_PART_COUNT)
		l->congestion = false;
	return IFTPV_DRAIN;
}

/**
 * iftpv_tolerance_judge() - the final verdict: the paper's, changed by the tolerance
 * @l: the losses of the flow; updated
 * @parts: value of loss_tolerance; with 0 the verdict is the paper's
 * @lost: the loss
 * @course: set to the course of the recovery
 *
 * Call this once per recovery, even if several packets are lost in it.
 */
static inline enum iftpv_verdict
iftpv_tolerance_judge(struct iftpv_losses *l, __u32 parts,
		      const struct iftpv_lost *lost, struct iftpv_course *course)
{
	bool full = lost->congested || iftpv_gate_is_full(l, lost->queue);
	bool congested = lost->congested;
	enum iftpv_verdict verdict;
	bool open;

	if (!full)
		iftpv_gate_stray(l);
	open = iftpv_gate_is_open(l);
	if (parts & IFTPV_PART_STRICT && full && !open)
		congested = true;
	verdict = iftpv_judge(l, lost->now, congested, lost->backlog,
			      lost->beta);
	if (open)
		verdict = iftpv_tolerance_floor(l, parts, verdict, congested);
	*course = iftpv_tolerance_course(open ? parts : 0, verdict,
					 lost->slow_start);
	if (verdict == IFTPV_HALVE || verdict == IFTPV_DRAIN || (full && !open))
		iftpv_gate_reduced(l, lost->queue);
	return verdict;
}

#endif /* _TCP_IFTPV_DECISION_H */
