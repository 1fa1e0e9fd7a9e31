/* SPDX-License-Identifier: GPL-2.0 */
/* What the module's files share: its parameters, a connection's state, and their functions. */
#ifndef _TCP_IFTPV_IFTPV_H
#define _TCP_IFTPV_IFTPV_H

#include <linux/limits.h>
#include <linux/types.h>
#include <linux/win_minmax.h>
#include <net/inet_connection_sock.h>
#include "decision.h"

struct rate_sample;

#define IFTPV_WINDOW_MIN	2	/* packets, as RFC 5681 has it after a loss */

/**
 * struct iftpv_param - a parameter that is a number in a range
 * @value: the number, where param_get_uint() finds it
 * @min: least value
 * @max: greatest value
 * @unit: what it counts
 */
struct iftpv_param {
	unsigned int value;
	unsigned int min;
	unsigned int max;
	const char *unit;
};

extern struct iftpv_param iftpv_beta;
extern struct iftpv_param iftpv_base_window;
extern struct iftpv_param iftpv_ease;
extern struct iftpv_param iftpv_scale;
extern struct iftpv_param iftpv_loss_tolerance;
extern bool iftpv_veno_growth;

/*
 * Round-trip times of a flow: the smoothed one, and the least within a window of time, which
 * stands for the path without queues until the path is another one.
 */

#define IFTPV_RTT_SHIFT		3	/* of smoothed, as in RFC 6298: a sample counts 1/8 */
#define IFTPV_RTT_MAX		(U32_MAX >> IFTPV_RTT_SHIFT)	/* us, 8.9 minutes */

/**
 * struct iftpv_rtt - round-trip times of a flow; all 0 at its beginning
 * @least: the least in the window of time, in us; 0 before the first sample
 * @smoothed: in us << IFTPV_RTT_SHIFT, 0 if there is none
 */
struct iftpv_rtt {
	struct minmax least;
	u32 smoothed;
};

/**
 * iftpv_rtt_base() - round-trip time without queues
 * @r: of the flow
 *
 * Return: in us, 0 before the first sample
 */
static inline u32 iftpv_rtt_base(const struct iftpv_rtt *r)
{
	return minmax_get(&r->least);
}

/**
 * iftpv_rtt_actual() - smoothed round-trip time
 * @r: of the flow
 *
 * Return: in us, 0 if there is none
 */
static inline u32 iftpv_rtt_actual(const struct iftpv_rtt *r)
{
	return r->smoothed >> IFTPV_RTT_SHIFT;
}

/**
 * struct iftpv_flow - a connection
 * @rtt: its round-trip times
 * @ece: this acknowledgment has the echo of a congestion mark
 * @probed: a tail loss probe was under way when it came
 * @reduce: the core has asked for a threshold, and will say next what for
 * @answered: the window has been reduced for what this acknowledgment may echo
 * @presumed: this acknowledgment has begun a recovery, which has one packet counted as arrived
 * @course: what the tolerance changes in this recovery
 * @losses: what it has lost
 * @before: that before the last decision, in case it turns out to be wrong
 * @una: snd_una at the last acknowledgment
 * @lost: packets that had been found lost by then (tp->lost)
 */
struct iftpv_flow {
	struct iftpv_rtt rtt;
	u8 ece:1,
	   probed:1,
	   reduce:1,
	   answered:1,
	   presumed:1;
	struct iftpv_course course;
	struct iftpv_losses losses;
	struct iftpv_losses before;
	u32 una;
	u32 lost;
};

static inline struct iftpv_flow *iftpv_flow(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

/**
 * iftpv_flow_backlog() - the flow's backlog with a window
 * @flow: the connection
 * @n: packets, the window
 *
 * Return: in packets << IFTPV_SHIFT
 */
static inline u32 iftpv_flow_backlog(const struct iftpv_flow *flow, u32 n)
{
	return iftpv_backlog(n, iftpv_rtt_actual(&flow->rtt),
			     iftpv_rtt_base(&flow->rtt));
}

/**
 * iftpv_flow_queue() - how long the queue on the flow's path is
 * @flow: the connection
 *
 * Return: iftpv_gate_queue()
 */
static inline u16 iftpv_flow_queue(const struct iftpv_flow *flow)
{
	return iftpv_gate_queue(iftpv_rtt_actual(&flow->rtt),
				iftpv_rtt_base(&flow->rtt));
}

/**
 * iftpv_flow_beta() - the backlog from which on a loss is congestion
 * @n: packets, the window
 *
 * Return: in packets
 */
static inline u32 iftpv_flow_beta(u32 n)
{
	return iftpv_tolerance_beta(iftpv_loss_tolerance.value,
				    iftpv_beta.value, n);
}

/* samples.c */
void iftpv_measure(struct sock *sk, const struct rate_sample *rs);

/* window.c */
u32 iftpv_scale_loss(u32 n, enum iftpv_verdict verdict, u32 ease, u32 scale);
void iftpv_grow(struct sock *sk, u32 acked);
void iftpv_reduce(struct sock *sk, u32 acked, bool good);
void iftpv_pace(struct sock *sk);
void iftpv_tx_start(struct sock *sk);

/* episode.c */
u32 iftpv_ssthresh(struct sock *sk);
void iftpv_set_state(struct sock *sk, u8 state);
void iftpv_in_ack_event(struct sock *sk, u32 flags);
void iftpv_arrived(struct sock *sk, u32 acked, bool good);
u32 iftpv_undo_cwnd(struct sock *sk);

#endif /* _TCP_IFTPV_IFTPV_H */
