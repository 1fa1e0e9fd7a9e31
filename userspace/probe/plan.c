// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of probes, and their times: see plan.h. */
#include "plan.h"
#include "../cli/random.h"

#define MS	INT64_C(1000000)

#define PATIENCE_MIN	(200 * MS)
/* what is left of a round's share of the time */
#define PATIENCE_MAX	(PROBE_TIME / PROBE_ROUNDS - (PROBE_ROUND - 1) * PROBE_SPACING)

void probe_round(enum probe_kind kinds[PROBE_ROUND], uint64_t *state)
{
	for (int i = 0; i < PROBE_ROUND; i++) {
		int at = (int)random_between(state, 0, (uint64_t)i);

		kinds[i] = kinds[at];
		kinds[at] = i % PROBE_KINDS;
	}
}

int64_t probe_patience(int64_t rtt)
{
	int64_t patience = rtt < PATIENCE_MAX / 3 ? 3 * rtt : PATIENCE_MAX;

	if (rtt <= 0)
		return PATIENCE_MAX;
	return patience < PATIENCE_MIN ? PATIENCE_MIN : patience;
}
