/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How lpd's own queue and its class share the link, by deficit round robin (M. Shreedhar and
 * G. Varghese, "Efficient Fair Queuing Using Deficit Round Robin", 1995).
 *
 * Deficit round robin serves queues in rounds, and each queue may send a quantum of bytes
 * per round. With only two queues, lpd needs no rounds. One number, the balance, says how
 * many bytes the class may send before it is the turn of lpd's own queue. A packet of n
 * bytes changes the balance as follows. S is the share of the class in percent:
 *
 *	own packet:		balance += n * S
 *	packet of the class:	balance -= n * (100 - S)
 *
 * While both queues have packets, the balance stays near 0, so the bytes have the ratio of the
 * shares. While one queue is empty, the other queue cannot get into debt, so the empty queue gains
 * nothing. A debt of the sending queue ends with its first packet. A claim of the sending queue
 * shrinks with each packet, down to 0.
 *
 * The unit of the balance is a hundredth of a byte. A queue may send a packet that is
 * longer than its balance, and then owes the rest. Therefore lpd need not know the length
 * of the class's next packet.
 */
#ifndef _SCH_LPD_SHARE_H
#define _SCH_LPD_SHARE_H

#include <linux/minmax.h>
#include <linux/types.h>

#define LPD_SHARE_WHOLE	100	/* percent */

/**
 * lpd_share_favours_class() - check whether it is the turn of the class
 * @balance: hundredths of a byte
 */
static inline bool lpd_share_favours_class(s64 balance)
{
	return balance > 0;
}

/**
 * lpd_share_charge() - charge a packet that is sent
 * @balance: hundredths of a byte
 * @class: whether the class sends the packet; otherwise, lpd's own queue sends the packet
 * @bytes: length of the packet
 * @percent: share of the class, 1..99
 * @other_waits: whether the other queue has a packet to send
 *
 * Return: the new balance
 */
static inline s64 lpd_share_charge(s64 balance, bool class, u32 bytes, u32 percent,
				   bool other_waits)
{
	if (class) {
		balance -= (s64)bytes * (LPD_SHARE_WHOLE - percent);
		return other_waits ? balance : max_t(s64, balance, 0);
	}
	balance += (s64)bytes * percent;
	return other_waits ? balance : min_t(s64, balance, 0);
}

#endif /* _SCH_LPD_SHARE_H */
