// SPDX-License-Identifier: GPL-2.0-or-later
/* The streams of freshlink send: which message is submitted when, and what became of it. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/epoll.h>

#include "send_parts.h"
#include "traffic.h"
#include "wait.h"

#define GOODBYE		(2 * FL_SEC)	/* for the answer to a Close */
#define GATHER		(FL_MS / 2)

/* Whether a message that finds no room waits. */
static bool waits_when_full(const struct sender *s)
{
	uint64_t control = s->values[CONTROL].number;

	if (s->values[FULL].number != FULL_AUTO)
		return s->values[FULL].number == FULL_WAIT;
	/* datagrams would become older than their deadlines say */
	return (s->has_input && !s->input.is_udp) || control == FSTREAM_CONTROL_PAPER ||
	       control == FSTREAM_CONTROL_RELIABLE;
}

void send_finish(struct sender *s, struct flow *f)
{
	if (f->finished)
		return;
	f->finished = true;
	fdccp_heap_remove(&s->due, &f->due);
	fstream_finish(f->stream, fl_now());
}

/* The first bytes tell the receiver when the message was made. */
static void fill(struct sender *s, const struct flow *f, size_t size)
{
	struct traffic_header header = {
		.magic = htobe32(TRAFFIC_MAGIC),
		.lifetime_ms = htobe32(TRAFFIC_NO_LIFETIME),
		.size = htobe32((uint32_t)size),
		.sequence = htobe32((uint32_t)f->index),
		.sent_ns = htobe64((uint64_t)fl_real()),
	};

	memcpy(s->payload, &header, size < sizeof(header) ? size : sizeof(header));
}

/* Sets when the flow's next message is due. */
static void plan_next(struct sender *s, struct flow *f)
{
	int64_t end = given(s, DURATION) ? s->start + (int64_t)s->values[DURATION].number :
		FL_NEVER;
	int64_t when;

	if (f->full || f->finished)
		return;
	if (f->index >= s->plan.count || s->stopped) {
		send_finish(s, f);
		return;
	}
	when = f->start + send_plan_step(&s->plan, f->index).when;
	if (when >= end)
		send_finish(s, f);
	else
		fdccp_heap_set(&s->due, &f->due, when);
}

static int submit(struct sender *s, struct flow *f, const void *data, const struct send_step *step,
		  int64_t now)
{
	struct fstream_message message = {
		.lifetime = step->lifetime,
		.priority = step->priority,
		.stale = (enum freshlink_stale)s->values[STALE].number,
	};
	int err = fstream_submit(f->stream, data, step->size, &message, now, NULL);

	if (err == -EAGAIN && waits_when_full(s))
		f->full = true;
	return err;
}

/* Submits the message of a flow that is due. */
static void submit_planned(struct sender *s, struct flow *f)
{
	struct send_step step = send_plan_step(&s->plan, f->index);
	int err;

	fdccp_heap_remove(&s->due, &f->due);
	fill(s, f, step.size);
	err = submit(s, f, s->payload, &step, fl_now());
	if (f->full)
		return;
	f->index++;
	s->held_back += err != 0;
	plan_next(s, f);
}

static struct flow *flow_of(struct fdccp_heap_entry *due)
{
	return (struct flow *)((char *)due - offsetof(struct flow, due));
}

/* Submits the first message that is due. Return: whether one was. */
bool send_due(struct sender *s)
{
	struct fdccp_heap_entry *first = fdccp_heap_first(&s->due);

	if (!first || first->when > fl_now())
		return false;
	submit_planned(s, flow_of(first));
	return true;
}

/* Waits for input, or not while it cannot be taken. A pipe that nobody writes any more would tell
 * so again and again, whatever was asked for, if it stayed.
 */
void send_watch_input(struct sender *s, bool wanted)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (s->input_waits == wanted)
		return;
	s->input_waits = wanted;
	epoll_ctl(s->epoll, wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, s->input.fd, &event);
}

/* Submits a message that came from outside. Return: whether there was one. */
static bool submit_input(struct sender *s, struct flow *f, int64_t now)
{
	struct send_input *in = &s->input;
	struct send_step step = { 0 };

	if (f->full || f->finished)
		return false;
	if (s->stopped || (!send_input_read(in) && in->ended)) {
		send_watch_input(s, false);
		send_finish(s, f);
		return false;
	}
	if (!in->len || (!in->is_udp && !in->ended && in->len < in->size))
		return false;
	step.size = (uint32_t)in->len;
	if (submit(s, f, in->data, &step, now) && !f->full)
		s->held_back++;
	send_watch_input(s, !f->full);
	if (!f->full)
		send_input_next(in);
	return true;
}

/* After messages came, the next ones are gathered for a while: together they take fewer system
 * calls, and leave as one message for the kernel. They have one time, so that a receiver that paces
 * them wakes once.
 */
bool send_from_input(struct sender *s)
{
	struct flow *f = &s->flow[0];
	unsigned int count = 0;
	int64_t now;

	if (!s->has_input || !f->stream || f->start == FL_NEVER)
		return false;
	now = fl_now();
	if (now < s->gather && !s->stopped)
		return false;
	while (count < SEND_INPUT_BATCH && submit_input(s, f, now))
		count++;
	if (count == SEND_INPUT_BATCH)
		return true;
	s->gather = count ? now + GATHER : 0;
	return false;
}

static void log_end(struct sender *s, const struct flow *f, const struct fstream_event *e)
{
	if (s->log)
		fprintf(s->log, "%u,%" PRIu64 ",%zu,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
			",%u,%s\n", f->id, e->number, e->len, e->submitted, e->deadline, e->sent,
			fl_now(), e->attempts, fstream_end_name(e->end));
}

/* A lifetime below the round-trip time leaves no time for a repeat. */
static void warn_lifetime(struct sender *s, const struct flow *f, int64_t lifetime)
{
	char text[2][32];
	struct fdccp_measure measure;

	if (s->warned || !fstream_io_conn(f->stream))
		return;
	fdccp_measure(fstream_io_conn(f->stream), &measure);
	if (measure.rtt_min <= lifetime)
		return;
	s->warned = true;
	cli_error(s->args->who, "a lifetime of %s is below the least round-trip time of %s: "
		  "nothing that is lost can be repeated in time",
		  fl_format((uint64_t)lifetime, fl_units_time, text[0], sizeof(text[0])),
		  fl_format((uint64_t)measure.rtt_min / 1000 * 1000, fl_units_time, text[1],
			    sizeof(text[1])));
}

static void take_end(struct sender *s, struct flow *f, const struct fstream_event *e)
{
	int64_t now = fl_now();

	log_end(s, f, e);
	/* the round-trip time is known, or thought to be too long */
	if (e->end == FSTREAM_END_ACKNOWLEDGED || e->end == FSTREAM_END_NEVER_SENT)
		warn_lifetime(s, f, e->deadline - e->submitted);
	if (e->end != FSTREAM_END_ACKNOWLEDGED)
		return;
	spread_add(&s->latency, now - e->submitted);
	spread_add(&s->rtt, now - e->sent);
}

/* Much of what is sent goes stale, and it is no outage. */
static void tell_expiry(const struct sender *s, const struct flow *f, const struct fstream_event *e)
{
	static const char *const where[] = {
		[FSTREAM_PLACE_HOST] = "before they left this host",
		[FSTREAM_PLACE_ROUTER] = "on the way",
		[FSTREAM_PLACE_RECEIVER] = "before they came to the receiver",
	};

	cli_error(s->args->who, "stream %u: %u.%u %% of the last packets went stale, most of them %s%s",
		  f->id, e->share / 10, e->share % 10, where[e->place],
		  s->values[EXPIRY].number == FSTREAM_REMEDY_TELL ?
			  ": --expiry rate sends less, --expiry lifetime lets messages live longer" : "");
}

/* The answer to the Close may get lost, and then nobody is there to answer the next one. So the
 * sender does not wait for it for long, because all is known.
 */
static void say_goodbye(struct sender *s, struct flow *f)
{
	f->done = true;
	s->waiting--;
	s->goodbye = fl_now() + GOODBYE;
	fstream_io_shutdown(f->stream);
}

static void take_stream(struct sender *s, struct flow *f, const struct fstream_event *e)
{
	switch (e->type) {
	case FSTREAM_EVENT_END:
		take_end(s, f, e);
		break;
	case FSTREAM_EVENT_READY:
		f->full = false;
		if (s->has_input)
			send_watch_input(s, true);
		else
			plan_next(s, f);
		break;
	case FSTREAM_EVENT_EXPIRY:
		tell_expiry(s, f, e);
		break;
	case FSTREAM_EVENT_FINISHED:
		say_goodbye(s, f);
		break;
	default:
		break;
	}
}

/* The receiver does not take what was asked for, so nothing is sent to it. */
static void refuse(struct sender *s)
{
	s->stopped = true;
	for (unsigned int i = 0; i < s->flows; i++)
		if (s->flow[i].stream)
			fdccp_abort(fstream_io_conn(s->flow[i].stream), fl_now());
}

/* A connection is open: its plan begins. The plans of several streams are spread over an interval.
 */
static void begin(struct sender *s, struct flow *f)
{
	int64_t part = given(s, INPUT) ? 0 : (int64_t)s->values[INTERVAL].number / s->flows;

	if (given(s, SENSITIVE) && !dccp_takes_partial(s->args, fstream_io_conn(f->stream),
						       s->values[CARRIER].number)) {
		refuse(s);
		return;
	}
	f->start = fl_now() + f->id * part;
	if (s->has_input)
		send_watch_input(s, true);
	else
		plan_next(s, f);
}

/* A receiver that does not answer leaves open what is wrong. */
static void tell_unopened(const struct sender *s, const struct fdccp_event *e)
{
	bool udp = s->values[CARRIER].number == FDCCP_CARRIER_UDP;

	if (e->reason != FDCCP_REASON_TIMEOUT) {
		cli_error(s->args->who, "no connection to %s: %s", s->args->operand,
			  dccp_reason_text(e));
		return;
	}
	cli_error(s->args->who, "no answer from %s in %.0f s: check that freshlink recv runs there "
		  "with --port %u, and that firewalls let %s %u pass", s->args->operand,
		  (double)(fl_now() - s->start) / FL_SEC, (unsigned int)s->values[PORT].number,
		  udp ? "UDP port" : "IP protocol",
		  udp ? (unsigned int)s->values[UDP_PORT].number : IPPROTO_DCCP);
}

static void close_flow(struct sender *s, struct flow *f, const struct fdccp_event *e)
{
	struct fdccp_info connection;
	struct fstream_info info;

	fstream_info(f->stream, &info);
	f->last = info;
	fstream_io_conn_info(f->stream, &connection);
	dccp_told_add(&s->told, &connection);
	if (send_secrecy_add(&s->secrecy, f->stream) && s->secrecy.failures == 1)
		cli_error(s->args->who, "no encryption with %s: %s", s->args->operand,
			  s->secrecy.failure);
	else if (f->start == FL_NEVER && !s->stopped && !s->failed)
		tell_unopened(s, e);
	fdccp_heap_remove(&s->due, &f->due);
	f->finished = true;
	f->stream = NULL;
	s->end = *e;
	s->left--;
	if (f->done)
		return;
	s->waiting--;
	s->failed++;
}

void send_take(struct sender *s, const struct fstream_io_event *e)
{
	struct flow *f = fstream_user(e->stream);

	switch (e->type) {
	case FSTREAM_IO_STREAM:
		take_stream(s, f, &e->event);
		break;
	case FSTREAM_IO_OPEN:
		begin(s, f);
		break;
	case FSTREAM_IO_CLOSED:
		close_flow(s, f, &e->dccp);
		break;
	default:
		break;
	}
}
