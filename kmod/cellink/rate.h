/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long sending takes, without an error that adds up.
 *
 * Work is counted in units of which a rate of R bytes/s does R each nanosecond, so a
 * byte is 10^9 of them, and a packet of n bytes takes n * 10^9 / R ns. What the division
 * leaves is carried into the next packet.
 */
#ifndef _CELLINK_RATE_H
#define _CELLINK_RATE_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * cell_work() - the work of sending
 * @bytes: how much is sent, less than 2^33
 */
static inline u64 cell_work(u64 bytes)
{
	return bytes * NSEC_PER_SEC;
}

/**
 * cell_work_time() - how long work takes
 * @work: the work
 * @rate: bytes/s, 0 for unlimited
 * @carry: work left undone by the packets before, less than @rate; updated
 *
 * Return: whole ns; what remains to be done is in @carry
 */
static inline u64 cell_work_time(u64 work, u64 rate, u64 *carry)
{
	if (!rate)
		return 0;
	return div64_u64_rem(work + *carry, rate, carry);
}

/**
 * cell_work_left() - what is left of a packet that is being sent
 * @left: ns until it is through
 * @rate: bytes/s, 0 for unlimited
 */
static inline u64 cell_work_left(u64 left, u64 rate)
{
	return left * rate;
}

#endif /* _CELLINK_RATE_H */
