// SPDX-License-Identifier: GPL-2.0
/* Telling a sender on this host of a packet that expired. */

#include <linux/errqueue.h>
#include <linux/timekeeping.h>
#include <net/sock.h>
#include "feedback.h"

/* A monotonic time on the clock that the socket reckons with. */
static u64 lpd_on_clock(s64 deadline, clockid_t clock)
{
	ktime_t time = ns_to_ktime(deadline);

	switch (clock) {
	case CLOCK_REALTIME:
		return ktime_to_ns(ktime_mono_to_real(time));
	case CLOCK_TAI:
		return ktime_to_ns(ktime_mono_to_any(time, TK_OFFS_TAI));
	default:
		return deadline;
	}
}

/**
 * lpd_feedback() - report an expired packet to the socket that sent it
 * @skb: the packet, about to be dropped
 * @deadline: its deadline, monotonic ns
 *
 * To sockets that asked for it (SO_TXTIME with SOF_TXTIME_REPORT_ERRORS), on their
 * error queue, as etf does: errno ECANCELED, the deadline on the socket's clock in
 * ee_data and ee_info. Under the root lock, where etf does it too.
 */
void lpd_feedback(struct sk_buff *skb, s64 deadline)
{
	struct sock_exterr_skb *report;
	struct sock *sk = skb->sk;
	struct sk_buff *clone;
	u64 time;

	if (!sk || !sk_fullsock(sk) || !sk->sk_txtime_report_errors)
		return;
	clone = skb_clone(skb, GFP_ATOMIC);
	if (!clone)
		return;
	time = lpd_on_clock(deadline, sk->sk_clockid);
	report = SKB_EXT_ERR(clone);
	/* all of it: recvmsg() follows addr_offset if there is a port, and what
	 * TCP left there is no such thing
	 */
	memset(report, 0, sizeof(*report));
	report->ee = (struct sock_extended_err){
		.ee_errno = ECANCELED,
		.ee_origin = SO_EE_ORIGIN_TXTIME,
		.ee_code = SO_EE_CODE_TXTIME_MISSED,
		.ee_data = upper_32_bits(time),
		.ee_info = lower_32_bits(time),
	};
	if (sock_queue_err_skb(sk, clone))
		kfree_skb(clone);
}
