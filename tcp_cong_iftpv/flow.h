/* SPDX-License-Identifier: GPL-2.0 */
/* What is kept of a connection, in its socket: under the socket's lock. */
#ifndef _TCP_IFTPV_FLOW_H
#define _TCP_IFTPV_FLOW_H

#include <linux/types.h>
#include <net/inet_connection_sock.h>
#include "backlog.h"
#include "gate.h"
#include "loss.h"
#include "param.h"
#include "rtt.h"
#include "tolerance.h"

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

#endif /* _TCP_IFTPV_FLOW_H */
