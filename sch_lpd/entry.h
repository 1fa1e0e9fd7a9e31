/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each queued packet that may become stale has an entry. The entry has all values that order the
 * packet. With order edf, packets that have been cut keep their entries. With overflow least, all
 * packets have entries.
 *
 * The heaps compare and move entries. The heaps do not read the packets, because packets
 * are scattered in memory. A packet's control block contains the number of its entry. An
 * entry contains its own positions in the heaps. The pool has as many entries as the queue
 * can need, see lpd_pool_size(). Therefore lpd_pool_take() cannot fail.
 *
 * The caller must hold the root lock of the qdisc tree.
 */
#ifndef _SCH_LPD_ENTRY_H
#define _SCH_LPD_ENTRY_H

#include <linux/list.h>
#include <linux/minmax.h>
#include "flow.h"
#include "packet.h"

/* The position of an entry that is not in a heap. */
#define LPD_NOT_IN_HEAP	U32_MAX

/**
 * enum lpd_by - the value by which a heap orders its entries
 * @LPD_BY_KEY: the packet's key, see lifetime.h
 * @LPD_BY_PLACE: the packet's place, see struct lpd_entry
 * @LPD_BYS: number of enum values
 */
enum lpd_by {
	LPD_BY_KEY,
	LPD_BY_PLACE,
	LPD_BYS,
};

/**
 * struct lpd_entry - the values that order a queued packet
 * @key: the packet's key, see lifetime.h, monotonic ns
 * @place: monotonic time in ns, not before @key; order edf sends packets in the order of their
 *	places
 * @seq: number that orders packets with equal times; an earlier packet has a smaller number
 * @segment: number that orders the segments of one super-packet, which have the same @seq;
 *	an earlier segment has a smaller number
 * @pos: position in each heap, indexed by enum lpd_by; LPD_NOT_IN_HEAP, or LPD_IN_RUN of keys.h
 * @skb: the packet
 * @flow: the packet's flow; used with order edf only
 * @run: node in the list of entries that arrived in the order of their keys, see keys.h
 * @next: in an unused entry, the next unused entry
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
 * The pool has two entries more than the number of packets that fit into the queue. The first spare
 * entry is for enqueue, which inserts a packet before it drops another packet. The second spare
 * entry is for a stale head, which does not count towards the limits.
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
 * @skb: a packet without an entry
 *
 * Return: an entry that is in no heap; the caller sets the values that order the entry
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
 * lpd_pool_release() - release a packet's entry
 * @pool: the pool
 * @e: an entry that is in no heap
 */
static inline void lpd_pool_release(struct lpd_pool *pool, struct lpd_entry *e)
{
	lpd_skb_cb(e->skb)->entry = LPD_NO_ENTRY;
	e->next = pool->unused;
	pool->unused = e;
}

/* Checks whether a packet has an entry for the index. The packet's control block must be
 * filled.
 */
static inline bool lpd_pool_has(const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->entry > LPD_NO_ENTRY;
}

/* Returns the entry of a packet for which lpd_pool_has() is true. */
static inline struct lpd_entry *lpd_pool_entry(const struct lpd_pool *pool,
					       const struct sk_buff *skb)
{
	return &pool->entry[lpd_skb_cb(skb)->entry - 1];
}

/* Marks the entry of a packet as an entry that only has a rank. */
static inline void lpd_pool_set_apart(struct sk_buff *skb)
{
	lpd_skb_cb(skb)->entry = -lpd_skb_cb(skb)->entry;
}

/* Checks whether a packet has an entry that only has a rank. */
static inline bool lpd_pool_has_apart(const struct sk_buff *skb)
{
	return lpd_skb_cb(skb)->entry < LPD_NO_ENTRY;
}

/* Returns the entry of a packet for which lpd_pool_has_apart() is true. */
static inline struct lpd_entry *lpd_pool_apart(const struct lpd_pool *pool,
					       const struct sk_buff *skb)
{
	return &pool->entry[-lpd_skb_cb(skb)->entry - 1];
}

#endif /* _SCH_LPD_ENTRY_H */
