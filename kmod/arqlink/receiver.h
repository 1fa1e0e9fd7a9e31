/* SPDX-License-Identifier: GPL-2.0 */
/* The receiver: the window of DATA frames, their order, and the packets put together from them. */
#ifndef _ARQLINK_RECEIVER_H
#define _ARQLINK_RECEIVER_H

#include "link.h"

struct arql_arrived *arql_receiver_move(struct arql_link *link,
					struct arql_arrived *slots, u32 count);
void arql_receiver_reset(struct arql_link *link);
bool arql_receiver_accepts(const struct arql_link *link,
			   const struct arql_frame *frame);
void arql_receiver_skip(struct arql_link *link, u16 oldest, s64 now);
int arql_receiver_take(struct arql_link *link, const struct arql_frame *frame,
		       struct sk_buff *skb, s64 now);
void arql_receiver_bypass(struct arql_link *link, const struct arql_frame *frame,
			  const struct sk_buff *skb, s64 now);
unsigned int arql_receiver_missing(struct arql_link *link,
				   struct arql_range ranges[ARQLINK_RANGES_MAX]);

#endif /* _ARQLINK_RECEIVER_H */
