/* SPDX-License-Identifier: GPL-2.0 */
/* Decides whether a BYPASS frame or another frame leaves next. The functions only compute. */
#ifndef _ARQLINK_ORDER_H
#define _ARQLINK_ORDER_H

#include <linux/arqlink.h>
#include <linux/types.h>

/**
 * struct arql_order - how BYPASS frames and other frames share the link
 * @turns: number of frames that have entered a queue, modulo 2^32
 * @lead: with fair shares, bytes of BYPASS frames less bytes of other frames that have left while
 *	frames waited in both queues; 0 after a frame that had no rival
 */
struct arql_order {
	u32 turns;
	s64 lead;
};

/**
 * arql_order_bypass() - decide between two frames that wait
 * @order: the state
 * @kind: enum arqlink_order
 * @bypass: turn of the first BYPASS frame
 * @other: turn of the first other frame
 *
 * With fair shares the queue that has had fewer bytes is next. A frame that enters an empty queue
 * waits only until the other queue has had as many bytes as the last frame of this queue.
 *
 * Return: true if the BYPASS frame leaves, false if the other frame leaves
 */
static inline bool arql_order_bypass(const struct arql_order *order, u8 kind, u32 bypass,
				     u32 other)
{
	if (kind == ARQLINK_ORDER_FAIR)
		return order->lead < 0;
	return (s32)(bypass - other) < 0;
}

/**
 * arql_order_sent() - note that a frame leaves
 * @order: the state
 * @bypass: it is a BYPASS frame
 * @rival: shares are fair, and frames waited in both queues
 * @bytes: bytes of the frame
 */
static inline void arql_order_sent(struct arql_order *order, bool bypass, bool rival, u32 bytes)
{
	if (!rival)
		order->lead = 0;
	else
		order->lead += bypass ? (s64)bytes : -(s64)bytes;
}

#endif /* _ARQLINK_ORDER_H */
