// SPDX-License-Identifier: GPL-2.0
/*
 * Netfilter hooks that receive messages. The hooks run for packets to this host, after the filter
 * rules. The hooks pass almost every packet on to its receiver. The hooks consume only a message in
 * Destination Unreachable. If the hooks passed such a message on, TCP would treat it as a real
 * error, and would undo its back-off (RFC 6069). The hooks ignore a packet that the IPsec policy
 * refuses, because ICMP also discards this packet.
 *
 * The kernel's ICMP has a fixed table of types. A module cannot add an ICMP type, and it cannot see
 * the extension of an error. The module xlo_rto therefore needs hooks.
 */

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/xlo_rto.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/xfrm.h>
#include "config.h"
#include "inbox.h"
#include "parse.h"

#define XRTO_HOPS_UNTOUCHED	255	/* no router has forwarded the packet (RFC 5082) */

/* Get the type of an ICMP packet that may contain an accepted message, or 0 for any other packet.
 * The type is in the linear part of the packet, so the sender cannot change it between two reads.
 */
static u8 xrto_wanted(const struct xrto_settings *settings, struct sk_buff *skb,
		      int offset, u8 native, u8 unreachable)
{
	u8 type;

	if (!pskb_may_pull(skb, offset + sizeof(type)))
		return 0;
	type = skb->data[offset];
	if (type == native && settings->accept & XRTO_ACCEPT_NATIVE)
		return type;
	if (type == unreachable && settings->accept & XRTO_ACCEPT_EXTENSION)
		return type;
	return 0;
}

/* Get the reason why the settings refuse a message with this hop limit, or 0 if they accept it. */
static int xrto_refusal(const struct xrto_settings *settings, u8 hops,
			const struct xrto_message *msg)
{
	if (settings->one_hop && hops != XRTO_HOPS_UNTOUCHED)
		return XRTO_STATS_HOPS;
	if (settings->keyed &&
	    msg->token != xrto_token(&settings->key, msg->event, &msg->quote))
		return XRTO_STATS_TOKEN;
	return 0;
}

/* Handle a packet for which xrto_parse4() or xrto_parse6() has returned @found. */
static unsigned int xrto_finish(struct sk_buff *skb, struct xrto_net *xn,
				const struct xrto_settings *settings, u8 hops,
				struct xrto_message *msg, int found)
{
	if (found < 0)
		return NF_ACCEPT;
	xrto_count(xn, XRTO_STATS_RECEIVED);
	if (!found)
		found = xrto_refusal(settings, hops, msg);
	msg->keyed = settings->keyed;
	msg->quarter = settings->early == XRTO_EARLY_QUARTER;
	if (found) {
		xrto_count(xn, found);
		return NF_ACCEPT;
	}
	xrto_inbox_add(rcu_dereference(xn->inbox), msg);
	if (msg->native)
		return NF_ACCEPT;
	consume_skb(skb);
	return NF_STOLEN;
}

/* Make a packet linear. A packet above XRTO_MESSAGE_MAX is not made linear, because it cannot be a
 * message.
 */
static bool xrto_contiguous(struct sk_buff *skb, int offset)
{
	return skb->len - offset <= XRTO_MESSAGE_MAX && !skb_linearize(skb);
}

/* Get the result for a packet that is too long for xrto_parse4(). */
static int xrto_too_long(bool native)
{
	return native ? XRTO_STATS_MALFORMED : -ENOENT;
}

static unsigned int xrto_hook4(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	struct xrto_net *xn = xrto_net(state->net);
	const struct xrto_settings *settings = rcu_dereference(xn->settings);
	int offset = ip_hdrlen(skb), found;
	struct xrto_message msg;
	u8 type;

	if (ip_hdr(skb)->protocol != IPPROTO_ICMP)
		return NF_ACCEPT;
	type = xrto_wanted(settings, skb, offset, XRTO_TYPE_IPV4,
			   ICMP_DEST_UNREACH);
	if (!type || !xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_ACCEPT;
	if (xrto_contiguous(skb, offset))
		found = xrto_parse4(skb->data + offset, skb->len - offset,
				    ip_hdr(skb)->daddr, &msg);
	else
		found = xrto_too_long(type == XRTO_TYPE_IPV4);
	msg.dif = inet_iif(skb);
	msg.sdif = inet_sdif(skb);
	return xrto_finish(skb, xn, settings, ip_hdr(skb)->ttl, &msg, found);
}

/* Get the offset of the ICMPv6 header, or a negative number if the packet has no ICMPv6 header or
 * is a fragment. With conntrack, the kernel reassembles fragments before this hook.
 */
static int xrto_icmp6_offset(const struct sk_buff *skb)
{
	u8 next = ipv6_hdr(skb)->nexthdr;
	__be16 frag_off;
	int offset;

	offset = ipv6_skip_exthdr(skb, sizeof(struct ipv6hdr), &next,
				  &frag_off);
	return next == IPPROTO_ICMPV6 && !frag_off ? offset : -1;
}

static unsigned int xrto_hook6(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	struct xrto_net *xn = xrto_net(state->net);
	const struct xrto_settings *settings = rcu_dereference(xn->settings);
	int offset = xrto_icmp6_offset(skb), found;
	struct xrto_message msg;
	u8 type;

	if (offset < 0)
		return NF_ACCEPT;
	type = xrto_wanted(settings, skb, offset, XRTO_TYPE_IPV6,
			   ICMPV6_DEST_UNREACH);
	if (!type || !xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_ACCEPT;
	if (xrto_contiguous(skb, offset))
		found = xrto_parse6(skb->data + offset, skb->len - offset,
				    &ipv6_hdr(skb)->saddr,
				    &ipv6_hdr(skb)->daddr, &msg);
	else
		found = xrto_too_long(type == XRTO_TYPE_IPV6);
	msg.dif = inet6_iif(skb);
	msg.sdif = inet6_sdif(skb);
	return xrto_finish(skb, xn, settings, ipv6_hdr(skb)->hop_limit, &msg,
			   found);
}

static const struct nf_hook_ops xrto_hook_ops[] = {
	{
		.hook		= xrto_hook4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_SELINUX_LAST,
	}, {
		.hook		= xrto_hook6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_SELINUX_LAST,
	},
};

static struct xrto_inbox *xrto_inbox_locked(struct xrto_net *xn)
{
	return rcu_dereference_protected(xn->inbox,
					 lockdep_is_held(&xn->lock));
}

/* Free the inbox. The hooks have been unregistered, but packets may be inside the hooks until the
 * grace period ends.
 */
static void xrto_inbox_end(struct xrto_net *xn)
{
	struct xrto_inbox *inbox = xrto_inbox_locked(xn);

	synchronize_net();
	RCU_INIT_POINTER(xn->inbox, NULL);
	xrto_inbox_free(inbox);
}

/**
 * xrto_hooks_start() - start receiving messages
 * @net: the network namespace; the caller holds the lock of its struct xrto_net
 *
 * Return: 0; -ENOMEM; or the error of netfilter. The function also returns 0 if the hooks are
 * already registered
 */
int xrto_hooks_start(struct net *net)
{
	struct xrto_net *xn = xrto_net(net);
	struct xrto_inbox *inbox;
	int err;

	if (xrto_inbox_locked(xn))
		return 0;
	inbox = xrto_inbox_new(net);
	if (!inbox)
		return -ENOMEM;
	rcu_assign_pointer(xn->inbox, inbox);
	err = nf_register_net_hooks(net, xrto_hook_ops,
				    ARRAY_SIZE(xrto_hook_ops));
	if (err)
		xrto_inbox_end(xn);
	return err;
}

/**
 * xrto_hooks_stop() - stop receiving messages
 * @net: the network namespace; the caller holds the lock of its struct xrto_net
 *
 * The function processes the pending messages after it has unregistered the hooks.
 *
 * Context: process; waits for a grace period
 */
void xrto_hooks_stop(struct net *net)
{
	struct xrto_net *xn = xrto_net(net);

	if (!xrto_inbox_locked(xn))
		return;
	nf_unregister_net_hooks(net, xrto_hook_ops, ARRAY_SIZE(xrto_hook_ops));
	xrto_inbox_end(xn);
}

/**
 * xrto_hooks_leave() - stop receiving messages before the network namespace is deleted
 * @net: the network namespace, which cannot be configured any more
 *
 * Packets may be inside the hooks until the grace period ends. The core waits for one grace period
 * for all network namespaces that it deletes together. After the grace period the core calls
 * xrto_hooks_exit().
 */
void xrto_hooks_leave(struct net *net)
{
	if (rcu_access_pointer(xrto_net(net)->inbox))
		nf_unregister_net_hooks(net, xrto_hook_ops,
					ARRAY_SIZE(xrto_hook_ops));
}

/**
 * xrto_hooks_exit() - free the inbox of the hooks
 * @net: the network namespace, a grace period after xrto_hooks_leave()
 */
void xrto_hooks_exit(struct net *net)
{
	struct xrto_inbox *inbox =
		rcu_dereference_protected(xrto_net(net)->inbox, true);

	if (inbox)
		xrto_inbox_free(inbox);
}
