// SPDX-License-Identifier: GPL-2.0-or-later
/* The recent receive rates of CCID 3: RFC 5348 sections 4.3 and 8.2.2. */
#include <math.h>
#include <string.h>

#include "recv_set.h"

double fdccp_recv_set_greatest(const struct fdccp_recv_set *set)
{
	double rate = 0;

	for (unsigned int i = 0; i < set->count; i++)
		if (set->at[i].rate > rate)
			rate = set->at[i].rate;
	return rate;
}

void fdccp_recv_set_replace(struct fdccp_recv_set *set, double rate, int64_t now)
{
	set->at[0].rate = rate;
	set->at[0].at = now;
	set->count = 1;
}

void fdccp_recv_set_add(struct fdccp_recv_set *set, double rate, int64_t since, int64_t now)
{
	unsigned int keep = 0;

	while (keep < set->count && keep < FDCCP_RECV_SET - 1 && set->at[keep].at >= since)
		keep++;
	memmove(&set->at[1], &set->at[0], keep * sizeof(set->at[0]));
	set->at[0].rate = rate;
	set->at[0].at = now;
	set->count = keep + 1;
}

void fdccp_recv_set_maximize(struct fdccp_recv_set *set, double rate, int64_t now)
{
	for (unsigned int i = 0; i < set->count; i++)
		if (set->at[i].rate < INFINITY && set->at[i].rate > rate)
			rate = set->at[i].rate;
	fdccp_recv_set_replace(set, rate, now);
}

void fdccp_recv_set_halve(struct fdccp_recv_set *set)
{
	for (unsigned int i = 0; i < set->count; i++)
		set->at[i].rate /= 2;
}
