// SPDX-License-Identifier: GPL-2.0
/*
 * A TCP sender of 2003, for figures 5 and 10 (Gurtov and Ludwig 2003): Reno with RFC 2988's
 * retransmission timer (rfc2988.h) instead of Linux's timer. There are three congestion controls:
 *
 *	reno_2003	times one segment at a time, as a sender without time stamps must do
 *	reno_1323	takes a sample from each acknowledgment of new data, as a sender with the
 *			time stamps of RFC 1323 may. reno_1323 sends no time stamps, because Linux
 *			would use them to detect spurious timeouts; a sender of 2003 does not.
 *	eifel_cc	Eifel-CC of section V.B: after a spurious timeout it does not repeat
 *			segments that have arrived, but keeps the window that the timeout has set.
 *			Linux's Reno cannot be configured like this.
 *
 * With time stamps Linux undoes a spurious timeout (the Eifel algorithm), and all three congestion
 * controls take a sample from each acknowledgment. A segment that may have been sent twice gives no
 * sample (Karn).
 *
 * Linux computes its own timeout at each acknowledgment. Then it calls pkts_acked(), which
 * replaces the timeout, and restarts the timer. Linux already restarts the timer at each
 * acknowledgment of new data (5.3). An acknowledgment with SACK may also restart the timer, which
 * is not in RFC 2988.
 *
 * Only the lab uses this module; it is never installed.
 */
#include <linux/module.h>
#include <net/tcp.h>
#include "rfc2988.h"

/**
 * struct sender_2003 - a connection's state
 * @timer: estimate of the round-trip time
 * @timed: first byte of the segment that is timed, or will be timed once it is sent
 * @una: snd_una before the last acknowledgment
 * @sent: when the timed segment was sent, us on the clock of tcp_mstamp
 * @each: take a sample from each acknowledgment of new data instead of the timed segment
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

/* Chooses the next new segment as the timed segment. */
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

/* The core calls this function before it sends new segments. If the timed segment has not been sent
 * yet, the core may send it now. The function returns 1, because a sender of 2003 sends one segment
 * at a time.
 */
static u32 sender_2003_before_sending(struct sock *sk)
{
	struct sender_2003 *sender = sender_2003(sk);
	const struct tcp_sock *tp = tcp_sk(sk);

	if (sender->timed == tp->snd_nxt)
		sender->sent = tp->tcp_mstamp;
	return 1;
}

/* A retransmission ends the timing, because an acknowledgment may belong to either copy. */
static void sender_2003_set_state(struct sock *sk, u8 state)
{
	if (state == TCP_CA_Loss)
		sender_2003(sk)->timer.expiries++;
	if (state == TCP_CA_Loss || state == TCP_CA_Recovery)
		sender_2003_time_next(sk);
}

/* If an acknowledgment covers a segment that was sent twice, the core gives no round-trip time. */
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

/* Keeps the window. If there is no prior threshold, the caller also keeps the threshold. */
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
MODULE_AUTHOR("The Freshlink authors");
MODULE_LICENSE("GPL");
