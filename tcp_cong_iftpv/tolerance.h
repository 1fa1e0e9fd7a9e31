/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Beyond the paper: what the parameter "loss_tolerance" adds, for links that lose packets at
 * random all the time. Each part can be had alone. All but beta ask for evidence that losses here
 * are random, or for the lack of it (gate.h).
 */
#ifndef _TCP_IFTPV_TOLERANCE_H
#define _TCP_IFTPV_TOLERANCE_H

#include <linux/bits.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include "backlog.h"
#include "gate.h"
#include "loss.h"
#include "verdict.h"

/* The parts: bits of the parameter. */
#define IFTPV_PART_FLOOR	BIT(0)	/* a halving leaves what the path holds */
#define IFTPV_PART_BETA		BIT(1)	/* beta is a part of the window */
#define IFTPV_PART_GROWTH	BIT(2)	/* it grows in a recovery from a random loss */
#define IFTPV_PART_START	BIT(3)	/* slow start outlasts a loss until a queue waits */
#define IFTPV_PART_GAPS		BIT(4)	/* a window that is kept may be used at once */
#define IFTPV_PART_COUNT	BIT(5)	/* C does not count what a floored halving loses */
#define IFTPV_PART_STRICT	BIT(6)	/* a full queue without evidence is congestion */
#define IFTPV_PARTS		GENMASK(6, 0)

#define IFTPV_BETA_PERCENT	12	/* of the window */

/**
 * struct iftpv_lost - a loss; once per recovery
 * @now: in us, not 0
 * @evidence: what is known of why it was lost
 * @backlog: iftpv_backlog()
 * @beta: packets from which on a backlog means congestion
 * @queue: iftpv_gate_queue()
 * @slow_start: it came in slow start
 */
struct iftpv_lost {
	u64 now;
	enum iftpv_evidence evidence;
	u32 backlog;
	u32 beta;
	u16 queue;
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
	u8 grows:1,
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
static inline u32 iftpv_tolerance_beta(u32 parts, u32 beta, u32 n)
{
	if (!(parts & IFTPV_PART_BETA))
		return beta;
	n = min_t(u32, n, IFTPV_WINDOW_MAX);
	return max_t(u32, beta, div_u64((u64)n * IFTPV_BETA_PERCENT, 100));
}

/**
 * iftpv_tolerance_drain() - the window that IFTPV_DRAIN leaves: what the path holds
 * @n: packets, the window before
 * @half: packets, what congestion leaves of it
 * @backlog: iftpv_backlog()
 */
static inline u32 iftpv_tolerance_drain(u32 n, u32 half, u32 backlog)
{
	return max(half, n - min(n, DIV_ROUND_UP(backlog, 1U << IFTPV_SHIFT)));
}

static inline struct iftpv_course
iftpv_tolerance_course(u32 parts, enum iftpv_verdict verdict, bool slow_start)
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
iftpv_tolerance_floor(struct iftpv_losses *l, u32 parts,
		      enum iftpv_verdict verdict, enum iftpv_evidence evidence)
{
	if (verdict != IFTPV_HALVE || !(parts & IFTPV_PART_FLOOR) ||
	    evidence == IFTPV_EVIDENCE_CONGESTED)
		return verdict;
	if (parts & IFTPV_PART_COUNT)
		l->congestion = false;
	return IFTPV_DRAIN;
}

/**
 * iftpv_tolerance_judge() - the paper's verdict (verdict.h), and what the tolerance makes of it
 * @l: of the flow
 * @parts: of the tolerance; without any the verdict is the paper's
 * @lost: the loss
 * @course: is set to that of the recovery
 */
static inline enum iftpv_verdict
iftpv_tolerance_judge(struct iftpv_losses *l, u32 parts,
		      const struct iftpv_lost *lost, struct iftpv_course *course)
{
	bool full = lost->evidence == IFTPV_EVIDENCE_CONGESTED ||
		    iftpv_gate_is_full(l, lost->queue);
	enum iftpv_evidence evidence = lost->evidence;
	enum iftpv_verdict verdict;
	bool open;

	if (!full)
		iftpv_gate_stray(l);
	open = iftpv_gate_is_open(l);
	if (parts & IFTPV_PART_STRICT && full && !open)
		evidence = IFTPV_EVIDENCE_CONGESTED;
	verdict = iftpv_judge(l, lost->now, evidence, lost->backlog, lost->beta);
	if (open)
		verdict = iftpv_tolerance_floor(l, parts, verdict, evidence);
	*course = iftpv_tolerance_course(open ? parts : 0, verdict,
					 lost->slow_start);
	if (verdict == IFTPV_HALVE || verdict == IFTPV_DRAIN || (full && !open))
		iftpv_gate_reduced(l, lost->queue);
	return verdict;
}

#endif /* _TCP_IFTPV_TOLERANCE_H */
