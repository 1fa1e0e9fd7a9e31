// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outbox.h"

#define ROOM_MIN	64
#define PIECES_MAX	65535
#define ATTEMPTS_MAX	255
#define PRIORITY_MAX	255
/* a place in the order: the priority above so many bits of the number */
#define NUMBER_BITS	55

struct fstream_out *fstream_out_new(const void *data, size_t len)
{
	struct fstream_out *out = malloc(sizeof(*out) + len);

	if (!out)
		return NULL;
	*out = (struct fstream_out){
		.by_deadline.index = FDCCP_HEAP_OUT,
		.by_order.index = FDCCP_HEAP_OUT,
		.len = (uint32_t)len,
		.wanted = (uint32_t)len,
	};
	memcpy(out->data, data, len);
	return out;
}

static void free_pieces(struct fstream_out *out)
{
	if (out->piece != &out->one)
		free(out->piece);
}

void fstream_out_free(struct fstream_out *out)
{
	free_pieces(out);
	free(out);
}

int fstream_out_cut(struct fstream_out *out, size_t size)
{
	size_t pieces = size ? (out->len + size - 1) / size : SIZE_MAX;
	struct fstream_piece *piece = &out->one;

	if (pieces > PIECES_MAX)
		return -EMSGSIZE;
	if (pieces > 1)
		piece = calloc(pieces, sizeof(*piece));
	if (!piece)
		return -ENOMEM;
	free_pieces(out);
	out->piece = piece;
	out->size = (uint16_t)size;
	out->pieces = (uint16_t)pieces;
	return 0;
}

size_t fstream_out_piece_len(const struct fstream_out *out, unsigned int i)
{
	size_t begin = (size_t)i * out->size;

	return out->len - begin < out->size ? out->len - begin : out->size;
}

unsigned int fstream_out_again(struct fstream_out *out)
{
	while (out->piece[out->cursor].state != FSTREAM_PIECE_AGAIN)
		out->cursor++;
	return out->cursor;
}

unsigned int fstream_out_attempts(const struct fstream_out *out)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < out->fresh; i++)
		if (out->piece[i].attempts > most)
			most = out->piece[i].attempts;
	return most;
}

bool fstream_out_can_change(const struct fstream_out *out)
{
	uint16_t unheard = out->edition - out->heard;

	return !out->fresh || unheard + 1 < FSTREAM_EDITIONS / 2;
}

void fstream_out_heard(struct fstream_out *out, uint16_t edition)
{
	if ((int16_t)(edition - out->heard) > 0)
		out->heard = edition;
}

static struct fstream_out **place(const struct fstream_outbox *box, uint64_t number)
{
	return &box->ring[number & (box->room - 1)];
}

static bool resize(struct fstream_outbox *box, uint64_t room)
{
	struct fstream_outbox old = *box;
	struct fstream_out **ring = calloc(room, sizeof(struct fstream_out *));

	if (!ring)
		return false;
	box->ring = ring;
	box->room = room;
	for (uint64_t number = old.oldest; number != old.next; number++)
		*place(box, number) = *place(&old, number);
	free(old.ring);
	return true;
}

/* Makes room for one more message everywhere. */
static bool reserve(struct fstream_outbox *box)
{
	uint32_t count = box->count + 1;

	if (box->next - box->oldest == box->room &&
	    !resize(box, box->room ? 2 * box->room : ROOM_MIN))
		return false;
	for (int i = 0; i < FSTREAM_QUEUES; i++)
		if (!fdccp_heap_reserve(&box->queue[i], count))
			return false;
	return fdccp_heap_reserve(&box->deadlines, count);
}

/* Gives back memory that a burst has needed. */
static void shrink(struct fstream_outbox *box)
{
	uint64_t room = box->room;

	while (room > ROOM_MIN && box->next - box->oldest < room / 4)
		room /= 2;
	if (room != box->room)
		resize(box, room);
	fdccp_heap_shrink(&box->deadlines, box->count);
	for (int i = 0; i < FSTREAM_QUEUES; i++)
		fdccp_heap_shrink(&box->queue[i], box->count);
}

static int64_t order(const struct fstream_out *out)
{
	uint64_t number = out->number & ((UINT64_C(1) << NUMBER_BITS) - 1);

	return (int64_t)((uint64_t)(PRIORITY_MAX - out->priority) << NUMBER_BITS | number);
}

/* Puts a message into its queue, or to its place there. A stalled one stays where it is. */
static void put(struct fstream_outbox *box, struct fstream_out *out)
{
	if (out->wanted && out->queue != FSTREAM_STALLED)
		fdccp_heap_set(&box->queue[out->queue], &out->by_order, order(out));
}

static void take(struct fstream_outbox *box, struct fstream_out *out)
{
	fdccp_heap_remove(&box->queue[out->queue], &out->by_order);
	out->queue = FSTREAM_READY;
}

static void enter(struct fstream_outbox *box, struct fstream_out *out)
{
	*place(box, out->number) = out;
	fdccp_heap_set(&box->deadlines, &out->by_deadline, out->deadline);
	put(box, out);
	box->count++;
	box->memory += out->len;
	box->backlog += out->wanted;
}

static void leave(struct fstream_outbox *box, struct fstream_out *out)
{
	*place(box, out->number) = NULL;
	fdccp_heap_remove(&box->deadlines, &out->by_deadline);
	take(box, out);
	box->count--;
	box->memory -= out->len;
	box->backlog -= out->wanted;
}

int fstream_outbox_add(struct fstream_outbox *box, struct fstream_out *out)
{
	if (!reserve(box))
		return -ENOMEM;
	out->number = box->next++;
	enter(box, out);
	return 0;
}

struct fstream_out *fstream_outbox_find(const struct fstream_outbox *box, uint64_t number)
{
	return number >= box->oldest && number < box->next ? *place(box, number) : NULL;
}

void fstream_outbox_remove(struct fstream_outbox *box, struct fstream_out *out)
{
	leave(box, out);
	while (box->oldest != box->next && !*place(box, box->oldest))
		box->oldest++;
	shrink(box);
}

void fstream_outbox_replace(struct fstream_outbox *box, struct fstream_out *old,
			    struct fstream_out *new)
{
	new->number = old->number;
	new->submitted = old->submitted;
	new->deadline = old->deadline;
	new->user = old->user;
	new->priority = old->priority;
	new->stale = old->stale;
	new->edition = old->edition + (old->fresh > 0);
	new->heard = old->heard;
	leave(box, old);
	fstream_out_free(old);
	enter(box, new);
}

void fstream_outbox_prioritize(struct fstream_outbox *box, struct fstream_out *out,
			       uint8_t priority)
{
	out->priority = priority;
	put(box, out);
}

void fstream_outbox_move(struct fstream_outbox *box, struct fstream_out *out,
			 enum fstream_queue queue)
{
	take(box, out);
	out->queue = (uint8_t)queue;
	put(box, out);
}

void fstream_outbox_stall(struct fstream_outbox *box, struct fstream_out *out, int64_t until)
{
	take(box, out);
	out->queue = FSTREAM_STALLED;
	fdccp_heap_set(&box->queue[FSTREAM_STALLED], &out->by_order, until);
}

/* The bytes of piece @i are to be sent, or not any more. */
static void want(struct fstream_outbox *box, struct fstream_out *out, unsigned int i)
{
	uint32_t len = (uint32_t)fstream_out_piece_len(out, i);

	out->wanted += len;
	box->backlog += len;
	put(box, out);
}

static void unwant(struct fstream_outbox *box, struct fstream_out *out, unsigned int i)
{
	uint32_t len = (uint32_t)fstream_out_piece_len(out, i);

	out->wanted -= len;
	box->backlog -= len;
	if (!out->wanted)
		take(box, out);
}

void fstream_outbox_sent(struct fstream_outbox *box, struct fstream_out *out, unsigned int i,
			 uint64_t handle)
{
	struct fstream_piece *piece = &out->piece[i];

	if (piece->state == FSTREAM_PIECE_AGAIN)
		out->again--;
	else
		out->fresh++;
	piece->state = FSTREAM_PIECE_FLIGHT;
	piece->handle = (uint32_t)handle;
	if (piece->attempts < ATTEMPTS_MAX)
		piece->attempts++;
	unwant(box, out, i);
}

void fstream_outbox_again(struct fstream_outbox *box, struct fstream_out *out, unsigned int i,
			  enum fstream_end cause)
{
	out->piece[i].state = FSTREAM_PIECE_AGAIN;
	out->piece[i].cause = (uint8_t)cause;
	out->again++;
	if (i < out->cursor)
		out->cursor = (uint16_t)i;
	want(box, out, i);
}

void fstream_outbox_done(struct fstream_outbox *box, struct fstream_out *out, unsigned int i)
{
	struct fstream_piece *piece = &out->piece[i];

	if (piece->state == FSTREAM_PIECE_AGAIN) {
		out->again--;
		unwant(box, out, i);
	}
	piece->state = FSTREAM_PIECE_DONE;
	out->done++;
}

struct fstream_out *fstream_outbox_first(const struct fstream_outbox *box,
					 enum fstream_queue queue)
{
	struct fdccp_heap_entry *entry = fdccp_heap_first(&box->queue[queue]);

	if (!entry)
		return NULL;
	return (struct fstream_out *)((char *)entry - offsetof(struct fstream_out, by_order));
}

struct fstream_out *fstream_outbox_due(const struct fstream_outbox *box)
{
	struct fdccp_heap_entry *entry = fdccp_heap_first(&box->deadlines);

	if (!entry)
		return NULL;
	return (struct fstream_out *)((char *)entry - offsetof(struct fstream_out, by_deadline));
}

void fstream_outbox_free(struct fstream_outbox *box)
{
	for (uint64_t number = box->oldest; number != box->next; number++)
		if (*place(box, number))
			fstream_out_free(*place(box, number));
	free(box->ring);
	fdccp_heap_free(&box->deadlines);
	for (int i = 0; i < FSTREAM_QUEUES; i++)
		fdccp_heap_free(&box->queue[i]);
	*box = (struct fstream_outbox){ 0 };
}
