/* SPDX-License-Identifier: GPL-2.0 */
/* Interface of the module xlo_rto, which reports an event to the source of the affected packet. */
#ifndef _NET_XLO_RTO_H
#define _NET_XLO_RTO_H

#include <linux/skbuff.h>
#include <linux/xlo_rto.h>
#include <net/net_namespace.h>

/*
 * A module that calls xlo_notify() directly depends on xlo_rto, and cannot be loaded without
 * xlo_rto. A module that must work without xlo_rto calls symbol_get(xlo_notify) instead. An example
 * is sch_lpd/feedback.c.
 */
bool xlo_notify(struct net *net, const struct sk_buff *skb, int off, u8 code);

/* the type of xlo_notify(), for callers that store a pointer to this function */
typedef bool xlo_notify_fn(struct net *net, const struct sk_buff *skb, int off,
			   u8 code);

#endif /* _NET_XLO_RTO_H */
