// SPDX-License-Identifier: GPL-2.0
/*
 * Telling those who listen. Changes of the configuration are told one and all;
 * what befalls packets is told XLO_EVENTS_BURST times in XLO_EVENTS_MS, so that
 * no sender of bad packets makes this host do more than that.
 */

#include <linux/jiffies.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include "event.h"

/* Whether another packet event may go out. Two CPUs at the turn of a period may
 * let one more pass.
 */
static bool xlo_event_allowed(struct xlo_net *xn)
{
	unsigned long since = READ_ONCE(xn->events_since);

	/* unsigned: right also where jiffies have wrapped since */
	if (jiffies - since >= msecs_to_jiffies(XLO_EVENTS_MS) &&
	    cmpxchg(&xn->events_since, since, jiffies) == since)
		atomic_set(&xn->events, 0);
	return atomic_add_unless(&xn->events, 1, XLO_EVENTS_BURST);
}

static const struct genl_family *xlo_event_family;
static bool xlo_events_open;

/**
 * xlo_event_start() - events may be sent: the family is there
 * @family: the family
 */
void xlo_event_start(const struct genl_family *family)
{
	xlo_event_family = family;
	/* whoever sees it open sees the family */
	smp_store_release(&xlo_events_open, true);
}

/**
 * xlo_event_stop() - none is sent any more: the family is about to go
 *
 * Packets are still in the hooks, and interfaces still go. Whoever has passed the
 * switch is waited for, before the family's group can become another's: the one
 * under RCU, the other, which may sleep, under RTNL.
 */
void xlo_event_stop(void)
{
	WRITE_ONCE(xlo_events_open, false);
	rtnl_lock();
	rtnl_unlock();
	synchronize_net();
}

/**
 * xlo_event_heard() - whether somebody listens
 * @net: the namespace
 */
bool xlo_event_heard(struct net *net)
{
	return smp_load_acquire(&xlo_events_open) &&
	       genl_has_listeners(xlo_event_family, net, 0);
}

/**
 * xlo_event_new() - begin an event
 * @cmd: its command
 * @gfp: how to allocate it
 *
 * Return: a message that its attributes go into; NULL without memory
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
 * xlo_event_packet() - tell that something befell a packet
 * @net: the namespace
 * @xn: likewise
 * @cause: the counter that rose
 * @dev: the interface it came in by or goes out by; NULL if there is none
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
 * xlo_event_finish() - tell of a change
 * @net: the namespace
 * @msg: of xlo_event_new(), with its attributes; freed
 * @err: not 0 if it could not be made
 *
 * Where it could not be made those who listen learn that they have missed something: what
 * they receive next is ENOBUFS, as where their own buffer is full.
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
