// SPDX-License-Identifier: GPL-2.0
/* The order of the packets of a queue: see order.h. lpd_order_enter() decides a packet's place. */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <net/sch_generic.h>
#include "fast.h"
#include "order.h"
#include "usual.h"

/* The list "waiting" has at most this number of packets: two for each flow, the first ones of the
 * heap of the block that is being filled, and of the heap whose packets are being sent. The
 * KUnit test sets a small number, which its few flows exceed.
 */
#ifndef LPD_WAITS
#define LPD_WAITS	(2 * LPD_FLOWS)
#endif

/**
 * lpd_order_came_before() - check whether packet @a arrived before packet @b
 * @a: an entry
 * @b: another entry; both numbers are set
 */
bool lpd_order_came_before(const struct lpd_entry *a, const struct lpd_entry *b)
{
	if (a->by_key.then != b->by_key.then)
		return a->by_key.then - b->by_key.then < 0;
	return a->segment < b->segment;
}

/**
 * lpd_order_expires_before() - check whether packet @a becomes stale before packet @b
 * @a: an entry
 * @b: another entry; keys and numbers of both are set. With equal keys, the packet that arrived
 *	first is first
 */
bool lpd_order_expires_before(const struct lpd_entry *a, const struct lpd_entry *b)
{
	return a->by_key.at < b->by_key.at ||
	       (a->by_key.at == b->by_key.at && lpd_order_came_before(a, b));
}

static struct lpd_entry *lpd_of_key(const struct lpd_slot *s)
{
	return s ? container_of(s, struct lpd_entry, by_key) : NULL;
}

static struct lpd_entry *lpd_of_place(const struct lpd_slot *s)
{
	return (struct lpd_entry *)s - 1;
}

/* Orders slots with equal keys and numbers: the segments of a super-packet. */
static bool lpd_equal_keys(const struct lpd_calendar *c, const struct lpd_slot *a,
			   const struct lpd_slot *b)
{
	return lpd_of_key(a)->segment < lpd_of_key(b)->segment;
}

/* Orders slots with equal places and keys. */
static bool lpd_equal_places(const struct lpd_calendar *c, const struct lpd_slot *a,
			     const struct lpd_slot *b)
{
	return lpd_order_came_before(lpd_of_place(a), lpd_of_place(b));
}

/**
 * lpd_order_size() - compute how many entries a queue can need
 * @limit: the queue's limit, packets
 * @memory: the queue's limit, bytes as lpd_packet_memory() counts them
 *
 * There are two entries more than packets that fit into the queue. The first spare entry is for
 * enqueue, which inserts a packet before it drops another packet. The second spare entry is for a
 * stale head, which does not count towards the limits.
 */
u32 lpd_order_size(u32 limit, u32 memory)
{
	return min(limit, memory / LPD_MEMORY_LEAST) + 2;
}

static void lpd_order_init_entries(struct lpd_order *o, u32 size)
{
	o->unused = NULL;
	while (size--) {
		struct lpd_entry *e = lpd_order_nth(o, size);

		e->next = o->unused;
		o->unused = e;
	}
}

/* "held" and "places" have only one slot for each block of a flow, and so need fewer buckets. */
static size_t lpd_order_table_bytes(u32 size, bool edf)
{
	size_t bytes = lpd_calendar_bytes(lpd_calendar_buckets(size));

	if (edf)
		bytes += 2 * lpd_calendar_bytes(lpd_calendar_buckets(size / 2));
	return bytes;
}

static void lpd_order_init_calendars(struct lpd_order *o, u32 size, bool edf)
{
	u32 buckets = LPD_FAST ? lpd_calendar_buckets(size) : 0;
	u32 fewer = LPD_FAST ? lpd_calendar_buckets(size / 2) : 0;
	void *held = o->table + lpd_calendar_bytes(buckets);

	lpd_calendar_init(&o->free, o->table, buckets, lpd_equal_keys);
	if (!edf)
		return;
	lpd_calendar_init(&o->held, held, fewer, lpd_equal_keys);
	lpd_calendar_init(&o->places, held + lpd_calendar_bytes(fewer), fewer, lpd_equal_places);
}

/**
 * lpd_order_alloc() - make an empty order
 * @o: the order
 * @size: lpd_order_size()
 * @edf: whether the order of packets is edf
 *
 * Return: 0 or -ENOMEM; after an error, the caller calls lpd_order_free() as well
 */
int lpd_order_alloc(struct lpd_order *o, u32 size, bool edf)
{
	BUILD_BUG_ON(sizeof(struct lpd_entry) % sizeof(u64));
	BUILD_BUG_ON(ilog2(LPD_FLOWS) != LPD_FLOW_BITS);
	*o = (struct lpd_order){
		/* some 32-bit processors align s64 to 4 bytes only, see lpd_order_number() */
		.stride = ALIGN(sizeof(struct lpd_entry) + (edf ? sizeof(struct lpd_slot) : 0),
				sizeof(u64)),
	};
	o->entry = kvmalloc_array(size, o->stride, LPD_GFP);
	o->table = kvzalloc(lpd_order_table_bytes(size, edf), LPD_GFP);
	if (edf)
		o->flows = kvcalloc(LPD_FLOWS, sizeof(*o->flows), LPD_GFP);
	if (!o->entry || !o->table || (edf && !o->flows))
		return -ENOMEM;
	lpd_order_init_entries(o, size);
	lpd_order_init_calendars(o, size, edf);
	lpd_run_clear(o);
	return 0;
}

/**
 * lpd_order_free() - free the memory of an order
 * @o: the order
 */
void lpd_order_free(const struct lpd_order *o)
{
	kvfree(o->entry);
	kvfree(o->table);
	kvfree(o->flows);
}

/* Gives a packet an entry that is in no calendar. The caller sets its key. */
static struct lpd_entry *lpd_order_take(struct lpd_order *o, struct sk_buff *skb, s64 seq,
					u32 flow)
{
	struct lpd_entry *e = o->unused;

	o->unused = e->next;
	e->skb = skb;
	e->by_key.then = seq;
	e->below = 0;
	e->segment = 0;
	e->flow = flow;
	e->keyed = LPD_NOWHERE;
	e->placed = LPD_NOWHERE;
	e->held = false;
	lpd_skb_cb(skb)->entry = lpd_order_number(o, e);
	return e;
}

/**
 * lpd_order_keep() - with order edf, keep the place of a packet that cannot become stale
 * @o: the order
 * @e: a new or spared entry
 */
void lpd_order_keep(struct lpd_order *o, struct lpd_entry *e)
{
	struct lpd_slot *place = lpd_place_of(e);

	if (e->placed)
		return;
	if (!e->held)
		place->at = e->by_key.at;
	place->then = e->by_key.at;
	e->placed = lpd_calendar_push(&o->places, place);
}

/* A heap is a pairing heap (Fredman, Sedgewick, Sleator and Tarjan, "The pairing heap",
 * Algorithmica 1, 1986): each packet expires before the packets below it. To add a packet takes
 * one comparison. To remove the first packet takes O(log n) on average, and n at most, with n <
 * 256.
 */

static u32 lpd_number_or_0(const struct lpd_order *o, const struct lpd_entry *e)
{
	return e ? lpd_order_number(o, e) : 0;
}

static struct lpd_entry *lpd_numbered_or_null(const struct lpd_order *o, u32 number)
{
	return number ? lpd_order_numbered(o, number) : NULL;
}

/* Puts an entry below another one, in front of those that are there already. */
static inline void lpd_heap_hang(struct lpd_order *o, struct lpd_entry *above, struct lpd_entry *e)
{
	struct lpd_entry *other = lpd_numbered_or_null(o, above->below);

	e->by_key.prev = &above->by_key;
	e->by_key.next = other ? &other->by_key : NULL;
	if (other)
		other->by_key.prev = &e->by_key;
	above->below = lpd_order_number(o, e);
	e->keyed = LPD_BELOW;
}

/* Makes one heap of two. Returns its first entry. */
static struct lpd_entry *lpd_heap_merge(struct lpd_order *o, struct lpd_entry *a,
					struct lpd_entry *b)
{
	if (lpd_order_expires_before(b, a))
		swap(a, b);
	lpd_heap_hang(o, a, b);
	return a;
}

/* Returns the next entry below the same entry, or in a list of heaps. */
static struct lpd_entry *lpd_heap_next(const struct lpd_entry *e)
{
	return lpd_of_key(e->by_key.next);
}

/* Merges the heaps of a list in pairs. Returns the list of the new heaps, in reverse order. */
static struct lpd_entry *lpd_heap_pairs(struct lpd_order *o, struct lpd_entry *a)
{
	struct lpd_entry *pairs = NULL, *b, *more;

	for (; a; a = more) {
		b = lpd_heap_next(a);
		more = b ? lpd_heap_next(b) : NULL;
		if (b)
			a = lpd_heap_merge(o, a, b);
		a->by_key.next = pairs ? &pairs->by_key : NULL;
		pairs = a;
	}
	return pairs;
}

/* Removes all entries below an entry. Returns the first of them; the others are below it. */
static struct lpd_entry *lpd_heap_rest(struct lpd_order *o, struct lpd_entry *e)
{
	struct lpd_entry *below = lpd_numbered_or_null(o, e->below);
	struct lpd_entry *first = lpd_heap_pairs(o, below), *more, *next;

	e->below = 0;
	if (!first)
		return NULL;
	for (more = lpd_heap_next(first); more; more = next) {
		next = lpd_heap_next(more);
		first = lpd_heap_merge(o, first, more);
	}
	return first;
}

/* Removes an entry from its heap, of which it is not the first one. */
static void lpd_heap_remove(struct lpd_order *o, struct lpd_entry *e)
{
	struct lpd_entry *rest = lpd_heap_rest(o, e), *before = lpd_of_key(e->by_key.prev);
	struct lpd_entry *heir = rest ?: lpd_heap_next(e);

	/* the first entry of the rest takes the position of the entry */
	if (rest) {
		rest->by_key.next = e->by_key.next;
		if (rest->by_key.next)
			rest->by_key.next->prev = &rest->by_key;
	}
	if (heir)
		heir->by_key.prev = &before->by_key;
	if (before->below == lpd_number_or_0(o, e))
		before->below = lpd_number_or_0(o, heir);
	else
		before->by_key.next = heir ? &heir->by_key : NULL;
}

/* Adds the first packet of a heap to "held". The packet waits until lpd_order_earliest() needs it,
 * which is never while packets are sent in time. The list is short, because moving all its packets
 * into the calendar takes time.
 */
static void lpd_held_add(struct lpd_order *o, struct lpd_entry *e)
{
	if (!LPD_FAST || o->waits >= LPD_WAITS) {
		e->keyed = lpd_calendar_push(&o->held, &e->by_key);
		return;
	}
	lpd_list_append(&o->waiting, &e->by_key);
	e->keyed = LPD_WAITING;
	o->waits++;
}

static void lpd_held_remove(struct lpd_order *o, struct lpd_entry *e)
{
	if (e->keyed != LPD_WAITING) {
		lpd_calendar_remove(&o->held, &e->by_key, e->keyed);
		return;
	}
	lpd_list_remove(&o->waiting, &e->by_key);
	o->waits--;
}

/* Moves a waiting packet into the calendar. */
static void lpd_held_settle(struct lpd_order *o, struct lpd_entry *e)
{
	lpd_held_remove(o, e);
	e->keyed = lpd_calendar_push(&o->held, &e->by_key);
}

/* Makes an entry the first one of a heap in place of another entry. */
static void lpd_order_succeed(struct lpd_order *o, struct lpd_entry *first,
			      struct lpd_entry *next)
{
	struct lpd_slot *place = lpd_place_of(next);

	place->then = next->by_key.at;
	next->placed = lpd_calendar_replace(&o->places, lpd_place_of(first), place,
					    first->placed);
	if (first->keyed == LPD_WAITING) {
		lpd_list_replace(&o->waiting, &first->by_key, &next->by_key);
		next->keyed = LPD_WAITING;
		return;
	}
	lpd_calendar_remove(&o->held, &first->by_key, first->keyed);
	lpd_held_add(o, next);
}

/* Removes the first entry of a heap. */
static void lpd_order_withdraw_first(struct lpd_order *o, struct lpd_entry *e)
{
	struct lpd_entry *next = lpd_heap_rest(o, e);
	struct lpd_flow *f = &o->flows[e->flow];

	if (f->heap == lpd_order_number(o, e))
		f->heap = lpd_number_or_0(o, next);
	if (next) {
		lpd_order_succeed(o, e, next);
		return;
	}
	if (e->keyed)
		lpd_held_remove(o, e);
	if (e->placed)
		lpd_calendar_remove(&o->places, lpd_place_of(e), e->placed);
}

/* Removes a held entry from all calendars, lists and heaps. */
static void lpd_order_withdraw_held(struct lpd_order *o, struct lpd_entry *e)
{
	if (e->keyed == LPD_BELOW)
		lpd_heap_remove(o, e);
	else
		lpd_order_withdraw_first(o, e);
}

/* Removes an entry from all calendars, lists and heaps. */
static void lpd_order_withdraw(struct lpd_order *o, struct lpd_entry *e)
{
	if (e->held)
		lpd_order_withdraw_held(o, e);
	else if (e->keyed)
		lpd_calendar_remove(&o->free, &e->by_key, e->keyed);
	else if (e->placed)
		lpd_calendar_remove(&o->places, lpd_place_of(e), e->placed);
	e->keyed = LPD_NOWHERE;
	e->placed = LPD_NOWHERE;
}

/**
 * lpd_order_leave() - remove a packet from the order
 * @o: the order
 * @e: the packet's entry, which the packet loses
 */
void lpd_order_leave(struct lpd_order *o, struct lpd_entry *e)
{
	lpd_order_withdraw(o, e);
	if (o->flows)
		o->flows[e->flow].queued--;
	lpd_order_release(o, e);
}

/**
 * lpd_order_spare() - remove an entry from the packets that may become stale
 * @o: the order
 * @e: the entry; the next call for the entry is lpd_order_unspare(), lpd_order_keep(),
 *	lpd_order_leave() or lpd_order_release()
 */
void lpd_order_spare(struct lpd_order *o, struct lpd_entry *e)
{
	lpd_order_withdraw(o, e);
	if (e->held)
		lpd_order_keep(o, e);
}

/**
 * lpd_order_unspare() - let a packet become stale again
 * @o: the order
 * @e: the packet's entry; if it is held, it is in "places"
 */
void lpd_order_unspare(struct lpd_order *o, struct lpd_entry *e)
{
	if (e->held)
		lpd_held_add(o, e);
	else
		e->keyed = lpd_calendar_push(&o->free, &e->by_key);
}

/* Begins a new block of a flow if a packet does not fit into the current one. A block has at most
 * as many packets as the smallest "reorder" of its packets, but at least one packet. Packets of one
 * block are sent in the order of their keys, and their places are later than the places of all
 * earlier blocks. Therefore at most "reorder" - 1 packets of the flow overtake a packet, and none
 * if "reorder" is 0:
 *
 *	reorder 3:  | 1 2 3 | 4 5 6 | 7 ...	3, 1, 2, 4, 6, 5, 7: at most 2
 *	reorder 0:  | 1 | 2 | 3 | ...		the order of arrival
 */
static __always_inline void lpd_flow_count(struct lpd_flow *f, u32 reorder, u32 packets)
{
	f->size += packets;
	f->least = min(f->least, reorder);
	if (f->size > f->least) {
		f->after = f->latest + 1;
		f->size = packets;
		f->least = reorder;
	}
}

/* Computes the place of a packet in the order of all flows. @packets is the number of packets that
 * the receiver will see: each segment of a super-packet counts. Returns @key, or a later time if
 * sending the packet by @key would reorder its flow too far.
 */
static __always_inline s64 lpd_flow_place(struct lpd_flow *f, s64 key, u32 reorder, u32 packets)
{
	s64 place = key;

	if (!f->queued++)
		*f = (struct lpd_flow){ S64_MIN, S64_MIN, 1, .least = U8_MAX };
	lpd_flow_count(f, reorder, packets);
	if (place < f->after)
		place = f->after;
	if (place > f->latest)
		f->latest = place;
	return place;
}

/* The packet's hash must be known if the order is edf. */
static __always_inline struct lpd_entry *lpd_order_arrive(struct lpd_order *o, struct sk_buff *skb,
							  s64 key)
{
	u32 flow = reciprocal_scale(skb_get_hash_raw(skb), LPD_FLOWS);
	struct lpd_flow *flows = o->flows;
	struct lpd_entry *e = lpd_order_take(o, skb, lpd_order_seq(o), flow);
	s64 place;

	e->by_key.at = key;
	if (!flows)
		return e;
	place = lpd_flow_place(&flows[flow], key, lpd_skb_cb(skb)->reorder, qdisc_pkt_segs(skb));
	if (place != key) {
		e->held = true;
		lpd_place_of(e)->at = place;
	}
	return e;
}

/* Returns the first entry of the heap of a flow's current block, whose place is @place; NULL if
 * there is none. The heap of an earlier block gets no more packets.
 */
static struct lpd_entry *lpd_flow_heap(struct lpd_order *o, struct lpd_flow *f, s64 place)
{
	struct lpd_entry *first = lpd_numbered_or_null(o, f->heap);

	if (!first || lpd_place_of(first)->at == place)
		return first;
	if (first->keyed == LPD_WAITING && o->waits > LPD_WAITS / 2)
		lpd_held_settle(o, first);
	return NULL;
}

/* Makes an entry the first one of its block's heap. */
static void lpd_heap_lead(struct lpd_order *o, struct lpd_entry *e, struct lpd_entry *before)
{
	lpd_order_succeed(o, before, e);
	before->placed = LPD_NOWHERE;
	lpd_heap_hang(o, e, before);
}

/* Makes an entry the first one of its block's heap, in which it may be alone. */
static noinline void lpd_order_place_first(struct lpd_order *o, struct lpd_flow *f,
					   struct lpd_entry *e)
{
	struct lpd_entry *first = LPD_FAST ? lpd_flow_heap(o, f, lpd_place_of(e)->at) : NULL;

	f->heap = lpd_order_number(o, e);
	if (first) {
		lpd_heap_lead(o, e, first);
		return;
	}
	lpd_order_keep(o, e);
	lpd_held_add(o, e);
}

/* Puts an entry with a later place into the heap of its block. All packets of a heap have the same
 * place. So only the first one can be sent next, or become stale next.
 */
static noinline void lpd_order_place_held(struct lpd_order *o, struct lpd_entry *e)
{
	struct lpd_flow *f = &o->flows[e->flow];
	struct lpd_entry *first = lpd_numbered_or_null(o, f->heap);

	if (LPD_FAST && first && lpd_place_of(first)->at == lpd_place_of(e)->at &&
	    lpd_order_expires_before(first, e))
		lpd_heap_hang(o, first, e);
	else
		lpd_order_place_first(o, f, e);
}

/* Puts an entry whose place has been decided into the calendars. Returns whether it is in a
 * tree.
 */
static __always_inline bool lpd_order_place(struct lpd_order *o, struct lpd_entry *e)
{
	enum lpd_where where;

	if (e->held) {
		lpd_order_place_held(o, e);
		return e->keyed == LPD_IN_TREE || e->placed == LPD_IN_TREE;
	}
	where = lpd_calendar_push_quick(&o->free, &e->by_key);
	e->keyed = where;
	return where == LPD_IN_TREE;
}

/**
 * lpd_order_enter() - put a packet that may become stale into the order
 * @o: the order
 * @skb: the packet, which has just arrived
 * @key: the packet's key
 *
 * With order fifo, the packet's place is its key, which only says when it becomes stale.
 *
 * Return: the packet's entry
 */
struct lpd_entry *lpd_order_enter(struct lpd_order *o, struct sk_buff *skb, s64 key)
{
	struct lpd_entry *e;

	if (o->flows)
		skb_get_hash(skb);
	e = lpd_order_arrive(o, skb, key);
	lpd_order_place(o, e);
	return e;
}

/* Computes the hash of a packet before it enters the order. It is a function of its own, so that
 * its caller saves fewer registers.
 */
static noinline int lpd_order_enter_unknown(struct lpd_order *o, struct sk_buff *skb, s64 key,
					    u64 *stats)
{
	skb_get_hash(skb);
	return lpd_order_enter_usual(o, skb, key, stats);
}

/**
 * lpd_order_enter_usual() - put a usual packet into the order
 * @o: the order
 * @skb: the packet, which has just arrived; its control block is filled
 * @key: the packet's key
 * @stats: counters; a packet whose entry is in no tree took the fast path
 *
 * Return: NET_XMIT_SUCCESS, so that enqueue can end with a call of this function
 */
int lpd_order_enter_usual(struct lpd_order *o, struct sk_buff *skb, s64 key, u64 *stats)
{
	struct lpd_entry *e;

	if (unlikely(o->flows && !skb->l4_hash && !skb->sw_hash))
		return lpd_order_enter_unknown(o, skb, key, stats);
	e = lpd_order_arrive(o, skb, key);
	stats[lpd_order_place(o, e) ? TCA_LPD_STATS_SLOW_ORDER : TCA_LPD_STATS_FAST]++;
	return NET_XMIT_SUCCESS;
}

/**
 * lpd_order_enter_cut() - with order edf, put a packet that has been cut into the order
 * @o: the order
 * @skb: the packet
 * @key: the packet's key
 *
 * Return: the packet's entry
 */
struct lpd_entry *lpd_order_enter_cut(struct lpd_order *o, struct sk_buff *skb, s64 key)
{
	struct lpd_entry *e;

	skb_get_hash(skb);
	e = lpd_order_arrive(o, skb, key);
	lpd_order_keep(o, e);
	return e;
}

/**
 * lpd_order_enter_apart() - give a packet an entry that only has a rank
 * @o: the order
 * @skb: the packet
 *
 * Return: the packet's entry, for lpd_order_release()
 */
struct lpd_entry *lpd_order_enter_apart(struct lpd_order *o, struct sk_buff *skb)
{
	struct lpd_entry *e = lpd_order_take(o, skb, lpd_order_seq(o), 0);

	lpd_skb_cb(skb)->entry = -lpd_skb_cb(skb)->entry;
	return e;
}

/**
 * lpd_order_mark() - copy what orders a packet
 * @o: the order
 * @e: the packet's entry
 */
struct lpd_mark lpd_order_mark(const struct lpd_order *o, const struct lpd_entry *e)
{
	return (struct lpd_mark){
		.entry = *e,
		.place = e->held ? lpd_place_of(e)->at : e->by_key.at,
	};
}

/**
 * lpd_order_join() - give a packet that cannot become stale the position of another packet
 * @o: the order
 * @skb: the packet
 * @at: the other packet, which has left the order; @at->entry.segment is incremented
 *
 * Return: the packet's entry
 */
struct lpd_entry *lpd_order_join(struct lpd_order *o, struct sk_buff *skb, struct lpd_mark *at)
{
	struct lpd_entry *e = lpd_order_take(o, skb, at->entry.by_key.then, at->entry.flow);

	e->by_key.at = at->entry.by_key.at;
	e->segment = at->entry.segment++;
	if (!o->flows)
		return e;
	e->held = at->entry.held;
	lpd_place_of(e)->at = at->place;
	lpd_order_keep(o, e);
	o->flows[e->flow].queued++;
	return e;
}

/**
 * lpd_order_settle() - give an entry to a packet that has left the run and stays queued
 * @o: the order
 * @skb: the packet; its control block has been filled again
 * @key: the packet's key
 * @seq: lpd_run_seq() before the packet left the run
 *
 * Return: the packet's entry
 */
struct lpd_entry *lpd_order_settle(struct lpd_order *o, struct sk_buff *skb, s64 key, s64 seq)
{
	struct lpd_entry *e = lpd_order_take(o, skb, seq, 0);

	e->by_key.at = key;
	lpd_order_unspare(o, e);
	return e;
}

/* Returns an element of the list of arrivals. The list is in slots of "places", which are unused
 * then.
 */
static struct lpd_entry **lpd_arrival(const struct lpd_order *o, size_t index)
{
	return (struct lpd_entry **)lpd_place_of(lpd_order_nth(o, index));
}

static int lpd_compare_arrivals(const void *a, const void *b)
{
	struct lpd_entry *const *one = a, *const *other = b;

	return lpd_order_came_before(*one, *other) ? -1 : 1;
}

static void lpd_swap_arrivals(void *a, void *b, int size)
{
	struct lpd_entry **one = a, **other = b;

	swap(*one, *other);
}

/**
 * lpd_order_arrivals() - with order edf, list all packets with entries in the order of arrival
 * @o: the order; its entries stay, but are in no calendar afterwards
 * @fifo: all packets of the queue
 *
 * lpd_order_arrival() returns an element of the list.
 */
void lpd_order_arrivals(struct lpd_order *o, struct sk_buff_head *fifo)
{
	struct sk_buff *skb;
	size_t len = 0;

	/* all slots must have left the calendars before the list overwrites them */
	skb_queue_walk(fifo, skb) {
		if (lpd_order_has(skb))
			lpd_order_withdraw(o, lpd_order_entry(o, skb));
	}
	skb_queue_walk(fifo, skb) {
		if (lpd_order_has(skb))
			*lpd_arrival(o, len++) = lpd_order_entry(o, skb);
	}
	sort(lpd_arrival(o, 0), len, o->stride, lpd_compare_arrivals, lpd_swap_arrivals);
}

/**
 * lpd_order_arrival() - return an element of the list of arrivals
 * @o: the order
 * @index: 0 for the packet that arrived first
 */
struct lpd_entry *lpd_order_arrival(const struct lpd_order *o, size_t index)
{
	return *lpd_arrival(o, index);
}

/* @a or @b may be NULL. */
static struct lpd_entry *lpd_first_to_expire(struct lpd_entry *a, struct lpd_entry *b)
{
	if (!a || !b)
		return a ?: b;
	return lpd_order_expires_before(b, a) ? b : a;
}

/**
 * lpd_order_earliest() - find the entry of the packet that becomes stale first
 * @o: the order
 *
 * Return: the entry; NULL if no packet with an entry may become stale
 */
struct lpd_entry *lpd_order_earliest(struct lpd_order *o)
{
	struct lpd_entry *free = lpd_of_key(lpd_calendar_first(&o->free));

	while (o->waiting)
		lpd_held_settle(o, lpd_of_key(o->waiting));
	return o->flows ? lpd_first_to_expire(free, lpd_of_key(lpd_calendar_first(&o->held))) :
			  free;
}

/**
 * lpd_order_next_of_equal() - find the entry with the earliest place among two with equal places
 * @free: the first slot of "free"
 * @place: the first slot of "places"
 */
struct lpd_entry *lpd_order_next_of_equal(const struct lpd_slot *free, const struct lpd_slot *place)
{
	struct lpd_entry *e = lpd_of_key(free), *held = lpd_of_place(place);

	return lpd_order_expires_before(held, e) ? held : e;
}
