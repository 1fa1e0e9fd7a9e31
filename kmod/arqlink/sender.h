/* SPDX-License-Identifier: GPL-2.0 */
/* The sender: the ring of packets, the window of DATA frames, and their retransmission. */
#ifndef _ARQLINK_SENDER_H
#define _ARQLINK_SENDER_H

#include "link.h"

struct arql_slot *arql_slots_alloc(u32 count);
struct arql_slot *arql_sender_move(struct arql_link *link, struct arql_slot *slots,
				   u32 count);
void arql_sender_close(struct arql_link *link);
void arql_sender_reset(struct arql_link *link);
void arql_sender_add(struct arql_link *link, struct sk_buff *skb, s64 now);
void arql_sender_fill(struct arql_link *link, s64 now);
bool arql_sender_accepts(const struct arql_link *link, u16 ack);
void arql_sender_acked(struct arql_link *link, u16 ack, bool samples, s64 now);
void arql_sender_echoed(struct arql_link *link, u32 stamp, s64 now);
void arql_sender_nacked(struct arql_link *link, const struct arql_range *range,
			s64 now);
void arql_sender_expire(struct arql_link *link, s64 now);
s64 arql_sender_expires(const struct arql_link *link);
bool arql_sender_send(struct arql_link *link, struct arql_job *job,
		      struct arql_piece *piece, u16 *number, s64 now);
void arql_sender_told(struct arql_link *link, u16 number);

#endif /* _ARQLINK_SENDER_H */
