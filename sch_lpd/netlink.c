// SPDX-License-Identifier: GPL-2.0
/* Parses the netlink requests to lpd and fills in the answers. */

#include <net/netlink.h>
#include <net/pkt_sched.h>
#include "below.h"
#include "class.h"
#include "gated.h"
#include "netlink.h"
#include "rules.h"

static const struct netlink_range_validation lpd_limit_range = {
	.min = 1,
	.max = TC_LPD_LIMIT_MAX,
};

static const struct netlink_range_validation lpd_memory_range = {
	.min = TC_LPD_MEMORY_MIN,
	.max = U32_MAX,
};

static const struct netlink_range_validation lpd_lifetime_range = {
	.max = TC_LPD_LIFETIME_MAX,
};

static const struct netlink_range_validation lpd_keep_range = {
	.max = TC_LPD_KEEP_MAX,
};

static const struct nla_policy lpd_policy[TCA_LPD_MAX + 1] = {
	/* accepted because dumps contain TCA_LPD_PAD on architectures that align 64-bit
	 * values
	 */
	[TCA_LPD_PAD]		= { .type = NLA_FLAG },
	[TCA_LPD_LIMIT]		= NLA_POLICY_FULL_RANGE(NLA_U32, &lpd_limit_range),
	[TCA_LPD_MEMORY]	= NLA_POLICY_FULL_RANGE(NLA_U32, &lpd_memory_range),
	[TCA_LPD_RATE]		= { .type = NLA_U64 },
	/* lpd_check_delay() has the range. With a function in the policy, the kernel would warn
	 * when it tells a program the policy of a wrong attribute.
	 */
	[TCA_LPD_DELAY]		= { .type = NLA_U64 },
	[TCA_LPD_LIFETIME]	= NLA_POLICY_FULL_RANGE(NLA_U64, &lpd_lifetime_range),
	[TCA_LPD_STALE]		= NLA_POLICY_MAX(NLA_U8, TC_LPD_STALE_MAX),
	[TCA_LPD_ORDER]		= NLA_POLICY_MAX(NLA_U8, TC_LPD_ORDER_MAX),
	[TCA_LPD_OVERFLOW]	= NLA_POLICY_MAX(NLA_U8, TC_LPD_OVERFLOW_MAX),
	[TCA_LPD_KEEP]		= NLA_POLICY_FULL_RANGE(NLA_U32, &lpd_keep_range),
	[TCA_LPD_ADU]		= NLA_POLICY_MAX(NLA_U8, 1),
	[TCA_LPD_STRIP]		= NLA_POLICY_MAX(NLA_U8, 1),
	[TCA_LPD_NOTIFY]	= NLA_POLICY_MAX(NLA_U8, 1),
	[TCA_LPD_EXEMPT]	= NLA_POLICY_MAX(NLA_U8, 1),
	[TCA_LPD_SHARE]		= NLA_POLICY_MAX(NLA_U32, TC_LPD_SHARE_MAX),
	[TCA_LPD_MATCH]		= NLA_POLICY_NESTED(lpd_match_policy),
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
	if (tb[TCA_LPD_SHARE])
		cfg->share = nla_get_u32(tb[TCA_LPD_SHARE]);
}

static int lpd_check_delay(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const u64 delay = attr ? nla_get_u64(attr) : 0;

	if (delay <= TC_LPD_DELAY_MAX || delay == TC_LPD_LINK)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "integer out of range");
	return -ERANGE;
}

/* A device can be asked only if it tells something. */
static int lpd_netlink_check(const struct Qdisc *sch, struct nlattr **tb,
			     struct netlink_ext_ack *extack)
{
	const struct nlattr *rate = tb[TCA_LPD_RATE], *delay = tb[TCA_LPD_DELAY];
	const bool asks_rate = rate && nla_get_u64(rate) == TC_LPD_LINK;
	const bool asks_delay = delay && nla_get_u64(delay) == TC_LPD_LINK;

	if ((!asks_rate && !asks_delay) || lpd_below_tells(qdisc_dev(sch)))
		return 0;
	if (asks_rate)
		NL_SET_ERR_MSG_ATTR(extack, rate,
				    "lpd: rate link: the device tells no rate: expected an arqlink");
	else
		NL_SET_ERR_MSG_ATTR(extack, delay,
				    "lpd: delay link: the device tells no delay: expected an arqlink");
	return -EOPNOTSUPP;
}

/**
 * lpd_netlink_parse() - read a request into a configuration
 * @cfg: the current configuration; the values of the request replace its values
 * @sch: the qdisc
 * @opt: TCA_OPTIONS, may be NULL
 * @extack: set to the wrong attribute if the request is refused
 *
 * The parser is strict: an unknown attribute, a wrong length, or a value out of range is an
 * error. If the request has rules, @cfg->rules are new, and the caller frees either the
 * old or the new ones.
 *
 * Return: 0, or a negative errno with @cfg unchanged
 */
int lpd_netlink_parse(struct lpd_config *cfg, const struct Qdisc *sch,
		      const struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LPD_MAX + 1];
	struct lpd_rules *rules = cfg->rules;
	int err;

	if (!opt)
		return 0;
	/* nla_parse_nested() would refuse a request of tc, which has no NLA_F_NESTED */
	err = nla_parse(tb, TCA_LPD_MAX, nla_data(opt), nla_len(opt),
			lpd_policy, extack) ?:
	      lpd_check_delay(tb[TCA_LPD_DELAY], extack) ?:
	      lpd_netlink_check(sch, tb, extack);
	if (err < 0)
		return err;
	if (tb[TCA_LPD_MATCH])
		rules = lpd_rules_read(tb[TCA_LPD_MATCH], LPD_GFP, extack);
	if (IS_ERR(rules))
		return PTR_ERR(rules);
	cfg->rules = rules;
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
	    nla_put_u8(skb, TCA_LPD_EXEMPT, cfg->exempt) ||
	    nla_put_u32(skb, TCA_LPD_SHARE, cfg->share) ||
	    lpd_rules_dump(skb, cfg->rules)) {
		nla_nest_cancel(skb, opts);
		return -1;
	}
	return nla_nest_end(skb, opts);
}

/* The contents of TCA_STATS_APP, all read at the same time. */
struct lpd_snapshot {
	u64 stats[TCA_LPD_STATS_MAX + 1];
	u64 remaining[TC_LPD_HIST_BUCKETS];
	bool gated;
	bool asks;
};

/* Reads all counters under the root lock, which the core does not hold when it dumps
 * statistics.
 */
static void lpd_snapshot(struct Qdisc *sch, struct lpd_snapshot *s)
{
	const struct lpd_sched_data *q = qdisc_priv(sch);

	sch_tree_lock(sch);
	lpd_class_settle(sch);
	memcpy(s->stats, q->stats, sizeof(s->stats));
	memcpy(s->remaining, q->remaining, sizeof(s->remaining));
	s->stats[TCA_LPD_STATS_QUEUED] = q->fifo.qlen + q->class.inside;
	s->gated = lpd_gated_count(sch, s->stats);
	s->asks = lpd_below_asks(&q->cfg);
	s->stats[TCA_LPD_STATS_LINK_RATE] = q->link.rate_bytes_ps;
	s->stats[TCA_LPD_STATS_LINK_DELAY] = q->delay;
	sch_tree_unlock(sch);
}

/* Some counters are reported only if the qdisc has had a gate, or asks the device. */
static bool lpd_is_reported(int id, const struct lpd_snapshot *s)
{
	if (id >= TCA_LPD_STATS_PROBES && id <= TCA_LPD_STATS_GATE_TIMEOUTS)
		return s->gated;
	if (id == TCA_LPD_STATS_LINK_RATE || id == TCA_LPD_STATS_LINK_DELAY)
		return s->asks;
	return true;
}

static int lpd_put_counter(struct sk_buff *skb, int id,
			   const struct lpd_snapshot *s)
{
	if (id == TCA_LPD_STATS_REMAINING)
		return nla_put_64bit(skb, id, sizeof(s->remaining),
				     s->remaining, TCA_LPD_STATS_PAD);
	return nla_put_u64_64bit(skb, id, s->stats[id], TCA_LPD_STATS_PAD);
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
	for (i = TCA_LPD_STATS_PACKETS_IN; i <= TCA_LPD_STATS_MAX; i++)
		if (lpd_is_reported(i, &s) && lpd_put_counter(d->skb, i, &s)) {
			nla_nest_cancel(d->skb, nest);
			return -1;
		}
	nla_nest_end(d->skb, nest);
	return 0;
}
