/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of the generic netlink family "xlo_rto". */
#ifndef _XLO_RTO_NETLINK_H
#define _XLO_RTO_NETLINK_H

int xrto_netlink_init(void);
void xrto_netlink_exit(void);

#endif /* _XLO_RTO_NETLINK_H */
