/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/tcp.h>; not needed from 7.1 on.
 *
 * A congestion control says TCP_CONG_CONTROL(function) and TCP_CWND_EVENT_TX_START(function)
 * once, and the same with _OP in its struct tcp_congestion_ops.
 */
#ifndef _COMPAT_NET_TCP_H
#define _COMPAT_NET_TCP_H

#include_next <net/tcp.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
/* Before, cong_control() was not told of the acknowledgment, nor its flags, which are the
 * core's own.
 */
#define TCP_CONG_CONTROL(function)					\
static void function##_compat(struct sock *sk,				\
			      const struct rate_sample *rs)		\
{									\
	function(sk, tcp_sk(sk)->snd_una, 0, rs);			\
}

#define TCP_CONG_CONTROL_OP(function)	.cong_control = function##_compat
#else
#define TCP_CONG_CONTROL(function)
#define TCP_CONG_CONTROL_OP(function)	.cong_control = function
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
/* Before, this was one event among others. */
#define TCP_CWND_EVENT_TX_START(function)				\
static void function##_compat(struct sock *sk, enum tcp_ca_event event)	\
{									\
	if (event == CA_EVENT_TX_START)					\
		function(sk);						\
}

#define TCP_CWND_EVENT_TX_START_OP(function)	.cwnd_event = function##_compat
#else
#define TCP_CWND_EVENT_TX_START(function)
#define TCP_CWND_EVENT_TX_START_OP(function)	.cwnd_event_tx_start = function
#endif

#endif /* _COMPAT_NET_TCP_H */
