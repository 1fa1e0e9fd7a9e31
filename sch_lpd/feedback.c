// SPDX-License-Identifier: GPL-2.0
/*
 * Reports expired packets. Sockets on this host get a report on their error queue. With the option
 * notify, any sender gets an ICMP message, which the module xlo_rto sends.
 *
 * A qdisc without notify does not need xlo_rto, so sch_lpd must load without xlo_rto.
 * Therefore sch_lpd does not link to the function xlo_notify(). For each configuration with
 * notify, symbol_get() finds the function and takes a reference to xlo_rto. While the qdisc
 * holds the reference, xlo_rto cannot be unloaded and the pointer cannot change. Reading
 * the pointer therefore needs no RCU.
 *
 * The alternative would be a pointer that xlo_rto sets when it is loaded. If sch_lpd
 * contained the pointer, xlo_rto would depend on sch_lpd. A third module for one pointer
 * would be too much. symbol_get() uses the kernel's table of exported symbols instead.
 * Other kernel modules use optional functions in the same way: vfio uses functions of kvm.
 *
 * sch_lpd does not load xlo_rto, because loading xlo_rto could deadlock. A request holds
 * RTNL, and loading xlo_rto takes the lock of the namespace operations. A task that creates
 * a namespace holds the lock of the namespace operations while it waits for RTNL.
 */

#include <linux/errqueue.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/timekeeping.h>
#include <net/sock.h>
#include "feedback.h"

/* Converts a monotonic time to the clock of the socket. */
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
 * Sockets ask for reports with SO_TXTIME and SOF_TXTIME_REPORT_ERRORS. The report goes to
 * the error queue of the socket, in the same form as the reports of the qdisc etf. ee_errno
 * is ECANCELED. ee_data and ee_info contain the deadline on the socket's clock. If memory
 * is short, no report is sent. lpd cannot call the function of etf, because that function
 * is static in sch_etf.c.
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
	/* Clear all bytes, because other layers, such as TCP, have stored their data in them. If
	 * the field port is not 0, recvmsg() uses the field addr_offset.
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

/**
 * lpd_notify_get() - find the function that sends ICMP messages
 * @notify: set to the function, which the caller later passes to lpd_notify_put()
 * @extack: set to an error message if xlo_rto is not loaded
 *
 * xlo_rto cannot be unloaded until lpd_notify_put() is called. Unloading it by force (rmmod
 * -f) is as dangerous as for any module found with symbol_get().
 *
 * Context: process
 *
 * Return: 0, or -ENOENT
 */
int lpd_notify_get(xlo_notify_fn **notify, struct netlink_ext_ack *extack)
{
	*notify = symbol_get(xlo_notify);
	if (*notify)
		return 0;
	NL_SET_ERR_MSG(extack, "lpd: notify: module xlo_rto is not loaded");
	return -ENOENT;
}

/**
 * lpd_notify_put() - release the reference to xlo_rto
 * @notify: the function, which must not be running; or NULL
 *
 * Context: process
 */
void lpd_notify_put(xlo_notify_fn *notify)
{
	if (notify)
		symbol_put(xlo_notify);
}
