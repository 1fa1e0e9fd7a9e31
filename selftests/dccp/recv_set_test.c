// SPDX-License-Identifier: GPL-2.0-or-later
/* The set of receive rates keeps those of two round-trip times, three at most, as RFC 5348 sections
 * 4.3 and 8.2.2 have it. Prints TAP.
 */
#include <math.h>

#include "../../userspace/dccp/recv_set.h"
#include "../codec/unit.h"

static struct fdccp_recv_set set;

/* The latest two and the new one remain, if they are not too old. */
static bool add(void)
{
	fdccp_recv_set_replace(&set, 400, 10);
	MUST(set.count == 1 && fdccp_recv_set_greatest(&set) == 400);
	fdccp_recv_set_add(&set, 100, 10, 20);
	fdccp_recv_set_add(&set, 300, 10, 30);
	MUST(set.count == 3 && fdccp_recv_set_greatest(&set) == 400);
	/* a fourth one takes the place of the oldest */
	fdccp_recv_set_add(&set, 200, 10, 40);
	MUST(set.count == 3 && set.at[0].rate == 200 && set.at[2].rate == 100);
	MUST(fdccp_recv_set_greatest(&set) == 300);
	/* those from before 31 are too old */
	fdccp_recv_set_add(&set, 50, 31, 50);
	MUST(set.count == 2 && fdccp_recv_set_greatest(&set) == 200);
	fdccp_recv_set_add(&set, 10, 51, 60);
	MUST(set.count == 1 && set.at[0].at == 60 && fdccp_recv_set_greatest(&set) == 10);
	return true;
}

/* The rate before the first report is unlimited, and is no maximum. */
static bool maximize(void)
{
	fdccp_recv_set_replace(&set, INFINITY, 0);
	MUST(isinf(fdccp_recv_set_greatest(&set)));
	fdccp_recv_set_maximize(&set, 100, 10);
	MUST(set.count == 1 && set.at[0].rate == 100 && set.at[0].at == 10);
	fdccp_recv_set_add(&set, 300, 0, 20);
	fdccp_recv_set_maximize(&set, 200, 30);
	MUST(set.count == 1 && set.at[0].rate == 300 && set.at[0].at == 30);
	return true;
}

static bool halve(void)
{
	fdccp_recv_set_replace(&set, 100, 0);
	fdccp_recv_set_add(&set, 50, 0, 10);
	fdccp_recv_set_halve(&set);
	MUST(set.count == 2 && set.at[0].rate == 25 && set.at[1].rate == 50);
	return true;
}

int main(void)
{
	static const struct unit tests[] = {
		{ "three rates of two round-trip times are kept", add },
		{ "the greatest rate replaces the set", maximize },
		{ "each rate is halved", halve },
	};

	return unit_run(tests, sizeof(tests) / sizeof(tests[0])) != 0;
}
