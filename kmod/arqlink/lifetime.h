/* SPDX-License-Identifier: GPL-2.0 */
/* The option of a packet: read on arrival, its lifetime rewritten when the packet leaves. */
#ifndef _ARQLINK_LIFETIME_H
#define _ARQLINK_LIFETIME_H

#include <linux/skbuff.h>
#include <linux/types.h>

/**
 * struct arql_lifetime - what a packet's option says, and the place of the option
 * @deadline: monotonic, in ns, FL_NO_DEADLINE for none
 * @ip: offset of the IP header
 * @option: offset of the option from the IP header
 * @type: XLO_TYPE_*
 * @reorder: overtaking packets at which the transport assumes a loss, 0 without an option
 * @slow: the flow responds slowly to congestion
 * @relative: the option has a relative lifetime that can be rewritten
 * @corrupt_ok: the transport can use a damaged payload
 */
struct arql_lifetime {
	s64 deadline;
	u16 ip;
	u16 option;
	u8 type;
	u8 reorder;
	bool slow : 1;
	bool relative : 1;
	bool corrupt_ok : 1;
};

void arql_lifetime_read(struct arql_lifetime *lifetime, struct sk_buff *skb, s64 now);
void arql_corrupted_write(const struct arql_lifetime *lifetime, struct sk_buff *skb);
void arql_lifetime_write(const struct arql_lifetime *lifetime, struct sk_buff *skb,
			 s64 now);

#endif /* _ARQLINK_LIFETIME_H */
