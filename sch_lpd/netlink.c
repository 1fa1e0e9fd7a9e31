// SPDX-License-Identifier: GPL-2.0
/* The netlink side of lpd: requests parsed and checked, answers filled in. */

#include <net/netlink.h>
#include <net/pkt_sched.h>
#include "netlink.h"

/* Types only: ranges are checked by hand, for words that name them. */
static const struct nla_policy lpd_policy[TCA_LPD_MAX + 1] = {
	/* in what a dump returned, on machines that align 64 bit attributes */
	[TCA_LPD_PAD]		= { .type = NLA_FLAG },
	[TCA_LPD_LIMIT]		= { .type = NLA_U32 },
	[TCA_LPD_MEMORY]	= { .type = NLA_U32 },
	[TCA_LPD_RATE]		= { .type = NLA_U64 },
	[TCA_LPD_DELAY]		= { .type = NLA_U64 },
	[TCA_LPD_LIFETIME]	= { .type = NLA_U64 },
	[TCA_LPD_STALE]		= { .type = NLA_U8 },
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
}

static int lpd_netlink_check(const struct lpd_config *cfg, struct nlattr **tb,
			     struct netlink_ext_ack *extack)
{
	if (cfg->limit < 1 || cfg->limit > TC_LPD_LIMIT_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_LIMIT],
				    "lpd: limit must be 1 to 1048576 packets");
		return -ERANGE;
	}
	if (cfg->memory < TC_LPD_MEMORY_MIN) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_MEMORY],
				    "lpd: memory must be 65536 to 4294967295 bytes");
		return -ERANGE;
	}
	if (cfg->delay > TC_LPD_DELAY_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_DELAY],
				    "lpd: delay must be 0 to 60 s");
		return -ERANGE;
	}
	if (cfg->lifetime > TC_LPD_LIFETIME_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_LIFETIME],
				    "lpd: lifetime must be 0 to 3600 s");
		return -ERANGE;
	}
	if (cfg->stale > TC_LPD_STALE_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_STALE],
				    "lpd: stale must be 0 (honor), 1 (forward) or 2 (discard)");
		return -ERANGE;
	}
	if (cfg->stale == TC_LPD_STALE_TRUNCATE) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_LPD_STALE],
				    "lpd: stale truncate needs headercasting, which this version does not have");
		return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * lpd_netlink_parse() - read a request into a configuration
 * @cfg: the configuration in force; what the request names is replaced
 * @opt: TCA_OPTIONS, may be NULL
 * @extack: gets the attribute that is wrong, and its range
 *
 * Strict: an attribute that is unknown or of the wrong length is an error.
 *
 * Return: 0 or a negative errno, then @cfg is not to be used
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
	lpd_netlink_read(cfg, tb);
	return lpd_netlink_check(cfg, tb, extack);
}

/**
 * lpd_dump() - fill in TCA_OPTIONS
 * @sch: the qdisc
 * @skb: the answer
 *
 * Return: length of the answer, or -1 if it is full
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
	    nla_put_u8(skb, TCA_LPD_STALE, cfg->stale)) {
		nla_nest_cancel(skb, opts);
		return -1;
	}
	return nla_nest_end(skb, opts);
}

/* What TCA_STATS_APP reports, at one moment. */
struct lpd_snapshot {
	u64 stats[TCA_LPD_STATS_REMAINING];
	u64 remaining[TC_LPD_HIST_BUCKETS];
	u64 queued;
};

/* The core dumps statistics without the root lock. */
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
