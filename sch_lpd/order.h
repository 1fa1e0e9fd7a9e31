/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of the packets of a queue: which one becomes stale next, and with order edf which one
 * is sent next.
 *
 *	run:	usual packets that arrived in the order of their keys, linked to each other
 *	free:	other packets that may become stale; their place is their key	by key
 *	held:	packets that may become stale; their place is after their key	by key
 *	places:	the packets of held, and packets that have been cut		by place
 *
 *	becomes stale next:	the first packet of run, free and held
 *	is sent next:		the first packet of free and places (order edf)
 *
 * With order fifo, most packets are in the run: they have no entry. A packet whose key is before
 * the key of the last packet in the run has an entry in "free", and so has a packet that is not
 * usual, see packet.h. With order edf, the run is empty, and most packets are in "free": the free
 * packet that becomes stale first is also the free packet that is sent first.
 *
 * All packets of a flow's block that are held have the same place. They are in a heap, by key:
 * the first packet is above the others. Only the first packet is in "held" and "places". Even
 * the first packet enters "held" late, because "held" is needed only when packets become stale.
 * Until then it is in the list "waiting".
 *
 * Each packet in free, held or places has an entry, which has all values that order the packet. The
 * calendars compare entries and do not read the packets, which are scattered in memory. With
 * overflow least, all packets have entries. There are as many entries as the queue can need, see
 * lpd_order_size(). Therefore lpd_order_take() cannot fail.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_ORDER_H
#define _SCH_LPD_ORDER_H

#include <linux/minmax.h>
#include <linux/prefetch.h>
#include <linux/types.h>
#include <net/sch_generic.h>
#include "calendar_quick.h"
#include "packet.h"

/* The number of elements of the table of flows. Flows that share an element are treated as one
 * flow, so their packets are reordered less than allowed.
 */
#define LPD_FLOWS	1024
#define LPD_FLOW_BITS	10

/* The segments of a packet that lpd divides have smaller numbers, see LPD_SEGMENTS. */
#define LPD_SEGMENT_BITS 11

/* Any user with a user namespace can configure the queue. Therefore the memory of the
 * tables is charged to the process that configures the queue. If memory is short, the
 * kernel must not kill a process for the tables.
 */
#define LPD_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Further values of lpd_entry.keyed, after those of enum lpd_where: the entry is in the list
 * "waiting", or it is in a heap below the heap's first entry.
 */
#define LPD_WAITING	(LPD_IN_TREE + 1)
#define LPD_BELOW	(LPD_IN_TREE + 2)

/**
 * struct lpd_entry - the values that order a queued packet
 * @by_key: slot in the calendar "free" or "held"; its time is the packet's key, see lifetime.h,
 *	monotonic ns. Packets with equal keys are ordered by their numbers, see lpd_order_seq()
 * @skb: the packet
 * @next: in an unused entry, the next unused entry
 * @below: number of an entry below this one in a heap, or 0; the links of @by_key connect it with
 *	the others. See lpd_order_number()
 * @flow: number of the packet's flow; used with order edf only
 * @segment: number that orders the segments of one super-packet, which have the number of the
 *	super-packet
 * @placed: enum lpd_where of the entry's slot in the calendar "places", see lpd_place_of()
 * @held: whether the packet's place, which is in the slot in "places", is after its key
 * @keyed: enum lpd_where of @by_key, LPD_WAITING or LPD_BELOW; LPD_NOWHERE if the packet cannot
 *	become stale. A byte of its own takes the fewest instructions
 */
struct lpd_entry {
	struct lpd_slot by_key;
	union {
		struct sk_buff *skb;
		struct lpd_entry *next;
	};
	u32 below;
	u32 flow:LPD_FLOW_BITS;
	u32 segment:LPD_SEGMENT_BITS;
	u32 placed:2;
	u32 held:1;
	u32 keyed:8;
};

/**
 * struct lpd_flow - a flow that has packets with entries
 * @after: the earliest possible place of a packet of the current block
 * @latest: the latest place of all packets of the flow
 * @queued: number of packets with entries; a packet that arrives while this number is 0 resets the
 *	flow
 * @heap: number of the first entry of the current block's heap; 0 if the heap is empty
 * @size: number of packets in the current block; each segment of a super-packet counts as a packet
 * @least: the smallest "reorder" in the current block
 */
struct lpd_flow {
	s64 after;
	s64 latest;
	u32 queued;
	u32 heap;
	u32 size;
	u32 least;
};

/**
 * struct lpd_run - usual packets that arrived in the order of their keys
 * @first: the packet with the earliest key; NULL if the run is empty
 * @last: the packet with the latest key, if the run is not empty
 * @last_key: the least key with which a packet may join the run: the key of @last when it arrived;
 *	S64_MIN if the run is empty; S64_MAX with order edf, and while the run is closed
 * @number: how many packets have left the run. They leave in the order in which they joined it
 * @link: rate of the link below with which the keys of the packets are computed
 */
struct lpd_run {
	struct sk_buff *first;
	struct sk_buff *last;
	s64 last_key;
	u32 number;
	struct psched_ratecfg link;
};

/**
 * struct lpd_order - the order of the packets of a queue
 * @run: packets without entries
 * @joined: how many packets have joined the run
 * @others: how many other packets have arrived
 * @entry: the first entry in memory
 * @stride: from one entry to the next one, in bytes; with order edf, a slot follows each entry
 * @unused: the first unused entry
 * @free: packets that may become stale and have no other place than their key
 * @held: packets that may become stale and have a later place: the first of each heap
 * @waiting: packets that belong into @held, but nobody has needed the earliest of them yet
 * @waits: number of packets in @waiting
 * @places: packets that have a later place, or have been cut: of each heap, the first
 *	packet. Packets with equal places are ordered by their keys
 * @flows: array of LPD_FLOWS flows with order edf; NULL with order fifo
 * @latest: with order edf, the highest number of the packets sent so far
 * @table: memory of the calendars
 */
struct lpd_order {
	struct lpd_run run;
	u32 joined;
	u32 others;
	struct lpd_entry *entry;
	size_t stride;
	struct lpd_entry *unused;
	struct lpd_calendar free;
	struct lpd_calendar held;
	struct lpd_slot *waiting;
	u32 waits;
	struct lpd_calendar places;
	struct lpd_flow *flows;
	s64 latest;
	void *table;
};

/**
 * struct lpd_mark - the position of a packet in the order, which outlives the packet's entry
 * @entry: a copy of the entry
 * @place: the packet's place, monotonic ns
 */
struct lpd_mark {
	struct lpd_entry entry;
	s64 place;
};

u32 lpd_order_size(u32 limit, u32 memory);
int lpd_order_alloc(struct lpd_order *o, u32 size, bool edf);
void lpd_order_free(const struct lpd_order *o);

struct lpd_entry *lpd_order_enter(struct lpd_order *o, struct sk_buff *skb, s64 key);
int lpd_order_enter_usual(struct lpd_order *o, struct sk_buff *skb, s64 key, u64 *stats);
struct lpd_entry *lpd_order_enter_cut(struct lpd_order *o, struct sk_buff *skb, s64 key);
struct lpd_entry *lpd_order_enter_apart(struct lpd_order *o, struct sk_buff *skb);
void lpd_order_spare(struct lpd_order *o, struct lpd_entry *e);
void lpd_order_unspare(struct lpd_order *o, struct lpd_entry *e);
void lpd_order_keep(struct lpd_order *o, struct lpd_entry *e);
struct lpd_mark lpd_order_mark(const struct lpd_order *o, const struct lpd_entry *e);
struct lpd_entry *lpd_order_join(struct lpd_order *o, struct sk_buff *skb, struct lpd_mark *at);
struct lpd_entry *lpd_order_settle(struct lpd_order *o, struct sk_buff *skb, s64 key, s64 seq);
void lpd_order_arrivals(struct lpd_order *o, struct sk_buff_head *fifo);
struct lpd_entry *lpd_order_arrival(const struct lpd_order *o, size_t index);
void lpd_order_leave(struct lpd_order *o, struct lpd_entry *e);
struct lpd_entry *lpd_order_earliest(struct lpd_order *o);
struct lpd_entry *lpd_order_next_of_equal(const struct lpd_slot *free,
					  const struct lpd_slot *place);
bool lpd_order_came_before(const struct lpd_entry *a, const struct lpd_entry *b);
bool lpd_order_expires_before(const struct lpd_entry *a, const struct lpd_entry *b);

/* Checks whether a packet has an entry in free, held or places. The packet's control block must be
 * filled.
 */
static inline bool lpd_order_has(const struct sk_buff *skb)
{
	return !lpd_skb_cb(skb)->run && lpd_skb_cb(skb)->entry > LPD_NO_ENTRY;
}

/* Returns the entry at an index of the array of entries. */
static inline struct lpd_entry *lpd_order_nth(const struct lpd_order *o, size_t index)
{
	return (void *)o->entry + index * o->stride;
}

/**
 * lpd_order_number() - return the number of an entry
 * @o: the order
 * @e: the entry
 *
 * Return: the distance from the first entry in words of 8 bytes, + 1. So no function divides
 */
static inline u32 lpd_order_number(const struct lpd_order *o, const struct lpd_entry *e)
{
	return (const u64 *)e - (const u64 *)o->entry + 1;
}

/**
 * lpd_order_numbered() - return the entry with a number
 * @o: the order
 * @number: lpd_order_number()
 */
static inline struct lpd_entry *lpd_order_numbered(const struct lpd_order *o, u32 number)
{
	return (struct lpd_entry *)((u64 *)o->entry + number - 1);
}

/* Returns the entry of a packet for which lpd_order_has() is true. */
static inline struct lpd_entry *lpd_order_entry(const struct lpd_order *o,
						const struct sk_buff *skb)
{
	return lpd_order_numbered(o, lpd_skb_cb(skb)->entry);
}

/* Checks whether a packet has an entry that only has a rank. */
static inline bool lpd_order_has_apart(const struct sk_buff *skb)
{
	return !lpd_skb_cb(skb)->run && lpd_skb_cb(skb)->entry < LPD_NO_ENTRY;
}

/* Returns the entry of a packet for which lpd_order_has_apart() is true. */
static inline struct lpd_entry *lpd_order_apart(const struct lpd_order *o,
						const struct sk_buff *skb)
{
	return lpd_order_numbered(o, -lpd_skb_cb(skb)->entry);
}

/* Checks whether an entry's packet may become stale. */
static inline bool lpd_order_expires(const struct lpd_entry *e)
{
	return e->keyed != LPD_NOWHERE;
}

/* With order edf: returns the slot of an entry in the calendar "places". */
static inline struct lpd_slot *lpd_place_of(const struct lpd_entry *e)
{
	return (struct lpd_slot *)(e + 1);
}

/* Puts an entry back among the unused ones. */
static inline void lpd_order_give_back(struct lpd_order *o, struct lpd_entry *e)
{
	e->next = o->unused;
	o->unused = e;
}

/**
 * lpd_order_release() - take a packet's entry away
 * @o: the order
 * @e: an entry that is in no calendar
 */
static inline void lpd_order_release(struct lpd_order *o, struct lpd_entry *e)
{
	lpd_skb_cb(e->skb)->entry = LPD_NO_ENTRY;
	lpd_order_give_back(o, e);
}

/**
 * lpd_order_leave_sent() - with order edf, remove a packet that is sent from the order
 * @o: the order
 * @e: the packet's entry; the packet's control block still contains its number
 *
 * Most packets are in "free". For them, the function does the work of lpd_order_leave().
 */
static __always_inline void lpd_order_leave_sent(struct lpd_order *o, struct lpd_entry *e)
{
	if (unlikely(e->held || !e->keyed)) {
		lpd_order_leave(o, e);
		return;
	}
	o->flows[e->flow].queued--;
	lpd_order_give_back(o, e);
	lpd_calendar_remove_quick(&o->free, &e->by_key, e->keyed);
}

/**
 * lpd_order_prefetch() - with order edf, load the packet that is probably sent next into the cache
 * @o: the order
 *
 * The packets leave in another order than they arrived, so that the processor cannot foresee which
 * one it will need. "free" has most packets, so the function looks only there.
 */
static inline void lpd_order_prefetch(const struct lpd_order *o)
{
	const struct lpd_slot *first = lpd_calendar_first(&o->free);
	const struct sk_buff *skb;

	if (!first)
		return;
	skb = container_of(first, struct lpd_entry, by_key)->skb;
	prefetchw(skb);
	prefetch(&skb->len);
	prefetch(&skb->data);
}

/**
 * lpd_order_next() - with order edf, find the entry of the packet with the earliest place
 * @o: the order, which is not empty
 */
static inline struct lpd_entry *lpd_order_next(const struct lpd_order *o)
{
	const struct lpd_slot *place = lpd_calendar_first(&o->places);
	const struct lpd_slot *free = lpd_calendar_first(&o->free);

	if (!place || (free && free->at < place->at))
		return container_of(free, struct lpd_entry, by_key);
	if (unlikely(free && free->at == place->at))
		return lpd_order_next_of_equal(free, place);
	return (struct lpd_entry *)place - 1;
}

/* The number of a packet, by which packets with equal keys are ordered, consists of the number of
 * packets that had joined the run before it, and of the number of other packets. The packets of the
 * run need not store it: they leave the run in the order in which they joined it. (When one of the
 * numbers has wrapped around after 2^32 packets, packets with equal keys may exchange their places
 * once.)
 */
static inline s64 lpd_order_seq(struct lpd_order *o)
{
	return (u64)o->joined << 32 | o->others++;
}

/* Returns the number of the first packet of the run, which came after all packets that arrived
 * before it joined.
 */
static inline s64 lpd_run_seq(const struct lpd_run *run)
{
	return (u64)run->number << 32 | U32_MAX;
}

/**
 * lpd_order_run_expires_before() - check whether the run has the packet that becomes stale first
 * @o: the order, whose run is not empty
 * @key: the key of the first packet of the run
 * @e: the first packet of all others
 */
static inline bool lpd_order_run_expires_before(const struct lpd_order *o, s64 key,
						const struct lpd_entry *e)
{
	if (key != e->by_key.at)
		return key < e->by_key.at;
	return lpd_run_seq(&o->run) - e->by_key.then < 0;
}

/**
 * lpd_run_accepts() - check whether a packet arrives in the order of its key
 * @run: the run
 * @key: the packet's key
 *
 * Return: always false with order edf
 */
static inline bool lpd_run_accepts(const struct lpd_run *run, s64 key)
{
	return key >= run->last_key;
}

/**
 * lpd_run_append() - add a packet to the run
 * @o: the order
 * @skb: a usual packet; lpd_run_accepts() is true for its key
 * @key: its key
 */
static inline void lpd_run_append(struct lpd_order *o, struct sk_buff *skb, s64 key)
{
	if (o->run.first)
		lpd_skb_cb(o->run.last)->next = skb;
	else
		o->run.first = skb;
	o->run.last = skb;
	o->run.last_key = key;
	o->joined++;
}

/**
 * lpd_run_pop() - remove the first packet from the run
 * @run: the run
 * @first: the first packet
 */
static inline void lpd_run_pop(struct lpd_run *run, const struct sk_buff *first)
{
	struct sk_buff *next = lpd_skb_cb(first)->next;

	run->first = next;
	run->number++;
	if (!next)
		run->last_key = S64_MIN;
}

/* Forgets the packets of the run. */
static inline void lpd_run_clear(struct lpd_order *o)
{
	o->run.first = NULL;
	o->run.last_key = o->flows ? S64_MAX : S64_MIN;
	o->run.number = o->joined;
}

#endif /* _SCH_LPD_ORDER_H */
