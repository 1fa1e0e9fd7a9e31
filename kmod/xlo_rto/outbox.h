/* SPDX-License-Identifier: GPL-2.0 */
/* The pending messages of a network namespace, which are sent later. */
#ifndef _XLO_RTO_OUTBOX_H
#define _XLO_RTO_OUTBOX_H

#include <linux/skbuff.h>
#include <linux/xlo_rto_genl.h>
#include <net/net_namespace.h>

struct xrto_outbox;

struct xrto_outbox *xrto_outbox_new(struct net *net);
void xrto_outbox_free(struct xrto_outbox *outbox);
enum xrto_notices xrto_outbox_add(struct net *net, const struct sk_buff *skb,
				  int off, u8 code);

#endif /* _XLO_RTO_OUTBOX_H */
