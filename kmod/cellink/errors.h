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

#include "config.h"
#include "random.h"

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
	struct cell_random loss;
	struct cell_random bits;
	struct cell_random sojourns;
	int state;
	u64 decay[CELLINK_STATES];
	u64 gap;
};

/**
 * cell_decay() - the rate at which the chance that all bits were good falls
 * @ber: bit error rate in 10^-12, at most CELLINK_BER_MAX
 *
 * Return: -ln(1 - @ber) * 2^64, by its series p + p^2 / 2 + p^3 / 3 + ...
 */
static inline u64 cell_decay(u64 ber)
{
	/* 2^96 / 10^12: 2^64 / 10^12 with 32 bits behind the point */
	const u64 p = mul_u64_u64_shr(ber, 79228162514264338ULL, 32);
	u64 power = p, sum = p;
	int k;

	for (k = 2; power; k++) {
		power = mul_u64_u64_shr(power, p, 64);
		sum += div_u64(power, k);
	}
	return sum;
}

static inline void cell_errors_draw_gap(struct cell_errors *e)
{
	u64 decay = e->decay[e->state];

	/* both with as many bits as there is room for: 45 * 2^32 * 2^25 < 2^63 */
	if (decay)
		e->gap = div64_u64(cell_random_exponential(&e->bits) << 25,
				   decay >> 7);
}

/**
 * cell_errors_start() - begin anew, in the good state
 * @e: written
 * @cfg: with the seed
 */
static inline void cell_errors_start(struct cell_errors *e,
				     const struct cell_config *cfg)
{
	int state;

	cell_random_seed(&e->loss, cfg->seed, CELL_STREAM_LOSS);
	cell_random_seed(&e->bits, cfg->seed, CELL_STREAM_BITS);
	cell_random_seed(&e->sojourns, cfg->seed, CELL_STREAM_SOJOURNS);
	e->state = CELLINK_STATE_GOOD;
	for (state = 0; state < CELLINK_STATES; state++)
		e->decay[state] = cell_decay(cfg->state[state].ber);
	cell_errors_draw_gap(e);
}

/**
 * cell_errors_sojourn() - how long the state lasts that has just begun
 * @e: the chances
 * @cfg: the configuration they began with; it has a bad state
 *
 * Return: in ns
 */
static inline u64 cell_errors_sojourn(struct cell_errors *e,
				      const struct cell_config *cfg)
{
	const u64 mean = cfg->state[e->state].sojourn;

	if (cfg->sojourn == CELLINK_LAW_CONSTANT)
		return mean;
	return cell_random_time(&e->sojourns, mean);
}

/**
 * cell_errors_turn() - the state ends, the other one begins
 * @e: the chances
 */
static inline void cell_errors_turn(struct cell_errors *e)
{
	e->state = !e->state;
	cell_errors_draw_gap(e);
}

/**
 * cell_errors_loses() - whether a packet is lost whole
 * @e: the chances
 * @cfg: the configuration they began with
 */
static inline bool cell_errors_loses(struct cell_errors *e,
				     const struct cell_config *cfg)
{
	const u32 loss = cfg->state[e->state].loss;

	return loss && cell_random_below(&e->loss, 1000000) < loss;
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

#endif /* _CELLINK_ERRORS_H */
