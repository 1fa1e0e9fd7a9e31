/* SPDX-License-Identifier: GPL-2.0 */
/* Parses the netlink requests to lpd and fills in the answers. */
#ifndef _SCH_LPD_NETLINK_H
#define _SCH_LPD_NETLINK_H

#include "queue.h"

int lpd_netlink_parse(struct lpd_config *cfg, const struct Qdisc *sch,
		      const struct nlattr *opt, struct netlink_ext_ack *extack);
int lpd_dump(struct Qdisc *sch, struct sk_buff *skb);
int lpd_dump_stats(struct Qdisc *sch, struct gnet_dump *d);

#endif /* _SCH_LPD_NETLINK_H */
