/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Application data units: the fragments of one datagram, useless without each
 * other (Gurtov and Ludwig 2003, section VI.C). When one is dropped the others are
 * too, those queued when their turn comes, those still to come on arrival.
 *
 *	hash --> [ 7 | dead ] [ 9 |      ] ...		LPD_ADUS datagrams
 *	              ^   ^       ^
 *	fifo:  ... > f1 > f2 > .. f1 > ...		each fragment knows its own
 *
 * A datagram is forgotten LPD_ADU_LIFE after its last fragment came, when its
 * place is needed and none of its fragments is queued, or when another first
 * fragment with its identification comes: these are 16 bits long in IPv4, and
 * wrap. What of the old one is queued then still shares its own fate.
 *
 * Whoever forges a fragment can have it dropped: by its lifetime, or by sending it when
 * the queue is full. So fragments with and without the option are not of one datagram (a
 * sender's option is in each), and one without it that is not let into the queue takes no
 * other with it.
 *
 * Caller holds the lock of the queue.
 */
#ifndef _SCH_LPD_ADU_H
#define _SCH_LPD_ADU_H

#include <linux/ip.h>
#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/time64.h>
#include <net/ip.h>

#define LPD_ADUS	512
/* no receiver waits for the rest of a datagram any longer (RFC 8200 section 4.5) */
#define LPD_ADU_LIFE	(60 * NSEC_PER_SEC)
#define LPD_ADU_BITS	8

/**
 * struct lpd_adu_key - what the fragments of a datagram have in common
 * @source: its address; IPv4's in the first word
 * @target: likewise
 * @id: identification
 * @proto: protocol in IPv4, which is part of it
 * @version: 4 or 6
 * @option: whether they carry the option
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
 * @hash: in the table while fragments that arrive may be its
 * @age: in the list of all, the one whose last fragment came first in front
 * @key: how it is recognized
 * @seen: when its last fragment came, monotonic ns
 * @queued: its fragments in the queue
 * @first: its first fragment has come
 * @dead: one of its fragments has been dropped, and takes the others with it
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
 * struct lpd_adus - the datagrams known
 * @adu: all of them
 * @table: by hash of their keys
 * @age: by age
 * @seed: of the hash, so that nobody can make them collide
 */
struct lpd_adus {
	struct lpd_adu adu[LPD_ADUS];
	struct hlist_head table[1 << LPD_ADU_BITS];
	struct list_head age;
	u32 seed;
};

/* Of lpd_adu_arrive(): no fragment, or one that is on its own. */
enum {
	LPD_ADU_WHOLE = 0,
	LPD_ADU_UNTRACKED = -1,
};

struct lpd_adus *lpd_adu_alloc(gfp_t gfp);
void lpd_adu_init(struct lpd_adus *adus);
int lpd_adu_arrive(struct lpd_adus *adus, struct sk_buff *skb, int off,
		   bool option, s64 now);

/**
 * lpd_adu_is_whole() - whether a packet is no fragment, seen at a glance
 * @skb: the packet
 * @off: offset of the IP header from skb->data
 *
 * Return: true for an IPv4 packet that is none; false if it takes more to know
 */
static inline bool lpd_adu_is_whole(const struct sk_buff *skb, int off)
{
	const struct iphdr *iph = (const struct iphdr *)(skb->data + off);

	return (u8 *)(iph + 1) <= skb_tail_pointer(skb) &&
	       iph->version == 4 && !ip_is_fragment(iph);
}

/**
 * lpd_adu_is_dead() - whether a fragment is to be dropped for its datagram's sake
 * @adus: the datagrams
 * @adu: the fragment's, of lpd_adu_arrive()
 */
static inline bool lpd_adu_is_dead(const struct lpd_adus *adus, u16 adu)
{
	return adu && adus->adu[adu - 1].dead;
}

/**
 * lpd_adu_leave() - a fragment is not in the queue any more
 * @adus: the datagrams
 * @adu: the fragment's, of lpd_adu_arrive()
 * @dropped: it was not sent, so the others shall not be either
 */
static inline void lpd_adu_leave(struct lpd_adus *adus, u16 adu, bool dropped)
{
	if (!adu)
		return;
	adus->adu[adu - 1].queued--;
	adus->adu[adu - 1].dead |= dropped;
}

/**
 * lpd_adu_refuse() - a fragment is not let into the queue
 * @adus: the datagrams
 * @adu: the fragment's, of lpd_adu_arrive()
 */
static inline void lpd_adu_refuse(struct lpd_adus *adus, u16 adu)
{
	if (adu)
		lpd_adu_leave(adus, adu, adus->adu[adu - 1].key.option);
}

#endif /* _SCH_LPD_ADU_H */
