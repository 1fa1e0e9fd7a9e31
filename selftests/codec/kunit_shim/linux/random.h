/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CODEC_LINUX_RANDOM_H
#define CODEC_LINUX_RANDOM_H

#include <linux/types.h>
#include <stdlib.h>
#include <sys/random.h>

/**
 * get_random_u32() - return a random number
 */
static inline __u32 get_random_u32(void)
{
	__u32 value;

	if (getrandom(&value, sizeof(value), 0) != sizeof(value))
		abort();
	return value;
}

#endif /* CODEC_LINUX_RANDOM_H */
