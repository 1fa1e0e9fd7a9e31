/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/tcp.h>; not needed from 7.1 on, except tcp_skb_tsval() and
 * tcp_retrans_elapsed(), which replace a sum and a difference.
 *
 * A congestion control uses TCP_CONG_CONTROL(function) and TCP_CWND_EVENT_TX_START(function)
 * once, and the same macros with _OP in its struct tcp_congestion_ops.
 */
#ifndef _COMPAT_NET_TCP_H
#define _COMPAT_NET_TCP_H

#include_next <net/tcp.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define tcp_rto_max compat_tcp_rto_max
/* Before 6.15, the maximum was the same for all sockets. */
static inline unsigned int tcp_rto_max(const struct sock *sk)
{
	return TCP_RTO_MAX;
}
#endif

/* The TSval (RFC 7323) of the last transmission of a segment. */
static inline u32 tcp_skb_tsval(const struct tcp_sock *tp,
				const struct sk_buff *skb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	/* Before 6.7, the unit was always ms. */
	return tcp_skb_timestamp(skb) + tp->tsoffset;
#else
	return tcp_skb_timestamp_ts(tp->tcp_usec_ts, skb) + tp->tsoffset;
#endif
}

/* ms since the first retransmission of the unacknowledged data (retrans_stamp). */
static inline u32 tcp_retrans_elapsed(const struct tcp_sock *tp)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	return tcp_time_stamp_raw() - tp->retrans_stamp;
#else
	u32 elapsed = tcp_clock_ts(tp->tcp_usec_ts) - tp->retrans_stamp;

	return tp->tcp_usec_ts ? elapsed / USEC_PER_MSEC : elapsed;
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
/* Before 6.10, cong_control() had neither the acknowledgment nor its flags as arguments. The flags
 * are private to the core, so the flags are 0 here.
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
/* Before 7.1, the start of a transmission was one event of cwnd_event(). */
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
