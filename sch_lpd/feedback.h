/* SPDX-License-Identifier: GPL-2.0 */
/* Reports expired packets to sockets on this host, and to any sender by ICMP messages. */
#ifndef _SCH_LPD_FEEDBACK_H
#define _SCH_LPD_FEEDBACK_H

#include <linux/skbuff.h>
#include <net/xlo_rto.h>

struct netlink_ext_ack;

void lpd_feedback(struct sk_buff *skb, s64 deadline);
int lpd_notify_get(xlo_notify_fn **notify, struct netlink_ext_ack *extack);
void lpd_notify_put(xlo_notify_fn *notify);

#endif /* _SCH_LPD_FEEDBACK_H */
