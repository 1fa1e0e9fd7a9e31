// SPDX-License-Identifier: GPL-2.0-or-later
/* The time stamps of STAMP's packets: see timestamp.h. */
#include "timestamp.h"

#define SECOND			UINT64_C(1000000000)	/* ns */
#define FROM_1900_TO_1970	UINT64_C(2208988800)	/* s (RFC 868) */
#define ERROR_MAX		(UINT32_MAX * SECOND)	/* ns, more than any clock's error */

#define SYNCHRONIZED		0x8000
#define SCALE_SHIFT		8
#define MULTIPLIER_MAX		255

/* The unit 2^-32 s is shorter than a ns, so two times that differ by a ns also differ in the
 * result.
 */
uint64_t stamp_time(int64_t real_ns)
{
	uint64_t seconds = real_ns / SECOND + FROM_1900_TO_1970;
	uint64_t ns = real_ns % SECOND;

	return (seconds << 32) + ((ns << 32) + SECOND / 2) / SECOND;
}

/* The error is Multiplier * 2^Scale * 2^-32 s, and the Multiplier must not be 0. */
uint16_t stamp_error(uint64_t error_ns, bool is_synchronized)
{
	uint64_t ns = error_ns < ERROR_MAX ? error_ns : ERROR_MAX;
	uint64_t multiplier = (ns / SECOND << 32) +
			      ((ns % SECOND << 32) + SECOND - 1) / SECOND;
	unsigned int scale = 0;

	for (; multiplier > MULTIPLIER_MAX; scale++)
		multiplier = multiplier / 2 + multiplier % 2;
	return (is_synchronized ? SYNCHRONIZED : 0) | scale << SCALE_SHIFT |
	       (multiplier ? multiplier : 1);
}
