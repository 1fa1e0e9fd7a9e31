/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/tcp.h>; not needed from 7.1 on, but for tcp_skb_tsval() and
 * tcp_retrans_elapsed(), which stand for a sum and a difference there.
 *
 * A congestion control says TCP_CONG_CONTROL(function) and TCP_CWND_EVENT_TX_START(function)
 * once, and the same with _OP in its struct tcp_congestion_ops.
 */
#ifndef _COMPAT_NET_TCP_H
#define _COMPAT_NET_TCP_H

#include_next <net/tcp.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define tcp_rto_max compat_tcp_rto_max
/* Before, it was the same for all. */
static inline unsigned int tcp_rto_max(const struct sock *sk)
{
	return TCP_RTO_MAX;
}
#endif

/* The TSval (RFC 7323) that a segment was sent with last. */
static inline u32 tcp_skb_tsval(const struct tcp_sock *tp,
				const struct sk_buff *skb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	/* Before, it was always in ms. */
	return tcp_skb_timestamp(skb) + tp->tsoffset;
#else
	return tcp_skb_timestamp_ts(tp->tcp_usec_ts, skb) + tp->tsoffset;
#endif
}

/* ms since the first retransmission of what is to be acknowledged, which retrans_stamp tells of. */
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
