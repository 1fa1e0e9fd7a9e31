/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of an lpd qdisc.
 *
 *	fifo:  A -> B -> C -> D -> E		every packet, in order of arrival
 *	heap:      B    D				those that may become stale
 *
 * The next to become stale is the heap's top. The next to send is the FIFO's head
 * or, with order edf, if that may become stale, the heap's top in its place. A
 * packet without a lifetime, or one that is to be sent even when stale, stands in
 * the FIFO only.
 *
 * Everything here runs under the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_QUEUE_H
#define _SCH_LPD_QUEUE_H

#include <linux/hrtimer.h>
#include <net/sch_generic.h>
#include "adu.h"
#include "flow.h"
#include "heap.h"

/* Packets that one call looks at or drops, so that no call takes long however
 * many packets expire at once.
 */
#define LPD_BATCH	64U

/**
 * struct lpd_config - what TCA_OPTIONS configures
 * @limit: packets
 * @memory: bytes of buffer memory
 * @stale: enum tc_lpd_stale
 * @rate: of the link below, bytes/s, 0 for unlimited
 * @delay: of the link below, ns
 * @lifetime: default lifetime in ns, 0 for none
 * @order: enum tc_lpd_order
 * @overflow: enum tc_lpd_overflow
 * @keep: bytes of UDP payload that stay when a packet is cut
 * @adu: fragments of a datagram are dropped together
 * @strip: options are taken out of packets that leave
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
};

/**
 * struct lpd_sched_data - private data of an lpd qdisc
 * @fifo: every queued packet
 * @heap: those that may become stale
 * @seq: of the next packet put into the heap
 * @latest: of those sent with order edf, the one that came last; as @seq
 * @flows: LPD_FLOWS flows of those in the heap, with order edf; else NULL
 * @adus: datagrams in fragments; NULL if they were never asked for
 * @memory: truesize of the queued packets
 * @cfg: configuration; written under RTNL and the root lock
 * @link: @cfg.rate made ready for multiplication
 * @purge_at: when @purge_timer fires, S64_MAX if it does not
 * @purge_timer: discards what expires while nobody dequeues
 * @sch: the qdisc
 * @stats: counters of enum tca_lpd_stats
 * @remaining: histogram TCA_LPD_STATS_REMAINING
 */
struct lpd_sched_data {
	struct sk_buff_head fifo;
	struct lpd_heap heap;
	u32 seq;
	u32 latest;
	struct lpd_flow *flows;
	struct lpd_adus *adus;
	u64 memory;
	struct lpd_config cfg;
	struct psched_ratecfg link;
	s64 purge_at;
	struct hrtimer purge_timer;
	struct Qdisc *sch;
	u64 stats[TCA_LPD_STATS_REMAINING];
	u64 remaining[TC_LPD_HIST_BUCKETS];
};

/* The packet whose key is the earliest; NULL if none may become stale. */
static inline struct lpd_heap_node *lpd_earliest(struct lpd_sched_data *q)
{
	return q->heap.len ? &q->heap.node[0] : NULL;
}

s64 lpd_queue_key(const struct lpd_sched_data *q, const struct sk_buff *skb);
u8 lpd_queue_treatment(const struct lpd_sched_data *q,
		       const struct sk_buff *skb);
bool lpd_queue_may_expire(const struct lpd_sched_data *q,
			  const struct sk_buff *skb);
bool lpd_queue_stale(const struct lpd_sched_data *q, const struct sk_buff *skb,
		     s64 now);
struct sk_buff *lpd_queue_next(struct lpd_sched_data *q);
void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb,
		      struct sk_buff *before);
void lpd_queue_unlink(struct Qdisc *sch, struct sk_buff *skb);
void lpd_queue_take(struct Qdisc *sch, struct sk_buff *skb);
void lpd_queue_keep(struct lpd_sched_data *q, struct sk_buff *skb);
void lpd_queue_restore(struct lpd_sched_data *q);
void lpd_queue_rebuild(struct lpd_sched_data *q);
void lpd_queue_reset(struct Qdisc *sch);

#endif /* _SCH_LPD_QUEUE_H */
