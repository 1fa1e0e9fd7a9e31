// SPDX-License-Identifier: GPL-2.0
/*
 * A TCP sender of 2003, for figures 5 and 10 (Gurtov and Ludwig 2003): Reno whose retransmission
 * timer is RFC 2988's (rfc2988.h) instead of Linux's. Three congestion controls have it:
 *
 *	reno_2003	times one segment at a time, as a sender without time stamps has to
 *	reno_1323	takes a sample from each acknowledgment of new data, as one with the time
 *			stamps of RFC 1323 may. It sends none itself: by them Linux would find out
 *			spurious timeouts, which a sender of 2003 does not.
 *	eifel_cc	Eifel-CC of section V.B: stops sending again what has arrived, but leaves
 *			the window as the timeout has made it. Linux's Reno has no switch for that.
 *
 * With time stamps, by which Linux takes back a spurious timeout (the Eifel algorithm), all of them
 * take each sample. What may have been sent twice is none (Karn).
 *
 * Linux computes its own timeout at each acknowledgment; pkts_acked() is called after that and
 * before the timer starts anew, and replaces it. That the timer starts anew with each
 * acknowledgment of new data (5.3) is Linux's doing already. SACK may start it anew as well,
 * which RFC 2988 does not know.
 *
 * Of the lab alone: it is never installed.
 */
#include <linux/module.h>
#include <net/tcp.h>
#include "rfc2988.h"

/**
 * struct sender_2003 - a connection's state
 * @timer: its timer
 * @timed: the first byte of the segment that is timed, or will be once it is sent
 * @una: the first byte that was not acknowledged before the last acknowledgment
 * @sent: when the timed segment was, us on the clock of tcp_mstamp
 * @each: each acknowledgment of new data is a sample, none is of the timed segment
 */
struct sender_2003 {
	struct rfc2988 timer;
	u32 timed;
	u32 una;
	u64 sent;
	bool each;
};

static struct sender_2003 *sender_2003(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

/* What is sent from now on for the first time. */
static void sender_2003_time_next(struct sock *sk)
{
	sender_2003(sk)->timed = tcp_sk(sk)->snd_nxt;
}

static void sender_2003_set_timeout(struct sock *sk)
{
	u32 us = rfc2988_timeout(&sender_2003(sk)->timer);

	inet_csk(sk)->icsk_rto = min_t(unsigned long, usecs_to_jiffies(us),
				       TCP_RTO_MAX);
}

/* The SYN is the first sample, unless it was sent twice. */
static void sender_2003_init(struct sock *sk)
{
	struct sender_2003 *sender = sender_2003(sk);
	const struct tcp_sock *tp = tcp_sk(sk);

	*sender = (struct sender_2003){
		.una = tp->snd_una,
		.sent = tp->tcp_mstamp,
		.each = tp->rx_opt.tstamp_ok,
	};
	if (tp->srtt_us)
		rfc2988_sample(&sender->timer, tp->srtt_us >> 3);
	sender_2003_time_next(sk);
	sender_2003_set_timeout(sk);
}

static void reno_1323_init(struct sock *sk)
{
	sender_2003_init(sk);
	sender_2003(sk)->each = true;
}

/* Asked each time before new segments are sent: the timed one, if it has not been sent yet, is
 * not sent earlier than now. The answer, one segment at a time, is of 2003 as well.
 */
static u32 sender_2003_before_sending(struct sock *sk)
{
	struct sender_2003 *sender = sender_2003(sk);
	const struct tcp_sock *tp = tcp_sk(sk);

	if (sender->timed == tp->snd_nxt)
		sender->sent = tp->tcp_mstamp;
	return 1;
}

/* A timeout, as any retransmission, ends the timing: what is acknowledged may be either copy. */
static void sender_2003_set_state(struct sock *sk, u8 state)
{
	if (state == TCP_CA_Loss)
		sender_2003(sk)->timer.expiries++;
	if (state == TCP_CA_Loss || state == TCP_CA_Recovery)
		sender_2003_time_next(sk);
}

/* An acknowledgment that covers what was sent twice has no round-trip time. */
static void sender_2003_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct sender_2003 *sender = sender_2003(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	bool timed = after(tp->snd_una, sender->timed);

	if (sample->rtt_us >= 0 && sender->each && tp->snd_una != sender->una)
		rfc2988_sample(&sender->timer, sample->rtt_us);
	if (sample->rtt_us >= 0 && !sender->each && timed)
		rfc2988_sample(&sender->timer, tp->tcp_mstamp - sender->sent);
	if (timed)
		sender_2003_time_next(sk);
	sender->una = tp->snd_una;
	sender_2003_set_timeout(sk);
}

/* The window stays. Without a prior threshold the caller leaves the threshold, too. */
static u32 eifel_cc_undo_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tp->prior_ssthresh = 0;
	return tcp_snd_cwnd(tp);
}

static struct tcp_congestion_ops reno_2003 __read_mostly = {
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "reno_2003",
	.owner		= THIS_MODULE,
	.init		= sender_2003_init,
	.set_state	= sender_2003_set_state,
	.min_tso_segs	= sender_2003_before_sending,
	.pkts_acked	= sender_2003_acked,
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= tcp_reno_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,
};

static struct tcp_congestion_ops reno_1323 __read_mostly = {
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "reno_1323",
	.owner		= THIS_MODULE,
	.init		= reno_1323_init,
	.set_state	= sender_2003_set_state,
	.min_tso_segs	= sender_2003_before_sending,
	.pkts_acked	= sender_2003_acked,
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= tcp_reno_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,
};

static struct tcp_congestion_ops eifel_cc __read_mostly = {
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "eifel_cc",
	.owner		= THIS_MODULE,
	.init		= sender_2003_init,
	.set_state	= sender_2003_set_state,
	.min_tso_segs	= sender_2003_before_sending,
	.pkts_acked	= sender_2003_acked,
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= tcp_reno_cong_avoid,
	.undo_cwnd	= eifel_cc_undo_cwnd,
};

static struct tcp_congestion_ops *const senders_2003[] = {
	&reno_2003, &reno_1323, &eifel_cc,
};

static void sender_2003_unregister(int number)
{
	while (number--)
		tcp_unregister_congestion_control(senders_2003[number]);
}

static int __init tcp_2003_init(void)
{
	int i, ret;

	BUILD_BUG_ON(sizeof(struct sender_2003) > ICSK_CA_PRIV_SIZE);
	for (i = 0; i < ARRAY_SIZE(senders_2003); i++) {
		ret = tcp_register_congestion_control(senders_2003[i]);
		if (ret) {
			sender_2003_unregister(i);
			return ret;
		}
	}
	return 0;
}

static void __exit tcp_2003_exit(void)
{
	sender_2003_unregister(ARRAY_SIZE(senders_2003));
}

module_init(tcp_2003_init);
module_exit(tcp_2003_exit);

MODULE_DESCRIPTION("TCP Reno with RFC 2988's retransmission timer");
MODULE_LICENSE("GPL");
