/* SPDX-License-Identifier: GPL-2.0 */
/* Reports about packets to their sources. */
#ifndef _ARQLINK_REPORT_H
#define _ARQLINK_REPORT_H

#include "link.h"

void arql_report(struct arql_link *link, const struct sk_buff *skb, int counter);
int arql_report_change(struct arql_link *link, bool notify,
		       struct netlink_ext_ack *extack);
void arql_report_end(struct arql_link *link);

#endif /* _ARQLINK_REPORT_H */
