/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outages: times at which a channel sends nothing. Three kinds:
 *
 *	schedule	a list contains each outage
 *	constant	outage k begins at @start + k * @every + a random time up to @jitter. All
 *			outages have the same length
 *	exponential	the first outage begins at @start. The lengths of outages and the times
 *			between outages are exponential. The mean time from the beginning of an
 *			outage to the beginning of the next outage is @every
 *
 * Times are relative to the time at which the channel went up or the outages were configured.
 */
#ifndef _CELLINK_OUTAGE_H
#define _CELLINK_OUTAGE_H

#include <linux/cellink.h>
#include <net/fl_random.h>

#define CELL_STREAM_OUTAGES	3	/* errors.h defines the streams 0 to 2 */

/**
 * struct cell_schedule - a list of outages
 * @list: memory of the channel, or of the netlink request while it is parsed
 * @count: number of outages, 0 for no schedule
 */
struct cell_schedule {
	const struct cellink_outage *list;
	u32 count;
};

/**
 * struct cell_outage_config - the outages of a channel
 * @length: length of an outage in ns, 0 for no outages
 * @start: time until the first outage, in ns
 * @every: time from the beginning of an outage to the beginning of the next outage, in ns; 0 for a
 *	single outage
 * @jitter: largest random delay of a beginning, in ns
 * @law: enum cellink_law
 * @schedule: if not empty, it is used instead of the fields above
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
 * struct cell_outages - state of a channel's outages
 * @random: generator for jitter, lengths and times between outages
 * @count: number of outages so far
 * @end: end of the last outage
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
