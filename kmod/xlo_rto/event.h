/* SPDX-License-Identifier: GPL-2.0 */
/* Telling those who listen to the multicast group. */
#ifndef _XLO_RTO_EVENT_H
#define _XLO_RTO_EVENT_H

#include <net/net_namespace.h>
#include "flow.h"
#include "message.h"

void xrto_event_start(void);
void xrto_event_stop(void);
void xrto_event_settings(struct net *net);
void xrto_event_moved(struct net *net, const struct xrto_message *message,
		      const struct xrto_flow *flow,
		      const struct xrto_decision *decision, u32 run);

#endif /* _XLO_RTO_EVENT_H */
