/* SPDX-License-Identifier: GPL-2.0 */
/* Report to the source of a packet what happened to the packet: module xlo_rto. */
#ifndef _NET_XLO_RTO_H
#define _NET_XLO_RTO_H

#include <linux/skbuff.h>
#include <linux/xlo_rto.h>
#include <net/net_namespace.h>

/*
 * A module that calls xlo_notify() by name depends on xlo_rto, and cannot be loaded without it. A
 * module that must work without xlo_rto calls symbol_get(xlo_notify) instead: see
 * sch_lpd/feedback.c.
 */
bool xlo_notify(struct net *net, const struct sk_buff *skb, int off, u8 code);

/* the type of xlo_notify(), for callers that hold a pointer */
typedef bool xlo_notify_fn(struct net *net, const struct sk_buff *skb, int off,
			   u8 code);

#endif /* _NET_XLO_RTO_H */
