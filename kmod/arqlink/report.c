// SPDX-License-Identifier: GPL-2.0
/*
 * Reports about packets: to their sources, by the ICMP messages of xlo_rto (V. Prabhakar et al.,
 * "An Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks"), and to the notifier
 * chain. arqlink must load without xlo_rto. symbol_get() therefore finds the function when a device
 * is configured.
 */

#include <linux/module.h>
#include <net/xlo_skb.h>
#include "notice.h"
#include "report.h"

/* The counter of each event, and the message to the source of the packet. */
static const struct {
	u8 counter;
	u8 code;
} arql_report_of[] = {
	[ARQLINK_CMD_DROP]	= { ARQLINK_STATS_DROPS, XRTO_CODE_DROP },
	[ARQLINK_CMD_RECOVER]	= { ARQLINK_STATS_DEFERS, XRTO_CODE_DEFER },
	[ARQLINK_CMD_BACKLOG]	= { ARQLINK_STATS_DEFERS, XRTO_CODE_DEFER },
	[ARQLINK_CMD_LINK_UP]	= { ARQLINK_STATS_LINK_UPS, XRTO_CODE_LINK_UP },
};

/* Writes what is known about a packet. */
static void arql_notice_packet(struct arql_notice *notice, const struct sk_buff *skb)
{
	const struct arql_skb_cb *cb = arql_skb_cb(skb);

	notice->skb = skb;
	notice->network = xlo_skb_network_offset(skb, &notice->protocol);
	if (notice->network > (int)skb->len)
		notice->network = -1;
	notice->frames = cb->tries.frames;
	notice->transmissions = cb->tries.transmissions;
	notice->attempts = cb->tries.attempts;
	notice->accepted_at = ktime_to_ns(skb->tstamp);
	notice->deadline = cb->lifetime.deadline;
}

static void arql_notify_source(const struct arql_link *link,
			       const struct arql_notice *notice, u8 code)
{
	if (notice->network >= 0 && (notice->protocol == htons(ETH_P_IP) ||
				     notice->protocol == htons(ETH_P_IPV6)))
		link->notify(dev_net(link->dev), notice->skb, notice->network, code);
}

/**
 * arql_report() - report what has happened to a packet
 * @link: the link, locked
 * @skb: the packet; skb->data points to its Ethernet header
 * @event: ARQLINK_CMD_DROP, ARQLINK_CMD_RECOVER, ARQLINK_CMD_BACKLOG or ARQLINK_CMD_LINK_UP
 */
void arql_report(struct arql_link *link, const struct sk_buff *skb, u8 event)
{
	struct arql_notice notice = { .dev = link->dev, .packets = link->held };

	link->stats[arql_report_of[event].counter]++;
	arql_notice_packet(&notice, skb);
	if (link->notify)
		arql_notify_source(link, &notice, arql_report_of[event].code);
	arql_notice_tell(event, &notice);
}

/**
 * arql_report_flush() - report that packets were given up because another packet failed
 * @link: the link, locked
 * @packets: number of packets
 */
void arql_report_flush(struct arql_link *link, u32 packets)
{
	struct arql_notice notice = { .dev = link->dev, .packets = packets };

	arql_notice_tell(ARQLINK_CMD_FLUSH, &notice);
}

/**
 * arql_packet_ends() - a packet leaves arqlink
 * @link: the link, locked
 * @skb: the packet; skb->data points to its Ethernet header
 * @result: the counter of what has become of it
 */
void arql_packet_ends(struct arql_link *link, const struct sk_buff *skb, int result)
{
	struct arql_notice notice = { .dev = link->dev, .result = result };

	link->stats[result]++;
	link->held--;
	arql_notice_packet(&notice, skb);
	arql_notice_tell(ARQLINK_CMD_PACKET, &notice);
}

/**
 * arql_report_change() - begin or end to send reports to the sources of packets
 * @link: the link, not locked
 * @notify: whether reports are sent
 * @attr: the attribute of the request, NULL if the request has none
 * @extack: set to an error message if xlo_rto is not loaded
 *
 * RTNL held. xlo_rto cannot be unloaded while reports are sent.
 *
 * Return: 0, or -ENOENT and nothing has changed
 */
int arql_report_change(struct arql_link *link, bool notify, const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	xlo_notify_fn *function = NULL;

	if (notify == !!link->notify)
		return 0;
	if (notify) {
		function = symbol_get(xlo_notify);
		if (!function) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "arqlink: notify: module xlo_rto is not loaded");
			return -ENOENT;
		}
	}
	spin_lock_bh(&link->lock);
	link->notify = function;
	spin_unlock_bh(&link->lock);
	if (!notify)
		symbol_put(xlo_notify);
	return 0;
}

/**
 * arql_report_end() - end to send reports, because the device is freed
 * @link: the link
 */
void arql_report_end(struct arql_link *link)
{
	if (link->notify)
		symbol_put(xlo_notify);
}
