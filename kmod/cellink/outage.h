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

#include <linux/cellink.h>
#include <net/fl_random.h>

#define CELL_STREAM_OUTAGES	3	/* after those of errors.h */

/**
 * struct cell_schedule - outages that are listed
 * @list: the channel's own, or while a request is read that in the request
 * @count: how many, 0 for no schedule
 */
struct cell_schedule {
	const struct cellink_outage *list;
	u32 count;
};

/**
 * struct cell_outage_config - the outages of a channel
 * @length: how long they last in ns, 0 for none
 * @start: ns until the first
 * @every: ns from one start to the next, 0 for one alone
 * @jitter: ns that each may start later
 * @law: enum cellink_law
 * @schedule: in place of the law, if it has any
 */
struct cell_outage_config {
	u64 length;
	u64 start;
	u64 every;
	u64 jitter;
	u8 law;
	struct cell_schedule schedule;
};

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

void cell_outages_start(struct cell_outages *o, u32 seed);
bool cell_outages_next(struct cell_outages *o,
		       const struct cell_outage_config *cfg,
		       struct cellink_outage *next);

#endif /* _CELLINK_OUTAGE_H */
