/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Lifetime Packet Discard (lpd): the queueing discipline's netlink interface.
 *
 * TCA_KIND is "lpd". TCA_OPTIONS nests the attributes of enum tca_lpd. Each
 * attribute is optional. On creation a missing attribute has its default, on
 * change it keeps its value. A request is applied whole or not at all. A
 * refusal carries an extended ack. If one attribute is at fault, the extended
 * ack points at it.
 *
 * RTM_GETQDISC returns every attribute of enum tca_lpd, and in TCA_STATS_APP
 * every counter of enum tca_lpd_stats, all 64 bit wide and read at one moment.
 * The counters only rise from the creation of the qdisc on, except the gauge
 * QUEUED. At any time
 *
 *   PACKETS_IN = PACKETS_OUT + QUEUED
 *              + the sum of all counters described as "discarded" or "dropped"
 *
 * QUEUED is the number of packets in the qdisc. The backlog in TCA_STATS2 is read
 * at another moment. It also includes a packet that the driver has refused and
 * the core keeps for another try; PACKETS_OUT includes this packet already.
 */
#ifndef _UAPI_LINUX_PKT_SCHED_LPD_H
#define _UAPI_LINUX_PKT_SCHED_LPD_H

#include <linux/types.h>

#define TC_LPD_LIMIT_DEFAULT	1000U		/* packets */
#define TC_LPD_LIMIT_MAX	1048576U
#define TC_LPD_MEMORY_DEFAULT	(32U << 20)	/* bytes of buffer memory */
#define TC_LPD_MEMORY_MIN	65536U
#define TC_LPD_DELAY_MAX	60000000000ULL	/* nanoseconds */
#define TC_LPD_LIFETIME_MAX	3600000000000ULL
#define TC_LPD_KEEP_MAX		65535U		/* bytes */

/**
 * enum tca_lpd - attributes in TCA_OPTIONS of an lpd qdisc
 * @TCA_LPD_UNSPEC: unused
 * @TCA_LPD_PAD: padding of 64 bit attributes
 * @TCA_LPD_LIMIT: u32, packets the queue holds, 1..TC_LPD_LIMIT_MAX
 * @TCA_LPD_MEMORY: u32, bytes of buffer memory the queue holds, at least
 *	TC_LPD_MEMORY_MIN. An empty queue accepts any packet. A packet with a lifetime
 *	counts at least as much as an sk_buff without data
 * @TCA_LPD_RATE: u64, rate of the link below in bytes/s, 0 (the default) for
 *	unlimited: a packet's transmission time is subtracted from its lifetime
 * @TCA_LPD_DELAY: u64, fixed delay of the link below in ns, default 0,
 *	at most TC_LPD_DELAY_MAX: also subtracted from the lifetime
 * @TCA_LPD_LIFETIME: u64, lifetime in ns, from their arrival here, of IP packets
 *	without a cross-layer option or with an option that says "none"; 0 (the
 *	default) for none, at most TC_LPD_LIFETIME_MAX
 * @TCA_LPD_STALE: u8, enum tc_lpd_stale, default TC_LPD_STALE_HONOR
 * @TCA_LPD_ORDER: u8, enum tc_lpd_order, default TC_LPD_ORDER_FIFO
 * @TCA_LPD_OVERFLOW: u8, enum tc_lpd_overflow, default TC_LPD_OVERFLOW_TAIL
 * @TCA_LPD_KEEP: u32, bytes of payload that stay when a UDP packet is cut to its
 *	headers, default 0, at most TC_LPD_KEEP_MAX. They keep the header of a
 *	transport within UDP
 * @TCA_LPD_ADU: u8, 1 (the default): when an IP fragment is dropped, the other
 *	fragments of its datagram are dropped too, 0: each fragment is treated alone
 * @TCA_LPD_STRIP: u8, 1: the cross-layer option is removed from packets that
 *	leave, 0 (the default): the option stays
 * @TCA_LPD_NOTIFY: u8, 1: when a stale packet is discarded, an ICMP message
 *	(<linux/xlo_rto.h>) goes to its source, 0 (the default): no message
 * @TCA_LPD_EXEMPT: u8, 1: packets whose option says "none" have no lifetime, 0 (the
 *	default): they have @TCA_LPD_LIFETIME
 */
enum tca_lpd {
	TCA_LPD_UNSPEC,
	TCA_LPD_PAD,
	TCA_LPD_LIMIT,
	TCA_LPD_MEMORY,
	TCA_LPD_RATE,
	TCA_LPD_DELAY,
	TCA_LPD_LIFETIME,
	TCA_LPD_STALE,
	TCA_LPD_ORDER,
	TCA_LPD_OVERFLOW,
	TCA_LPD_KEEP,
	TCA_LPD_ADU,
	TCA_LPD_STRIP,
	TCA_LPD_NOTIFY,
	TCA_LPD_EXEMPT,

	__TCA_LPD_MAX,
};

#define TCA_LPD_MAX (__TCA_LPD_MAX - 1)

/**
 * enum tc_lpd_stale - treatment of a stale packet
 * @TC_LPD_STALE_HONOR: do what the packet's flags ask for; discard a packet without
 *	an option, whose lifetime is TCA_LPD_LIFETIME
 * @TC_LPD_STALE_FORWARD: send the packet like any other
 * @TC_LPD_STALE_DISCARD: discard the packet
 * @TC_LPD_STALE_TRUNCATE: send only the packet's headers; discard a packet that
 *	cannot be cut to its headers
 */
enum tc_lpd_stale {
	TC_LPD_STALE_HONOR,
	TC_LPD_STALE_FORWARD,
	TC_LPD_STALE_DISCARD,
	TC_LPD_STALE_TRUNCATE,

	__TC_LPD_STALE_MAX,
};

#define TC_LPD_STALE_MAX (__TC_LPD_STALE_MAX - 1)

/**
 * enum tc_lpd_order - which packet is sent next
 * @TC_LPD_ORDER_FIFO: the packet that came first
 * @TC_LPD_ORDER_EDF: the packet with the earliest deadline. Only packets that are
 *	discarded or cut once stale may overtake each other. Within a flow the
 *	options' reorder limits how far. All other packets keep their places
 */
enum tc_lpd_order {
	TC_LPD_ORDER_FIFO,
	TC_LPD_ORDER_EDF,

	__TC_LPD_ORDER_MAX,
};

#define TC_LPD_ORDER_MAX (__TC_LPD_ORDER_MAX - 1)

/**
 * enum tc_lpd_overflow - which packet is dropped if the queue is full even after
 *	stale packets were discarded or cut
 * @TC_LPD_OVERFLOW_TAIL: the packet that arrives
 * @TC_LPD_OVERFLOW_HEAD: the packet that would be sent next
 * @TC_LPD_OVERFLOW_STALEST: the packet that becomes stale first; if no packet has a
 *	lifetime, the packet that arrives
 */
enum tc_lpd_overflow {
	TC_LPD_OVERFLOW_TAIL,
	TC_LPD_OVERFLOW_HEAD,
	TC_LPD_OVERFLOW_STALEST,

	__TC_LPD_OVERFLOW_MAX,
};

#define TC_LPD_OVERFLOW_MAX (__TC_LPD_OVERFLOW_MAX - 1)

/* Buckets of TCA_LPD_STATS_REMAINING: bucket 0 counts packets sent with less
 * than 1 ms of lifetime left, bucket i those with 2^(i-1) <= ms < 2^i, the
 * last one everything above.
 */
#define TC_LPD_HIST_BUCKETS	20

/**
 * enum tca_lpd_stats - counters in TCA_STATS_APP of an lpd qdisc
 *
 * u64 each, in packets, unless stated otherwise. New counters are appended. A GSO
 * packet counts as one. When it is cut to headers, its segments count from then on,
 * also in PACKETS_IN.
 *
 * @TCA_LPD_STATS_UNSPEC: unused
 * @TCA_LPD_STATS_PAD: padding of 64 bit attributes
 * @TCA_LPD_STATS_PACKETS_IN: offered to the queue
 * @TCA_LPD_STATS_PACKETS_OUT: passed to the parent or the device
 * @TCA_LPD_STATS_STALE_ENQUEUE: discarded, stale on arrival
 * @TCA_LPD_STATS_STALE_DEQUEUE: discarded, found stale by dequeue
 * @TCA_LPD_STATS_STALE_PEEK: discarded, found stale by a parent's peek
 * @TCA_LPD_STATS_STALE_PURGE: discarded, found stale when another packet needed
 *	space, or when a change lowered the limits
 * @TCA_LPD_STATS_STALE_TIMER: discarded, expired while nobody dequeued
 * @TCA_LPD_STATS_UNCUTTABLE: discarded, found stale at any of these moments; was to
 *	be cut to its headers, but that is impossible
 * @TCA_LPD_STATS_ADU: dropped, because another fragment of the same datagram was
 * @TCA_LPD_STATS_OVERFLOW_LIMIT: dropped, TCA_LPD_LIMIT packets were queued. A GSO
 *	packet that is to be cut is segmented first; segments that exceed the limit
 *	are dropped and count here, too
 * @TCA_LPD_STATS_OVERFLOW_MEMORY: dropped, TCA_LPD_MEMORY bytes were queued; also
 *	segments that exceed this limit, see TCA_LPD_STATS_OVERFLOW_LIMIT
 * @TCA_LPD_STATS_NOMEM: dropped, no memory to make a header writable or to cut a
 *	packet
 * @TCA_LPD_STATS_RESET: dropped, the qdisc was reset (link down, removal)
 * @TCA_LPD_STATS_STALE_FORWARDED: sent although stale, as the packet's flags or
 *	TC_LPD_STALE_FORWARD ask (part of PACKETS_OUT, as are those below)
 * @TCA_LPD_STATS_TRUNCATED: cut to headers
 * @TCA_LPD_STATS_TRUNCATED_BYTES: bytes cut off
 * @TCA_LPD_STATS_REORDERED: moved by TC_LPD_ORDER_EDF and sent after a packet that
 *	came later (RFC 4737)
 * @TCA_LPD_STATS_STRIPPED: options removed
 * @TCA_LPD_STATS_UNTRACKED: offered fragments that were not assigned to a datagram,
 *	because fragments of too many other datagrams were queued
 * @TCA_LPD_STATS_NO_LIFETIME: offered without a lifetime of any kind
 * @TCA_LPD_STATS_DEFAULT_LIFETIME: offered, lifetime set to TCA_LPD_LIFETIME
 * @TCA_LPD_STATS_MALFORMED: offered with a malformed option, treated as a packet
 *	without an option
 * @TCA_LPD_STATS_RESERVED: offered with the reserved stale treatment,
 *	treated as forward
 * @TCA_LPD_STATS_REWRITTEN: relative lifetimes rewritten at dequeue
 * @TCA_LPD_STATS_NOTIFIED: discarded because stale, with a message to the source
 *	accepted for sending
 * @TCA_LPD_STATS_REMAINING: array of TC_LPD_HIST_BUCKETS u64 in host byte
 *	order: remaining lifetime of packets sent before they were stale, see above
 * @TCA_LPD_STATS_QUEUED: in the queue now
 */
enum tca_lpd_stats {
	TCA_LPD_STATS_UNSPEC,
	TCA_LPD_STATS_PAD,
	TCA_LPD_STATS_PACKETS_IN,
	TCA_LPD_STATS_PACKETS_OUT,
	TCA_LPD_STATS_STALE_ENQUEUE,
	TCA_LPD_STATS_STALE_DEQUEUE,
	TCA_LPD_STATS_STALE_PEEK,
	TCA_LPD_STATS_STALE_PURGE,
	TCA_LPD_STATS_STALE_TIMER,
	TCA_LPD_STATS_UNCUTTABLE,
	TCA_LPD_STATS_ADU,
	TCA_LPD_STATS_OVERFLOW_LIMIT,
	TCA_LPD_STATS_OVERFLOW_MEMORY,
	TCA_LPD_STATS_NOMEM,
	TCA_LPD_STATS_RESET,
	TCA_LPD_STATS_STALE_FORWARDED,
	TCA_LPD_STATS_TRUNCATED,
	TCA_LPD_STATS_TRUNCATED_BYTES,
	TCA_LPD_STATS_REORDERED,
	TCA_LPD_STATS_STRIPPED,
	TCA_LPD_STATS_UNTRACKED,
	TCA_LPD_STATS_NO_LIFETIME,
	TCA_LPD_STATS_DEFAULT_LIFETIME,
	TCA_LPD_STATS_MALFORMED,
	TCA_LPD_STATS_RESERVED,
	TCA_LPD_STATS_REWRITTEN,
	TCA_LPD_STATS_NOTIFIED,
	TCA_LPD_STATS_REMAINING,
	TCA_LPD_STATS_QUEUED,

	__TCA_LPD_STATS_MAX,
};

#define TCA_LPD_STATS_MAX (__TCA_LPD_STATS_MAX - 1)

#endif /* _UAPI_LINUX_PKT_SCHED_LPD_H */
