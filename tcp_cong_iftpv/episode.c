// SPDX-License-Identifier: GPL-2.0
/*
 * Episodes: what begins with a loss, a mark or a timeout and ends when all that was under way
 * then has arrived. Each has one verdict.
 *
 * The core asks for the threshold first and says what for in the call that follows at once,
 * which is where it is decided: iftpv_ssthresh(), iftpv_set_state().
 */

#include <net/tcp.h>
#include "iftpv.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* A window of data has one reduction for its losses and marks together (RFC 3168, section 6.1.2).
 * The receiver repeats a mark until it has seen CWR, which only new data says: what was sent again,
 * and ends a recovery, brings the echo once more, for which the core begins another episode.
 */
static bool iftpv_is_repeated(const struct iftpv_flow *flow)
{
	return flow->ece && flow->answered;
}

/**
 * iftpv_ssthresh() - a reduction of the window is due
 * @sk: the connection
 *
 * Return: half of the window, as Reno, or all that is left of it after one for the same mark;
 * iftpv_set_state() corrects it
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

/* The echo of a mark is evidence. A reduction without a loss is due to one, or to this host's
 * own queue, unless it is for a packet that was lost with nothing behind it, which a probe has
 * brought to light.
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
		/* not if the core has nothing to go back to */
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

/* A loss that was taken for a random one was none. */
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

/* As Reno. The core asks for no threshold if there is an episode already; nor if the path's MTU has
 * shrunk, which leaves nothing to be undone.
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

/* A reduction that was not taken back leaves the window at the threshold. */
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
	/* nothing of what was sent since, with CWR first, has arrived yet */
	if (!after(tp->snd_una, tp->high_seq))
		flow->answered = 1;
}

/* The window that the loss leaves grows as it would without a loss. If it outgrows the one before,
 * that is the one of which a mark or a timeout takes its part.
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

/* What was found lost is no longer under way: the old window would let as many packets leave at
 * once. RACK's timer begins a recovery without an acknowledgment, and cong_control() is not called
 * for one that is older than the last: so the first step is taken here. It counts one packet as
 * arrived, as the core does after the timer.
 */
static void iftpv_recover(struct sock *sk)
{
	iftpv_reduce(sk, 1, false);
	iftpv_flow(sk)->presumed = 1;
}

/**
 * iftpv_arrived() - packets arrived during a reduction of the window
 * @sk: the connection
 * @acked: how many; without one the window stays
 * @good: what was missing has begun to arrive, and nothing more was lost
 */
void iftpv_arrived(struct sock *sk, u32 acked, bool good)
{
	if (!acked)
		return;
	/* now it is known how many have */
	tcp_sk(sk)->prr_delivered -= iftpv_flow(sk)->presumed;
	if (iftpv_flow(sk)->course.grows)
		iftpv_grow_on(sk, acked);
	iftpv_reduce(sk, acked, good);
}

/**
 * iftpv_set_state() - the core is about to change what it is doing
 * @sk: the connection, in its old state
 * @state: the new one
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

/* Other congestion controls have reduced the window by now, so the core leaves it at that. */
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
 * iftpv_in_ack_event() - an acknowledgment came, and nothing was decided on it yet
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
 * iftpv_undo_cwnd() - an episode turned out to be none: nothing was lost
 * @sk: the connection
 *
 * Return: the window before it
 */
u32 iftpv_undo_cwnd(struct sock *sk)
{
	struct iftpv_flow *flow = iftpv_flow(sk);

	flow->losses = flow->before;
	flow->lost = tcp_sk(sk)->lost;
	return tcp_reno_undo_cwnd(sk);
}
