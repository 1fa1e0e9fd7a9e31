// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "inbox.h"

#define ROOM_MIN	16
/* an empty ring of more numbers is freed */
#define ROOM_IDLE	1024

/* the mark of a number that has ended */
static struct fstream_in ended_mark;

void fstream_inbox_init(struct fstream_inbox *inbox, const struct fstream_config *config)
{
	*inbox = (struct fstream_inbox){
		.span = config->messages > FSTREAM_INBOX_SPAN ? config->messages :
								FSTREAM_INBOX_SPAN,
		.limit = config->messages,
		.memory_max = config->memory,
	};
}

void fstream_inbox_free(struct fstream_inbox *inbox)
{
	fstream_inbox_skip(inbox, inbox->top);
	free(inbox->ring);
	inbox->ring = NULL;
	inbox->room = 0;
	fdccp_heap_free(&inbox->open);
}

static struct fstream_in **slot(const struct fstream_inbox *inbox, uint64_t number)
{
	return &inbox->ring[number & (inbox->room - 1)];
}

static bool inside(const struct fstream_inbox *inbox, uint64_t number)
{
	return number >= inbox->base && number < inbox->top;
}

struct fstream_in *fstream_inbox_at(const struct fstream_inbox *inbox, uint64_t number)
{
	struct fstream_in *m = inside(inbox, number) ? *slot(inbox, number) : NULL;

	return m == &ended_mark ? NULL : m;
}

struct fstream_in *fstream_inbox_first(const struct fstream_inbox *inbox)
{
	struct fdccp_heap_entry *entry = fdccp_heap_first(&inbox->open);

	if (!entry)
		return NULL;
	return (struct fstream_in *)((char *)entry - offsetof(struct fstream_in, by_number));
}

static void leave_open(struct fstream_inbox *inbox, struct fstream_in *m)
{
	fdccp_heap_remove(&inbox->open, &m->by_number);
	fdccp_heap_shrink(&inbox->open, inbox->open.count);
}

void fstream_inbox_pass(struct fstream_inbox *inbox, uint64_t number)
{
	struct fstream_in *m;

	while ((m = fstream_inbox_first(inbox)) && m->number < number)
		leave_open(inbox, m);
}

bool fstream_inbox_ended(const struct fstream_inbox *inbox, uint64_t number)
{
	return number < inbox->base ||
	       (inside(inbox, number) && *slot(inbox, number) == &ended_mark);
}

/* A single message whose pieces arrive in order has no gap. */
bool fstream_inbox_gap(const struct fstream_inbox *inbox)
{
	uint64_t open = inbox->top - inbox->base - inbox->ended;
	const struct fstream_in *newest = fstream_inbox_at(inbox, inbox->top - 1);

	if (newest && newest->have == newest->reach)
		open--;
	return open > 0;
}

static size_t bits_len(uint16_t pieces)
{
	return ((size_t)pieces + 7) / 8;
}

static uint8_t *payload(struct fstream_in *m)
{
	return m->bytes + bits_len(m->pieces);
}

const uint8_t *fstream_in_data(const struct fstream_in *m)
{
	return m->bytes + bits_len(m->pieces);
}

size_t fstream_in_len(const struct fstream_in *m)
{
	return (size_t)(m->pieces - 1) * m->size + m->last;
}

void fstream_inbox_drop(struct fstream_inbox *inbox, struct fstream_in *m)
{
	leave_open(inbox, m);
	inbox->memory -= m->room;
	inbox->kept--;
	free(m);
}

/* Moves the base past numbers that have ended. */
static void settle(struct fstream_inbox *inbox)
{
	while (inbox->base < inbox->top && *slot(inbox, inbox->base) == &ended_mark) {
		*slot(inbox, inbox->base++) = NULL;
		inbox->ended--;
	}
	if (inbox->base == inbox->top && inbox->room > ROOM_IDLE) {
		free(inbox->ring);
		inbox->ring = NULL;
		inbox->room = 0;
	}
}

static void end(struct fstream_inbox *inbox, uint64_t number)
{
	*slot(inbox, number) = &ended_mark;
	inbox->ended++;
}

uint64_t fstream_inbox_skip(struct fstream_inbox *inbox, uint64_t oldest)
{
	uint64_t last = oldest < inbox->top ? oldest : inbox->top, missing = 0;

	for (uint64_t number = inbox->base; number < last; number++) {
		if (fstream_inbox_ended(inbox, number))
			continue;
		if (fstream_inbox_at(inbox, number))
			fstream_inbox_drop(inbox, fstream_inbox_at(inbox, number));
		end(inbox, number);
		missing++;
	}
	settle(inbox);
	if (oldest > inbox->top) {
		missing += oldest - inbox->top;
		inbox->base = inbox->top = oldest;
	}
	return missing;
}

/* Makes room for the numbers from @base to @number. Return: whether there was memory. */
static bool reach(struct fstream_inbox *inbox, uint64_t number)
{
	uint32_t room = inbox->room ? inbox->room : ROOM_MIN;
	struct fstream_in **ring;

	while (room <= number - inbox->base)
		room *= 2;
	if (room != inbox->room) {
		ring = calloc(room, sizeof(struct fstream_in *));
		if (!ring)
			return false;
		for (uint64_t i = inbox->base; i < inbox->top; i++)
			ring[i & (room - 1)] = *slot(inbox, i);
		free(inbox->ring);
		inbox->ring = ring;
		inbox->room = room;
	}
	if (number >= inbox->top)
		inbox->top = number + 1;
	return true;
}

static bool is_last(const struct fstream_frame *frame)
{
	return frame->piece == frame->pieces - 1;
}

/* The least length that a message with this piece has. */
static size_t least_len(const struct fstream_frame *frame)
{
	return is_last(frame) ? frame->pieces * frame->len :
				(size_t)(frame->pieces - 1) * frame->len + 1;
}

/* The payload that a message with this piece may have. If the size of the other pieces is unknown,
 * they take a bit each at least: the bits count in the limit of the memory, too.
 */
static size_t room_for(const struct fstream_frame *frame)
{
	size_t most = (size_t)frame->pieces * frame->len, least = bits_len(frame->pieces);

	if (is_last(frame))
		return frame->len > least ? frame->len : least;
	return most < FSTREAM_MESSAGE_MAX ? most : FSTREAM_MESSAGE_MAX;
}

/* Whether a piece of the same edition goes with those that are here. */
static bool agrees(const struct fstream_in *m, const struct fstream_frame *frame)
{
	size_t size = is_last(frame) ? m->size : frame->len;
	size_t last = is_last(frame) ? frame->len : m->last;

	if (frame->pieces != m->pieces || frame->submitted != m->submitted_us ||
	    frame->lifetime != m->lifetime_us)
		return false;
	if (!is_last(frame) && m->size && m->size != frame->len)
		return false;
	if (is_last(frame) && m->last && m->last != frame->len)
		return false;
	return !size || (last <= size && (m->pieces - 1) * size + last <= FSTREAM_MESSAGE_MAX);
}

/* The first message that has not ended has room beyond the limits, because others may wait for it.
 * Whole messages that wait for their time may have taken this room, too.
 */
static bool has_room(const struct fstream_inbox *inbox, uint64_t number, size_t room, bool is_new)
{
	bool first = number == inbox->base;

	return inbox->memory + room <= inbox->memory_max + (first ? FSTREAM_MESSAGE_MAX : 0) &&
	       inbox->kept + is_new <= inbox->limit + first;
}

/* Makes a message with room for the payload that @frame lets expect. */
static struct fstream_in *make(struct fstream_inbox *inbox, const struct fstream_frame *frame,
			       uint64_t number)
{
	size_t room = room_for(frame);
	struct fstream_in *m;

	if (!has_room(inbox, number, room, true))
		return NULL;
	m = malloc(sizeof(*m) + bits_len(frame->pieces) + room);
	if (!m)
		return NULL;
	*m = (struct fstream_in){
		.number = number,
		.submitted_us = frame->submitted,
		.lifetime_us = frame->lifetime,
		.by_number.index = FDCCP_HEAP_OUT,
		.by_deadline.index = FDCCP_HEAP_OUT,
		.by_submitted.index = FDCCP_HEAP_OUT,
		.edition = frame->flags,
		.pieces = frame->pieces,
		.room = room,
	};
	memset(m->bytes, 0, bits_len(m->pieces));
	inbox->memory += room;
	inbox->kept++;
	return m;
}

/* Makes room for all pieces. Until now only the last one was here. Return: the message or NULL. */
static struct fstream_in *enlarge(struct fstream_inbox *inbox, struct fstream_in *m,
				  const struct fstream_frame *frame)
{
	size_t room = room_for(frame);
	struct fstream_in *larger;

	if (!has_room(inbox, m->number, room - m->room, false))
		return NULL;
	larger = realloc(m, sizeof(*m) + bits_len(m->pieces) + room);
	if (!larger)
		return NULL;
	memmove(payload(larger) + (larger->pieces - 1) * frame->len, payload(larger), larger->last);
	fdccp_heap_moved(&inbox->open, &larger->by_number);
	inbox->memory += room - larger->room;
	larger->room = room;
	*slot(inbox, larger->number) = larger;
	return larger;
}

static bool has(const struct fstream_in *m, uint16_t piece)
{
	return m->bytes[piece / 8] >> piece % 8 & 1;
}

/* Writes a piece to its place. */
static void store(struct fstream_in *m, const struct fstream_frame *frame)
{
	if (is_last(frame))
		m->last = frame->len;
	else
		m->size = frame->len;
	/* as long as the size of the others is not known, the last piece is at the beginning */
	memcpy(payload(m) + frame->piece * m->size, frame->payload, frame->len);
	m->bytes[frame->piece / 8] |= 1 << frame->piece % 8;
	m->have++;
	m->damaged |= frame->damaged;
	if (frame->piece >= m->reach)
		m->reach = frame->piece + 1;
	if (frame->attempt + 1U > m->attempts)
		m->attempts = frame->attempt + 1U;
}

/* Keeps the first piece of a message. Return: the message or NULL. */
static struct fstream_in *put_first(struct fstream_inbox *inbox, const struct fstream_frame *frame,
				    uint64_t number)
{
	struct fstream_in *m = make(inbox, frame, number);

	if (!m)
		return NULL;
	if (!reach(inbox, number) || !fdccp_heap_reserve(&inbox->open, inbox->open.count + 1)) {
		fstream_inbox_drop(inbox, m);
		return NULL;
	}
	*slot(inbox, number) = m;
	fdccp_heap_set(&inbox->open, &m->by_number, (int64_t)number);
	store(m, frame);
	return m;
}

/* Keeps another piece of @m. Return: @m, which may have moved, or NULL. */
static struct fstream_in *put_more(struct fstream_inbox *inbox, const struct fstream_frame *frame,
				   struct fstream_in *m)
{
	if (!is_last(frame) && !m->size)
		m = enlarge(inbox, m, frame);
	if (m)
		store(m, frame);
	return m;
}

/* Keeps a piece of another content than @m's. Return: the message or NULL. */
static struct fstream_in *put_newer(struct fstream_inbox *inbox, const struct fstream_frame *frame,
				    struct fstream_in *m)
{
	uint64_t number = m->number;

	*slot(inbox, number) = NULL;
	fstream_inbox_drop(inbox, m);
	return put_first(inbox, frame, number);
}

/* Whether the piece is here, or its content has been replaced. Editions wrap. */
static bool is_needless(const struct fstream_in *m, const struct fstream_frame *frame)
{
	if (m->edition == frame->flags)
		return has(m, frame->piece);
	return ((frame->flags - m->edition) & 0xf) >= 8;
}

bool fstream_inbox_allows(const struct fstream_inbox *inbox, const struct fstream_frame *frame,
			  uint64_t number)
{
	const struct fstream_in *m = fstream_inbox_at(inbox, number);

	if (least_len(frame) > FSTREAM_MESSAGE_MAX)
		return false;
	return !m || m->edition != frame->flags || agrees(m, frame);
}

enum fstream_took fstream_inbox_put(struct fstream_inbox *inbox, const struct fstream_frame *frame,
				    uint64_t number, struct fstream_in **message)
{
	struct fstream_in *m = fstream_inbox_at(inbox, number);

	if (fstream_inbox_ended(inbox, number) || (m && is_needless(m, frame)))
		return FSTREAM_NEEDLESS;
	if (!m)
		m = put_first(inbox, frame, number);
	else if (m->edition != frame->flags)
		m = put_newer(inbox, frame, m);
	else
		m = put_more(inbox, frame, m);
	if (!m)
		return FSTREAM_FULL;
	*message = m;
	if (m->have < m->pieces)
		return FSTREAM_TOOK;
	leave_open(inbox, m);
	end(inbox, number);
	settle(inbox);
	return FSTREAM_TOOK_LAST;
}
