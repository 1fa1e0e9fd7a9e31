// SPDX-License-Identifier: GPL-2.0
/* The order of the packets of a queue: see order.h. lpd_order_enter() decides a packet's place. */

#include <linux/mm.h>
#include <linux/sort.h>
#include <net/sch_generic.h>
#include "fast.h"
#include "order.h"
#include "usual.h"

/* Checks whether packet @a arrived before packet @b. */
bool lpd_order_came_before(const struct lpd_entry *a, const struct lpd_entry *b)
{
	if (a->by_key.then != b->by_key.then)
		return a->by_key.then - b->by_key.then < 0;
	return a->segment < b->segment;
}

/* Checks whether packet @a becomes stale before packet @b, or earlier in the order of equal
 * keys.
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

static struct lpd_entry *lpd_of_place(const struct lpd_order *o, const struct lpd_slot *s)
{
	return s ? &o->entry[s - o->place] : NULL;
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
	const struct lpd_order *o = container_of(c, struct lpd_order, places);

	return lpd_order_came_before(lpd_of_place(o, a), lpd_of_place(o, b));
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
		o->entry[size].next = o->unused;
		o->unused = &o->entry[size];
	}
}

static void lpd_order_init_calendars(struct lpd_order *o, u32 buckets, bool edf)
{
	size_t bytes = lpd_calendar_bytes(buckets);

	if (!LPD_FAST)
		buckets = 0;
	lpd_calendar_init(&o->free, o->table, buckets, lpd_equal_keys);
	if (!edf)
		return;
	lpd_calendar_init(&o->held, o->table + bytes, buckets, lpd_equal_keys);
	lpd_calendar_init(&o->places, o->table + 2 * bytes, buckets, lpd_equal_places);
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
	u32 buckets = lpd_calendar_buckets(size);
	u32 calendars = edf ? 3 : 1;

	*o = (struct lpd_order){};
	o->entry = kvmalloc_array(size, sizeof(*o->entry), LPD_GFP);
	o->table = kvcalloc(calendars, lpd_calendar_bytes(buckets), LPD_GFP);
	if (edf) {
		o->place = kvmalloc_array(size, sizeof(*o->place), LPD_GFP);
		o->flows = kvcalloc(LPD_FLOWS, sizeof(*o->flows), LPD_GFP);
	}
	if (!o->entry || !o->table || (edf && (!o->place || !o->flows)))
		return -ENOMEM;
	lpd_order_init_entries(o, size);
	lpd_order_init_calendars(o, buckets, edf);
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
	kvfree(o->place);
	kvfree(o->flows);
}

/* Gives a packet an entry that is in no calendar. The caller sets its key. */
static struct lpd_entry *lpd_order_take(struct lpd_order *o, struct sk_buff *skb, s64 seq)
{
	struct lpd_entry *e = o->unused;

	o->unused = e->next;
	e->skb = skb;
	e->by_key.then = seq;
	e->segment = 0;
	e->keyed = LPD_NOWHERE;
	e->placed = LPD_NOWHERE;
	e->held = false;
	lpd_skb_cb(skb)->entry = e - o->entry + 1;
	return e;
}

/**
 * lpd_order_unspare() - let a packet become stale again
 * @o: the order
 * @e: the packet's entry
 */
void lpd_order_unspare(struct lpd_order *o, struct lpd_entry *e)
{
	e->keyed = lpd_calendar_push(lpd_expiry(o, e), &e->by_key);
}

/**
 * lpd_order_keep() - with order edf, keep the place of a packet that cannot become stale
 * @o: the order
 * @e: a new or spared entry
 */
void lpd_order_keep(struct lpd_order *o, struct lpd_entry *e)
{
	struct lpd_slot *place = lpd_place_of(o, e);

	if (e->placed)
		return;
	if (!e->held)
		place->at = e->by_key.at;
	place->then = e->by_key.at;
	e->placed = lpd_calendar_push(&o->places, place);
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
static __always_inline void lpd_flow_count(struct lpd_flow *f, u8 reorder, unsigned int packets)
{
	if (f->size + packets > min(f->least, reorder)) {
		f->after = f->latest + 1;
		f->size = 0;
		f->least = U8_MAX;
	}
	f->size += packets;
	f->least = min(f->least, reorder);
}

/* Computes the place of a packet in the order of all flows. @packets is the number of packets that
 * the receiver will see: each segment of a super-packet counts. Returns @key, or a later time if
 * sending the packet by @key would reorder its flow too far.
 */
static __always_inline s64 lpd_flow_place(struct lpd_flow *f, s64 key, u8 reorder,
					  unsigned int packets)
{
	s64 place;

	if (!f->queued++)
		*f = (struct lpd_flow){ S64_MIN, S64_MIN, 1, 0, U8_MAX };
	lpd_flow_count(f, reorder, packets);
	place = max(key, f->after);
	f->latest = max(f->latest, place);
	return place;
}

/* With order edf: decides the place of a packet that has just arrived. */
static __always_inline void lpd_order_decide(struct lpd_order *o, struct lpd_entry *e, s64 key)
{
	struct sk_buff *skb = e->skb;
	s64 place;

	e->flow = reciprocal_scale(skb_get_hash(skb), LPD_FLOWS);
	place = lpd_flow_place(&o->flows[e->flow], key, lpd_skb_cb(skb)->reorder,
			       qdisc_pkt_segs(skb));
	if (place == key)
		return;
	e->held = true;
	lpd_place_of(o, e)->at = place;
}

static __always_inline struct lpd_entry *lpd_order_arrive(struct lpd_order *o, struct sk_buff *skb,
							  s64 key)
{
	struct lpd_entry *e = lpd_order_take(o, skb, lpd_order_seq(o));

	e->by_key.at = key;
	if (o->flows)
		lpd_order_decide(o, e, key);
	return e;
}

/* Puts an entry whose place has been decided into the calendars. */
static __always_inline void lpd_order_place(struct lpd_order *o, struct lpd_entry *e)
{
	e->keyed = lpd_calendar_push(lpd_expiry(o, e), &e->by_key);
	if (e->held)
		lpd_order_keep(o, e);
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
	struct lpd_entry *e = lpd_order_arrive(o, skb, key);

	lpd_order_place(o, e);
	return e;
}

/**
 * lpd_order_enter_usual() - put a usual packet into the order
 * @o: the order
 * @skb: the packet, which has just arrived; of its control block, only the deadline is set
 * @key: the packet's key
 *
 * Return: whether the packet took the fast path: its entry is in no tree
 */
bool lpd_order_enter_usual(struct lpd_order *o, struct sk_buff *skb, s64 key)
{
	struct lpd_entry *e;

	lpd_usual_fill(skb);
	e = lpd_order_arrive(o, skb, key);
	lpd_order_place(o, e);
	return e->keyed != LPD_IN_TREE && e->placed != LPD_IN_TREE;
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
	struct lpd_entry *e = lpd_order_arrive(o, skb, key);

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
	struct lpd_entry *e = lpd_order_take(o, skb, lpd_order_seq(o));

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
		.place = e->held ? lpd_place_of(o, e)->at : e->by_key.at,
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
	struct lpd_entry *e = lpd_order_take(o, skb, at->entry.by_key.then);

	e->by_key.at = at->entry.by_key.at;
	e->segment = at->entry.segment++;
	e->flow = at->entry.flow;
	if (!o->flows)
		return e;
	e->held = at->entry.held;
	lpd_place_of(o, e)->at = at->place;
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
	struct lpd_entry *e = lpd_order_take(o, skb, seq);

	e->by_key.at = key;
	lpd_order_unspare(o, e);
	return e;
}

static int lpd_compare_arrivals(const void *a, const void *b)
{
	const struct lpd_entry *const *one = a, *const *other = b;

	return lpd_order_came_before(*one, *other) ? -1 : 1;
}

/**
 * lpd_order_arrivals() - with order edf, list all packets with entries in the order of arrival
 * @o: the order; its entries stay, but are in no calendar afterwards
 * @fifo: all packets of the queue
 *
 * Return: the list, which is in the memory of @o->place
 */
struct lpd_entry **lpd_order_arrivals(struct lpd_order *o, struct sk_buff_head *fifo)
{
	struct lpd_entry **list = (struct lpd_entry **)o->place;
	struct sk_buff *skb;
	size_t len = 0;

	/* all slots must have left the calendars before the list overwrites them */
	skb_queue_walk(fifo, skb) {
		if (lpd_order_has(skb))
			lpd_order_withdraw(o, lpd_order_entry(o, skb));
	}
	skb_queue_walk(fifo, skb) {
		if (lpd_order_has(skb))
			list[len++] = lpd_order_entry(o, skb);
	}
	sort(list, len, sizeof(*list), lpd_compare_arrivals, NULL);
	return list;
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
struct lpd_entry *lpd_order_earliest(const struct lpd_order *o)
{
	struct lpd_entry *free = lpd_of_key(lpd_calendar_first(&o->free));

	return o->flows ? lpd_first_to_expire(free, lpd_of_key(lpd_calendar_first(&o->held))) :
			  free;
}

/**
 * lpd_order_next_of_all() - find the entry with the earliest place in "free" and "places"
 * @o: the order, in which "places" is not empty
 */
struct lpd_entry *lpd_order_next_of_all(const struct lpd_order *o)
{
	const struct lpd_slot *free = lpd_calendar_first(&o->free);
	const struct lpd_slot *place = lpd_calendar_first(&o->places);

	if (!free || place->at < free->at ||
	    (place->at == free->at &&
	     lpd_order_expires_before(lpd_of_place(o, place), lpd_of_key(free))))
		return lpd_of_place(o, place);
	return lpd_of_key(free);
}
