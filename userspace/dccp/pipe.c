// SPDX-License-Identifier: GPL-2.0-or-later
/* The data packets in the network, and the timeout of their acknowledgments. */
#include "pipe.h"

void fdccp_pipe_forget(struct fdccp_pipe *pipe)
{
	pipe->packets = 0;
	pipe->timer = FDCCP_NEVER;
	pipe->void_until = pipe->last;
	pipe->has_void = pipe->has_last;
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
	pipe->sent_at = pipe->since = now;
	return true;
}
