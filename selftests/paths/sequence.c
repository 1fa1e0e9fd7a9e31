// SPDX-License-Identifier: GPL-2.0-or-later
/* A sequence of random operations on one qdisc. */

#include <linux/pkt_sched_lpd.h>
#include "sim.h"

/* How the sequence goes; shares are in percent */
static struct {
	u32 arrivals;		/* of enqueue and dequeue together, in this phase */
	u32 peeks;
	u32 changes;		/* of ten thousand */
	u32 gates;		/* requests to the gate, of thousand */
	u32 late;		/* of steps before which no timer fires */
	u32 failures;		/* of steps in which memory is short */
	u64 pause;		/* longest usual pause between steps, ns */
	u32 still;		/* of steps without a pause */
	u32 left;		/* steps of this phase */
} sim_plan;

static void sim_draw_plan(void)
{
	static const u32 parts[] = { 1, 10, 100, 100, 1000, 10000 };
	static const u32 changes[] = { 0, 0, 5, 50, 300 };
	static const u32 late[] = { 0, 0, 50, 100, 100 };
	static const u32 failures[] = { 0, 0, 0, 1, 10 };

	sim_plan.peeks = sim_percent(50) ? 0 : sim_below(50);
	sim_plan.changes = sim_pick(changes);
	sim_plan.gates = sim_percent(90) ? 0 : 1 + sim_below(20);
	sim_plan.late = sim_pick(late);
	sim_plan.failures = sim_pick(failures);
	/* so that few packets expire, or all */
	sim_plan.pause = sim_mix_lifetime() / sim_pick(parts) + 1;
	sim_plan.still = sim_below(100);
	sim_plan.left = 0;
}

/* Draws whether the queue grows or shrinks in the next steps. */
static void sim_draw_phase(void)
{
	static const u32 arrivals[] = { 10, 45, 50, 50, 55, 60, 80, 100 };

	if (sim_plan.left--)
		return;
	sim_plan.arrivals = sim_pick(arrivals);
	sim_plan.left = sim_pick_wide(3000);
}

static void sim_draw_link(void)
{
	if (!sim_percent(10))
		return;
	sim_link = (struct fl_link_quality){
		.delay_90 = sim_pick_wide(100000000), .least = sim_pick_wide(1000000),
		.rate = sim_pick_wide(10000000), .length = 100 + sim_below(1000),
		.idle = sim_percent(10),
	};
}

static s64 sim_pause(void)
{
	if (sim_below(500) == 0)
		return sim_pick_wide(70 * NSEC_PER_SEC);
	if (sim_percent(sim_plan.still))
		return 0;
	return sim_percent(50) ? sim_pick_wide(sim_plan.pause) : sim_below(U32_MAX) % sim_plan.pause;
}

/* Lets time pass. Timers fire at their times, or late. */
static void sim_pass(void)
{
	s64 until = sim_now + sim_pause();
	bool late = sim_percent(sim_plan.late);

	while (!late && sim_next_timer() <= until) {
		sim_now = max(sim_now, sim_next_timer());
		sim_say(" timer@%lld", sim_now);
		sim_fire_timer();
	}
	sim_now = until;
}

static void sim_step_enqueue(void)
{
	struct sk_buff *skb;

	sim_say(" enqueue ");
	skb = sim_packet();
	sim_no_memory = sim_percent(sim_plan.failures);
	sim_enqueue(skb);
}

static void sim_step_dequeue(void)
{
	struct sk_buff *skb;

	sim_say(" dequeue");
	sim_no_memory = sim_percent(sim_plan.failures);
	skb = sim_dequeue(sim_percent(10));
	if (skb)
		sim_sent(skb);
}

static void sim_step_peek(void)
{
	const struct sk_buff *skb;

	sim_say(" peek");
	sim_no_memory = sim_percent(sim_plan.failures);
	skb = sim_peek();
	if (!skb)
		return;
	sim_say(" #%lld:%u", skb->tstamp, qdisc_pkt_len(skb));
	sim_check_device(skb);
}

static void sim_step_change(void)
{
	struct nlattr *options;

	sim_count_enqueued();
	if (sim_percent(2)) {
		sim_say(" reset");
		return sim_reset();
	}
	sim_say(" change");
	options = sim_configuration(false);
	sim_no_memory = sim_percent(sim_plan.failures);
	sim_say(" = %d", sim_change(options));
}

static void sim_operate(void)
{
	if (sim_below(10000) < sim_plan.changes)
		sim_step_change();
	else if (sim_below(1000) < sim_plan.gates)
		sim_gate();
	else if (sim_percent(sim_plan.peeks))
		sim_step_peek();
	else if (sim_percent(sim_plan.arrivals))
		sim_step_enqueue();
	else
		sim_step_dequeue();
}

static void sim_step(u32 number)
{
	sim_say("%u: %lld", number, sim_now);
	sim_draw_phase();
	sim_draw_link();
	sim_pass();
	sim_operate();
	sim_no_memory = false;
	sim_counters();
	sim_say(" next %lld\n", sim_next_timer());
	sim_check_parents();
}

static void sim_start(void)
{
	enum sim_parents parents = sim_percent(50) ? SIM_ROOT : sim_below(4);

	sim_link_tells = sim_percent(10);
	sim_link = (struct fl_link_quality){ .rate = 100000, .length = 100 };
	sim_now = sim_pick_wide(1000000000 * NSEC_PER_SEC);
	sim_limit_class(1 + sim_below(200));
	sim_say("parents %u link %u", parents, sim_link_tells);
	sim_mix_draw();
	sim_draw_plan();
	sim_packets_begin();
	sim_counters_begin();
	sim_create(parents, sim_configuration(true));
	sim_say("\n");
}

static void sim_end(void)
{
	sim_count_enqueued();
	sim_counters_end();
	sim_destroy();
	sim_packets_end();
	if (sim_next_timer() != S64_MAX)
		sim_fail("a timer is left");
	if (sim_allocations || sim_skbs)
		sim_fail("%ld allocations and %ld packets are left", sim_allocations, sim_skbs);
}

unsigned long long sequence_run(unsigned long long seed, unsigned int steps, int show)
{
	u32 i;

	sim_seed(seed);
	sim_begin(show);
	sim_start();
	for (i = 0; i < steps; i++)
		sim_step(i);
	sim_end();
	return sim_digest();
}
