/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Validity of sequence and acknowledgment numbers: RFC 4340 sections 7.5 and 8.5 step 6. */
#ifndef FDCCP_WINDOW_H
#define FDCCP_WINDOW_H

#include "seq.h"
#include "wire.h"

#define FDCCP_SYNCS_A_SECOND	8	/* RFC 4340 section 7.5.4 */

/* Sequence Window, RFC 4340 section 7.5.2 */
#define FDCCP_WINDOW_MIN	UINT64_C(32)
#define FDCCP_WINDOW_MAX	((UINT64_C(1) << 46) - 1)
#define FDCCP_WINDOW_INITIAL	UINT64_C(100)

/**
 * struct fdccp_window - a connection's numbers
 * @iss: initial number sent
 * @gss: greatest sent; @iss - 1 before the first packet
 * @isr: initial number received
 * @gsr: greatest received
 * @gar: greatest acknowledgment received; @iss at first
 * @local: Sequence Window of this end
 * @remote: of the peer
 * @has_peer: @isr and @gsr are valid
 * @long_sent: @gss has left @iss behind by the largest window: AWL is not adjusted any more
 * @long_received: likewise @gsr and @isr: SWL is not adjusted any more
 */
struct fdccp_window {
	uint64_t iss, gss, isr, gsr, gar;
	uint64_t local, remote;
	bool has_peer;
	bool long_sent, long_received;
};

void fdccp_window_init(struct fdccp_window *w, uint64_t iss);

/* The first packet of the peer: a Request at the server, a Response at the client. */
void fdccp_window_peer(struct fdccp_window *w, uint64_t isr, uint64_t gar);

/* Whether @greatest is so far behind @initial that no window reaches back to it. A jump is shorter
 * than 2^47 and the distance before it shorter than 2^46, so it is seen before it wraps.
 */
static inline bool fdccp_window_left_behind(uint64_t initial, uint64_t greatest)
{
	return ((greatest - initial) & FDCCP_SEQ_MASK) > FDCCP_WINDOW_MAX;
}

/* Takes the next sequence number. */
static inline uint64_t fdccp_window_next(struct fdccp_window *w)
{
	w->gss = fdccp_seq_add(w->gss, 1);
	w->long_sent |= fdccp_window_left_behind(w->iss, w->gss);
	return w->gss;
}

/**
 * fdccp_window_valid() - check a received packet
 * @w: the numbers
 * @p: the packet
 * @active: valid packets came within the last three round trips: Syncs are checked strictly
 *
 * Before the first packet of the peer (state REQUEST), only the acknowledgment number is checked.
 *
 * Return: whether the packet is sequence-valid
 */
bool fdccp_window_valid(const struct fdccp_window *w, const struct fdccp_packet *p, bool active);

/* A sequence-valid packet: moves @gsr and, except for a Sync, @gar on. */
void fdccp_window_received(struct fdccp_window *w, const struct fdccp_packet *p);

/* Whether an acknowledgment of @gar would be invalid after one more packet: as many packets as the
 * Sequence Window allows in a round trip wait for their acknowledgment.
 */
static inline bool fdccp_window_full(const struct fdccp_window *w)
{
	return fdccp_seq_diff(w->gss, w->gar) + 1 >= (int64_t)w->local;
}

/* The Sequence Window for @packets in a round trip: five times, at least 100 (section 7.5.2). */
static inline uint64_t fdccp_window_wanted(uint64_t packets)
{
	if (packets > FDCCP_WINDOW_MAX / 5)
		return FDCCP_WINDOW_MAX;
	return packets * 5 > FDCCP_WINDOW_INITIAL ? packets * 5 : FDCCP_WINDOW_INITIAL;
}

/* The packets in a round trip for which a Sequence Window of 100 or more is wide enough. */
static inline uint64_t fdccp_window_enough_for(uint64_t window)
{
	return window / 5;
}

#endif
