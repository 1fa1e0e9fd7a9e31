// SPDX-License-Identifier: GPL-2.0
/*
 * Eifel-CC of figure 10 (Gurtov and Ludwig 2003, section V.B): TCP Reno that, when it finds
 * a timeout to have been spurious, stops sending again what has arrived, but leaves congestion
 * control as the timeout has made it. Linux's Reno takes that back as well, and has no switch.
 *
 * Of the lab alone: it is never installed.
 */
#include <linux/module.h>
#include <net/tcp.h>

/* The window stays. Without a prior threshold the caller leaves the threshold, too. */
static u32 eifel_cc_undo_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tp->prior_ssthresh = 0;
	return tcp_snd_cwnd(tp);
}

static struct tcp_congestion_ops eifel_cc __read_mostly = {
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "eifel_cc",
	.owner		= THIS_MODULE,
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= tcp_reno_cong_avoid,
	.undo_cwnd	= eifel_cc_undo_cwnd,
};

static int __init eifel_cc_init(void)
{
	return tcp_register_congestion_control(&eifel_cc);
}

static void __exit eifel_cc_exit(void)
{
	tcp_unregister_congestion_control(&eifel_cc);
}

module_init(eifel_cc_init);
module_exit(eifel_cc_exit);

MODULE_DESCRIPTION("TCP Reno that leaves congestion control as a spurious timeout makes it");
MODULE_LICENSE("GPL");
