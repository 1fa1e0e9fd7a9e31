// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A repeatable getrandom(). The command "lab/uml --seed" preloads this library into the User-Mode
 * Linux process. The guest kernel's random numbers then depend only on the seed. The generator is
 * xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
 * 2016).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

static uint64_t seeded(void)
{
	const char *seed = getenv("FL_SEED");

	return seed ? strtoull(seed, NULL, 10) * 0x9e3779b97f4a7c15u | 1 : 1;
}

ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	static uint64_t state;
	uint8_t *byte = buf;

	(void)flags;
	if (!state)
		state = seeded();
	for (size_t i = 0; i < len; i++) {
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		byte[i] = state * 0x2545f4914f6cdd1du >> 56;
	}
	return len;
}
