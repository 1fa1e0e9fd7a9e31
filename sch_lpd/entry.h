/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries: one for each queued packet that has a lifetime. An entry holds all that is
 * needed to order its packet.
 *
 * The heaps compare and move entries. They touch no packet, because packets lie
 * scattered in memory. The packet's control block holds the number of its entry. The
 * entry holds its positions in the heaps. The pool has as many entries as the queue can
 * need (lpd_pool_size()), so taking an entry cannot fail.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_ENTRY_H
#define _SCH_LPD_ENTRY_H

#include <linux/list.h>
#include <linux/minmax.h>
#include "flow.h"
#include "packet.h"

/* The position of an entry that is not in the heap. */
#define LPD_NOT_IN_HEAP	U32_MAX

/**
 * enum lpd_by - by which value a heap orders its entries
 * @LPD_BY_KEY: which packet becomes stale first
 * @LPD_BY_PLACE: which packet is sent first
 * @LPD_BYS: number of these values
 */
enum lpd_by {
	LPD_BY_KEY,
	LPD_BY_PLACE,
	LPD_BYS,
};

/**
 * struct lpd_entry - a queued packet with a lifetime
 * @key: after this time the packet is stale, monotonic ns
 * @place: the packet's place in the order, monotonic ns, not before @key
 * @seq: orders two packets whose times are equal; the packet that came first has
 *	the smaller number
 * @segment: orders two segments of one packet in the same way
 * @pos: positions in the heaps, by enum lpd_by, or LPD_NOT_IN_HEAP
 * @skb: the packet
 * @flow: its flow; only with order edf
 * @run: node in the list of packets that came in order, see keys.h
 * @next: the next unused entry, if this entry is unused
 */
struct lpd_entry {
	s64 key;
	s64 place;
	u32 seq;
	u32 segment;
	u32 pos[LPD_BYS];
	struct sk_buff *skb;
	struct lpd_flow *flow;
	union {
		struct list_head run;
		struct lpd_entry *next;
	};
};

/**
 * struct lpd_pool - all entries of a queue
 * @entry: the array of entries
 * @unused: the first unused entry
 */
struct lpd_pool {
	struct lpd_entry *entry;
	struct lpd_entry *unused;
};

static inline bool lpd_entry_came_before(const struct lpd_entry *a,
					 const struct lpd_entry *b)
{
	if (a->seq != b->seq)
		return (s32)(a->seq - b->seq) < 0;
	return a->segment < b->segment;
}

static inline bool lpd_entry_expires_before(const struct lpd_entry *a,
					    const struct lpd_entry *b)
{
	return a->key < b->key ||
	       (a->key == b->key && lpd_entry_came_before(a, b));
}

/* @a or @b may be NULL. */
static inline struct lpd_entry *lpd_entry_first_to_expire(struct lpd_entry *a,
							  struct lpd_entry *b)
{
	if (!a || !b)
		return a ?: b;
	return lpd_entry_expires_before(b, a) ? b : a;
}

/* Only with order edf. */
static inline bool lpd_entry_leaves_before(const struct lpd_entry *a,
					   const struct lpd_entry *b)
{
	return a->place < b->place ||
	       (a->place == b->place && lpd_entry_expires_before(a, b));
}

/**
 * lpd_pool_size() - how many entries a queue can need
 * @limit: the queue's limit, packets
 * @memory: the queue's limit, bytes as lpd_packet_memory() counts them
 *
 * Two entries more than packets fit: enqueue inserts a packet before it drops one, and
 * a stale head may not count towards the limits.
 */
static inline u32 lpd_pool_size(u32 limit, u32 memory)
{
	return min(limit, memory / LPD_MEMORY_LEAST) + 2;
}

static inline void lpd_pool_init(struct lpd_pool *pool, struct lpd_entry *entry,
				 u32 size)
{
	pool->entry = entry;
	pool->unused = NULL;
	while (size--) {
		entry[size].next = pool->unused;
		pool->unused = &entry[size];
	}
}

/**
 * lpd_pool_take() - give a packet an entry
 * @pool: the pool
 * @skb: the packet; it has no entry yet
 *
 * Return: the entry, in no heap; the caller fills in the values that order it
 */
static inline struct lpd_entry *lpd_pool_take(struct lpd_pool *pool,
					      struct sk_buff *skb)
{
	struct lpd_entry *e = pool->unused;

	pool->unused = e->next;
	e->pos[LPD_BY_KEY] = LPD_NOT_IN_HEAP;
	e->pos[LPD_BY_PLACE] = LPD_NOT_IN_HEAP;
	e->skb = skb;
	lpd_skb_cb(skb)->entry = e - pool->entry + 1;
	return e;
}

/**
 * lpd_pool_release() - take back a packet's entry
 * @pool: the pool
 * @e: the entry, in no heap
 */
static inline void lpd_pool_release(struct lpd_pool *pool, struct lpd_entry *e)
{
	lpd_skb_cb(e->skb)->entry = LPD_NO_ENTRY;
	e->next = pool->unused;
	pool->unused = e;
}

/* The packet's control block is filled. */
static inline bool lpd_pool_has(const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->entry != LPD_NO_ENTRY;
}

/* The packet has an entry: see lpd_pool_has(). */
static inline struct lpd_entry *lpd_pool_entry(const struct lpd_pool *pool,
					       const struct sk_buff *skb)
{
	return &pool->entry[lpd_skb_cb(skb)->entry - 1];
}

#endif /* _SCH_LPD_ENTRY_H */
