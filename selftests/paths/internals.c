// SPDX-License-Identifier: GPL-2.0-or-later
/* The only file that knows the module's own structures. The script "build" includes the header that
 * declares struct lpd_sched_data.
 */

#include "sim.h"

/* Returns the memory that the queue counts, which no counter shows. */
u64 sim_memory(struct Qdisc *sch)
{
	const struct lpd_sched_data *q = qdisc_priv(sch);

	return q->memory;
}
