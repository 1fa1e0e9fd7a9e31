/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A receiver, and a sender that is a test: its frames are written one by one. Time is simulated. */
#ifndef DCCP_STREAM_PEER_H
#define DCCP_STREAM_PEER_H

#include <errno.h>

#include "path.h"
#include "stream.h"

#define PEER_PIECE	100	/* bytes of a piece, unless a test says otherwise */
#define PEER_POSTS	256

/**
 * struct peer - a receiver and its connection
 * @s: the receiver
 * @now: the time
 * @blocked: the connection takes no packet
 * @acks: calls of the link's acknowledge
 * @acked_at: time of the last
 * @drops: calls of drop
 * @slow: of slow_receiver, the last
 * @post: frames that the receiver has sent
 * @posts: how many
 * @settled: of these, acknowledged by the connection
 * @measure: what the connection has measured
 */
struct peer {
	struct fstream *s;
	int64_t now;
	bool blocked;
	unsigned int acks;
	int64_t acked_at;
	unsigned int drops;
	bool slow;
	struct {
		struct fstream_frame frame;
		uint64_t handle;
		int64_t at;
	} post[PEER_POSTS];
	unsigned int posts, settled;
	struct fdccp_measure measure;
};

static inline int peer_send(void *context, const void *payload, size_t len,
			    const struct fdccp_message *message, int64_t now)
{
	struct peer *p = context;

	if (p->blocked)
		return -EAGAIN;
	if (p->posts == PEER_POSTS ||
	    !fstream_frame_read(&p->post[p->posts].frame, payload, len))
		abort();
	p->post[p->posts].handle = message->handle;
	p->post[p->posts++].at = now;
	return 0;
}

static inline void peer_acknowledge(void *context, int64_t now)
{
	struct peer *p = context;

	p->acks++;
	p->acked_at = now;
}

static inline void peer_drop(void *context)
{
	((struct peer *)context)->drops++;
}

static inline void peer_slow_receiver(void *context, bool slow)
{
	((struct peer *)context)->slow = slow;
}

static inline size_t peer_payload_max(void *context)
{
	(void)context;
	return 1200;
}

static inline void peer_measure(void *context, struct fdccp_measure *measure)
{
	*measure = ((struct peer *)context)->measure;
}

/* The connection acknowledges what the receiver has sent. */
static inline void peer_settle(struct peer *p)
{
	while (p->settled < p->posts) {
		struct fdccp_event event = { .type = FDCCP_EVENT_FATE,
			.handle = p->post[p->settled++].handle, .fate = FDCCP_FATE_ACKNOWLEDGED };

		fstream_handle(p->s, &event, p->now);
	}
}

/* Hands the receiver an event of its connection. Return: whether there was room for its data. */
static inline bool peer_event(struct peer *p, const struct fdccp_event *event)
{
	unsigned int drops = p->drops;

	fstream_handle(p->s, event, p->now);
	peer_settle(p);
	return p->drops == drops;
}

/* Hands the receiver the bytes of a packet, in memory of their own. @damaged: only the first @intact
 * are whole. Return: as peer_event().
 */
static inline bool peer_data(struct peer *p, const void *bytes, size_t len, bool damaged,
			     size_t intact)
{
	uint8_t *copy = malloc(len ? len : 1);
	bool room;

	memcpy(copy, bytes, len);
	room = peer_event(p, &(struct fdccp_event){ .type = FDCCP_EVENT_DATA, .data = copy,
						    .len = len, .damaged = damaged,
						    .intact = intact });
	free(copy);
	return room;
}

static inline bool peer_bytes(struct peer *p, const void *bytes, size_t len)
{
	return peer_data(p, bytes, len, false, 0);
}

/* Hands the receiver a frame. Return: as peer_event(). */
static inline bool peer_frame(struct peer *p, const struct fstream_frame *frame)
{
	static uint8_t bytes[FSTREAM_FRAME_MAX + FSTREAM_MESSAGE_MAX];
	size_t len = fstream_frame_write(frame, bytes);

	if (frame->len)
		memcpy(bytes + len, frame->payload, frame->len);
	return peer_bytes(p, bytes, len + frame->len);
}

/* What the path has measured, as the sender tells it. */
static inline void peer_terms(struct peer *p, int64_t lifetime, int64_t latency, int64_t way,
			      int64_t srtt)
{
	peer_frame(p, &(struct fstream_frame){
		.type = FSTREAM_TERMS, .attempt = ++p->s->peer.revision,
		.lifetime = (uint32_t)(lifetime / US), .latency = (uint32_t)(latency / US),
		.way = (uint32_t)(way / US), .srtt = (uint32_t)(srtt / US) });
}

/* Makes a receiver whose connection is open. */
static inline void peer_open(struct peer *p, const struct fstream_config *config)
{
	struct fstream_link link = {
		.send = peer_send,
		.acknowledge = peer_acknowledge,
		.drop = peer_drop,
		.slow_receiver = peer_slow_receiver,
		.payload_max = peer_payload_max,
		.measure = peer_measure,
		.context = p,
	};

	*p = (struct peer){ .now = 1000 * SEC };
	if (fstream_new(config, &link, p->now, &p->s))
		abort();
	peer_event(p, &(struct fdccp_event){ .type = FDCCP_EVENT_CONNECTED });
}

/* Lets time pass, with all timers at their times, until @end or a timer yields an event.
 * Return: whether there is one.
 */
static inline bool peer_wait(struct peer *p, int64_t end, struct fstream_event *event)
{
	for (;;) {
		int64_t next = fstream_next_timer(p->s);

		if (fstream_event(p->s, event))
			return true;
		if (next > end)
			break;
		p->now = next > p->now ? next : p->now;
		fstream_advance(p->s, p->now);
		peer_settle(p);
	}
	p->now = end;
	return false;
}

/* The bytes of a message, which tell its number. */
static inline uint8_t peer_byte(uint64_t number, size_t at)
{
	return (uint8_t)(number * 31 + at * 7 + at / 256);
}

/* A frame with a piece of PEER_PIECE bytes. The last one of a message is one byte shorter. */
static inline struct fstream_frame peer_piece(uint64_t number, uint16_t piece, uint16_t pieces,
					      int64_t submitted, int64_t lifetime)
{
	static uint8_t payload[PEER_PIECE];
	bool last = piece == pieces - 1;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = peer_byte(number, (size_t)piece * PEER_PIECE + i);
	return (struct fstream_frame){
		.type = FSTREAM_MESSAGE, .number = (uint32_t)number, .piece = piece,
		.pieces = pieces, .submitted = (uint32_t)(submitted / US),
		.lifetime = (uint32_t)(lifetime / US), .payload = payload,
		.len = PEER_PIECE - last, .unfinished = UINT16_MAX };
}

/* A message of one piece arrives now. Return: as peer_event(). */
static inline bool peer_message(struct peer *p, uint64_t number, int64_t submitted,
				int64_t lifetime)
{
	struct fstream_frame frame = peer_piece(number, 0, 1, submitted, lifetime);

	return peer_frame(p, &frame);
}

/* Whether an event is a message with all its bytes. */
static inline bool peer_is_message(const struct fstream_event *event, uint64_t number, size_t len)
{
	if (event->type != FSTREAM_EVENT_MESSAGE || event->number != number || event->len != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (event->data[i] != peer_byte(number, i))
			return false;
	return true;
}

/* Fetches the next event. Return: whether it is the message, of one piece unless @len says more. */
static inline bool peer_gets(struct peer *p, uint64_t number, size_t len)
{
	struct fstream_event event;

	return fstream_event(p->s, &event) && peer_is_message(&event, number, len);
}

/* Return: whether there is no event, after one that says that the terms have changed. */
static inline bool peer_idle(struct peer *p)
{
	struct fstream_event event;
	bool some = fstream_event(p->s, &event);

	return !some || (event.type == FSTREAM_EVENT_TERMS && peer_idle(p));
}

static inline struct fstream_info peer_info(const struct peer *p)
{
	struct fstream_info info;

	fstream_info(p->s, &info);
	return info;
}

/* The last frame of a type that the receiver has sent, or NULL. */
static inline const struct fstream_frame *peer_last(const struct peer *p,
						    enum fstream_frame_type type)
{
	for (unsigned int i = p->posts; i--;)
		if (p->post[i].frame.type == type)
			return &p->post[i].frame;
	return NULL;
}

#endif
