/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream: what both roles share. A sender's own state is in sender.c, a receiver's in receiver.c.
 *
 *     stream.c     the public functions; the part that belongs to a role goes through its table
 *     sender.c     messages to packets: outbox.c keeps messages, flight.c transmissions, control.c
 *                  decides, sender_send.c sends, sender_fate.c takes what became of it,
 *                  sender_path.c measures the path and talks with the receiver,
 *                  sender_expiry.c finds and treats persistent expiry, by expiry.c and throttle.c
 *     receiver.c   packets to messages: inbox.c keeps pieces, order.c what is whole, clock.c knows
 *                  the sender's clock
 *     post.c       the frames without a message: SKIP, TERMS, REPORT
 *     frame.c      bytes
 */
#ifndef FSTREAM_STREAM_H
#define FSTREAM_STREAM_H

#include "frame.h"
#include "freshlink-stream.h"

/* handles of packets: transmissions of pieces count up from 0; the others begin here */
#define FSTREAM_HANDLE_POST	(UINT64_C(1) << 63)

/* before a round-trip time is known, RFC 4340 section 3.4 */
#define FSTREAM_RTT_DEFAULT	INT64_C(200000000)

/**
 * struct fstream_role - what a sender and a receiver do differently
 * @open: makes the role's state. Return: 0 or -ENOMEM
 * @close: frees it
 * @handle: an event of the connection other than DATA
 * @frame: a frame of the peer arrived. Return: whether it is allowed to this role
 * @fill: the fields of a frame of post.c that is sent now
 * @next_timer: the next time for @advance, or FDCCP_NEVER
 * @advance: does what is due
 * @send: sends what may be sent, while the connection is open. NULL: nothing
 * @event: fetches an event
 * @info: fills its part
 */
struct fstream_role {
	int (*open)(struct fstream *s, int64_t now);
	void (*close)(struct fstream *s);
	void (*handle)(struct fstream *s, const struct fdccp_event *event, int64_t now);
	bool (*frame)(struct fstream *s, const struct fstream_frame *frame, int64_t now);
	void (*fill)(struct fstream *s, struct fstream_frame *frame, int64_t now);
	int64_t (*next_timer)(const struct fstream *s);
	void (*advance)(struct fstream *s, int64_t now);
	void (*send)(struct fstream *s, int64_t now);
	bool (*event)(struct fstream *s, struct fstream_event *event);
	void (*info)(const struct fstream *s, struct fstream_info *info);
};

extern const struct fstream_role fstream_sender, fstream_receiver;

/**
 * struct fstream_slot - the last frame of a type, which is sent until it is acknowledged
 * @wanted: it must be sent, or sent again
 * @flight: it is on the way
 * @handle: of its packet
 * @again_at: when it is sent again if nothing was heard of it
 * @flags: of the frame
 * @revision: TERMS: of the last one that was sent
 */
struct fstream_slot {
	bool wanted, flight;
	uint64_t handle;
	int64_t again_at;
	uint8_t flags;
	uint8_t revision;
};

/**
 * struct fstream_terms - the wishes of an end
 * @lifetime: in ns; FSTREAM_ANY: none
 * @latency: likewise
 * @way: of the sender: the least one-way time of its pieces, ns; 0: unknown
 * @srtt: smoothed round-trip time, likewise
 * @revision: of the last change
 */
struct fstream_terms {
	int64_t lifetime, latency;
	int64_t way, srtt;
	uint8_t revision;
};

/**
 * struct fstream - a stream
 * @config: configuration
 * @link: its connection
 * @role: sender or receiver
 * @state: the role's own
 * @totals: totals
 * @mine: this end's wishes
 * @heard: the newest revision of them that was acknowledged, or the first
 * @peer: the peer's
 * @slot: frames of post.c, by type; [FSTREAM_MESSAGE] is unused
 * @next_post: handle of the next of them
 * @again_at: when sending is tried again that an error has stopped, or FDCCP_NEVER
 * @terms_changed: FSTREAM_EVENT_TERMS is due
 * @user: of the program
 * @slow: the program can take no messages for now
 * @open: the connection can send
 * @closed: the connection has ended
 */
struct fstream {
	struct fstream_config config;
	struct fstream_link link;
	const struct fstream_role *role;
	void *state;
	struct fstream_totals totals;
	struct fstream_terms mine, peer;
	uint8_t heard;
	struct fstream_slot slot[FSTREAM_REPORT + 1];
	uint64_t next_post;
	int64_t again_at;
	void *user;
	bool terms_changed;
	bool slow;
	bool open, closed;
};

/* Nothing more can be sent now, because of @err. It is tried again when the time has come. */
void fstream_cannot_send(struct fstream *s, int err, int64_t now);

/* post.c */

/* A frame of @type is to be sent: what it says has changed. */
void fstream_post(struct fstream *s, enum fstream_frame_type type, uint8_t flags);

/* The terms have changed: TERMS is to be sent with the next revision. */
void fstream_post_terms(struct fstream *s);

/* Sends the frames that are wanted. Return: false if the connection takes no more packets now. */
bool fstream_post_send(struct fstream *s, int64_t now);

/* The fate of a packet with a handle from FSTREAM_HANDLE_POST on. */
void fstream_post_fate(struct fstream *s, const struct fdccp_event *event);

/* When a frame has to be sent again, or FDCCP_NEVER. */
int64_t fstream_post_timer(const struct fstream *s);

/* sender.c; in stream.c after the role was checked */
int fstream_sender_submit(struct fstream *s, const void *data, size_t len,
			  const struct fstream_message *message, int64_t now, uint64_t *number);
int fstream_sender_cancel(struct fstream *s, uint64_t number, int64_t now);
int fstream_sender_update(struct fstream *s, uint64_t number, const void *data, size_t len,
			  int64_t now);
int fstream_sender_prioritize(struct fstream *s, uint64_t number, uint8_t priority);
void fstream_sender_finish(struct fstream *s, int64_t now);

/* The program has set the lifetime anew. */
void fstream_sender_forget_longer(struct fstream *s);

/* receiver.c; likewise. The program takes messages again. */
void fstream_receiver_resume(struct fstream *s, int64_t now);

#endif
