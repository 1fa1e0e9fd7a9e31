/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DCCP sequence numbers: 48 bits, compared on a circle (RFC 4340 section 3.1). */
#ifndef FDCCP_SEQ_H
#define FDCCP_SEQ_H

#include <stdbool.h>
#include <stdint.h>

#define FDCCP_SEQ_MASK	((UINT64_C(1) << 48) - 1)

/* @a + @n modulo 2^48; @n may be negative */
static inline uint64_t fdccp_seq_add(uint64_t a, int64_t n)
{
	return (a + (uint64_t)n) & FDCCP_SEQ_MASK;
}

/* The distance from @b to @a: positive if @a follows @b, from -2^47 to 2^47 - 1. */
static inline int64_t fdccp_seq_diff(uint64_t a, uint64_t b)
{
	return (int64_t)((a - b) << 16) >> 16;
}

static inline bool fdccp_seq_before(uint64_t a, uint64_t b)
{
	return fdccp_seq_diff(a, b) < 0;
}

static inline bool fdccp_seq_after(uint64_t a, uint64_t b)
{
	return fdccp_seq_diff(a, b) > 0;
}

/* Whether @low <= @seq <= @high on the circle. */
static inline bool fdccp_seq_between(uint64_t low, uint64_t seq, uint64_t high)
{
	return ((seq - low) & FDCCP_SEQ_MASK) <= ((high - low) & FDCCP_SEQ_MASK);
}

#endif
