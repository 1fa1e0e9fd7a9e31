/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a loss is taken for (ElAarag and Hogg, section 4):
 *
 *	B < beta, and the congestion loss rate does not rise:	n
 *	B < beta, and it rises:					4n/5
 *	B >= beta:						n/2
 */
#ifndef _TCP_IFTPV_VERDICT_H
#define _TCP_IFTPV_VERDICT_H

#include <linux/types.h>
#include "backlog.h"
#include "loss.h"

/**
 * enum iftpv_evidence - what is known of why a packet was lost
 * @IFTPV_EVIDENCE_NONE: nothing; the backlog decides
 * @IFTPV_EVIDENCE_CORRUPTED: it was damaged on a link
 * @IFTPV_EVIDENCE_CONGESTED: a queue was full, or about to be
 */
enum iftpv_evidence {
	IFTPV_EVIDENCE_NONE,
	IFTPV_EVIDENCE_CORRUPTED,
	IFTPV_EVIDENCE_CONGESTED,
};

/**
 * enum iftpv_verdict - what becomes of the window
 * @IFTPV_KEEP: it stays: a random loss
 * @IFTPV_EASE: 4/5 of it, by the parameter "ease": a random loss while congestion rises
 * @IFTPV_HALVE: half of it: congestion
 * @IFTPV_DRAIN: all of it but the backlog, at least half (tolerance.h)
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
 * iftpv_is_random() - is a loss a random one?
 * @evidence: what is known of it, which is better than a guess
 * @backlog: iftpv_backlog()
 * @beta: packets from which on a backlog means congestion
 */
static inline bool iftpv_is_random(enum iftpv_evidence evidence, u32 backlog,
				   u32 beta)
{
	switch (evidence) {
	case IFTPV_EVIDENCE_CORRUPTED:
		return true;
	case IFTPV_EVIDENCE_CONGESTED:
		return false;
	default:
		return backlog < beta << IFTPV_SHIFT;
	}
}

/**
 * iftpv_judge() - decide about the window after a loss, and remember the loss
 * @losses: of the flow
 * @now: in us, not 0
 * @evidence: what is known of why it was lost
 * @backlog: iftpv_backlog()
 * @beta: packets from which on a backlog means congestion, below 2^24
 *
 * To be asked once per recovery, however many packets were lost.
 */
static inline enum iftpv_verdict
iftpv_judge(struct iftpv_losses *losses, u64 now, enum iftpv_evidence evidence,
	    u32 backlog, u32 beta)
{
	if (!iftpv_is_random(evidence, backlog, beta)) {
		losses->congestion = true;
		return IFTPV_HALVE;
	}
	iftpv_losses_random(losses, now);
	return iftpv_losses_rising(losses) ? IFTPV_EASE : IFTPV_KEEP;
}

#endif /* _TCP_IFTPV_VERDICT_H */
