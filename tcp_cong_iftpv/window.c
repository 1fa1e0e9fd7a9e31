// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the window after a loss, the growth of the window, the proportional rate
 * reduction, the pacing rate, and the window after an idle time.
 */

#include <net/dst.h>
#include <net/tcp.h>
#include "iftpv.h"

static bool iftpv_waits(const struct sock *sk)
{
	u32 n = tcp_snd_cwnd(tcp_sk(sk));

	return iftpv_is_backlogged(iftpv_flow_backlog(iftpv_flow(sk), n),
				   iftpv_flow_beta(n));
}

/* Checks whether a backlog shows that slow start must end. Random losses do not show that
 * the window is large enough.
 */
static bool iftpv_starts_too_long(const struct sock *sk)
{
	return iftpv_loss_tolerance.value & IFTPV_PART_START &&
	       iftpv_gate_is_open(&iftpv_flow(sk)->losses) && iftpv_waits(sk);
}

/**
 * iftpv_grow() - increase the window, as Reno does
 * @sk: the connection
 * @acked: newly acknowledged packets
 */
void iftpv_grow(struct sock *sk, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		if (iftpv_starts_too_long(sk))
			WRITE_ONCE(tp->snd_ssthresh, tcp_snd_cwnd(tp));
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, iftpv_scale_growth(tcp_snd_cwnd(tp),
						 iftpv_scale.value,
						 iftpv_veno_growth &&
						 iftpv_waits(sk)),
			  acked);
}

/*
 * Proportional rate reduction (RFC 6937) sends packets in a recovery only as fast as other
 * packets are delivered, and never in one burst. At the end of the recovery, the window has
 * the size that the verdict leaves. The core does not reduce the window of a congestion
 * control that has cong_control(). The core's function tcp_cwnd_reduction() is not exported
 * to modules.
 */

/**
 * struct iftpv_reduction - a recovery; all numbers are packets
 * @from: the window before the recovery (RecoverFS), not 0
 * @to: the window after the recovery (ssthresh)
 * @delivered: packets delivered since the recovery began (prr_delivered)
 * @out: packets sent since the recovery began (prr_out)
 */
struct iftpv_reduction {
	u32 from;
	u32 to;
	u32 delivered;
	u32 out;
};

/* Returns the window in a recovery. @in_flight is called pipe in the RFC. @acked is the
 * number of packets that the current ACK has delivered, and is not 0. @r already includes
 * these packets. @good is true if snd_una has moved and no further packet was lost.
 *
 * If more packets are in flight than the final window allows, packets are sent in
 * proportion to the delivered packets. If fewer packets are in flight, packets may be sent
 * until the final window is full, within a bound. The recovery may send as many packets as
 * were delivered (conservative reduction bound of the RFC), and each ACK may send at least as
 * many packets as it has delivered. If @good is true, one more packet may be sent (slow start
 * reduction bound of the RFC). The first packet of a recovery may be sent immediately.
 */
static u32 iftpv_reduction_window(const struct iftpv_reduction *r,
				  u32 in_flight, u32 acked, bool good)
{
	s64 space = (s64)r->to - in_flight;
	s64 send;

	if (space < 0)
		send = div_u64((u64)r->to * r->delivered + r->from - 1,
			       r->from) - r->out;
	else
		send = min(space, max_t(s64, (s64)r->delivered - r->out, acked) +
				 good);
	return in_flight + max_t(s64, send, !r->out);
}

/**
 * iftpv_reduce() - set the window during a recovery
 * @sk: a connection in a recovery
 * @acked: number of packets that the current ACK has delivered, not 0
 * @good: whether snd_una has moved and no further packet was lost
 */
void iftpv_reduce(struct sock *sk, u32 acked, bool good)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct iftpv_reduction r;

	tp->prr_delivered += acked;
	if (iftpv_flow(sk)->course.at_once) {
		tcp_snd_cwnd_set(tp, tp->snd_ssthresh);
		return;
	}
	r.from = tp->prior_cwnd;
	r.to = tp->snd_ssthresh;
	r.delivered = tp->prr_delivered;
	r.out = tp->prr_out;
	tcp_snd_cwnd_set(tp, iftpv_reduction_window(&r,
						    tcp_packets_in_flight(tp),
						    acked, good));
}

/* Returns the pacing rate in bytes of data per second, which is never 0. @packets comes
 * from iftpv_gap_packets(). @mss is at most 65535 bytes. @smoothed is a member of struct
 * iftpv_rtt, and is not 0.
 */
static u64 iftpv_gap_rate(u32 packets, u32 mss, u32 smoothed)
{
	u64 rate = (u64)packets * mss * (USEC_PER_SEC << IFTPV_RTT_SHIFT);

	return max_t(u64, div_u64(rate, smoothed), 1);
}

static enum iftpv_phase iftpv_phase(const struct sock *sk)
{
	const struct iftpv_course *course = &iftpv_flow(sk)->course;

	if (tcp_in_cwnd_reduction(sk) && !course->grows)
		return IFTPV_RECOVERY;
	if (tcp_in_cwnd_reduction(sk))
		return course->starting ? IFTPV_SLOW_START : IFTPV_AVOIDANCE;
	return tcp_in_slow_start(tcp_sk(sk)) ? IFTPV_SLOW_START :
					       IFTPV_AVOIDANCE;
}

/**
 * iftpv_pace() - set the pacing rate
 * @sk: the connection
 *
 * If the round-trip time is not known, the core's pacing rate stays. If another congestion
 * control has begun the recovery, the threshold may be unset, because BBR does not set a
 * threshold.
 */
void iftpv_pace(struct sock *sk)
{
	const struct iftpv_flow *flow = iftpv_flow(sk);
	enum iftpv_phase phase = iftpv_phase(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 n = tcp_in_cwnd_reduction(sk) ?
		min(tp->snd_ssthresh, tp->prior_cwnd) : tcp_snd_cwnd(tp);
	u64 rate;

	if (!flow->rtt.smoothed)
		return;
	rate = iftpv_gap_rate(iftpv_gap_packets(phase, n, iftpv_scale.value),
			      tp->mss_cache, flow->rtt.smoothed);
	/* sch_fq reads the rate without the socket's lock */
	WRITE_ONCE(sk->sk_pacing_rate,
		   min_t(u64, rate, READ_ONCE(sk->sk_max_pacing_rate)));
}

/* Returns the window after an idle time (RFC 2861). The window @n is halved for each
 * retransmission timeout @rto in the idle time, because the path may have changed. A window
 * larger than @restart does not fall below @restart, and a smaller window does not change. The
 * times @idle and @rto have the same unit, and @rto is not 0. The core reduces the window only for
 * congestion controls without cong_control(). The core's functions tcp_cwnd_restart() and
 * tcp_init_cwnd() are not exported to modules.
 */
static u32 iftpv_idle_window(u32 n, u32 restart, u32 idle, u32 rto)
{
	/* an idle time of exactly one timeout does not halve the window */
	u32 halvings = idle ? (idle - 1) / rto : 0;

	return max(n >> min_t(u32, halvings, 31), min(n, restart));
}

static u32 iftpv_initial_window(struct sock *sk)
{
	const struct dst_entry *dst = __sk_dst_get(sk);
	u32 n = dst ? dst_metric(dst, RTAX_INITCWND) : 0;

	return n ?: TCP_INIT_CWND;
}

/**
 * iftpv_tx_start() - tcp_congestion_ops: a packet is sent while no packet is in flight
 * @sk: the connection
 *
 * The flow was idle, or all packets in flight have been lost.
 */
void iftpv_tx_start(struct sock *sk)
{
	u32 rto = inet_csk(sk)->icsk_rto;
	struct tcp_sock *tp = tcp_sk(sk);
	u32 idle = tcp_jiffies32 - tp->lsndtime;

	if (!READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_slow_start_after_idle) ||
	    tp->packets_out || idle <= rto)
		return;
	WRITE_ONCE(tp->snd_ssthresh, tcp_current_ssthresh(sk));
	tcp_snd_cwnd_set(tp, iftpv_idle_window(tcp_snd_cwnd(tp),
					       iftpv_initial_window(sk), idle,
					       rto));
	iftpv_pace(sk);
}
