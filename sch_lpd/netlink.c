// SPDX-License-Identifier: GPL-2.0
/* The netlink side of lpd: parses requests and fills in answers. */

#include <net/fl_range.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include "netlink.h"

/* Types only. lpd_ranges has the ranges, because its messages name them. */
static const struct nla_policy lpd_policy[TCA_LPD_MAX + 1] = {
	/* accepted because dumps contain it on machines that align 64-bit attributes */
	[TCA_LPD_PAD]		= { .type = NLA_FLAG },
	[TCA_LPD_LIMIT]		= { .type = NLA_U32 },
	[TCA_LPD_MEMORY]	= { .type = NLA_U32 },
	[TCA_LPD_RATE]		= { .type = NLA_U64 },
	[TCA_LPD_DELAY]		= { .type = NLA_U64 },
	[TCA_LPD_LIFETIME]	= { .type = NLA_U64 },
	[TCA_LPD_STALE]		= { .type = NLA_U8 },
	[TCA_LPD_ORDER]		= { .type = NLA_U8 },
	[TCA_LPD_OVERFLOW]	= { .type = NLA_U8 },
	[TCA_LPD_KEEP]		= { .type = NLA_U32 },
	[TCA_LPD_ADU]		= { .type = NLA_U8 },
	[TCA_LPD_STRIP]		= { .type = NLA_U8 },
	[TCA_LPD_NOTIFY]	= { .type = NLA_U8 },
	[TCA_LPD_EXEMPT]	= { .type = NLA_U8 },
};

/* An attribute without a text accepts any number. */
static const struct fl_range lpd_ranges[TCA_LPD_MAX + 1] = {
	[TCA_LPD_LIMIT] = { 1, TC_LPD_LIMIT_MAX,
		"lpd: limit must be 1 to 1048576 packets" },
	[TCA_LPD_MEMORY] = { TC_LPD_MEMORY_MIN, U32_MAX,
		"lpd: memory must be 65536 to 4294967295 bytes" },
	[TCA_LPD_DELAY] = { 0, TC_LPD_DELAY_MAX,
		"lpd: delay must be 0 to 60 s" },
	[TCA_LPD_LIFETIME] = { 0, TC_LPD_LIFETIME_MAX,
		"lpd: lifetime must be 0 to 3600 s" },
	[TCA_LPD_STALE] = { 0, TC_LPD_STALE_MAX,
		"lpd: stale must be 0 (honor), 1 (forward), 2 (discard) or 3 (truncate)" },
	[TCA_LPD_ORDER] = { 0, TC_LPD_ORDER_MAX,
		"lpd: order must be 0 (fifo) or 1 (edf)" },
	[TCA_LPD_OVERFLOW] = { 0, TC_LPD_OVERFLOW_MAX,
		"lpd: overflow must be 0 (tail), 1 (head) or 2 (stalest)" },
	[TCA_LPD_KEEP] = { 0, TC_LPD_KEEP_MAX,
		"lpd: keep must be 0 to 65535 bytes" },
	[TCA_LPD_ADU] = { 0, 1, "lpd: adu must be 0 or 1" },
	[TCA_LPD_STRIP] = { 0, 1, "lpd: strip must be 0 or 1" },
	[TCA_LPD_NOTIFY] = { 0, 1, "lpd: notify must be 0 or 1" },
	[TCA_LPD_EXEMPT] = { 0, 1, "lpd: exempt must be 0 or 1" },
};

static void lpd_netlink_read(struct lpd_config *cfg, struct nlattr **tb)
{
	if (tb[TCA_LPD_LIMIT])
		cfg->limit = nla_get_u32(tb[TCA_LPD_LIMIT]);
	if (tb[TCA_LPD_MEMORY])
		cfg->memory = nla_get_u32(tb[TCA_LPD_MEMORY]);
	if (tb[TCA_LPD_RATE])
		cfg->rate = nla_get_u64(tb[TCA_LPD_RATE]);
	if (tb[TCA_LPD_DELAY])
		cfg->delay = nla_get_u64(tb[TCA_LPD_DELAY]);
	if (tb[TCA_LPD_LIFETIME])
		cfg->lifetime = nla_get_u64(tb[TCA_LPD_LIFETIME]);
	if (tb[TCA_LPD_STALE])
		cfg->stale = nla_get_u8(tb[TCA_LPD_STALE]);
	if (tb[TCA_LPD_ORDER])
		cfg->order = nla_get_u8(tb[TCA_LPD_ORDER]);
	if (tb[TCA_LPD_OVERFLOW])
		cfg->overflow = nla_get_u8(tb[TCA_LPD_OVERFLOW]);
	if (tb[TCA_LPD_KEEP])
		cfg->keep = nla_get_u32(tb[TCA_LPD_KEEP]);
	if (tb[TCA_LPD_ADU])
		cfg->adu = nla_get_u8(tb[TCA_LPD_ADU]);
	if (tb[TCA_LPD_STRIP])
		cfg->strip = nla_get_u8(tb[TCA_LPD_STRIP]);
	if (tb[TCA_LPD_NOTIFY])
		cfg->notify = nla_get_u8(tb[TCA_LPD_NOTIFY]);
	if (tb[TCA_LPD_EXEMPT])
		cfg->exempt = nla_get_u8(tb[TCA_LPD_EXEMPT]);
}

/**
 * lpd_netlink_parse() - read a request into a configuration
 * @cfg: the current configuration; values in the request replace its values
 * @opt: TCA_OPTIONS, may be NULL
 * @extack: names the attribute that is wrong, and its range
 *
 * Strict: an unknown attribute or an attribute of the wrong length is an error.
 *
 * Return: 0, or a negative errno with @cfg unchanged
 */
int lpd_netlink_parse(struct lpd_config *cfg, const struct nlattr *opt,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LPD_MAX + 1];
	int err;

	if (!opt)
		return 0;
	/* not nla_parse_nested(): tc sends TCA_OPTIONS without NLA_F_NESTED */
	err = nla_parse(tb, TCA_LPD_MAX, nla_data(opt), nla_len(opt),
			lpd_policy, extack);
	if (err < 0)
		return err;
	err = fl_range_check(lpd_ranges, tb, TCA_LPD_MAX, extack);
	if (err)
		return err;
	lpd_netlink_read(cfg, tb);
	return 0;
}

/**
 * lpd_dump() - fill in TCA_OPTIONS
 * @sch: the qdisc
 * @skb: the answer
 *
 * Return: length of the answer, or -1 if the answer is full
 */
int lpd_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct lpd_sched_data *q = qdisc_priv(sch);
	const struct lpd_config *cfg = &q->cfg;
	struct nlattr *opts = nla_nest_start(skb, TCA_OPTIONS);

	if (!opts)
		return -1;
	if (nla_put_u32(skb, TCA_LPD_LIMIT, cfg->limit) ||
	    nla_put_u32(skb, TCA_LPD_MEMORY, cfg->memory) ||
	    nla_put_u64_64bit(skb, TCA_LPD_RATE, cfg->rate, TCA_LPD_PAD) ||
	    nla_put_u64_64bit(skb, TCA_LPD_DELAY, cfg->delay, TCA_LPD_PAD) ||
	    nla_put_u64_64bit(skb, TCA_LPD_LIFETIME, cfg->lifetime,
			      TCA_LPD_PAD) ||
	    nla_put_u8(skb, TCA_LPD_STALE, cfg->stale) ||
	    nla_put_u8(skb, TCA_LPD_ORDER, cfg->order) ||
	    nla_put_u8(skb, TCA_LPD_OVERFLOW, cfg->overflow) ||
	    nla_put_u32(skb, TCA_LPD_KEEP, cfg->keep) ||
	    nla_put_u8(skb, TCA_LPD_ADU, cfg->adu) ||
	    nla_put_u8(skb, TCA_LPD_STRIP, cfg->strip) ||
	    nla_put_u8(skb, TCA_LPD_NOTIFY, cfg->notify) ||
	    nla_put_u8(skb, TCA_LPD_EXEMPT, cfg->exempt)) {
		nla_nest_cancel(skb, opts);
		return -1;
	}
	return nla_nest_end(skb, opts);
}

/* The contents of TCA_STATS_APP, all read at the same moment. */
struct lpd_snapshot {
	u64 stats[TCA_LPD_STATS_REMAINING];
	u64 remaining[TC_LPD_HIST_BUCKETS];
	u64 queued;
};

/* Takes the root lock, because the core dumps statistics without it. */
static void lpd_snapshot(struct Qdisc *sch, struct lpd_snapshot *s)
{
	const struct lpd_sched_data *q = qdisc_priv(sch);

	sch_tree_lock(sch);
	memcpy(s->stats, q->stats, sizeof(s->stats));
	memcpy(s->remaining, q->remaining, sizeof(s->remaining));
	s->queued = q->fifo.qlen;
	sch_tree_unlock(sch);
}

/**
 * lpd_dump_stats() - fill in TCA_STATS_APP
 * @sch: the qdisc
 * @d: the answer
 *
 * Return: 0, or -1 if the answer is full
 */
int lpd_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct nlattr *nest = nla_nest_start(d->skb, TCA_STATS_APP);
	struct lpd_snapshot s;
	int i;

	if (!nest)
		return -1;
	lpd_snapshot(sch, &s);
	for (i = TCA_LPD_STATS_PACKETS_IN; i < TCA_LPD_STATS_REMAINING; i++)
		if (nla_put_u64_64bit(d->skb, i, s.stats[i],
				      TCA_LPD_STATS_PAD))
			goto err_cancel;
	if (nla_put_64bit(d->skb, TCA_LPD_STATS_REMAINING, sizeof(s.remaining),
			  s.remaining, TCA_LPD_STATS_PAD) ||
	    nla_put_u64_64bit(d->skb, TCA_LPD_STATS_QUEUED, s.queued,
			      TCA_LPD_STATS_PAD))
		goto err_cancel;
	nla_nest_end(d->skb, nest);
	return 0;

err_cancel:
	nla_nest_cancel(d->skb, nest);
	return -1;
}
