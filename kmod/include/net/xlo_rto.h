/* SPDX-License-Identifier: GPL-2.0 */
/* Report to the source of a packet what happened to the packet: module xlo_rto. */
#ifndef _NET_XLO_RTO_H
#define _NET_XLO_RTO_H

#include <linux/skbuff.h>
#include <linux/xlo_rto.h>
#include <net/net_namespace.h>

bool xlo_notify(struct net *net, const struct sk_buff *skb, int off, u8 code);

#endif /* _NET_XLO_RTO_H */
