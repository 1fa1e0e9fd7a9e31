/* SPDX-License-Identifier: GPL-2.0 */
/* Counts the frames that the lower device has and has not sent yet. */
#ifndef _ARQLINK_METER_H
#define _ARQLINK_METER_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>

struct arql_meter;

struct arql_meter *arql_meter_alloc(struct napi_struct *napi);
void arql_meter_free(struct arql_meter *meter);
void arql_meter_add(struct arql_meter *meter, struct sk_buff *skb);
bool arql_meter_is_full(struct arql_meter *meter, unsigned int limit);

#endif /* _ARQLINK_METER_H */
