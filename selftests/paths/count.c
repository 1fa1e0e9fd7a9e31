// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets whose instructions are counted. */

#include <linux/pkt_sched_lpd.h>
#include <linux/xlo.h>
#include "sim.h"

#define SIM_COUNTED	6		/* packets of a case */
#define SIM_GAP		1000000		/* ns between packets */

static const struct sim_case {
	const char *name;
	u32 depth;		/* packets that are queued already */
	struct sim_usual usual;
	struct sim_simple simple;
	bool expired;		/* all packets are cut when they are taken */
} sim_cases[] = {
	{ "plain", 100, { .plain = 100 } },
	{ "options, 1 queued", 1 },
	{ "options, 1000 queued", 1000 },
	{ "options, rate and delay", 1000, { }, { .rate = 1250000, .delay = 1000000 } },
	{ "options, half plain", 1000, { .plain = 50 } },
	{ "options, strip", 1000, { }, { .strip = true } },
	{ "options, class, half plain", 1000, { .plain = 50 }, { .share = 50 } },
	{ "edf, 1 queued", 1, { .spread = 1000 }, { .edf = true } },
	{ "edf, 100 queued", 100, { .spread = 1000 }, { .edf = true } },
	{ "edf, 1000 queued", 1000, { .spread = 1000 }, { .edf = true } },
	{ "edf, 1000 queued, any reorder", 1000, { .spread = 1000, .reorder = 255 }, { .edf = true } },
	{ "truncation", 1000, { .len = 500, .treatment = XLO_STALE_TRUNCATE }, { }, true },
};

static void sim_case_start(const struct sim_case *c)
{
	struct sim_usual usual = c->usual;
	u32 i;

	sim_seed(1);
	sim_begin(false);
	sim_now = NSEC_PER_SEC;
	usual.lifetime = c->expired ? 1000 : 10000;
	usual.len = usual.len ?: 60;
	usual.reorder = usual.reorder ?: 3;
	usual.treatment = usual.treatment ?: XLO_STALE_DISCARD;
	sim_mix_usual(&usual);
	sim_packets_begin();
	sim_limit_class(U32_MAX);
	sim_create(SIM_ROOT, sim_simple_configuration(&c->simple));
	for (i = 0; i < c->depth; i++) {
		sim_now += SIM_GAP / 1000;
		sim_enqueue(sim_packet());
	}
}

static void sim_case_enqueue(void)
{
	struct sk_buff *skb = sim_packet(), *to_free = NULL;

	host_mark(HOST_ENQUEUE);
	sim_lpd->enqueue(skb, sim_lpd, &to_free);
	host_mark(0);
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
}

static void sim_case_dequeue(void)
{
	struct sk_buff *skb;

	host_mark(HOST_DEQUEUE);
	skb = sim_lpd->dequeue(sim_lpd);
	host_mark(0);
	if (!skb)
		sim_fail("no packet is sent");
	sim_skb_free(skb);
}

static void sim_case_end(void)
{
	sim_destroy();
	sim_packets_end();
}

const char *count_name(unsigned int number)
{
	return number < ARRAY_SIZE(sim_cases) ? sim_cases[number].name : NULL;
}

void count_run(unsigned int number)
{
	const struct sim_case *c = &sim_cases[number];
	u32 i;

	sim_case_start(c);
	if (c->expired)
		sim_now += 2 * NSEC_PER_SEC;
	for (i = 0; i < SIM_COUNTED; i++) {
		sim_now += SIM_GAP;
		if (!c->expired)
			sim_case_enqueue();
		sim_case_dequeue();
	}
	sim_case_end();
}
