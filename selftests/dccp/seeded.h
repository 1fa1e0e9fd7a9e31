/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that are the same in each run (splitmix64). */
#ifndef DCCP_SEEDED_H
#define DCCP_SEEDED_H

#include <stdbool.h>
#include <stdint.h>

static uint64_t seeded_state;

static inline uint64_t seeded(void)
{
	uint64_t z = seeded_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A number from 0 to @limit - 1. */
static inline uint64_t seeded_below(uint64_t limit)
{
	return seeded() % limit;
}

/* True in @millionths of 1 000 000 calls. */
static inline bool seeded_chance(unsigned int millionths)
{
	return seeded_below(1000000) < millionths;
}

#endif
