/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data packets in the network, and the timeout of their acknowledgments (RFC 4341 section 5). */
#ifndef FDCCP_PIPE_H
#define FDCCP_PIPE_H

#include "ccid.h"

/**
 * struct fdccp_pipe - the packets that count as being in the network; a new one has all fields 0
 *	but @timer
 * @packets: their number
 * @has_last: there is a last packet
 * @has_void: there is a void packet
 * @paused: a timeout has passed since data was last acknowledged
 * @defers: how often the timer was moved since it was started
 * @last: the last data packet that was sent
 * @sent_at: when
 * @void_until: packets up to this one do not count any more: a timeout or a new path
 * @timer: when the timeout ends, or FDCCP_NEVER
 */
struct fdccp_pipe {
	uint32_t packets;
	bool has_last, has_void, paused;
	uint8_t defers;
	uint64_t last;
	int64_t sent_at;
	uint64_t void_until;
	int64_t timer;
};

/* All packets sent so far do not count any more. */
void fdccp_pipe_forget(struct fdccp_pipe *pipe);

/* A data packet was sent. @rto: the timeout */
void fdccp_pipe_sent(struct fdccp_pipe *pipe, uint64_t seq, int64_t rto, int64_t now);

/* Something is known of a packet. Return: whether it counted; it does not any more. */
bool fdccp_pipe_leave(struct fdccp_pipe *pipe, enum fdccp_cause cause,
		      const struct fdccp_sent_packet *packet);

/* An acknowledgment was processed. @progress: it acknowledged data that counted */
void fdccp_pipe_acked(struct fdccp_pipe *pipe, bool progress, int64_t rto, int64_t now);

/* The timeout has passed. */
void fdccp_pipe_timeout(struct fdccp_pipe *pipe);

/* A link says that its channel improves: the timeout ends a quarter later, at most three times. */
void fdccp_pipe_defer(struct fdccp_pipe *pipe, int64_t rto);

/* A link says that its channel is back. Return: whether timeouts had passed; no packet counts then, and
 * the sender has not been idle.
 */
bool fdccp_pipe_revive(struct fdccp_pipe *pipe, int64_t now);

#endif
