// SPDX-License-Identifier: GPL-2.0
/*
 * Events are messages to the members of the multicast group. Every change of the
 * configuration causes an event if somebody listens. At most XLO_EVENTS_BURST events about packets
 * are sent in XLO_EVENTS_MS. The limit bounds the cost of a flood of bad packets.
 */

#include <linux/jiffies.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include "event.h"

/* Checks whether another event about a packet may be sent. When a period ends, other CPUs may
 * allow a few events more than the limit.
 */
static bool xlo_event_allowed(struct xlo_net *xn)
{
	unsigned long since = READ_ONCE(xn->events_since);

	/* the unsigned difference is correct even after jiffies have wrapped */
	if (jiffies - since >= msecs_to_jiffies(XLO_EVENTS_MS) &&
	    cmpxchg(&xn->events_since, since, jiffies) == since)
		atomic_set(&xn->events, 0);
	return atomic_add_unless(&xn->events, 1, XLO_EVENTS_BURST);
}

static const struct genl_family *xlo_event_family;
static bool xlo_events_open;

/**
 * xlo_event_start() - allow events
 * @family: the registered family that sends the events
 */
void xlo_event_start(const struct genl_family *family)
{
	xlo_event_family = family;
	/* pairs with xlo_event_heard(): a CPU that reads true also sees the family */
	smp_store_release(&xlo_events_open, true);
}

/**
 * xlo_event_stop() - stop all events before the family is unregistered
 *
 * Packets may still be in the hooks, and interfaces may still be removed. After the family is
 * unregistered, the number of its multicast group may belong to another family. This function
 * therefore waits until no packet is in a hook and no interface is being removed. Hooks run under
 * RCU, and interfaces are removed under RTNL.
 */
void xlo_event_stop(void)
{
	WRITE_ONCE(xlo_events_open, false);
	rtnl_lock();
	rtnl_unlock();
	synchronize_net();
}

/**
 * xlo_event_heard() - whether events are allowed and somebody listens
 * @net: the network namespace
 *
 * The core does not distinguish network namespaces in this check. A listener in any network
 * namespace makes the result true.
 *
 * Context: any
 */
bool xlo_event_heard(struct net *net)
{
	/* pairs with xlo_event_start() */
	return smp_load_acquire(&xlo_events_open) &&
	       genl_has_listeners(xlo_event_family, net, 0);
}

/**
 * xlo_event_new() - allocate the message of an event
 * @cmd: command of the message
 * @gfp: allocation flags
 *
 * Return: a message without attributes, or NULL if no memory is available
 */
struct sk_buff *xlo_event_new(enum xlo_cmd cmd, gfp_t gfp)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);

	if (msg)
		genlmsg_put(msg, 0, 0, xlo_event_family, 0, cmd);
	return msg;
}

static void xlo_event_send(struct net *net, struct sk_buff *msg, gfp_t gfp)
{
	nlmsg_end(msg, nlmsg_hdr(msg));
	genlmsg_multicast_netns(xlo_event_family, net, msg, 0, 0, gfp);
}

/**
 * xlo_event_packet() - send an event about a packet if the rate limit allows this
 * @net: the network namespace
 * @xn: xlo's data of @net
 * @cause: the counter that the packet has increased
 * @dev: the packet's input interface or output interface; NULL if the packet has no interface
 *
 * Context: any
 */
void xlo_event_packet(struct net *net, struct xlo_net *xn, enum xlo_stats cause,
		      const struct net_device *dev)
{
	struct sk_buff *msg = NULL;

	if (!xlo_event_heard(net))
		return;
	if (xlo_event_allowed(xn))
		msg = xlo_event_new(XLO_CMD_PACKET, GFP_ATOMIC);
	if (!msg) {
		xlo_count(xn, XLO_STATS_EVENTS_HELD);
		return;
	}
	if (nla_put_u16(msg, XLO_A_CAUSE, cause) ||
	    nla_put_u32(msg, XLO_A_IFINDEX, dev ? dev->ifindex : 0)) {
		nlmsg_free(msg);
		return;
	}
	xlo_event_send(net, msg, GFP_ATOMIC);
}

/**
 * xlo_event_finish() - send the event of a change
 * @net: the network namespace
 * @msg: from xlo_event_new(), with its attributes; this function frees it
 * @err: not 0 if the message could not be made
 *
 * If the message could not be made, each listener's next receive call fails with ENOBUFS.
 * A listener whose buffer is full receives the same error. The error tells listeners that they
 * have missed an event.
 *
 * Context: process
 */
void xlo_event_finish(struct net *net, struct sk_buff *msg, int err)
{
	if (!err) {
		xlo_event_send(net, msg, GFP_KERNEL);
		return;
	}
	nlmsg_free(msg);
	genl_set_err(xlo_event_family, net, 0, 0, -ENOBUFS);
}
