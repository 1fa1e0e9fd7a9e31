// SPDX-License-Identifier: GPL-2.0
/* Round-trip time samples. */

#include <net/tcp.h>
#include "iftpv.h"

/* @now is the time of the sample. The sample counts as the least one for at most @window, which has
 * the same unit as @now.
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

/**
 * iftpv_measure() - take the sample of an ACK, if it is useful
 * @sk: the connection
 * @rs: the core's sample
 *
 * Two kinds of samples are ignored. The first is a retransmitted packet: its ACK may be for the
 * first transmission. With timestamps the core has a sample nevertheless, but only in ms. The
 * second is a single packet that is shorter than a full segment: the sample may contain the
 * receiver's delayed-ACK timer, or be too short because a short packet takes less time to send.
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
