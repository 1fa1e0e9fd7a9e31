// SPDX-License-Identifier: GPL-2.0
/*
 * An episode begins with a loss, an ECN mark or a timeout. An episode ends when all packets
 * that were in flight at its beginning have been acknowledged. Each episode has one
 * verdict.
 *
 * At the beginning of an episode, the core first calls iftpv_ssthresh() for a threshold, and does
 * not state the reason. Then the core calls iftpv_set_state() with the new state. iftpv_set_state()
 * makes the decision.
 */

#include <net/tcp.h>
#include "iftpv.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* All losses and marks of one window of data together cause one reduction (RFC 3168,
 * section 6.1.2). The receiver echoes a mark until it sees CWR, and only new data carries
 * CWR. The ACK of the retransmissions at the end of a recovery therefore still has the
 * echo. The core begins another episode for the late echo, but the window must not be
 * reduced again.
 */
static bool iftpv_is_repeated(const struct iftpv_flow *flow)
{
	return flow->ece && flow->answered;
}

/**
 * iftpv_ssthresh() - tcp_congestion_ops: return the threshold when the window must be
 * reduced
 * @sk: the connection
 *
 * Return: a provisional threshold in packets, which iftpv_set_state() corrects. The
 * threshold is one half of the window, as in Reno. If the window is already reduced for the
 * same mark, the threshold is the present threshold, or the window if the window is smaller
 */
u32 iftpv_ssthresh(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct iftpv_flow *flow = iftpv_flow(sk);

	flow->reduce = 1;
	if (iftpv_is_repeated(flow))
		return min(tp->snd_ssthresh, tcp_snd_cwnd(tp));
	return tcp_reno_ssthresh(sk);
}

/* The echo of a mark always means congestion. The state CWR has three possible causes: a
 * mark, a full queue of this host, or a lost last packet that a tail loss probe has
 * repaired. Only the loss that a tail loss probe has repaired may be random.
 */
static bool iftpv_is_congestion(const struct iftpv_flow *flow, u8 state)
{
	return flow->ece || (state == TCP_CA_CWR && !flow->probed);
}

static u32 iftpv_half(const struct tcp_sock *tp)
{
	return iftpv_scale_loss(tp->prior_cwnd, IFTPV_HALVE, iftpv_ease.value,
				iftpv_scale.value);
}

static u32 iftpv_after(const struct tcp_sock *tp, enum iftpv_verdict verdict,
		       u32 backlog)
{
	if (verdict == IFTPV_DRAIN)
		return iftpv_tolerance_drain(tp->prior_cwnd, iftpv_half(tp),
					     backlog);
	return iftpv_scale_loss(tp->prior_cwnd, verdict, iftpv_ease.value,
				iftpv_scale.value);
}

static void iftpv_begin(struct sock *sk, u8 state)
{
	struct iftpv_flow *flow = iftpv_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	struct iftpv_lost lost = {
		.now = tp->tcp_mstamp,
		.congested = iftpv_is_congestion(flow, state),
		.backlog = iftpv_flow_backlog(flow, tp->prior_cwnd),
		.beta = iftpv_flow_beta(tp->prior_cwnd),
		.queue = iftpv_flow_queue(flow),
		/* false if the core has no earlier threshold */
		.slow_start = tp->prior_ssthresh > tp->prior_cwnd,
	};
	enum iftpv_verdict verdict;

	flow->before = flow->losses;
	verdict = iftpv_tolerance_judge(&flow->losses,
					iftpv_loss_tolerance.value, &lost,
					&flow->course);
	WRITE_ONCE(tp->snd_ssthresh, iftpv_after(tp, verdict, lost.backlog));
	trace_iftpv_loss(sk, &flow->losses, lost.backlog, tp->snd_ssthresh,
			 verdict);
}

/* Replaces the verdict that a loss was random, because a mark or a timeout shows congestion. */
static void iftpv_overrule(struct sock *sk, u32 ssthresh)
{
	struct iftpv_flow *flow = iftpv_flow(sk);

	flow->losses = flow->before;
	flow->losses.congestion = true;
	flow->course = (struct iftpv_course){};
	WRITE_ONCE(tcp_sk(sk)->snd_ssthresh, ssthresh);
}

static bool iftpv_recovers_random(const struct sock *sk)
{
	const struct iftpv_flow *flow = iftpv_flow(sk);

	return tcp_in_cwnd_reduction(sk) &&
	       (!flow->losses.congestion || flow->course.drained);
}

/* Handles a timeout in the same way as Reno. The core does not call iftpv_ssthresh() if an
 * episode has already begun, or if the path's MTU has shrunk. If the MTU has shrunk,
 * undo_marker is 0, and there is no verdict to overrule.
 */
static void iftpv_timeout(struct sock *sk)
{
	struct iftpv_flow *flow = iftpv_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (flow->reduce) {
		flow->before = flow->losses;
		flow->losses.congestion = true;
	} else if (iftpv_recovers_random(sk) && tp->undo_marker) {
		iftpv_overrule(sk, max_t(u32, tp->prior_cwnd / 2,
					 IFTPV_WINDOW_MIN));
	} else {
		return;
	}
	trace_iftpv_loss(sk, &flow->losses,
			 iftpv_flow_backlog(flow, tp->prior_cwnd),
			 tcp_snd_cwnd(tp), IFTPV_TIMEOUT);
}

/* Ends an episode. The window is set to the threshold if the core has not undone the
 * reduction.
 */
static void iftpv_end(struct sock *sk)
{
	struct iftpv_flow *flow = iftpv_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_in_cwnd_reduction(sk) ||
	    tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH)
		return;
	if (inet_csk(sk)->icsk_ca_state == TCP_CA_CWR || tp->undo_marker)
		tcp_snd_cwnd_set(tp, tp->snd_ssthresh);
	if (flow->course.starting)
		WRITE_ONCE(tp->snd_ssthresh, tp->prior_ssthresh);
	/* no packet sent in the episode has been acknowledged, so the receiver has possibly not
	 * seen CWR
	 */
	if (!after(tp->snd_una, tp->high_seq))
		flow->answered = 1;
}

/* Lets the window grow in a recovery as it would grow without a recovery. prior_cwnd grows
 * with the window, because a later mark or timeout computes the new window from prior_cwnd.
 */
static void iftpv_grow_on(struct sock *sk, u32 acked)
{
	struct iftpv_course *course = &iftpv_flow(sk)->course;
	struct tcp_sock *tp = tcp_sk(sk);

	tcp_snd_cwnd_set(tp, tp->snd_ssthresh);
	if (course->starting)
		WRITE_ONCE(tp->snd_ssthresh, tp->prior_ssthresh);
	iftpv_grow(sk, acked);
	course->starting &= tcp_in_slow_start(tp);
	WRITE_ONCE(tp->snd_ssthresh, tcp_snd_cwnd(tp));
	tp->prior_cwnd = max(tp->prior_cwnd, tp->snd_ssthresh);
}

/* Makes the first step of the reduction. Lost packets are no longer in flight, so the old
 * window would allow a burst of as many packets as were lost. The first step cannot wait for
 * cong_control(). RACK's timer begins a recovery without an ACK, and the core does not call
 * cong_control() for an old ACK. The first step counts one packet as delivered, as the core
 * does after RACK's timer.
 */
static void iftpv_recover(struct sock *sk)
{
	iftpv_reduce(sk, 1, false);
	iftpv_flow(sk)->presumed = 1;
}

/**
 * iftpv_arrived() - handle an ACK that arrives during a reduction of the window
 * @sk: the connection
 * @acked: number of packets that the ACK has delivered; if 0, the window stays
 * @good: whether snd_una has moved and no further packet was lost
 */
void iftpv_arrived(struct sock *sk, u32 acked, bool good)
{
	if (!acked)
		return;
	/* subtract the packet that iftpv_recover() counted in advance */
	tcp_sk(sk)->prr_delivered -= iftpv_flow(sk)->presumed;
	if (iftpv_flow(sk)->course.grows)
		iftpv_grow_on(sk, acked);
	iftpv_reduce(sk, acked, good);
}

/**
 * iftpv_set_state() - tcp_congestion_ops: the core is about to change the state
 * @sk: the connection, which is still in the old state
 * @state: the new state, enum tcp_ca_state
 */
void iftpv_set_state(struct sock *sk, u8 state)
{
	struct iftpv_flow *flow = iftpv_flow(sk);

	switch (state) {
	case TCP_CA_CWR:
		if (iftpv_is_repeated(flow)) {
			flow->answered = 0;
			break;
		}
		fallthrough;
	case TCP_CA_Recovery:
		if (flow->reduce)
			iftpv_begin(sk, state);
		if (state == TCP_CA_Recovery)
			iftpv_recover(sk);
		break;
	case TCP_CA_Loss:
		iftpv_timeout(sk);
		break;
	default:
		iftpv_end(sk);
	}
	flow->reduce = 0;
}

/* Handles an ECN mark during a recovery. The core does not ask for another reduction,
 * because the core assumes that the beginning of the recovery has reduced the window. After
 * a random loss, the window was not reduced.
 */
static void iftpv_mark(struct sock *sk)
{
	struct iftpv_flow *flow = iftpv_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!iftpv_recovers_random(sk))
		return;
	iftpv_overrule(sk, iftpv_half(tp));
	flow->answered = 1;
	trace_iftpv_loss(sk, &flow->losses,
			 iftpv_flow_backlog(flow, tp->prior_cwnd),
			 tp->snd_ssthresh, IFTPV_HALVE);
}

/**
 * iftpv_in_ack_event() - tcp_congestion_ops: an ACK arrived, and the core has not processed it yet
 * @sk: the connection
 * @flags: enum tcp_ca_ack_event_flags
 */
void iftpv_in_ack_event(struct sock *sk, u32 flags)
{
	struct iftpv_flow *flow = iftpv_flow(sk);

	flow->presumed = 0;
	flow->ece = !!(flags & CA_ACK_ECE);
	flow->probed = !!tcp_sk(sk)->tlp_high_seq;
	flow->answered &= tcp_in_cwnd_reduction(sk);
	if (flow->ece)
		iftpv_mark(sk);
}

/**
 * iftpv_undo_cwnd() - tcp_congestion_ops: no packet was lost after all, so undo the episode
 * @sk: the connection
 *
 * Return: the window before the episode, in packets
 */
u32 iftpv_undo_cwnd(struct sock *sk)
{
	struct iftpv_flow *flow = iftpv_flow(sk);

	flow->losses = flow->before;
	flow->lost = tcp_sk(sk)->lost;
	return tcp_reno_undo_cwnd(sk);
}
