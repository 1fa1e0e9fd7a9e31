/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which loss events of CCID 3 are no congestion: those of packets that went stale on the way. */
#ifndef FDCCP_FORGIVE_H
#define FDCCP_FORGIVE_H

#include <stdbool.h>

#include "ccid.h"
#include "loss_interval.h"

#define FDCCP_FORGIVE_MAX	64

/**
 * struct fdccp_forgive - the latest data packets that can be part of a loss event
 * @at: their numbers, and whether it is known that they went stale; a ring
 * @count: how many there ever were
 */
struct fdccp_forgive {
	struct {
		uint64_t seq : 48, stale : 1;
	} at[FDCCP_FORGIVE_MAX];
	uint64_t count;
};

/* The cause of a data packet has become known. */
void fdccp_forgive_note(struct fdccp_forgive *forgive, enum fdccp_cause cause, uint64_t seq);

/* Whether all packets of a lossy part that are missing or marked went stale, and at least one did. It
 * is not, if some of them are not known any more.
 */
bool fdccp_forgive_event(const struct fdccp_forgive *forgive, uint64_t start, uint32_t loss);

/* The loss event rate without the events that are forgiven: what follows one belongs to the interval
 * before it.
 */
double fdccp_forgive_rate(const struct fdccp_loss_intervals *intervals);

#endif
