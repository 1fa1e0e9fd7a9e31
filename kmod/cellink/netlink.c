// SPDX-License-Identifier: GPL-2.0
/* The netlink attributes of a cellink: parse and check requests, fill in answers. */

#include <net/rtnetlink.h>
#include "netlink.h"

#define CELL_POLICY_TRACE						\
	{								\
		.type = NLA_REJECT,					\
		.reject_message = "cellink: a trace is loaded through the generic netlink family", \
	}

/* For good, bad and outage_every, a time of 0 is valid and has a special meaning. A policy cannot
 * express this, so cell_netlink_check() and cell_netlink_check_outages() check the shortest allowed
 * times.
 */
static const struct netlink_range_validation cell_rate_range = {
	.max = CELLINK_RATE_MAX,
};

static const struct netlink_range_validation cell_delay_range = {
	.max = CELLINK_DELAY_MAX,
};

static const struct netlink_range_validation cell_ring_packets_range = {
	.min = 1,
	.max = CELLINK_RING_PACKETS_MAX,
};

static const struct netlink_range_validation cell_ring_bytes_range = {
	.max = CELLINK_RING_BYTES_MAX,
};

static const struct netlink_range_validation cell_buffer_range = {
	.max = CELLINK_BUFFER_MAX,
};

static const struct netlink_range_validation cell_grant_range = {
	.max = CELLINK_GRANT_MAX,
};

static const struct netlink_range_validation cell_loss_range = {
	.max = CELLINK_LOSS_MAX,
};

static const struct netlink_range_validation cell_ber_range = {
	.max = CELLINK_BER_MAX,
};

static const struct netlink_range_validation cell_sojourn_range = {
	.max = CELLINK_SOJOURN_MAX,
};

static const struct netlink_range_validation cell_outage_range = {
	.max = CELLINK_OUTAGE_TIME_MAX,
};

/* CELLINK_PEER has no type here. Strict parsing therefore refuses it in the peer's own attributes,
 * so a peer cannot have a peer.
 */
const struct nla_policy cell_policy[CELLINK_MAX + 1] = {
	[CELLINK_UNSPEC]	= { .strict_start_type = CELLINK_RATE },
	/* a request may have padding, as dumps do on machines that align 64-bit attributes */
	[CELLINK_PAD]		= { .type = NLA_FLAG },
	[CELLINK_PEER]		= { .len = sizeof(struct ifinfomsg) },
	[CELLINK_RATE]		= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_rate_range),
	[CELLINK_DELAY]		= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_delay_range),
	[CELLINK_RING_PACKETS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_ring_packets_range),
	[CELLINK_RING_BYTES]	= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_ring_bytes_range),
	[CELLINK_LOSS]		= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_loss_range),
	[CELLINK_BER]		= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_ber_range),
	[CELLINK_GOOD]		= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_sojourn_range),
	[CELLINK_BAD]		= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_sojourn_range),
	[CELLINK_BAD_LOSS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_loss_range),
	[CELLINK_BAD_BER]	= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_ber_range),
	[CELLINK_SOJOURN]	= NLA_POLICY_MAX(NLA_U8, CELLINK_LAW_MAX),
	[CELLINK_CORRUPT]	= NLA_POLICY_MAX(NLA_U8, CELLINK_CORRUPT_MAX),
	[CELLINK_SEED]		= { .type = NLA_U32 },
	[CELLINK_OUTAGE]	= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_outage_range),
	[CELLINK_OUTAGE_START]	= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_outage_range),
	[CELLINK_OUTAGE_EVERY]	= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_outage_range),
	[CELLINK_OUTAGE_JITTER]	= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_outage_range),
	[CELLINK_OUTAGE_LAW]	= NLA_POLICY_MAX(NLA_U8, CELLINK_LAW_MAX),
	[CELLINK_OUTAGES]	= { .type = NLA_BINARY },
	[CELLINK_HANDOVER]	= NLA_POLICY_MAX(NLA_U8, CELLINK_HANDOVER_MAX),
	[CELLINK_TRACE]		= CELL_POLICY_TRACE,
	[CELLINK_TURNS]		= CELL_POLICY_TRACE,
	[CELLINK_BUFFER]	= NLA_POLICY_FULL_RANGE(NLA_U32, &cell_buffer_range),
	[CELLINK_GRANT]		= NLA_POLICY_FULL_RANGE(NLA_U64, &cell_grant_range),
	[CELLINK_BER_STATE]	= NLA_POLICY_MAX(NLA_U8, CELLINK_BER_STATE_MAX),
};

static void cell_netlink_store_u64(u64 *field, const struct nlattr *attr)
{
	if (attr)
		*field = nla_get_u64(attr);
}

static void cell_netlink_store_u32(u32 *field, const struct nlattr *attr)
{
	if (attr)
		*field = nla_get_u32(attr);
}

static void cell_netlink_store_u8(u8 *field, const struct nlattr *attr)
{
	if (attr)
		*field = nla_get_u8(attr);
}

static void cell_netlink_store(struct cell_config *cfg, struct nlattr **tb)
{
	struct cell_state_config *good = &cfg->errors.state[CELLINK_STATE_GOOD];
	struct cell_state_config *bad = &cfg->errors.state[CELLINK_STATE_BAD];

	cell_netlink_store_u64(&cfg->rate, tb[CELLINK_RATE]);
	cell_netlink_store_u64(&cfg->delay, tb[CELLINK_DELAY]);
	cell_netlink_store_u32(&cfg->ring_packets, tb[CELLINK_RING_PACKETS]);
	cell_netlink_store_u32(&cfg->ring_bytes, tb[CELLINK_RING_BYTES]);
	cell_netlink_store_u32(&cfg->buffer, tb[CELLINK_BUFFER]);
	cell_netlink_store_u64(&cfg->grant, tb[CELLINK_GRANT]);
	cell_netlink_store_u32(&good->loss, tb[CELLINK_LOSS]);
	cell_netlink_store_u64(&good->ber, tb[CELLINK_BER]);
	cell_netlink_store_u64(&good->sojourn, tb[CELLINK_GOOD]);
	cell_netlink_store_u64(&bad->sojourn, tb[CELLINK_BAD]);
	cell_netlink_store_u32(&bad->loss, tb[CELLINK_BAD_LOSS]);
	cell_netlink_store_u64(&bad->ber, tb[CELLINK_BAD_BER]);
	cell_netlink_store_u8(&cfg->errors.law, tb[CELLINK_SOJOURN]);
	cell_netlink_store_u8(&cfg->corrupt, tb[CELLINK_CORRUPT]);
	cell_netlink_store_u8(&cfg->ber_state, tb[CELLINK_BER_STATE]);
	cell_netlink_store_u32(&cfg->seed, tb[CELLINK_SEED]);
	cfg->handover = CELLINK_HANDOVER_KEEP;
	cell_netlink_store_u8(&cfg->handover, tb[CELLINK_HANDOVER]);
}

static void cell_netlink_store_outages(struct cell_config *cfg,
				       struct nlattr **tb)
{
	struct cell_outage_config *outage = &cfg->outage;

	cell_netlink_store_u64(&outage->length, tb[CELLINK_OUTAGE]);
	cell_netlink_store_u64(&outage->start, tb[CELLINK_OUTAGE_START]);
	cell_netlink_store_u64(&outage->every, tb[CELLINK_OUTAGE_EVERY]);
	cell_netlink_store_u64(&outage->jitter, tb[CELLINK_OUTAGE_JITTER]);
	cell_netlink_store_u8(&outage->law, tb[CELLINK_OUTAGE_LAW]);
	if (tb[CELLINK_OUTAGES])
		outage->schedule = (struct cell_schedule){
			.list = nla_data(tb[CELLINK_OUTAGES]),
			.count = nla_len(tb[CELLINK_OUTAGES]) /
				 sizeof(struct cellink_outage),
		};
}

static bool cell_netlink_is_schedule(const struct nlattr *attr)
{
	struct cellink_outage outage;
	u64 end = 0;
	int i;

	if (nla_len(attr) % sizeof(outage) ||
	    nla_len(attr) > CELLINK_OUTAGES_MAX * sizeof(outage))
		return false;
	for (i = 0; i < nla_len(attr); i += sizeof(outage)) {
		memcpy(&outage, nla_data(attr) + i, sizeof(outage));
		if (outage.start > CELLINK_OUTAGE_TIME_MAX ||
		    outage.length > CELLINK_OUTAGE_TIME_MAX ||
		    !outage.length || outage.start < end)
			return false;
		end = outage.start + outage.length;
	}
	return true;
}

static int cell_netlink_check_outages(const struct cell_config *cfg,
				      struct nlattr **tb,
				      struct netlink_ext_ack *extack)
{
	const struct cell_outage_config *outage = &cfg->outage;

	if (tb[CELLINK_OUTAGES] &&
	    !cell_netlink_is_schedule(tb[CELLINK_OUTAGES])) {
		NL_SET_ERR_MSG_ATTR(extack, tb[CELLINK_OUTAGES],
				    "cellink: outages must be at most 32, in order and without overlap, their times at most 86400 s and lengths not 0");
		return -EINVAL;
	}
	if (outage->length && outage->schedule.count) {
		NL_SET_ERR_MSG_ATTR(extack,
				    tb[CELLINK_OUTAGES] ?: tb[CELLINK_OUTAGE],
				    "cellink: outage and outages: expected one of them");
		return -EINVAL;
	}
	if (outage->jitter && outage->law == CELLINK_LAW_EXPONENTIAL) {
		NL_SET_ERR_MSG_ATTR(extack,
				    tb[CELLINK_OUTAGE_JITTER] ?: tb[CELLINK_OUTAGE_LAW],
				    "cellink: outage_jitter must be 0 with outage_law exponential");
		return -EINVAL;
	}
	if (outage->every && outage->every < CELLINK_OUTAGE_EVERY_MIN) {
		NL_SET_ERR_MSG_ATTR(extack, tb[CELLINK_OUTAGE_EVERY],
				    "cellink: outage_every must be 1 ms to 86400 s, or 0 (once)");
		return -ERANGE;
	}
	if (outage->every &&
	    outage->length + outage->jitter >= outage->every) {
		NL_SET_ERR_MSG_ATTR(extack, tb[CELLINK_OUTAGE_EVERY],
				    "cellink: outage_every must be more than outage and outage_jitter together");
		return -EINVAL;
	}
	return 0;
}

/* Checks the shortest allowed times, and attributes that depend on each other. */
static int cell_netlink_check(const struct cell_config *cfg,
			      struct nlattr **tb,
			      struct netlink_ext_ack *extack)
{
	const u64 good = cfg->errors.state[CELLINK_STATE_GOOD].sojourn;
	const u64 bad = cfg->errors.state[CELLINK_STATE_BAD].sojourn;

	if (good && good < CELLINK_SOJOURN_MIN) {
		NL_SET_ERR_MSG_ATTR(extack, tb[CELLINK_GOOD],
				    "cellink: good must be 1 ms to 86400 s, or 0 (for ever)");
		return -ERANGE;
	}
	if (bad && bad < CELLINK_SOJOURN_MIN) {
		NL_SET_ERR_MSG_ATTR(extack, tb[CELLINK_BAD],
				    "cellink: bad must be 1 ms to 86400 s, or 0 (never)");
		return -ERANGE;
	}
	if (!good != !bad) {
		NL_SET_ERR_MSG_ATTR(extack,
				    tb[CELLINK_GOOD] ?: tb[CELLINK_BAD],
				    "cellink: good and bad must both be times, or both 0");
		return -EINVAL;
	}
	return 0;
}

/**
 * cell_netlink_read() - read attributes into a configuration
 * @cfg: the present configuration; attributes in the request replace its values
 * @tb: the attributes of IFLA_INFO_DATA, validated by cell_policy; may be NULL. Afterwards the
 *	schedule in @cfg may point into these attributes
 * @extack: set to the wrong attribute and the reason
 *
 * Return: 0, or a negative errno and @cfg is unchanged
 */
int cell_netlink_read(struct cell_config *cfg, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	struct cell_config next = *cfg;
	int err;

	if (!tb)
		return 0;
	cell_netlink_store(&next, tb);
	cell_netlink_store_outages(&next, tb);
	err = cell_netlink_check(&next, tb, extack);
	if (!err)
		err = cell_netlink_check_outages(&next, tb, extack);
	if (err)
		return err;
	*cfg = next;
	return 0;
}

/**
 * cell_netlink_parse() - like cell_netlink_read(), for attributes that the core has not parsed
 * @cfg: the present configuration
 * @data: IFLA_INFO_DATA, may be NULL
 * @extack: set to the wrong attribute and the reason
 *
 * Return: 0, or a negative errno and @cfg is unchanged
 */
int cell_netlink_parse(struct cell_config *cfg, const struct nlattr *data,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[CELLINK_MAX + 1];
	int err;

	if (!data)
		return 0;
	err = nla_parse_nested(tb, CELLINK_MAX, data, cell_policy, extack);
	if (err < 0)
		return err;
	return cell_netlink_read(cfg, tb, extack);
}

/**
 * cell_netlink_size() - space that cell_netlink_fill() needs, in bytes
 * @dev: the device
 */
size_t cell_netlink_size(const struct net_device *dev)
{
	return 11 * nla_total_size_64bit(sizeof(u64)) +
	       6 * nla_total_size(sizeof(u32)) +
	       4 * nla_total_size(sizeof(u8)) +
	       nla_total_size(CELLINK_OUTAGES_MAX *
			      sizeof(struct cellink_outage)) +
	       2 * (nla_total_size(0) + 2 * nla_total_size(sizeof(u32)) +
		    nla_total_size(sizeof(u8)) +
		    3 * nla_total_size_64bit(sizeof(u64)));
}

/* A trace of turns has no bytes per opportunity. */
static int cell_netlink_fill_trace(struct sk_buff *skb, int attr,
				   const struct cell_trace *trace, s64 position)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || nla_put_u32(skb, CELLINK_A_COUNT, trace->count) ||
	    (trace->opportunity &&
	     nla_put_u32(skb, CELLINK_A_OPPORTUNITY, trace->opportunity)) ||
	    nla_put_u8(skb, CELLINK_A_ONCE, trace->once) ||
	    nla_put_u64_64bit(skb, CELLINK_A_OFFSET, trace->offset,
			      CELLINK_A_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_A_LENGTH, cell_trace_length(trace),
			      CELLINK_A_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_A_POSITION, position,
			      CELLINK_A_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int cell_netlink_fill_traces(struct sk_buff *skb,
				    struct cell_channel *ch)
{
	const struct cell_trace *trace = &ch->trace, *turns = &ch->turns;
	int err = 0;

	if (trace->ms)
		err = cell_netlink_fill_trace(skb, CELLINK_TRACE, trace,
					      cell_channel_position(ch, trace,
								    &ch->trace_from));
	if (!err && turns->ms)
		err = cell_netlink_fill_trace(skb, CELLINK_TURNS, turns,
					      cell_channel_position(ch, turns,
								    &ch->turns_from));
	return err;
}

static int cell_netlink_fill_outages(struct sk_buff *skb,
				     const struct cell_config *cfg)
{
	const struct cell_outage_config *outage = &cfg->outage;

	if (nla_put_u64_64bit(skb, CELLINK_OUTAGE, outage->length,
			      CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_OUTAGE_START, outage->start,
			      CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_OUTAGE_EVERY, outage->every,
			      CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_OUTAGE_JITTER, outage->jitter,
			      CELLINK_PAD) ||
	    nla_put_u8(skb, CELLINK_OUTAGE_LAW, outage->law) ||
	    nla_put(skb, CELLINK_OUTAGES,
		    outage->schedule.count * sizeof(struct cellink_outage),
		    outage->schedule.list))
		return -EMSGSIZE;
	return 0;
}

static int cell_netlink_fill_errors(struct sk_buff *skb,
				    const struct cell_config *cfg)
{
	const struct cell_state_config *good = &cfg->errors.state[CELLINK_STATE_GOOD];
	const struct cell_state_config *bad = &cfg->errors.state[CELLINK_STATE_BAD];

	if (nla_put_u32(skb, CELLINK_LOSS, good->loss) ||
	    nla_put_u64_64bit(skb, CELLINK_BER, good->ber, CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_GOOD, good->sojourn, CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_BAD, bad->sojourn, CELLINK_PAD) ||
	    nla_put_u32(skb, CELLINK_BAD_LOSS, bad->loss) ||
	    nla_put_u64_64bit(skb, CELLINK_BAD_BER, bad->ber, CELLINK_PAD) ||
	    nla_put_u8(skb, CELLINK_SOJOURN, cfg->errors.law) ||
	    nla_put_u8(skb, CELLINK_CORRUPT, cfg->corrupt) ||
	    nla_put_u8(skb, CELLINK_BER_STATE, cfg->ber_state) ||
	    nla_put_u32(skb, CELLINK_SEED, cfg->seed))
		return -EMSGSIZE;
	return 0;
}

/**
 * cell_netlink_fill() - fill in IFLA_INFO_DATA
 * @skb: the answer
 * @dev: the device
 *
 * Return: 0, or -EMSGSIZE if the answer is full
 */
int cell_netlink_fill(struct sk_buff *skb, const struct net_device *dev)
{
	struct cell_channel *ch = netdev_priv(dev);
	const struct cell_config *cfg = &ch->cfg;

	if (nla_put_u64_64bit(skb, CELLINK_RATE, cfg->rate, CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_DELAY, cfg->delay, CELLINK_PAD) ||
	    nla_put_u32(skb, CELLINK_RING_PACKETS, cfg->ring_packets) ||
	    nla_put_u32(skb, CELLINK_RING_BYTES, cfg->ring_bytes) ||
	    nla_put_u32(skb, CELLINK_BUFFER, cfg->buffer) ||
	    nla_put_u64_64bit(skb, CELLINK_GRANT, cfg->grant, CELLINK_PAD))
		return -EMSGSIZE;
	return cell_netlink_fill_errors(skb, cfg) ?:
	       cell_netlink_fill_outages(skb, cfg) ?:
	       cell_netlink_fill_traces(skb, ch);
}

/**
 * cell_netlink_stats_size() - space that cell_netlink_fill_stats() needs, in bytes
 * @dev: the device
 */
size_t cell_netlink_stats_size(const struct net_device *dev)
{
	return nla_total_size(0) +
	       (CELLINK_STATS_MAX - CELLINK_STATS_PAD) *
	       nla_total_size_64bit(sizeof(u64));
}

/**
 * cell_netlink_fill_stats() - fill in IFLA_INFO_XSTATS
 * @skb: the answer
 * @dev: the device
 *
 * Return: 0, or -EMSGSIZE if the answer is full
 */
int cell_netlink_fill_stats(struct sk_buff *skb, const struct net_device *dev)
{
	struct nlattr *nest = nla_nest_start(skb, IFLA_INFO_XSTATS);
	u64 stats[CELLINK_STATS_MAX + 1];
	int i;

	if (!nest)
		return -EMSGSIZE;
	cell_channel_stats(netdev_priv(dev), stats);
	for (i = CELLINK_STATS_PACKETS_IN; i <= CELLINK_STATS_MAX; i++)
		if (nla_put_u64_64bit(skb, i, stats[i], CELLINK_STATS_PAD)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	nla_nest_end(skb, nest);
	return 0;
}
