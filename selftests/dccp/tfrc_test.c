// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The throughput equation gives the rates of RFC 5348 section 3.1, and its inverse the shortest
 * loss interval whose rate reaches the target. The expected numbers were computed with Python's
 * decimal, with 40 digits, from the equation as section 3.1 has it, with t_RTO = 4 R and b = 1:
 *
 *	s / (R sqrt(2 b p / 3) + t_RTO (3 sqrt(3 b p / 8) p (1 + 32 p^2)))
 */
#include <math.h>

#include "../../userspace/dccp/tfrc.c"
#include "../codec/unit.h"

static bool rates(void)
{
	static const struct {
		double size, p, rate;
		int64_t rtt;
	} known[] = {
		{ 1460, 0.01, 164005.06216996978, 100000000 },
		{ 1000, 0.001, 959609.07847813645, 40000000 },
		{ 1000, 0.05, 92147.132823883934, 40000000 },
		{ 1, 1, 0.0041098821187637215, 1000000000 },
		{ 1200, 1e-7, 23237879.163153253, 200000000 },
		{ 500, 0.3, 194847.33160507056, 500000 },
		{ 1460, 0.1, 1033.7396134301332, 2500000000 },
		{ 64, 0.02, 46879.335468884543, 10000000 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		double rate = fdccp_tfrc_rate(known[i].size, known[i].rtt, known[i].p);

		MUST(fabs(rate - known[i].rate) <= 1e-12 * known[i].rate);
	}
	/* p above 1 has no meaning */
	MUST(fdccp_tfrc_rate(1, 1000000000, 2) == fdccp_tfrc_rate(1, 1000000000, 1));
	return true;
}

static bool intervals(void)
{
	static const struct {
		double size, rate;
		int64_t rtt;
		uint32_t interval;
	} known[] = {
		{ 1000, 100000, 100000000, 83 },
		{ 1460, 1250000, 40000000, 800 },
		{ 100, 1000, 1000000000, 83 },
		{ 1000, 5000, 100000000, 5 },		/* half a packet in a round-trip time */
		{ 1000, 1, 100000000, 5 },		/* less counts as that */
		{ 1000, 0, 100000000, 5 },
		{ 1200, 1e12, 50000000, FDCCP_INTERVAL_MAX },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		MUST(fdccp_tfrc_interval(known[i].size, known[i].rtt, known[i].rate) ==
		     known[i].interval);
	return true;
}

/* The interval's rate reaches the target, and that of an interval shorter by one does not. */
static bool inverse(void)
{
	for (uint32_t interval = 6; interval < 10000000; interval += interval / 5 + 1) {
		double rate = fdccp_tfrc_rate(1000, 70000000, 1.0 / interval);

		MUST(fdccp_tfrc_interval(1000, 70000000, rate * (1 - 1e-9)) == interval);
		MUST(fdccp_tfrc_interval(1000, 70000000, rate * (1 + 1e-9)) == interval + 1);
	}
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "the rate is that of RFC 5348 section 3.1", rates },
		{ "the first loss interval has known values", intervals },
		{ "the first loss interval is the inverse of the rate", inverse },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
