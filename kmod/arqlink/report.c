// SPDX-License-Identifier: GPL-2.0
/*
 * Reports about packets to their sources, by the ICMP messages of xlo_rto (V. Prabhakar et al., "An
 * Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks"). arqlink must load
 * without xlo_rto. symbol_get() therefore finds the function when a device is configured.
 */

#include <linux/module.h>
#include <net/xlo_skb.h>
#include "report.h"

static u8 arql_report_code(int counter)
{
	switch (counter) {
	case ARQLINK_STATS_DROPS:
		return XRTO_CODE_DROP;
	case ARQLINK_STATS_DEFERS:
		return XRTO_CODE_DEFER;
	default:
		return XRTO_CODE_LINK_UP;
	}
}

/**
 * arql_report() - report what has happened to a packet
 * @link: the link, locked
 * @skb: the packet; skb->data points to its Ethernet header
 * @counter: ARQLINK_STATS_DROPS, ARQLINK_STATS_DEFERS or ARQLINK_STATS_LINK_UPS
 */
void arql_report(struct arql_link *link, const struct sk_buff *skb, int counter)
{
	__be16 proto;
	int off;

	link->stats[counter]++;
	if (!link->notify)
		return;
	off = xlo_skb_network_offset(skb, &proto);
	if (off >= 0 && off <= skb->len &&
	    (proto == htons(ETH_P_IP) || proto == htons(ETH_P_IPV6)))
		link->notify(dev_net(link->dev), skb, off, arql_report_code(counter));
}

/**
 * arql_report_change() - begin or end to send reports
 * @link: the link, not locked
 * @notify: whether reports are sent
 * @extack: set to an error message if xlo_rto is not loaded
 *
 * RTNL held. xlo_rto cannot be unloaded while reports are sent.
 *
 * Return: 0, or -ENOENT and nothing has changed
 */
int arql_report_change(struct arql_link *link, bool notify,
		       struct netlink_ext_ack *extack)
{
	xlo_notify_fn *function = NULL;

	if (notify == !!link->notify)
		return 0;
	if (notify) {
		function = symbol_get(xlo_notify);
		if (!function) {
			NL_SET_ERR_MSG(extack, "arqlink: notify: module xlo_rto is not loaded");
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
