// SPDX-License-Identifier: GPL-2.0
/* The netlink side of a cellink: requests parsed and checked, answers filled in. */

#include <net/fl_range.h>
#include <net/rtnetlink.h>
#include "netlink.h"

/* Types only: ranges are checked by hand, for words that name them. A peer has no peer of its
 * own: where the parsing is strict from the first attribute on, one without a type is refused.
 */
const struct nla_policy cell_policy[CELLINK_MAX + 1] = {
	[CELLINK_UNSPEC]	= { .strict_start_type = CELLINK_RATE },
	/* in what a dump returned, on machines that align 64 bit attributes */
	[CELLINK_PAD]		= { .type = NLA_FLAG },
	[CELLINK_PEER]		= { .len = sizeof(struct ifinfomsg) },
	[CELLINK_RATE]		= { .type = NLA_U64 },
	[CELLINK_DELAY]		= { .type = NLA_U64 },
	[CELLINK_RING_PACKETS]	= { .type = NLA_U32 },
	[CELLINK_RING_BYTES]	= { .type = NLA_U32 },
};

/* An attribute without a text takes any number. */
static const struct fl_range cell_ranges[CELLINK_MAX + 1] = {
	[CELLINK_RATE] = { 0, CELLINK_RATE_MAX,
		"cellink: rate must be 0 (unlimited) to 125000000000 bytes/s" },
	[CELLINK_DELAY] = { 0, CELLINK_DELAY_MAX,
		"cellink: delay must be 0 to 60 s" },
	[CELLINK_RING_PACKETS] = { 1, CELLINK_RING_PACKETS_MAX,
		"cellink: ring_packets must be 1 to 65536" },
	[CELLINK_RING_BYTES] = { 0, CELLINK_RING_BYTES_MAX,
		"cellink: ring_bytes must be 0 (no limit) to 1073741824" },
};

static void cell_netlink_store(struct cell_config *cfg, struct nlattr **tb)
{
	if (tb[CELLINK_RATE])
		cfg->rate = nla_get_u64(tb[CELLINK_RATE]);
	if (tb[CELLINK_DELAY])
		cfg->delay = nla_get_u64(tb[CELLINK_DELAY]);
	if (tb[CELLINK_RING_PACKETS])
		cfg->ring_packets = nla_get_u32(tb[CELLINK_RING_PACKETS]);
	if (tb[CELLINK_RING_BYTES])
		cfg->ring_bytes = nla_get_u32(tb[CELLINK_RING_BYTES]);
}

/**
 * cell_netlink_read() - read attributes into a configuration
 * @cfg: the configuration in force; what the request names is replaced
 * @tb: the attributes of IFLA_INFO_DATA, validated by cell_policy; may be NULL
 * @extack: gets the attribute that is wrong, and its range
 *
 * Return: 0, or a negative errno and @cfg is as it was
 */
int cell_netlink_read(struct cell_config *cfg, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	int err;

	if (!tb)
		return 0;
	err = fl_range_check(cell_ranges, tb, CELLINK_MAX, extack);
	if (err)
		return err;
	cell_netlink_store(cfg, tb);
	return 0;
}

/**
 * cell_netlink_parse() - cell_netlink_read() for what the core has not parsed
 * @cfg: the configuration in force
 * @data: IFLA_INFO_DATA, may be NULL
 * @extack: gets the attribute that is wrong
 *
 * Return: 0, or a negative errno and @cfg is as it was
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
 * cell_netlink_size() - room that cell_netlink_fill() needs
 * @dev: the device
 */
size_t cell_netlink_size(const struct net_device *dev)
{
	return 2 * nla_total_size_64bit(sizeof(u64)) +
	       2 * nla_total_size(sizeof(u32));
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
	const struct cell_channel *ch = netdev_priv(dev);
	const struct cell_config *cfg = &ch->cfg;

	if (nla_put_u64_64bit(skb, CELLINK_RATE, cfg->rate, CELLINK_PAD) ||
	    nla_put_u64_64bit(skb, CELLINK_DELAY, cfg->delay, CELLINK_PAD) ||
	    nla_put_u32(skb, CELLINK_RING_PACKETS, cfg->ring_packets) ||
	    nla_put_u32(skb, CELLINK_RING_BYTES, cfg->ring_bytes))
		return -EMSGSIZE;
	return 0;
}

/**
 * cell_netlink_stats_size() - room that cell_netlink_fill_stats() needs
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
