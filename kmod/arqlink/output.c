// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of frames. All frames leave first come, first served (section III of the paper), or
 * BYPASS frames and all others get fair shares. Each frame gets the acknowledgment and "oldest" of
 * the moment at which it leaves.
 */

#include <linux/etherdevice.h>
#include <net/fl_rate.h>
#include "output.h"
#include "piece.h"
#include "receiver.h"
#include "report.h"
#include "sender.h"

/* The payload of a frame that is about to leave: bytes, or what a DATA frame contains. */
struct arql_payload {
	const u8 *data;
	unsigned int len;
	const struct arql_piece *piece;
};

static void arql_payload_put(struct sk_buff *skb, const struct arql_payload *payload)
{
	if (payload->piece)
		arql_piece_write(skb_put(skb, payload->len), payload->piece);
	else if (payload->len)
		skb_put_data(skb, payload->data, payload->len);
}

static struct sk_buff *arql_bypass_skb(const struct arql_job *job)
{
	const struct arql_skb_cb *cb = container_of(job, struct arql_skb_cb, job);

	return container_of((char (*)[sizeof_field(struct sk_buff, cb)])cb,
			    struct sk_buff, cb);
}

/**
 * arql_output_bypass() - accept a BYPASS packet
 * @link: the link, locked
 * @skb: the packet, linear
 */
void arql_output_bypass(struct arql_link *link, struct sk_buff *skb)
{
	struct arql_skb_cb *cb = arql_skb_cb(skb);

	arql_job_init(&cb->job, ARQLINK_BYPASS);
	arql_job_add(link, &cb->job);
	arql_ring_enter(link, ARQLINK_QUEUE_BYPASS, skb->len);
	arql_backpressure(link, ARQLINK_QUEUE_BYPASS);
}

/* Writes a frame, in NAPI. */
static struct sk_buff *arql_build(struct arql_link *link,
				  struct arql_frame *frame, const u8 *address,
				  const struct arql_payload *payload)
{
	const unsigned int head = arql_frame_head(frame->type, frame->flags);
	struct net_device *lower = link->lower;
	struct sk_buff *skb;
	u8 *p;

	skb = napi_alloc_skb(&link->napi, LL_RESERVED_SPACE(lower) + head + payload->len +
			     lower->needed_tailroom);
	if (!skb)
		return NULL;
	skb_reserve(skb, LL_RESERVED_SPACE(lower));
	skb_reset_network_header(skb);
	p = skb_put(skb, head);
	arql_payload_put(skb, payload);
	frame->length = payload->len;
	frame->source = link->session.own;
	frame->ack = link->receiver.next;
	frame->oldest = link->sender.una;
	arql_frame_write(p, frame);
	skb->dev = lower;
	skb->protocol = htons(ARQLINK_ETHERTYPE);
	if (dev_hard_header(skb, lower, ARQLINK_ETHERTYPE, address,
			    lower->dev_addr, skb->len) < 0) {
		kfree_skb(skb);
		return NULL;
	}
	arql_sender_told(link, frame->oldest);
	return skb;
}

/* Adds a word to a frame, unless the frame has no room for it: the options or the peer may have
 * changed since the piece was cut.
 */
static void arql_add_word(const struct arql_link *link, struct arql_frame *frame,
			  unsigned int len, u8 flag)
{
	if (arql_frame_head(frame->type, frame->flags | flag) + len <= arql_frame_max(link))
		frame->flags |= flag;
}

/* Lets the peer accept the frame although bytes behind the packet's headers are damaged. @offset is
 * that of the frame's first byte in the packet.
 */
static void arql_add_tolerance(const struct arql_link *link, struct arql_frame *frame,
			       const struct sk_buff *packet, u32 offset, u32 len)
{
	const u32 headers = arql_skb_cb(packet)->headers;

	if (!headers)
		return;
	frame->sensitive = clamp(headers, offset, offset + len) - offset;
	arql_add_word(link, frame, len, ARQLINK_FLAG_TOLERANT);
}

/* Writes a frame to the peer. The acknowledgment in it needs no frame of its own any more. */
static struct sk_buff *arql_build_to_peer(struct arql_link *link,
					  struct arql_frame *frame,
					  const struct arql_payload *payload)
{
	struct arql_echo *echo = &link->receiver.echo;
	struct sk_buff *skb;

	frame->session = link->session.peer;
	frame->echo = echo->stamp;
	if (echo->waits)
		arql_add_word(link, frame, payload->len, ARQLINK_FLAG_ECHO);
	skb = arql_build(link, frame, link->peer_address, payload);
	if (!skb)
		return NULL;
	link->receiver.unacked = 0;
	echo->waits = false;
	link->at[ARQL_EVENT_ACK] = ARQL_NEVER;
	arql_job_del(&link->ack);
	return skb;
}

/* Counts a frame that is about to leave. Without memory for it, it fails at once. */
static void arql_count_frame(struct arql_link *link, const struct sk_buff *skb, int counter)
{
	link->stats[counter]++;
	if (!skb)
		link->stats[ARQLINK_STATS_SEND_FAILED]++;
}

static struct sk_buff *arql_build_data(struct arql_link *link,
				       const struct arql_piece *piece, u16 number)
{
	struct arql_frame frame = {
		.type = ARQLINK_DATA,
		.flags = piece->flags,
		.number = number,
		.stamp = piece->stamp,
	};
	const struct arql_payload payload = { .piece = piece, .len = piece->length };

	arql_add_tolerance(link, &frame, piece->skb, piece->offset, payload.len);
	if (link->cfg.estimate == ARQLINK_ESTIMATE_STAMP)
		arql_add_word(link, &frame, payload.len, ARQLINK_FLAG_STAMP);
	return arql_build_to_peer(link, &frame, &payload);
}

static struct sk_buff *arql_output_data(struct arql_link *link,
					struct arql_job *job, s64 now)
{
	struct arql_piece piece;
	struct sk_buff *skb;
	u16 number;

	if (!arql_sender_send(link, job, &piece, &number, now))
		return NULL;
	skb = arql_build_data(link, &piece, number);
	if (!skb)
		link->stats[ARQLINK_STATS_SEND_FAILED]++;
	arql_piece_put(&piece);
	return skb;
}

static struct sk_buff *arql_output_bypassing(struct arql_link *link,
					     struct arql_job *job, s64 now)
{
	struct arql_frame frame = { .type = ARQLINK_BYPASS };
	struct sk_buff *packet = arql_bypass_skb(job), *skb;
	const struct arql_payload payload = { packet->data, packet->len };

	arql_ring_leave(link, ARQLINK_QUEUE_BYPASS, packet->len);
	arql_lifetime_write(&arql_skb_cb(packet)->lifetime, packet, now);
	arql_add_tolerance(link, &frame, packet, 0, packet->len);
	skb = arql_build_to_peer(link, &frame, &payload);
	arql_skb_cb(packet)->tries = (struct arql_tries){ !!skb, !!skb, !!skb };
	arql_packet_ends(link, packet, skb ? ARQLINK_STATS_BYPASSED :
					     ARQLINK_STATS_NOMEM);
	if (skb)
		link->stats[ARQLINK_STATS_SENT_BYTES] += packet->len;
	consume_skb(packet);
	return skb;
}

/* A frame without a payload. */
static struct sk_buff *arql_output_control(struct arql_link *link, u8 type,
					   int counter)
{
	const struct arql_payload none = {};
	struct arql_frame frame = { .type = type };
	struct sk_buff *skb = arql_build_to_peer(link, &frame, &none);

	arql_count_frame(link, skb, counter);
	return skb;
}

/* SKIP is sent again when the timeout has passed, see arql_run(). */
static struct sk_buff *arql_output_skip(struct arql_link *link, s64 now)
{
	link->at[ARQL_EVENT_SKIP] = now + arql_timeout(link);
	return arql_output_control(link, ARQLINK_SKIP, ARQLINK_STATS_SKIPS);
}

/* The frames may have arrived while NACK waited. */
static struct sk_buff *arql_output_nack(struct arql_link *link)
{
	struct arql_frame frame = { .type = ARQLINK_NACK };
	struct arql_range ranges[ARQLINK_RANGES_MAX];
	u8 data[ARQLINK_RANGES_MAX * ARQLINK_RANGE_LEN];
	unsigned int count = arql_receiver_missing(link, ranges), i;
	const struct arql_payload payload = { data, count * ARQLINK_RANGE_LEN };
	struct sk_buff *skb;

	if (!count)
		return NULL;
	for (i = 0; i < count; i++)
		arql_range_write(data + i * ARQLINK_RANGE_LEN, &ranges[i]);
	skb = arql_build_to_peer(link, &frame, &payload);
	arql_count_frame(link, skb, ARQLINK_STATS_NACKS);
	return skb;
}

/* The largest piece that the lower device of this end can receive. */
static u16 arql_hello_piece(const struct arql_link *link)
{
	return min_t(u32, READ_ONCE(link->lower->mtu) - ARQLINK_HLEN, U16_MAX);
}

static struct sk_buff *arql_output_hello(struct arql_link *link)
{
	struct arql_frame frame = {
		.type = ARQLINK_HELLO,
		.flags = link->hello_flags,
		.session = link->hello_session,
	};
	const struct arql_hello hello = {
		.window = link->cfg.window,
		.piece = arql_hello_piece(link),
	};
	u8 data[ARQLINK_HELLO_LEN];
	const struct arql_payload payload = { data, sizeof(data) };
	struct sk_buff *skb;

	if (!link->connected || frame.session == link->session.peer)
		link->told_window = hello.window;
	arql_hello_write(data, &hello);
	skb = arql_build(link, &frame, link->hello_address, &payload);
	arql_count_frame(link, skb, ARQLINK_STATS_HELLOS);
	return skb;
}

static struct sk_buff *arql_output_job(struct arql_link *link,
				       struct arql_job *job, s64 now)
{
	switch (job->type) {
	case ARQLINK_DATA:
	case ARQL_COPY:
		return arql_output_data(link, job, now);
	case ARQLINK_BYPASS:
		return arql_output_bypassing(link, job, now);
	case ARQLINK_ACK:
		return arql_output_control(link, ARQLINK_ACK, ARQLINK_STATS_ACKS);
	case ARQLINK_NACK:
		return arql_output_nack(link);
	case ARQLINK_SKIP:
		return arql_output_skip(link, now);
	default:
		return arql_output_hello(link);
	}
}

/**
 * arql_output_wanted() - check whether a frame waits that the lower device would accept
 * @link: the link, locked; the device is up
 */
bool arql_output_wanted(const struct arql_link *link)
{
	return (!list_empty(&link->jobs) || !list_empty(&link->bypasses)) &&
	       !arql_meter_is_full(link->meter, link->cfg.below);
}

/**
 * arql_output_paced() - check whether only the rate holds the next frame back
 * @link: the link, locked; the device is up
 *
 * If the lower device holds the frame back, the meter schedules NAPI.
 */
bool arql_output_paced(const struct arql_link *link)
{
	return link->cfg.rate && arql_output_wanted(link);
}

/**
 * arql_output_ready() - check whether a frame may leave now
 * @link: the link, locked; the device is up
 * @now: the time
 */
bool arql_output_ready(const struct arql_link *link, s64 now)
{
	return arql_output_wanted(link) &&
	       (!link->cfg.rate || link->free_at <= now);
}

/* With a rate, the next frame leaves when this one has been sent at that rate. */
static void arql_output_pace(struct arql_link *link, unsigned int bytes, s64 now)
{
	if (now > link->free_at) {
		link->free_at = now;
		link->carry = 0;
	}
	link->free_at += fl_work_time(fl_work(bytes), link->cfg.rate,
				      &link->carry);
}

/* Do BYPASS frames and other frames wait, each for its share of the link? */
static bool arql_output_rivals(const struct arql_link *link)
{
	return link->cfg.order == ARQLINK_ORDER_FAIR &&
	       !list_empty(&link->jobs) && !list_empty(&link->bypasses);
}

/* Is the next frame a BYPASS frame? At least one frame waits. */
static bool arql_output_bypasses(const struct arql_link *link)
{
	if (list_empty(&link->jobs) || list_empty(&link->bypasses))
		return list_empty(&link->jobs);
	return arql_order_bypass(&link->order, link->cfg.order,
				 list_first_entry(&link->bypasses, struct arql_job, list)->turn,
				 list_first_entry(&link->jobs, struct arql_job, list)->turn);
}

/* Takes the next frame from its queue. Returns NULL if the frame need not be sent any more. */
static struct sk_buff *arql_output_take(struct arql_link *link, s64 now)
{
	const bool rivals = arql_output_rivals(link);
	const bool bypass = arql_output_bypasses(link);
	struct arql_job *job = list_first_entry(bypass ? &link->bypasses : &link->jobs,
						struct arql_job, list);
	struct sk_buff *skb;

	arql_job_del(job);
	skb = arql_output_job(link, job, now);
	if (skb)
		arql_order_sent(&link->order, bypass, rivals, skb->len);
	return skb;
}

/**
 * arql_output_next() - take the next frame that may leave now
 * @link: the link, locked
 * @now: the time
 *
 * Return: the frame for the lower device, NULL if no frame may leave
 */
struct sk_buff *arql_output_next(struct arql_link *link, s64 now)
{
	struct sk_buff *skb;

	while (arql_output_ready(link, now)) {
		skb = arql_output_take(link, now);
		if (!skb)
			continue;
		arql_output_pace(link, skb->len, now);
		arql_meter_add(link->meter, skb);
		return skb;
	}
	return NULL;
}

/**
 * arql_output_purge() - drop all frames, because the device goes down
 * @link: the link, locked; the sender's window is empty
 */
void arql_output_purge(struct arql_link *link)
{
	struct arql_job *job, *next;

	list_for_each_entry_safe(job, next, &link->jobs, list)
		arql_job_del(job);
	list_for_each_entry_safe(job, next, &link->bypasses, list) {
		struct sk_buff *skb = arql_bypass_skb(job);

		arql_job_del(job);
		arql_ring_leave(link, ARQLINK_QUEUE_BYPASS, skb->len);
		arql_skb_cb(skb)->tries = (struct arql_tries){};
		arql_packet_ends(link, skb, ARQLINK_STATS_PURGED);
		kfree_skb(skb);
	}
}
