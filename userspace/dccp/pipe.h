/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data packets in the network, and the timeout of their acknowledgments (RFC 4341 section 5). */
#ifndef FDCCP_PIPE_H
#define FDCCP_PIPE_H

#include "ccid.h"
#include "seq.h"

/**
 * struct fdccp_pipe - the packets that count as being in the network; a new one has all fields 0
 *	but @timer, which is FDCCP_NEVER, and @since, which is INT64_MIN
 * @packets: their number
 * @has_last: there is a last packet
 * @has_void: there is a void packet
 * @paused: a timeout has passed since data was last acknowledged
 * @defers: how often the timer was moved since it was started
 * @last: the last data packet that was sent
 * @sent_at: when
 * @void_until: packets up to this one do not count any more: a timeout or a new path
 * @timer: when the timeout ends, or FDCCP_NEVER
 * @since: when a link came back last; packets from before it tell no round-trip time
 */
struct fdccp_pipe {
	uint32_t packets;
	bool has_last, has_void, paused;
	uint8_t defers;
	uint64_t last;
	int64_t sent_at;
	uint64_t void_until;
	int64_t timer;
	int64_t since;
};

/* All packets sent so far do not count any more. */
void fdccp_pipe_forget(struct fdccp_pipe *pipe);

/* The timeout ends at @when. */
static inline void fdccp_pipe_start(struct fdccp_pipe *pipe, int64_t when)
{
	pipe->timer = when;
	pipe->defers = 0;
}

/* A data packet was sent. @rto: the timeout */
static inline void fdccp_pipe_sent(struct fdccp_pipe *pipe, uint64_t seq, int64_t rto, int64_t now)
{
	pipe->last = seq;
	pipe->has_last = true;
	pipe->sent_at = now;
	pipe->packets++;
	if (pipe->timer == FDCCP_NEVER)
		fdccp_pipe_start(pipe, now + rto);
}

/* Something is known of a packet. Return: whether it counted; it does not any more. What is late has
 * left the pipe already.
 */
static inline bool fdccp_pipe_leave(struct fdccp_pipe *pipe, enum fdccp_cause cause,
				    const struct fdccp_sent_packet *packet)
{
	if (!packet->data || cause == FDCCP_CAUSE_LATE)
		return false;
	if (pipe->has_void && !fdccp_seq_after(packet->seq, pipe->void_until))
		return false;
	if (pipe->packets)
		pipe->packets--;
	return true;
}

/* An acknowledgment was processed. @progress: it acknowledged data that counted */
static inline void fdccp_pipe_acked(struct fdccp_pipe *pipe, bool progress, int64_t rto, int64_t now)
{
	if (!pipe->packets)
		pipe->timer = FDCCP_NEVER;
	else if (progress)
		fdccp_pipe_start(pipe, now + rto);
	if (progress)
		pipe->paused = false;
}

/* Whether a packet's acknowledgment tells the path's round-trip time, and not how long a link was
 * away. @sent_at: when the packet was sent, or FDCCP_NEVER
 */
static inline bool fdccp_pipe_measures(const struct fdccp_pipe *pipe, int64_t sent_at)
{
	return sent_at != FDCCP_NEVER && sent_at >= pipe->since;
}

/* The timeout has passed. */
void fdccp_pipe_timeout(struct fdccp_pipe *pipe);

/* A link says that its channel improves: the timeout ends a quarter later, at most three times. */
void fdccp_pipe_defer(struct fdccp_pipe *pipe, int64_t rto);

/* A link says that its channel is back. Return: whether timeouts had passed; no packet counts then, and
 * the sender has not been idle.
 */
bool fdccp_pipe_revive(struct fdccp_pipe *pipe, int64_t now);

#endif
