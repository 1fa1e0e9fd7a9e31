// SPDX-License-Identifier: GPL-2.0
/* The netlink attributes of an arqlink: parse and check requests, fill in answers. */

#include <linux/etherdevice.h>
#include <net/rtnetlink.h>
#include "device.h"
#include "netlink.h"

static const struct netlink_range_validation arql_frame_range = {
	.min = ARQLINK_FRAME_MIN,
	.max = ARQLINK_FRAME_MAX,
};

static const struct netlink_range_validation arql_window_range = {
	.min = 1,
	.max = ARQLINK_WINDOW_MAX,
};

static const struct netlink_range_validation arql_timeout_range = {
	.min = ARQLINK_TIMEOUT_MIN,
	.max = ARQLINK_TIMEOUT_MAX,
};

static const struct netlink_range_validation arql_factor_range = {
	.max = ARQLINK_FACTOR_MAX,
};

static const struct netlink_range_validation arql_ack_delay_range = {
	.max = ARQLINK_ACK_DELAY_MAX,
};

static const struct netlink_range_validation arql_attempts_range = {
	.max = ARQLINK_ATTEMPTS_MAX,
};

static const struct netlink_range_validation arql_persist_range = {
	.max = ARQLINK_PERSIST_MAX,
};

static const struct netlink_range_validation arql_backlog_range = {
	.max = ARQLINK_BACKLOG_MAX,
};

static const struct netlink_range_validation arql_rate_range = {
	.max = ARQLINK_RATE_MAX,
};

static const struct netlink_range_validation arql_below_range = {
	.min = 1,
	.max = ARQLINK_BELOW_MAX,
};

static const struct netlink_range_validation arql_ring_range = {
	.min = 1,
	.max = ARQLINK_RING_MAX,
};

/* The parser of the core is strict only from strict_start_type on: an attribute of a wrong length
 * or an unknown attribute is an error.
 */
const struct nla_policy arql_policy[ARQLINK_MAX + 1] = {
	[ARQLINK_UNSPEC]	= { .strict_start_type = ARQLINK_REMOTE },
	/* a request may have padding, as dumps do on machines that align 64-bit attributes */
	[ARQLINK_PAD]		= { .type = NLA_FLAG },
	[ARQLINK_REMOTE]	= NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[ARQLINK_FRAME]		= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_frame_range),
	[ARQLINK_WINDOW]	= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_window_range),
	[ARQLINK_TIMER]		= NLA_POLICY_MAX(NLA_U8, ARQLINK_TIMER_MAX),
	[ARQLINK_TIMEOUT]	= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_timeout_range),
	[ARQLINK_FLOOR]		= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_timeout_range),
	[ARQLINK_MEAN_FACTOR]	= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_factor_range),
	[ARQLINK_DEVIATION_FACTOR] = NLA_POLICY_FULL_RANGE(NLA_U32, &arql_factor_range),
	[ARQLINK_GAINS]		= NLA_POLICY_MAX(NLA_U8, ARQLINK_GAINS_MAX),
	[ARQLINK_VARIANCE]	= NLA_POLICY_MAX(NLA_U8, ARQLINK_VARIANCE_MAX),
	[ARQLINK_CLOCK]		= NLA_POLICY_MAX(NLA_U8, ARQLINK_CLOCK_MAX),
	[ARQLINK_REJECT]	= NLA_POLICY_MAX(NLA_U8, ARQLINK_REJECT_MAX),
	[ARQLINK_ACK_DELAY]	= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_ack_delay_range),
	[ARQLINK_ATTEMPTS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_attempts_range),
	[ARQLINK_PERSIST]	= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_persist_range),
	[ARQLINK_LIFETIME]	= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_persist_range),
	[ARQLINK_RATE]		= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_rate_range),
	[ARQLINK_BELOW]		= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_below_range),
	[ARQLINK_RING]		= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_ring_range),
	[ARQLINK_BYPASS_MARK]	= { .type = NLA_U32 },
	[ARQLINK_BYPASS_MASK]	= { .type = NLA_U32 },
	[ARQLINK_BYPASS_DSCP]	= { .type = NLA_U64 },
	[ARQLINK_RELIABLE_MARK]	= { .type = NLA_U32 },
	[ARQLINK_RELIABLE_MASK]	= { .type = NLA_U32 },
	[ARQLINK_RELIABLE_DSCP]	= { .type = NLA_U64 },
	[ARQLINK_COPIES]	= NLA_POLICY_MAX(NLA_U8, 1),
	[ARQLINK_FLUSH]		= NLA_POLICY_MAX(NLA_U8, ARQLINK_FLUSH_MAX),
	[ARQLINK_NOTIFY]	= NLA_POLICY_MAX(NLA_U8, 1),
	[ARQLINK_BACKLOG]	= NLA_POLICY_FULL_RANGE(NLA_U32, &arql_backlog_range),
	[ARQLINK_CEILING]	= NLA_POLICY_FULL_RANGE(NLA_U64, &arql_timeout_range),
	[ARQLINK_ESTIMATE]	= NLA_POLICY_MAX(NLA_U8, ARQLINK_ESTIMATE_MAX),
	[ARQLINK_ORDER]		= NLA_POLICY_MAX(NLA_U8, ARQLINK_ORDER_MAX),
	[ARQLINK_PACK]		= NLA_POLICY_MAX(NLA_U8, 1),
};

#define ARQL_FIELD(member) {						\
	.offset = offsetof(struct arql_config, member),			\
	.size = sizeof_field(struct arql_config, member),		\
}

/* The field of struct arql_config for each attribute. The policy demands that an attribute has
 * the length of its field.
 */
static const struct {
	u16 offset;
	u16 size;
} arql_fields[ARQLINK_MAX + 1] = {
	[ARQLINK_REMOTE]	= ARQL_FIELD(remote),
	[ARQLINK_FRAME]		= ARQL_FIELD(frame),
	[ARQLINK_WINDOW]	= ARQL_FIELD(window),
	[ARQLINK_TIMER]		= ARQL_FIELD(timer.kind),
	[ARQLINK_TIMEOUT]	= ARQL_FIELD(timer.timeout),
	[ARQLINK_FLOOR]		= ARQL_FIELD(timer.floor),
	[ARQLINK_MEAN_FACTOR]	= ARQL_FIELD(timer.mean),
	[ARQLINK_DEVIATION_FACTOR] = ARQL_FIELD(timer.deviation),
	[ARQLINK_GAINS]		= ARQL_FIELD(timer.gains),
	[ARQLINK_VARIANCE]	= ARQL_FIELD(timer.variance),
	[ARQLINK_CLOCK]		= ARQL_FIELD(clock),
	[ARQLINK_REJECT]	= ARQL_FIELD(reject),
	[ARQLINK_ACK_DELAY]	= ARQL_FIELD(ack_delay),
	[ARQLINK_ATTEMPTS]	= ARQL_FIELD(attempts),
	[ARQLINK_PERSIST]	= ARQL_FIELD(persist),
	[ARQLINK_LIFETIME]	= ARQL_FIELD(lifetime),
	[ARQLINK_RATE]		= ARQL_FIELD(rate),
	[ARQLINK_BELOW]		= ARQL_FIELD(below),
	[ARQLINK_RING]		= ARQL_FIELD(ring),
	[ARQLINK_BYPASS_MARK]	= ARQL_FIELD(bypass.mark),
	[ARQLINK_BYPASS_MASK]	= ARQL_FIELD(bypass.mask),
	[ARQLINK_BYPASS_DSCP]	= ARQL_FIELD(bypass.dscp),
	[ARQLINK_RELIABLE_MARK]	= ARQL_FIELD(reliable.mark),
	[ARQLINK_RELIABLE_MASK]	= ARQL_FIELD(reliable.mask),
	[ARQLINK_RELIABLE_DSCP]	= ARQL_FIELD(reliable.dscp),
	[ARQLINK_COPIES]	= ARQL_FIELD(copies),
	[ARQLINK_FLUSH]		= ARQL_FIELD(flush),
	[ARQLINK_NOTIFY]	= ARQL_FIELD(notify),
	[ARQLINK_BACKLOG]	= ARQL_FIELD(backlog),
	[ARQLINK_CEILING]	= ARQL_FIELD(timer.ceiling),
	[ARQLINK_ESTIMATE]	= ARQL_FIELD(estimate),
	[ARQLINK_ORDER]		= ARQL_FIELD(order),
	[ARQLINK_PACK]		= ARQL_FIELD(pack),
};

/**
 * arql_config_init() - the default of each attribute
 * @cfg: written
 */
void arql_config_init(struct arql_config *cfg)
{
	*cfg = (struct arql_config){
		.frame = ARQLINK_FRAME_DEFAULT,
		.window = ARQLINK_WINDOW_DEFAULT,
		.timer = {
			.kind = ARQLINK_TIMER_ADAPTIVE,
			.timeout = ARQLINK_TIMEOUT_DEFAULT,
			.floor = ARQLINK_FLOOR_DEFAULT,
			.ceiling = ARQLINK_CEILING_DEFAULT,
			.mean = ARQLINK_MEAN_FACTOR_DEFAULT,
			.deviation = ARQLINK_DEVIATION_FACTOR_DEFAULT,
		},
		.ack_delay = ARQLINK_ACK_DELAY_DEFAULT,
		.below = ARQLINK_BELOW_DEFAULT,
		.ring = ARQLINK_RING_DEFAULT,
		.backlog = ARQLINK_BACKLOG_DEFAULT,
	};
}

static int arql_netlink_check(const struct arql_config *cfg, struct nlattr **tb,
			      struct netlink_ext_ack *extack)
{
	if (!is_zero_ether_addr(cfg->remote) && !is_valid_ether_addr(cfg->remote)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[ARQLINK_REMOTE],
				    "arqlink: remote must be a unicast address, or all 0 to learn it");
		return -EADDRNOTAVAIL;
	}
	if (cfg->bypass.mark & ~cfg->bypass.mask) {
		NL_SET_ERR_MSG_ATTR(extack, tb[ARQLINK_BYPASS_MARK] ?: tb[ARQLINK_BYPASS_MASK],
				    "arqlink: bypass_mark must have no bits outside its mask");
		return -EINVAL;
	}
	if (cfg->reliable.mark & ~cfg->reliable.mask) {
		NL_SET_ERR_MSG_ATTR(extack, tb[ARQLINK_RELIABLE_MARK] ?: tb[ARQLINK_RELIABLE_MASK],
				    "arqlink: reliable_mark must have no bits outside its mask");
		return -EINVAL;
	}
	if (cfg->timer.ceiling < cfg->timer.floor) {
		NL_SET_ERR_MSG_ATTR(extack, tb[ARQLINK_CEILING] ?: tb[ARQLINK_FLOOR],
				    "arqlink: ceiling must be at least floor");
		return -EINVAL;
	}
	return 0;
}

/**
 * arql_netlink_read() - read attributes into a configuration
 * @cfg: the present configuration; attributes in the request replace its values
 * @tb: the attributes of IFLA_INFO_DATA, validated by arql_policy; may be NULL
 * @extack: set to the wrong attribute and the reason
 *
 * Return: 0, or a negative errno and @cfg is unchanged
 */
int arql_netlink_read(struct arql_config *cfg, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	struct arql_config next = *cfg;
	int i, err;

	if (!tb)
		return 0;
	for (i = ARQLINK_REMOTE; i <= ARQLINK_MAX; i++)
		if (tb[i])
			memcpy((void *)&next + arql_fields[i].offset, nla_data(tb[i]),
			       arql_fields[i].size);
	err = arql_netlink_check(&next, tb, extack);
	if (err)
		return err;
	*cfg = next;
	return 0;
}

/**
 * arql_netlink_size() - space that arql_netlink_fill() needs, in bytes
 * @dev: the device
 */
size_t arql_netlink_size(const struct net_device *dev)
{
	size_t size = 0;
	int i;

	for (i = ARQLINK_REMOTE; i <= ARQLINK_MAX; i++)
		size += nla_total_size_64bit(arql_fields[i].size);
	return size;
}

/**
 * arql_netlink_fill() - fill in IFLA_INFO_DATA
 * @skb: the answer
 * @dev: the device
 *
 * Return: 0, or -EMSGSIZE if the answer is full
 */
int arql_netlink_fill(struct sk_buff *skb, const struct net_device *dev)
{
	const void *cfg = arql_device_config(dev);
	int i, size, err;

	for (i = ARQLINK_REMOTE; i <= ARQLINK_MAX; i++) {
		size = arql_fields[i].size;
		if (size == sizeof(u64))
			err = nla_put_64bit(skb, i, size, cfg + arql_fields[i].offset, ARQLINK_PAD);
		else
			err = nla_put(skb, i, size, cfg + arql_fields[i].offset);
		if (err)
			return err;
	}
	return 0;
}

/**
 * arql_netlink_stats_size() - space that arql_netlink_fill_stats() needs, in bytes
 * @dev: the device
 */
size_t arql_netlink_stats_size(const struct net_device *dev)
{
	return nla_total_size(0) +
	       (ARQLINK_STATS_MAX - ARQLINK_STATS_PAD) * nla_total_size_64bit(sizeof(u64));
}

/**
 * arql_netlink_fill_stats() - fill in IFLA_INFO_XSTATS
 * @skb: the answer
 * @dev: the device
 *
 * Return: 0, or -EMSGSIZE if the answer is full
 */
int arql_netlink_fill_stats(struct sk_buff *skb, const struct net_device *dev)
{
	struct nlattr *nest = nla_nest_start(skb, IFLA_INFO_XSTATS);
	u64 stats[ARQLINK_STATS_MAX + 1];
	int i;

	if (!nest)
		return -EMSGSIZE;
	arql_device_stats(dev, stats);
	for (i = ARQLINK_STATS_PACKETS_IN; i <= ARQLINK_STATS_MAX; i++)
		if (nla_put_u64_64bit(skb, i, stats[i], ARQLINK_STATS_PAD)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	nla_nest_end(skb, nest);
	return 0;
}
