// SPDX-License-Identifier: GPL-2.0-or-later
/* Sequence and acknowledgment numbers: which packets are valid (RFC 4340 section 7.5). */
#include "window.h"

/* which numbers are valid, both ends included */
struct range {
	uint64_t low, high;
};

void fdccp_window_init(struct fdccp_window *w, uint64_t iss)
{
	*w = (struct fdccp_window){
		.iss = iss,
		.gss = fdccp_seq_add(iss, -1),
		.gar = iss,
		.local = FDCCP_WINDOW_INITIAL,
		.remote = FDCCP_WINDOW_INITIAL,
	};
}

/* Whether @greatest is so far behind @initial that no window reaches back to it. A jump is shorter
 * than 2^47 and the distance before it shorter than 2^46, so it is seen before it wraps.
 */
static bool left_behind(uint64_t initial, uint64_t greatest)
{
	return ((greatest - initial) & FDCCP_SEQ_MASK) > FDCCP_WINDOW_MAX;
}

/* The later of @low and @initial, unless the connection is so old that they cannot be compared. */
static uint64_t not_before(uint64_t low, uint64_t initial, bool old)
{
	return !old && fdccp_seq_before(low, initial) ? initial : low;
}

void fdccp_window_peer(struct fdccp_window *w, uint64_t isr, uint64_t gar)
{
	w->isr = isr;
	w->gsr = isr;
	w->gar = gar;
	w->has_peer = true;
	w->long_received = false;
}

uint64_t fdccp_window_next(struct fdccp_window *w)
{
	w->gss = fdccp_seq_add(w->gss, 1);
	w->long_sent |= left_behind(w->iss, w->gss);
	return w->gss;
}

static bool ends_connection(const struct fdccp_packet *p)
{
	return p->type == FDCCP_PKT_CLOSEREQ || p->type == FDCCP_PKT_CLOSE ||
	       p->type == FDCCP_PKT_RESET;
}

/* SWL to SWH, and with a later start for packets that end the connection */
static struct range seq_range(const struct fdccp_window *w, const struct fdccp_packet *p)
{
	uint64_t behind = w->remote / 4;
	struct range r = {
		.low = fdccp_seq_add(w->gsr, 1 - (int64_t)behind),
		.high = fdccp_seq_add(w->gsr, (int64_t)(w->remote - behind)),
	};

	r.low = not_before(r.low, w->isr, w->long_received);
	if (ends_connection(p))
		r.low = fdccp_seq_add(w->gsr, 1);
	return r;
}

/* AWL to AWH, likewise */
static struct range ack_range(const struct fdccp_window *w, const struct fdccp_packet *p)
{
	struct range r = {
		.low = fdccp_seq_add(w->gss, 1 - (int64_t)w->local),
		.high = w->gss,
	};

	r.low = not_before(r.low, w->iss, w->long_sent);
	if (ends_connection(p))
		r.low = w->gar;
	return r;
}

static bool seq_valid(const struct fdccp_window *w, const struct fdccp_packet *p, bool active)
{
	struct range r = seq_range(w, p);

	if (fdccp_is_sync(p) && !active)
		return !fdccp_seq_before(p->seq, r.low);
	return fdccp_seq_between(r.low, p->seq, r.high);
}

bool fdccp_window_valid(const struct fdccp_window *w, const struct fdccp_packet *p, bool active)
{
	struct range ack = ack_range(w, p);

	if (w->has_peer && !seq_valid(w, p, active))
		return false;
	return !p->has_ack || fdccp_seq_between(ack.low, p->ack, ack.high);
}

void fdccp_window_received(struct fdccp_window *w, const struct fdccp_packet *p)
{
	if (fdccp_seq_after(p->seq, w->gsr))
		w->gsr = p->seq;
	w->long_received |= left_behind(w->isr, w->gsr);
	if (p->has_ack && p->type != FDCCP_PKT_SYNC && fdccp_seq_after(p->ack, w->gar))
		w->gar = p->ack;
}

uint64_t fdccp_window_wanted(uint64_t packets)
{
	if (packets > FDCCP_WINDOW_MAX / 5)
		return FDCCP_WINDOW_MAX;
	return packets * 5 > FDCCP_WINDOW_INITIAL ? packets * 5 : FDCCP_WINDOW_INITIAL;
}
