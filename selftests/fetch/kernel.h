/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the kernel that the parsers of our modules need, in user space. Each
 * source of a parser is compiled after this file. A byte of a packet is either linear or
 * in memory that the packet's sender still writes to (foreign.h). The linear part is a
 * buffer that ends with the last linear byte. The linear part is at another address after
 * each call that may move it. AddressSanitizer therefore finds each access beyond the
 * end, and each use of an old pointer.
 */
#ifndef FETCH_KERNEL_H
#define FETCH_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef s64 ktime_t;
typedef int gfp_t;

/* Language */
#define __force
#define __rcu
#define __percpu
#define __read_mostly
#define noinline		__attribute__((noinline))
#define __flatten
#define __packed		__attribute__((packed))
#define __aligned(n)		__attribute__((aligned(n)))
#define fallthrough		__attribute__((fallthrough))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(x)		_Static_assert(!(x), #x)
#define IS_ENABLED(x)		0
#define EXPORT_SYMBOL_GPL(x)	extern int fetch_exported
#define BIT(n)			(1UL << (n))
#define GENMASK_ULL(h, l)	(~0ULL >> (63 - (h)) & ~0ULL << (l))
#define GENMASK(h, l)		GENMASK_ULL(h, l)
#define ALIGN(x, a)		(((x) + (a) - 1) / (a) * (a))
#define BITS_PER_BYTE		8
#define DIV_ROUND_UP(a, b)	(((a) + (b) - 1) / (b))
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define U8_MAX			0xff
#define U16_MAX			0xffff
#define U32_MAX			0xffffffffU
#define S64_MAX			INT64_MAX
#define HZ			1000
#define jiffies			0UL
#define NSEC_PER_SEC		1000000000LL
#define NSEC_PER_MSEC		1000000LL
#define GFP_ATOMIC		0
#define GFP_KERNEL		0
#define __GFP_NOWARN		0

/* Arithmetic */
#define htons(x)		((__be16)__builtin_bswap16(x))
#define ntohs(x)		__builtin_bswap16(x)
#define ntohl(x)		__builtin_bswap32(x)
#define htonl(x)		((__be32)__builtin_bswap32(x))
#define swab16(x)		__builtin_bswap16(x)
#define be32_to_cpu(x)		ntohl(x)
#define cpu_to_be32(x)		htonl(x)
#define cpu_to_be64(x)		((__be64)__builtin_bswap64(x))
#define mul_u64_u32_shr(a, b, shift)	mul_u64_u64_shr(a, b, shift)
#define div_u64(a, b)		((u64)(a) / (b))
#define div64_u64(a, b)		((u64)(a) / (b))
#define DIV64_U64_ROUND_UP(a, b)	DIV_ROUND_UP((u64)(a), b)
#define fls64(x)		((x) ? 64 - __builtin_clzll(x) : 0)

static inline void be16_add_cpu(__be16 *var, u16 val)
{
	*var = htons(ntohs(*var) + val);
}

static inline u64 div64_u64_rem(u64 a, u64 b, u64 *rem)
{
	*rem = a % b;
	return a / b;
}

static inline u64 div_u64_rem(u64 a, u32 b, u32 *rem)
{
	*rem = a % b;
	return a / b;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = p;

	return b[0] << 8 | b[1];
}

static inline u32 get_unaligned_be32(const void *p)
{
	return (u32)get_unaligned_be16(p) << 16 |
	       get_unaligned_be16((const u8 *)p + 2);
}

static inline u64 get_unaligned_le64(const void *p)
{
	u64 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline void put_unaligned_be16(u16 value, void *p)
{
	value = __builtin_bswap16(value);
	memcpy(p, &value, sizeof(value));
}

static inline void put_unaligned_be32(u32 value, void *p)
{
	value = __builtin_bswap32(value);
	memcpy(p, &value, sizeof(value));
}

#define get_unaligned(p) \
	(((const struct { typeof(*(p)) value; } __packed *)(p))->value)
#define put_unaligned(v, p) \
	({ typeof(*(p)) v_ = (v); memcpy(p, &v_, sizeof(v_)); })

/* Time stands still. */
enum { TK_OFFS_TAI };
#define ktime_get()			((ktime_t)NSEC_PER_SEC)
#define ktime_get_ns()			((u64)NSEC_PER_SEC)
#define ktime_get_real_ns()		((u64)NSEC_PER_SEC)
#define ktime_get_clocktai_ns()		((u64)NSEC_PER_SEC)
#define ktime_to_ns(t)			(t)
#define ns_to_ktime(t)			(t)
#define ktime_mono_to_real(t)		(t)
#define ktime_mono_to_any(t, offset)	(t)

/* One thread, one CPU */
struct mutex { int unused; };
struct rcu_head { int unused; };
struct work_struct { int unused; };
struct ratelimit_state { int unused; };
struct u64_stats_sync { int unused; };
typedef struct { u64 count; } u64_stats_t;
typedef struct { int count; } atomic_t;
typedef struct { u64 count; } atomic64_t;
typedef struct { int unused; } spinlock_t;
typedef struct { u64 key[2]; } siphash_key_t;
#define rcu_dereference(p)		(p)
#define rcu_read_lock()			((void)0)
#define rcu_read_unlock()		((void)0)
#define spin_lock_init(l)		((void)(l))
#define spin_lock_bh(l)			((void)(l))
#define spin_unlock_bh(l)		((void)(l))
#define get_cpu_ptr(p)			(p)
#define put_cpu_ptr(p)			((void)(p))
#define u64_stats_update_begin_irqsave(s)	((void)(s), 0UL)
#define u64_stats_update_end_irqrestore(s, f)	((void)(s), (void)(f))
#define u64_stats_inc(c)		((c)->count++)
#define atomic64_inc(c)			((c)->count++)
#define INIT_WORK(w, f)			((void)(w), (void)(f))
#define schedule_work(w)		((void)(w))
#define cancel_work_sync(w)		((void)(w))
#define cond_resched()			((void)0)
#define DECLARE_KFIFO(name, type, size)	type name[size]
#define net_get_random_once(p, n)	((void)(p), (void)(n))
#define get_random_u32()		7U
#define get_random_u64()		7ULL
#define kvmalloc(n, flags)		malloc(n)
#define kzalloc(n, flags)		calloc(1, n)
#define kfree(p)			free(p)

static inline u32 jhash2(const u32 *words, u32 count, u32 seed)
{
	for (; count; count--)
		seed = (seed ^ *words++) * 0x9e3779b1U;
	return seed;
}

static inline u64 siphash_3u32(u32 a, u32 b, u32 c, const siphash_key_t *key)
{
	return a ^ b ^ c ^ key->key[0];
}

/* Lists */
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
#define list_entry(p, type, member)	container_of(p, type, member)
#define list_for_each_entry(p, head, member)				\
	for (p = list_entry((head)->next, typeof(*p), member);		\
	     &p->member != (head);					\
	     p = list_entry(p->member.next, typeof(*p), member))
#define hlist_entry_or_null(node, type, member) \
	((node) ? container_of(node, type, member) : NULL)
#define hlist_for_each_entry(p, head, member)				\
	for (p = hlist_entry_or_null((head)->first, typeof(*p), member); p; \
	     p = hlist_entry_or_null(p->member.next, typeof(*p), member))

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

static inline void list_move_tail(struct list_head *node,
				  struct list_head *head)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_add_tail(node, head);
}

static inline bool hlist_unhashed(const struct hlist_node *node)
{
	return !node->pprev;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
	node->next = NULL;
	node->pprev = NULL;
}

static inline void hlist_add_head(struct hlist_node *node,
				  struct hlist_head *head)
{
	node->next = head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
	node->pprev = &head->first;
}

#endif /* FETCH_KERNEL_H */
