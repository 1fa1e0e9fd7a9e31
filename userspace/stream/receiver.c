// SPDX-License-Identifier: GPL-2.0-or-later
/* The receiver: the sender's frames, acknowledgments of gaps, reports. */
#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "order.h"
#include "stream.h"

#define NS_PER_US	1000
#define UNFINISHED_ANY	UINT16_MAX	/* says nothing about older messages */
#define REPORT_INTERVAL	INT64_C(1000000000)
#define GAIN		8		/* of the mean one-way latency: 1/8 */
/* The sender repeats what it has heard nothing of for a round trip and a quarter, and 10 ms at least. */
#define TAIL_PART	16
#define TAIL_MIN	INT64_C(1000000)

/**
 * struct receiver - a receiver's state
 * @inbox: messages of which pieces are missing
 * @delivery: messages that are whole
 * @clock: the sender's clock
 * @timed: one after the greatest number whose submission @clock has learnt
 * @given: the message of the last event
 * @lifetime: of the newest message, ns
 * @one_way: mean one-way latency, ns
 * @samples: messages in it, up to GAIN
 * @gap: a gap was acknowledged, and is still there
 * @fresh: something has arrived since
 * @acknowledge_at: when the next acknowledgment of a gap is allowed
 * @tail_at: when what has arrived is acknowledged without a gap, or FDCCP_NEVER
 * @ccid: the sender's rate control
 * @reported: sum of the totals in the last report
 * @report_at: when the next report is allowed
 * @final: the sender has finished, with
 * @count: messages
 * @answered: the final report was posted
 * @told: FSTREAM_EVENT_FINISHED was given
 */
struct receiver {
	struct fstream_inbox inbox;
	struct fstream_delivery delivery;
	struct fstream_clock clock;
	uint64_t timed;
	struct fstream_in *given;
	int64_t lifetime;
	int64_t one_way;
	unsigned int samples;
	bool gap, fresh;
	int64_t acknowledge_at, tail_at;
	uint8_t ccid;
	uint64_t reported;
	int64_t report_at;
	bool final;
	uint64_t count;
	bool answered;
	bool told;
};

static int receiver_open(struct fstream *s, int64_t now)
{
	struct receiver *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	fstream_inbox_init(&r->inbox, &s->config);
	r->delivery.order = s->config.order;
	r->report_at = now + REPORT_INTERVAL;
	r->tail_at = FDCCP_NEVER;
	s->state = r;
	return 0;
}

static void forget_given(struct receiver *r)
{
	if (r->given)
		fstream_inbox_drop(&r->inbox, r->given);
	r->given = NULL;
}

static void receiver_close(struct fstream *s)
{
	struct receiver *r = s->state;

	forget_given(r);
	fstream_delivery_free(&r->delivery, &r->inbox);
	fstream_inbox_free(&r->inbox);
	free(r);
}

/* Numbers before @oldest end without a message, unless they have one. */
static void skip(struct fstream *s, uint64_t oldest)
{
	struct receiver *r = s->state;

	s->totals.missing += fstream_inbox_skip(&r->inbox, oldest);
}

/* Until the sender knows how long its pieces take, the handshake has to do. */
static void look_at_path(const struct fstream *s)
{
	struct receiver *r = s->state;
	struct fdccp_measure measure;

	s->link.measure(s->link.context, &measure);
	fstream_clock_guess(&r->clock, measure.rtt_min / 2);
	r->ccid = measure.peer_ccid;
}

static void learn_time(struct fstream *s, const struct fstream_frame *frame, uint64_t number,
		       int64_t now)
{
	struct receiver *r = s->state;

	if (number < r->timed)
		return;
	r->timed = number + 1;
	fstream_clock_learn(&r->clock, frame->submitted, now);
	r->lifetime = (int64_t)frame->lifetime * NS_PER_US;
	if (!r->clock.way)
		look_at_path(s);
	fstream_clock_way(&r->clock, s->peer.way, now);
}

static int64_t srtt_of(const struct fstream *s)
{
	return s->peer.srtt ? s->peer.srtt : FSTREAM_RTT_DEFAULT;
}

/* A part of a round trip. After an outage, its mean is useless, and the fastest one is not. */
static int64_t tail_wait(const struct fstream *s)
{
	const struct receiver *r = s->state;
	int64_t least = r->clock.way ? 2 * r->clock.way : srtt_of(s);
	int64_t wait = (srtt_of(s) < least ? srtt_of(s) : least) / TAIL_PART;

	return wait > TAIL_MIN ? wait : TAIL_MIN;
}

/* Something arrived. CCID 3 reports at most once in a round trip, and what comes just behind a report,
 * before a pause, two round trips later (RFC 4342 section 10.3). So what has no successor for a while
 * is acknowledged.
 */
static void note_tail(struct fstream *s, int64_t now)
{
	struct receiver *r = s->state;

	r->fresh = true;
	if (r->ccid == FDCCP_CCID3)
		r->tail_at = now + tail_wait(s);
}

static void add_sample(struct receiver *r, int64_t one_way)
{
	if (r->samples < GAIN)
		r->samples++;
	r->one_way += (one_way - r->one_way) / (int64_t)r->samples;
}

/* All pieces of a message are here. */
static void complete(struct fstream *s, struct fstream_in *m, int64_t now)
{
	struct receiver *r = s->state;

	m->arrived = now;
	m->late = fstream_delivery_late(&r->delivery, m, now);
	add_sample(r, now - m->submitted);
	if (m->late)
		s->totals.late++;
	else
		s->totals.on_time++;
	/* nobody repeats what is too late */
	if (m->late)
		r->tail_at = FDCCP_NEVER;
	if (m->late && !s->config.late)
		fstream_inbox_drop(&r->inbox, m);
	else
		fstream_delivery_add(&r->delivery, m);
}

static enum fstream_took put(struct receiver *r, const struct fstream_frame *frame,
			     uint64_t number, struct fstream_in **message)
{
	if (fstream_inbox_ended(&r->inbox, number))
		return FSTREAM_NEEDLESS;
	if (number - r->inbox.base >= r->inbox.span ||
	    !fstream_delivery_reserve(&r->delivery, r->inbox.kept + 1))
		return FSTREAM_FULL;
	return fstream_inbox_put(&r->inbox, frame, number, message);
}

static void take_piece(struct fstream *s, const struct fstream_frame *frame, uint64_t number,
		       int64_t now)
{
	struct receiver *r = s->state;
	struct fstream_in *m;
	enum fstream_took took = put(r, frame, number, &m);

	s->totals.pieces++;
	s->totals.repeats += frame->attempt > 0;
	s->totals.bytes += frame->len;
	*(frame->damaged ? &s->totals.bytes_damaged : &s->totals.bytes_whole) += frame->len;
	s->totals.needless += took == FSTREAM_NEEDLESS;
	s->totals.full += took == FSTREAM_FULL;
	/* before any packet acknowledges it */
	if (took == FSTREAM_FULL)
		s->link.drop(s->link.context);
	if (took == FSTREAM_NEEDLESS || took == FSTREAM_FULL)
		return;
	if (m->have == 1) {
		m->submitted = fstream_clock_here(&r->clock, frame->submitted);
		m->lifetime = (int64_t)frame->lifetime * NS_PER_US;
	}
	if (took == FSTREAM_TOOK_LAST)
		complete(s, m, now);
}

/* Whether the numbers of a frame can be right. */
static bool plausible(const struct receiver *r, uint64_t number, uint64_t unfinished)
{
	return number <= INT64_MAX && unfinished <= number &&
	       number < r->inbox.top + FSTREAM_INBOX_JUMP;
}

static bool take_message(struct fstream *s, const struct fstream_frame *frame, int64_t now)
{
	struct receiver *r = s->state;
	uint64_t number = fstream_frame_extend(frame->number, r->inbox.top);
	bool any = frame->unfinished == UNFINISHED_ANY;

	if (!plausible(r, number, any ? 0 : frame->unfinished) ||
	    (r->final && number >= r->count) ||
	    !fstream_inbox_allows(&r->inbox, frame, number))
		return false;
	learn_time(s, frame, number, now);
	if (!any)
		skip(s, number - frame->unfinished);
	take_piece(s, frame, number, now);
	return true;
}

/* What a report says only grows. */
static uint64_t report_sum(const struct fstream *s)
{
	return s->totals.on_time + s->totals.late + s->totals.missing;
}

/* The stream has @count messages. Return: whether that agrees with what has arrived. */
static bool finish(struct fstream *s, uint64_t count)
{
	struct receiver *r = s->state;

	if (r->final)
		return count == r->count;
	if (count < r->inbox.top)
		return false;
	r->final = true;
	r->count = count;
	skip(s, count);
	return true;
}

static bool take_skip(struct fstream *s, const struct fstream_frame *frame)
{
	struct receiver *r = s->state;
	uint64_t oldest = fstream_frame_extend(frame->number, r->inbox.top);

	if (!plausible(r, oldest, 0) || (r->final && oldest > r->count))
		return false;
	if (frame->flags & FSTREAM_FINAL)
		return finish(s, oldest);
	skip(s, oldest);
	return true;
}

static bool receiver_frame(struct fstream *s, const struct fstream_frame *frame, int64_t now)
{
	forget_given(s->state);
	note_tail(s, now);
	switch (frame->type) {
	case FSTREAM_TERMS:
		return true;
	case FSTREAM_MESSAGE:
		return take_message(s, frame, now);
	case FSTREAM_SKIP:
		return take_skip(s, frame);
	default:
		return false;
	}
}

/* Nothing more can arrive. What waits for its time comes before it, because the stream may be freed
 * after its last event.
 */
static void receiver_handle(struct fstream *s, const struct fdccp_event *event, int64_t now)
{
	struct receiver *r = s->state;

	(void)now;
	if (event->type != FDCCP_EVENT_CLOSED)
		return;
	skip(s, r->inbox.top);
	fstream_delivery_flush(&r->delivery);
}

static void receiver_fill(struct fstream *s, struct fstream_frame *frame, int64_t now)
{
	(void)now;
	frame->on_time = (uint32_t)s->totals.on_time;
	frame->late = (uint32_t)s->totals.late;
	frame->missing = (uint32_t)s->totals.missing;
}

static bool must_report(const struct fstream *s, const struct receiver *r)
{
	return s->open && r->reported != report_sum(s);
}

static void report(struct fstream *s, int64_t now)
{
	struct receiver *r = s->state;

	if (!must_report(s, r) || now < r->report_at)
		return;
	r->reported = report_sum(s);
	r->report_at = now + REPORT_INTERVAL;
	fstream_post(s, FSTREAM_REPORT, 0);
}

/* The sender closes the connection after the final report, so nothing waits for its time then. */
static void answer(struct fstream *s)
{
	struct receiver *r = s->state;

	if (!r->final || r->answered || r->delivery.by_number.count ||
	    (s->slow && r->delivery.first))
		return;
	r->answered = true;
	r->reported = report_sum(s);
	fstream_post(s, FSTREAM_REPORT, FSTREAM_FINAL);
}

/* When what has arrived is acknowledged, in addition to what the rate control does. */
static int64_t acknowledge_timer(const struct fstream *s)
{
	const struct receiver *r = s->state;

	if (!s->open || !r->fresh)
		return FDCCP_NEVER;
	return fstream_inbox_gap(&r->inbox) ? r->acknowledge_at : r->tail_at;
}

/* How long a gap waits for its next acknowledgment: not long, because this one may be lost, and the
 * window of CCID 2 waits for the next one. A fixed rate does not wait, so its later ones are fewer.
 */
static int64_t gap_wait(const struct fstream *s)
{
	const struct receiver *r = s->state;

	return srtt_of(s) / (r->gap && r->ccid == FDCCP_CCID_FIXED ? 2 : 4);
}

/* Tells the sender of a gap at once, and then what has arrived while something is missing. */
static void acknowledge(struct fstream *s, int64_t now)
{
	struct receiver *r = s->state;
	bool gap = fstream_inbox_gap(&r->inbox);

	if (!gap)
		r->acknowledge_at = now;
	if (acknowledge_timer(s) <= now) {
		if (gap)
			r->acknowledge_at = now + gap_wait(s);
		r->fresh = false;
		s->link.acknowledge(s->link.context, now);
	}
	r->gap = gap;
}

static int64_t latency(const struct fstream *s)
{
	return s->config.latency ? s->config.latency : s->peer.latency;
}

static void receiver_advance(struct fstream *s, int64_t now)
{
	struct receiver *r = s->state;

	forget_given(r);
	fstream_delivery_terms(&r->delivery, s->mine.lifetime, latency(s));
	fstream_delivery_run(&r->delivery, &r->inbox, now);
	acknowledge(s, now);
	answer(s);
	report(s, now);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t receiver_next_timer(const struct fstream *s)
{
	const struct receiver *r = s->state;
	int64_t next = fstream_delivery_timer(&r->delivery, &r->inbox);

	next = earlier(next, acknowledge_timer(s));
	return must_report(s, r) ? earlier(next, r->report_at) : next;
}

static void fill_event(const struct receiver *r, struct fstream_event *event)
{
	const struct fstream_in *m = r->given;

	*event = (struct fstream_event){
		.type = FSTREAM_EVENT_MESSAGE,
		.number = m->number,
		.data = fstream_in_data(m),
		.len = fstream_in_len(m),
		.submitted = m->submitted,
		.deadline = fstream_delivery_deadline(&r->delivery, m),
		.attempts = m->attempts,
		.late = m->late,
		.damaged = m->damaged,
		.arrived = m->arrived,
	};
}

static bool finished(const struct receiver *r)
{
	return r->final && !r->told && !r->inbox.kept;
}

static bool receiver_event(struct fstream *s, struct fstream_event *event)
{
	struct receiver *r = s->state;

	forget_given(r);
	r->given = s->slow ? NULL : fstream_delivery_take(&r->delivery);
	if (r->given) {
		s->totals.delivered++;
		s->totals.damaged += r->given->damaged;
		fill_event(r, event);
		return true;
	}
	if (!finished(r))
		return false;
	r->told = true;
	*event = (struct fstream_event){ .type = FSTREAM_EVENT_FINISHED };
	return true;
}

void fstream_receiver_resume(struct fstream *s, int64_t now)
{
	struct receiver *r = s->state;

	if (!s->config.late)
		s->totals.overdue += fstream_delivery_expire(&r->delivery, &r->inbox, now);
	fstream_advance(s, now);
}

static void receiver_info(const struct fstream *s, struct fstream_info *info)
{
	const struct receiver *r = s->state;
	int64_t wish = s->mine.lifetime;

	info->lifetime = wish && (!r->lifetime || wish < r->lifetime) ? wish : r->lifetime;
	info->latency = latency(s) ? latency(s) : info->lifetime;
	info->srtt = s->peer.srtt;
	info->one_way = r->one_way;
	info->memory = r->inbox.memory;
}

const struct fstream_role fstream_receiver = {
	.open = receiver_open,
	.close = receiver_close,
	.handle = receiver_handle,
	.frame = receiver_frame,
	.fill = receiver_fill,
	.next_timer = receiver_next_timer,
	.advance = receiver_advance,
	.event = receiver_event,
	.info = receiver_info,
};
