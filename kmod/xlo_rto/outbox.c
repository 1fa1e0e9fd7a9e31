// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of messages to be sent. The caller that loses a packet may hold any lock. Therefore a
 * message is written immediately, but is sent in process context.
 *
 * The function icmp_send() cannot replace this queue, because icmp_send() supports no type above 18
 * (NR_ICMP_TYPES). In addition, icmp_send() would send within the call. A qdisc would call
 * icmp_send() while it holds a lock that icmp_send() also needs to send.
 */

#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/once.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/workqueue.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/xlo_rto.h>
#include "config.h"
#include "notice.h"
#include "outbox.h"
#include "parse.h"
#include "send.h"

#define XRTO_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr))
/* The maximum number of messages in the queue. A message needs about 1300 bytes. No cgroup is
 * charged for a message, because the quoted packet is rarely from a task of this host. ICMP errors
 * are not charged either.
 */
#define XRTO_OUTBOX_SIZE	32
/* The limit of all messages together is 1000 per second, in bursts of 50. Linux 6.1 and 6.12 have
 * the same default limit for ICMP errors. The limit of Linux varies randomly since CVE-2020-25705.
 * The limit of this module needs no random variation. Whether a message uses a token depends only
 * on the packet and on the number of earlier messages. The limit therefore reveals no connections
 * and no ports of a host.
 */
#define XRTO_OUTBOX_PERIOD	(NSEC_PER_SEC / 1000)
#define XRTO_OUTBOX_BURST	50
/* The limit of messages to one host. A connection accepts at most eight messages per timeout. */
#define XRTO_HOST_PERIOD	(NSEC_PER_SEC / 10)
#define XRTO_HOST_BURST		10
#define XRTO_HOSTS		256	/* number of buckets */

/**
 * struct xrto_outbox - the pending messages of a network namespace
 * @net: the network namespace
 * @work: sends the messages in @queue
 * @queue: the messages, first in, first out
 * @lock: protects the buckets; taken with softirqs off
 * @all: token bucket of all messages, see xrto_bucket_take()
 * @host: token buckets of hosts, indexed by a secret hash of the host's address
 */
struct xrto_outbox {
	struct net *net;
	struct work_struct work;
	struct sk_buff_head queue;
	spinlock_t lock;	/* protects the buckets */
	u64 all;
	u64 host[XRTO_HOSTS];
};

/* Count a message that this host is asked to send. Callable from any context. */
static void xrto_count_notice(struct xrto_net *xn, enum xrto_notices which)
{
	atomic64_inc(&xn->notices[which]);
}

static void xrto_outbox_work(struct work_struct *work)
{
	struct xrto_outbox *outbox = container_of(work, struct xrto_outbox,
						  work);
	struct xrto_net *xn = xrto_net(outbox->net);
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&outbox->queue))) {
		xrto_count_notice(xn, xrto_send(outbox->net, skb));
		cond_resched();
	}
}

/**
 * xrto_outbox_new() - make an empty outbox
 * @net: the network namespace of the outbox
 *
 * Context: process
 *
 * Return: the outbox, or NULL if there is no memory
 */
struct xrto_outbox *xrto_outbox_new(struct net *net)
{
	struct xrto_outbox *outbox = kzalloc(sizeof(*outbox),
					     GFP_KERNEL_ACCOUNT);

	if (!outbox)
		return NULL;
	outbox->net = net;
	INIT_WORK(&outbox->work, xrto_outbox_work);
	skb_queue_head_init(&outbox->queue);
	spin_lock_init(&outbox->lock);
	return outbox;
}

/**
 * xrto_outbox_free() - drop the pending messages, and free the outbox
 * @outbox: the outbox, to which no more messages are added
 *
 * Context: process
 */
void xrto_outbox_free(struct xrto_outbox *outbox)
{
	cancel_work_sync(&outbox->work);
	skb_queue_purge(&outbox->queue);
	kfree(outbox);
}

/* Get the token bucket of the packet's source. Other hosts may share this bucket. The hash uses a
 * secret, so nobody can choose which hosts share a bucket.
 */
static u64 *xrto_host_bucket(struct xrto_outbox *outbox,
			     const struct xrto_quote *quote)
{
	static u32 secret __read_mostly;
	u32 words = (quote->pf == NFPROTO_IPV4 ? sizeof(struct in_addr) :
						 sizeof(struct in6_addr)) /
		    sizeof(u32);

	net_get_random_once(&secret, sizeof(secret));
	return &outbox->host[jhash2(quote->saddr.all, words, secret) %
			     XRTO_HOSTS];
}

/* Check whether the limits allow one more message to the packet's source. The function checks the
 * bucket of the host first. If this bucket refuses the message, the message uses no token of the
 * bucket that all hosts share.
 */
static enum xrto_notices xrto_outbox_limit(struct xrto_outbox *outbox,
					   const struct xrto_quote *quote)
{
	u64 *host = xrto_host_bucket(outbox, quote), now = ktime_get_ns();
	enum xrto_notices limit = XRTO_NOTICES_UNSPEC;

	if (skb_queue_len_lockless(&outbox->queue) >= XRTO_OUTBOX_SIZE)
		return XRTO_NOTICES_QUEUE_FULL;
	spin_lock_bh(&outbox->lock);
	if (!xrto_bucket_take(host, now, XRTO_HOST_PERIOD, XRTO_HOST_BURST))
		limit = XRTO_NOTICES_HOST_LIMIT;
	else if (!xrto_bucket_take(&outbox->all, now, XRTO_OUTBOX_PERIOD,
				   XRTO_OUTBOX_BURST))
		limit = XRTO_NOTICES_LIMIT;
	spin_unlock_bh(&outbox->lock);
	return limit;
}

/* Write a message with the encoding and the key of the network namespace. A program reads only the
 * extension encoding without a privilege, and cannot check a token, because only the kernel has the
 * key.
 */
static struct sk_buff *xrto_outbox_compose(struct xrto_net *xn,
					   struct xrto_notice *notice,
					   const struct xrto_quote *quote)
{
	struct sk_buff *skb = alloc_skb(XRTO_HEADROOM + XRTO_NOTICE_MAX,
					GFP_ATOMIC | __GFP_NOWARN);
	const struct xrto_settings *settings;

	if (!skb)
		return NULL;
	rcu_read_lock();
	settings = rcu_dereference(xn->settings);
	notice->ipv6 = quote->pf == NFPROTO_IPV6;
	notice->extension = settings->encoding == XRTO_ENCODING_EXTENSION ||
			    xrto_notice_to_program(notice->code, quote);
	/* a token needs the sequence number of a segment */
	notice->keyed = settings->keyed && xrto_quote_is_segment(quote);
	if (notice->keyed)
		notice->token = xrto_token(&settings->key, notice->code, quote);
	rcu_read_unlock();
	skb_reserve(skb, XRTO_HEADROOM);
	skb_put(skb, xrto_notice_write(skb->data, notice));
	xrto_send_cb(skb)->to = quote->saddr;
	xrto_send_cb(skb)->pf = quote->pf;
	return skb;
}

/* Attach the message to the packet's connection in conntrack, as ICMP does with its errors. NAT
 * then translates the quote back, and no host sees an address of the other side of the NAT. If a
 * packet comes from a VLAN device in another network namespace, its connection still belongs to
 * that network namespace. NAT must not use this connection, because the addresses in that network
 * namespace are different.
 */
static void xrto_outbox_attach(struct net *net, struct sk_buff *skb,
			       const struct sk_buff *packet)
{
	enum ip_conntrack_info unused;
	const struct nf_conn *ct = nf_ct_get(packet, &unused);

	if (ct && net_eq(nf_ct_net(ct), net))
		/* without conntrack, the parameter of nf_ct_attach() is not const */
		nf_ct_attach(skb, (struct sk_buff *)packet);
}

static enum xrto_notices xrto_outbox_try(struct xrto_net *xn,
					 const struct sk_buff *packet, int off,
					 u8 code)
{
	u8 ip[XRTO_QUOTE_MIN];
	struct xrto_notice notice = { .code = code, .ip = ip };
	enum xrto_notices refusal;
	struct xrto_quote quote;
	struct sk_buff *skb;

	notice.len = min_t(u32, packet->len - off, sizeof(ip));
	if (skb_copy_bits(packet, off, ip, notice.len))
		return XRTO_NOTICES_MALFORMED;
	refusal = xrto_notice_refusal(ip, notice.len, code, &quote) ?:
		  xrto_outbox_limit(xn->outbox, &quote);
	if (refusal)
		return refusal;
	skb = xrto_outbox_compose(xn, &notice, &quote);
	if (!skb)
		return XRTO_NOTICES_NOMEM;
	xrto_outbox_attach(xn->outbox->net, skb, packet);
	skb_queue_tail(&xn->outbox->queue, skb);
	schedule_work(&xn->outbox->work);
	return XRTO_NOTICES_UNSPEC;
}

/**
 * xrto_outbox_add() - queue a message to the source of a packet
 * @net: the network namespace
 * @skb: the packet
 * @off: offset of the IP header from skb->data, at most skb->len
 * @code: XRTO_CODE_*
 *
 * Context: process or softirq
 *
 * Return: the counter of the refusal, which this function has incremented; XRTO_NOTICES_UNSPEC if
 * the message is queued
 */
enum xrto_notices xrto_outbox_add(struct net *net, const struct sk_buff *skb,
				  int off, u8 code)
{
	struct xrto_net *xn = xrto_net(net);
	enum xrto_notices refusal;

	xrto_count_notice(xn, XRTO_NOTICES_ASKED);
	refusal = xrto_outbox_try(xn, skb, off, code);
	if (refusal)
		xrto_count_notice(xn, refusal);
	return refusal;
}

/**
 * xlo_notify() - report to the source of a packet what happened to the packet
 * @net: network namespace of the device through which the packet was to leave
 * @skb: the packet; NAT translates the message with the packet's connection in conntrack
 * @off: offset of the IP header from skb->data, at most skb->len
 * @code: XRTO_CODE_*
 *
 * Some packets cause no message, and the rate of messages is limited, see
 * Documentation/xlo_rto.rst. The counters of the network namespace show why a message was not sent.
 *
 * Context: process or softirq, with any lock held, because a work item sends the message
 *
 * Return: true if a message is queued
 */
bool xlo_notify(struct net *net, const struct sk_buff *skb, int off, u8 code)
{
	return !xrto_outbox_add(net, skb, off, code);
}
EXPORT_SYMBOL_GPL(xlo_notify);
