// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of pieces and messages: fates, inference, deadlines. */
#include "sender.h"

/* how long a receiver may keep an acknowledgment back: RFC 4341 section 6, as TCP */
#define ACK_WAIT	INT64_C(200000000)

/* A tail is probed after this time at the earliest. On a shorter path, the answer comes when both ends
 * get a processor, and a timer in each pause of a source costs more than the data. TCP's smallest
 * timeout is a second (RFC 6298).
 */
#define PROBE_MIN	INT64_C(10000000)

static int64_t srtt_of(const struct fstream_tx *tx)
{
	return tx->path.srtt ? tx->path.srtt : FSTREAM_RTT_DEFAULT;
}

/* When a tail is probed, after the last transmission: later than its acknowledgment should come. */
static int64_t tail_timeout(const struct fstream_tx *tx)
{
	int64_t timeout = fstream_timeout(&tx->path), least = srtt_of(tx) + srtt_of(tx) / 4;

	if (least < PROBE_MIN)
		least = PROBE_MIN;
	return timeout > least ? timeout : least;
}

/* The message of a transmission, if it still has the same content. */
static struct fstream_out *message_of(const struct fstream_tx *tx, const struct fstream_sent *sent)
{
	struct fstream_out *out = fstream_outbox_find(&tx->box, sent->number);

	return out && out->edition == sent->edition ? out : NULL;
}

/* Whether the transmission with @handle is the last of a piece whose fate is open. */
static bool is_open(const struct fstream_out *out, const struct fstream_sent *sent, uint64_t handle)
{
	const struct fstream_piece *piece;

	if (!out)
		return false;
	piece = &out->piece[sent->piece];
	return piece->state == FSTREAM_PIECE_FLIGHT && piece->handle == (uint32_t)handle;
}

static enum fstream_verdict may_repeat(const struct fstream *s, const struct fstream_out *out,
				       unsigned int i, int64_t now)
{
	struct fstream_view view = fstream_tx_view(s, out, i, now);

	return fstream_tx(s)->control->repeat(&view);
}

/* A piece did not arrive. Return: whether it will be sent again. */
static bool lost(struct fstream *s, struct fstream_out *out, unsigned int i, enum fstream_end cause,
		 int64_t now)
{
	bool again = may_repeat(s, out, i, now) != FSTREAM_GIVE_UP;

	if (again)
		fstream_outbox_again(&fstream_tx(s)->box, out, i, cause);
	else
		fstream_tx_end(s, out, cause);
	return again;
}

/* Sends a piece again of which nothing was heard, if that may be done now. It may well have
 * arrived, so the message does not end, and nothing waits for the budget. Return: whether it is
 * sent again.
 */
static bool probe(struct fstream *s, struct fstream_out *out, unsigned int i, int64_t now)
{
	if (may_repeat(s, out, i, now) != FSTREAM_SEND)
		return false;
	fstream_outbox_again(&fstream_tx(s)->box, out, i, FSTREAM_END_LOST);
	return true;
}

/* The receiver has what the header said of the messages before it. */
static void learn_unneeded(struct fstream_tx *tx, const struct fstream_sent *sent)
{
	uint64_t before = sent->number - sent->unfinished;

	if (sent->unfinished != UINT16_MAX && before > tx->unneeded)
		tx->unneeded = before;
}

/* The receiver has something of an edition, or of a newer one. */
static void learn_edition(struct fstream_tx *tx, const struct fstream_sent *sent)
{
	struct fstream_out *out = fstream_outbox_find(&tx->box, sent->number);

	if (out)
		fstream_out_heard(out, sent->edition);
}

static void arrived(struct fstream *s, const struct fstream_sent *sent, bool damaged, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out = message_of(tx, sent);

	s->totals.needless += sent->repeated;
	*(damaged ? &s->totals.bytes_damaged : &s->totals.bytes_whole) += sent->len;
	learn_unneeded(tx, sent);
	learn_edition(tx, sent);
	if (out && out->piece[sent->piece].state != FSTREAM_PIECE_DONE) {
		out->sent = sent->at;
		fstream_outbox_done(&tx->box, out, sent->piece);
		if (out->done == out->pieces)
			fstream_tx_end(s, out, FSTREAM_END_ACKNOWLEDGED);
	}
	if (s->config.cancel_on_ack)
		fstream_tx_cancel_past(s, now);
}

static enum fstream_end cause_of(enum fdccp_fate fate)
{
	switch (fate) {
	case FDCCP_FATE_EXPIRED:
		return FSTREAM_END_EXPIRED_HERE;
	case FDCCP_FATE_DISCARDED:
		return FSTREAM_END_DISCARDED;
	case FDCCP_FATE_CUT:
		return FSTREAM_END_CUT;
	default:
		return FSTREAM_END_LOST;
	}
}

/* The receiver had no room for a piece. What it waits for, so that there is room again, goes first:
 * that is no matter of priority, and the oldest message is the likeliest.
 */
static void spare_receiver(struct fstream_tx *tx, struct fstream_out *out, int64_t now)
{
	fstream_outbox_prioritize(&tx->box, out, 0);
	fstream_outbox_stall(&tx->box, out, now + fstream_timeout(&tx->path));
}

/* The fate of a piece that the receiver has not got. */
static void missed(struct fstream *s, struct fstream_out *out, unsigned int i, enum fdccp_fate fate,
		   int64_t now)
{
	/* CLOSED follows, or the peer does not report each packet yet */
	if (fate == FDCCP_FATE_UNKNOWN)
		probe(s, out, i, now);
	else if (lost(s, out, i, cause_of(fate), now) && fate == FDCCP_FATE_DROPPED)
		spare_receiver(fstream_tx(s), out, now);
}

/* A round-trip time was measured with this packet. The last piece of several may be shorter than the
 * first, by which the receiver knows the time.
 */
static void note_rtt(struct fstream *s, const struct fstream_sent *sent,
		     const struct fdccp_event *event, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	const struct fstream_out *out = sent ? message_of(tx, sent) : NULL;

	if (out)
		fstream_tx_note_rtt(s, out, sent, event->rtt);

	if (event->handle >= FSTREAM_HANDLE_POST)
		fstream_tx_small_rtt(tx, event->rtt, now);
	else if (out && (!sent->piece || sent->piece + 1 < out->pieces))
		fstream_tx_piece_rtt(tx, event->rtt, now);
}

void fstream_tx_fate(struct fstream *s, const struct fdccp_event *event, int64_t now)
{
	bool acknowledged = event->fate == FDCCP_FATE_ACKNOWLEDGED ||
			    event->fate == FDCCP_FATE_MARKED;
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_sent *found = fstream_flight_find(&tx->flight, event->handle);
	struct fstream_sent sent;
	struct fstream_out *out;

	if (event->rtt)
		note_rtt(s, found, event, now);
	if (!found)
		return;
	sent = *found;
	fstream_flight_close(&tx->flight, event->handle, acknowledged, now);
	fstream_tx_note_fate(s, &sent, event->fate, now);
	out = message_of(tx, &sent);
	if (acknowledged)
		arrived(s, &sent, event->damaged, now);
	else if (is_open(out, &sent, event->handle))
		missed(s, out, sent.piece, event->fate, now);
}

void fstream_tx_notice(struct fstream *s, const struct fdccp_event *event, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	const struct fstream_sent *sent = fstream_flight_find(&tx->flight, event->handle);
	struct fstream_out *out = sent ? message_of(tx, sent) : NULL;

	if (is_open(out, sent, event->handle))
		missed(s, out, sent->piece, event->fate, now);
}

static void infer_lost(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	const struct fstream_sent *sent;
	struct fstream_out *out;
	uint64_t handle;

	while ((sent = fstream_flight_overtaken(&tx->flight, srtt_of(tx), now, &handle))) {
		out = message_of(tx, sent);
		if (is_open(out, sent, handle))
			lost(s, out, sent->piece, FSTREAM_END_LOST, now);
	}
}

/* Finds the oldest piece of a tail that is worth a probe. */
static void infer_tail(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	const struct fstream_sent *sent;
	struct fstream_out *out;
	uint64_t handle;

	while ((sent = fstream_flight_tail(&tx->flight, tail_timeout(tx), now, &handle))) {
		out = message_of(tx, sent);
		if (is_open(out, sent, handle) && probe(s, out, sent->piece, now))
			tx->flight.last_at = now;
	}
}

void fstream_tx_infer(struct fstream *s, int64_t now)
{
	infer_lost(s, now);
	infer_tail(s, now);
}

int64_t fstream_tx_infer_timer(const struct fstream *s)
{
	const struct fstream_tx *tx = fstream_tx(s);

	return fstream_flight_timer(&tx->flight, srtt_of(tx), tail_timeout(tx));
}

void fstream_tx_wake(struct fstream *s, int64_t now)
{
	struct fstream_outbox *box = &fstream_tx(s)->box;

	while (fstream_tx_wake_timer(s) <= now)
		fstream_outbox_move(box, fstream_outbox_first(box, FSTREAM_STALLED), FSTREAM_READY);
}

int64_t fstream_tx_wake_timer(const struct fstream *s)
{
	const struct fstream_out *out = fstream_outbox_first(&fstream_tx(s)->box, FSTREAM_STALLED);

	return out ? out->by_order.when : FDCCP_NEVER;
}

/* The time of a message is over. What is on the way may arrive in time, so it is waited for. */
static void expire(struct fstream *s, struct fstream_out *out, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	int64_t srtt = srtt_of(tx), wait = fstream_timeout(&tx->path);

	if (!out->pieces || out->fresh < out->pieces) {
		fstream_tx_end_unsent(s, out, FSTREAM_END_EXPIRED, now);
	} else if (out->again) {
		fstream_tx_end(s, out, out->piece[fstream_out_again(out)].cause);
	} else if (out->by_deadline.when > out->deadline) {
		fstream_tx_end(s, out, FSTREAM_END_LOST);
	} else {
		wait += srtt > ACK_WAIT ? srtt : ACK_WAIT;
		fdccp_heap_set(&tx->box.deadlines, &out->by_deadline, out->deadline + wait);
	}
}

void fstream_tx_expire(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out;

	while (tx->control->expire && (out = fstream_outbox_due(&tx->box)) &&
	       out->by_deadline.when <= now)
		expire(s, out, now);
	if (tx->starved)
		fstream_tx_cancel_past(s, now);
}

int64_t fstream_tx_expire_timer(const struct fstream *s)
{
	const struct fstream_tx *tx = fstream_tx(s);
	const struct fstream_out *out = fstream_outbox_due(&tx->box);
	bool wanted = tx->control->expire || (tx->control->cancel_when_full && tx->starved);

	return out && wanted ? out->by_deadline.when : FDCCP_NEVER;
}

void fstream_tx_cancel_past(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out;

	while (tx->control->cancel_when_full && (out = fstream_outbox_due(&tx->box)) &&
	       out->deadline <= now)
		fstream_tx_end(s, out, FSTREAM_END_CANCELLED);
}
