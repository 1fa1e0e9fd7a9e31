// SPDX-License-Identifier: GPL-2.0
/* Outages: times at which a channel sends nothing. */

#include <linux/string.h>
#include "outage.h"

/**
 * cell_outages_start() - start again with the first outage
 * @o: the channel's outages; written
 * @seed: seed of the direction
 */
void cell_outages_start(struct cell_outages *o, u32 seed)
{
	*o = (struct cell_outages){};
	fl_random_seed(&o->random, seed, CELL_STREAM_OUTAGES);
}

static bool cell_outages_listed(const struct cell_outages *o,
				const struct cell_schedule *schedule,
				struct cellink_outage *next)
{
	if (o->count >= schedule->count)
		return false;
	/* the memory of a netlink request may be unaligned */
	memcpy(next, schedule->list + o->count, sizeof(*next));
	return true;
}

static void cell_outages_constant(struct cell_outages *o,
				  const struct cell_outage_config *cfg,
				  struct cellink_outage *next)
{
	next->start = cfg->start + o->count * cfg->every +
		      fl_random_below(&o->random, cfg->jitter + 1);
	next->length = cfg->length;
}

static void cell_outages_exponential(struct cell_outages *o,
				     const struct cell_outage_config *cfg,
				     struct cellink_outage *next)
{
	next->start = cfg->start;
	if (o->count)
		next->start = o->end + fl_random_time(&o->random,
						      cfg->every - cfg->length);
	next->length = fl_random_time(&o->random, cfg->length);
}

/**
 * cell_outages_next() - find the next outage
 * @o: the channel's outages
 * @cfg: the configuration; the same for all calls after cell_outages_start()
 * @next: set to the next outage, if there is one; its start is relative to the start of the outages
 *
 * Return: true if there is another outage
 */
bool cell_outages_next(struct cell_outages *o,
		       const struct cell_outage_config *cfg,
		       struct cellink_outage *next)
{
	if (cfg->schedule.count) {
		if (!cell_outages_listed(o, &cfg->schedule, next))
			return false;
	} else if (!cfg->length || (o->count && !cfg->every)) {
		return false;
	} else if (cfg->law == CELLINK_LAW_CONSTANT) {
		cell_outages_constant(o, cfg, next);
	} else {
		cell_outages_exponential(o, cfg, next);
	}
	o->count++;
	o->end = next->start + next->length;
	return true;
}
