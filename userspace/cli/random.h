/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that a seed repeats, the same on every machine. */
#ifndef FRESHLINK_RANDOM_H
#define FRESHLINK_RANDOM_H

#include <stdbool.h>
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

/**
 * random_exponential - a number of the exponential distribution
 * @state: as above
 * @mean: its mean, above 0
 *
 * Von Neumann (Various Techniques Used in Connection with Random Digits, 1951):
 * a first number x out of those below the mean, then others as long as each is
 * less than the one before. An odd number of them, x included, has a chance of
 * e^-(x/mean), and x is taken; otherwise it begins anew, one mean further on.
 * That only compares, so all machines agree; their logarithms need not.
 */
static inline uint64_t random_exponential(uint64_t *state, uint64_t mean)
{
	uint64_t whole = 0, first, last, next;

	for (;; whole += mean) {
		bool odd = true;

		first = last = random_between(state, 0, mean - 1);
		while ((next = random_between(state, 0, mean - 1)) < last) {
			last = next;
			odd = !odd;
		}
		if (odd)
			return whole + first;
	}
}

/**
 * random_geometric - a number of the geometric distribution, from 1
 * @state: as above
 * @mean: its mean, at least 1
 *
 * How many trials it takes until one succeeds, which 1 in @mean does.
 */
static inline uint64_t random_geometric(uint64_t *state, uint64_t mean)
{
	uint64_t trials = 1;

	while (random_between(state, 1, mean) > 1)
		trials++;
	return trials;
}

/**
 * random_pareto - a number of the Pareto distribution with a cut-off
 * @state: as above
 * @alpha: its shape, in millionths
 * @least: the least there is, which is also how finely it is drawn; above 0,
 *	and not below @alpha/10^6
 * @cutoff: what is greater becomes this; below 2^64/10^6
 *
 * More than x has a chance of (@least/x)^@alpha, as if from @least on something
 * struck at a rate of @alpha/x for the first time. That is found by thinning
 * (Lewis, Shedler: Simulation of Nonhomogeneous Poisson Processes, Naval
 * Research Logistics Quarterly, 1979): at the rate of the last candidate comes
 * another one, x, and counts with a chance of last/x. Whole numbers again.
 */
static inline uint64_t random_pareto(uint64_t *state, uint64_t alpha,
				     uint64_t least, uint64_t cutoff)
{
	uint64_t last, x = least;

	do {
		last = x;
		x += random_exponential(state, last * 1000000 / alpha);
		if (x >= cutoff)
			return cutoff;
	} while (random_between(state, 1, x) > last);
	return x;
}

#endif
