// SPDX-License-Identifier: GPL-2.0-or-later
/* Random requests that configure the qdisc. */

#include <linux/pkt_sched_lpd.h>
#include <net/netlink.h>
#include "sim.h"

static struct sk_buff *sim_request;

#define SIM_PUT(type, attribute, value)					\
	do {								\
		type value_ = (value);					\
									\
		nla_put(sim_request, attribute, sizeof(value_), &value_); \
		sim_say(" " #attribute "=%llu", (u64)value_);		\
	} while (0)

static u32 sim_limit(void)
{
	static const u32 limits[] = { 1, 2, 3, 8, 30, 100, 100, 1000, 1000, 3000 };

	return sim_pick(limits);
}

static u64 sim_rate(void)
{
	static const u64 rates[] = { 0, 0, 1250, 12500, 125000, 1250000, 125000000 };

	return sim_link_tells && sim_percent(50) ? TC_LPD_LINK : sim_pick(rates);
}

static u64 sim_delay(void)
{
	static const u64 delays[] = { 0, 0, 1, 999999, 5000000, 20000000, 500000000, 60000000000 };

	return sim_link_tells && sim_percent(50) ? TC_LPD_LINK : sim_pick(delays);
}

static u64 sim_lifetime(void)
{
	static const u64 lifetimes[] = { 0, 0, 0, 1, 1000000, 20000000, 150000000, 3600000000000 };

	return sim_pick(lifetimes);
}

static void sim_rule(void)
{
	struct nlattr *nest = nla_nest_start(sim_request, TCA_LPD_MATCH_RULE);
	u32 field = sim_below(3);

	if (field == 0)
		SIM_PUT(u32, TCA_LPD_RULE_MARK, sim_below(4));
	else if (field == 1)
		SIM_PUT(u8, TCA_LPD_RULE_DSCP, sim_below(4));
	else
		SIM_PUT(u32, TCA_LPD_RULE_PRIORITY, sim_below(4));
	SIM_PUT(u64, TCA_LPD_RULE_LIFETIME, sim_lifetime());
	if (sim_percent(50))
		SIM_PUT(u8, TCA_LPD_RULE_STALE,
			TC_LPD_STALE_FORWARD + sim_below(TC_LPD_STALE_MAX));
	SIM_PUT(u8, TCA_LPD_RULE_IMPORTANCE, sim_below(4));
	nla_nest_end(sim_request, nest);
}

static void sim_rules(void)
{
	struct nlattr *nest = nla_nest_start(sim_request, TCA_LPD_MATCH);
	u32 n = sim_below(5);

	while (n--)
		sim_rule();
	nla_nest_end(sim_request, nest);
}

static void sim_configure_queue(u32 percent)
{
	static const u32 memories[] = { 65536, 65536, 200000, 1000000, 32 << 20, 32 << 20 };

	if (sim_percent(percent))
		SIM_PUT(u32, TCA_LPD_LIMIT, sim_limit());
	if (sim_percent(percent))
		SIM_PUT(u32, TCA_LPD_MEMORY, sim_pick(memories));
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_ORDER, sim_below(TC_LPD_ORDER_MAX + 1));
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_OVERFLOW, sim_below(TC_LPD_OVERFLOW_MAX + 1));
}

static void sim_configure_expiry(u32 percent)
{
	if (sim_percent(percent))
		SIM_PUT(u64, TCA_LPD_RATE, sim_rate());
	if (sim_percent(percent))
		SIM_PUT(u64, TCA_LPD_DELAY, sim_delay());
	if (sim_percent(percent))
		SIM_PUT(u64, TCA_LPD_LIFETIME, sim_lifetime());
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_STALE,
			sim_percent(60) ? TC_LPD_STALE_HONOR : sim_below(TC_LPD_STALE_MAX + 1));
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_EXEMPT, sim_below(2));
	if (sim_percent(percent / 2))
		sim_rules();
}

static void sim_configure_packets(u32 percent)
{
	static const u32 keeps[] = { 0, 0, 0, 8, 12, 33, 65535 };

	if (sim_percent(percent))
		SIM_PUT(u32, TCA_LPD_KEEP, sim_pick(keeps));
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_ADU, sim_below(2));
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_STRIP, sim_percent(20));
	if (sim_percent(percent))
		SIM_PUT(u8, TCA_LPD_NOTIFY, sim_below(2));
}

static void sim_request_begin(void)
{
	if (!sim_request) {
		sim_request = sim_skb_empty(4096);
		sim_skbs--;
	}
	sim_request->tail = sim_request->len = 0;
	nla_put(sim_request, TCA_OPTIONS, 0, NULL);
}

static struct nlattr *sim_request_end(void)
{
	struct nlattr *options = (struct nlattr *)sim_request->data;

	nla_nest_end(sim_request, options);
	return options;
}

/* With most values of the other parameters, few packets take a fast path. */
static void sim_configure_usual(void)
{
	static const u64 rates[] = { 0, 0, 1250000, 125000000 };

	SIM_PUT(u32, TCA_LPD_LIMIT, sim_percent(50) ? 1000 : sim_limit());
	SIM_PUT(u8, TCA_LPD_ORDER, sim_below(TC_LPD_ORDER_MAX + 1));
	SIM_PUT(u8, TCA_LPD_OVERFLOW, sim_below(TC_LPD_OVERFLOW_STALEST + 1));
	SIM_PUT(u64, TCA_LPD_RATE, sim_pick(rates));
	SIM_PUT(u64, TCA_LPD_DELAY, sim_percent(70) ? 0 : sim_pick_wide(20000000));
}

/* Draws a configuration for a new qdisc, or changes of a few parameters. */
struct nlattr *sim_configuration(bool first)
{
	u32 percent = first ? 60 : 15;

	sim_request_begin();
	/* most sequences have no class, because its packets are never fast */
	if (first || sim_percent(5))
		SIM_PUT(u32, TCA_LPD_SHARE, sim_percent(75) ? 0 : 1 + sim_below(99));
	if (sim_percent(first ? 60 : 20)) {
		sim_configure_usual();
		return sim_request_end();
	}
	sim_configure_queue(percent);
	sim_configure_expiry(percent);
	sim_configure_packets(percent);
	return sim_request_end();
}

struct nlattr *sim_simple_configuration(const struct sim_simple *simple)
{
	sim_request_begin();
	SIM_PUT(u32, TCA_LPD_LIMIT, 10000);
	SIM_PUT(u8, TCA_LPD_ORDER, simple->edf ? TC_LPD_ORDER_EDF : TC_LPD_ORDER_FIFO);
	SIM_PUT(u32, TCA_LPD_SHARE, simple->share);
	SIM_PUT(u64, TCA_LPD_RATE, simple->rate);
	SIM_PUT(u64, TCA_LPD_DELAY, simple->delay);
	SIM_PUT(u8, TCA_LPD_STRIP, simple->strip);
	return sim_request_end();
}
