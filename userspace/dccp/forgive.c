// SPDX-License-Identifier: GPL-2.0-or-later
/* Which loss events of CCID 3 are no congestion. */
#include "forgive.h"
#include "seq.h"

/* Whether a packet with this cause can be part of a loss event. */
static bool is_suspect(enum fdccp_cause cause)
{
	switch (cause) {
	case FDCCP_CAUSE_MARKED:
	case FDCCP_CAUSE_FLAWED:
	case FDCCP_CAUSE_DAMAGED:
	case FDCCP_CAUSE_STALE:
	case FDCCP_CAUSE_OVERDUE:
	case FDCCP_CAUSE_GIVEN_UP:
	case FDCCP_CAUSE_MISSING:
		return true;
	default:
		return false;
	}
}

void fdccp_forgive_note(struct fdccp_forgive *forgive, enum fdccp_cause cause, uint64_t seq)
{
	unsigned int i = forgive->count % FDCCP_FORGIVE_MAX;

	if (!is_suspect(cause))
		return;
	forgive->at[i].seq = seq;
	forgive->at[i].stale = cause == FDCCP_CAUSE_STALE;
	forgive->count++;
}

/* Whether a packet of a lossy part from @start on may have left the ring. */
static bool has_forgotten(const struct fdccp_forgive *forgive, uint64_t start)
{
	unsigned int oldest = forgive->count % FDCCP_FORGIVE_MAX;

	return forgive->count >= FDCCP_FORGIVE_MAX &&
	       !fdccp_seq_before(forgive->at[oldest].seq, start);
}

bool fdccp_forgive_event(const struct fdccp_forgive *forgive, uint64_t start, uint32_t loss)
{
	unsigned int known = forgive->count < FDCCP_FORGIVE_MAX ? forgive->count :
			     FDCCP_FORGIVE_MAX;
	bool stale = false;

	if (!loss || has_forgotten(forgive, start))
		return false;
	for (unsigned int i = 0; i < known; i++) {
		if (!fdccp_seq_between(start, forgive->at[i].seq, fdccp_seq_add(start, loss - 1)))
			continue;
		if (!forgive->at[i].stale)
			return false;
		stale = true;
	}
	return stale;
}

double fdccp_forgive_rate(const struct fdccp_loss_intervals *intervals)
{
	struct fdccp_loss_intervals left = { 0 };
	uint32_t more = 0;

	for (unsigned int i = 0; i < intervals->count; i++) {
		struct fdccp_loss_interval interval = intervals->at[i];

		if (interval.forgiven && i + 1 < intervals->count) {
			more += interval.length;
			continue;
		}
		interval.length += more;
		more = 0;
		left.at[left.count++] = interval;
	}
	return fdccp_intervals_rate(&left);
}
