/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An application data unit (ADU) consists of the fragments of one datagram. If one fragment is
 * lost, the other fragments are useless (Gurtov and Ludwig 2003, section VI.C). If lpd drops one
 * fragment, lpd therefore also drops the other fragments of the datagram. Queued fragments are
 * dropped when it is their turn to be sent. Later fragments are dropped on arrival.
 *
 *	hash --> [ 7 | dead ] [ 9 |      ] ...		LPD_ADUS datagrams
 *	              ^   ^       ^
 *	fifo:  ... > f1 > f2 > .. f1 > ...		each fragment knows its datagram
 *
 * lpd forgets a datagram in three cases: LPD_ADU_LIFE after the datagram's newest fragment
 * arrived; when its slot is needed and none of its fragments is queued; or when another
 * first fragment with the same identification arrives. The identification field of IPv4 has 16
 * bits, so a sender soon uses the same value again. Queued fragments of the forgotten datagram are
 * still dropped together.
 *
 * With a forged fragment, an attacker can make lpd drop the true fragments of a datagram.
 * The forged fragment may carry a short lifetime, or arrive when the queue is full. Two
 * rules limit the damage. Fragments with the option and fragments without it never belong
 * to the same datagram, because a sender puts the option into every fragment. If the queue
 * refuses a fragment without the option, lpd does not drop the other fragments of the
 * datagram.
 *
 * The caller must hold the root lock of the qdisc tree.
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
 * @id: identification of the datagram
 * @proto: protocol for IPv4, 0 for IPv6
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
 * @hash: node in the hash table; lpd_adu_forget() removes the node
 * @age: node in the list of all datagrams, ordered by the arrival of their newest fragments
 * @key: values that identify the datagram
 * @seen: arrival time of the newest fragment, monotonic ns
 * @queued: number of its fragments in the queue
 * @first: whether the datagram's first fragment has arrived
 * @dead: whether one fragment has been dropped, so that all fragments are dropped
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
 * @seed: random seed of the hash, so that attackers cannot cause collisions
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
 * lpd_adu_is_dead() - check whether another fragment of the same datagram has been dropped
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
 * @dropped: whether the fragment was dropped; if so, the other fragments are also dropped
 */
static inline void lpd_adu_leave(struct lpd_adus *adus, u16 adu, bool dropped)
{
	if (!adu)
		return;
	adus->adu[adu - 1].queued--;
	adus->adu[adu - 1].dead |= dropped;
}

#endif /* _SCH_LPD_ADU_H */
