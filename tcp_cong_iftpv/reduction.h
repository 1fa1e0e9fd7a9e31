/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Proportional rate reduction (RFC 6937): what may be sent while a loss is recovered from, so
 * that the window has become what the loss leaves of it when that is done. Packets leave as
 * others arrive, never in one burst.
 */
#ifndef _TCP_IFTPV_REDUCTION_H
#define _TCP_IFTPV_REDUCTION_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct iftpv_reduction - a recovery; in packets
 * @from: the window before (RecoverFS), not 0
 * @to: the window that the loss leaves (ssthresh)
 * @delivered: arrived since the recovery began (prr_delivered)
 * @out: sent since then (prr_out)
 */
struct iftpv_reduction {
	u32 from;
	u32 to;
	u32 delivered;
	u32 out;
};

/**
 * iftpv_reduction_window() - the window while a loss is recovered from
 * @r: the recovery, with what has just arrived
 * @in_flight: packets under way (pipe)
 * @acked: packets that have just arrived, not 0
 * @good: what was missing has begun to arrive, and nothing more was lost
 *
 * With more under way than there may be in the end, packets leave in proportion to those that
 * arrive. With less, as many as arrive (the RFC's conservative bound), and one more while all
 * goes well (its slow start bound).
 *
 * Return: in packets; the first packet of a recovery may leave at once
 */
static inline u32 iftpv_reduction_window(const struct iftpv_reduction *r,
					 u32 in_flight, u32 acked, bool good)
{
	s64 room = (s64)r->to - in_flight;
	s64 send;

	if (room < 0)
		send = div_u64((u64)r->to * r->delivered + r->from - 1,
			       r->from) - r->out;
	else
		send = min(room, max_t(s64, (s64)r->delivered - r->out, acked) +
				 good);
	return in_flight + max_t(s64, send, !r->out);
}

#endif /* _TCP_IFTPV_REDUCTION_H */
