/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decisions of IFTPV: the functions decide whether a loss was random or congestion, and what
 * happens to the window. The module tcp_iftpv and the user-level DCCP share them.
 *
 *	1. The backlog is the number of packets in queues.
 *	2. The rates show whether the congestion loss rate rises.
 *	3. The verdict follows the paper's rule (ElAarag and Hogg, section 4).
 *	4. The gate shows whether losses on the path are random.
 *	5. The tolerance is the parameter loss_tolerance, which goes beyond the paper.
 *	6. The scale lets a flow behave like several TCP flows.
 *	7. The phase tells how many packets the next round trip has.
 *
 * The functions of this file only compute. The file also compiles in user space, and
 * therefore includes only types.
 */
#ifndef _NET_IFTPV_H
#define _NET_IFTPV_H

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
 * 1. The backlog is the number of packets of a flow that are queued (ElAarag and Hogg,
 * section 4, equation 4, taken from TCP Veno). A window of n packets is in flight for one
 * round trip. The share of the round trip that is queueing delay is also the share of the
 * window that is queued:
 *
 *	B = n * (RTTactual - RTTbase) / RTTactual
 */

#define IFTPV_SHIFT		8	/* the unit of a backlog is 1/256 packet */

/* Larger windows are treated as a window of this size, so that no product exceeds 64 bits.
 * IFTPV_WINDOW_MAX is 16 times the largest TCP window in packets of 1 kB.
 */
#define IFTPV_WINDOW_MAX	(~0U >> IFTPV_SHIFT)

/**
 * iftpv_backlog() - number of packets of the flow that are queued
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
 * 2. The congestion loss rate is the number of packets lost to congestion between two
 * random losses, divided by the time between the two random losses (ElAarag and Hogg,
 * section 4, equations 5 and 6). Each random loss updates the rates. The two newest rates
 * show whether congestion rises.
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
 * @last: time of the last random loss in us; 0 before the first random loss
 * @current_rate: rate between the last two random losses; @us is 0 before the second random
 *	loss
 * @previous_rate: value of @current_rate before the last random loss; @us is 0 before the
 *	third random loss
 * @lost: packets lost to congestion since @last
 * @peak: longest queue, see iftpv_gate_see()
 * @share: share of the reductions that had a stray loss before them, in 1/IFTPV_SHARE_MAX
 * @congestion: packets that are lost now count as lost to congestion
 * @stray: a stray loss has occurred since the last reduction, see iftpv_gate_stray()
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
 * iftpv_losses_rising() - is the newest congestion loss rate higher than the previous rate?
 * @l: the losses of the flow
 *
 * The function compares cross products and needs no division. A rate with losses in 0 us is
 * therefore higher than every rate over a longer time. A rate that does not exist yet has 0 losses
 * in 0 us, and is therefore treated as equal to every other rate.
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
 *	B < beta, and the congestion loss rate rises:		4n/5
 *	B >= beta:						n/2
 */

/**
 * enum iftpv_verdict - what happens to the window
 * @IFTPV_KEEP: the window does not change, because the loss was random
 * @IFTPV_EASE: the window shrinks to 4/5 (parameter "ease"), because the loss was random
 *	but congestion rises
 * @IFTPV_HALVE: the window shrinks to one half, because of congestion
 * @IFTPV_DRAIN: the window shrinks by the backlog, but at most by half, see
 *	iftpv_tolerance_drain()
 * @IFTPV_TIMEOUT: slow start begins with one packet and ends at one half of the window
 */
enum iftpv_verdict {
	IFTPV_KEEP,
	IFTPV_EASE,
	IFTPV_HALVE,
	IFTPV_DRAIN,
	IFTPV_TIMEOUT,
};

/**
 * iftpv_is_backlogged() - check whether a backlog means congestion
 * @backlog: from iftpv_backlog()
 * @beta: least backlog in packets that means congestion, below 2^24
 */
static inline bool iftpv_is_backlogged(__u32 backlog, __u32 beta)
{
	return backlog >= beta << IFTPV_SHIFT;
}

/**
 * iftpv_judge() - find the verdict by the paper's rule
 * @losses: the losses of the flow; updated
 * @now: time in us, not 0
 * @congested: whether the loss is known to be congestion; if false, the backlog decides
 * @backlog: from iftpv_backlog()
 * @beta: as for iftpv_is_backlogged()
 *
 * The function must be called once per recovery, even if the recovery has several lost
 * packets.
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
 * 4. The gate shows whether there is evidence that losses on the path are random.
 * Congestion drops packets only while a queue is full. A full queue may be short and
 * contain few packets of the flow. Random losses happen at any time. A loss while the queue
 * is not full is called a stray loss. The gate computes the share of the window's
 * reductions that had a stray loss before them:
 *
 *	share += (1 - share) / 8	at the first stray loss after a reduction
 *	share -= share / 8		at a reduction without a stray loss before it
 *
 * A verdict of 4/5 does not count as a reduction. Without evidence, a loss at a full queue counts
 * as a reduction, whatever the verdict is.
 *
 * The gate counts reductions, not losses. On a path with many losses, the losses at a full queue
 * follow each other closely. If the gate counted each loss, the losses at a full queue
 * would outweigh the stray losses.
 */

#define IFTPV_QUEUE_SHIFT	16	/* the unit of a queue is 1/65536 of a round trip */
#define IFTPV_QUEUE_LEAST	(1U << (IFTPV_QUEUE_SHIFT - 4)) /* shorter queues are ignored */
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
 * iftpv_gate_is_full() - is the queue longer than half of the longest queue, and not to be ignored?
 * @l: the losses of the flow
 * @queue: from iftpv_gate_queue()
 */
static inline bool iftpv_gate_is_full(const struct iftpv_losses *l, __u16 queue)
{
	return queue >= IFTPV_QUEUE_LEAST && queue > l->peak / 2;
}

/**
 * iftpv_gate_stray() - note that a packet was lost while the queue was not full
 * @l: the losses of the flow
 */
static inline void iftpv_gate_stray(struct iftpv_losses *l)
{
	if (!l->stray)
		l->share += (IFTPV_SHARE_MAX - l->share) / IFTPV_GATE_GAIN;
	l->stray = true;
}

/**
 * iftpv_gate_reduced() - note that the window is reduced
 * @l: the losses of the flow
 * @queue: from iftpv_gate_queue(); @peak decreases towards @queue by 1/8 of their difference
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
 * 5. The parameter "loss_tolerance" goes beyond the paper. The parameter is useful for links that
 * lose packets at random all the time. The value of the parameter is a sum of parts. All parts
 * except "beta" depend on the gate.
 */
enum {
	IFTPV_PART_FLOOR = 1,	/* congestion reduces the window only by the backlog */
	IFTPV_PART_BETA = 2,	/* beta is at least IFTPV_BETA_PERCENT of the window */
	IFTPV_PART_GROWTH = 4,	/* the window grows during the recovery from a random loss */
	IFTPV_PART_START = 8,	/* slow start continues after a loss until a queue builds up */
	IFTPV_PART_GAPS = 16,	/* a window that is not reduced may be filled immediately */
	IFTPV_PART_COUNT = 32,	/* losses after IFTPV_DRAIN do not count as congestion losses */
	IFTPV_PART_STRICT = 64,	/* without evidence, a loss at a full queue is congestion */
	IFTPV_PARTS = 127,
};

#define IFTPV_BETA_PERCENT	12	/* of the window */

/**
 * struct iftpv_lost - the first loss of a recovery
 * @now: time in us, not 0
 * @congested: whether the loss is known to be congestion
 * @backlog: from iftpv_backlog()
 * @beta: as for iftpv_is_backlogged()
 * @queue: from iftpv_gate_queue()
 * @slow_start: whether the flow was in slow start
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
 * struct iftpv_course - how loss_tolerance changes a recovery; without a change all fields
 * are 0
 * @grows: the window grows during the recovery
 * @at_once: the window may be filled immediately, without proportional rate reduction
 * @starting: slow start continues after the recovery; if @grows is set, slow start also
 *	continues during the recovery
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
 * Packets that are due within one millisecond leave the sender in one burst. Therefore a
 * fast flow can have more than three packets in a queue without congestion.
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
 * iftpv_tolerance_drain() - compute the window after IFTPV_DRAIN
 * @n: the window before the loss, in packets
 * @half: the window after IFTPV_HALVE, in packets; the result is at least @half
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

/* If the loss is known to be congestion (@congested), the verdict stays IFTPV_HALVE. Otherwise
 * IFTPV_PART_COUNT clears l->congestion, even if an earlier verdict has set it.
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
 * iftpv_tolerance_judge() - find the verdict by the paper's rule and loss_tolerance
 * @l: the losses of the flow; updated
 * @parts: value of loss_tolerance; 0 selects the paper's rule
 * @lost: the loss
 * @course: set to the course of the recovery
 *
 * The function must be called once per recovery, even if the recovery has several lost
 * packets.
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

/*
 * 6. Scale: a flow may behave like s TCP flows together (ElAarag and Hogg, section 7; MulTCP,
 * Crowcroft and Oechslin, CCR 1998). Each of the s flows grows by one packet per round
 * trip. A loss hits only one of the s flows, so that only the window of that flow shrinks,
 * to a fraction f:
 *
 *	growth		n + s per round trip
 *	after a loss	n * (1 - (1 - f) / s)
 *
 * Scales and fractions are in percent.
 */

#define IFTPV_WINDOW_MIN	2	/* packets; minimum of ssthresh after a loss (RFC 5681) */

/**
 * iftpv_scale_loss() - the window after a loss
 * @n: the window before the loss, in packets
 * @verdict: the verdict; must not be IFTPV_TIMEOUT
 * @ease: percentage of a flow's window that IFTPV_EASE leaves
 * @scale: number of TCP flows that the flow behaves like, in percent, at least 100
 *
 * Return: in packets
 */
static inline __u32 iftpv_scale_loss(__u32 n, enum iftpv_verdict verdict, __u32 ease, __u32 scale)
{
	__u32 left = 100;

	if (verdict == IFTPV_EASE)
		left = ease;
	else if (verdict == IFTPV_HALVE)
		left = 50;
	n = iftpv_div((__u64)n * (scale - (100 - left)), scale);
	return iftpv_max(n, IFTPV_WINDOW_MIN);
}

/**
 * iftpv_scale_growth() - the number of acknowledged packets after which the window grows by one
 * @n: the window in packets
 * @scale: as for iftpv_scale_loss()
 * @slow: the window grows half as fast, as in Veno with a backlog of at least beta packets
 */
static inline __u32 iftpv_scale_growth(__u32 n, __u32 scale, bool slow)
{
	return iftpv_max(iftpv_div((__u64)n * 100, scale), 1) << slow;
}

/*
 * 7. Gaps between packets (ElAarag and Hogg, section 3, equations 1 to 3). The packets of the
 * next round trip are sent evenly over the round-trip time R:
 *
 *	slow start	G = R / 2n - tau
 *	avoidance	G = R / (n + 1) - tau, with a scale R / (n + s) - tau
 *	recovery	G = R / n' - tau, where n' is the window after the loss
 *
 * The variable tau is the transmission time of a packet. The gap G is the time from the
 * last bit of a packet to the first bit of the next packet. A sender needs the time
 * from first bit to first bit. The time from first bit to first bit is G + tau, so that tau
 * drops out of the equations.
 */

/**
 * enum iftpv_phase - phase of a flow
 * @IFTPV_SLOW_START: the window doubles in each round trip
 * @IFTPV_AVOIDANCE: the window grows by one packet for each of the s flows in each round trip
 * @IFTPV_RECOVERY: after a loss, the window shrinks or stays
 */
enum iftpv_phase {
	IFTPV_SLOW_START,
	IFTPV_AVOIDANCE,
	IFTPV_RECOVERY,
};

/**
 * iftpv_gap_packets() - number of packets in the next round trip
 * @phase: the phase
 * @n: the window in packets; in a recovery the window after the loss
 * @scale: as for iftpv_scale_loss()
 */
static inline __u32 iftpv_gap_packets(enum iftpv_phase phase, __u32 n, __u32 scale)
{
	n = iftpv_min(n, IFTPV_WINDOW_MAX);
	switch (phase) {
	case IFTPV_SLOW_START:
		return 2 * n;
	case IFTPV_AVOIDANCE:
		return n + (scale + 99) / 100;
	default:
		return n;
	}
}

#endif /* _NET_IFTPV_H */
