// SPDX-License-Identifier: GPL-2.0
/* Times and sizes of the opportunities of a trace. */

#include <linux/math64.h>
#include <linux/time64.h>
#include "opportunity.h"

/**
 * cell_trace_length() - time of the last opportunity
 * @t: the trace
 *
 * Return: in ns
 */
s64 cell_trace_length(const struct cell_trace *t)
{
	return (s64)t->ms[t->count - 1] * NSEC_PER_MSEC;
}

/* Number of opportunities at or before @ms. @ms may be -1. */
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
 * cell_trace_position() - position in a trace
 * @t: the trace
 * @elapsed: time since the trace first began, in ns
 *
 * Return: time since the trace last began, in ns; less than the trace's length if the trace repeats
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
 * cell_trace_next() - find the next opportunities after a given time
 * @t: the trace
 * @elapsed: time since the trace first began, in ns
 *
 * Return: time of the next opportunities since the trace first began, in ns; CELL_NEVER if no
 * opportunities follow
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
 * cell_trace_is_odd() - is the channel in the bad state, according to a trace of turns?
 * @t: the trace
 * @elapsed: time since the trace first began, in ns
 *
 * Return: true if the channel has turned an odd number of times since the trace last began
 */
bool cell_trace_is_odd(const struct cell_trace *t, s64 elapsed)
{
	return cell_trace_up_to(t, div_s64(cell_trace_position(t, elapsed),
					   NSEC_PER_MSEC)) & 1;
}

/**
 * cell_trace_bytes() - bytes that may be sent at the time of an opportunity
 * @t: the trace
 * @elapsed: time of the opportunity since the trace first began, in ns
 *
 * Return: the sum of all opportunities at this time
 */
u64 cell_trace_bytes(const struct cell_trace *t, s64 elapsed)
{
	s64 position = cell_trace_position(t, elapsed);
	u64 count = cell_trace_at(t, div_s64(position, NSEC_PER_MSEC));

	/* the end of a repetition is the beginning of the next repetition */
	if (elapsed && !position)
		count += cell_trace_at(t, t->ms[t->count - 1]);
	return count * t->opportunity;
}
