// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit.h"

#define SECOND	INT64_C(1000000000)

static unsigned int burst_of(unsigned int limit)
{
	return limit > 1 ? limit / 2 : 1;
}

static int64_t interval_of(unsigned int limit)
{
	return SECOND / (limit > 1 ? limit - burst_of(limit) : 1);
}

int64_t fdccp_limit_when(int64_t due, unsigned int limit)
{
	return due - (burst_of(limit) - 1) * interval_of(limit);
}

bool fdccp_limit_take(int64_t *due, unsigned int limit, int64_t now)
{
	if (fdccp_limit_when(*due, limit) > now)
		return false;
	if (*due < now)
		*due = now;
	*due += interval_of(limit);
	return true;
}
