/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection that does what a test wants, and the stream on it. */
#ifndef DCCP_STREAM_LINK_H
#define DCCP_STREAM_LINK_H

#include <errno.h>
#include <string.h>

#include "../../userspace/stream/sender.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
/* the times on the wire, 32 bits of us, wrap 50 ms later */
#define T0	(INT64_C(3) * 4294967296 * 1000 - 50 * MS)
/* the numbers on the wire wrap after the second message */
#define FIRST	(UINT64_C(0xffffffff) - 1)

#define LINK_PACKETS	2048
#define LINK_DATA	1500
#define LINK_UNLIMITED	(~0u)

/**
 * struct link_packet - a packet that the stream has sent
 * @at: when
 * @message: how
 * @data: its first bytes
 * @len: how many
 * @frame: what they say
 */
struct link_packet {
	int64_t at;
	struct fdccp_message message;
	uint8_t data[LINK_DATA];
	size_t len;
	struct fstream_frame frame;
};

/**
 * struct link - the connection, the stream, and what the stream did
 * @s: the stream
 * @now: the time
 * @path: what it measures
 * @payload_max: largest payload
 * @allowed: packets that it takes before -EAGAIN
 * @error: what it returns then; 0: -EAGAIN
 * @refused: how often it did
 * @packet: packets with a piece
 * @packets: how many
 * @post: the last packet with another frame, by type
 * @posts: how many, by type
 * @end: events END in order
 * @ends: how many
 * @ended_at: when
 * @events: all events, by type
 */
struct link {
	struct fstream *s;
	int64_t now;
	struct fdccp_measure path;
	size_t payload_max;
	unsigned int allowed;
	int error;
	unsigned int refused;
	struct link_packet packet[LINK_PACKETS];
	size_t packets;
	struct link_packet post[FSTREAM_REPORT + 1];
	unsigned int posts[FSTREAM_REPORT + 1];
	struct fstream_event end[LINK_PACKETS];
	int64_t ended_at[LINK_PACKETS];
	size_t ends;
	unsigned int events[FSTREAM_EVENT_FINISHED + 1];
};

static int link_send(void *context, const void *payload, size_t len,
		     const struct fdccp_message *message, int64_t now)
{
	struct link_packet packet = { .at = now, .message = *message, .len = len };
	struct link *l = context;

	if (len > l->payload_max)
		return -EMSGSIZE;
	if (!l->allowed) {
		l->refused++;
		return l->error ? l->error : -EAGAIN;
	}
	l->allowed -= l->allowed != LINK_UNLIMITED;
	memcpy(packet.data, payload, len < LINK_DATA ? len : LINK_DATA);
	fstream_frame_read(&packet.frame, payload, len);
	if (packet.frame.type == FSTREAM_MESSAGE) {
		l->packet[l->packets++ % LINK_PACKETS] = packet;
	} else {
		l->post[packet.frame.type] = packet;
		l->posts[packet.frame.type]++;
	}
	return 0;
}

static size_t link_payload_max(void *context)
{
	const struct link *l = context;

	return l->payload_max;
}

static void link_measure(void *context, struct fdccp_measure *measure)
{
	const struct link *l = context;

	*measure = l->path;
}

/* Fetches all events. Return: whether each message has ended once or is outstanding. */
static bool link_settle(struct link *l)
{
	struct fstream_event event;
	struct fstream_info info;
	uint64_t sum = 0;

	while (fstream_event(l->s, &event)) {
		l->events[event.type]++;
		if (event.type != FSTREAM_EVENT_END)
			continue;
		l->end[l->ends % LINK_PACKETS] = event;
		l->ended_at[l->ends++ % LINK_PACKETS] = l->now;
	}
	fstream_info(l->s, &info);
	for (int i = 0; i < FSTREAM_ENDS; i++)
		sum += info.totals.end[i];
	return info.totals.submitted == sum + info.totals.outstanding && l->ends == sum;
}

/* Lets the stream's timers run up to @when. */
static bool link_run(struct link *l, int64_t when)
{
	int64_t next;

	for (int i = 0; (next = fstream_next_timer(l->s)) <= when; i++) {
		if (i == 10000)
			return false;
		if (next > l->now)
			l->now = next;
		fstream_advance(l->s, l->now);
		if (!link_settle(l))
			return false;
	}
	l->now = when;
	return true;
}

static bool link_event(struct link *l, const struct fdccp_event *event)
{
	fstream_handle(l->s, event, l->now);
	return link_settle(l);
}

static bool link_simple(struct link *l, enum fdccp_event_type type)
{
	return link_event(l, &(struct fdccp_event){ .type = type });
}

static bool link_fate(struct link *l, uint64_t handle, enum fdccp_fate fate)
{
	return link_event(l, &(struct fdccp_event){
		.type = FDCCP_EVENT_FATE, .handle = handle, .fate = fate,
	});
}

/* Opens a connection with a sender whose numbers are about to wrap. */
static bool link_open(struct link *l, const struct fstream_config *config,
		      const struct fdccp_measure *path)
{
	const struct fstream_link link = {
		.send = link_send, .payload_max = link_payload_max, .measure = link_measure,
		.context = l,
	};
	struct fstream_outbox *box;

	*l = (struct link){
		.now = T0, .path = *path, .payload_max = 1000 + FSTREAM_HEADER_LEN,
		.allowed = LINK_UNLIMITED,
	};
	if (fstream_new(config, &link, T0, &l->s))
		return false;
	box = &fstream_tx(l->s)->box;
	box->oldest = box->next = fstream_tx(l->s)->unneeded = FIRST;
	return link_simple(l, FDCCP_EVENT_CONNECTED) &&
	       link_fate(l, FSTREAM_HANDLE_POST, FDCCP_FATE_ACKNOWLEDGED);
}

#endif
