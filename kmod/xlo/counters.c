// SPDX-License-Identifier: GPL-2.0
/* Counters: 64 bit on every machine, one set for each CPU. */

#include "config.h"

/* The sum over all CPUs of the counter that is @offset into the struct. */
static u64 xlo_counter_sum(const struct xlo_net *xn, size_t offset)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct xlo_counters *c = per_cpu_ptr(xn->counters, cpu);
		const u64_stats_t *counter = (const void *)c + offset;
		unsigned int start;
		u64 value;

		do {
			start = u64_stats_fetch_begin(&c->syncp);
			value = u64_stats_read(counter);
		} while (u64_stats_fetch_retry(&c->syncp, start));
		sum += value;
	}
	return sum;
}

/**
 * xlo_counter() - read a counter
 * @xn: the namespace
 * @which: the counter
 */
u64 xlo_counter(const struct xlo_net *xn, enum xlo_stats which)
{
	return xlo_counter_sum(xn, offsetof(struct xlo_counters, count) +
				   which * sizeof(u64_stats_t));
}

/**
 * xlo_counter_profile() - read a profile's counter
 * @xn: the namespace
 * @slot: the profile's
 */
u64 xlo_counter_profile(const struct xlo_net *xn, u8 slot)
{
	return xlo_counter_sum(xn, offsetof(struct xlo_counters, profile) +
				   slot * sizeof(u64_stats_t));
}
