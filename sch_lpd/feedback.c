// SPDX-License-Identifier: GPL-2.0
/* Report expired packets to senders on this host. */

#include <linux/errqueue.h>
#include <linux/timekeeping.h>
#include <net/sock.h>
#include "feedback.h"

/* Convert a monotonic time to the clock of the socket. */
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
 * @skb: the packet, which the caller drops afterwards
 * @deadline: its deadline, ns on the monotonic clock
 *
 * Sockets ask for reports with SO_TXTIME and SOF_TXTIME_REPORT_ERRORS. The report goes to the
 * error queue of the socket, in the same form as from etf: errno ECANCELED, and the deadline on the
 * clock of the socket in ee_data and ee_info. Without memory there is no report.
 *
 * Context: under the root lock of the qdisc tree, as in etf
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
	/* Clear all bytes: TCP has used them for something else, and recvmsg() would follow
	 * addr_offset if it found a port.
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
