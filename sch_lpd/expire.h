/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that drop and cut packets. Except in a reset of the qdisc, only expire.c drops
 * or cuts queued packets.
 */
#ifndef _SCH_LPD_EXPIRE_H
#define _SCH_LPD_EXPIRE_H

#include "queue.h"

int lpd_refuse(struct Qdisc *sch, struct sk_buff *skb,
	       enum lpd_verdict verdict, struct sk_buff **to_free);
bool lpd_cut_head(struct Qdisc *sch, struct sk_buff *skb);
struct sk_buff *lpd_expire_in_dequeue(struct Qdisc *sch, struct sk_buff *skb,
				      s64 arrival, enum lpd_verdict found);
void lpd_expire_in_timer(struct Qdisc *sch, s64 arrival, unsigned int budget,
			 struct sk_buff **to_free);
enum lpd_verdict lpd_stale_on_arrival(struct lpd_sched_data *q,
				      struct sk_buff *skb);
int lpd_shrink_in_enqueue(struct Qdisc *sch, struct sk_buff *skb,
			  struct sk_buff **to_free);
void lpd_shrink_in_change(struct Qdisc *sch, s64 arrival, struct sk_buff **to_free);

/**
 * lpd_dead() - check whether another fragment of the packet's datagram was dropped
 * @q: the queue
 * @skb: the packet
 */
static inline bool lpd_dead(const struct lpd_sched_data *q,
			    const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->adu && q->cfg.adu &&
	       lpd_adu_is_dead(q->adus, lpd_skb_cb(skb)->adu);
}

/**
 * lpd_doomed() - check whether a queued packet is stale or belongs to a lost datagram
 * @q: the queue
 * @skb: the packet
 * @arrival: lpd_queue_arrival()
 */
static inline bool lpd_doomed(const struct lpd_sched_data *q,
			      const struct sk_buff *skb, s64 arrival)
{
	return lpd_dead(q, skb) || lpd_queue_stale(q, skb, arrival);
}

/**
 * lpd_fresh() - find the next packet to send
 * @sch: the qdisc; its queue is not empty
 * @arrival: lpd_queue_arrival()
 * @found: the verdict for stale packets that are found in this call. With LPD_STALE_DEQUEUE,
 *	the caller must remove the packet at once, see lpd_cut_head()
 *
 * Return: the packet, which is still queued; NULL if the timer must remove other packets
 * first
 */
static __always_inline struct sk_buff *lpd_fresh(struct Qdisc *sch, s64 arrival,
						 enum lpd_verdict found)
{
	struct lpd_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = lpd_queue_next(q);

	if (likely(!lpd_doomed(q, skb, arrival)) ||
	    (found == LPD_STALE_DEQUEUE && lpd_cut_head(sch, skb)))
		return skb;
	return lpd_expire_in_dequeue(sch, skb, arrival, found);
}

#endif /* _SCH_LPD_EXPIRE_H */
