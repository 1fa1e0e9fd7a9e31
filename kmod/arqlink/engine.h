/* SPDX-License-Identifier: GPL-2.0 */
/* The engine of a link: packets, frames and timers, and the way of frames to the lower device. */
#ifndef _ARQLINK_ENGINE_H
#define _ARQLINK_ENGINE_H

#include "link.h"

void arql_engine_init(struct arql_link *link, struct net_device *dev);
int arql_engine_open(struct arql_link *link);
void arql_engine_close(struct arql_link *link);
void arql_engine_restart(struct arql_link *link);
int arql_engine_reserve(struct arql_link *link, u32 window);
void arql_engine_change(struct arql_link *link, const struct arql_config *cfg);
bool arql_engine_bypasses(struct arql_link *link, const struct sk_buff *skb);
void arql_engine_send(struct arql_link *link, struct sk_buff *skb, bool bypass);
void arql_engine_receive(struct arql_link *link, struct sk_buff *skb);
void arql_engine_quality(struct arql_link *link, struct fl_link_quality *quality);
void arql_engine_stats(struct arql_link *link,
		       u64 stats[ARQLINK_STATS_MAX + 1]);

#endif /* _ARQLINK_ENGINE_H */
