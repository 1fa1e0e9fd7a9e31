/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers. The same seed gives the same numbers on every computer. */
#ifndef FRESHLINK_RANDOM_H
#define FRESHLINK_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * random_next - return the next 64 random bits
 * @state: state of the generator, which is the seed before the first call; updated
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

/** random_between - return a uniform random number from @min to @max */
static inline uint64_t random_between(uint64_t *state, uint64_t min,
				      uint64_t max)
{
	/* the bias is under 2^-22 if the span is below 2^42 */
	return min + random_next(state) % (max - min + 1);
}

/** random_unit - return a uniform random number above 0 and at most 1 */
static inline double random_unit(uint64_t *state)
{
	return ((random_next(state) >> 11) + 1) * 0x1p-53;
}

/**
 * random_exponential - return a random number with the exponential distribution
 * @state: as above
 * @mean: the mean, above 0
 *
 * The method is from Von Neumann (Various Techniques Used in Connection with Random Digits,
 * 1951). Draw a number x below the mean, and then more numbers while each number is less than
 * the previous number. The count of these numbers, including x, is odd with probability
 * e^-(x/mean). If the count is odd, x is accepted. If the count is even, the procedure starts
 * again, and the mean is added to the result. The method uses only comparisons, which have the
 * same result on all computers. Logarithms may differ between computers.
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
 * random_geometric - return a random number with the geometric distribution, at least 1
 * @state: as above
 * @mean: the mean, at least 1
 *
 * The number counts trials up to the first success, if each trial succeeds with probability
 * 1/@mean.
 */
static inline uint64_t random_geometric(uint64_t *state, uint64_t mean)
{
	uint64_t trials = 1;

	while (random_between(state, 1, mean) > 1)
		trials++;
	return trials;
}

/**
 * random_pareto - return a random number with the Pareto distribution and a cut-off
 * @state: as above
 * @alpha: the shape, in millionths
 * @least: the minimum, above 0 and not below @alpha/10^6. The result is a whole number, so a
 *	greater @least makes its relative rounding error smaller
 * @cutoff: the maximum, which replaces all greater numbers; below 2^64/10^6
 *
 * The number is more than x with probability (@least/x)^@alpha. The first event of a Poisson
 * process that starts at @least and has the rate @alpha/x at x has the same distribution. The
 * event is found by thinning (Lewis, Shedler: Simulation of Nonhomogeneous Poisson Processes,
 * Naval Research Logistics Quarterly, 1979). The next candidate x is drawn with the rate at the
 * last candidate, and is accepted with probability last/x. The method uses only whole numbers.
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
