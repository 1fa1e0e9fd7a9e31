// SPDX-License-Identifier: GPL-2.0
/* Counters: 64 bit on every machine, one set for each CPU. */

#include "config.h"

/* Packets of this host pass in process context too, and softirqs count. */
static void xlo_counter_add(struct xlo_counters *c, u64_stats_t *counter)
{
	u64_stats_update_begin(&c->syncp);
	u64_stats_inc(counter);
	u64_stats_update_end(&c->syncp);
}

/**
 * xlo_count() - count one more
 * @xn: the namespace
 * @which: the counter
 */
void xlo_count(const struct xlo_net *xn, enum xlo_stats which)
{
	struct xlo_counters *c;

	local_bh_disable();
	c = this_cpu_ptr(xn->counters);
	xlo_counter_add(c, &c->count[which]);
	local_bh_enable();
}

/**
 * xlo_count_profile() - count a packet that a profile stamped
 * @xn: the namespace
 * @slot: the profile's
 */
void xlo_count_profile(const struct xlo_net *xn, u8 slot)
{
	struct xlo_counters *c;

	local_bh_disable();
	c = this_cpu_ptr(xn->counters);
	xlo_counter_add(c, &c->profile[slot]);
	local_bh_enable();
}

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
