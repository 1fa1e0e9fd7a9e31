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
 * Without savings (see below) the balance stays near 0 while both queues have packets, so the bytes
 * have the ratio of the shares. The unit of the balance is a hundredth of a byte. A queue may send
 * a packet that is longer than its balance, and then owes the rest. Therefore lpd need not know the
 * length of the class's next packet.
 *
 * Deficit round robin gives an empty queue nothing for later. But a video sends a key frame at
 * once and then little for a while. If the key frame got only its share of the link, it would be
 * late, although the video needs less than its share. Therefore lpd's own queue saves the share
 * that it does not use while the class sends: the balance becomes negative, until the own queue
 * could send LPD_SHARE_SAVED bytes before it is the turn of the class. Real-time traffic that
 * exceeds its share uses up the savings, and then gets its share only. The class saves nothing.
 *
 * While the own queue uses its savings, the class would have to wait. A second balance, the
 * guarantee, gives the class a fifth of its share during this time. It changes as the balance does,
 * with S / 5 instead of S. The class also sends if the guarantee is above 0.
 */
#ifndef _SCH_LPD_SHARE_H
#define _SCH_LPD_SHARE_H

#include <linux/minmax.h>
#include <linux/types.h>

#define LPD_SHARE_WHOLE		100	/* percent */
#define LPD_SHARE_GUARANTEED	(5 * LPD_SHARE_WHOLE)
#define LPD_SHARE_SAVED		1000000	/* bytes */

/**
 * struct lpd_share - whose turn it is
 * @balance: how much the class may send before it is the turn of lpd's own queue, in hundredths of
 *	a byte; negative if lpd's own queue may send first
 * @guarantee: the same for the guaranteed part of the share, in units of a byte divided by
 *	LPD_SHARE_GUARANTEED
 */
struct lpd_share {
	s64 balance;
	s64 guarantee;
};

/**
 * lpd_share_favours_class() - check whether it is the turn of the class
 * @s: the shares
 */
static inline bool lpd_share_favours_class(const struct lpd_share *s)
{
	return s->balance > 0 || s->guarantee > 0;
}

/**
 * lpd_share_owes() - check whether a queue must still pay with its next packets
 * @s: the shares
 */
static inline bool lpd_share_owes(const struct lpd_share *s)
{
	return s->balance > 0 || s->guarantee;
}

/**
 * lpd_share_charge_own() - charge a packet that lpd's own queue sends
 * @s: the shares
 * @bytes: length of the packet
 * @percent: share of the class, 1..99
 * @other_waits: whether the class has a packet to send; if not, the own queue no longer owes
 *	anything, and the packet only pays what the class owes of its guarantee
 */
static inline void lpd_share_charge_own(struct lpd_share *s, u32 bytes, u32 percent,
					bool other_waits)
{
	s->guarantee += (s64)bytes * percent;
	if (other_waits) {
		s->balance += (s64)bytes * percent;
		return;
	}
	s->balance = min_t(s64, s->balance, 0);
	s->guarantee = min_t(s64, s->guarantee, 0);
}

/**
 * lpd_share_charge_class() - charge a packet that the class sends
 * @s: the shares
 * @bytes: length of the packet
 * @percent: share of the class, 1..99
 * @other_waits: whether lpd's own queue has a packet to send; if not, the own queue saves its share
 */
static inline void lpd_share_charge_class(struct lpd_share *s, u32 bytes, u32 percent,
					  bool other_waits)
{
	s->balance -= (s64)bytes * (LPD_SHARE_WHOLE - percent);
	if (!other_waits) {
		s->balance = max_t(s64, s->balance, -(s64)LPD_SHARE_SAVED * percent);
		s->guarantee = min_t(s64, s->guarantee, 0);
		return;
	}
	/* the class owes at most one packet, whatever it has sent before */
	s->guarantee = max_t(s64, s->guarantee, 0) -
		       (s64)bytes * (LPD_SHARE_GUARANTEED - percent);
}

/**
 * lpd_share_charge() - charge a packet that is sent
 * @s: the shares
 * @class: whether the class sends the packet; otherwise, lpd's own queue sends the packet
 * @bytes: length of the packet
 * @percent: share of the class, 1..99
 * @other_waits: whether the other queue has a packet to send
 */
static inline void lpd_share_charge(struct lpd_share *s, bool class, u32 bytes, u32 percent,
				    bool other_waits)
{
	if (class)
		lpd_share_charge_class(s, bytes, percent, other_waits);
	else
		lpd_share_charge_own(s, bytes, percent, other_waits);
}

#endif /* _SCH_LPD_SHARE_H */
