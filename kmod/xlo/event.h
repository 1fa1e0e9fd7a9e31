/* SPDX-License-Identifier: GPL-2.0 */
/* Telling those who listen to the multicast group. */
#ifndef _XLO_EVENT_H
#define _XLO_EVENT_H

#include <linux/netdevice.h>
#include "config.h"

void xlo_event_start(void);
void xlo_event_stop(void);
void xlo_event_packet(struct net *net, struct xlo_net *xn, enum xlo_stats cause,
		      const struct net_device *dev);
void xlo_event_profile(struct net *net, enum xlo_cmd cmd,
		       const struct xlo_profile *profile);
void xlo_event_cap(struct net *net, enum xlo_cmd cmd,
		   const struct xlo_cap *cap);
void xlo_event_settings(struct net *net, struct xlo_net *xn);

#endif /* _XLO_EVENT_H */
