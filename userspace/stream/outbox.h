/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sender's messages that have not ended: by number in a ring, by deadline in a heap, and in
 * heaps of those with something to send. Each operation takes O(log n).
 */
#ifndef FSTREAM_OUTBOX_H
#define FSTREAM_OUTBOX_H

#include "freshlink-stream.h"
#include "heap.h"

/* editions from one to the next with the same number on the wire (frame.h) */
#define FSTREAM_EDITIONS	16

enum fstream_piece_state {
	FSTREAM_PIECE_NEW,	/* to be sent the first time */
	FSTREAM_PIECE_FLIGHT,
	FSTREAM_PIECE_AGAIN,	/* to be sent again */
	FSTREAM_PIECE_DONE,
};

/* where a message with something to send is */
enum fstream_queue {
	FSTREAM_READY,		/* by priority and number */
	FSTREAM_HELD,		/* likewise: there is no budget for what is to be sent again */
	FSTREAM_STALLED,	/* by the time until which the receiver is spared */
	FSTREAM_QUEUES,
};

/**
 * struct fstream_piece - a piece of a message
 * @handle: of its last transmission, mod 2^32
 * @state: state
 * @attempts: transmissions, up to 255
 * @cause: AGAIN: how the message ends if the piece is not sent again
 */
struct fstream_piece {
	uint32_t handle;
	uint8_t state;
	uint8_t attempts;
	uint8_t cause;
};

/**
 * struct fstream_out - a message
 * @number: its number
 * @submitted: when
 * @deadline: until when it may arrive, or FDCCP_NEVER
 * @sent: when the transmission was sent whose acknowledgment was the last; 0: there was none
 * @by_deadline: its place in the heap of all messages: its deadline, or a later time
 * @by_order: its place in its queue, if it has something to send
 * @next: after its end: the next that has ended
 * @user: of the program
 * @piece: the pieces, once it was cut
 * @one: the piece of a message that has one
 * @len: length of the content
 * @wanted: of these, the bytes of pieces that are to be sent, the first time or again
 * @size: bytes of each piece but the last; 0: the message was not cut yet
 * @pieces: how many
 * @fresh: the first piece that was never sent; all after it were not, either
 * @again: pieces that are to be sent again
 * @cursor: no piece before it is one of them
 * @done: pieces that were acknowledged
 * @priority: 255 is sent first
 * @stale: treatment by routers
 * @edition: contents that it has had before and of which something was sent, mod 2^16
 * @heard: the newest edition of which something was acknowledged, or the first
 * @end: after its end: why
 * @queue: which one
 * @data: content
 */
struct fstream_out {
	uint64_t number;
	int64_t submitted;
	int64_t deadline;
	int64_t sent;
	struct fdccp_heap_entry by_deadline;
	struct fdccp_heap_entry by_order;
	struct fstream_out *next;
	void *user;
	struct fstream_piece *piece;
	struct fstream_piece one;
	uint32_t len;
	uint32_t wanted;
	uint16_t size;
	uint16_t pieces;
	uint16_t fresh;
	uint16_t again;
	uint16_t cursor;
	uint16_t done;
	uint16_t edition;
	uint16_t heard;
	uint8_t priority;
	uint8_t stale;
	uint8_t end;
	uint8_t queue;
	uint8_t data[];
};

/**
 * struct fstream_outbox - the messages
 * @ring: by number
 * @room: places in @ring, a power of 2
 * @oldest: no message before it is left
 * @next: number of the next message
 * @deadlines: all, by deadline
 * @queue: those with something to send
 * @count: messages
 * @memory: bytes of their content
 * @backlog: of these, bytes that are to be sent
 */
struct fstream_outbox {
	struct fstream_out **ring;
	uint64_t room;
	uint64_t oldest, next;
	struct fdccp_heap deadlines;
	struct fdccp_heap queue[FSTREAM_QUEUES];
	uint32_t count;
	size_t memory;
	size_t backlog;
};

/* A message that is in no outbox, with a copy of @data. Return: it, or NULL without memory. */
struct fstream_out *fstream_out_new(const void *data, size_t len);
void fstream_out_free(struct fstream_out *out);

/* Cuts a message of which nothing was sent into pieces of @size bytes. Return: 0, -EMSGSIZE (there
 * would be too many), -ENOMEM.
 */
int fstream_out_cut(struct fstream_out *out, size_t size);

/* The bytes of a piece. */
size_t fstream_out_piece_len(const struct fstream_out *out, unsigned int i);

/* The first piece that is to be sent again; there is one. */
unsigned int fstream_out_again(struct fstream_out *out);

/* The most transmissions of a piece. */
unsigned int fstream_out_attempts(const struct fstream_out *out);

/* Frees all messages and all memory. */
void fstream_outbox_free(struct fstream_outbox *box);

/* Adds a message with the next number. Its @deadline and @priority are set. Return: 0, -ENOMEM. */
int fstream_outbox_add(struct fstream_outbox *box, struct fstream_out *out);

/* The message with a number, or NULL. */
struct fstream_out *fstream_outbox_find(const struct fstream_outbox *box, uint64_t number);

/* Takes a message out, without freeing it. */
void fstream_outbox_remove(struct fstream_outbox *box, struct fstream_out *out);

/* Whether a message can have other content. What the receiver has of it stays less than 8 editions
 * old, so that the new one is no older one to it.
 */
bool fstream_out_can_change(const struct fstream_out *out);

/* Something of @edition was acknowledged. */
void fstream_out_heard(struct fstream_out *out, uint16_t edition);

/* Puts @new, which has the new content, in the place of @old, and frees @old. */
void fstream_outbox_replace(struct fstream_outbox *box, struct fstream_out *old,
			    struct fstream_out *new);

/* Gives a message another priority. */
void fstream_outbox_prioritize(struct fstream_outbox *box, struct fstream_out *out,
			       uint8_t priority);

/* Moves a message with something to send to the queue FSTREAM_READY or FSTREAM_HELD. */
void fstream_outbox_move(struct fstream_outbox *box, struct fstream_out *out,
			 enum fstream_queue queue);

/* Moves it to the queue FSTREAM_STALLED. */
void fstream_outbox_stall(struct fstream_outbox *box, struct fstream_out *out, int64_t until);

/* Piece @i was sent with @handle; is to be sent again, else the message ends for @cause; was
 * acknowledged.
 */
void fstream_outbox_sent(struct fstream_outbox *box, struct fstream_out *out, unsigned int i,
			 uint64_t handle);
void fstream_outbox_again(struct fstream_outbox *box, struct fstream_out *out, unsigned int i,
			  enum fstream_end cause);
void fstream_outbox_done(struct fstream_outbox *box, struct fstream_out *out, unsigned int i);

/* The first message of a queue, or NULL. */
struct fstream_out *fstream_outbox_first(const struct fstream_outbox *box,
					 enum fstream_queue queue);

/* The message with the earliest time in @deadlines, or NULL. */
struct fstream_out *fstream_outbox_due(const struct fstream_outbox *box);

#endif
