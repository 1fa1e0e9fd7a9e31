/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gaps between packets (ElAarag and Hogg, section 3, equations 1 to 3): those of the next
 * round trip leave evenly over it.
 *
 *	slow start	G = R / 2n - tau
 *	avoidance	G = R / (n + 1) - tau
 *	after a loss	G = R / n' - tau, n' the window that the loss leaves
 *
 * tau is the time that a packet takes to be sent. A gap is from a packet's last bit to the next
 * one's first; from first bit to first bit it is G + tau, and that is what a rate is about. So
 * tau need not be known.
 */
#ifndef _TCP_IFTPV_GAP_H
#define _TCP_IFTPV_GAP_H

#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>
#include "backlog.h"
#include "rtt.h"

/**
 * enum iftpv_phase - what a flow is about
 * @IFTPV_SLOW_START: the window doubles in a round trip
 * @IFTPV_AVOIDANCE: it grows by a packet
 * @IFTPV_RECOVERY: it shrinks after a loss, or stays
 */
enum iftpv_phase {
	IFTPV_SLOW_START,
	IFTPV_AVOIDANCE,
	IFTPV_RECOVERY,
};

/**
 * iftpv_gap_packets() - packets in the next round trip
 * @phase: what the flow is about
 * @n: packets, the window; in recovery the one that the loss leaves
 * @scale: TCP flows that this one is worth, in percent
 */
static inline u32 iftpv_gap_packets(enum iftpv_phase phase, u32 n, u32 scale)
{
	n = min_t(u32, n, IFTPV_WINDOW_MAX);
	switch (phase) {
	case IFTPV_SLOW_START:
		return 2 * n;
	case IFTPV_AVOIDANCE:
		return n + DIV_ROUND_UP(scale, 100);
	default:
		return n;
	}
}

/**
 * iftpv_gap_rate() - the rate at which packets leave with their gaps
 * @packets: iftpv_gap_packets()
 * @mss: bytes of a packet that count as data, up to 65535
 * @smoothed: of struct iftpv_rtt, not 0
 *
 * Return: in bytes of data per second, not 0
 */
static inline u64 iftpv_gap_rate(u32 packets, u32 mss, u32 smoothed)
{
	u64 rate = (u64)packets * mss * (USEC_PER_SEC << IFTPV_RTT_SHIFT);

	return max_t(u64, div_u64(rate, smoothed), 1);
}

#endif /* _TCP_IFTPV_GAP_H */
