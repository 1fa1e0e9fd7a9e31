/* SPDX-License-Identifier: GPL-2.0 */
/* What can be set of one direction. */
#ifndef _CELLINK_CONFIG_H
#define _CELLINK_CONFIG_H

#include <linux/cellink.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/types.h>

/* Of the generators of one seed. */
enum cell_stream {
	CELL_STREAM_LOSS,
	CELL_STREAM_BITS,
	CELL_STREAM_SOJOURNS,
	CELL_STREAM_OUTAGES,
};

/**
 * struct cell_state_config - a state of a channel
 * @sojourn: mean time in ns that it lasts, 0 for ever
 * @ber: chance in 10^-12 that a bit is bad
 * @loss: chance in millionths that a packet is lost
 */
struct cell_state_config {
	u64 sojourn;
	u64 ber;
	u32 loss;
};

/**
 * struct cell_outage_config - outages that follow a law
 * @length: how long they last in ns, 0 for none
 * @start: ns until the first
 * @every: ns from one start to the next, 0 for one alone
 * @jitter: ns that each may start later
 * @law: enum cellink_law
 */
struct cell_outage_config {
	u64 length;
	u64 start;
	u64 every;
	u64 jitter;
	u8 law;
};

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
 * struct cell_config - one direction as it is set
 * @rate: bytes/s, 0 for unlimited
 * @delay: propagation delay in ns
 * @ring_packets: packets that the ring holds
 * @ring_bytes: bytes that the ring holds, 0 for no limit
 * @seed: of all that is random
 * @state: by enum cellink_state; only with both sojourns does the bad one count
 * @sojourn: enum cellink_law
 * @corrupt: enum cellink_corrupt
 * @outage: outages by a law
 * @schedule: outages by a list; not both
 * @handover: enum cellink_handover, of one change
 */
struct cell_config {
	u64 rate;
	u64 delay;
	u32 ring_packets;
	u32 ring_bytes;
	u32 seed;
	struct cell_state_config state[CELLINK_STATES];
	u8 sojourn;
	u8 corrupt;
	struct cell_outage_config outage;
	struct cell_schedule schedule;
	u8 handover;
};

/**
 * cell_config_init() - what holds for a direction of which nothing is said
 * @cfg: written
 */
static inline void cell_config_init(struct cell_config *cfg)
{
	*cfg = (struct cell_config){
		.ring_packets = CELLINK_RING_PACKETS_DEFAULT,
		.seed = get_random_u32(),
		.outage.law = CELLINK_LAW_CONSTANT,
	};
}

/**
 * cell_config_has_states() - whether there is a bad state beside the good one
 * @cfg: the configuration
 */
static inline bool cell_config_has_states(const struct cell_config *cfg)
{
	return cfg->state[CELLINK_STATE_BAD].sojourn;
}

/**
 * cell_config_judges() - whether chance decides about each packet
 * @cfg: the configuration
 */
static inline bool cell_config_judges(const struct cell_config *cfg)
{
	int state;

	for (state = 0; state < CELLINK_STATES; state++)
		if (cfg->state[state].loss || cfg->state[state].ber)
			return true;
	return false;
}

/**
 * cell_config_same_errors() - whether two configurations have the same chances
 * @one: a configuration
 * @other: another
 */
static inline bool cell_config_same_errors(const struct cell_config *one,
					   const struct cell_config *other)
{
	int i;

	for (i = 0; i < CELLINK_STATES; i++)
		if (one->state[i].sojourn != other->state[i].sojourn ||
		    one->state[i].ber != other->state[i].ber ||
		    one->state[i].loss != other->state[i].loss)
			return false;
	return one->seed == other->seed && one->sojourn == other->sojourn;
}

/**
 * cell_config_has_outages() - whether there are any
 * @cfg: the configuration
 */
static inline bool cell_config_has_outages(const struct cell_config *cfg)
{
	return cfg->outage.length || cfg->schedule.count;
}

/**
 * cell_config_same_outages() - whether two configurations have the same outages
 * @one: a configuration
 * @other: another
 */
static inline bool cell_config_same_outages(const struct cell_config *one,
					    const struct cell_config *other)
{
	const struct cell_outage_config *a = &one->outage, *b = &other->outage;

	return one->seed == other->seed && a->length == b->length &&
	       a->start == b->start && a->every == b->every &&
	       a->jitter == b->jitter && a->law == b->law &&
	       one->schedule.count == other->schedule.count &&
	       !memcmp(one->schedule.list, other->schedule.list,
		       one->schedule.count * sizeof(*one->schedule.list));
}

#endif /* _CELLINK_CONFIG_H */
