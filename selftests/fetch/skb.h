/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets: struct sk_buff, and the functions that make parts of it linear. */
#ifndef FETCH_SKB_H
#define FETCH_SKB_H

enum { CHECKSUM_NONE, CHECKSUM_UNNECESSARY, CHECKSUM_COMPLETE, CHECKSUM_PARTIAL };
enum {
	SKB_GSO_TCPV4 = 1,
	SKB_GSO_UDP_L4 = 2,
	SKB_GSO_FRAGLIST = 4,
};

struct sk_buff;
struct sock;

struct skb_shared_info {
	u16 gso_size;
	u16 gso_segs;
	u32 gso_type;
	struct sk_buff *frag_list;
};

/**
 * struct sk_buff - a packet
 * @next: the next packet of a chain
 * @head: the buffer, which ends with the linear part
 * @data: first byte of the packet
 * @len: length of the packet in bytes
 * @data_len: length of the part that is not linear, at the end
 * @foreign: offset of this part in the sender's memory
 */
struct sk_buff {
	struct sk_buff *next;
	u8 *head;
	u8 *data;
	u32 len;
	u32 data_len;
	u32 foreign;
	u32 truesize;
	u32 mark;
	u32 priority;
	u16 mac_header;
	u16 network_header;
	u16 transport_header;
	u16 mac_len;
	u16 csum_start;
	u16 csum_offset;
	__be16 protocol;
	u8 ip_summed;
	bool encapsulation;
	bool cloned;
	__wsum csum;
	ktime_t tstamp;
	struct sock *sk;
	struct skb_shared_info shared;
	char cb[48] __aligned(8);
};

/* foreign.c: each read of memory that the sender may write to calls this function */
void foreign_read(u32 at, void *to, u32 len);

/* skb.c */
struct sk_buff *skb_make(const u8 *bytes, u32 linear, u32 len, u32 ip);
void kfree_skb(struct sk_buff *skb);
struct sk_buff *alloc_skb(u32 size, int flags);
bool pskb_may_pull(struct sk_buff *skb, u32 len);
int skb_ensure_writable(struct sk_buff *skb, u32 len);
int skb_unclone(struct sk_buff *skb, int flags);
int skb_cow_head(struct sk_buff *skb, u32 headroom);
int pskb_trim(struct sk_buff *skb, u32 len);
int skb_copy_bits(const struct sk_buff *skb, u32 at, void *to, u32 len);
void *skb_header_pointer(const struct sk_buff *skb, u32 at, u32 len, void *to);
__wsum skb_checksum(const struct sk_buff *skb, u32 at, u32 len, __wsum sum);

#define skb_shinfo(skb)			(&(skb)->shared)
#define SKB_TRUESIZE(n)		((n) + sizeof(struct sk_buff))
#define skb_headlen(skb)		((skb)->len - (skb)->data_len)
#define skb_headroom(skb)		((u32)((skb)->data - (skb)->head))
#define skb_tail_pointer(skb)		((skb)->data + skb_headlen(skb))
#define skb_is_nonlinear(skb)		((skb)->data_len)
#define skb_network_header(skb)		((skb)->head + (skb)->network_header)
#define skb_transport_header(skb)	((skb)->head + (skb)->transport_header)
#define skb_network_offset(skb)	\
	((int)(skb_network_header(skb) - (skb)->data))
#define skb_mac_header_was_set(skb)	((skb)->mac_header != 0xffff)
#define skb_is_gso(skb)			((skb)->shared.gso_size)
#define skb_checksum_start(skb)		((skb)->head + (skb)->csum_start)
#define skb_is_gso_tcp(skb)		((skb)->shared.gso_type & SKB_GSO_TCPV4)
#define skb_decrease_gso_size(s, n)	((s)->gso_size -= (n))
#define skb_cloned(skb)			((skb)->cloned)
#define skb_header_cloned(skb)		((skb)->cloned)
#define skb_clone_writable(skb, len)	((void)(len), !skb_header_cloned(skb))
#define skb_shared(skb)			((void)(skb), false)
#define skb_clone(skb, flags)		((void)(skb), (struct sk_buff *)NULL)
#define consume_skb(skb)		((void)(skb))
#define skb_frags_readable(skb)		((void)(skb), true)
#define skb_metadata_clear(skb)		((void)(skb))
#define skb_checksum_start_offset(skb) \
	((u32)(skb)->csum_start - skb_headroom(skb))
#define skb_postpull_rcsum(skb, p, n)	((void)csum_partial(p, n, 0))
#define skb_postpush_rcsum(skb, p, n)	((void)csum_partial(p, n, 0))
#define skb_linearize(skb)		(!pskb_may_pull(skb, (skb)->len))
#define skb_reserve(skb, n)		((skb)->data += (n))
#define skb_set_delivery_time(skb, t, type)	((skb)->tstamp = (t))

static inline void *skb_put(struct sk_buff *skb, u32 len)
{
	void *at = skb_tail_pointer(skb);

	skb->len += len;
	return at;
}

static inline void skb_push(struct sk_buff *skb, u32 len)
{
	skb->data -= len;
	skb->len += len;
}

#define __skb_push(skb, len)		skb_push(skb, len)

static inline void __skb_pull(struct sk_buff *skb, u32 len)
{
	skb->data += len;
	skb->len -= len;
}

static inline void __skb_trim(struct sk_buff *skb, u32 len)
{
	skb->len = len;
}

/* A queue has space for one packet, which is processed immediately. */
struct sk_buff_head { int unused; };
#define skb_queue_head_init(q)		((void)(q))
#define skb_queue_purge(q)		((void)(q))
#define skb_queue_len_lockless(q)	((void)(q), 0)
#define skb_dequeue(q)			((void)(q), (struct sk_buff *)NULL)
#define skb_queue_tail(q, skb)		((void)(q), kfree_skb(skb))

/* Checksums (RFC 1071): sums of 16-bit words in the order of memory */
static inline __wsum csum_partial(const void *from, u32 len, __wsum start)
{
	const u8 *at = from;
	u64 sum = start;
	u32 i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? at[i] << 8 : at[i];
	while (sum >> 32)
		sum = (sum & 0xffffffff) + (sum >> 32);
	return sum;
}

static inline __sum16 csum_fold(__wsum sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static inline __wsum csum_add(__wsum a, __wsum b)
{
	u64 sum = (u64)a + b;

	return sum + (sum >> 32);
}

static inline __wsum csum_block_add(__wsum a, __wsum b, int offset)
{
	return csum_add(a, offset & 1 ? b << 8 | b >> 24 : b);
}

static inline __sum16 csum16_sub(__sum16 sum, __be16 less)
{
	u32 wide = sum + (u16)~less;

	return wide + (wide >> 16);
}

static inline void csum_replace2(__sum16 *check, __be16 from, __be16 to)
{
	*check = csum_fold(csum_add(csum_add((u16)~*check, (u16)~from), to));
}

#define csum_unfold(sum)		((__wsum)(sum))
#define csum_sub(a, b)			csum_add(a, ~(b))
#define csum_block_sub(a, b, offset)	csum_block_add(a, ~(b), offset)
#define csum_tcpudp_magic(s, d, len, proto, sum) \
	csum_fold(csum_add(csum_add(s, d), csum_add(sum, htonl((len) + (proto)))))
#define csum_ipv6_magic(s, d, len, proto, sum)				\
	csum_fold(csum_add(csum_partial(s, 16, csum_partial(d, 16, sum)), \
			   htonl((len) + (proto))))
#define ip_compute_csum(from, len)	csum_fold(csum_partial(from, len, 0))
#define inet_proto_csum_replace2(check, skb, from, to, pseudo) \
	csum_replace2(check, from, to)
#define CSUM_MANGLED_0			((__sum16)0xffff)

#endif /* FETCH_SKB_H */
