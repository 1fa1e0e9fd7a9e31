/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration and counters of an arqlink device as netlink attributes. */
#ifndef _ARQLINK_NETLINK_H
#define _ARQLINK_NETLINK_H

#include <linux/netdevice.h>
#include <net/netlink.h>
#include "config.h"

extern const struct nla_policy arql_policy[ARQLINK_MAX + 1];

void arql_config_init(struct arql_config *cfg);
int arql_netlink_read(struct arql_config *cfg, struct nlattr **tb,
		      struct netlink_ext_ack *extack);
size_t arql_netlink_size(const struct net_device *dev);
int arql_netlink_fill(struct sk_buff *skb, const struct net_device *dev);
size_t arql_netlink_stats_size(const struct net_device *dev);
int arql_netlink_fill_stats(struct sk_buff *skb, const struct net_device *dev);

#endif /* _ARQLINK_NETLINK_H */
