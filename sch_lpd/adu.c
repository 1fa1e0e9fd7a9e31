// SPDX-License-Identifier: GPL-2.0
/* Application data units: see adu.h. */

#include <linux/ip.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/time64.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/xlo.h>
#include "adu.h"

/* The time for which an IPv6 receiver waits for missing fragments (RFC 8200 section 4.5). lpd uses
 * this time for IPv4, too.
 */
#define LPD_ADU_LIFE	(60 * NSEC_PER_SEC)
/* The number of slots that are examined to find a slot without queued fragments. */
#define LPD_ADU_TRIES	8

/* Checks whether the packet at @off is a fragment. For a fragment, sets @key and @first. */
static bool lpd_adu_parse4(const struct sk_buff *skb, int off,
			   struct lpd_adu_key *key, bool *first)
{
	const struct iphdr *iph = (const struct iphdr *)(skb->data + off);

	if (!ip_is_fragment(iph))
		return false;
	*key = (struct lpd_adu_key){
		.source = { iph->saddr },
		.target = { iph->daddr },
		.id = (__force __be32)iph->id,
		.proto = iph->protocol,
		.version = 4,
	};
	*first = !(iph->frag_off & htons(IP_OFFSET));
	return true;
}

static bool lpd_adu_parse6(const struct sk_buff *skb, int off,
			   struct lpd_adu_key *key, bool *first)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)(skb->data + off);
	const struct frag_hdr *fh;
	unsigned int at = off;
	struct frag_hdr buf;

	if (!ipv6_ext_hdr(ip6h->nexthdr) ||
	    ipv6_find_hdr(skb, &at, NEXTHDR_FRAGMENT, NULL, NULL) < 0)
		return false;
	fh = skb_header_pointer(skb, at, sizeof(buf), &buf);
	if (!fh || !(fh->frag_off & htons(IP6_OFFSET | IP6_MF)))
		return false;
	*key = (struct lpd_adu_key){ .id = fh->identification, .version = 6 };
	memcpy(key->source, &ip6h->saddr, sizeof(key->source));
	memcpy(key->target, &ip6h->daddr, sizeof(key->target));
	*first = !(fh->frag_off & htons(IP6_OFFSET));
	return true;
}

static bool lpd_adu_parse(struct sk_buff *skb, int off,
			  struct lpd_adu_key *key, bool *first)
{
	if (!pskb_may_pull(skb, off + sizeof(struct iphdr)))
		return false;
	switch (skb->data[off] >> 4) {
	case 4:
		return lpd_adu_parse4(skb, off, key, first);
	case 6:
		return pskb_may_pull(skb, off + sizeof(struct ipv6hdr)) &&
		       lpd_adu_parse6(skb, off, key, first);
	default:
		return false;
	}
}

static struct hlist_head *lpd_adu_bucket(struct lpd_adus *adus,
					 const struct lpd_adu_key *key)
{
	u32 hash = jhash2((const u32 *)key, sizeof(*key) / sizeof(u32),
			  adus->seed);

	return &adus->table[hash >> (32 - LPD_ADU_BITS)];
}

static struct lpd_adu *lpd_adu_find(struct lpd_adus *adus,
				    const struct lpd_adu_key *key, s64 now)
{
	struct lpd_adu *adu;

	hlist_for_each_entry(adu, lpd_adu_bucket(adus, key), hash)
		if (!memcmp(&adu->key, key, sizeof(*key)))
			return now - adu->seen < LPD_ADU_LIFE ? adu : NULL;
	return NULL;
}

/* Returns the oldest slot without queued fragments, or NULL after LPD_ADU_TRIES slots. */
static struct lpd_adu *lpd_adu_place(struct lpd_adus *adus)
{
	int tries = LPD_ADU_TRIES;
	struct lpd_adu *adu;

	list_for_each_entry(adu, &adus->age, age) {
		if (!adu->queued)
			return adu;
		if (!--tries)
			break;
	}
	return NULL;
}

/* Forgets a datagram: fragments that arrive later do not belong to it. */
static void lpd_adu_forget(struct lpd_adu *adu)
{
	if (!hlist_unhashed(&adu->hash))
		hlist_del_init(&adu->hash);
}

static struct lpd_adu *lpd_adu_new(struct lpd_adus *adus,
				   const struct lpd_adu_key *key)
{
	struct lpd_adu *adu = lpd_adu_place(adus);

	if (!adu)
		return NULL;
	lpd_adu_forget(adu);
	adu->key = *key;
	adu->first = false;
	adu->dead = false;
	hlist_add_head(&adu->hash, lpd_adu_bucket(adus, key));
	return adu;
}

/* Finds the datagram of a fragment, or gives the datagram a slot. Returns NULL if lpd_adu_place()
 * finds no slot.
 */
static struct lpd_adu *lpd_adu_of(struct lpd_adus *adus,
				  const struct lpd_adu_key *key, bool first,
				  s64 now)
{
	struct lpd_adu *adu = lpd_adu_find(adus, key, now);

	if (adu && !(first && adu->first))
		return adu;
	/* the sender has used the identification again */
	if (adu)
		lpd_adu_forget(adu);
	return lpd_adu_new(adus, key);
}

/**
 * lpd_adu_arrive() - find the datagram of an arriving packet, if the packet is a fragment
 * @adus: all known datagrams
 * @skb: the packet; its IP header may be pulled into the linear part
 * @off: offset of the IP header from skb->data
 * @option: whether the packet carries the option
 * @now: monotonic time in ns
 *
 * Return: number of the packet's datagram, for which the caller later calls
 * lpd_adu_leave(); LPD_ADU_WHOLE if the packet is not a fragment; LPD_ADU_UNTRACKED if there
 * is no slot for another datagram
 */
int lpd_adu_arrive(struct lpd_adus *adus, struct sk_buff *skb, int off,
		   bool option, s64 now)
{
	struct lpd_adu_key key;
	struct lpd_adu *adu;
	bool first;

	if (!lpd_adu_parse(skb, off, &key, &first))
		return LPD_ADU_WHOLE;
	key.option = option;
	adu = lpd_adu_of(adus, &key, first, now);
	if (!adu)
		return LPD_ADU_UNTRACKED;
	adu->first |= first;
	adu->seen = now;
	adu->queued++;
	list_move_tail(&adu->age, &adus->age);
	return adu - adus->adu + 1;
}

/**
 * lpd_adu_init() - forget all datagrams
 * @adus: all known datagrams; queued fragments do not belong to any datagram afterwards
 */
void lpd_adu_init(struct lpd_adus *adus)
{
	int i;

	memset(adus, 0, sizeof(*adus));
	INIT_LIST_HEAD(&adus->age);
	for (i = 0; i < LPD_ADUS; i++)
		list_add_tail(&adus->adu[i].age, &adus->age);
	adus->seed = get_random_u32();
}

/**
 * lpd_adu_alloc() - allocate an empty table of datagrams
 * @gfp: allocation flags
 *
 * Return: the table, which the caller frees with kvfree(); NULL if there is not enough
 * memory
 */
struct lpd_adus *lpd_adu_alloc(gfp_t gfp)
{
	struct lpd_adus *adus = kvmalloc(sizeof(*adus), gfp);

	if (adus)
		lpd_adu_init(adus);
	return adus;
}
