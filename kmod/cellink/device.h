/* SPDX-License-Identifier: GPL-2.0 */
/* The network device at each end of a cellink. */
#ifndef _CELLINK_DEVICE_H
#define _CELLINK_DEVICE_H

#include <linux/netdevice.h>

void cell_device_setup(struct net_device *dev);
struct net_device *cell_device_find(struct net *net, int ifindex);
void cell_device_join(struct net_device *one, struct net_device *other);
struct net_device *cell_device_part(struct net_device *dev);

#endif /* _CELLINK_DEVICE_H */
