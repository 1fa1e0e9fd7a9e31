// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells how a step has changed the counters, and checks that no packet is missing. */

#include <linux/pkt_sched_lpd.h>
#include <net/netlink.h>
#include "sim.h"

/* The counters that are compared. Those after the last of them say how the module has found a
 * result, and may differ.
 */
#define SIM_COUNTERS	(TCA_LPD_STATS_LINK_DELAY + 1)
/* The counters after them: the packets that took the fast path, and others by reasons. An older tree
 * has no such counters.
 */
#define SIM_PATHS	5

static const char * const sim_names[SIM_COUNTERS] = {
	[TCA_LPD_STATS_PACKETS_IN]		= "packets_in",
	[TCA_LPD_STATS_PACKETS_OUT]		= "packets_out",
	[TCA_LPD_STATS_STALE_ENQUEUE]		= "stale_enqueue",
	[TCA_LPD_STATS_STALE_DEQUEUE]		= "stale_dequeue",
	[TCA_LPD_STATS_STALE_PEEK]		= "stale_peek",
	[TCA_LPD_STATS_STALE_PURGE]		= "stale_purge",
	[TCA_LPD_STATS_STALE_TIMER]		= "stale_timer",
	[TCA_LPD_STATS_UNCUTTABLE]		= "uncuttable",
	[TCA_LPD_STATS_ADU]			= "adu",
	[TCA_LPD_STATS_OVERFLOW_LIMIT]		= "overflow_limit",
	[TCA_LPD_STATS_OVERFLOW_MEMORY]		= "overflow_memory",
	[TCA_LPD_STATS_NOMEM]			= "nomem",
	[TCA_LPD_STATS_RESET]			= "reset",
	[TCA_LPD_STATS_STALE_FORWARDED]		= "stale_forwarded",
	[TCA_LPD_STATS_TRUNCATED]		= "truncated",
	[TCA_LPD_STATS_TRUNCATED_BYTES]		= "truncated_bytes",
	[TCA_LPD_STATS_REORDERED]		= "reordered",
	[TCA_LPD_STATS_STRIPPED]		= "stripped",
	[TCA_LPD_STATS_UNTRACKED]		= "untracked",
	[TCA_LPD_STATS_NO_LIFETIME]		= "no_lifetime",
	[TCA_LPD_STATS_DEFAULT_LIFETIME]	= "default_lifetime",
	[TCA_LPD_STATS_MALFORMED]		= "malformed",
	[TCA_LPD_STATS_RESERVED]		= "reserved",
	[TCA_LPD_STATS_REWRITTEN]		= "rewritten",
	[TCA_LPD_STATS_NOTIFIED]		= "notified",
	[TCA_LPD_STATS_QUEUED]			= "queued",
	[TCA_LPD_STATS_PROBES]			= "probes",
	[TCA_LPD_STATS_PROBE_OVERFLOW]		= "probe_overflow",
	[TCA_LPD_STATS_UNSEGMENTED]		= "unsegmented",
	[TCA_LPD_STATS_GATE]			= "gate",
	[TCA_LPD_STATS_GATE_WINDOW]		= "gate_window",
	[TCA_LPD_STATS_GATE_RATE]		= "gate_rate",
	[TCA_LPD_STATS_GATE_DELAY]		= "gate_delay",
	[TCA_LPD_STATS_GATE_BYTES]		= "gate_bytes",
	[TCA_LPD_STATS_GATE_ACKED]		= "gate_acked",
	[TCA_LPD_STATS_GATE_CLOSED_NS]		= "gate_closed_ns",
	[TCA_LPD_STATS_GATE_TIMEOUTS]		= "gate_timeouts",
	[TCA_LPD_STATS_CLASS_DROPS]		= "class_drops",
	[TCA_LPD_STATS_MATCHED]			= "matched",
	[TCA_LPD_STATS_LINK_RATE]		= "link_rate",
	[TCA_LPD_STATS_LINK_DELAY]		= "link_delay",
};

/* The reasons for which a packet does not leave */
static const u8 sim_causes[] = {
	TCA_LPD_STATS_STALE_ENQUEUE, TCA_LPD_STATS_STALE_DEQUEUE, TCA_LPD_STATS_STALE_PEEK,
	TCA_LPD_STATS_STALE_PURGE, TCA_LPD_STATS_STALE_TIMER, TCA_LPD_STATS_UNCUTTABLE,
	TCA_LPD_STATS_ADU, TCA_LPD_STATS_OVERFLOW_LIMIT, TCA_LPD_STATS_OVERFLOW_MEMORY,
	TCA_LPD_STATS_NOMEM, TCA_LPD_STATS_RESET, TCA_LPD_STATS_PROBE_OVERFLOW,
	TCA_LPD_STATS_UNSEGMENTED, TCA_LPD_STATS_CLASS_DROPS,
};

/* All that counters show at one time */
struct sim_snapshot {
	u64 stats[SIM_COUNTERS];
	u64 remaining[TC_LPD_HIST_BUCKETS];
	u64 general[7];
	u64 paths[SIM_PATHS];
};

static const char * const sim_general[7] = {
	"qlen", "backlog", "drops", "overlimits", "sent", "sent_bytes", "memory",
};

static struct sim_snapshot sim_before;
static u64 sim_paths[SIM_PATHS];	/* of all sequences */
static struct sk_buff *sim_answer;

void sim_counters_begin(void)
{
	memset(&sim_before, 0, sizeof(sim_before));
	if (!sim_answer) {
		sim_answer = sim_skb_empty(4096);
		sim_skbs--;
	}
}

static void sim_read_general(u64 *general)
{
	general[0] = sim_lpd->q.qlen;
	general[1] = sim_lpd->qstats.backlog;
	general[2] = sim_lpd->qstats.drops;
	general[3] = sim_lpd->qstats.overlimits;
	general[4] = u64_stats_read(&sim_lpd->bstats.packets);
	general[5] = u64_stats_read(&sim_lpd->bstats.bytes);
	general[6] = sim_memory(sim_lpd);
}

static void sim_read(struct sim_snapshot *s)
{
	struct gnet_dump dump = { .skb = sim_answer };
	const struct nlattr *nest, *attr;
	int left;

	memset(s, 0, sizeof(*s));
	sim_answer->tail = sim_answer->len = 0;
	if (sim_lpd->ops->dump_stats(sim_lpd, &dump))
		sim_fail("the counters do not fit into an answer");
	nest = (const struct nlattr *)sim_answer->data;
	nla_for_each_nested(attr, nest, left)
		if (nla_type(attr) == TCA_LPD_STATS_REMAINING)
			memcpy(s->remaining, nla_data(attr), sizeof(s->remaining));
		else if (nla_type(attr) < SIM_COUNTERS)
			s->stats[nla_type(attr)] = nla_get_u64(attr);
		else if (nla_type(attr) < SIM_COUNTERS + SIM_PATHS)
			s->paths[nla_type(attr) - SIM_COUNTERS] = nla_get_u64(attr);
	sim_read_general(s->general);
}

static void sim_tell(const char *name, u64 before, u64 now)
{
	if (now != before)
		sim_say(" %s=%llu", name, now);
}

static void sim_balance(const struct sim_snapshot *s)
{
	u64 gone = s->stats[TCA_LPD_STATS_PACKETS_OUT] + s->stats[TCA_LPD_STATS_QUEUED];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sim_causes); i++)
		gone += s->stats[sim_causes[i]];
	if (gone != s->stats[TCA_LPD_STATS_PACKETS_IN])
		sim_fail("%llu packets in, but %llu out, dropped or queued",
			 s->stats[TCA_LPD_STATS_PACKETS_IN], gone);
	if (s->stats[TCA_LPD_STATS_QUEUED] != sim_lpd->q.qlen)
		sim_fail("%llu packets queued, but qlen is %u", s->stats[TCA_LPD_STATS_QUEUED],
			 sim_lpd->q.qlen);
}

/* Tells which counters have changed since the last call. */
void sim_counters(void)
{
	struct sim_snapshot s;
	u32 i;

	sim_read(&s);
	for (i = 0; i < SIM_COUNTERS; i++)
		sim_tell(sim_names[i], sim_before.stats[i], s.stats[i]);
	for (i = 0; i < TC_LPD_HIST_BUCKETS; i++)
		if (s.remaining[i] != sim_before.remaining[i])
			sim_say(" remaining[%u]=%llu", i, s.remaining[i]);
	for (i = 0; i < ARRAY_SIZE(sim_general); i++)
		sim_tell(sim_general[i], sim_before.general[i], s.general[i]);
	sim_balance(&s);
	sim_before = s;
}

/* Adds the packets of a sequence to those of all sequences, by their paths. */
void sim_counters_end(void)
{
	u32 i;

	for (i = 0; i < SIM_PATHS; i++)
		sim_paths[i] += sim_before.paths[i];
}

unsigned long long sequence_path(unsigned int path)
{
	return path < SIM_PATHS ? sim_paths[path] : 0;
}
