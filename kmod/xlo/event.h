/* SPDX-License-Identifier: GPL-2.0 */
/* Events, which are messages to the members of the multicast group. */
#ifndef _XLO_EVENT_H
#define _XLO_EVENT_H

#include <linux/netdevice.h>
#include "config.h"

struct genl_family;

void xlo_event_start(const struct genl_family *family);
void xlo_event_stop(void);
void xlo_event_packet(struct net *net, struct xlo_net *xn, enum xlo_stats cause,
		      const struct net_device *dev);
bool xlo_event_heard(struct net *net);
struct sk_buff *xlo_event_new(enum xlo_cmd cmd, gfp_t gfp);
void xlo_event_finish(struct net *net, struct sk_buff *msg, int err);

#endif /* _XLO_EVENT_H */
