// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames without a message. Each says all there is to say, so only the last of a type counts. */
#include "control.h"
#include "stream.h"

#define NS_PER_US	1000
/* A revision that is further from the peer's is an older one to it. */
#define REVISIONS_AHEAD	127

static uint32_t us(int64_t ns)
{
	int64_t value = ns / NS_PER_US;

	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

void fstream_post(struct fstream *s, enum fstream_frame_type type, uint8_t flags)
{
	struct fstream_slot *slot = &s->slot[type];

	slot->wanted = true;
	slot->flags |= flags;
}

void fstream_post_terms(struct fstream *s)
{
	if ((uint8_t)(s->mine.revision - s->heard) < REVISIONS_AHEAD)
		s->mine.revision++;
	fstream_post(s, FSTREAM_TERMS, 0);
}

/* Whether a frame has to wait for the fate of the one before it, because nothing tells the peer
 * which of the two is the newer one.
 */
static bool waits(const struct fstream *s, enum fstream_frame_type type)
{
	const struct fstream_slot *slot = &s->slot[type];

	return type == FSTREAM_TERMS && slot->flight && slot->revision == s->mine.revision;
}

static void fill_terms(const struct fstream *s, struct fstream_frame *frame)
{
	frame->attempt = s->mine.revision;
	frame->lifetime = us(s->mine.lifetime);
	frame->latency = us(s->mine.latency);
	frame->way = us(s->mine.way);
	frame->srtt = us(s->mine.srtt);
}

static int send_slot(struct fstream *s, enum fstream_frame_type type, int64_t now)
{
	struct fstream_frame frame = { .type = type, .flags = s->slot[type].flags };
	struct fdccp_message message = {
		.handle = s->next_post, .deadline = FDCCP_NEVER, .stale = FRESHLINK_FORWARD,
		.has_sensitive = true, .sensitive = FDCCP_SENSITIVE_ALL,
	};
	uint8_t buf[FSTREAM_FRAME_MAX];

	if (type == FSTREAM_TERMS)
		fill_terms(s, &frame);
	else
		s->role->fill(s, &frame, now);
	return s->link.send(s->link.context, buf, fstream_frame_write(&frame, buf), &message,
			    now);
}

/* Frames of which nothing was heard are wanted again, even if no packet can be sent now. */
static void check_flight(struct fstream *s, int64_t now)
{
	for (int type = FSTREAM_SKIP; type <= FSTREAM_REPORT; type++) {
		struct fstream_slot *slot = &s->slot[type];

		if (slot->flight && slot->again_at <= now) {
			slot->flight = false;
			slot->wanted = true;
		}
	}
}

bool fstream_post_send(struct fstream *s, int64_t now)
{
	check_flight(s, now);
	for (int type = FSTREAM_SKIP; type <= FSTREAM_REPORT; type++) {
		struct fstream_slot *slot = &s->slot[type];
		struct fdccp_measure measure;
		int err;

		if (!slot->wanted || waits(s, type))
			continue;
		err = send_slot(s, type, now);
		if (err) {
			fstream_cannot_send(s, err, now);
			return false;
		}
		s->link.measure(s->link.context, &measure);
		slot->wanted = false;
		slot->flight = true;
		slot->handle = s->next_post++;
		slot->revision = s->mine.revision;
		slot->again_at = now + fstream_timeout(&measure);
	}
	return true;
}

static bool arrived(enum fdccp_fate fate)
{
	return fate == FDCCP_FATE_ACKNOWLEDGED || fate == FDCCP_FATE_MARKED;
}

void fstream_post_fate(struct fstream *s, const struct fdccp_event *event)
{
	for (int type = FSTREAM_SKIP; type <= FSTREAM_REPORT; type++) {
		struct fstream_slot *slot = &s->slot[type];

		if (!slot->flight || slot->handle != event->handle)
			continue;
		slot->flight = false;
		if (!arrived(event->fate))
			slot->wanted = true;
		else if (type == FSTREAM_TERMS)
			s->heard = slot->revision;
	}
}

int64_t fstream_post_timer(const struct fstream *s)
{
	int64_t next = FDCCP_NEVER;

	for (int type = FSTREAM_SKIP; type <= FSTREAM_REPORT; type++)
		if (s->slot[type].flight && s->slot[type].again_at < next)
			next = s->slot[type].again_at;
	return next;
}
