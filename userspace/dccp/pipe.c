// SPDX-License-Identifier: GPL-2.0-or-later
/* The data packets in the network, and the timeout of their acknowledgments. */
#include "pipe.h"
#include "seq.h"

static void start_timer(struct fdccp_pipe *pipe, int64_t when)
{
	pipe->timer = when;
	pipe->defers = 0;
}

void fdccp_pipe_forget(struct fdccp_pipe *pipe)
{
	pipe->packets = 0;
	pipe->timer = FDCCP_NEVER;
	pipe->void_until = pipe->last;
	pipe->has_void = pipe->has_last;
}

void fdccp_pipe_sent(struct fdccp_pipe *pipe, uint64_t seq, int64_t rto, int64_t now)
{
	pipe->last = seq;
	pipe->has_last = true;
	pipe->sent_at = now;
	pipe->packets++;
	if (pipe->timer == FDCCP_NEVER)
		start_timer(pipe, now + rto);
}

/* What is late has left the pipe already. */
bool fdccp_pipe_leave(struct fdccp_pipe *pipe, enum fdccp_cause cause,
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

void fdccp_pipe_acked(struct fdccp_pipe *pipe, bool progress, int64_t rto, int64_t now)
{
	if (!pipe->packets)
		pipe->timer = FDCCP_NEVER;
	else if (progress)
		start_timer(pipe, now + rto);
	if (progress)
		pipe->paused = false;
}

void fdccp_pipe_timeout(struct fdccp_pipe *pipe)
{
	pipe->paused = true;
	fdccp_pipe_forget(pipe);
}

void fdccp_pipe_defer(struct fdccp_pipe *pipe, int64_t rto)
{
	if (pipe->timer == FDCCP_NEVER || pipe->defers == FDCCP_DEFERS_MAX)
		return;
	pipe->timer += rto / 4;
	pipe->defers++;
}

bool fdccp_pipe_revive(struct fdccp_pipe *pipe, int64_t now)
{
	if (!pipe->paused)
		return false;
	fdccp_pipe_forget(pipe);
	pipe->sent_at = now;
	return true;
}
