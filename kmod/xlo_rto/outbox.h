/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to send: outbox.c limits and queues them, send.c sends them. */
#ifndef _XLO_RTO_OUTBOX_H
#define _XLO_RTO_OUTBOX_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/workqueue.h>
#include <linux/xlo_rto_genl.h>
#include <net/net_namespace.h>

/* The number of messages, of some 1300 bytes each, that may wait for the work item. No cgroup is
 * charged for them, as for ICMP errors: the quoted packet is rarely from a task of this host.
 */
#define XRTO_OUTBOX_SIZE	32
/* All messages: 1000 per second, bursts of 50. Linux has the same limit for ICMP errors, with
 * random variation since CVE-2020-25705. Here that is not needed: whether a message takes a
 * token depends only on the packet and on the number of messages before. So the limit reveals
 * nothing about the connections or ports of a host.
 */
#define XRTO_OUTBOX_PERIOD	(NSEC_PER_SEC / 1000)
#define XRTO_OUTBOX_BURST	50
/* Messages to one host: a connection accepts eight per timeout. */
#define XRTO_HOST_PERIOD	(NSEC_PER_SEC / 10)
#define XRTO_HOST_BURST		10
#define XRTO_HOSTS		256	/* number of buckets */

/**
 * struct xrto_outbox - the messages of a namespace that wait to be sent
 * @net: the namespace
 * @work: sends the messages in @queue
 * @queue: the messages, first in, first out
 * @lock: protects the buckets; taken with softirqs off
 * @all: token bucket of all messages, see xrto_bucket_take()
 * @host: token buckets of hosts, by a secret hash of the host's address
 */
struct xrto_outbox {
	struct net *net;
	struct work_struct work;
	struct sk_buff_head queue;
	spinlock_t lock;	/* protects the buckets */
	u64 all;
	u64 host[XRTO_HOSTS];
};

void xrto_outbox_init(struct xrto_outbox *outbox, struct net *net);
void xrto_outbox_exit(struct xrto_outbox *outbox);
enum xrto_notices xrto_outbox_add(struct net *net, const struct sk_buff *skb,
				  int off, u8 code);

/**
 * struct xrto_send_cb - the control block of a message that waits
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

#endif /* _XLO_RTO_OUTBOX_H */
