/* SPDX-License-Identifier: GPL-2.0 */
/* XRTO_CMD_NOTIFY: a message that a program wants sent. */
#ifndef _XLO_RTO_NOTIFY_H
#define _XLO_RTO_NOTIFY_H

#include <net/genetlink.h>
#include <linux/xlo_rto_genl.h>

extern const struct nla_policy xrto_notify_policy[XRTO_A_MAX + 1];

int xrto_notify_doit(struct sk_buff *skb, struct genl_info *info);

#endif /* _XLO_RTO_NOTIFY_H */
