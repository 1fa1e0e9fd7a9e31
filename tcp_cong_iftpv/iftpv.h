/* SPDX-License-Identifier: GPL-2.0 */
/* Declares the parameters, the state of a connection, and the functions that the files of
 * tcp_iftpv share.
 */
#ifndef _TCP_IFTPV_IFTPV_H
#define _TCP_IFTPV_IFTPV_H

#include <linux/limits.h>
#include <linux/types.h>
#include <linux/win_minmax.h>
#include <net/iftpv.h>
#include <net/inet_connection_sock.h>

struct rate_sample;

/**
 * struct iftpv_param - a numeric module parameter, which is constant after the module is
 * loaded
 * @value: the number; must be the first member, because param_get_uint() and
 *	param_set_uint_minmax() access the number there
 * @min: least value
 * @max: greatest value
 * @unit: unit, for error messages
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

#define IFTPV_RTT_SHIFT		3	/* RFC 6298: a sample has the weight 1/8 */
#define IFTPV_RTT_MAX		(U32_MAX >> IFTPV_RTT_SHIFT)	/* us, 8.9 minutes */

/**
 * struct iftpv_rtt - round-trip times of a flow; a new flow has all fields 0
 * @least: the least sample of the last "base_window" ms, in us; 0 before the first sample.
 *	The least sample is the estimate for the path without queues
 * @smoothed: smoothed round-trip time in us << IFTPV_RTT_SHIFT; 0 if it is not known
 */
struct iftpv_rtt {
	struct minmax least;
	u32 smoothed;
};

/**
 * iftpv_rtt_base() - round-trip time without queues
 * @r: the round-trip times of the flow
 *
 * Return: time in us, 0 before the first sample
 */
static inline u32 iftpv_rtt_base(const struct iftpv_rtt *r)
{
	return minmax_get(&r->least);
}

/**
 * iftpv_rtt_actual() - smoothed round-trip time
 * @r: the round-trip times of the flow
 *
 * Return: time in us, 0 if it is not known
 */
static inline u32 iftpv_rtt_actual(const struct iftpv_rtt *r)
{
	return r->smoothed >> IFTPV_RTT_SHIFT;
}

/**
 * struct iftpv_flow - state of a connection, stored in its socket and protected by the
 * socket's lock
 * @rtt: round-trip times
 * @ece: the current ACK has the ECN echo (ECE)
 * @probed: a tail loss probe was in flight when the current ACK arrived
 * @reduce: the core has called iftpv_ssthresh(), and calls iftpv_set_state() next
 * @answered: the window is already reduced for the ECN mark that the current ACK may echo
 * @presumed: a recovery has begun since the newest ACK arrived, and one packet was counted as
 *	delivered in advance
 * @course: how loss_tolerance changes the current recovery
 * @losses: the losses of the flow
 * @before: copy of @losses before the last decision, to undo the decision
 * @una: snd_una at the last ACK
 * @lost: tp->lost at the last ACK
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
 * iftpv_flow_backlog() - backlog of the flow, for a given window
 * @flow: the connection
 * @n: the window in packets
 *
 * Return: backlog in packets << IFTPV_SHIFT
 */
static inline u32 iftpv_flow_backlog(const struct iftpv_flow *flow, u32 n)
{
	return iftpv_backlog(n, iftpv_rtt_actual(&flow->rtt),
			     iftpv_rtt_base(&flow->rtt));
}

/**
 * iftpv_flow_queue() - length of the queue on the path of the flow
 * @flow: the connection
 *
 * Return: length in 1/65536 of a round trip, see iftpv_gate_queue()
 */
static inline u16 iftpv_flow_queue(const struct iftpv_flow *flow)
{
	return iftpv_gate_queue(iftpv_rtt_actual(&flow->rtt),
				iftpv_rtt_base(&flow->rtt));
}

/**
 * iftpv_flow_beta() - least backlog that means congestion, for a given window
 * @n: the window in packets
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
