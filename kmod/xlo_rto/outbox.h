/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that wait to be sent, and how many may be. */
#ifndef _XLO_RTO_OUTBOX_H
#define _XLO_RTO_OUTBOX_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/workqueue.h>
#include <linux/xlo_rto_genl.h>
#include <net/net_namespace.h>

/* Messages, of some 1300 bytes each, until the work item has a processor. No cgroup is charged for
 * them, as for ICMP errors: what they are about is rarely of a task of this host.
 */
#define XRTO_OUTBOX_SIZE	32
/* In all as many as Linux sends of ICMP errors: 1000 a second, 50 at once */
#define XRTO_OUTBOX_PERIOD	(NSEC_PER_SEC / 1000)
#define XRTO_OUTBOX_BURST	50
/* To a host: a connection takes eight per timeout */
#define XRTO_HOST_PERIOD	(NSEC_PER_SEC / 10)
#define XRTO_HOST_BURST		10
#define XRTO_HOSTS		256	/* that are told apart */

/**
 * struct xrto_outbox - a namespace's
 * @net: the namespace
 * @work: empties it
 * @queue: messages, first in, first out
 * @lock: of the buckets; softirqs off
 * @all: bucket of all messages, see xrto_bucket_take()
 * @host: buckets of those for a host, by a secret hash of its address
 */
struct xrto_outbox {
	struct net *net;
	struct work_struct work;
	struct sk_buff_head queue;
	spinlock_t lock;	/* see above */
	u64 all;
	u64 host[XRTO_HOSTS];
};

void xrto_outbox_init(struct xrto_outbox *outbox, struct net *net);
void xrto_outbox_exit(struct xrto_outbox *outbox);
enum xrto_notices xrto_outbox_add(struct net *net, const struct sk_buff *skb,
				  int off, u8 code);

/**
 * struct xrto_send_cb - in the control block of a message that waits
 * @to: who it is for
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

#endif /* _XLO_RTO_OUTBOX_H */
