// SPDX-License-Identifier: GPL-2.0
/*
 * Telling those who listen. Changes of the configuration are told one and all;
 * what befalls packets is told XLO_EVENTS_BURST times in XLO_EVENTS_MS, so that
 * no sender of bad packets makes this host do more than that.
 */

#include <linux/jiffies.h>
#include <linux/rtnetlink.h>
#include "event.h"
#include "netlink.h"

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

static bool xlo_events_open;

/**
 * xlo_event_start() - events may be sent: the family is there
 */
void xlo_event_start(void)
{
	WRITE_ONCE(xlo_events_open, true);
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

static bool xlo_event_heard(struct net *net)
{
	return READ_ONCE(xlo_events_open) &&
	       genl_has_listeners(&xlo_genl_family, net, 0);
}

static void xlo_event_send(struct net *net, struct sk_buff *msg, void *hdr,
			   gfp_t gfp)
{
	genlmsg_end(msg, hdr);
	genlmsg_multicast_netns(&xlo_genl_family, net, msg, 0, 0, gfp);
}

/* Send what tells of a change. Where it could not be made those who listen learn that
 * they have missed something: what they receive next is ENOBUFS, as where their own
 * buffer is full.
 */
static void xlo_event_finish(struct net *net, struct sk_buff *msg, void *hdr,
			     int err)
{
	if (!err) {
		xlo_event_send(net, msg, hdr, GFP_KERNEL);
		return;
	}
	nlmsg_free(msg);
	genl_set_err(&xlo_genl_family, net, 0, 0, -ENOBUFS);
}

static struct sk_buff *xlo_event_begin(enum xlo_cmd cmd, void **hdr, gfp_t gfp)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);

	*hdr = msg ? genlmsg_put(msg, 0, 0, &xlo_genl_family, 0, cmd) : NULL;
	return msg;
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
	void *hdr;

	if (!xlo_event_heard(net))
		return;
	if (xlo_event_allowed(xn))
		msg = xlo_event_begin(XLO_CMD_PACKET, &hdr, GFP_ATOMIC);
	if (!msg) {
		xlo_count(xn, XLO_STATS_EVENTS_HELD);
		return;
	}
	if (nla_put_u16(msg, XLO_A_CAUSE, cause) ||
	    nla_put_u32(msg, XLO_A_IFINDEX, dev ? dev->ifindex : 0)) {
		nlmsg_free(msg);
		return;
	}
	xlo_event_send(net, msg, hdr, GFP_ATOMIC);
}

/**
 * xlo_event_profile() - tell that a profile came or went
 * @net: the namespace
 * @cmd: XLO_CMD_PROFILE_ADD or XLO_CMD_PROFILE_DEL
 * @profile: the profile
 *
 * Context: process
 */
void xlo_event_profile(struct net *net, enum xlo_cmd cmd,
		       const struct xlo_profile *profile)
{
	struct sk_buff *msg;
	void *hdr;

	if (!xlo_event_heard(net))
		return;
	msg = xlo_event_begin(cmd, &hdr, GFP_KERNEL);
	xlo_event_finish(net, msg, hdr,
			 msg ? xlo_put_profile(msg, profile) : -ENOMEM);
}

/**
 * xlo_event_cap() - tell that a cap was set or went
 * @net: the namespace
 * @cmd: XLO_CMD_CAP_SET or XLO_CMD_CAP_DEL
 * @cap: the cap
 *
 * Context: process
 */
void xlo_event_cap(struct net *net, enum xlo_cmd cmd,
		   const struct xlo_cap *cap)
{
	struct sk_buff *msg;
	void *hdr;

	if (!xlo_event_heard(net))
		return;
	msg = xlo_event_begin(cmd, &hdr, GFP_KERNEL);
	xlo_event_finish(net, msg, hdr,
			 msg ? xlo_put_cap(msg, cap) : -ENOMEM);
}

/**
 * xlo_event_settings() - tell that settings changed
 * @net: the namespace
 * @xn: likewise
 *
 * Context: process
 */
void xlo_event_settings(struct net *net, struct xlo_net *xn)
{
	struct sk_buff *msg;
	void *hdr;

	if (!xlo_event_heard(net))
		return;
	msg = xlo_event_begin(XLO_CMD_SET, &hdr, GFP_KERNEL);
	xlo_event_finish(net, msg, hdr,
			 msg ? xlo_put_settings(msg, xn) : -ENOMEM);
}
