/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration and counters of a direction as netlink attributes. */
#ifndef _CELLINK_NETLINK_H
#define _CELLINK_NETLINK_H

#include <net/netlink.h>
#include "channel.h"

extern const struct nla_policy cell_policy[CELLINK_MAX + 1];

int cell_netlink_read(struct cell_config *cfg, struct nlattr **tb,
		      struct netlink_ext_ack *extack);
int cell_netlink_parse(struct cell_config *cfg, const struct nlattr *data,
		       struct netlink_ext_ack *extack);
size_t cell_netlink_size(const struct net_device *dev);
int cell_netlink_fill(struct sk_buff *skb, const struct net_device *dev);
size_t cell_netlink_stats_size(const struct net_device *dev);
int cell_netlink_fill_stats(struct sk_buff *skb, const struct net_device *dev);

#endif /* _CELLINK_NETLINK_H */
