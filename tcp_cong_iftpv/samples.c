// SPDX-License-Identifier: GPL-2.0
/* Round-trip time samples. */

#include <net/tcp.h>
#include "iftpv.h"

/* Adds a sample of the round-trip time. @now is the time of the sample. The sample can be
 * the least sample for at most the time @window, which has the same unit as @now.
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
 * iftpv_measure() - use the round-trip time sample of an ACK if the sample is reliable
 * @sk: the connection
 * @rs: the core's sample
 *
 * Samples of retransmitted packets are ignored, because the ACK may be for the first
 * transmission. With TCP timestamps, the core has a sample of a retransmitted packet, but
 * only in ms. Samples of single packets that are shorter than a full segment are also ignored. The
 * ACK of a single short packet may be delayed by the receiver. A short packet also needs less time
 * on the link than a full segment.
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
