/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a radio does to packets: loses them whole, flips bits, and is in a good or a bad
 * state in which it does so more or less often.
 *
 * The states alternate in time: good and bad sojourns, exponential or constant (Gilbert
 * 1960, Elliott 1963, in continuous time as Xylomenos has it). A channel without a bad
 * state is good for ever. Bit errors are independent, so the number of good bits before
 * the next bad one is geometric; it is drawn at once:
 *
 *	gap = floor(e / -ln(1 - p)),	e exponential of mean 1, p the bit error rate
 *
 * Each kind of chance has a generator of its own: the packets that a loss rate takes are
 * the same whatever the sojourns are.
 */
#ifndef _CELLINK_ERRORS_H
#define _CELLINK_ERRORS_H

#include <linux/cellink.h>
#include <linux/skbuff.h>
#include <net/fl_random.h>

/* Each generator of a direction's seed has a stream of its own; outage.h has the next one. */
enum {
	CELL_STREAM_LOSS,
	CELL_STREAM_BITS,
	CELL_STREAM_SOJOURNS,
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
 * struct cell_errors_config - the chances of a channel
 * @state: by enum cellink_state; only with both sojourns does the bad one count
 * @law: enum cellink_law, of the sojourns
 */
struct cell_errors_config {
	struct cell_state_config state[CELLINK_STATES];
	u8 law;
};

/**
 * struct cell_errors - where a channel's chances stand
 * @loss: decides which packets are lost
 * @bits: decides which bits are bad
 * @sojourns: decides how long states last
 * @state: enum cellink_state
 * @decay: by state, -ln(1 - bit error rate) * 2^64, 0 for no bit errors
 * @gap: good bits before the next bad one, where the state has bad ones
 */
struct cell_errors {
	struct fl_random loss;
	struct fl_random bits;
	struct fl_random sojourns;
	int state;
	u64 decay[CELLINK_STATES];
	u64 gap;
};

static inline void cell_errors_draw_gap(struct cell_errors *e)
{
	u64 decay = e->decay[e->state];

	/* both with as many bits as there is room for: 45 * 2^32 * 2^25 < 2^63 */
	if (decay)
		e->gap = div64_u64(fl_random_exponential(&e->bits) << 25,
				   decay >> 7);
}

/**
 * cell_errors_loses() - whether a packet is lost whole
 * @e: the chances
 * @cfg: the configuration they began with
 */
static inline bool cell_errors_loses(struct cell_errors *e,
				     const struct cell_errors_config *cfg)
{
	const u32 loss = cfg->state[e->state].loss;

	return loss && fl_random_below(&e->loss, 1000000) < loss;
}

/**
 * cell_errors_bad_bit() - look for a bad bit among the next ones
 * @e: the chances
 * @bits: how many are looked at
 * @at: how many good ones come before the bad one, written if there is one
 *
 * Return: whether there is one; then those behind it have not been looked at
 */
static inline bool cell_errors_bad_bit(struct cell_errors *e, u64 bits, u64 *at)
{
	if (!e->decay[e->state])
		return false;
	if (e->gap >= bits) {
		e->gap -= bits;
		return false;
	}
	*at = e->gap;
	cell_errors_draw_gap(e);
	return true;
}

void cell_errors_start(struct cell_errors *e,
		       const struct cell_errors_config *cfg, u32 seed);
u64 cell_errors_sojourn(struct cell_errors *e,
			const struct cell_errors_config *cfg);
void cell_errors_turn(struct cell_errors *e);
bool cell_damage(struct sk_buff *skb, struct cell_errors *e, u64 at,
		 bool tolerant_only);

#endif /* _CELLINK_ERRORS_H */
