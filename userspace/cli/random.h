/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that a seed repeats, the same on every machine. */
#ifndef FRESHLINK_RANDOM_H
#define FRESHLINK_RANDOM_H

#include <stdint.h>

/**
 * random_next - the next 64 random bits
 * @state: the seed at first; advanced
 *
 * SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014, figure 17).
 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/** random_between - a number from @min to @max, each as likely */
static inline uint64_t random_between(uint64_t *state, uint64_t min,
				      uint64_t max)
{
	/* the bias of a span below 2^42 is under 2^-22 */
	return min + random_next(state) % (max - min + 1);
}

/** random_unit - a number above 0 and at most 1 */
static inline double random_unit(uint64_t *state)
{
	return ((random_next(state) >> 11) + 1) * 0x1p-53;
}

#endif
