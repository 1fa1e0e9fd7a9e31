/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controllers: whether a piece is sent, sent again, or given up with its message. Pure: a
 * controller has no state, and sees only what it is handed.
 */
#ifndef FSTREAM_CONTROL_H
#define FSTREAM_CONTROL_H

#include "freshlink-stream.h"

/**
 * struct fstream_view - a piece that could be sent, and its path
 * @now: the time
 * @deadline: of the message
 * @ahead: bytes that have to be sent besides it until the message is whole
 * @len: bytes of the packet
 * @budget: bytes that repeats may still take
 * @attempts: transmissions of the piece so far
 * @least: the way to the receiver takes no less, ns
 * @path: the path
 */
struct fstream_view {
	int64_t now;
	int64_t deadline;
	size_t ahead;
	size_t len;
	int64_t budget;
	unsigned int attempts;
	int64_t least;
	const struct fdccp_measure *path;
};

enum fstream_verdict {
	FSTREAM_SEND,
	FSTREAM_WAIT,		/* not now: the budget for repeats is used up */
	FSTREAM_GIVE_UP,	/* the message */
};

/**
 * struct fstream_controller - a controller
 * @first: may a piece be sent the first time?
 * @repeat: may a lost piece be sent again?
 * @stale_at: when routers may discard a packet that is sent now; FDCCP_NEVER: never
 * @expire: a message ends at its deadline
 * @cancel_when_full: messages past their deadline are cancelled when the buffer is full, the
 *	earliest first, up to the first that is not past
 * @deadlines: messages have deadlines
 */
struct fstream_controller {
	enum fstream_verdict (*first)(const struct fstream_view *view);
	enum fstream_verdict (*repeat)(const struct fstream_view *view);
	int64_t (*stale_at)(const struct fstream_view *view);
	bool expire;
	bool cancel_when_full;
	bool deadlines;
};

/* The retransmission timeout of @measure: RFC 6298 section 2, without its least value. */
int64_t fstream_timeout(const struct fdccp_measure *measure);

const struct fstream_controller *fstream_controller(enum fstream_control control);

/* When the message should have arrived if the packet is sent now: what has to be sent besides it
 * goes at the allowed rate, then come the way to the receiver and its spread.
 */
int64_t fstream_arrival(const struct fstream_view *view);

/* When routers may discard the packet: after the retransmission timeout, which doubles with each
 * attempt, if another attempt would still be in time, or if the deadline has passed and the message
 * is sent all the same; else at the deadline.
 */
int64_t fstream_wire_deadline(const struct fstream_view *view);

#endif
