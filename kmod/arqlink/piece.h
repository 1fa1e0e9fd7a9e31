/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packets in a DATA frame.
 *
 * A frame has a piece of one packet, or with ARQLINK_FLAG_PACKED several whole packets, which
 * skb->next links. A packet that is given up keeps its place until the frame leaves the window, but
 * is not sent any more. The packet is "live" until then.
 */
#ifndef _ARQLINK_PIECE_H
#define _ARQLINK_PIECE_H

#include "link.h"

static inline struct sk_buff *arql_packet_next(const struct arql_piece *piece,
					       const struct sk_buff *skb)
{
	return piece->flags & ARQLINK_FLAG_PACKED ? skb->next : NULL;
}

/* The first live packet from @skb on, NULL if there is none. */
static inline struct sk_buff *arql_packet_live(const struct arql_piece *piece,
					       struct sk_buff *skb)
{
	while (skb && arql_skb_cb(skb)->given_up)
		skb = arql_packet_next(piece, skb);
	return skb;
}

#define arql_for_each_live(packet, piece)				\
	for (packet = arql_packet_live(piece, (piece)->skb); packet;	\
	     packet = arql_packet_live(piece, arql_packet_next(piece, packet)))

/** arql_piece_given_up() - whether a frame has nothing to send any more */
static inline bool arql_piece_given_up(const struct arql_piece *piece)
{
	return !arql_packet_live(piece, piece->skb);
}

/** arql_piece_part() - bytes of the packet @skb that are in a frame */
static inline u32 arql_piece_part(const struct arql_piece *piece,
				  const struct sk_buff *skb)
{
	return piece->flags & ARQLINK_FLAG_PACKED ? skb->len : piece->length;
}

void arql_piece_get(const struct arql_piece *piece);
void arql_piece_put(const struct arql_piece *piece);
struct arql_piece arql_piece_left(const struct arql_piece *piece);
void arql_piece_write(u8 *p, const struct arql_piece *piece);

#endif /* _ARQLINK_PIECE_H */
