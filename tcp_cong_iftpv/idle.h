/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Window of a flow that has been idle (RFC 2861): what it knew of the path grows old, so the
 * window is halved for each retransmission timeout that went by. The core does this for others;
 * a congestion control that owns the window has to do it itself.
 */
#ifndef _TCP_IFTPV_IDLE_H
#define _TCP_IFTPV_IDLE_H

#include <linux/minmax.h>
#include <linux/types.h>

/**
 * iftpv_idle_window() - the window after a pause
 * @n: packets, the window before it
 * @restart: packets below which it does not fall, unless it was there before
 * @idle: how long it took
 * @rto: retransmission timeout, in the same unit, not 0
 *
 * Return: in packets
 */
static inline u32 iftpv_idle_window(u32 n, u32 restart, u32 idle, u32 rto)
{
	/* a pause that is over with the timeout is none */
	u32 halvings = idle ? (idle - 1) / rto : 0;

	return max(n >> min_t(u32, halvings, 31), min(n, restart));
}

#endif /* _TCP_IFTPV_IDLE_H */
