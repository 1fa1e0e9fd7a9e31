/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a channel is down: the next outage, and the one after it.
 *
 *	a schedule	as listed
 *	constant	start + k * every + a random part of jitter, all of one length
 *	exponential	the first at start; lengths and the times between them exponential,
 *			so that outages begin every so often in the mean
 *
 * Times count from where the channel went up, or the outages were set.
 */
#ifndef _CELLINK_OUTAGE_H
#define _CELLINK_OUTAGE_H

#include <net/fl_random.h>
#include "config.h"

/**
 * struct cell_outages - where a channel's outages stand
 * @random: decides about jitter, or lengths and times between
 * @count: how many there have been
 * @end: when the last of them ended
 */
struct cell_outages {
	struct fl_random random;
	u64 count;
	u64 end;
};

void cell_outages_start(struct cell_outages *o, const struct cell_config *cfg);
bool cell_outages_next(struct cell_outages *o, const struct cell_config *cfg,
		       struct cellink_outage *next);

#endif /* _CELLINK_OUTAGE_H */
