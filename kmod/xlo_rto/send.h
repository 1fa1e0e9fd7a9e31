/* SPDX-License-Identifier: GPL-2.0 */
/* Sends a message about a lost or delayed packet. */
#ifndef _XLO_RTO_SEND_H
#define _XLO_RTO_SEND_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/xlo_rto_genl.h>
#include <net/net_namespace.h>

/**
 * struct xrto_send_cb - the control block of a queued message
 * @to: the destination address
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6
 */
struct xrto_send_cb {
	union nf_inet_addr to;
	u8 pf;
};

static inline struct xrto_send_cb *xrto_send_cb(struct sk_buff *skb)
{
	return (struct xrto_send_cb *)skb->cb;
}

enum xrto_notices xrto_send(struct net *net, struct sk_buff *skb);

#endif /* _XLO_RTO_SEND_H */
