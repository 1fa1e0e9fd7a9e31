// SPDX-License-Identifier: GPL-2.0-or-later
/* Random numbers, which depend on the seed only. */

#include "sim.h"

static u64 sim_state;

void sim_seed(u64 seed)
{
	sim_state = (seed + 1) * 0x9e3779b97f4a7c15u;
}

/* xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016) */
static u64 sim_random(void)
{
	sim_state ^= sim_state >> 12;
	sim_state ^= sim_state << 25;
	sim_state ^= sim_state >> 27;
	return sim_state * 0x2545f4914f6cdd1du;
}

/* Returns a number below @bound. */
u32 sim_below(u32 bound)
{
	return (sim_random() >> 32) * bound >> 32;
}

bool sim_percent(u32 percent)
{
	return sim_below(100) < percent;
}

/* Returns a number up to @bound; small numbers are as frequent as large ones. */
u64 sim_pick_wide(u64 bound)
{
	u64 limit = bound >> sim_below(fls64(bound) ?: 1);

	return limit == U64_MAX ? sim_random() : sim_random() % (limit + 1);
}
