/* SPDX-License-Identifier: GPL-2.0 */
/* Reports about packets to their sources. */
#ifndef _ARQLINK_REPORT_H
#define _ARQLINK_REPORT_H

#include <linux/arqlink_genl.h>
#include "link.h"

void arql_report(struct arql_link *link, const struct sk_buff *skb, u8 event);
void arql_report_flush(struct arql_link *link, u32 packets);
void arql_packet_ends(struct arql_link *link, const struct sk_buff *skb, int result);
int arql_report_change(struct arql_link *link, bool notify, const struct nlattr *attr,
		       struct netlink_ext_ack *extack);
void arql_report_end(struct arql_link *link);

#endif /* _ARQLINK_REPORT_H */
