// SPDX-License-Identifier: GPL-2.0
/*
 * Telling those who listen: of settings, and of timeouts that were moved, of which there are no
 * more than the inbox lets messages through.
 */

#include <linux/capability.h>
#include <linux/in6.h>
#include <linux/jiffies.h>
#include <linux/net.h>
#include <net/sock.h>
#include "config.h"
#include "event.h"
#include "netlink.h"

static bool xrto_events_open;

/** xrto_event_start() - events may be sent: the family is there */
void xrto_event_start(void)
{
	WRITE_ONCE(xrto_events_open, true);
}

/**
 * xrto_event_stop() - none is sent any more: the family is about to go
 *
 * Messages still move timeouts, under RCU. Who has passed the switch is waited for, before the
 * family's group can become another's.
 */
void xrto_event_stop(void)
{
	WRITE_ONCE(xrto_events_open, false);
	synchronize_net();
}

static bool xrto_event_heard(struct net *net)
{
	return READ_ONCE(xrto_events_open) &&
	       genl_has_listeners(&xrto_genl_family, net, 0);
}

static struct sk_buff *xrto_event_begin(enum xrto_cmd cmd, void **hdr, gfp_t gfp)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);

	*hdr = msg ? genlmsg_put(msg, 0, 0, &xrto_genl_family, 0, cmd) : NULL;
	return msg;
}

/* Whether a member of the group may not hear. That it is one says nothing of its privilege: whoever
 * knows the group's number joins before the module is loaded. It has to have been opened with
 * CAP_NET_ADMIN over the namespace.
 */
static int xrto_event_withheld(struct sock *member, struct sk_buff *msg,
			       void *data)
{
	const struct net *net = data;

	return !file_ns_capable(member->sk_socket->file, net->user_ns,
				CAP_NET_ADMIN);
}

static void xrto_event_send(struct net *net, struct sk_buff *msg, void *hdr,
			    gfp_t gfp)
{
	genlmsg_end(msg, hdr);
	genlmsg_multicast_netns_filtered(&xrto_genl_family, net, msg, 0, 0, gfp,
					 xrto_event_withheld, net);
}

/**
 * xrto_event_settings() - tell that settings changed
 * @net: the namespace
 *
 * Where there is no memory for it members of the group learn that they have missed something: what
 * they receive next is ENOBUFS, as where their own buffer is full.
 *
 * Context: process
 */
void xrto_event_settings(struct net *net)
{
	struct sk_buff *msg;
	void *hdr;

	if (!xrto_event_heard(net))
		return;
	msg = xrto_event_begin(XRTO_CMD_SET, &hdr, GFP_KERNEL);
	if (msg && !xrto_put_settings(msg, xrto_net(net))) {
		xrto_event_send(net, msg, hdr, GFP_KERNEL);
		return;
	}
	nlmsg_free(msg);
	genl_set_err(&xrto_genl_family, net, 0, 0, -ENOBUFS);
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

static int xrto_put_moved(struct sk_buff *msg, const struct xrto_flow *flow,
			  const struct xrto_decision *decision, u32 run)
{
	return nla_put_u16(msg, XRTO_A_CAUSE, decision->verdict) ?:
	       nla_put_u32(msg, XRTO_A_RTO,
			   jiffies_to_msecs(flow->machine.rto)) ?:
	       nla_put_u32(msg, XRTO_A_RUN, jiffies_to_msecs(run)) ?:
	       nla_put_u32(msg, XRTO_A_TIMEOUT,
			   jiffies_to_msecs(decision->timeout));
}

/**
 * xrto_event_moved() - tell that a message moved a timeout
 * @net: the namespace
 * @message: the message
 * @flow: where the connection stands now
 * @decision: what was done
 * @run: for how long the timeout had run; jiffies
 *
 * Where there is no memory for it nobody is told: the error that says so would reach every member
 * of the group. It has been counted.
 *
 * Context: any, under RCU
 */
void xrto_event_moved(struct net *net, const struct xrto_message *message,
		      const struct xrto_flow *flow,
		      const struct xrto_decision *decision, u32 run)
{
	struct sk_buff *msg;
	void *hdr;

	if (!xrto_event_heard(net))
		return;
	msg = xrto_event_begin(XRTO_CMD_MOVED, &hdr, GFP_ATOMIC);
	if (msg && !xrto_put_moved(msg, flow, decision, run) &&
	    !xrto_put_connection(msg, &message->quote))
		xrto_event_send(net, msg, hdr, GFP_ATOMIC);
	else
		nlmsg_free(msg);
}
