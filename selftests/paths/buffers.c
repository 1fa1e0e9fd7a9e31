// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's functions for packets, as far as the module calls them. The head of a packet may be
 * shared with clones. A packet may also have paged parts. Here, a part is not in pages but in a struct
 * sim_part, to which the field netmem of the fragment points. Nobody but this file looks at parts.
 */

#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/checksum.h>
#include <net/gso.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include <net/udp.h>
#include "sim.h"

#define SIM_BUFFER	(1U << 17)

long sim_skbs;

struct sim_part {
	u32 users;
	u8 bytes[];
};

static struct sim_part *sim_part(const skb_frag_t *frag)
{
	return (struct sim_part *)frag->netmem;
}

static u8 *sim_part_bytes(const skb_frag_t *frag)
{
	return sim_part(frag)->bytes + skb_frag_off(frag);
}

static void sim_part_put(const skb_frag_t *frag)
{
	if (!--sim_part(frag)->users)
		host_free(sim_part(frag));
}

void sim_part_fill(const skb_frag_t *frag, const void *bytes, u32 len)
{
	memcpy(sim_part_bytes(frag), bytes, len);
}

/* Heads */

static u8 *sim_head_new(u32 size)
{
	return host_alloc(size + SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
}

static void sim_head_put(struct sk_buff *skb)
{
	struct skb_shared_info *shared = skb_shinfo(skb);
	struct sk_buff *chained, *next;
	int i;

	if (skb->cloned &&
	    atomic_sub_return(skb->nohdr ? (1 << SKB_DATAREF_SHIFT) + 1 : 1, &shared->dataref))
		return;
	for (i = 0; i < shared->nr_frags; i++)
		sim_part_put(&shared->frags[i]);
	for (chained = shared->frag_list; chained; chained = next) {
		next = chained->next;
		sim_skb_free(chained);
	}
	host_free(skb->head);
}

/* Returns a packet with undefined contents: @linear bytes after @headroom bytes, and @paged bytes in a
 * part.
 */
struct sk_buff *sim_skb_new(u32 headroom, u32 linear, u32 paged)
{
	struct sk_buff *skb = host_alloc(sizeof(*skb));
	u32 size = SKB_DATA_ALIGN(headroom + linear);
	struct sim_part *part;

	sim_skbs++;
	skb->head = sim_head_new(size);
	skb->data = skb->head + headroom;
	skb->tail = headroom + linear;
	skb->end = size;
	skb->len = linear + paged;
	skb->data_len = paged;
	skb->truesize = SKB_TRUESIZE(size) + paged;
	skb->mac_header = skb->transport_header = (typeof(skb->mac_header))~0U;
	refcount_set(&skb->users, 1);
	atomic_set(&skb_shinfo(skb)->dataref, 1);
	if (paged) {
		part = host_alloc(sizeof(*part) + paged);
		part->users = 1;
		skb_frag_fill_netmem_desc(&skb_shinfo(skb)->frags[0], (netmem_ref)part, 0, paged);
		skb_shinfo(skb)->nr_frags = 1;
	}
	return skb;
}

/* Returns a buffer for a message of up to @size bytes. */
struct sk_buff *sim_skb_empty(u32 size)
{
	struct sk_buff *skb = sim_skb_new(0, size, 0);

	skb->tail = skb->len = 0;
	return skb;
}

void sim_skb_free(struct sk_buff *skb)
{
	if (!skb || !refcount_dec_and_test(&skb->users))
		return;
	sim_skbs--;
	if (skb->destructor)
		skb->destructor(skb);
	sim_head_put(skb);
	host_free(skb);
}

struct sk_buff *skb_clone(struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *clone;

	if (sim_no_memory)
		return NULL;
	clone = host_alloc(sizeof(*clone));
	sim_skbs++;
	*clone = *skb;
	clone->next = clone->prev = NULL;
	clone->sk = NULL;
	clone->destructor = NULL;
	clone->hdr_len = skb->nohdr ? skb_headroom(skb) : skb->hdr_len;
	clone->nohdr = 0;
	clone->cloned = skb->cloned = 1;
	refcount_set(&clone->users, 1);
	atomic_inc(&skb_shinfo(skb)->dataref);
	return clone;
}

static void sim_shift(u16 *header, int by)
{
	if (*header != (u16)~0U)
		*header += by;
}

/* Moves the offsets of all headers, because skb->head has moved. */
static void sim_shift_headers(struct sk_buff *skb, int by)
{
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb->csum_start += by;
	sim_shift(&skb->mac_header, by);
	sim_shift(&skb->network_header, by);
	sim_shift(&skb->transport_header, by);
	skb->inner_mac_header += by;
	skb->inner_network_header += by;
	skb->inner_transport_header += by;
}

/* Lets a packet keep its parts while its head is copied to @head, which has @size bytes. */
static void sim_copy_shared(struct sk_buff *skb, u8 *head, u32 size)
{
	struct skb_shared_info *shared = (struct skb_shared_info *)(head + size);
	struct sk_buff *chained;
	int i;

	*shared = *skb_shinfo(skb);
	atomic_set(&shared->dataref, 1);
	if (!skb->cloned)
		return;
	for (i = 0; i < shared->nr_frags; i++)
		sim_part(&shared->frags[i])->users++;
	for (chained = shared->frag_list; chained; chained = chained->next)
		refcount_inc(&chained->users);
}

int pskb_expand_head(struct sk_buff *skb, int before, int behind, gfp_t gfp)
{
	u32 size = SKB_DATA_ALIGN(skb->end + before + behind);
	u8 *head;

	if (sim_no_memory)
		return -ENOMEM;
	head = sim_head_new(size);
	memcpy(head + before, skb->head, skb->tail);
	sim_copy_shared(skb, head, size);
	if (skb->cloned)
		sim_head_put(skb);
	else
		host_free(skb->head);
	if (!skb->sk)
		skb->truesize += size - skb->end;
	skb->data = head + before + (skb->data - skb->head);
	skb->head = head;
	skb->tail += before;
	skb->end = size;
	sim_shift_headers(skb, before);
	skb->cloned = 0;
	skb->hdr_len = 0;
	skb->nohdr = 0;
	return 0;
}

int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int len)
{
	int start = skb_headlen(skb), i, from, till;
	const skb_frag_t *frag;

	if (offset < 0 || len < 0 || offset > (int)skb->len - len)
		return -EFAULT;
	if (offset < start)
		memcpy(to, skb->data + offset, min(len, start - offset));
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		frag = &skb_shinfo(skb)->frags[i];
		from = max(offset, start);
		till = min_t(int, offset + len, start + skb_frag_size(frag));
		if (from < till)
			memcpy(to + from - offset, sim_part_bytes(frag) + from - start, till - from);
		start += skb_frag_size(frag);
	}
	/* chained packets are never read through the first packet */
	return start >= offset + len ? 0 : -EFAULT;
}

/* Removes @len bytes from the beginning of the parts. */
static void sim_drop_parts(struct sk_buff *skb, u32 len)
{
	struct skb_shared_info *shared = skb_shinfo(skb);
	u32 n = 0, i, bytes;
	skb_frag_t frag;

	for (i = 0; i < shared->nr_frags; i++) {
		frag = shared->frags[i];
		bytes = min(len, skb_frag_size(&frag));
		len -= bytes;
		skb_frag_off_add(&frag, bytes);
		skb_frag_size_sub(&frag, bytes);
		if (skb_frag_size(&frag))
			shared->frags[n++] = frag;
		else
			sim_part_put(&frag);
	}
	shared->nr_frags = n;
}

void *__pskb_pull_tail(struct sk_buff *skb, int len)
{
	int missing = (int)skb->tail + len - (int)skb->end;

	if ((missing > 0 || skb->cloned) &&
	    pskb_expand_head(skb, 0, missing > 0 ? missing + 128 : 0, GFP_ATOMIC))
		return NULL;
	if (skb_copy_bits(skb, skb_headlen(skb), skb_tail_pointer(skb), len))
		return NULL;
	sim_drop_parts(skb, len);
	skb->tail += len;
	skb->data_len -= len;
	return skb_tail_pointer(skb);
}

int skb_ensure_writable(struct sk_buff *skb, unsigned int len)
{
	if (!pskb_may_pull(skb, len))
		return -ENOMEM;
	if (!skb_cloned(skb) || skb_clone_writable(skb, len))
		return 0;
	return pskb_expand_head(skb, 0, 0, GFP_ATOMIC);
}

void skb_trim(struct sk_buff *skb, unsigned int len)
{
	if (skb->len <= len)
		return;
	if (skb->data_len)
		sim_fail("skb_trim() of a packet with parts");
	skb->len = len;
	skb->tail = skb_headroom(skb) + len;
}

/* Cuts the parts behind the first @len bytes off. */
static void sim_trim_parts(struct sk_buff *skb, u32 len)
{
	struct skb_shared_info *shared = skb_shinfo(skb);
	u32 n = 0, i;
	skb_frag_t *frag;

	for (i = 0; i < shared->nr_frags; i++) {
		frag = &shared->frags[i];
		if (!len) {
			sim_part_put(frag);
			continue;
		}
		skb_frag_size_set(frag, min(len, skb_frag_size(frag)));
		len -= skb_frag_size(frag);
		n++;
	}
	shared->nr_frags = n;
}

int ___pskb_trim(struct sk_buff *skb, unsigned int len)
{
	u32 linear = min(len, skb_headlen(skb));

	if (skb->cloned && pskb_expand_head(skb, 0, 0, GFP_ATOMIC))
		return -ENOMEM;
	sim_trim_parts(skb, len - linear);
	skb->tail = skb_headroom(skb) + linear;
	skb->len = len;
	skb->data_len = len - linear;
	if (!skb->sk)
		skb->truesize = SKB_TRUESIZE(skb_end_offset(skb)) + skb->data_len;
	return 0;
}

/* Checksums */

__wsum csum_partial(const void *bytes, int len, __wsum sum)
{
	u64 total = (__force u32)sum;
	const u8 *at = bytes;
	u16 word;

	for (; len > 1; len -= 2, at += 2) {
		memcpy(&word, at, sizeof(word));
		total += word;
	}
	if (len > 0)
		total += *at;
	while (total >> 32)
		total = (u32)total + (total >> 32);
	return (__force __wsum)(u32)total;
}

__wsum skb_checksum(const struct sk_buff *skb, int offset, int len, __wsum sum)
{
	static u8 bytes[SIM_BUFFER];

	if (skb_copy_bits(skb, offset, bytes, len))
		sim_fail("skb_checksum() beyond the packet");
	return csum_block_add(sum, csum_partial(bytes, len, 0), 0);
}

__sum16 csum_ipv6_magic(const struct in6_addr *source, const struct in6_addr *target, __u32 len,
			__u8 proto, __wsum sum)
{
	__be32 tail[2] = { htonl(len), htonl(proto) };

	sum = csum_partial(source, sizeof(*source), sum);
	sum = csum_partial(target, sizeof(*target), sum);
	return csum_fold(csum_partial(tail, sizeof(tail), sum));
}

/* Headers of IPv6 */

bool ipv6_ext_hdr(u8 proto)
{
	return proto == NEXTHDR_HOP || proto == NEXTHDR_ROUTING || proto == NEXTHDR_FRAGMENT ||
	       proto == NEXTHDR_AUTH || proto == NEXTHDR_NONE || proto == NEXTHDR_DEST;
}

int ipv6_find_hdr(const struct sk_buff *skb, unsigned int *offset, int target,
		  unsigned short *fragment, int *flags)
{
	const struct ipv6hdr *ip6h = (void *)skb->data + *offset;
	const struct frag_hdr *fh;
	struct frag_hdr copy;
	u8 proto = ip6h->nexthdr;

	*offset += sizeof(*ip6h);
	while (proto != target) {
		if (!ipv6_ext_hdr(proto) || proto == NEXTHDR_NONE)
			return -ENOENT;
		fh = skb_header_pointer(skb, *offset, sizeof(copy), &copy);
		if (!fh)
			return -EBADMSG;
		if (proto == NEXTHDR_FRAGMENT && fh->frag_off & htons(IP6_OFFSET))
			return -ENOENT;
		*offset += proto == NEXTHDR_FRAGMENT ? sizeof(*fh) :
			   proto == NEXTHDR_AUTH ? ipv6_authlen((struct ipv6_opt_hdr *)fh) :
						   ipv6_optlen((struct ipv6_opt_hdr *)fh);
		proto = fh->nexthdr;
	}
	return proto;
}

void __skb_get_hash_net(const struct net *net, struct sk_buff *skb)
{
	skb->sw_hash = 1;
	skb->hash = skb->mark * 2654435761U;
}

/* While a packet is in the qdisc, tracers, sockets and parents may read its device. */
void sim_check_device(const struct sk_buff *skb)
{
	if (skb->dev != &sim_dev)
		sim_fail("#%lld has another device", skb->tstamp);
}

/* Super-packets */

netdev_features_t netif_skb_features(struct sk_buff *skb)
{
	sim_check_device(skb);
	return 0;
}

/* Sets the lengths and checksums in the headers of a segment. */
static void sim_segment_headers(struct sk_buff *skb, u32 number, u32 before)
{
	struct iphdr *iph = ip_hdr(skb);

	if (iph->version == 4) {
		iph->tot_len = htons(skb->len - skb_network_offset(skb));
		iph->id = htons(ntohs(iph->id) + number);
		iph->check = 0;
		iph->check = csum_fold(csum_partial(iph, iph->ihl * 4, 0));
	} else {
		ipv6_hdr(skb)->payload_len = htons(skb->len - skb_network_offset(skb) -
						   sizeof(struct ipv6hdr));
	}
	if (skb->csum_offset == offsetof(struct udphdr, check))
		udp_hdr(skb)->len = htons(skb->len - skb_transport_offset(skb));
	else
		tcp_hdr(skb)->seq = htonl(ntohl(tcp_hdr(skb)->seq) + before);
}

static struct sk_buff *sim_segment(const struct sk_buff *skb, u32 headers, u32 before, u32 len)
{
	struct sk_buff *segment = sim_skb_new(skb_headroom(skb), headers + len, 0);

	memcpy(&segment->headers, &skb->headers, sizeof(segment->headers));
	memcpy(segment->cb, skb->cb, sizeof(segment->cb));
	segment->tstamp = skb->tstamp;
	segment->dev = skb->dev;
	skb_copy_bits(skb, 0, segment->data, headers);
	skb_copy_bits(skb, headers + before, segment->data + headers, len);
	sim_segment_headers(segment, before / skb_shinfo(skb)->gso_size, before);
	return segment;
}

struct sk_buff *__skb_gso_segment(struct sk_buff *skb, netdev_features_t features, bool sending)
{
	u32 headers = skb_transport_offset(skb) +
		      (skb->csum_offset == offsetof(struct udphdr, check) ?
		       sizeof(struct udphdr) : tcp_hdr(skb)->doff * 4);
	u32 size = skb_shinfo(skb)->gso_size, at;
	struct sk_buff *list = NULL, **end = &list;

	if (sim_no_memory)
		return ERR_PTR(-ENOMEM);
	if (skb->len <= headers)
		return ERR_PTR(-EINVAL);
	for (at = 0; headers + at < skb->len; at += size) {
		*end = sim_segment(skb, headers, at, min(size, skb->len - headers - at));
		end = &(*end)->next;
	}
	return list;
}

/* The ends of packets */

static void sim_dropped(struct sk_buff *skb, const char *how, int reason)
{
	/* messages of netlink have no number */
	if (skb->tstamp) {
		sim_say(" %s #%lld:%u(%d)", how, skb->tstamp, skb->len, reason);
		sim_check_device(skb);
	}
	sim_skb_free(skb);
}

void __fix_address sk_skb_reason_drop(struct sock *sk, struct sk_buff *skb,
				      enum skb_drop_reason reason)
{
	if (skb)
		sim_dropped(skb, "drop", reason);
}

void __fix_address kfree_skb_list_reason(struct sk_buff *list, enum skb_drop_reason reason)
{
	struct sk_buff *next;

	for (; list; list = next) {
		next = list->next;
		sim_dropped(list, "drop", reason);
	}
}

void rtnl_kfree_skbs(struct sk_buff *head, struct sk_buff *tail)
{
	if (!head)
		return;
	tail->next = NULL;
	kfree_skb_list_reason(head, SKB_DROP_REASON_NOT_SPECIFIED);
}

void consume_skb(struct sk_buff *skb)
{
	if (skb)
		sim_dropped(skb, "replace", 0);
}

u64 sim_skb_bytes(const struct sk_buff *skb)
{
	static u8 bytes[SIM_BUFFER];

	if (skb_copy_bits(skb, 0, bytes, skb->len - (skb_shinfo(skb)->frag_list ?
						    skb->data_len : 0)))
		sim_fail("packet #%lld has fewer bytes than its length says", skb->tstamp);
	return sim_hash(bytes, skb->len, 0);
}
