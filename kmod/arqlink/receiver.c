// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver. DATA frames that arrive out of sequence wait in the window. Frames in sequence are
 * put together to packets at once, and need no place in the window.
 *
 * A packet in one frame is passed on in the buffer of this frame, as far as that is cheap. All
 * other packets are copied from their frames.
 */

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <net/dst.h>
#include "receiver.h"

static struct arql_arrived *arql_arrived(const struct arql_receiver *r,
					 u16 number)
{
	return &r->slots[number & r->mask];
}

/* Passes a packet to the stack. */
static bool arql_deliver(struct arql_link *link, struct sk_buff *skb)
{
	const unsigned int len = skb->len;

	if (fl_inbox_put(&link->inbox, skb)) {
		link->stats[ARQLINK_STATS_REFUSED]++;
		return false;
	}
	link->stats[ARQLINK_STATS_DELIVERED]++;
	link->stats[ARQLINK_STATS_DELIVERED_BYTES] += len;
	return true;
}

/* The longest packet that the stack accepts. A longer packet is refused before it is complete. */
static unsigned int arql_packet_max(const struct arql_link *link)
{
	return READ_ONCE(link->dev->mtu) + ETH_HLEN + VLAN_HLEN;
}

/* Makes space for a packet. The length of a packet is known only if it has one piece. */
static struct sk_buff *arql_packet_alloc(struct arql_link *link,
					 unsigned int len, bool whole)
{
	return netdev_alloc_skb_ip_align(link->dev,
					 whole ? len : arql_packet_max(link));
}

/* Begins a packet with its first piece. */
static void arql_packet_begin(struct arql_link *link, struct arql_packet *packet,
			      const struct arql_arrived *piece)
{
	packet->skb = arql_packet_alloc(link, piece->skb->len,
					piece->flags & ARQLINK_FLAG_LAST);
	packet->at = piece->at;
	packet->bounded = piece->flags & ARQLINK_FLAG_BOUNDED;
	packet->damaged = false;
}

/* Adds the next piece to a packet. Without memory, or if the packet is too long, it ends here. */
static void arql_packet_add(struct arql_packet *packet, const struct arql_arrived *piece)
{
	if (!packet->skb)
		return;
	packet->damaged |= piece->damaged;
	if (skb_tailroom(packet->skb) >= piece->skb->len) {
		skb_put_data(packet->skb, piece->skb->data, piece->skb->len);
		return;
	}
	kfree_skb(packet->skb);
	packet->skb = NULL;
}

/* Reads the option of a packet, of which at least the first piece is there. */
static void arql_option_read(struct arql_lifetime *option, struct sk_buff *skb, s64 at)
{
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb->protocol = eth_hdr(skb)->h_proto;
	arql_lifetime_read(option, skb, at);
}

/* Passes a packet with a damaged payload on, if its option allows this. The kernel has not verified
 * the checksum of a new skb, so the stack does it.
 */
static bool arql_deliver_damaged(struct arql_link *link, struct sk_buff *skb,
				 const struct arql_lifetime *option)
{
	if (!option->corrupt_ok) {
		link->stats[ARQLINK_STATS_REFUSED]++;
		kfree_skb(skb);
		return false;
	}
	arql_corrupted_write(option, skb);
	if (!arql_deliver(link, skb))
		return false;
	link->stats[ARQLINK_STATS_DAMAGED]++;
	return true;
}

/* Passes a complete packet on, unless it is useless. The time for which the packet has waited is
 * taken off its lifetime. Returns true if the stack has the packet.
 */
static bool arql_packet_end(struct arql_link *link, struct arql_packet *packet,
			    s64 now)
{
	struct arql_lifetime option = { .deadline = FL_NO_DEADLINE };
	struct sk_buff *skb = packet->skb;
	int cause = 0;

	packet->skb = NULL;
	if (skb->len < ETH_HLEN)
		cause = ARQLINK_STATS_REFUSED;
	else
		arql_option_read(&option, skb, packet->at);
	if (packet->bounded && option.deadline <= now)
		cause = ARQLINK_STATS_STALE;
	if (cause) {
		link->stats[cause]++;
		kfree_skb(skb);
		return false;
	}
	arql_lifetime_write(&option, skb, now);
	return packet->damaged ? arql_deliver_damaged(link, skb, &option) :
				 arql_deliver(link, skb);
}

/* Drops the present packet, of which a piece will not arrive. */
static void arql_packet_drop(struct arql_link *link)
{
	struct arql_packet *packet = &link->receiver.packet;

	if (!packet->skb)
		return;
	kfree_skb(packet->skb);
	packet->skb = NULL;
	link->stats[ARQLINK_STATS_INCOMPLETE]++;
}

/* Delivers a packet of a list. Returns true if the stack has it. */
static bool arql_unpack_item(struct arql_link *link, const struct arql_arrived *frame,
			     const struct arql_item *item, s64 now)
{
	struct arql_packet packet = {
		.skb = arql_packet_alloc(link, item->length, true),
		.at = frame->at,
		.bounded = item->bounded,
	};

	if (!packet.skb) {
		link->stats[ARQLINK_STATS_REFUSED]++;
		return false;
	}
	skb_put_data(packet.skb, frame->skb->data + item->at, item->length);
	return arql_packet_end(link, &packet, now);
}

/* Delivers the packets of a list, which arql_frame_read() has checked. Returns how many packets the
 * stack has.
 */
static u32 arql_unpack(struct arql_link *link, const struct arql_arrived *frame, s64 now)
{
	struct arql_item item = {};
	u32 delivered = 0;

	while (arql_item_next(&item, frame->skb->data, frame->skb->len))
		delivered += arql_unpack_item(link, frame, &item, now);
	return delivered;
}

/* Can the buffer of a frame become its packet? The frame has the whole packet, nobody
 * else reads the buffer, and the lower device has not given a small frame a large buffer. Some
 * processors read headers fast only if they are aligned. A virtual machine may call its frame a
 * GSO packet, for which the stack does not check the MTU.
 */
static bool arql_frame_fits_packet(const struct arql_arrived *frame)
{
	const u8 whole = ARQLINK_FLAG_FIRST | ARQLINK_FLAG_LAST;
	const struct sk_buff *skb = frame->skb;

	return (frame->flags & whole) == whole && !skb_cloned(skb) && !skb_is_gso(skb) &&
	       skb->truesize <= 2 * SKB_TRUESIZE(skb->len) &&
	       (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) ||
		IS_ALIGNED((unsigned long)skb->data + ETH_HLEN, sizeof(u32)));
}

/* Passes on the packet in a frame without a copy. The stack sees a new packet: what the lower
 * device and its hooks have noted about the frame does not count any more.
 */
static void arql_packet_pass(struct arql_link *link, struct arql_arrived *frame, s64 now)
{
	struct arql_packet packet = {
		.skb = frame->skb,
		.at = frame->at,
		.bounded = frame->flags & ARQLINK_FLAG_BOUNDED,
		.damaged = frame->damaged,
	};

	frame->skb = NULL;
	packet.skb->ip_summed = CHECKSUM_NONE;
	packet.skb->mark = 0;
	packet.skb->tstamp = 0;
	skb_reset_redirect(packet.skb);
	__skb_tunnel_rx(packet.skb, link->dev, dev_net(link->lower));
	arql_packet_end(link, &packet, now);
}

/* Handles a DATA frame in sequence. Without the first piece of its packet, the frame is useless. */
static void arql_assemble(struct arql_link *link, struct arql_arrived *piece, s64 now)
{
	struct arql_packet *packet = &link->receiver.packet;

	if (piece->flags & ARQLINK_FLAG_FIRST)
		arql_packet_drop(link);
	if (piece->flags & ARQLINK_FLAG_PACKED) {
		arql_unpack(link, piece, now);
		return;
	}
	if (arql_frame_fits_packet(piece)) {
		arql_packet_pass(link, piece, now);
		return;
	}
	if (piece->flags & ARQLINK_FLAG_FIRST)
		arql_packet_begin(link, packet, piece);
	else if (!packet->skb)
		return;
	arql_packet_add(packet, piece);
	if (!packet->skb)
		link->stats[ARQLINK_STATS_REFUSED]++;
	else if (piece->flags & ARQLINK_FLAG_LAST)
		arql_packet_end(link, packet, now);
}

/* Takes the first frame from the window. */
static void arql_advance(struct arql_link *link, s64 now)
{
	struct arql_receiver *r = &link->receiver;
	struct arql_arrived *first = arql_arrived(r, r->next++);

	if (first->skb)
		arql_assemble(link, first, now);
	r->early -= first->early;
	consume_skb(first->skb);
	*first = (struct arql_arrived){};
}

/* Finds the pieces of the packet to which a stored frame belongs. Returns false if a piece is
 * missing, or if the flags contradict each other. A packet that has overtaken has no pieces any
 * more.
 */
static bool arql_find_packet(const struct arql_receiver *r, u16 number,
			     u16 *first, u16 *last)
{
	const struct arql_arrived *piece = arql_arrived(r, number);

	*first = number;
	*last = number;
	while (!(piece->flags & ARQLINK_FLAG_FIRST)) {
		piece = arql_arrived(r, --*first);
		if (!piece->skb || piece->flags & ARQLINK_FLAG_LAST)
			return false;
	}
	piece = arql_arrived(r, number);
	while (!(piece->flags & ARQLINK_FLAG_LAST)) {
		piece = arql_arrived(r, ++*last);
		if (!piece->skb || piece->flags & ARQLINK_FLAG_FIRST)
			return false;
	}
	return true;
}

/* May the packet that begins at the byte @begin of a frame be delivered before a missing frame, if
 * @early packets have overtaken this frame? Fewer packets than its flow takes as a loss may
 * overtake the frame (linux/xlo.h). A flow that responds slowly stays in order.
 */
static bool arql_may_overtake(struct arql_receiver *r, const struct arql_arrived *first,
			      unsigned int begin, u32 early)
{
	struct arql_lifetime option;

	if (first->skb->len < begin + ETH_HLEN)
		return false;
	skb_pull(first->skb, begin);
	arql_option_read(&option, first->skb, first->at);
	skb_push(first->skb, begin);
	if (option.slow || option.reorder < 2)
		return false;
	if (early + 1 < option.reorder)
		return true;
	r->held_back = true;
	return false;
}

/* Returns the number of packets of a list that may be delivered before a missing frame: all or 0.
 */
static u16 arql_list_may_overtake(struct arql_receiver *r, const struct arql_arrived *frame)
{
	const struct sk_buff *skb = frame->skb;
	struct arql_item item = {};
	u16 count;

	for (count = 0; arql_item_next(&item, skb->data, skb->len); count++)
		if (!arql_may_overtake(r, frame, item.at, r->early + count))
			return 0;
	return count;
}

/* Puts a copy of a stored packet together. */
static void arql_packet_copy(struct arql_link *link, struct arql_packet *packet,
			     u16 first, u16 last)
{
	const struct arql_receiver *r = &link->receiver;
	u16 i;

	arql_packet_begin(link, packet, arql_arrived(r, first));
	for (i = first; i != (u16)(last + 1); i++)
		arql_packet_add(packet, arql_arrived(r, i));
}

/* The pieces of a packet that has overtaken keep their places, but not their memory. */
static void arql_pieces_free(struct arql_receiver *r, u16 first, u16 last)
{
	u16 i;

	for (i = first; i != (u16)(last + 1); i++) {
		consume_skb(arql_arrived(r, i)->skb);
		arql_arrived(r, i)->skb = NULL;
	}
}

/* Notes that the packets of some frames have overtaken a missing frame. */
static void arql_overtaken(struct arql_receiver *r, u16 first, u16 last, u16 packets)
{
	arql_pieces_free(r, first, last);
	arql_arrived(r, last)->early = packets;
	r->early += packets;
}

/* Delivers the packets of a stored list before the missing frames, if all their flows allow this.
 */
static void arql_try_list_early(struct arql_link *link, u16 number, s64 now)
{
	struct arql_receiver *r = &link->receiver;
	const struct arql_arrived *frame = arql_arrived(r, number);
	const u16 count = arql_list_may_overtake(r, frame);

	if (!count)
		return;
	link->stats[ARQLINK_STATS_EARLY] += arql_unpack(link, frame, now);
	arql_overtaken(r, number, number, count);
}

/* Delivers the packet of a stored frame before the missing frames, if it is complete and its flow
 * allows this.
 */
static void arql_try_packet_early(struct arql_link *link, u16 number, s64 now)
{
	struct arql_receiver *r = &link->receiver;
	struct arql_packet packet;
	u16 first, last;

	if (!arql_find_packet(r, number, &first, &last) ||
	    !arql_may_overtake(r, arql_arrived(r, first), 0, r->early))
		return;
	arql_packet_copy(link, &packet, first, last);
	if (!packet.skb)
		return;
	arql_overtaken(r, first, last, 1);
	if (arql_packet_end(link, &packet, now))
		link->stats[ARQLINK_STATS_EARLY]++;
}

static void arql_try_early(struct arql_link *link, u16 number, s64 now)
{
	if (arql_arrived(&link->receiver, number)->flags & ARQLINK_FLAG_PACKED)
		arql_try_list_early(link, number, now);
	else
		arql_try_packet_early(link, number, now);
}

/* Packets that were not allowed to overtake the first missing frame may overtake the next one. They
 * are tried when the first one has arrived or is given up.
 */
static void arql_try_held_back(struct arql_link *link, s64 now)
{
	struct arql_receiver *r = &link->receiver;
	u16 i;

	r->held_back = false;
	for (i = r->next; i != r->end; i++) {
		const struct arql_arrived *piece = arql_arrived(r, i);

		if (piece->skb && piece->flags & ARQLINK_FLAG_LAST)
			arql_try_early(link, i, now);
	}
}

static void arql_advance_all(struct arql_link *link, s64 now)
{
	struct arql_receiver *r = &link->receiver;

	while (arql_arrived(r, r->next)->here)
		arql_advance(link, now);
	if (arql_ahead(r->end, r->next) < 0)
		r->end = r->next;
	if (r->held_back)
		arql_try_held_back(link, now);
}

/* The acknowledgment waits for a frame in which it can travel, but not until the sender's window is
 * used up.
 */
static void arql_ack_later(struct arql_link *link, s64 now)
{
	if (++link->receiver.unacked * 2 >= arql_window(link))
		link->at[ARQL_EVENT_ACK] = now;
	else if (link->at[ARQL_EVENT_ACK] == ARQL_NEVER)
		link->at[ARQL_EVENT_ACK] = now + link->cfg.ack_delay;
}

/**
 * arql_receiver_accepts() - check the numbers of a frame
 * @link: the link, locked
 * @frame: the header
 *
 * Return: true if "oldest" is near the window, and the number of a DATA frame near it or "oldest"
 */
bool arql_receiver_accepts(const struct arql_link *link,
			   const struct arql_frame *frame)
{
	const struct arql_receiver *r = &link->receiver;
	const u32 size = r->window;
	const u16 begin = r->next - ARQLINK_WINDOW_MAX;

	if (!arql_within(frame->oldest, begin, ARQLINK_WINDOW_MAX + ARQLINK_AHEAD + 1))
		return false;
	if (frame->type != ARQLINK_DATA)
		return true;
	return arql_within(frame->number, begin, ARQLINK_WINDOW_MAX + size) ||
	       arql_within(frame->number, frame->oldest, size);
}

/* Takes the first frame from the window, or does not wait for it if it is missing. */
static void arql_pass(struct arql_link *link, s64 now)
{
	struct arql_receiver *r = &link->receiver;

	if (arql_arrived(r, r->next)->here) {
		arql_advance(link, now);
		return;
	}
	arql_packet_drop(link);
	arql_arrived(r, r->next++)->reported = false;
}

/**
 * arql_receiver_skip() - do not wait for frames that the peer has given up
 * @link: the link, locked
 * @oldest: the first frame that the peer may still send; arql_receiver_accepts() is true for it
 * @now: the time
 *
 * Behind the last frame that has arrived the window is empty, and jumps to @oldest. So the time
 * that this takes is bounded by the window, however far @oldest is ahead.
 */
void arql_receiver_skip(struct arql_link *link, u16 oldest, s64 now)
{
	struct arql_receiver *r = &link->receiver;

	if (arql_ahead(oldest, r->next) <= 0)
		return;
	while (r->next != oldest && r->next != r->end)
		arql_pass(link, now);
	if (r->next != oldest) {
		arql_packet_drop(link);
		r->next = oldest;
	}
	arql_advance_all(link, now);
	link->at[ARQL_EVENT_ACK] = now;
}

/* Stores a DATA frame of the window. */
static void arql_store(struct arql_link *link, const struct arql_frame *frame,
		       struct sk_buff *skb, s64 now)
{
	struct arql_receiver *r = &link->receiver;
	struct arql_arrived *slot = arql_arrived(r, frame->number);

	slot->skb = skb;
	slot->here = true;
	slot->at = now;
	slot->flags = frame->flags;
	slot->damaged = frame->damaged;
	if (arql_ahead(frame->number, r->end) >= 0)
		r->end = frame->number + 1;
}

/* The next frame to the peer returns the first stamp that has arrived since the previous one. */
static void arql_stamp_note(struct arql_echo *echo, u32 stamp)
{
	if (!echo->waits)
		echo->stamp = stamp;
	echo->waits = true;
	echo->seen = true;
}

/**
 * arql_receiver_take() - handle a DATA frame
 * @link: the link, locked
 * @frame: the header; arql_receiver_skip() was called for it
 * @skb: the frame, skb->data points to its payload; consumed only if the result is IN_DATA
 * @now: the time
 *
 * The number is not beyond the window, because arql_receiver_skip() has moved the window to
 * "oldest" or further.
 *
 * Return: ARQLINK_STATS_IN_DATA, or ARQLINK_STATS_DUPLICATE if the frame has arrived before or was
 * given up
 */
int arql_receiver_take(struct arql_link *link, const struct arql_frame *frame,
		       struct sk_buff *skb, s64 now)
{
	struct arql_receiver *r = &link->receiver;
	const int ahead = arql_ahead(frame->number, r->next);

	if (frame->flags & ARQLINK_FLAG_STAMP)
		arql_stamp_note(&r->echo, frame->stamp);
	arql_ack_later(link, now);
	if (ahead < 0 || arql_arrived(r, frame->number)->here)
		return ARQLINK_STATS_DUPLICATE;
	arql_store(link, frame, skb, now);
	if (ahead && link->cfg.reject != ARQLINK_REJECT_NEVER)
		arql_job_add(link, &link->nack);
	if (ahead)
		arql_try_early(link, frame->number, now);
	else
		arql_advance_all(link, now);
	return ARQLINK_STATS_IN_DATA;
}

/**
 * arql_receiver_bypass() - handle a BYPASS frame
 * @link: the link, locked
 * @frame: the header
 * @skb: the frame, only its payload
 * @now: the time
 */
void arql_receiver_bypass(struct arql_link *link, const struct arql_frame *frame,
			  const struct sk_buff *skb, s64 now)
{
	struct arql_lifetime option;
	struct sk_buff *packet = arql_packet_alloc(link, skb->len, true);

	if (!packet) {
		link->stats[ARQLINK_STATS_REFUSED]++;
		return;
	}
	skb_put_data(packet, skb->data, skb->len);
	if (frame->damaged) {
		arql_option_read(&option, packet, now);
		arql_deliver_damaged(link, packet, &option);
	} else {
		arql_deliver(link, packet);
	}
}

/* Is the frame missing, and to be reported now? */
static bool arql_is_missing(const struct arql_link *link, u16 number)
{
	const struct arql_arrived *slot = arql_arrived(&link->receiver, number);

	return !slot->here && !(slot->reported &&
			       link->cfg.reject == ARQLINK_REJECT_SINGLE);
}

/**
 * arql_receiver_missing() - list the frames that are missing
 * @link: the link, locked
 * @ranges: filled
 *
 * The frames count as reported.
 *
 * Return: number of ranges. With ARQLINK_REJECT_SINGLE a later call lists the frames that did not
 * fit
 */
unsigned int arql_receiver_missing(struct arql_link *link,
				   struct arql_range ranges[ARQLINK_RANGES_MAX])
{
	struct arql_receiver *r = &link->receiver;
	struct arql_range *range = NULL;
	unsigned int count = 0;
	u16 i;

	for (i = r->next; i != r->end; i++) {
		if (!arql_is_missing(link, i)) {
			range = NULL;
			continue;
		}
		if (!range && count == ARQLINK_RANGES_MAX)
			break;
		if (!range) {
			range = &ranges[count++];
			*range = (struct arql_range){ .first = i };
		}
		range->count++;
		arql_arrived(r, i)->reported = true;
	}
	return count;
}

/**
 * arql_receiver_reset() - forget all frames, because the connection is a new one or ends
 * @link: the link, locked
 */
void arql_receiver_reset(struct arql_link *link)
{
	struct arql_receiver *r = &link->receiver;
	u32 i;

	arql_packet_drop(link);
	for (i = 0; i <= r->mask; i++) {
		kfree_skb(r->slots[i].skb);
		r->slots[i] = (struct arql_arrived){};
	}
	r->next = 0;
	r->end = 0;
	r->early = 0;
	r->held_back = false;
	r->unacked = 0;
	r->echo = (struct arql_echo){};
}

/**
 * arql_receiver_move() - move the frames to a larger window
 * @link: the link, locked
 * @slots: the window, all 0
 * @count: number of slots, a power of two
 *
 * Return: the window before, for the caller to free
 */
struct arql_arrived *arql_receiver_move(struct arql_link *link,
					struct arql_arrived *slots, u32 count)
{
	struct arql_receiver *r = &link->receiver;
	struct arql_arrived *old = r->slots;
	u16 i;

	for (i = r->next; i != r->end; i++)
		slots[i & (count - 1)] = *arql_arrived(r, i);
	r->slots = slots;
	r->mask = count - 1;
	return old;
}
