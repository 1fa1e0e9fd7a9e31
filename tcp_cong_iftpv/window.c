// SPDX-License-Identifier: GPL-2.0
/* The window: how it grows, shrinks and is spread over a round trip. */

#include <net/dst.h>
#include <net/tcp.h>
#include "iftpv.h"

/*
 * Windows of a flow that is worth several TCP flows (ElAarag and Hogg, section 7). It does as
 * that many flows would together (MulTCP, Crowcroft and Oechslin, CCR 1998): each of them grows
 * by a packet per round trip, and a loss is one flow's, of whose window it takes a part.
 *
 *	n + s per round trip; n * (1 - (1 - f) / s) where one flow would keep f * n
 *
 * Scales and shares are in percent.
 */

/**
 * iftpv_scale_loss() - the window after a loss
 * @n: packets, the window before
 * @verdict: anything but IFTPV_TIMEOUT
 * @ease: what IFTPV_EASE leaves of a flow's window
 * @scale: TCP flows that this one is worth, at least 100
 *
 * Return: in packets
 */
u32 iftpv_scale_loss(u32 n, enum iftpv_verdict verdict, u32 ease, u32 scale)
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
static u32 iftpv_scale_growth(u32 n, u32 scale, bool slow)
{
	return max_t(u32, div_u64((u64)n * 100, scale), 1) << slow;
}

static bool iftpv_waits(const struct sock *sk)
{
	u32 n = tcp_snd_cwnd(tcp_sk(sk));

	return iftpv_is_backlogged(iftpv_flow_backlog(iftpv_flow(sk), n),
				   iftpv_flow_beta(n));
}

/* Where losses are random none of them says that the window is large enough. */
static bool iftpv_starts_too_long(const struct sock *sk)
{
	return iftpv_loss_tolerance.value & IFTPV_PART_START &&
	       iftpv_gate_is_open(&iftpv_flow(sk)->losses) && iftpv_waits(sk);
}

/**
 * iftpv_grow() - packets arrived: let the window grow
 * @sk: the connection
 * @acked: how many
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
 * Proportional rate reduction (RFC 6937): what may be sent while a loss is recovered from, so
 * that the window has become what the loss leaves of it when that is done. Packets leave as
 * others arrive, never in one burst.
 */

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
static u32 iftpv_reduction_window(const struct iftpv_reduction *r,
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
static u32 iftpv_gap_packets(enum iftpv_phase phase, u32 n, u32 scale)
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

/* Until there is a round-trip time packets leave as the core has it. A recovery that another
 * congestion control has begun may have no threshold (BBR's).
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
	/* sch_fq reads it without the lock */
	WRITE_ONCE(sk->sk_pacing_rate,
		   min_t(u64, rate, READ_ONCE(sk->sk_max_pacing_rate)));
}

/*
 * Window of a flow that has been idle (RFC 2861): what it knew of the path grows old, so the
 * window is halved for each retransmission timeout that went by. The core does this for others;
 * a congestion control that owns the window has to do it itself.
 */

/**
 * iftpv_idle_window() - the window after a pause
 * @n: packets, the window before it
 * @restart: packets below which it does not fall, unless it was there before
 * @idle: how long it took
 * @rto: retransmission timeout, in the same unit, not 0
 *
 * Return: in packets
 */
static u32 iftpv_idle_window(u32 n, u32 restart, u32 idle, u32 rto)
{
	/* a pause that is over with the timeout is none */
	u32 halvings = idle ? (idle - 1) / rto : 0;

	return max(n >> min_t(u32, halvings, 31), min(n, restart));
}

static u32 iftpv_initial_window(struct sock *sk)
{
	const struct dst_entry *dst = __sk_dst_get(sk);
	u32 n = dst ? dst_metric(dst, RTAX_INITCWND) : 0;

	return n ?: TCP_INIT_CWND;
}

/* Nothing is under way, and a packet is sent: after a pause unless all of it has been lost. */
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
