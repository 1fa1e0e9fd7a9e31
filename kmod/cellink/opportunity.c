// SPDX-License-Identifier: GPL-2.0
/* Where the opportunities of a trace are. */

#include <linux/math64.h>
#include <linux/time64.h>
#include "opportunity.h"

/**
 * cell_trace_length() - when the last opportunity is
 * @t: the trace
 *
 * Return: in ns
 */
s64 cell_trace_length(const struct cell_trace *t)
{
	return (s64)t->ms[t->count - 1] * NSEC_PER_MSEC;
}

/* How many opportunities are up to some ms, which may be -1. */
static u32 cell_trace_up_to(const struct cell_trace *t, s64 ms)
{
	u32 low = 0, high = t->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (t->ms[middle] <= ms)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static u32 cell_trace_at(const struct cell_trace *t, s64 ms)
{
	return cell_trace_up_to(t, ms) - cell_trace_up_to(t, ms - 1);
}

/**
 * cell_trace_position() - where in a trace something is
 * @t: the trace
 * @elapsed: ns since its first beginning
 *
 * Return: ns from where it last began, less than its length if it repeats
 */
s64 cell_trace_position(const struct cell_trace *t, s64 elapsed)
{
	u64 position;

	if (t->once)
		return elapsed;
	div64_u64_rem(elapsed, cell_trace_length(t), &position);
	return position;
}

/**
 * cell_trace_next() - the next moment with opportunities
 * @t: the trace
 * @elapsed: ns since its first beginning, not itself that moment
 *
 * Return: ns since then, or CELL_NEVER
 */
s64 cell_trace_next(const struct cell_trace *t, s64 elapsed)
{
	s64 position = cell_trace_position(t, elapsed);
	u32 next = cell_trace_up_to(t, div_s64(position, NSEC_PER_MSEC));

	if (next == t->count)
		return CELL_NEVER;
	return elapsed - position + (s64)t->ms[next] * NSEC_PER_MSEC;
}

/**
 * cell_trace_is_odd() - whether what a trace turns is the other way round
 * @t: the trace
 * @elapsed: ns since its first beginning
 *
 * Return: whether an odd number of its times has come since it last began
 */
bool cell_trace_is_odd(const struct cell_trace *t, s64 elapsed)
{
	return cell_trace_up_to(t, div_s64(cell_trace_position(t, elapsed),
					   NSEC_PER_MSEC)) & 1;
}

/**
 * cell_trace_bytes() - what may be sent at a moment with opportunities
 * @t: the trace
 * @elapsed: ns since its first beginning
 *
 * Return: bytes, the sum of all opportunities there are at that moment
 */
u64 cell_trace_bytes(const struct cell_trace *t, s64 elapsed)
{
	s64 position = cell_trace_position(t, elapsed);
	u64 count = cell_trace_at(t, div_s64(position, NSEC_PER_MSEC));

	/* the end of one time through is the beginning of the next */
	if (elapsed && !position)
		count += cell_trace_at(t, t->ms[t->count - 1]);
	return count * t->opportunity;
}
