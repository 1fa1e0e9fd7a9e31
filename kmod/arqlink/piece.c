// SPDX-License-Identifier: GPL-2.0
/* The packets in a DATA frame. */

#include "piece.h"

/**
 * arql_piece_get() - take a reference to each packet of a frame
 * @piece: what the frame contains
 */
void arql_piece_get(const struct arql_piece *piece)
{
	struct sk_buff *skb;

	for (skb = piece->skb; skb; skb = arql_packet_next(piece, skb))
		skb_get(skb);
}

/**
 * arql_piece_put() - release a reference to each packet of a frame
 * @piece: what the frame contains, all 0 for nothing
 */
void arql_piece_put(const struct arql_piece *piece)
{
	struct sk_buff *skb, *next;

	for (skb = piece->skb; skb; skb = next) {
		next = arql_packet_next(piece, skb);
		consume_skb(skb);
	}
}

/**
 * arql_piece_left() - what is left of a frame
 * @piece: what the frame contains, with a live packet
 *
 * Return: the same packets with the length of the live ones, or the only live packet, which needs
 * no list. It takes no reference
 */
struct arql_piece arql_piece_left(const struct arql_piece *piece)
{
	struct sk_buff *first = arql_packet_live(piece, piece->skb), *skb;
	struct arql_piece left = *piece;

	if (!(piece->flags & ARQLINK_FLAG_PACKED))
		return left;
	if (!arql_packet_live(piece, first->next))
		return (struct arql_piece){
			.skb = first,
			.length = first->len,
			.flags = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST | arql_bounded(first),
		};
	left.length = 0;
	arql_for_each_live(skb, piece)
		left.length += ARQLINK_ITEM_LEN + skb->len;
	return left;
}

/* Writes a list of packets. */
static void arql_list_write(u8 *p, const struct arql_piece *piece)
{
	struct sk_buff *skb;

	arql_for_each_live(skb, piece) {
		const struct arql_item item = {
			.length = skb->len,
			.bounded = arql_bounded(skb),
		};

		arql_item_write(p, &item);
		memcpy(p + ARQLINK_ITEM_LEN, skb->data, skb->len);
		p += ARQLINK_ITEM_LEN + skb->len;
	}
}

/**
 * arql_piece_write() - write the payload of a frame
 * @p: @piece->length bytes
 * @piece: from arql_piece_left()
 */
void arql_piece_write(u8 *p, const struct arql_piece *piece)
{
	if (piece->flags & ARQLINK_FLAG_PACKED)
		arql_list_write(p, piece);
	else
		memcpy(p, piece->skb->data + piece->offset, piece->length);
}
