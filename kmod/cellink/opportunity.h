/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delivery opportunities out of a trace in mahimahi's format (Netravali et al., USENIX ATC
 * 2015): at each a link may send so many bytes at once. Other times that a trace may be of
 * are those at which a state turns.
 *
 * Where a trace stands follows from how long it has been going on, so nothing is kept that
 * could fall behind. A trace that repeats does so at its last opportunity, which is the same
 * moment as its 0.
 */
#ifndef _CELLINK_OPPORTUNITY_H
#define _CELLINK_OPPORTUNITY_H

#include <linux/limits.h>
#include <linux/types.h>

#define CELL_NEVER	S64_MAX

/**
 * struct cell_trace - a trace and how it is followed
 * @ms: when its opportunities are, none before the one above it and the last not 0; NULL
 *	for no trace
 * @count: how many, not 0
 * @opportunity: bytes that each is good for, unless it is something else
 * @once: it ends with its last opportunity, and does not repeat
 * @offset: where in it to begin, in ns, less than its length
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
