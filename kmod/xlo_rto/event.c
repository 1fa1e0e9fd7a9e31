// SPDX-License-Identifier: GPL-2.0
/*
 * Events for the listeners, which report changed settings and moved timeouts. The inbox limits the
 * rate of processed messages, and thus the rate of events about moved timeouts.
 */

#include <linux/in6.h>
#include <linux/jiffies.h>
#include <net/fl_genl.h>
#include "event.h"

/* the family, or NULL while events are disabled */
static const struct genl_family *xrto_event_family;

/**
 * xrto_event_start() - enable events
 * @family: the registered family
 */
void xrto_event_start(const struct genl_family *family)
{
	/* a reader that reads the family through this pointer sees the complete family */
	smp_store_release(&xrto_event_family, family);
}

/**
 * xrto_event_stop() - disable events before the family is unregistered
 *
 * ICMP messages may still move timeouts during this function, under RCU. Code that has already read
 * the family must finish before another family can get the number of the multicast group. This
 * function therefore waits for a grace period.
 *
 * Context: process
 */
void xrto_event_stop(void)
{
	WRITE_ONCE(xrto_event_family, NULL);
	synchronize_net();
}

/* Get the family, or NULL if no network namespace has a listener. */
static const struct genl_family *xrto_event_heard(struct net *net)
{
	const struct genl_family *family = READ_ONCE(xrto_event_family);

	return family && genl_has_listeners(family, net, 0) ? family : NULL;
}

static struct sk_buff *xrto_event_begin(const struct genl_family *family,
					enum xrto_cmd cmd, void **hdr,
					gfp_t gfp)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);

	*hdr = msg ? genlmsg_put(msg, 0, 0, family, 0, cmd) : NULL;
	return msg;
}

static void xrto_event_send(const struct genl_family *family, struct net *net,
			    struct sk_buff *msg, void *hdr, gfp_t gfp)
{
	genlmsg_end(msg, hdr);
	genlmsg_multicast_netns_filtered(family, net, msg, 0, 0, gfp,
					 fl_genl_withheld, net);
}

/**
 * xrto_put_settings() - add all settings except the key to a netlink message
 * @msg: the netlink message
 * @settings: the settings
 *
 * Return: 0, or -EMSGSIZE if the message has no space
 */
int xrto_put_settings(struct sk_buff *msg, const struct xrto_settings *settings)
{
	return nla_put_u8(msg, XRTO_A_ACCEPT, settings->accept) ?:
	       nla_put_u8(msg, XRTO_A_ONE_HOP, settings->one_hop) ?:
	       nla_put_u8(msg, XRTO_A_KEYED, settings->keyed) ?:
	       nla_put_u8(msg, XRTO_A_ENCODING, settings->encoding) ?:
	       nla_put_u8(msg, XRTO_A_EARLY, settings->early);
}

/**
 * xrto_event_settings() - report changed settings
 * @net: the network namespace
 * @settings: the new settings
 *
 * If no memory is available for the event, the next receive call of each member of the group fails
 * with ENOBUFS. A member whose buffer is full receives the same error. The error tells members that
 * they have missed an event.
 *
 * Context: process
 */
void xrto_event_settings(struct net *net, const struct xrto_settings *settings)
{
	const struct genl_family *family = xrto_event_heard(net);
	struct sk_buff *msg;
	void *hdr;

	if (!family)
		return;
	msg = xrto_event_begin(family, XRTO_CMD_SET, &hdr, GFP_KERNEL);
	if (msg && !xrto_put_settings(msg, settings)) {
		xrto_event_send(family, net, msg, hdr, GFP_KERNEL);
		return;
	}
	nlmsg_free(msg);
	genl_set_err(family, net, 0, 0, -ENOBUFS);
}

static int xrto_put_connection(struct sk_buff *msg,
			       const struct xrto_quote *quote)
{
	int size = quote->pf == NFPROTO_IPV4 ? sizeof(struct in_addr) :
					       sizeof(struct in6_addr);

	return nla_put(msg, XRTO_A_LOCAL, size, &quote->saddr) ?:
	       nla_put_u16(msg, XRTO_A_LOCAL_PORT, ntohs(quote->sport)) ?:
	       nla_put(msg, XRTO_A_PEER, size, &quote->daddr) ?:
	       nla_put_u16(msg, XRTO_A_PEER_PORT, ntohs(quote->dport));
}

static int xrto_put_moved(struct sk_buff *msg, u32 rto, u32 run,
			  const struct xrto_decision *decision)
{
	return nla_put_u16(msg, XRTO_A_CAUSE, decision->verdict) ?:
	       nla_put_u32(msg, XRTO_A_RTO, jiffies_to_msecs(rto)) ?:
	       nla_put_u32(msg, XRTO_A_RUN, jiffies_to_msecs(run)) ?:
	       nla_put_u32(msg, XRTO_A_TIMEOUT,
			   jiffies_to_msecs(decision->timeout));
}

/**
 * xrto_event_moved() - report that a message has moved a timeout
 * @net: the network namespace
 * @quote: the segment that the message quotes
 * @rto: the timeout that was running, in jiffies
 * @run: how long the timeout had been running, in jiffies
 * @decision: the verdict and the new timeout
 *
 * If no memory is available for the event, the event is lost without an error. An error would also
 * reach unprivileged members of the group. The counters still show the verdict.
 *
 * Context: any, inside an RCU read-side critical section
 */
void xrto_event_moved(struct net *net, const struct xrto_quote *quote, u32 rto,
		      u32 run, const struct xrto_decision *decision)
{
	const struct genl_family *family = xrto_event_heard(net);
	struct sk_buff *msg;
	void *hdr;

	if (!family)
		return;
	msg = xrto_event_begin(family, XRTO_CMD_MOVED, &hdr, GFP_ATOMIC);
	if (msg && !xrto_put_moved(msg, rto, run, decision) &&
	    !xrto_put_connection(msg, quote))
		xrto_event_send(family, net, msg, hdr, GFP_ATOMIC);
	else
		nlmsg_free(msg);
}
