/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that depend on the seed only, and are the same on every kernel.
 *
 * The generator is SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast Splittable Pseudorandom Number
 * Generators", OOPSLA 2014). SplitMix64 mixes the bits of a counter. The kernel's seeded generator
 * (prandom_u32_state()) is linear. In a linear generator, two seeds that differ in one bit have
 * related streams. Exponential variates are -ln(u), in fixed point with 32 fractional bits.
 */
#ifndef _NET_FL_RANDOM_H
#define _NET_FL_RANDOM_H

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/types.h>

#define FL_LN2_Q32	2977044472U	/* ln 2 * 2^32 */

/**
 * struct fl_random - a random number generator
 * @state: the counter
 */
struct fl_random {
	u64 state;
};

/**
 * fl_random_next() - draw 64 random bits
 * @r: the generator
 */
static inline u64 fl_random_next(struct fl_random *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * fl_random_seed() - start a generator
 * @r: the generator
 * @seed: the user's seed
 * @stream: number of the stream; two streams of the same seed have different numbers
 */
static inline void fl_random_seed(struct fl_random *r, u64 seed, u32 stream)
{
	r->state = seed;
	r->state = fl_random_next(r) + stream;
	r->state = fl_random_next(r);
}

/**
 * fl_random_below() - draw a uniform random number below a limit
 * @r: the generator
 * @limit: not 0
 */
static inline u64 fl_random_below(struct fl_random *r, u64 limit)
{
	return mul_u64_u64_shr(fl_random_next(r), limit, 64);
}

/**
 * fl_log2_q32() - binary logarithm in fixed point
 * @x: not 0
 *
 * Each step of the loop finds one fractional bit, because squaring a number doubles its logarithm.
 *
 * Return: log2(@x) * 2^32, rounded down
 */
static inline u64 fl_log2_q32(u64 x)
{
	const int whole = fls64(x) - 1;
	u64 m = (x << (63 - whole)) >> 1;	/* from 1 to 2, with 62 fractional bits */
	u64 log = whole;
	int i;

	for (i = 0; i < 32; i++) {
		m = mul_u64_u64_shr(m, m, 62);
		log = log << 1 | m >> 63;
		m >>= m >> 63;
	}
	return log;
}

/**
 * fl_random_exponential() - draw an exponential variate with mean 1
 * @r: the generator
 *
 * Return: the variate times 2^32, less than 45 * 2^32
 */
static inline u64 fl_random_exponential(struct fl_random *r)
{
	u64 log = fl_log2_q32(fl_random_next(r) | 1);

	return mul_u64_u32_shr((64ULL << 32) - log, FL_LN2_Q32, 32);
}

/**
 * fl_random_time() - draw an exponentially distributed time
 * @r: the generator
 * @mean: mean in ns, below 2^57
 *
 * Return: the time in ns, at least 1
 */
static inline u64 fl_random_time(struct fl_random *r, u64 mean)
{
	return mul_u64_u64_shr(mean, fl_random_exponential(r), 32) ?: 1;
}

#endif /* _NET_FL_RANDOM_H */
