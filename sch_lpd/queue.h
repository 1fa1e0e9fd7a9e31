/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of an lpd qdisc.
 *
 *	fifo:    A -> B -> C -> D -> E	every packet, in order of arrival
 *	index:        B    D		the packets that may become stale; with order
 *					edf also the packets that have been cut
 *
 * The index knows which packet becomes stale next. The packet to be sent next is the
 * head of the FIFO. With order edf, if the head is in the index, the index names another
 * packet, which is sent in place of the head. A packet is only in the FIFO if it has no
 * lifetime, or if it is to be sent even when it is stale.
 *
 * Everything here runs under the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_QUEUE_H
#define _SCH_LPD_QUEUE_H

#include <linux/hrtimer.h>
#include <net/sch_generic.h>
#include "adu.h"
#include "feedback.h"
#include "flow.h"
#include "index.h"
#include "verdict.h"

/**
 * struct lpd_config - what TCA_OPTIONS configures
 * @limit: packets
 * @memory: bytes of buffer memory
 * @stale: enum tc_lpd_stale
 * @rate: rate of the link below, bytes/s, 0 for unlimited
 * @delay: delay of the link below, ns
 * @lifetime: default lifetime in ns, 0 for none
 * @order: enum tc_lpd_order
 * @overflow: enum tc_lpd_overflow
 * @keep: bytes of UDP payload that stay when a packet is cut
 * @adu: fragments of one datagram are dropped together
 * @strip: the option is removed from packets that leave
 * @notify: an ICMP message reports a packet that was discarded because it was stale to
 *	the packet's source
 * @exempt: @lifetime is not for packets whose option says "none"
 */
struct lpd_config {
	u32 limit;
	u32 memory;
	u8 stale;
	u64 rate;
	u64 delay;
	u64 lifetime;
	u8 order;
	u8 overflow;
	u32 keep;
	bool adu;
	bool strip;
	bool notify;
	bool exempt;
};

/**
 * struct lpd_sched_data - private data of an lpd qdisc
 * @fifo: every queued packet
 * @pool: the entries of the packets in @index
 * @index: packets that may become stale and, with order edf, packets that have been cut
 * @seq: number of the next packet that gets an entry
 * @latest: with order edf, the highest @seq of the packets sent so far
 * @flows: with order edf, LPD_FLOWS flows of the packets in @index; otherwise NULL
 * @adus: fragmented datagrams; NULL if @cfg.adu was never on
 * @memory: sum of lpd_packet_memory() of the queued packets
 * @cfg: configuration; written under RTNL and the root lock
 * @notify: sends the messages of @cfg.notify; NULL without that option; written as @cfg
 * @link: @cfg.rate, prepared for multiplication
 * @timer_at: when @timer fires, monotonic ns; S64_MAX if it is not pending
 * @timer: discards packets that expire while nobody dequeues
 * @sch: the qdisc
 * @stats: counters by enum tca_lpd_stats, without those that are no simple counter
 * @remaining: histogram TCA_LPD_STATS_REMAINING
 */
struct lpd_sched_data {
	struct sk_buff_head fifo;
	struct lpd_pool pool;
	struct lpd_index index;
	u32 seq;
	u32 latest;
	struct lpd_flow *flows;
	struct lpd_adus *adus;
	u64 memory;
	struct lpd_config cfg;
	xlo_notify_fn *notify;
	struct psched_ratecfg link;
	s64 timer_at;
	struct hrtimer timer;
	struct Qdisc *sch;
	u64 stats[TCA_LPD_STATS_MAX + 1];
	u64 remaining[TC_LPD_HIST_BUCKETS];
};

/**
 * struct lpd_spot - the position of a queued packet
 * @before: the packet behind it in the FIFO; NULL if it is the last packet
 * @entry: a copy of its entry; @entry.skb is NULL if it has no entry
 */
struct lpd_spot {
	struct sk_buff *before;
	struct lpd_entry entry;
};

void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb, s64 key);
struct lpd_entry *lpd_queue_spare(struct lpd_sched_data *q,
				  struct sk_buff *skb);
void lpd_queue_unspare(struct lpd_sched_data *q, struct lpd_entry *e);
struct lpd_spot lpd_queue_spot(struct lpd_sched_data *q, struct sk_buff *skb);
void lpd_queue_insert_at(struct Qdisc *sch, struct sk_buff *skb,
			 struct lpd_spot *spot);
void lpd_queue_unlink(struct Qdisc *sch, struct sk_buff *skb);
void lpd_queue_take(struct Qdisc *sch, struct sk_buff *skb);
void lpd_queue_keep(struct lpd_sched_data *q, struct sk_buff *skb);
void lpd_queue_restore(struct lpd_sched_data *q);
void lpd_queue_rebuild(struct lpd_sched_data *q);
void lpd_queue_reset(struct Qdisc *sch);

/**
 * lpd_queue_next() - find the packet whose turn it is
 * @q: the queue
 *
 * With order edf, the packets in the index share their positions in the FIFO. The packet
 * with the earliest place gets the first of these positions. So all other packets wait no
 * longer than with order fifo, and neither kind of packet can starve the other.
 *
 * Return: the packet; NULL if nothing is queued
 */
static inline struct sk_buff *lpd_queue_next(const struct lpd_sched_data *q)
{
	struct sk_buff *head = skb_peek(&q->fifo);

	if (head && q->flows && lpd_pool_has(head))
		return lpd_index_next(&q->index)->skb;
	return head;
}

/**
 * lpd_queue_treatment() - what happens to a packet once it is stale
 * @q: the queue
 * @skb: the packet, its control block filled
 *
 * Return: enum tc_lpd_stale, never TC_LPD_STALE_HONOR
 */
static inline u8 lpd_queue_treatment(const struct lpd_sched_data *q,
				     const struct sk_buff *skb)
{
	return q->cfg.stale == TC_LPD_STALE_HONOR ? lpd_skb_cb(skb)->stale :
						    q->cfg.stale;
}

/* Whether a packet is discarded or cut once it is stale, or has been cut already. */
static inline bool lpd_queue_heeds(const struct lpd_sched_data *q,
				   const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->deadline != LPD_NO_DEADLINE &&
	       lpd_queue_treatment(q, skb) != TC_LPD_STALE_FORWARD;
}

/**
 * lpd_queue_may_expire() - whether a packet is discarded or cut once it is stale
 * @q: the queue
 * @skb: the packet, its control block filled
 */
static inline bool lpd_queue_may_expire(const struct lpd_sched_data *q,
					const struct sk_buff *skb)
{
	return !lpd_skb_cb(skb)->cut && lpd_queue_heeds(q, skb);
}

/**
 * lpd_queue_key() - the time after which a packet is stale
 * @q: the queue
 * @skb: the packet; it has a deadline
 *
 * Return: monotonic time in ns
 */
static inline s64 lpd_queue_key(const struct lpd_sched_data *q,
				const struct sk_buff *skb)
{
	s64 key = lpd_skb_cb(skb)->deadline - q->cfg.delay;

	if (q->cfg.rate)
		key -= psched_l2t_ns(&q->link, qdisc_pkt_len(skb));
	return key;
}

/**
 * lpd_queue_stale() - whether a queued packet is stale and is to be discarded or cut
 * @q: the queue
 * @skb: the packet
 * @now: monotonic time in ns
 */
static inline bool lpd_queue_stale(const struct lpd_sched_data *q,
				   const struct sk_buff *skb, s64 now)
{
	const struct lpd_entry *e;

	if (!lpd_pool_has(skb))
		return false;
	e = lpd_pool_entry(&q->pool, skb);
	return lpd_is_stale(e->key, now) && lpd_index_expires(e);
}

static inline void lpd_queue_account(struct Qdisc *sch, struct sk_buff *skb,
				     u32 memory)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->memory += memory;
	qdisc_qlen_inc(sch);
	qdisc_qstats_backlog_inc(sch, skb);
}

/**
 * lpd_queue_append() - put a packet without an entry at the end of the queue
 * @sch: the qdisc
 * @skb: the packet
 * @memory: lpd_packet_memory() of the packet
 */
static inline void lpd_queue_append(struct Qdisc *sch, struct sk_buff *skb,
				    u32 memory)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	__skb_queue_tail(&q->fifo, skb);
	lpd_queue_account(sch, skb, memory);
}

/**
 * lpd_queue_detach() - take a packet without an entry out of the queue
 * @sch: the qdisc
 * @skb: a queued packet
 * @memory: lpd_packet_memory() of the packet
 */
static inline void lpd_queue_detach(struct Qdisc *sch, struct sk_buff *skb,
				    u32 memory)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	__skb_unlink(skb, &q->fifo);
	q->memory -= memory;
	qdisc_qlen_dec(sch);
	qdisc_qstats_backlog_dec(sch, skb);
}

/**
 * lpd_queue_excess() - find the limit that the queue exceeds
 * @q: the queue
 * @gone: a packet that does not count, or NULL
 *
 * A packet that is alone in the queue never exceeds the memory limit. So no configuration
 * can block the link.
 *
 * Return: the verdict on a packet that the queue has no space for, or LPD_PASS
 */
static inline enum lpd_verdict lpd_queue_excess(const struct lpd_sched_data *q,
						const struct sk_buff *gone)
{
	u32 packets = q->fifo.qlen - (gone ? 1 : 0);
	u64 memory = q->memory - (gone ? lpd_packet_memory(gone) : 0);

	if (packets > q->cfg.limit)
		return LPD_OVERFLOW_LIMIT;
	if (memory > q->cfg.memory && packets > 1)
		return LPD_OVERFLOW_MEMORY;
	return LPD_PASS;
}

#endif /* _SCH_LPD_QUEUE_H */
