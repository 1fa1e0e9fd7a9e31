/* SPDX-License-Identifier: GPL-2.0 */
/* Events for the listeners of the netlink multicast group. */
#ifndef _XLO_RTO_EVENT_H
#define _XLO_RTO_EVENT_H

#include <net/genetlink.h>
#include <net/net_namespace.h>
#include "config.h"
#include "parse.h"

void xrto_event_start(const struct genl_family *family);
void xrto_event_stop(void);
void xrto_event_settings(struct net *net,
			 const struct xrto_settings *settings);
void xrto_event_moved(struct net *net, const struct xrto_quote *quote, u32 rto,
		      u32 run, const struct xrto_decision *decision);
int xrto_put_settings(struct sk_buff *msg,
		      const struct xrto_settings *settings);

#endif /* _XLO_RTO_EVENT_H */
