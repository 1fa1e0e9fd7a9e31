// SPDX-License-Identifier: GPL-2.0-or-later
/* How a sender sends pieces: which one, whether, and as what. */
#include <errno.h>
#include <string.h>

#include "sender.h"

#define NS_PER_US	1000

size_t fstream_tx_packet_len(const struct fstream_out *out, unsigned int i)
{
	return FSTREAM_HEADER_LEN + fstream_out_piece_len(out, i);
}

/* The bytes of the message that are to be sent besides piece @i. */
static size_t ahead(const struct fstream_out *out, unsigned int i)
{
	unsigned int state = out->piece[i].state;
	bool wanted = state == FSTREAM_PIECE_NEW || state == FSTREAM_PIECE_AGAIN;

	return out->wanted - (wanted ? fstream_out_piece_len(out, i) : 0);
}

/* How long the way takes at least, as far as this may keep a message from being sent. Nothing tells that
 * the path has become faster while no piece is sent, as after an outage. So a message may always be
 * sent in the first half of its lifetime.
 */
static int64_t least_way(const struct fstream_tx *tx, const struct fstream_out *out)
{
	int64_t least = fstream_tx_least_way(tx), half = (out->deadline - out->submitted) / 2;

	return least < half ? least : half;
}

struct fstream_view fstream_tx_view(const struct fstream *s, const struct fstream_out *out,
				    unsigned int i, int64_t now)
{
	const struct fstream_tx *tx = fstream_tx(s);

	return (struct fstream_view){
		.now = now,
		.deadline = out->deadline,
		.ahead = ahead(out, i),
		.len = fstream_tx_packet_len(out, i),
		.budget = tx->credit / FSTREAM_CREDIT,
		.attempts = out->piece[i].attempts,
		.least = least_way(tx, out),
		.path = &tx->path,
	};
}

/* 0 means on the wire that there is no deadline. */
static uint32_t wire_lifetime(const struct fstream_tx *tx, const struct fstream_out *out)
{
	int64_t us = (out->deadline - out->submitted) / NS_PER_US;

	if (!tx->control->deadlines)
		return 0;
	return us > 0 ? (uint32_t)us : 1;
}

/* What the header of a message says of those before it. */
static uint16_t unfinished(const struct fstream_tx *tx, const struct fstream_out *out)
{
	uint64_t count = out->number - tx->box.oldest;

	return count < UINT16_MAX ? (uint16_t)count : UINT16_MAX;
}

/* Writes a piece with its header. Return: the length. */
static size_t write_piece(const struct fstream_tx *tx, const struct fstream_out *out,
			  unsigned int i, uint8_t *buf)
{
	struct fstream_frame frame = {
		.type = FSTREAM_MESSAGE,
		.flags = out->edition % FSTREAM_EDITIONS,
		.attempt = out->piece[i].attempts,
		.unfinished = unfinished(tx, out),
		.number = (uint32_t)out->number,
		.piece = (uint16_t)i,
		.pieces = out->pieces,
		.submitted = (uint32_t)(out->submitted / NS_PER_US),
		.lifetime = wire_lifetime(tx, out),
	};
	size_t header = fstream_frame_write(&frame, buf), len = fstream_out_piece_len(out, i);

	memcpy(buf + header, out->data + (size_t)i * out->size, len);
	return header + len;
}

/* A repeat was needless if the transmission before it turns out to have arrived. */
static void note_repeat(struct fstream *s, const struct fstream_piece *piece)
{
	const struct fstream_flight *flight = &fstream_tx(s)->flight;
	struct fstream_sent *before = fstream_flight_find(flight, flight->next -
					(uint32_t)((uint32_t)flight->next - piece->handle));

	if (before)
		before->repeated = true;
}

/* A piece was sent. */
static void sent(struct fstream *s, struct fstream_out *out, unsigned int i, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	int64_t len = (int64_t)fstream_tx_packet_len(out, i);

	s->totals.pieces++;
	s->totals.bytes += fstream_out_piece_len(out, i);
	if (out->piece[i].state == FSTREAM_PIECE_AGAIN) {
		s->totals.repeats++;
		tx->credit -= len * FSTREAM_CREDIT;
		note_repeat(s, &out->piece[i]);
	} else {
		tx->credit += len * s->config.overhead;
		if (tx->credit > FSTREAM_CREDIT_MAX)
			tx->credit = FSTREAM_CREDIT_MAX;
	}
	fstream_outbox_sent(&tx->box, out, i, tx->flight.next);
	fstream_flight_add(&tx->flight, &(struct fstream_sent){
		.number = out->number,
		.at = now,
		.piece = (uint16_t)i,
		.len = fstream_out_piece_len(out, i),
		.unfinished = unfinished(tx, out),
		.edition = out->edition,
		.state = FSTREAM_SENT_OPEN,
	});
}

/* What must not be damaged of a packet: its header, and what it has of the message's beginning. */
static uint16_t sensitive(const struct fstream *s, const struct fstream_out *out, unsigned int i)
{
	size_t before = (size_t)i * out->size, len = fstream_out_piece_len(out, i);
	size_t more = s->config.sensitive > before ? s->config.sensitive - before : 0;

	return (uint16_t)(FSTREAM_HEADER_LEN + (more < len ? more : len));
}

/* When routers may discard a packet that is sent now. With a remedy against expiry, that is when the
 * message is stale: with the timeout, packets would expire that may well be in time.
 */
static int64_t stale_at(const struct fstream *s, const struct fstream_view *view)
{
	if (s->config.remedy != FSTREAM_REMEDY_TELL && view->deadline > view->now)
		return view->deadline;
	return fstream_tx(s)->control->stale_at(view);
}

/* Hands a piece to the connection. Return: 0, or as fdccp_send(). */
static int transmit(struct fstream *s, struct fstream_out *out, unsigned int i, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_view view = fstream_tx_view(s, out, i, now);
	struct fdccp_message message = {
		.handle = tx->flight.next,
		.deadline = stale_at(s, &view),
		.stale = out->stale,
		.has_sensitive = s->config.has_sensitive,
		.sensitive = sensitive(s, out, i),
	};
	uint8_t buf[FDCCP_DATAGRAM_MAX];
	int err;

	if (!fstream_flight_reserve(&tx->flight))
		return -ENOMEM;
	err = s->link.send(s->link.context, buf, write_piece(tx, out, i, buf), &message, now);
	if (!err)
		sent(s, out, i, now);
	return err;
}

/* The pieces have become too large for the path. The same content goes as another edition, of which
 * nothing was sent, so that it is cut again.
 */
static void resize(struct fstream *s, struct fstream_out *out)
{
	struct fstream_out *new = NULL;

	if (out->fresh && fstream_out_can_change(out))
		new = fstream_out_new(out->data, out->len);
	if (new)
		fstream_outbox_replace(&fstream_tx(s)->box, out, new);
	else
		fstream_tx_end(s, out, FSTREAM_END_RESIZED);
}

/* Sends a piece. Return: whether to go on with the first message that is ready then. */
static bool try_piece(struct fstream *s, struct fstream_out *out, unsigned int i, int64_t now)
{
	int err = transmit(s, out, i, now);

	switch (err) {
	case 0:
		return true;
	case -EMSGSIZE:
		resize(s, out);
		return true;
	case -EAGAIN:
		fstream_tx(s)->full = true;
		return false;
	default:
		fstream_cannot_send(s, err, now);
		return false;
	}
}

/* Deals with a message of which no piece may be repeated now. */
static bool try_fresh(struct fstream *s, struct fstream_out *out, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_view view;

	if (out->fresh == out->pieces) {
		fstream_outbox_move(&tx->box, out, FSTREAM_HELD);
		return true;
	}
	view = fstream_tx_view(s, out, out->fresh, now);
	if (tx->control->first(&view) == FSTREAM_SEND)
		return try_piece(s, out, out->fresh, now);
	fstream_tx_end_unsent(s, out, FSTREAM_END_NEVER_SENT, now);
	view.now = out->submitted;
	if (tx->control->first(&view) != FSTREAM_SEND)
		fstream_tx_ask_path(s, now);
	return true;
}

/* Deals with a message that has something to send. Repeats come first: what is known to be missing
 * has less time left.
 */
static bool try_message(struct fstream *s, struct fstream_out *out, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_view view;
	unsigned int i;

	if (!out->again)
		return try_fresh(s, out, now);
	i = fstream_out_again(out);
	view = fstream_tx_view(s, out, i, now);
	switch (tx->control->repeat(&view)) {
	case FSTREAM_SEND:
		return try_piece(s, out, i, now);
	case FSTREAM_WAIT:
		return try_fresh(s, out, now);
	default:
		fstream_tx_end(s, out, out->piece[i].cause);
		return true;
	}
}

/* Lets the first message go that waits for the budget, if there is enough now. */
static void release(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out = fstream_outbox_first(&tx->box, FSTREAM_HELD);
	struct fstream_view view;

	if (!out)
		return;
	view = fstream_tx_view(s, out, fstream_out_again(out), now);
	if (tx->control->repeat(&view) != FSTREAM_WAIT)
		fstream_outbox_move(&tx->box, out, FSTREAM_READY);
}

/* Cuts a message of which nothing was sent, to what the path carries now. Return: 0, or as
 * fstream_out_cut().
 */
static int cut(struct fstream *s, struct fstream_out *out)
{
	size_t max = s->link.payload_max(s->link.context);
	size_t size;

	if (max > FDCCP_DATAGRAM_MAX)
		max = FDCCP_DATAGRAM_MAX;
	size = max > FSTREAM_HEADER_LEN ? max - FSTREAM_HEADER_LEN : 0;
	return out->fresh || (size && out->size == size) ? 0 : fstream_out_cut(out, size);
}

void fstream_tx_send(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out;
	bool more = true;
	int err;

	while (more && !tx->full && (out = fstream_outbox_first(&tx->box, FSTREAM_READY))) {
		err = cut(s, out);
		switch (err) {
		case 0:
			more = try_message(s, out, now);
			release(s, now);
			break;
		case -EMSGSIZE:
			fstream_tx_end(s, out, FSTREAM_END_RESIZED);
			break;
		default:
			fstream_cannot_send(s, err, now);
			return;
		}
	}
}
