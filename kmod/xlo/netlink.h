/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family "xlo". */
#ifndef _XLO_NETLINK_H
#define _XLO_NETLINK_H

#include <net/net_namespace.h>

int xlo_netlink_init(void);
void xlo_netlink_exit(void);

void xlo_cap_device_gone(struct net *net, int ifindex);

#endif /* _XLO_NETLINK_H */
