// SPDX-License-Identifier: GPL-2.0-or-later
/* What the nofeedback timers of CCID 3 took, and when it is given back. */
#include "seq.h"
#include "undo.h"

void fdccp_undo_init(struct fdccp_undo *undo)
{
	*undo = (struct fdccp_undo){ .since = INT64_MIN, .until = INT64_MIN };
}

void fdccp_undo_take(struct fdccp_undo *undo, const struct fdccp_rates *rates, uint64_t last,
		     bool by_feedback)
{
	if (undo->taken)
		return;
	undo->taken = true;
	undo->by_feedback = by_feedback;
	undo->before = *rates;
	undo->last = last;
	undo->heard = undo->complete = false;
}

void fdccp_undo_forget(struct fdccp_undo *undo)
{
	undo->taken = false;
}

void fdccp_undo_heard(struct fdccp_undo *undo, uint64_t seq)
{
	undo->heard |= !fdccp_seq_after(seq, undo->last);
	undo->complete |= seq == undo->last;
}

/* Nothing is taken after this. Return: whether it was given back. */
static bool give(struct fdccp_undo *undo, bool gives, int64_t now)
{
	gives = gives && undo->taken;
	undo->taken = false;
	if (gives) {
		undo->since = now;
		undo->until = now + 2 * undo->before.rtt;
	}
	return gives;
}

bool fdccp_undo_feedback(struct fdccp_undo *undo, uint64_t ack, bool event, int64_t now)
{
	bool old = !fdccp_seq_after(ack, undo->last);
	bool gives = undo->by_feedback && !event && undo->heard && (undo->complete || old);

	if (old && !gives) {
		undo->by_feedback = false;
		return false;
	}
	return give(undo, gives, now);
}

bool fdccp_undo_link_up(struct fdccp_undo *undo, int64_t now)
{
	return give(undo, true, now);
}

bool fdccp_undo_holds(const struct fdccp_undo *undo, int64_t now)
{
	return now <= undo->until;
}
