// SPDX-License-Identifier: GPL-2.0
/*
 * Between whoever loses a packet, who may hold any lock, and the network: messages are composed
 * at once, while the packet is there, and sent in process context.
 */

#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/once.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/xlo_rto.h>
#include "config.h"
#include "notice.h"
#include "outbox.h"
#include "parse.h"

#define XRTO_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr))

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
 * xrto_outbox_init() - begin with nothing sent
 * @outbox: a namespace's, all 0
 * @net: the namespace
 */
void xrto_outbox_init(struct xrto_outbox *outbox, struct net *net)
{
	outbox->net = net;
	INIT_WORK(&outbox->work, xrto_outbox_work);
	skb_queue_head_init(&outbox->queue);
	spin_lock_init(&outbox->lock);
}

/**
 * xrto_outbox_exit() - send nothing any more
 * @outbox: one that nobody adds to any more
 *
 * Context: process
 */
void xrto_outbox_exit(struct xrto_outbox *outbox)
{
	cancel_work_sync(&outbox->work);
	skb_queue_purge(&outbox->queue);
}

/* The bucket of the source of a packet, which it shares with few others that nobody can choose. */
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

/* Whether one more may be sent to a packet's source. The host's bucket comes first: what it does
 * not let through takes nothing from others.
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

/* A message in the encoding and with the key that the namespace has. */
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
	notice->extension = settings->encoding == XRTO_ENCODING_EXTENSION;
	/* the token is of a segment */
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

/* As for ICMP errors: the message belongs to the packet's connection, and its NAT translates the
 * quote back, so that nobody sees an address of the other side. A packet that comes by a VLAN's
 * device in another namespace still has its connection there. The NAT here must not translate by
 * that one: addresses there are others.
 */
static void xrto_outbox_attach(struct net *net, struct sk_buff *skb,
			       const struct sk_buff *packet)
{
	enum ip_conntrack_info unused;
	const struct nf_conn *ct = nf_ct_get(packet, &unused);

	if (ct && net_eq(nf_ct_net(ct), net))
		/* the cast is for kernels without conntrack */
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
		  xrto_outbox_limit(&xn->outbox, &quote);
	if (refusal)
		return refusal;
	skb = xrto_outbox_compose(xn, &notice, &quote);
	if (!skb)
		return XRTO_NOTICES_NOMEM;
	xrto_outbox_attach(xn->outbox.net, skb, packet);
	skb_queue_tail(&xn->outbox.queue, skb);
	schedule_work(&xn->outbox.work);
	return XRTO_NOTICES_UNSPEC;
}

/**
 * xrto_outbox_add() - have the source of a packet told what became of it
 * @net: the namespace
 * @skb: the packet
 * @off: offset of its IP header from skb->data
 * @code: XRTO_CODE_*
 *
 * Context: process or softirq
 *
 * Return: why it is not, which is counted; XRTO_NOTICES_UNSPEC if a message waits
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
 * xlo_notify() - tell the source of a packet what became of it
 * @net: namespace of the device that the packet was to leave by
 * @skb: the packet; as conntrack knows it, the message is translated
 * @off: offset of its IP header from skb->data, at most skb->len
 * @code: XRTO_CODE_*
 *
 * Not of every packet, and no more often than the limits let: see Documentation/xlo_rto.rst. What
 * is not told is counted there.
 *
 * Context: process or softirq, with any lock held: the message is sent by a work item
 *
 * Return: whether a message waits to be sent
 */
bool xlo_notify(struct net *net, const struct sk_buff *skb, int off, u8 code)
{
	return !xrto_outbox_add(net, skb, off, code);
}
EXPORT_SYMBOL_GPL(xlo_notify);
