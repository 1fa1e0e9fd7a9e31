/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decision about a loss. Pure functions, which compile in user space, too: so they include
 * nothing but uapi types.
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
 * How many packets of a flow wait in queues (ElAarag and Hogg, section 4, equation 4, which
 * is Veno's): of the n that are under way in a round trip, the share of it that is not the
 * path's own.
 *
 *	B = n * (RTTactual - RTTbase) / RTTactual
 */

/* Backlogs are in units of 1/256 packet. */
#define IFTPV_SHIFT		8

/* Of a larger window counts this much, 16 times what a TCP window can hold in packets of
 * 1 kB: so no product here has more than 64 bits, whatever the round-trip time.
 */
#define IFTPV_WINDOW_MAX	(~0U >> IFTPV_SHIFT)

/**
 * iftpv_backlog() - packets of the flow that wait in queues
 * @n: packets in a round trip
 * @actual: smoothed round-trip time in us
 * @base: round-trip time of the path without queues in us, 0 if it is not known
 *
 * While nothing is known of the path all packets may be waiting, as far as the flow can tell.
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
 * The congestion loss rate (ElAarag and Hogg, section 4, equations 5 and 6): packets lost to
 * congestion between two random losses, over the time between them. At a random loss the rates
 * are brought up to date; then the two newest tell whether congestion is on the rise.
 */

/**
 * struct iftpv_rate - packets lost to congestion between two random losses
 * @lost: packets
 * @us: time between the two; one beyond U32_MAX (71 minutes) counts as that
 */
struct iftpv_rate {
	__u32 lost;
	__u32 us;
};

/**
 * struct iftpv_losses - what a flow has lost; all 0 at its beginning but @share
 * @last: when the last random loss was, in us; 0 before the first
 * @current_rate: between it and the one before; no time before the second random loss
 * @previous_rate: between the two before; no time before the third
 * @lost: packets lost to congestion since @last
 * @peak: the longest queue seen
 * @share: of reductions before which there was a stray loss, of 255
 * @congestion: what is lost now is lost to congestion
 * @stray: a loss since the last reduction came without a full queue
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
 * iftpv_losses_count() - packets were found to be lost
 * @l: of the flow
 * @lost: how many
 */
static inline void iftpv_losses_count(struct iftpv_losses *l, __u32 lost)
{
	if (l->congestion)
		l->lost += iftpv_min(lost, ~l->lost);
}

/**
 * iftpv_losses_random() - a random loss: bring the rates up to date
 * @l: of the flow
 * @now: in us, not 0
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

	return (__u64)new->lost * old->us > (__u64)old->lost * new->us;
}

/*
 * What a loss is taken for (ElAarag and Hogg, section 4):
 *
 *	B < beta, and the congestion loss rate does not rise:	n
 *	B < beta, and it rises:					4n/5
 *	B >= beta:						n/2
 */

/**
 * enum iftpv_verdict - what becomes of the window
 * @IFTPV_KEEP: it stays: a random loss
 * @IFTPV_EASE: 4/5 of it, by the parameter "ease": a random loss while congestion rises
 * @IFTPV_HALVE: half of it: congestion
 * @IFTPV_DRAIN: all of it but the backlog, at least half
 * @IFTPV_TIMEOUT: slow start from one packet, up to half of it
 */
enum iftpv_verdict {
	IFTPV_KEEP,
	IFTPV_EASE,
	IFTPV_HALVE,
	IFTPV_DRAIN,
	IFTPV_TIMEOUT,
};

/**
 * iftpv_is_backlogged() - does a backlog mean congestion?
 * @backlog: iftpv_backlog()
 * @beta: packets from which on it does, below 2^24
 */
static inline bool iftpv_is_backlogged(__u32 backlog, __u32 beta)
{
	return backlog >= beta << IFTPV_SHIFT;
}

/**
 * iftpv_judge() - decide about the window after a loss, and remember the loss
 * @losses: of the flow
 * @now: in us, not 0
 * @congested: it is known to be congestion; otherwise the backlog decides
 * @backlog: iftpv_backlog()
 * @beta: as for iftpv_is_backlogged()
 *
 * To be asked once per recovery, however many packets were lost.
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

#define IFTPV_QUEUE_SHIFT	16	/* queues are parts of a round trip, in 1/65536 */
#define IFTPV_QUEUE_LEAST	(1U << (IFTPV_QUEUE_SHIFT - 4)) /* a shorter one is none */
#define IFTPV_GATE_GAIN		8
#define IFTPV_SHARE_MAX		255
#define IFTPV_GATE_SHARE	102	/* of 255, 2/5: more is evidence */

/**
 * iftpv_gate_queue() - how long the queue is
 * @actual: smoothed round-trip time in us
 * @base: round-trip time of the path without queues in us, 0 if it is not known
 *
 * Return: the part of a round trip that is spent there, which is that of a window as well
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
static inline void iftpv_gate_see(struct iftpv_losses *l, __u16 queue)
{
	l->peak = iftpv_max(l->peak, queue);
}

/**
 * iftpv_gate_is_full() - is a queue about as long as it gets?
 * @l: of the flow
 * @queue: iftpv_gate_queue()
 */
static inline bool iftpv_gate_is_full(const struct iftpv_losses *l, __u16 queue)
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
		l->share += (IFTPV_SHARE_MAX - l->share) / IFTPV_GATE_GAIN;
	l->stray = true;
}

/**
 * iftpv_gate_reduced() - the window is reduced
 * @l: of the flow
 * @queue: iftpv_gate_queue(); to which the longest one comes nearer by 1/8
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
 * @l: of the flow
 */
static inline bool iftpv_gate_is_open(const struct iftpv_losses *l)
{
	return l->share > IFTPV_GATE_SHARE;
}

/*
 * Beyond the paper: what the parameter "loss_tolerance" adds, for links that lose packets at
 * random all the time. Each part can be had alone. All but beta ask for evidence that losses here
 * are random, or for the lack of it.
 */

/* The parts: bits of the parameter. */
enum {
	IFTPV_PART_FLOOR = 1,	/* a halving leaves what the path holds */
	IFTPV_PART_BETA = 2,	/* beta is a part of the window */
	IFTPV_PART_GROWTH = 4,	/* it grows in a recovery from a random loss */
	IFTPV_PART_START = 8,	/* slow start outlasts a loss until a queue waits */
	IFTPV_PART_GAPS = 16,	/* a window that is kept may be used at once */
	IFTPV_PART_COUNT = 32,	/* C does not count what a floored halving loses */
	IFTPV_PART_STRICT = 64,	/* a full queue without evidence is congestion */
	IFTPV_PARTS = 127,
};

#define IFTPV_BETA_PERCENT	12	/* of the window */

/**
 * struct iftpv_lost - a loss; once per recovery
 * @now: in us, not 0
 * @congested: it is known to be congestion
 * @backlog: iftpv_backlog()
 * @beta: as for iftpv_is_backlogged()
 * @queue: iftpv_gate_queue()
 * @slow_start: it came in slow start
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
 * struct iftpv_course - what the tolerance changes in a recovery; all 0 without it
 * @grows: the window grows in it
 * @at_once: the window may be used at once, without proportional rate reduction
 * @starting: slow start goes on in it, if @grows, and after it
 * @drained: it began with IFTPV_DRAIN
 */
struct iftpv_course {
	__u8 grows:1,
	   at_once:1,
	   starting:1,
	   drained:1;
};

/**
 * iftpv_tolerance_beta() - the backlog from which on a loss is congestion
 * @parts: of the tolerance
 * @beta: that of the parameter, in packets
 * @n: packets, the window
 *
 * What is due within a millisecond leaves at once, so fast flows have more than three packets in
 * a queue without congestion.
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
 * iftpv_tolerance_drain() - the window that IFTPV_DRAIN leaves: what the path holds
 * @n: packets, the window before
 * @half: packets, what congestion leaves of it
 * @backlog: iftpv_backlog()
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

/* A mark halves in any case. What congestion loses may be counted since an earlier halving: that
 * ends as well.
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
 * iftpv_tolerance_judge() - the paper's verdict, and what the tolerance makes of it
 * @l: of the flow
 * @parts: of the tolerance; without any the verdict is the paper's
 * @lost: the loss
 * @course: is set to that of the recovery
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
