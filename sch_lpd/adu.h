/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Application data units: the fragments of one datagram. A fragment is useless without
 * the others (Gurtov and Ludwig 2003, section VI.C). If one fragment is dropped, lpd drops
 * the others too: queued fragments when their turn comes, later fragments on arrival.
 *
 *	hash --> [ 7 | dead ] [ 9 |      ] ...		LPD_ADUS datagrams
 *	              ^   ^       ^
 *	fifo:  ... > f1 > f2 > .. f1 > ...		each fragment knows its datagram
 *
 * A datagram is forgotten in three cases: LPD_ADU_LIFE after its last fragment came; when
 * its slot is needed and none of its fragments is queued; or when another first fragment
 * with the same identification comes. In IPv4 identifications have 16 bits, so they wrap.
 * The queued fragments of the old datagram then still share their fate.
 *
 * A forged fragment can cause the other fragments to be dropped: by its lifetime, or
 * because it comes when the queue is full. So fragments with the option and fragments
 * without it never belong to the same datagram, because a sender puts the option into
 * every fragment. And a fragment without the option that is not let into the queue does
 * not cause other fragments to be dropped.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_ADU_H
#define _SCH_LPD_ADU_H

#include <linux/list.h>
#include <linux/skbuff.h>

#define LPD_ADUS	512
#define LPD_ADU_BITS	8

/**
 * struct lpd_adu_key - values that the fragments of a datagram have in common
 * @source: source address; an IPv4 address is in the first word
 * @target: destination address, in the same form
 * @id: identification
 * @proto: protocol; only in IPv4, where it is part of the key
 * @version: 4 or 6
 * @option: whether the fragments carry the option
 * @pad: 0
 */
struct lpd_adu_key {
	__be32 source[4];
	__be32 target[4];
	__be32 id;
	u8 proto;
	u8 version;
	u8 option;
	u8 pad;
};

/**
 * struct lpd_adu - a datagram
 * @hash: node in the table, as long as arriving fragments may belong to the datagram
 * @age: node in the list of all datagrams; the datagram whose last fragment came first is
 *	at the front
 * @key: identifies the datagram
 * @seen: when its last fragment came, monotonic ns
 * @queued: number of its fragments in the queue
 * @first: its first fragment has come
 * @dead: one of its fragments has been dropped, so the others are dropped too
 */
struct lpd_adu {
	struct hlist_node hash;
	struct list_head age;
	struct lpd_adu_key key;
	s64 seen;
	u32 queued;
	bool first;
	bool dead;
};

/**
 * struct lpd_adus - all known datagrams
 * @adu: the array of datagrams
 * @table: hash table by key
 * @age: list by age
 * @seed: random seed of the hash, so that nobody can cause collisions
 */
struct lpd_adus {
	struct lpd_adu adu[LPD_ADUS];
	struct hlist_head table[1 << LPD_ADU_BITS];
	struct list_head age;
	u32 seed;
};

/* Return values of lpd_adu_arrive() for a packet that belongs to no known datagram. */
enum {
	LPD_ADU_WHOLE = 0,
	LPD_ADU_UNTRACKED = -1,
};

struct lpd_adus *lpd_adu_alloc(gfp_t gfp);
void lpd_adu_init(struct lpd_adus *adus);
int lpd_adu_arrive(struct lpd_adus *adus, struct sk_buff *skb, int off,
		   bool option, s64 now);

/**
 * lpd_adu_is_dead() - whether a fragment is to be dropped because another one was
 * @adus: all known datagrams
 * @adu: number of the fragment's datagram, from lpd_adu_arrive()
 */
static inline bool lpd_adu_is_dead(const struct lpd_adus *adus, u16 adu)
{
	return adu && adus->adu[adu - 1].dead;
}

/**
 * lpd_adu_leave() - note that a fragment has left the queue
 * @adus: all known datagrams
 * @adu: number of the fragment's datagram, from lpd_adu_arrive()
 * @dropped: the fragment was not sent, so the others are to be dropped too
 */
static inline void lpd_adu_leave(struct lpd_adus *adus, u16 adu, bool dropped)
{
	if (!adu)
		return;
	adus->adu[adu - 1].queued--;
	adus->adu[adu - 1].dead |= dropped;
}

/**
 * lpd_adu_refuse() - note that a fragment was not let into the queue
 * @adus: all known datagrams
 * @adu: number of the fragment's datagram, from lpd_adu_arrive()
 */
static inline void lpd_adu_refuse(struct lpd_adus *adus, u16 adu)
{
	if (adu)
		lpd_adu_leave(adus, adu, adus->adu[adu - 1].key.option);
}

#endif /* _SCH_LPD_ADU_H */
