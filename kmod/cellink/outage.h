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

#include <linux/string.h>
#include "config.h"
#include "random.h"

/**
 * struct cell_outages - where a channel's outages stand
 * @random: decides about jitter, or lengths and times between
 * @count: how many there have been
 * @end: when the last of them ended
 */
struct cell_outages {
	struct cell_random random;
	u64 count;
	u64 end;
};

/**
 * cell_outages_start() - begin anew
 * @o: written
 * @cfg: with the seed
 */
static inline void cell_outages_start(struct cell_outages *o,
				      const struct cell_config *cfg)
{
	*o = (struct cell_outages){};
	cell_random_seed(&o->random, cfg->seed, CELL_STREAM_OUTAGES);
}

static inline bool cell_outages_listed(const struct cell_outages *o,
				       const struct cell_schedule *schedule,
				       struct cellink_outage *next)
{
	if (o->count >= schedule->count)
		return false;
	/* in a request it may not be aligned */
	memcpy(next, schedule->list + o->count, sizeof(*next));
	return true;
}

static inline void cell_outages_constant(struct cell_outages *o,
					 const struct cell_outage_config *cfg,
					 struct cellink_outage *next)
{
	next->start = cfg->start + o->count * cfg->every +
		      cell_random_below(&o->random, cfg->jitter + 1);
	next->length = cfg->length;
}

static inline void cell_outages_exponential(struct cell_outages *o,
					    const struct cell_outage_config *cfg,
					    struct cellink_outage *next)
{
	next->start = cfg->start;
	if (o->count)
		next->start = o->end + cell_random_time(&o->random,
							cfg->every - cfg->length);
	next->length = cell_random_time(&o->random, cfg->length);
}

/**
 * cell_outages_next() - the next outage
 * @o: where they stand
 * @cfg: what they began with
 * @next: it, written if there is one
 *
 * Return: whether there is one
 */
static inline bool cell_outages_next(struct cell_outages *o,
				     const struct cell_config *cfg,
				     struct cellink_outage *next)
{
	const struct cell_outage_config *outage = &cfg->outage;

	if (cfg->schedule.count) {
		if (!cell_outages_listed(o, &cfg->schedule, next))
			return false;
	} else if (!outage->length || (o->count && !outage->every)) {
		return false;
	} else if (outage->law == CELLINK_LAW_CONSTANT) {
		cell_outages_constant(o, outage, next);
	} else {
		cell_outages_exponential(o, outage, next);
	}
	o->count++;
	o->end = next->start + next->length;
	return true;
}

#endif /* _CELLINK_OUTAGE_H */
