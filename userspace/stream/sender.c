// SPDX-License-Identifier: GPL-2.0-or-later
/* A sender: what the program asks of it, and what it tells the program. */
#include <errno.h>
#include <stdlib.h>

#include "sender.h"

/* numbers from the oldest message to the next: for each of config.messages, and at least */
#define NUMBERS_A_MESSAGE	UINT64_C(4)
#define NUMBERS_MIN		UINT64_C(4096)

static int sender_open(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = calloc(1, sizeof(*tx));

	if (!tx)
		return -ENOMEM;
	tx->control = fstream_controller(s->config.control);
	tx->terms_at = now;
	tx->sampled_at = now;
	fstream_expiry_restart(&tx->expiry, now);
	s->state = tx;
	return 0;
}

static struct fstream_out *take_ended(struct fstream_tx *tx)
{
	struct fstream_out *out = tx->first_ended;

	if (out)
		tx->first_ended = out->next;
	return out;
}

static void sender_close(struct fstream *s)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out;

	while ((out = take_ended(tx)))
		fstream_out_free(out);
	fstream_outbox_free(&tx->box);
	fstream_flight_free(&tx->flight);
	free(tx);
}

static bool has_room(const struct fstream *s, size_t len)
{
	const struct fstream_outbox *box = &fstream_tx(s)->box;
	uint64_t numbers = NUMBERS_A_MESSAGE * s->config.messages;

	if (numbers < NUMBERS_MIN)
		numbers = NUMBERS_MIN;
	return box->count < s->config.messages && box->next - box->oldest < numbers &&
	       box->memory + len <= s->config.memory;
}

void fstream_tx_end(struct fstream *s, struct fstream_out *out, enum fstream_end end)
{
	struct fstream_tx *tx = fstream_tx(s);

	fstream_outbox_remove(&tx->box, out);
	s->totals.end[end]++;
	out->end = (uint8_t)end;
	out->next = NULL;
	if (tx->first_ended)
		tx->last_ended->next = out;
	else
		tx->first_ended = out;
	tx->last_ended = out;
	if (end != FSTREAM_END_ACKNOWLEDGED && out->number >= tx->given_up)
		tx->given_up = out->number + 1;
}

/* The lifetime of the stream: the program's, or a longer one that it allows. */
static int64_t own_lifetime(const struct fstream *s)
{
	const struct fstream_tx *tx = fstream_tx(s);
	int64_t own = s->config.lifetime;

	if (own == FSTREAM_ANY)
		own = 2 * (tx->srtt ? tx->srtt : FSTREAM_RTT_DEFAULT);
	return own > tx->longer ? own : tx->longer;
}

/* The receiver may want a shorter one. */
int64_t fstream_tx_lifetime(const struct fstream *s, int64_t wish)
{
	if (wish == FSTREAM_ANY)
		wish = own_lifetime(s);
	return s->peer.lifetime && s->peer.lifetime < wish ? s->peer.lifetime : wish;
}

/* Makes room for a message, if it can. Return: whether there is room. */
static bool make_room(struct fstream *s, size_t len, int64_t now)
{
	if (has_room(s, len))
		return true;
	fstream_tx_expire(s, now);
	fstream_tx_cancel_past(s, now);
	return has_room(s, len);
}

/* There may be room again for the message that there was none for. */
static void look_at_room(struct fstream *s, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);

	if (!tx->starved || !has_room(s, tx->starved) ||
	    fstream_throttle_when(&tx->throttle, tx->starved) > now)
		return;
	tx->starved = 0;
	tx->ready = true;
}

static int add(struct fstream *s, const void *data, size_t len,
	       const struct fstream_message *message, int64_t now)
{
	struct fstream_tx *tx = fstream_tx(s);
	struct fstream_out *out = fstream_out_new(data, len);
	int err;

	if (!out)
		return -ENOMEM;
	out->submitted = now;
	out->deadline = tx->control->deadlines ? 
		now + fstream_tx_lifetime(s, message->lifetime) : FDCCP_NEVER;
	out->priority = message->priority;
	out->stale = (uint8_t)message->stale;
	out->user = message->user;
	err = fstream_outbox_add(&tx->box, out);
	if (err)
		fstream_out_free(out);
	return err;
}

int fstream_sender_submit(struct fstream *s, const void *data, size_t len,
			  const struct fstream_message *message, int64_t now, uint64_t *number)
{
	static const struct fstream_message defaults = { .stale = FRESHLINK_DISCARD };
	struct fstream_tx *tx = fstream_tx(s);
	int err;

	if (tx->finishing)
		return -ESHUTDOWN;
	if (fstream_throttle_when(&tx->throttle, len) > now || !make_room(s, len, now)) {
		tx->starved = len;
		return -EAGAIN;
	}
	err = add(s, data, len, message ? message : &defaults, now);
	if (err)
		return err;
	s->totals.submitted++;
	fstream_expiry_taken(&tx->expiry, len);
	fstream_throttle_taken(&tx->throttle, len, now);
	if (number)
		*number = tx->box.next - 1;
	fstream_advance(s, now);
	return 0;
}

int fstream_sender_cancel(struct fstream *s, uint64_t number, int64_t now)
{
	struct fstream_out *out = fstream_outbox_find(&fstream_tx(s)->box, number);

	if (!out)
		return -ENOENT;
	fstream_tx_end(s, out, FSTREAM_END_CANCELLED);
	fstream_advance(s, now);
	return 0;
}

int fstream_sender_update(struct fstream *s, uint64_t number, const void *data, size_t len,
			  int64_t now)
{
	struct fstream_outbox *box = &fstream_tx(s)->box;
	struct fstream_out *old = fstream_outbox_find(box, number), *new;

	if (!old)
		return -ENOENT;
	if (!fstream_out_can_change(old))
		return -EBUSY;
	if (box->memory - old->len + len > s->config.memory)
		return -EAGAIN;
	new = fstream_out_new(data, len);
	if (!new)
		return -ENOMEM;
	fstream_outbox_replace(box, old, new);
	fstream_advance(s, now);
	return 0;
}

int fstream_sender_prioritize(struct fstream *s, uint64_t number, uint8_t priority)
{
	struct fstream_outbox *box = &fstream_tx(s)->box;
	struct fstream_out *out = fstream_outbox_find(box, number);

	if (!out)
		return -ENOENT;
	fstream_outbox_prioritize(box, out, priority);
	return 0;
}

void fstream_sender_finish(struct fstream *s, int64_t now)
{
	fstream_tx(s)->finishing = true;
	fstream_advance(s, now);
}

void fstream_sender_forget_longer(struct fstream *s)
{
	fstream_tx(s)->longer = 0;
}

static void close_all(struct fstream *s)
{
	struct fstream_outbox *box = &fstream_tx(s)->box;

	while (box->count)
		fstream_tx_end(s, fstream_outbox_find(box, box->oldest), FSTREAM_END_CLOSED);
}

static void sender_handle(struct fstream *s, const struct fdccp_event *event, int64_t now)
{
	switch (event->type) {
	case FDCCP_EVENT_FATE:
		fstream_tx_fate(s, event, now);
		break;
	case FDCCP_EVENT_NOTICE:
		fstream_tx_notice(s, event, now);
		break;
	case FDCCP_EVENT_READY:
		fstream_tx(s)->full = false;
		break;
	case FDCCP_EVENT_MOVED:
		fstream_tx_forget_path(fstream_tx(s));
		fstream_tx_restart_expiry(fstream_tx(s), now);
		break;
	case FDCCP_EVENT_CLOSED:
		close_all(s);
		break;
	default:
		break;
	}
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t sender_next_timer(const struct fstream *s)
{
	const struct fstream_tx *tx = fstream_tx(s);
	int64_t next = fstream_tx_expire_timer(s);

	if (!s->open)
		return next;
	next = earlier(next, fstream_tx_infer_timer(s));
	next = earlier(next, fstream_tx_wake_timer(s));
	next = earlier(next, fstream_tx_admit_timer(tx));
	return earlier(next, fstream_tx_skip_timer(tx));
}

static void sender_advance(struct fstream *s, int64_t now)
{
	fstream_tx_look_at_path(s, now);
	fstream_tx_expire(s, now);
	fstream_tx_infer(s, now);
	fstream_tx_wake(s, now);
	fstream_tx_skip(s, now);
	look_at_room(s, now);
}

static void sender_send(struct fstream *s, int64_t now)
{
	fstream_tx_send(s, now);
	look_at_room(s, now);
	fstream_tx_look_at_rate(fstream_tx(s));
}

static bool tell_end(struct fstream_tx *tx, struct fstream_event *event)
{
	struct fstream_out *out = take_ended(tx);

	if (!out)
		return false;
	*event = (struct fstream_event){
		.type = FSTREAM_EVENT_END,
		.number = out->number,
		.len = out->len,
		.submitted = out->submitted,
		.deadline = out->deadline,
		.sent = out->sent,
		.attempts = fstream_out_attempts(out),
		.end = out->end,
		.user = out->user,
	};
	fstream_out_free(out);
	return true;
}

/* Tells an event without more to say, if it is due. */
static bool tell(bool *due, enum fstream_event_type type, struct fstream_event *event)
{
	if (!*due)
		return false;
	*due = false;
	*event = (struct fstream_event){ .type = type };
	return true;
}

static bool tell_expiry(struct fstream_tx *tx, struct fstream_event *event)
{
	bool due = tell(&tx->expired, FSTREAM_EVENT_EXPIRY, event);

	if (due) {
		event->share = tx->verdict.share;
		event->place = tx->verdict.place;
	}
	return due;
}

static bool sender_event(struct fstream *s, struct fstream_event *event)
{
	struct fstream_tx *tx = fstream_tx(s);

	return tell_end(tx, event) || tell(&tx->ready, FSTREAM_EVENT_READY, event) ||
	       tell(&tx->rate, FSTREAM_EVENT_RATE, event) || tell_expiry(tx, event) ||
	       tell(&tx->finished, FSTREAM_EVENT_FINISHED, event);
}

static void sender_info(const struct fstream *s, struct fstream_info *info)
{
	const struct fstream_tx *tx = fstream_tx(s);
	struct fdccp_measure path;

	s->link.measure(s->link.context, &path);
	info->totals.outstanding = tx->box.count;
	info->srtt = tx->srtt;
	info->rate = path.rate;
	info->backlog = tx->box.backlog;
	info->lifetime = tx->control->deadlines ? fstream_tx_lifetime(s, FSTREAM_ANY) : FSTREAM_ANY;
	info->memory = tx->box.memory;
	info->limit = tx->throttle.limit;
	info->share = tx->verdict.share;
	info->place = tx->verdict.place;
}

const struct fstream_role fstream_sender = {
	.open = sender_open,
	.close = sender_close,
	.handle = sender_handle,
	.frame = fstream_tx_frame,
	.fill = fstream_tx_fill,
	.next_timer = sender_next_timer,
	.advance = sender_advance,
	.send = sender_send,
	.event = sender_event,
	.info = sender_info,
};
