// SPDX-License-Identifier: GPL-2.0
/* Round-trip times, as acknowledgments bring them. */

#include <net/tcp.h>
#include "iftpv.h"

/**
 * iftpv_rtt_sample() - take a measured round-trip time into account
 * @r: of the flow
 * @us: the sample
 * @now: when it was measured, in any unit
 * @window: how long it may count as the least, in the same unit
 */
static void iftpv_rtt_sample(struct iftpv_rtt *r, u32 us, u32 now, u32 window)
{
	us = clamp_t(u32, us, 1, IFTPV_RTT_MAX);
	if (minmax_get(&r->least))
		minmax_running_min(&r->least, window, now, us);
	else
		minmax_reset(&r->least, now, us);
	if (r->smoothed)
		r->smoothed += us - (r->smoothed >> IFTPV_RTT_SHIFT);
	else
		r->smoothed = us << IFTPV_RTT_SHIFT;
}

/* A retransmitted packet's time is not known to be its own; where there are time stamps, the core
 * takes it from those, in ms. That of one that is acknowledged alone and is shorter than others is
 * of the receiver's timer or of a shorter packet.
 */
void iftpv_measure(struct sock *sk, const struct rate_sample *rs)
{
	struct iftpv_flow *flow = iftpv_flow(sk);

	if (rs->rtt_us < 0 || rs->is_retrans || rs->is_ack_delayed)
		return;
	iftpv_rtt_sample(&flow->rtt, min_t(long, rs->rtt_us, IFTPV_RTT_MAX),
			 tcp_jiffies32,
			 msecs_to_jiffies(iftpv_base_window.value));
	iftpv_gate_see(&flow->losses, iftpv_flow_queue(flow));
}
