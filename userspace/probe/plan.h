/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which probes freshlink probe sends, and until when it waits for answers. Only computes. */
#ifndef FRESHLINK_PROBE_PLAN_H
#define FRESHLINK_PROBE_PLAN_H

#include <stdint.h>

#include "judge.h"

#define PROBE_ROUND	8	/* probes of a round: two of each kind */
#define PROBE_ROUNDS	8	/* rounds at most: 64 probes */
#define PROBE_MAX	(PROBE_ROUNDS * PROBE_ROUND)

#define PROBE_TIME	INT64_C(5000000000)	/* ns that all rounds take at most */
#define PROBE_SPACING	INT64_C(15000000)	/* ns from one probe of a round to the next */

/**
 * probe_round - choose the order of a round's probes
 * @kinds: written
 * @state: state of the random numbers, any value at first; updated
 *
 * The order is random, because a path may treat a burst's first packets otherwise than its last.
 */
void probe_round(enum probe_kind kinds[PROBE_ROUND], uint64_t *state);

/**
 * probe_patience - how long a round waits for answers after its last probe
 * @rtt: round-trip time, ns; 0: not known
 *
 * Return: a time in ns. A round trip may take thrice as long as the one measured; all rounds end in
 * time
 */
int64_t probe_patience(int64_t rtt);

#endif
