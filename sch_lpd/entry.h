/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries: what orders the queued packets that have a lifetime, one for each of them.
 *
 * Heaps compare and move entries and touch no packet, which lie all over the memory.
 * A packet's control block holds the number of its entry, the entry where it stands.
 * There are as many as the queue can need (lpd_pool_size()), so taking one cannot fail.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_ENTRY_H
#define _SCH_LPD_ENTRY_H

#include <linux/list.h>
#include <linux/minmax.h>
#include "flow.h"
#include "packet.h"

/* Of an entry's position in a heap: it is not there. */
#define LPD_NOT_IN_HEAP	U32_MAX

/**
 * enum lpd_by - what a heap goes by
 * @LPD_BY_KEY: which packet becomes stale first
 * @LPD_BY_PLACE: which packet is to be sent first
 * @LPD_BYS: how many there are
 */
enum lpd_by {
	LPD_BY_KEY,
	LPD_BY_PLACE,
	LPD_BYS,
};

/**
 * struct lpd_entry - a queued packet with a lifetime
 * @key: from when on it is stale, monotonic ns
 * @place: where it stands in the order, likewise: no earlier than @key
 * @seq: of two that are equal so far the one that came first has the lesser one
 * @segment: likewise the first one of the segments of one packet
 * @pos: its positions in the heaps, by enum lpd_by, or LPD_NOT_IN_HEAP
 * @skb: the packet
 * @flow: with order edf, its flow
 * @run: in the list of those that came in order, see keys.h
 * @next: while it is not in use, the next one that is not
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
 * struct lpd_pool - entries
 * @entry: all of them
 * @unused: the first one that is not in use
 */
struct lpd_pool {
	struct lpd_entry *entry;
	struct lpd_entry *unused;
};

/**
 * lpd_entry_came_before() - which of two packets came first
 * @a: a packet's entry
 * @b: another one's
 */
static inline bool lpd_entry_came_before(const struct lpd_entry *a,
					 const struct lpd_entry *b)
{
	if (a->seq != b->seq)
		return (s32)(a->seq - b->seq) < 0;
	return a->segment < b->segment;
}

/**
 * lpd_entry_expires_before() - which of two packets becomes stale first
 * @a: a packet's entry
 * @b: another one's
 */
static inline bool lpd_entry_expires_before(const struct lpd_entry *a,
					    const struct lpd_entry *b)
{
	return a->key < b->key ||
	       (a->key == b->key && lpd_entry_came_before(a, b));
}

/**
 * lpd_entry_first_to_expire() - of two packets the one that becomes stale first
 * @a: a packet's entry, or NULL
 * @b: another one's, or NULL
 */
static inline struct lpd_entry *lpd_entry_first_to_expire(struct lpd_entry *a,
							  struct lpd_entry *b)
{
	if (!a || !b)
		return a ?: b;
	return lpd_entry_expires_before(b, a) ? b : a;
}

/**
 * lpd_entry_leaves_before() - which of two packets is sent first with order edf
 * @a: a packet's entry
 * @b: another one's
 */
static inline bool lpd_entry_leaves_before(const struct lpd_entry *a,
					   const struct lpd_entry *b)
{
	return a->place < b->place ||
	       (a->place == b->place && lpd_entry_expires_before(a, b));
}

/**
 * lpd_pool_size() - how many entries a queue can need at the most
 * @limit: packets that it holds
 * @memory: bytes that it holds, as lpd_packet_memory() counts them
 *
 * Before a packet is dropped for it one more than fits is in the queue, and a stale
 * head may not count.
 */
static inline u32 lpd_pool_size(u32 limit, u32 memory)
{
	return min(limit, memory / LPD_MEMORY_LEAST) + 2;
}

/**
 * lpd_pool_init() - no entry is in use
 * @pool: the pool
 * @entry: its entries
 * @size: how many
 */
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
 * lpd_pool_take() - an entry for a packet
 * @pool: the pool
 * @skb: the packet, which has none
 *
 * Return: the entry, in no heap; its order is the caller's to fill in
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
 * lpd_pool_release() - a packet's entry is of no use any more
 * @pool: the pool
 * @e: the entry, in no heap
 */
static inline void lpd_pool_release(struct lpd_pool *pool, struct lpd_entry *e)
{
	lpd_skb_cb(e->skb)->entry = LPD_NO_ENTRY;
	e->next = pool->unused;
	pool->unused = e;
}

/**
 * lpd_pool_has() - whether a packet has an entry
 * @skb: the packet, its control block filled
 */
static inline bool lpd_pool_has(const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->entry != LPD_NO_ENTRY;
}

/**
 * lpd_pool_entry() - a packet's entry
 * @pool: the pool
 * @skb: the packet, lpd_pool_has()
 */
static inline struct lpd_entry *lpd_pool_entry(const struct lpd_pool *pool,
					       const struct sk_buff *skb)
{
	return &pool->entry[lpd_skb_cb(skb)->entry - 1];
}

#endif /* _SCH_LPD_ENTRY_H */
