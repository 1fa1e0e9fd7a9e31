// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define MESSAGES_DEFAULT	1024
#define MESSAGES_LIMIT		(1U << 20)
#define MEMORY_DEFAULT		(4U * FSTREAM_MESSAGE_MAX)
#define ALPHA_DEFAULT		125
#define ALPHA_LIMIT		1000
#define OVERHEAD_DEFAULT	1000
#define OVERHEAD_LIMIT		1000000
/* after a lack of memory, ns */
#define AGAIN			INT64_C(10000000)

static const char *const control_names[] = {
	[FSTREAM_CONTROL_FEASIBLE] = "feasible",
	[FSTREAM_CONTROL_PAPER] = "paper",
	[FSTREAM_CONTROL_RELIABLE] = "reliable",
	[FSTREAM_CONTROL_NONE] = "none",
};

static const char *const place_names[] = {
	[FSTREAM_PLACE_HOST] = "host",
	[FSTREAM_PLACE_ROUTER] = "router",
	[FSTREAM_PLACE_RECEIVER] = "receiver",
};

static const char *const end_names[] = {
	[FSTREAM_END_ACKNOWLEDGED] = "acknowledged",
	[FSTREAM_END_NEVER_SENT] = "never_sent",
	[FSTREAM_END_EXPIRED] = "expired",
	[FSTREAM_END_EXPIRED_HERE] = "expired_here",
	[FSTREAM_END_DISCARDED] = "discarded",
	[FSTREAM_END_CUT] = "cut",
	[FSTREAM_END_LOST] = "lost",
	[FSTREAM_END_CANCELLED] = "cancelled",
	[FSTREAM_END_RESIZED] = "resized",
	[FSTREAM_END_CLOSED] = "closed",
};

void fstream_config_init(struct fstream_config *config, bool sender)
{
	*config = (struct fstream_config){
		.sender = sender,
		.control = FSTREAM_CONTROL_FEASIBLE,
		.lifetime = FSTREAM_ANY,
		.alpha = ALPHA_DEFAULT,
		.overhead = OVERHEAD_DEFAULT,
		.messages = MESSAGES_DEFAULT,
		.memory = MEMORY_DEFAULT,
		.order = FSTREAM_ORDER_ASAP,
		.latency = FSTREAM_ANY,
	};
}

static bool valid_time(int64_t time)
{
	return time >= 0 && time <= FSTREAM_LIFETIME_MAX;
}

static bool valid(const struct fstream_config *config)
{
	return config->control <= FSTREAM_CONTROL_NONE && config->order <= FSTREAM_ORDER_PACED &&
	       config->alpha >= 1 && config->alpha <= ALPHA_LIMIT &&
	       config->overhead <= OVERHEAD_LIMIT && config->messages >= 1 &&
	       config->messages <= MESSAGES_LIMIT && config->memory >= FSTREAM_MESSAGE_MAX &&
	       valid_time(config->lifetime) && valid_time(config->latency) &&
	       config->remedy <= FSTREAM_REMEDY_RATE && valid_time(config->lifetime_max) &&
	       config->sensitive <= FSTREAM_MESSAGE_MAX;
}

int fstream_new(const struct fstream_config *config, const struct fstream_link *link, int64_t now,
		struct fstream **stream)
{
	struct fstream *s;
	int err;

	if (!valid(config))
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->config = *config;
	s->link = *link;
	s->next_post = FSTREAM_HANDLE_POST;
	s->again_at = FDCCP_NEVER;
	s->mine.lifetime = config->sender ? FSTREAM_ANY : config->lifetime;
	s->mine.latency = config->latency;
	s->role = config->sender ? &fstream_sender : &fstream_receiver;
	err = s->role->open(s, now);
	if (err) {
		free(s);
		return err;
	}
	*stream = s;
	return 0;
}

void fstream_free(struct fstream *s)
{
	if (!s)
		return;
	s->role->close(s);
	free(s);
}

static void take_terms(struct fstream *s, const struct fstream_frame *frame)
{
	const struct fstream_terms before = s->peer;

	/* an older frame, overtaken by this one's successor */
	if ((int8_t)(frame->attempt - s->peer.revision) < 0)
		return;
	s->peer = (struct fstream_terms){
		.lifetime = (int64_t)frame->lifetime * 1000,
		.latency = (int64_t)frame->latency * 1000,
		.way = (int64_t)frame->way * 1000,
		.srtt = (int64_t)frame->srtt * 1000,
		.revision = frame->attempt,
	};
	/* times of the path are no wishes */
	if (s->peer.lifetime != before.lifetime || s->peer.latency != before.latency)
		s->terms_changed = true;
}

/* Whether the header of a frame is whole, and the rest may be damaged. */
static bool usable(const struct fstream *s, const struct fdccp_event *event)
{
	return !event->damaged || (s->config.damaged && event->intact >= FSTREAM_HEADER_LEN);
}

static void handle_data(struct fstream *s, const struct fdccp_event *event, int64_t now)
{
	struct fstream_frame frame;

	if (!usable(s, event) || !fstream_frame_read(&frame, event->data, event->len)) {
		s->totals.refused++;
		return;
	}
	frame.damaged = event->damaged;
	if (frame.type == FSTREAM_TERMS)
		take_terms(s, &frame);
	if (!s->role->frame(s, &frame, now))
		s->totals.refused++;
}

static void opened(struct fstream *s)
{
	s->open = true;
	fstream_post(s, FSTREAM_TERMS, 0);
}

void fstream_handle(struct fstream *s, const struct fdccp_event *event, int64_t now)
{
	switch (event->type) {
	case FDCCP_EVENT_DATA:
		handle_data(s, event, now);
		break;
	case FDCCP_EVENT_CONNECTED:
	case FDCCP_EVENT_ACCEPTED:
		opened(s);
		break;
	case FDCCP_EVENT_FATE:
		if (event->handle >= FSTREAM_HANDLE_POST)
			fstream_post_fate(s, event);
		s->role->handle(s, event, now);
		break;
	case FDCCP_EVENT_NOTICE:
		/* what is posted waits for its fate */
		if (event->handle < FSTREAM_HANDLE_POST)
			s->role->handle(s, event, now);
		break;
	case FDCCP_EVENT_CLOSED:
		s->open = false;
		s->closed = true;
		/* fall through */
	default:
		s->role->handle(s, event, now);
		break;
	}
	fstream_advance(s, now);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t fstream_next_timer(const struct fstream *s)
{
	int64_t role = s->role->next_timer(s);

	return s->open ? earlier(role, earlier(fstream_post_timer(s), s->again_at)) : role;
}

void fstream_cannot_send(struct fstream *s, int err, int64_t now)
{
	switch (err) {
	case -EAGAIN:
		break;
	case -EPIPE:
	case -ESHUTDOWN:
		s->open = false;
		break;
	default:
		s->again_at = now + AGAIN;
		break;
	}
}

void fstream_advance(struct fstream *s, int64_t now)
{
	s->again_at = FDCCP_NEVER;
	s->role->advance(s, now);
	if (s->open && fstream_post_send(s, now) && s->role->send)
		s->role->send(s, now);
}

bool fstream_event(struct fstream *s, struct fstream_event *event)
{
	if (s->terms_changed) {
		s->terms_changed = false;
		*event = (struct fstream_event){ .type = FSTREAM_EVENT_TERMS };
		return true;
	}
	return s->role->event(s, event);
}

/* After each call of the program. */
static int changed(struct fstream *s, int result)
{
	if (s->link.changed)
		s->link.changed(s->link.context);
	return result;
}

int fstream_submit(struct fstream *s, const void *data, size_t len,
		   const struct fstream_message *message, int64_t now, uint64_t *number)
{
	if (!s->config.sender || (message && !valid_time(message->lifetime)))
		return -EINVAL;
	if (!len || len > FSTREAM_MESSAGE_MAX)
		return -EMSGSIZE;
	if (s->closed)
		return -ESHUTDOWN;
	return changed(s, fstream_sender_submit(s, data, len, message, now, number));
}

int fstream_cancel(struct fstream *s, uint64_t number, int64_t now)
{
	return s->config.sender ? changed(s, fstream_sender_cancel(s, number, now)) : -ENOENT;
}

int fstream_update(struct fstream *s, uint64_t number, const void *data, size_t len, int64_t now)
{
	if (!s->config.sender)
		return -ENOENT;
	if (!len || len > FSTREAM_MESSAGE_MAX)
		return -EMSGSIZE;
	return changed(s, fstream_sender_update(s, number, data, len, now));
}

int fstream_prioritize(struct fstream *s, uint64_t number, uint8_t priority)
{
	return s->config.sender ? fstream_sender_prioritize(s, number, priority) : -ENOENT;
}

int fstream_set_terms(struct fstream *s, int64_t lifetime, int64_t latency, int64_t now)
{
	if (!valid_time(lifetime) || !valid_time(latency))
		return -EINVAL;
	s->config.lifetime = lifetime;
	s->config.latency = latency;
	if (s->config.sender)
		fstream_sender_forget_longer(s);
	s->mine.lifetime = s->config.sender ? FSTREAM_ANY : lifetime;
	s->mine.latency = latency;
	fstream_post_terms(s);
	fstream_advance(s, now);
	return changed(s, 0);
}

int fstream_set_overhead(struct fstream *s, unsigned int overhead)
{
	if (!s->config.sender || overhead > OVERHEAD_LIMIT)
		return -EINVAL;
	s->config.overhead = overhead;
	return 0;
}

void fstream_slow_receiver(struct fstream *s, bool slow, int64_t now)
{
	if (s->config.sender || s->slow == slow)
		return;
	s->slow = slow;
	s->link.slow_receiver(s->link.context, slow);
	if (!slow)
		fstream_receiver_resume(s, now);
	changed(s, 0);
}

void fstream_finish(struct fstream *s, int64_t now)
{
	if (!s->config.sender)
		return;
	fstream_sender_finish(s, now);
	changed(s, 0);
}

void fstream_set_user(struct fstream *s, void *user)
{
	s->user = user;
}

void *fstream_user(const struct fstream *s)
{
	return s->user;
}

void fstream_info(const struct fstream *s, struct fstream_info *info)
{
	*info = (struct fstream_info){ .totals = s->totals };
	s->role->info(s, info);
}

const char *fstream_end_name(enum fstream_end end)
{
	return end < FSTREAM_ENDS ? end_names[end] : "unknown";
}

const char *fstream_place_name(enum fstream_place place)
{
	return place < FSTREAM_PLACES ? place_names[place] : "unknown";
}

int fstream_control_parse(const char *name, enum fstream_control *control)
{
	for (int i = 0; i <= FSTREAM_CONTROL_NONE; i++) {
		if (strcmp(name, control_names[i]) == 0) {
			*control = i;
			return 0;
		}
	}
	return -EINVAL;
}
