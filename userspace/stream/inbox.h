/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver's messages of which pieces are missing, by number in a ring, and the numbers that
 * have ended. A number ends when its message is whole, or when the sender has given it up. The
 * numbers before the ring's have all ended.
 */
#ifndef FSTREAM_INBOX_H
#define FSTREAM_INBOX_H

#include "frame.h"
#include "freshlink-stream.h"
#include "heap.h"

/* numbers in the ring, unless the program wants to keep more messages */
#define FSTREAM_INBOX_SPAN	4096
/* More messages than that do not end between two frames that arrive. */
#define FSTREAM_INBOX_JUMP	(UINT64_C(1) << 24)

/**
 * struct fstream_in - a message
 * @number: its number
 * @submitted: when, on this end's clock
 * @lifetime: as the sender says, ns; 0: no deadline
 * @arrived: when the last piece arrived
 * @late: that was too late
 * @damaged: a piece is damaged
 * @submitted_us: submission and
 * @lifetime_us: lifetime, as each piece says
 * @by_number: its number, among the messages of which pieces are missing; order.c: among the whole
 *	messages that wait
 * @by_deadline: order.c: the deadline that its sender gave it, likewise
 * @by_submitted: order.c: its submission, likewise
 * @next: order.c: among the messages that are delivered now
 * @edition: contents it has had, mod 16
 * @attempts: most transmissions of a piece
 * @pieces: how many
 * @have: of these, here
 * @reach: no piece from this one on is here
 * @size: bytes of each piece but the last; 0: none of them is here
 * @last: bytes of the last; 0: it is not here
 * @room: bytes of @bytes for the payload
 * @bytes: a bit for each piece, and the payload
 */
struct fstream_in {
	uint64_t number;
	int64_t submitted, lifetime, arrived;
	bool late, damaged;
	uint32_t submitted_us, lifetime_us;
	struct fdccp_heap_entry by_number, by_deadline, by_submitted;
	struct fstream_in *next;
	uint8_t edition;
	unsigned int attempts;
	uint16_t pieces, have, reach;
	size_t size, last;
	size_t room;
	uint8_t bytes[];
};

/**
 * struct fstream_inbox - the ring
 * @ring: messages; NULL: nothing of it has arrived. Numbers that have ended have a mark
 * @room: size of the ring, a power of 2
 * @span: numbers that it may hold
 * @base: first number that has not ended
 * @top: the number after the last of which something has arrived, or @base
 * @ended: numbers from @base to @top that have ended
 * @open: messages of which pieces are missing, by number, less those that fstream_inbox_pass() has
 *	passed
 * @kept: messages, also those that order.c has
 * @limit: of these; @base may be one more
 * @memory: bytes of their payload
 * @memory_max: likewise; @base may take FSTREAM_MESSAGE_MAX more
 */
struct fstream_inbox {
	struct fstream_in **ring;
	uint32_t room, span;
	uint64_t base, top;
	uint32_t ended;
	struct fdccp_heap open;
	uint32_t kept, limit;
	size_t memory, memory_max;
};

/**
 * enum fstream_took - what became of a piece
 * @FSTREAM_TOOK: it is kept
 * @FSTREAM_TOOK_LAST: its message is whole now, and left the ring
 * @FSTREAM_NEEDLESS: it was here before, or its message has ended
 * @FSTREAM_FULL: there is no room for it
 */
enum fstream_took {
	FSTREAM_TOOK,
	FSTREAM_TOOK_LAST,
	FSTREAM_NEEDLESS,
	FSTREAM_FULL,
};

void fstream_inbox_init(struct fstream_inbox *inbox, const struct fstream_config *config);
void fstream_inbox_free(struct fstream_inbox *inbox);

/* Whether a piece goes with the others of its message, which is not too long. */
bool fstream_inbox_allows(const struct fstream_inbox *inbox, const struct fstream_frame *frame,
			  uint64_t number);

/**
 * fstream_inbox_put() - keep a piece
 * @inbox: the ring
 * @frame: the piece, which is allowed
 * @number: its message, less than @base + @span
 * @message: the message. When it is whole it belongs to the caller
 *
 * Return: see enum fstream_took. @message is set with the first two
 */
enum fstream_took fstream_inbox_put(struct fstream_inbox *inbox, const struct fstream_frame *frame,
				    uint64_t number, struct fstream_in **message);

/* Ends all numbers before @oldest. Return: how many had not ended. */
uint64_t fstream_inbox_skip(struct fstream_inbox *inbox, uint64_t oldest);

/* The message @number of which pieces are missing. Return: it or NULL. */
struct fstream_in *fstream_inbox_at(const struct fstream_inbox *inbox, uint64_t number);

/* The first message of which pieces are missing, and that was not passed. Return: it or NULL. */
struct fstream_in *fstream_inbox_first(const struct fstream_inbox *inbox);

/* Passes the messages before @number of which pieces are missing. */
void fstream_inbox_pass(struct fstream_inbox *inbox, uint64_t number);

/* Whether @number has ended. */
bool fstream_inbox_ended(const struct fstream_inbox *inbox, uint64_t number);

/* Whether something is missing that others have overtaken. */
bool fstream_inbox_gap(const struct fstream_inbox *inbox);

/* Frees a message that is whole. */
void fstream_inbox_drop(struct fstream_inbox *inbox, struct fstream_in *m);

/* The payload of a message that is whole. */
const uint8_t *fstream_in_data(const struct fstream_in *m);
size_t fstream_in_len(const struct fstream_in *m);

#endif
