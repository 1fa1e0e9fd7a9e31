// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's throughput equation and its inverse. */
#include <math.h>

#include "tfrc.h"

#define SECOND	1e9

/* f(p) of RFC 5348 section 8.1: X_Bps = s / (R f(p)). It rises with p. */
static double f(double p)
{
	return sqrt(2 * p / 3) + 12 * sqrt(3 * p / 8) * p * (1 + 32 * p * p);
}

double fdccp_tfrc_rate(double size, int64_t rtt, double p)
{
	return size * SECOND / (rtt * f(p > 1 ? 1 : p));
}

uint32_t fdccp_tfrc_interval(double size, int64_t rtt, double rate)
{
	double least = size * SECOND / (2.0 * rtt);
	double target = size * SECOND / (rtt * (rate > least ? rate : least));
	uint32_t low = 1, high = FDCCP_INTERVAL_MAX;

	/* the shortest interval whose f(1/interval) does not exceed the target */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f(1.0 / middle) > target)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
