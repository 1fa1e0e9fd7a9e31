/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family "xlo_rto". */
#ifndef _XLO_RTO_NETLINK_H
#define _XLO_RTO_NETLINK_H

#include <net/genetlink.h>
#include "config.h"

extern struct genl_family xrto_genl_family;

int xrto_netlink_init(void);
void xrto_netlink_exit(void);

int xrto_put_settings(struct sk_buff *msg, const struct xrto_net *xn);

#endif /* _XLO_RTO_NETLINK_H */
