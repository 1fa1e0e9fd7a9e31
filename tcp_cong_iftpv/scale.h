/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows of a flow that is worth several TCP flows (ElAarag and Hogg, section 7). It does as
 * that many flows would together (MulTCP, Crowcroft and Oechslin, CCR 1998): each of them grows
 * by a packet per round trip, and a loss is one flow's, of whose window it takes a part.
 *
 *	n + s per round trip; n * (1 - (1 - f) / s) where one flow would keep f * n
 *
 * Scales and shares are in percent.
 */
#ifndef _TCP_IFTPV_SCALE_H
#define _TCP_IFTPV_SCALE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include "verdict.h"

#define IFTPV_WINDOW_MIN	2	/* packets, as RFC 5681 has it after a loss */

/**
 * iftpv_scale_loss() - the window after a loss
 * @n: packets, the window before
 * @verdict: anything but IFTPV_TIMEOUT
 * @ease: what IFTPV_EASE leaves of a flow's window
 * @scale: TCP flows that this one is worth, at least 100
 *
 * Return: in packets
 */
static inline u32 iftpv_scale_loss(u32 n, enum iftpv_verdict verdict, u32 ease,
				   u32 scale)
{
	u32 left = 100;

	if (verdict == IFTPV_EASE)
		left = ease;
	else if (verdict == IFTPV_HALVE)
		left = 50;
	n = div_u64((u64)n * (scale - (100 - left)), scale);
	return max_t(u32, n, IFTPV_WINDOW_MIN);
}

/**
 * iftpv_scale_growth() - after how many acknowledged packets the window grows by one
 * @n: packets, the window
 * @scale: TCP flows that this one is worth, at least 100
 * @slow: grow half as fast, as Veno does with a backlog of beta packets
 */
static inline u32 iftpv_scale_growth(u32 n, u32 scale, bool slow)
{
	return max_t(u32, div_u64((u64)n * 100, scale), 1) << slow;
}

#endif /* _TCP_IFTPV_SCALE_H */
