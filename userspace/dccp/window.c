// SPDX-License-Identifier: GPL-2.0-or-later
/* Sequence and acknowledgment numbers: which packets are valid (RFC 4340 section 7.5). */
#include "window.h"

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

void fdccp_window_peer(struct fdccp_window *w, uint64_t isr, uint64_t gar)
{
	w->isr = isr;
	w->gsr = isr;
	w->gar = gar;
	w->has_peer = true;
	w->long_received = false;
}

static bool ends_connection(const struct fdccp_packet *p)
{
	return p->type == FDCCP_PKT_CLOSEREQ || p->type == FDCCP_PKT_CLOSE ||
	       p->type == FDCCP_PKT_RESET;
}

/* Whether the number is within SWL to SWH. Packets that end the connection must be new. A Sync may
 * be as far ahead as numbers can be compared, unless the connection is active.
 */
static bool seq_valid(const struct fdccp_window *w, const struct fdccp_packet *p, bool active)
{
	int64_t size = fdccp_is_sync(p) && !active ? INT64_C(1) << 47 : (int64_t)w->remote;
	int64_t behind = (int64_t)(w->remote / 4);
	int64_t ahead = fdccp_seq_diff(p->seq, w->gsr);

	if (ahead > 0)
		return ahead <= size - behind;
	if (ahead <= -behind || ends_connection(p))
		return false;
	return w->long_received || !fdccp_seq_before(p->seq, w->isr);
}

/* Whether the acknowledgment number is within AWL to AWH, likewise. */
static bool ack_valid(const struct fdccp_window *w, const struct fdccp_packet *p)
{
	int64_t behind = fdccp_seq_diff(w->gss, p->ack);

	if (ends_connection(p))
		return fdccp_seq_between(w->gar, p->ack, w->gss);
	if (behind < 0 || behind >= (int64_t)w->local)
		return false;
	return w->long_sent || !fdccp_seq_before(p->ack, w->iss);
}

bool fdccp_window_valid(const struct fdccp_window *w, const struct fdccp_packet *p, bool active)
{
	if (w->has_peer && !seq_valid(w, p, active))
		return false;
	return !p->has_ack || ack_valid(w, p);
}

void fdccp_window_received(struct fdccp_window *w, const struct fdccp_packet *p)
{
	if (fdccp_seq_after(p->seq, w->gsr))
		w->gsr = p->seq;
	w->long_received |= fdccp_window_left_behind(w->isr, w->gsr);
	if (p->has_ack && p->type != FDCCP_PKT_SYNC && fdccp_seq_after(p->ack, w->gar))
		w->gar = p->ack;
}
