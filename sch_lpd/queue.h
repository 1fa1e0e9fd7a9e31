/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of an lpd qdisc.
 *
 *	fifo:  A -> B -> C -> D -> E		every packet, in order of arrival
 *	heap:      B    D				those that may become stale
 *
 * The next packet to send is the FIFO's head; the next to become stale is the
 * heap's top. A packet without a lifetime, or one that is to be sent even when
 * stale, stands in the FIFO only.
 *
 * Everything here runs under the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_QUEUE_H
#define _SCH_LPD_QUEUE_H

#include <linux/hrtimer.h>
#include <net/sch_generic.h>
#include "heap.h"

/* Packets that one call looks at or drops, so that no call takes long however
 * many packets expire at once.
 */
#define LPD_BATCH	64U

/**
 * struct lpd_config - what TCA_OPTIONS configures
 * @limit: packets
 * @memory: bytes of buffer memory
 * @keep: bytes of payload that stay in a UDP packet cut to its headers
 * @stale: enum tc_lpd_stale
 * @order: enum tc_lpd_order
 * @overflow: enum tc_lpd_overflow
 * @adu: the fragments of a datagram share its fate
 * @strip: options are taken out of packets that leave
 * @rate: of the link below, bytes/s, 0 for unlimited
 * @delay: of the link below, ns
 * @lifetime: default lifetime in ns, 0 for none
 */
struct lpd_config {
	u32 limit;
	u32 memory;
	u32 keep;
	u8 stale;
	u8 order;
	u8 overflow;
	bool adu;
	bool strip;
	u64 rate;
	u64 delay;
	u64 lifetime;
};

/**
 * struct lpd_sched_data - private data of an lpd qdisc
 * @fifo: every queued packet
 * @heap: those that may become stale
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

/* Whether a queued packet is to be discarded at @now. */
static inline bool lpd_stale(const struct lpd_sched_data *q,
			     const struct sk_buff *skb, s64 now)
{
	u32 pos = lpd_skb_cb(skb)->heap_pos;

	return pos != LPD_NOT_IN_HEAP && now > q->heap.node[pos].key;
}

/* Which limit the queue is over, as a counter of enum tca_lpd_stats, or 0. The
 * packet @doomed, if any, does not count. A packet that is alone is always
 * taken: no setting can block the link.
 */
static inline int lpd_excess(const struct lpd_sched_data *q,
			     const struct sk_buff *doomed)
{
	u32 packets = q->fifo.qlen - (doomed ? 1 : 0);
	u64 memory = q->memory - (doomed ? doomed->truesize : 0);

	if (packets > q->cfg.limit)
		return TCA_LPD_STATS_OVERFLOW_LIMIT;
	if (memory > q->cfg.memory && packets > 1)
		return TCA_LPD_STATS_OVERFLOW_MEMORY;
	return 0;
}

s64 lpd_queue_key(const struct lpd_sched_data *q, const struct sk_buff *skb);
bool lpd_queue_may_expire(const struct lpd_sched_data *q,
			  const struct sk_buff *skb);
void lpd_queue_insert(struct Qdisc *sch, struct sk_buff *skb);
void lpd_queue_unlink(struct Qdisc *sch, struct sk_buff *skb);
int lpd_queue_refuse(struct Qdisc *sch, struct sk_buff *skb, int cause,
		     struct sk_buff **to_free);
struct sk_buff *lpd_queue_fresh(struct Qdisc *sch, s64 now, int cause);
void lpd_queue_purge(struct Qdisc *sch, s64 now, struct sk_buff *spare,
		     unsigned int budget, int cause, struct sk_buff **to_free);
void lpd_queue_trim(struct Qdisc *sch, s64 now, struct sk_buff **to_free);
void lpd_queue_rebuild(struct lpd_sched_data *q);
void lpd_queue_reset(struct Qdisc *sch);

#endif /* _SCH_LPD_QUEUE_H */
