/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delivery opportunities from a trace in mahimahi's format (Netravali et al., USENIX ATC 2015). At
 * each opportunity a link may send a number of bytes in one burst. A trace of turns has the same
 * format: at each of its times the channel changes between the good and the bad state.
 *
 * The position in a trace is computed from the elapsed time. No state is stored that could become
 * wrong. A trace repeats at the time of its last opportunity. This time is also the time 0 of the
 * next repetition.
 */
#ifndef _CELLINK_OPPORTUNITY_H
#define _CELLINK_OPPORTUNITY_H

#include <linux/limits.h>
#include <linux/types.h>

#define CELL_NEVER	S64_MAX

/**
 * struct cell_trace - a trace, and how a channel follows it
 * @ms: times of the opportunities in ms, in ascending order, the last one not 0; NULL for no trace
 * @count: number of entries in @ms, not 0
 * @opportunity: bytes that may be sent at each opportunity; 0 in a trace of turns
 * @once: the trace does not repeat
 * @offset: position at which to begin, in ns, less than the length of the trace
 */
struct cell_trace {
	u32 *ms;
	u32 count;
	u32 opportunity;
	bool once;
	s64 offset;
};

s64 cell_trace_length(const struct cell_trace *t);
s64 cell_trace_position(const struct cell_trace *t, s64 elapsed);
s64 cell_trace_next(const struct cell_trace *t, s64 elapsed);
bool cell_trace_is_odd(const struct cell_trace *t, s64 elapsed);
u64 cell_trace_bytes(const struct cell_trace *t, s64 elapsed);

#endif /* _CELLINK_OPPORTUNITY_H */
