// SPDX-License-Identifier: GPL-2.0
/*
 * IFTPV: a congestion control for TCP. It distinguishes random losses from congestion, and paces
 * the packets of a window evenly over the round trip. See Documentation/tcp_iftpv.rst.
 *
 * Source: H. ElAarag and C. Hogg, "Enhancement of IFTP for Transmission over Wireless Access
 * Networks". The decision about a loss is IFTPV's, and the gaps between packets are IFTP's. The
 * paper has both for a transport without retransmissions. The window grows as Reno's does.
 *
 *	samples.c	round-trip times RTTactual and RTTbase
 *	decision.h	backlog B = n * (RTTactual - RTTbase) / RTTactual,
 *			loss rate C / (T' - T) between random losses at T and T', verdict
 *	window.c	window after a loss: n, 4n/5 or n/2; gaps R / 2n, R / (n + 1), R / n'
 *	episode.c	losses, marks and timeouts: calls the decision, sets the threshold
 *
 * The core sets the pacing rate after cong_avoid(). So this module does everything in
 * cong_control() instead. Then the core leaves it to the module to reduce the window in a recovery
 * and after an idle time.
 */

#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/fl_version.h>
#include <net/tcp.h>
#include "iftpv.h"

/* As in the core: if an ACK does not move snd_una, the window grows only on a path that is known to
 * reorder packets.
 */
static bool iftpv_may_grow(const struct sock *sk, bool advanced)
{
	return advanced || tcp_sk(sk)->reordering >
			   READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_reordering);
}

static void iftpv_cong_control(struct sock *sk, u32 ack, int flag,
			       const struct rate_sample *rs)
{
	struct iftpv_flow *flow = iftpv_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	bool advanced = tp->snd_una != flow->una;

	iftpv_measure(sk, rs);
	iftpv_losses_count(&flow->losses, tp->lost - flow->lost);
	if (tcp_in_cwnd_reduction(sk))
		iftpv_arrived(sk, rs->acked_sacked, advanced && !rs->losses);
	else if (iftpv_may_grow(sk, advanced))
		iftpv_grow(sk, rs->acked_sacked);
	iftpv_pace(sk);
	flow->una = tp->snd_una;
	flow->lost = tp->lost;
	/* both were about this ACK only */
	flow->ece = 0;
	flow->probed = 0;
}

/* With the core's default of 2, packets would leave in pairs. */
static u32 iftpv_min_tso_segs(struct sock *sk)
{
	return 1;
}

/* A module cannot add a structure to union tcp_cc_info. So tcpvegas_info is used: it has fields for
 * both round-trip times, and its tcpv_rttcnt carries the backlog.
 */
static size_t iftpv_get_info(struct sock *sk, u32 ext, int *attr,
			     union tcp_cc_info *info)
{
	const struct iftpv_flow *flow = iftpv_flow(sk);

	if (!(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	info->vegas.tcpv_minrtt = iftpv_rtt_base(&flow->rtt);
	info->vegas.tcpv_enabled = !!info->vegas.tcpv_minrtt;
	info->vegas.tcpv_rtt = iftpv_rtt_actual(&flow->rtt);
	info->vegas.tcpv_rttcnt = iftpv_flow_backlog(flow, tcp_snd_cwnd(tcp_sk(sk))) >>
				  IFTPV_SHIFT;
	*attr = INET_DIAG_VEGASINFO;
	return sizeof(info->vegas);
}

/* The round-trip time of the handshake is good enough for the gaps, but not for the base: on a slow
 * link, data packets take longer than the SYN.
 */
static void iftpv_init(struct sock *sk)
{
	struct iftpv_flow *flow = iftpv_flow(sk);
	const struct tcp_sock *tp = tcp_sk(sk);

	memset(flow, 0, sizeof(*flow));
	flow->rtt.smoothed = tp->srtt_us;
	flow->una = tp->snd_una;
	flow->lost = tp->lost;
	iftpv_gate_init(&flow->losses);
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	iftpv_pace(sk);
}

TCP_CONG_CONTROL(iftpv_cong_control)
TCP_CWND_EVENT_TX_START(iftpv_tx_start)

static struct tcp_congestion_ops iftpv_ops __read_mostly = {
	/* otherwise only the initial netns could make it the default */
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "iftpv",
	.owner		= THIS_MODULE,
	.init		= iftpv_init,
	.ssthresh	= iftpv_ssthresh,
	.undo_cwnd	= iftpv_undo_cwnd,
	.set_state	= iftpv_set_state,
	.in_ack_event	= iftpv_in_ack_event,
	.min_tso_segs	= iftpv_min_tso_segs,
	.get_info	= iftpv_get_info,
	TCP_CONG_CONTROL_OP(iftpv_cong_control),
	TCP_CWND_EVENT_TX_START_OP(iftpv_tx_start),
};

static int __init iftpv_module_init(void)
{
	int err;

	BUILD_BUG_ON(sizeof(struct iftpv_flow) > ICSK_CA_PRIV_SIZE);

	err = tcp_register_congestion_control(&iftpv_ops);
	/* modprobe takes -EEXIST as success: it means a module that is already loaded */
	return err == -EEXIST ? -EBUSY : err;
}

static void __exit iftpv_module_exit(void)
{
	tcp_unregister_congestion_control(&iftpv_ops);
}

module_init(iftpv_module_init);
module_exit(iftpv_module_exit);

MODULE_DESCRIPTION("TCP congestion control that distinguishes random losses from congestion");
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FL_VERSION);
/* the kernel requests this name to load the algorithm "iftpv" */
MODULE_ALIAS("tcp_iftpv");
