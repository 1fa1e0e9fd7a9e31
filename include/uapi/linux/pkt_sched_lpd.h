/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Lifetime Packet Discard (lpd): the queueing discipline's netlink interface.
 *
 * TCA_KIND is "lpd". TCA_OPTIONS nests the attributes of enum tca_lpd; each
 * may be left out. On creation an attribute left out takes its default, on
 * change it keeps its value. A request is applied whole or not at all; a
 * refusal carries an extended ack that names the attribute.
 *
 * RTM_GETQDISC returns every attribute of enum tca_lpd, and in TCA_STATS_APP
 * every counter of enum tca_lpd_stats, all 64 bit wide and read at one moment.
 * They are monotonic since the qdisc was created, but for the gauge QUEUED.
 * Always
 *
 *   PACKETS_IN = PACKETS_OUT + QUEUED
 *              + the sum of all counters from STALE_ENQUEUE to RESET
 *
 * QUEUED is what the qdisc holds. The backlog in TCA_STATS2 is read at another
 * moment, and adds a packet that the driver refused, which is out already and
 * which the core keeps for another try.
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
 * enum tca_lpd - what TCA_OPTIONS of an lpd qdisc holds
 * @TCA_LPD_UNSPEC: unused
 * @TCA_LPD_PAD: padding of 64 bit attributes
 * @TCA_LPD_LIMIT: u32, packets the queue holds, 1..TC_LPD_LIMIT_MAX
 * @TCA_LPD_MEMORY: u32, bytes of buffer memory the queue holds, at least
 *	TC_LPD_MEMORY_MIN; a packet that is alone is always taken. A packet with a lifetime
 *	counts as much as an sk_buff without data at least
 * @TCA_LPD_RATE: u64, rate of the link below in bytes/s, 0 (the default) for
 *	unlimited: a packet's transmission time is taken off its lifetime
 * @TCA_LPD_DELAY: u64, fixed delay of the link below in ns, default 0,
 *	at most TC_LPD_DELAY_MAX: likewise taken off
 * @TCA_LPD_LIFETIME: u64, lifetime in ns of IP packets that carry no
 *	cross-layer option or one that says "none", counted from their arrival
 *	here; 0 (the default) for none, at most TC_LPD_LIFETIME_MAX
 * @TCA_LPD_STALE: u8, enum tc_lpd_stale, default TC_LPD_STALE_HONOR
 * @TCA_LPD_ORDER: u8, enum tc_lpd_order, default TC_LPD_ORDER_FIFO
 * @TCA_LPD_OVERFLOW: u8, enum tc_lpd_overflow, default TC_LPD_OVERFLOW_TAIL
 * @TCA_LPD_KEEP: u32, bytes of payload that stay when a UDP packet is cut to its
 *	headers, default 0, at most TC_LPD_KEEP_MAX: the header of a transport
 *	within UDP
 * @TCA_LPD_ADU: u8, 1 (the default): when an IP fragment is dropped the others of
 *	its datagram are too, 0: each is treated alone
 * @TCA_LPD_STRIP: u8, 1: the cross-layer option is taken out of packets that
 *	leave, 0 (the default): it stays
 * @TCA_LPD_NOTIFY: u8, 1: the source of a packet that is discarded because it is
 *	stale is told, by an ICMP message (<linux/xlo_rto.h>), 0 (the default): not
 * @TCA_LPD_EXEMPT: u8, 1: @TCA_LPD_LIFETIME is not for packets whose option says
 *	"none", which then have none, 0 (the default): it is
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
 * enum tc_lpd_stale - what becomes of a stale packet
 * @TC_LPD_STALE_HONOR: what the packet's flags ask for; a packet without
 *	an option, whose lifetime is the qdisc's, is discarded
 * @TC_LPD_STALE_FORWARD: it is sent like any other
 * @TC_LPD_STALE_DISCARD: it is discarded
 * @TC_LPD_STALE_TRUNCATE: only its headers are sent; one that cannot be cut to
 *	them is discarded
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
 * @TC_LPD_ORDER_FIFO: the one that came first
 * @TC_LPD_ORDER_EDF: earliest deadline first. Packets that are discarded or cut
 *	once stale change places among each other, within a flow as far as the
 *	options' reorder allows; all others keep theirs
 */
enum tc_lpd_order {
	TC_LPD_ORDER_FIFO,
	TC_LPD_ORDER_EDF,

	__TC_LPD_ORDER_MAX,
};

#define TC_LPD_ORDER_MAX (__TC_LPD_ORDER_MAX - 1)

/**
 * enum tc_lpd_overflow - which packet is dropped when there is no room, once
 *	stale ones were discarded or cut
 * @TC_LPD_OVERFLOW_TAIL: the one that arrives
 * @TC_LPD_OVERFLOW_HEAD: the one that would be sent next
 * @TC_LPD_OVERFLOW_STALEST: the one that becomes stale first; the one that arrives
 *	if no packet has a lifetime
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
 * enum tca_lpd_stats - what TCA_STATS_APP of an lpd qdisc holds
 *
 * u64 each, in packets, unless said otherwise. A GSO packet is one; one that is
 * cut to headers counts from then on as its segments, also as PACKETS_IN.
 *
 * @TCA_LPD_STATS_UNSPEC: unused
 * @TCA_LPD_STATS_PAD: padding of 64 bit attributes
 * @TCA_LPD_STATS_PACKETS_IN: offered to the queue
 * @TCA_LPD_STATS_PACKETS_OUT: handed to the parent or the device
 * @TCA_LPD_STATS_STALE_ENQUEUE: discarded, stale on arrival
 * @TCA_LPD_STATS_STALE_DEQUEUE: discarded, found stale by dequeue
 * @TCA_LPD_STATS_STALE_PEEK: discarded, found stale by a parent's peek
 * @TCA_LPD_STATS_STALE_PURGE: discarded, found stale while room was needed
 *	for another packet, or when a change made the limits smaller
 * @TCA_LPD_STATS_STALE_TIMER: discarded, expired while nobody dequeued
 * @TCA_LPD_STATS_UNCUTTABLE: discarded, stale at any of these moments, had
 *	asked to be cut to its headers and cannot be
 * @TCA_LPD_STATS_ADU: dropped, another fragment of the same datagram was
 * @TCA_LPD_STATS_OVERFLOW_LIMIT: dropped, TCA_LPD_LIMIT packets were queued; also
 *	segments of a GSO packet that is cut
 * @TCA_LPD_STATS_OVERFLOW_MEMORY: dropped, TCA_LPD_MEMORY bytes were queued; also
 *	segments of a GSO packet that is cut
 * @TCA_LPD_STATS_NOMEM: dropped, no memory for a header that can be rewritten, or
 *	to cut a packet
 * @TCA_LPD_STATS_RESET: dropped, the qdisc was reset (link down, removal)
 * @TCA_LPD_STATS_STALE_FORWARDED: sent although stale, as its flags or
 *	TC_LPD_STALE_FORWARD ask (part of PACKETS_OUT, as are those below)
 * @TCA_LPD_STATS_TRUNCATED: cut to headers
 * @TCA_LPD_STATS_TRUNCATED_BYTES: bytes cut off
 * @TCA_LPD_STATS_REORDERED: of those that TC_LPD_ORDER_EDF moves, sent after one
 *	that came later (RFC 4737)
 * @TCA_LPD_STATS_STRIPPED: options taken out
 * @TCA_LPD_STATS_UNTRACKED: offered fragments whose datagram could not be kept
 *	track of: too many others were queued
 * @TCA_LPD_STATS_NO_LIFETIME: offered without a lifetime of any kind
 * @TCA_LPD_STATS_DEFAULT_LIFETIME: offered, and given TCA_LPD_LIFETIME
 * @TCA_LPD_STATS_MALFORMED: offered with a malformed option, treated as one
 *	without an option
 * @TCA_LPD_STATS_RESERVED: offered with the reserved stale treatment,
 *	treated as forward
 * @TCA_LPD_STATS_REWRITTEN: relative lifetimes rewritten at dequeue
 * @TCA_LPD_STATS_NOTIFIED: discarded because they were stale, and a message to
 *	their source waits to be sent
 * @TCA_LPD_STATS_REMAINING: array of TC_LPD_HIST_BUCKETS u64 in host byte
 *	order: remaining lifetime of the packets sent fresh, see above
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
