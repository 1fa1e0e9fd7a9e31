/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of packets a second. */
#ifndef FDCCP_LIMIT_H
#define FDCCP_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * fdccp_limit_take() - take one of the packets that a limit allows
 * @due: the limit's state; 0 or the time at first
 * @limit: packets in each second, 0 counts as 1
 * @now: the time
 *
 * Half of the limit may be used at once, and the other half evenly in a second. So no second has
 * more than the limit, wherever it begins.
 *
 * Return: whether there was one
 */
bool fdccp_limit_take(int64_t *due, unsigned int limit, int64_t now);

/* When fdccp_limit_take() finds a packet again. */
int64_t fdccp_limit_when(int64_t due, unsigned int limit);

#endif
