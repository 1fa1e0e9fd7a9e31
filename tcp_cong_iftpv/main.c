// SPDX-License-Identifier: GPL-2.0
/*
 * IFTPV: a congestion control for TCP. The module distinguishes random losses from congestion, and
 * paces the packets of a window evenly over the round trip. See Documentation/tcp_iftpv.rst.
 *
 * Source: H. ElAarag and C. Hogg, "Enhancement of IFTP for Transmission over Wireless Access
 * Networks". The decision about a loss comes from IFTPV, and the gaps between packets come
 * from IFTP. The paper describes IFTP and IFTPV for a transport without retransmissions.
 * The window grows as in Reno.
 *
 * The file samples.c measures the round-trip times RTTactual and RTTbase. The header net/iftpv.h
 * computes the backlog B = n * (RTTactual - RTTbase) / RTTactual, the loss rate C / (T' - T)
 * between random losses at T and T', the verdict, the window after a loss (n, 4n/5 or n/2) and the
 * packets of the next round trip (2n, n + 1 or n'). The file window.c turns them into windows and
 * gaps. The file episode.c handles losses, marks and timeouts: it calls the decision and sets the
 * threshold.
 *
 * The core sets the pacing rate after it has called cong_avoid(). The module therefore uses
 * cong_control() instead of cong_avoid(). With cong_control(), the module must also reduce
 * the window in a recovery and after an idle time.
 */

#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/fl_version.h>
#include <net/tcp.h>
#include "iftpv.h"

/* Checks whether the window may grow, by the same rule as the core. If an ACK does not move
 * snd_una, the window grows only on a path that is known to reorder packets.
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
	/* the two flags describe this ACK only */
	flow->ece = 0;
	flow->probed = 0;
}

/* Returns 1, because packets would leave in pairs with the core's default of 2. */
static u32 iftpv_min_tso_segs(struct sock *sk)
{
	return 1;
}

/* A module cannot add a structure to union tcp_cc_info. The module therefore uses struct
 * tcpvegas_info, which has fields for both round-trip times. The field tcpv_rttcnt contains
 * the backlog.
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

/* The round-trip time of the handshake is used for the gaps, but not for the base. On a
 * slow link, data packets need more time than the SYN.
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
	/* allows any user to select iftpv, and any network namespace to make it the default */
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
	/* modprobe treats -EEXIST as success, because -EEXIST means that a module is
	 * already loaded
	 */
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
/* the kernel requests the name "tcp_iftpv" to load the algorithm "iftpv" */
MODULE_ALIAS("tcp_iftpv");
