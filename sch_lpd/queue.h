/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of an lpd qdisc.
 *
 *	fifo:    A -> B -> C -> D -> E	every packet, in order of arrival
 *	order:        B    D		the packets that may become stale; with order
 *					edf also the packets that have been cut
 *
 * The order (order.h) finds the packet that becomes stale next. With order fifo, lpd sends the head
 * of the FIFO next. With order edf, a head that is in the order may have to wait: lpd sends
 * the packet with the earliest place instead. The order does not contain
 * packets without a lifetime, or packets that are forwarded even when they are stale. With
 * overflow least, all packets also have ranks, see rank.h.
 *
 * The caller of each function must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_QUEUE_H
#define _SCH_LPD_QUEUE_H

#include <linux/hrtimer.h>
#include <net/fl_link.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include "adu.h"
#include "feedback.h"
#include "match.h"
#include "order.h"
#include "rank.h"
#include "share.h"
#include "usual.h"
#include "verdict.h"

struct lpd_gated;
struct lpd_paths;

/**
 * struct lpd_config - the configuration from TCA_OPTIONS
 * @limit: packets
 * @memory: bytes of buffer memory
 * @stale: enum tc_lpd_stale
 * @rate: rate of the link below, bytes/s, 0 for unlimited, or TC_LPD_LINK
 * @delay: delay of the link below, ns, or TC_LPD_LINK
 * @lifetime: default lifetime in ns, 0 for none
 * @order: enum tc_lpd_order
 * @overflow: enum tc_lpd_overflow
 * @keep: bytes of UDP payload that stay when a packet is cut
 * @share: share of the class in percent; 0 if lpd has no class
 * @adu: whether the fragments of one datagram are dropped together
 * @strip: whether lpd removes the cross-layer option from the packets that it sends
 * @notify: whether the source of a packet gets an ICMP message when lpd discards the packet
 *	as stale
 * @exempt: whether packets whose option says "no lifetime" are exempt from @lifetime and
 *	from @rules
 * @rules: rules that give lifetimes and importances, or NULL
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
	u32 share;
	bool adu;
	bool strip;
	bool notify;
	bool exempt;
	struct lpd_rules *rules;
};

/* A value of lpd_sched_data.margin: the run is closed, because its keys are those of an earlier
 * rate. No packet joins it, and its packets get entries before they leave.
 */
#define LPD_RUN_CLOSED	(S64_MAX / 2)

/* A value of lpd_sched_data.margin: the packets of the run lose their options when they are
 * sent.
 */
#define LPD_RUN_STRIP	(LPD_RUN_CLOSED - 1)

/* A value of lpd_sched_data.fallback */
#define LPD_BY_RULES	-1

/**
 * struct lpd_class - the class for packets without a lifetime
 * @qdisc: the qdisc of the class; NULL if lpd has no class. Written under RTNL and the root
 *	lock
 * @share: whose turn it is, the class's or that of lpd's own queue
 * @inside: how many packets the class would have if it had not dropped or divided any
 *	packet since lpd_class_settle()
 * @arriving: whether lpd's qlen includes a packet that the qdisc of the class is just
 *	enqueueing
 * @active: whether the class may have packets, or a queue may owe something; while @active is
 *	false, dequeue reads nothing else of the class
 */
struct lpd_class {
	struct Qdisc *qdisc;
	struct lpd_share share;
	u32 inside;
	bool arriving;
	bool active;
};

/**
 * struct lpd_sched_data - private data of an lpd qdisc
 * @fifo: every queued packet that is not in the class
 * @order: packets that may become stale and, with order edf, packets that have been cut
 * @ranks: with overflow least, all packets by importance
 * @elaborate: whether the order is edf, or @ranks are in use
 * @adus: fragmented datagrams; NULL if @cfg.adu was never on
 * @memory: sum of lpd_packet_memory() of the queued packets
 * @class: the class for packets without a lifetime
 * @cfg: configuration; written under RTNL and the root lock
 * @fallback: the lifetime that packets without a lifetime get, ns; 0 for none; LPD_BY_RULES if
 *	these packets may get different lifetimes, or if packets have ranks
 * @notify: function that sends the ICMP messages of @cfg.notify, or NULL; written under
 *	RTNL and the root lock
 * @usual: a bit for each combination of the option's flags with which a usual packet takes the fast
 *	path
 * @link: rate of the link below, in the form that psched_l2t_ns() needs; the rate is
 *	@cfg.rate, or the estimate that @gated or the device has told
 * @delay: delay of the link below, ns: @cfg.delay, or the estimate that @gated or the device has
 *	told
 * @margin: the delay with which dequeue compares the remaining lifetimes of the packets in the run:
 *	@delay, LPD_RUN_STRIP or LPD_RUN_CLOSED
 * @quality: function that tells the quality of the device's link, if @cfg needs it, or NULL;
 *	written under RTNL and the root lock
 * @ask: timer that calls @quality
 * @timer_key: @timer fires when a packet with this key is stale; S64_MAX if @timer is not
 *	pending
 * @timer: timer that discards or cuts packets that expire while nobody dequeues
 * @sch: the qdisc
 * @dequeue: the qdisc's dequeue function while there is neither a gate nor a queued probe
 * @gated: the gate; NULL if there was never a gate
 * @gated_paths: functions that enqueue and dequeue if there is a gate
 * @gate_at: with a gate, lpd sends only probes once it has sent this number of bytes; 0 while
 *	probes are queued
 * @idle: whether dequeue has at least once found no packet to send since the last probe left
 * @stats: counters, indexed by enum tca_lpd_stats; values that a dump computes are not
 *	stored
 * @remaining: histogram TCA_LPD_STATS_REMAINING
 */
struct lpd_sched_data {
	struct sk_buff_head fifo;
	struct lpd_order order;
	struct lpd_ranks ranks;
	bool elaborate;
	struct lpd_adus *adus;
	u64 memory;
	struct lpd_class class;
	struct lpd_config cfg;
	s64 fallback;
	xlo_notify_fn *notify;
	u32 usual;
	struct psched_ratecfg link;
	s64 delay;
	s64 margin;
	fl_link_quality_fn *quality;
	struct hrtimer ask;
	s64 timer_key;
	struct hrtimer timer;
	struct Qdisc *sch;
	struct sk_buff *(*dequeue)(struct Qdisc *sch);
	struct lpd_gated *gated;
	const struct lpd_paths *gated_paths;
	u64 gate_at;
	bool idle;
	u64 stats[TCA_LPD_STATS_MAX + 1];
	u64 remaining[TC_LPD_HIST_BUCKETS];
};

/**
 * struct lpd_spot - the position of a queued packet
 * @before: the next packet in the FIFO; NULL for the position of the last packet
 * @mark: with order edf or overflow least, the packet's position in the order; otherwise
 *	@mark.entry.skb is NULL
 */
struct lpd_spot {
	struct sk_buff *before;
	struct lpd_mark mark;
};

const struct lpd_rule *lpd_queue_rule(const struct lpd_sched_data *q,
				      const struct sk_buff *skb);
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
s64 lpd_queue_first_key(struct lpd_sched_data *q);
struct sk_buff *lpd_queue_earliest(struct lpd_sched_data *q);
void lpd_queue_settle(struct lpd_sched_data *q, const struct sk_buff *skb);
void lpd_queue_rebuild(struct lpd_sched_data *q);
void lpd_queue_set_rate(struct lpd_sched_data *q, u64 rate);
void lpd_queue_set_delay(struct lpd_sched_data *q, s64 delay);
void lpd_queue_keep_keys(struct lpd_sched_data *q);
void lpd_queue_rekey(struct lpd_sched_data *q);
void lpd_queue_reset(struct Qdisc *sch);

/**
 * lpd_queue_next() - find the packet whose turn it is
 * @q: the queue
 *
 * With order edf, only packets of the order swap their positions in the FIFO. If the head of the
 * FIFO is in the order, lpd sends the packet with the earliest place. Packets outside the order
 * wait no longer than with order fifo. Packets in the order and packets outside the order cannot
 * starve each other.
 *
 * Return: the packet; NULL if the queue is empty
 */
static inline struct sk_buff *lpd_queue_next(const struct lpd_sched_data *q)
{
	struct sk_buff *head = skb_peek(&q->fifo);

	if (head && q->order.flows && lpd_order_has(head))
		return lpd_order_next(&q->order)->skb;
	return head;
}

/**
 * lpd_queue_treatment() - what happens to a packet once it is stale
 * @q: the queue
 * @skb: a packet whose control block is filled
 *
 * Return: enum tc_lpd_stale, never TC_LPD_STALE_HONOR
 */
static inline u8 lpd_queue_treatment(const struct lpd_sched_data *q,
				     const struct sk_buff *skb)
{
	return q->cfg.stale == TC_LPD_STALE_HONOR ? lpd_skb_cb(skb)->stale :
						    q->cfg.stale;
}

/* Checks whether a packet has already been cut, or will be discarded or cut when it becomes stale.
 */
static inline bool lpd_queue_heeds(const struct lpd_sched_data *q,
				   const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->deadline != FL_NO_DEADLINE &&
	       lpd_queue_treatment(q, skb) != TC_LPD_STALE_FORWARD;
}

/**
 * lpd_queue_may_expire() - check whether a packet is discarded or cut once it is stale
 * @q: the queue
 * @skb: a packet whose control block is filled
 */
static inline bool lpd_queue_may_expire(const struct lpd_sched_data *q,
					const struct sk_buff *skb)
{
	return !lpd_skb_cb(skb)->cut && lpd_queue_heeds(q, skb);
}

/* Returns the transmission time of a packet on the link below, in ns. */
static inline s64 lpd_queue_transmission(const struct lpd_sched_data *q,
					 const struct sk_buff *skb)
{
	return q->link.rate_bytes_ps ? psched_l2t_ns(&q->link, qdisc_pkt_len(skb)) : 0;
}

/**
 * lpd_queue_key() - compute the key of a packet, see lifetime.h
 * @q: the queue
 * @skb: a packet with a deadline
 *
 * Return: monotonic time in ns
 */
static inline s64 lpd_queue_key(const struct lpd_sched_data *q,
				const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->deadline - lpd_queue_transmission(q, skb);
}

/* Returns the key of a packet that is in the run. */
static inline s64 lpd_queue_run_key(const struct lpd_sched_data *q, const struct sk_buff *skb)
{
	const struct psched_ratecfg *link = &q->order.run.link;

	return lpd_skb_cb(skb)->deadline -
	       (link->rate_bytes_ps ? psched_l2t_ns(link, qdisc_pkt_len(skb)) : 0);
}

/**
 * lpd_queue_open_run() - use the current rate and delay for the run
 * @q: the queue, whose run is empty
 */
static inline void lpd_queue_open_run(struct lpd_sched_data *q)
{
	q->order.run.link = q->link;
	q->margin = q->cfg.strip ? LPD_RUN_STRIP : q->delay;
}

/**
 * lpd_queue_arrival() - compute when a packet of length 0 would arrive if lpd sent it now
 * @q: the queue
 * @now: monotonic time in ns
 *
 * Return: monotonic time in ns, for lpd_is_stale()
 */
static inline s64 lpd_queue_arrival(const struct lpd_sched_data *q, s64 now)
{
	return now + q->delay;
}

/**
 * lpd_queue_stale() - check whether a queued packet is stale and must be discarded or cut
 * @q: the queue
 * @skb: the packet
 * @arrival: lpd_queue_arrival()
 */
static inline bool lpd_queue_stale(const struct lpd_sched_data *q,
				   const struct sk_buff *skb, s64 arrival)
{
	const struct lpd_entry *e;

	if (lpd_skb_cb(skb)->run)
		return lpd_is_stale(lpd_queue_run_key(q, skb), arrival);
	if (!lpd_order_has(skb))
		return false;
	e = lpd_order_entry(&q->order, skb);
	return lpd_is_stale(e->by_key.at, arrival) && lpd_order_expires(e);
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

/* Checks whether the queue is within its limits after a packet with the memory @memory has
 * arrived.
 */
static inline bool lpd_queue_fits(const struct lpd_sched_data *q, u32 memory)
{
	return q->fifo.qlen < q->cfg.limit && q->memory + memory <= q->cfg.memory;
}

/* Subtracts a packet from the counts of the queue. */
static inline void lpd_queue_discount(struct Qdisc *sch, struct sk_buff *skb, u32 memory)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->memory -= memory;
	qdisc_qlen_dec(sch);
	qdisc_qstats_backlog_dec(sch, skb);
}

/**
 * lpd_queue_detach() - remove a packet without an entry from the queue
 * @sch: the qdisc
 * @skb: a queued packet
 * @memory: lpd_packet_memory() of the packet
 */
static inline void lpd_queue_detach(struct Qdisc *sch, struct sk_buff *skb,
				    u32 memory)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	__skb_unlink(skb, &q->fifo);
	lpd_queue_discount(sch, skb, memory);
}

/**
 * lpd_queue_swap_out() - with order edf, remove a packet from the FIFO to send it
 * @fifo: the FIFO
 * @skb: a packet of the FIFO; the head of the FIFO moves to the packet's position
 */
static inline void lpd_queue_swap_out(struct sk_buff_head *fifo, struct sk_buff *skb)
{
	struct sk_buff *head = __skb_peek(fifo);

	if (skb == head) {
		__skb_unlink(skb, fifo);
		return;
	}
	__list_del_entry(&head->list);
	list_replace(&skb->list, &head->list);
	skb_mark_not_on_list(skb);
	skb->prev = NULL;
	WRITE_ONCE(fifo->qlen, fifo->qlen - 1);
}

/**
 * lpd_queue_hand_over() - count a packet that has just left the queue to be sent
 * @sch: the qdisc
 * @skb: the packet
 */
static inline void lpd_queue_hand_over(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lpd_sched_data *q = qdisc_priv(sch);

	q->stats[TCA_LPD_STATS_PACKETS_OUT]++;
	qdisc_bstats_update(sch, skb);
}

/**
 * lpd_queue_excess() - find the limit that the queue exceeds
 * @q: the queue
 * @gone: a packet that is not counted, or NULL
 *
 * A single packet in the queue never exceeds the memory limit, so that no configuration can
 * block the link.
 *
 * Return: the verdict for a packet that does not fit into the queue; LPD_PASS if the queue
 * is within its limits
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

/* Counts a packet as reordered if a packet that arrived later was sent earlier (RFC 4737). With
 * order edf, only the lower half of the packets' numbers changes, and it wraps around.
 */
static inline void lpd_queue_count_reordered(struct lpd_sched_data *q, const struct lpd_entry *e)
{
	if ((s32)(e->by_key.then - q->order.latest) < 0)
		q->stats[TCA_LPD_STATS_REORDERED]++;
	else
		q->order.latest = e->by_key.then;
}

/**
 * lpd_queue_leave_run() - remove the first packet from the run
 * @q: the queue
 * @skb: the packet, which stays queued
 *
 * Return: the packet's number, for lpd_order_settle()
 */
static inline s64 lpd_queue_leave_run(struct lpd_sched_data *q, struct sk_buff *skb)
{
	s64 seq = lpd_run_seq(&q->order.run);

	lpd_run_pop(&q->order.run, skb);
	if (!q->order.run.first)
		lpd_queue_open_run(q);
	lpd_usual_fill(skb, q->cfg.strip);
	return seq;
}

#endif /* _SCH_LPD_QUEUE_H */
