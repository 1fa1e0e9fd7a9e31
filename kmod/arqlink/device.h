/* SPDX-License-Identifier: GPL-2.0 */
/* The network device of an arqlink. */
#ifndef _ARQLINK_DEVICE_H
#define _ARQLINK_DEVICE_H

#include <linux/netdevice.h>
#include "config.h"

void arql_device_setup(struct net_device *dev);
int arql_device_attach(struct net_device *dev, struct netlink_ext_ack *extack);
void arql_device_detach(struct net_device *dev);
struct net_device *arql_device_above(const struct net_device *lower);
const struct arql_config *arql_device_config(const struct net_device *dev);
void arql_device_stats(const struct net_device *dev,
		       u64 stats[ARQLINK_STATS_MAX + 1]);

#endif /* _ARQLINK_DEVICE_H */
