// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that arrive at the lower device. Each frame increments exactly one counter from
 * ARQLINK_STATS_IN_HELLO to ARQLINK_STATS_DOWN.
 */

#include <linux/etherdevice.h>
#include "hello.h"
#include "input.h"
#include "receiver.h"
#include "sender.h"

/* May a frame come from this address? HELLO may come from a new peer, unless the administrator has
 * set the peer.
 */
static bool arql_address_matches(const struct arql_link *link, u8 type,
				 const u8 *address)
{
	if (ether_addr_equal(address, link->lower->dev_addr) ||
	    !is_valid_ether_addr(address))
		return false;
	if (ether_addr_equal(address, link->peer_address))
		return true;
	return is_zero_ether_addr(link->cfg.remote) &&
	       (type == ARQLINK_HELLO || !link->connected);
}

static int arql_input_hello(struct arql_link *link,
			    const struct arql_frame *frame,
			    const struct sk_buff *skb, const u8 *address, s64 now)
{
	struct arql_hello hello;

	switch (arql_session_of(&link->session, frame)) {
	case ARQL_FROM_SELF:
		return ARQLINK_STATS_SESSION;
	case ARQL_FROM_STRANGER:
		arql_hello_stranger(link, frame, address, now);
		return ARQLINK_STATS_IN_HELLO;
	default:
		arql_hello_read(&hello, skb->data);
		return arql_hello_heard(link, frame, &hello, address, now);
	}
}

/* Reports the frames of a NACK to the sender. */
static void arql_input_nack(struct arql_link *link, const struct sk_buff *skb,
			    s64 now)
{
	struct arql_range range;
	unsigned int at;

	for (at = 0; at < skb->len; at += ARQLINK_RANGE_LEN) {
		arql_range_read(&range, skb->data + at);
		arql_sender_nacked(link, &range, now);
	}
}

/* Handles a frame of the connection. */
static int arql_input_frame(struct arql_link *link,
			    const struct arql_frame *frame,
			    struct sk_buff *skb, s64 now)
{
	if (!arql_sender_accepts(link, frame->ack) ||
	    !arql_receiver_accepts(link, frame))
		return ARQLINK_STATS_OUTSIDE;
	if (frame->flags & ARQLINK_FLAG_ECHO)
		arql_sender_echoed(link, frame->echo, now);
	/* a NACK gives no sample (section V of the paper) */
	arql_sender_acked(link, frame->ack, frame->type != ARQLINK_NACK, now);
	arql_receiver_skip(link, frame->oldest, now);
	switch (frame->type) {
	case ARQLINK_DATA:
		return arql_receiver_take(link, frame, skb, now);
	case ARQLINK_ACK:
		return ARQLINK_STATS_IN_ACK;
	case ARQLINK_NACK:
		arql_input_nack(link, skb, now);
		return ARQLINK_STATS_IN_NACK;
	case ARQLINK_SKIP:
		/* the acknowledgment of an earlier SKIP may be lost */
		link->at[ARQL_EVENT_ACK] = now;
		return ARQLINK_STATS_IN_SKIP;
	default:
		arql_receiver_bypass(link, frame, skb, now);
		return ARQLINK_STATS_IN_BYPASS;
	}
}

/* Returns the counter of a frame. The frame is consumed only if this is ARQLINK_STATS_IN_DATA. */
static int arql_input_judge(struct arql_link *link, struct sk_buff *skb, s64 now)
{
	const u8 *address = eth_hdr(skb)->h_source;
	struct arql_frame frame;
	int cause;

	if (!link->up)
		return ARQLINK_STATS_DOWN;
	cause = arql_frame_read(&frame, skb->data, skb->len);
	if (cause)
		return cause;
	if (!arql_address_matches(link, frame.type, address))
		return ARQLINK_STATS_ADDRESS;
	/* without the padding of the lower device; the frame is linear */
	skb_pull(skb, arql_frame_head(frame.type, frame.flags));
	skb_trim(skb, frame.length);
	if (frame.type == ARQLINK_HELLO)
		return arql_input_hello(link, &frame, skb, address, now);
	switch (arql_session_of(&link->session, &frame)) {
	case ARQL_FROM_PEER:
		return arql_input_frame(link, &frame, skb, now);
	case ARQL_FROM_SELF:
		return ARQLINK_STATS_SESSION;
	default:
		arql_hello_stranger(link, &frame, address, now);
		return ARQLINK_STATS_SESSION;
	}
}

/**
 * arql_input() - handle a frame
 * @link: the link, locked
 * @skb: the frame, linear and not shared; skb->data points behind the Ethernet header; consumed
 * @now: the time
 */
void arql_input(struct arql_link *link, struct sk_buff *skb, s64 now)
{
	const int counter = arql_input_judge(link, skb, now);

	link->stats[ARQLINK_STATS_FRAMES_IN]++;
	link->stats[counter]++;
	if (counter != ARQLINK_STATS_IN_DATA)
		kfree_skb(skb);
}
