/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Netlink interface of lpd, the queueing discipline for Lifetime Packet Discard.
 *
 * TCA_KIND is "lpd". TCA_OPTIONS nests the attributes of enum tca_lpd. Each
 * attribute is optional. When a qdisc is created, a missing attribute gets its
 * default. When a qdisc is changed, a missing attribute keeps its value. A
 * request is applied as a whole or not at all. A refusal carries an extended
 * ack. If a single attribute causes the refusal, the extended ack points at
 * this attribute.
 *
 * RTM_GETQDISC returns every attribute of enum tca_lpd. TCA_STATS_APP contains
 * every counter of enum tca_lpd_stats. The counters from PROBES to GATE_TIMEOUTS are there
 * only if the qdisc has had a gate, and LINK_RATE and LINK_DELAY only if TCA_LPD_RATE or
 * TCA_LPD_DELAY is TC_LPD_LINK. All counters are 64 bits wide and are read at the same time.
 * QUEUED, LINK_RATE, LINK_DELAY, GATE, GATE_WINDOW, GATE_RATE, GATE_DELAY, GATE_BYTES and
 * GATE_ACKED are gauges. All other counters start at 0 when the qdisc is created, and only
 * rise. At any time
 *
 *   PACKETS_IN = PACKETS_OUT + QUEUED
 *              + the sum of all counters described as "discarded" or "dropped".
 *
 * QUEUED is the number of packets in the qdisc. The backlog in TCA_STATS2 is read at another
 * time. If the driver refuses a packet, the core keeps this packet and retries. The backlog
 * includes a refused packet. QUEUED does not include a refused packet, because PACKETS_OUT has
 * already counted this packet.
 */
#ifndef _UAPI_LINUX_PKT_SCHED_LPD_H
#define _UAPI_LINUX_PKT_SCHED_LPD_H

#include <linux/types.h>

#define TC_LPD_LIMIT_DEFAULT	1000U		/* packets */
#define TC_LPD_LIMIT_MAX	1048576U
#define TC_LPD_MEMORY_DEFAULT	(32U << 20)	/* bytes of buffer memory */
#define TC_LPD_MEMORY_MIN	65536U
#define TC_LPD_DELAY_MAX	60000000000ULL	/* nanoseconds */
#define TC_LPD_LINK		0x8000000000000000ULL	/* the device tells the value */
#define TC_LPD_LIFETIME_MAX	3600000000000ULL
#define TC_LPD_KEEP_MAX		65535U		/* bytes */
#define TC_LPD_SHARE_DEFAULT	50U		/* percent */
#define TC_LPD_SHARE_MAX	99U
#define TC_LPD_RULES_MAX	32U
#define TC_LPD_DSCP_MAX		63U
#define TC_LPD_IMPORTANCE_MAX	7U

/**
 * enum tca_lpd - attributes in TCA_OPTIONS of an lpd qdisc
 * @TCA_LPD_UNSPEC: unused
 * @TCA_LPD_PAD: padding of 64-bit attributes
 * @TCA_LPD_LIMIT: u32, maximum length of the queue in packets, 1..TC_LPD_LIMIT_MAX.
 *	Neither this limit nor TCA_LPD_MEMORY counts the packets of the class
 * @TCA_LPD_MEMORY: u32, maximum buffer memory of the queue in bytes, at least
 *	TC_LPD_MEMORY_MIN. An empty queue accepts any packet. For a packet that may have a
 *	lifetime or be a fragment, the queue counts at least the memory of an sk_buff
 *	without data
 * @TCA_LPD_RATE: u64, rate of the link below in bytes/s, 0 (the default) for
 *	unlimited. The transmission time of a packet at this rate is subtracted
 *	from the packet's lifetime. With TC_LPD_LINK, lpd asks the device for its rate once a
 *	second. lpd uses a new rate when it differs by at least a quarter from the rate in use.
 *	Only arqlink devices (<linux/arqlink.h>) can be asked
 * @TCA_LPD_DELAY: u64, fixed delay of the link below in ns, default 0, at most
 *	TC_LPD_DELAY_MAX. The delay of the link is subtracted from the lifetime of packets.
 *	With TC_LPD_LINK, lpd asks the device for its delay once a second
 * @TCA_LPD_LIFETIME: u64, default lifetime in ns, 0 (the default) for none, at
 *	most TC_LPD_LIFETIME_MAX. The default lifetime applies to IP packets without a
 *	cross-layer option and, unless TCA_LPD_EXEMPT is 1, to packets whose option says
 *	"none", if they match no rule of TCA_LPD_MATCH. The default lifetime starts when the
 *	packet arrives at the qdisc
 * @TCA_LPD_STALE: u8, enum tc_lpd_stale, default TC_LPD_STALE_HONOR
 * @TCA_LPD_ORDER: u8, enum tc_lpd_order, default TC_LPD_ORDER_FIFO
 * @TCA_LPD_OVERFLOW: u8, enum tc_lpd_overflow, default TC_LPD_OVERFLOW_TAIL
 * @TCA_LPD_KEEP: u32, bytes of payload that stay when a UDP packet is cut to its
 *	headers, default 0, at most TC_LPD_KEEP_MAX. The bytes that stay can contain the
 *	header of a transport above UDP
 * @TCA_LPD_ADU: u8: 1 (the default) to drop all fragments of a datagram when one of
 *	its fragments is dropped, 0 to treat each fragment separately
 * @TCA_LPD_STRIP: u8: 1 to remove the cross-layer option from outgoing packets, 0
 *	(the default) to keep the option
 * @TCA_LPD_NOTIFY: u8: 1 to send an ICMP message (<linux/xlo_rto.h>) to the source
 *	of a discarded stale packet, 0 (the default) to send no message
 * @TCA_LPD_EXEMPT: u8: 1 to give packets whose option says "none" no lifetime, 0
 *	(the default) to give them the lifetime of a rule or TCA_LPD_LIFETIME
 * @TCA_LPD_SHARE: u32, share of the link in percent that the class :1 gets while packets wait
 *	both in the class and outside, default TC_LPD_SHARE_DEFAULT, at most TC_LPD_SHARE_MAX.
 *	The packets outside save the share that they do not use, until 1 MB of them can be
 *	sent first. While they use the savings, the class gets a fifth of its share.
 *	The class holds the packets without a lifetime. With 0 there is no class, and packets
 *	without a lifetime wait among the other packets. A qdisc without a handle (a device's
 *	default qdisc) always has the share 0
 * @TCA_LPD_MATCH: nest of enum tca_lpd_match, the rules in their order, at most
 *	TC_LPD_RULES_MAX, default none. The first rule that a packet matches applies.
 *	The attribute replaces all rules
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
	TCA_LPD_SHARE,
	TCA_LPD_MATCH,

	__TCA_LPD_MAX,
};

#define TCA_LPD_MAX (__TCA_LPD_MAX - 1)

/**
 * enum tca_lpd_match - attributes in TCA_LPD_MATCH
 * @TCA_LPD_MATCH_UNSPEC: unused
 * @TCA_LPD_MATCH_RULE: nest of enum tca_lpd_rule; repeated, once for each rule
 */
enum tca_lpd_match {
	TCA_LPD_MATCH_UNSPEC,
	TCA_LPD_MATCH_RULE,

	__TCA_LPD_MATCH_MAX,
};

#define TCA_LPD_MATCH_MAX (__TCA_LPD_MATCH_MAX - 1)

/**
 * enum tca_lpd_rule - attributes in TCA_LPD_MATCH_RULE
 *
 * A rule has exactly one of the attributes MARK, DSCP and PRIORITY, which says what
 * packets match. The lifetime and the treatment of a rule apply to IP packets without a
 * cross-layer option. The lifetime also applies to packets whose option says "none",
 * unless TCA_LPD_EXEMPT is 1. Answers leave out attributes with default values.
 *
 * @TCA_LPD_RULE_UNSPEC: unused
 * @TCA_LPD_RULE_PAD: padding of 64-bit attributes
 * @TCA_LPD_RULE_MARK: u32, the packet's mark, in the bits of TCA_LPD_RULE_MASK
 * @TCA_LPD_RULE_MASK: u32, bits of the mark, default all; not 0, and with all bits of
 *	TCA_LPD_RULE_MARK; only together with TCA_LPD_RULE_MARK
 * @TCA_LPD_RULE_DSCP: u8, the DSCP of the IP header (RFC 2474), at most TC_LPD_DSCP_MAX
 * @TCA_LPD_RULE_PRIORITY: u32, the packet's priority (SO_PRIORITY)
 * @TCA_LPD_RULE_LIFETIME: u64, lifetime in ns from the packet's arrival at the qdisc, 0
 *	for none, at most TC_LPD_LIFETIME_MAX; required
 * @TCA_LPD_RULE_STALE: u8, enum tc_lpd_stale except TC_LPD_STALE_HONOR, the treatment of
 *	the packet when it is stale, default TC_LPD_STALE_DISCARD
 * @TCA_LPD_RULE_IMPORTANCE: u8, importance for TC_LPD_OVERFLOW_LEAST, at most
 *	TC_LPD_IMPORTANCE_MAX, default 0. The importance applies to every packet that matches
 *	the rule, even if the packet is not an IP packet or has an option. In the class :1, the
 *	importance has no effect
 */
enum tca_lpd_rule {
	TCA_LPD_RULE_UNSPEC,
	TCA_LPD_RULE_PAD,
	TCA_LPD_RULE_MARK,
	TCA_LPD_RULE_MASK,
	TCA_LPD_RULE_DSCP,
	TCA_LPD_RULE_PRIORITY,
	TCA_LPD_RULE_LIFETIME,
	TCA_LPD_RULE_STALE,
	TCA_LPD_RULE_IMPORTANCE,

	__TCA_LPD_RULE_MAX,
};

#define TCA_LPD_RULE_MAX (__TCA_LPD_RULE_MAX - 1)

/**
 * enum tc_lpd_stale - treatment of a stale packet
 * @TC_LPD_STALE_HONOR: treat the packet as the flags of its option request. Treat a packet
 *	without an option as its rule says (TCA_LPD_RULE_STALE), or discard the packet if it
 *	has no rule
 * @TC_LPD_STALE_FORWARD: send the packet like any other packet
 * @TC_LPD_STALE_DISCARD: discard the packet
 * @TC_LPD_STALE_TRUNCATE: send only the packet's headers. A packet that cannot be
 *	cut to its headers is discarded
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
 * @TC_LPD_ORDER_FIFO: the packet that arrived first
 * @TC_LPD_ORDER_EDF: the packet with the earliest deadline. Only packets that are
 *	discarded or cut when stale may overtake each other. Within a flow, the field
 *	"reorder" of the option limits how far a packet moves
 */
enum tc_lpd_order {
	TC_LPD_ORDER_FIFO,
	TC_LPD_ORDER_EDF,

	__TC_LPD_ORDER_MAX,
};

#define TC_LPD_ORDER_MAX (__TC_LPD_ORDER_MAX - 1)

/**
 * enum tc_lpd_overflow - which packet a full queue drops after stale packets have
 *	been discarded or cut
 * @TC_LPD_OVERFLOW_TAIL: the packet that arrives
 * @TC_LPD_OVERFLOW_HEAD: the packet that would be sent next
 * @TC_LPD_OVERFLOW_STALEST: the packet that becomes stale first. If no packet can become
 *	stale, the packet that arrives is dropped
 * @TC_LPD_OVERFLOW_LEAST: the packet with the least importance. A packet that matches no rule
 *	of TCA_LPD_MATCH has the importance 0. Among packets of equal importance, the packet
 *	that becomes stale first is dropped. If none of these packets can become stale, the
 *	packet that arrived last is dropped
 */
enum tc_lpd_overflow {
	TC_LPD_OVERFLOW_TAIL,
	TC_LPD_OVERFLOW_HEAD,
	TC_LPD_OVERFLOW_STALEST,
	TC_LPD_OVERFLOW_LEAST,

	__TC_LPD_OVERFLOW_MAX,
};

#define TC_LPD_OVERFLOW_MAX (__TC_LPD_OVERFLOW_MAX - 1)

/* Buckets of TCA_LPD_STATS_REMAINING. Bucket 0 counts packets sent with less
 * than 1 ms of lifetime left. Bucket i counts packets sent with at least 2^(i-1)
 * and less than 2^i ms left. The last bucket counts all packets with more time left.
 */
#define TC_LPD_HIST_BUCKETS	20

/**
 * enum tca_lpd_stats - counters in TCA_STATS_APP of an lpd qdisc
 *
 * Each counter is a u64. A counter counts packets, unless its description names another
 * unit. New counters are appended at the end. A GSO packet counts as one packet. After a
 * GSO packet is cut to headers, each of its segments counts as a packet, even in
 * PACKETS_IN.
 *
 * @TCA_LPD_STATS_UNSPEC: unused
 * @TCA_LPD_STATS_PAD: padding of 64-bit attributes
 * @TCA_LPD_STATS_PACKETS_IN: offered to the queue
 * @TCA_LPD_STATS_PACKETS_OUT: passed to the parent or the device
 * @TCA_LPD_STATS_STALE_ENQUEUE: discarded because the packet was stale on arrival
 * @TCA_LPD_STATS_STALE_DEQUEUE: discarded because dequeue found the packet stale
 * @TCA_LPD_STATS_STALE_PEEK: discarded because a parent's peek found the packet stale
 * @TCA_LPD_STATS_STALE_PURGE: discarded because the packet was stale when another packet needed
 *	space, or when a change lowered the limits
 * @TCA_LPD_STATS_STALE_TIMER: discarded by the timer, because the packet expired
 *	before anybody dequeued it
 * @TCA_LPD_STATS_UNCUTTABLE: discarded because a stale packet could not be cut to
 *	its headers. The STALE counters do not include uncuttable packets
 * @TCA_LPD_STATS_ADU: dropped because another fragment of the datagram was dropped
 * @TCA_LPD_STATS_OVERFLOW_LIMIT: dropped because TCA_LPD_LIMIT packets were queued.
 *	OVERFLOW_LIMIT also counts segments of a GSO packet that are dropped because of this
 *	limit
 * @TCA_LPD_STATS_OVERFLOW_MEMORY: dropped because TCA_LPD_MEMORY bytes were queued.
 *	OVERFLOW_MEMORY also counts segments of a GSO packet that are dropped because of
 *	this limit
 * @TCA_LPD_STATS_NOMEM: dropped because no memory was available to make a header
 *	writable or to cut a packet
 * @TCA_LPD_STATS_RESET: dropped because the link went down or the qdisc was removed
 * @TCA_LPD_STATS_STALE_FORWARDED: sent although stale, as the packet's flags or
 *	TC_LPD_STALE_FORWARD request. PACKETS_OUT includes the packets in STALE_FORWARDED
 * @TCA_LPD_STATS_TRUNCATED: packets cut to headers
 * @TCA_LPD_STATS_TRUNCATED_BYTES: bytes cut off
 * @TCA_LPD_STATS_REORDERED: moved by TC_LPD_ORDER_EDF and sent after a packet that
 *	arrived later (RFC 4737)
 * @TCA_LPD_STATS_STRIPPED: options removed
 * @TCA_LPD_STATS_UNTRACKED: offered fragments that were not assigned to a datagram,
 *	because fragments of too many other datagrams were queued
 * @TCA_LPD_STATS_NO_LIFETIME: offered without any lifetime
 * @TCA_LPD_STATS_DEFAULT_LIFETIME: offered packets that got the lifetime
 *	TCA_LPD_LIFETIME
 * @TCA_LPD_STATS_MALFORMED: offered with a malformed option, and treated as a packet
 *	without an option
 * @TCA_LPD_STATS_RESERVED: offered with the reserved stale treatment, and treated as
 *	forward
 * @TCA_LPD_STATS_REWRITTEN: relative lifetimes rewritten at dequeue
 * @TCA_LPD_STATS_NOTIFIED: part of the STALE counters and of UNCUTTABLE: packets with a message to
 *	the source that was accepted for sending
 * @TCA_LPD_STATS_REMAINING: histogram of the remaining lifetime of packets that were
 *	sent before they were stale, an array of TC_LPD_HIST_BUCKETS u64 in host byte
 *	order
 * @TCA_LPD_STATS_QUEUED: packets in the queue now, including probes and the packets of the class
 * @TCA_LPD_STATS_PROBES: probes sent through the gate (<linux/lpd_genl.h>). PACKETS_OUT
 *	includes these probes
 * @TCA_LPD_STATS_PROBE_OVERFLOW: dropped because LPD_PROBES_MAX probes were queued at the gate
 * @TCA_LPD_STATS_UNSEGMENTED: dropped because a GSO packet could not be segmented for the
 *	gate
 * @TCA_LPD_STATS_GATE: 1 if there is a gate, otherwise 0
 * @TCA_LPD_STATS_GATE_WINDOW: window of the gate in bytes. Without a gate, this gauge and
 *	the following gauges are 0
 * @TCA_LPD_STATS_GATE_RATE: rate that replaces TCA_LPD_RATE, in bytes/s
 * @TCA_LPD_STATS_GATE_DELAY: delay that replaces TCA_LPD_DELAY, in ns
 * @TCA_LPD_STATS_GATE_BYTES: bytes sent since the qdisc was created
 * @TCA_LPD_STATS_GATE_ACKED: bytes sent when the newest acknowledged probe left, including the
 *	probe. Before the first acknowledgment, bytes sent when the gate was made
 * @TCA_LPD_STATS_GATE_CLOSED_NS: total time in ns for which gates have held packets back
 * @TCA_LPD_STATS_GATE_TIMEOUTS: how often the kernel opened a gate because no request arrived
 * @TCA_LPD_STATS_CLASS_DROPS: dropped by the qdisc of the class, or because the class got another
 *	qdisc or was removed. The qdisc of the class may divide a GSO packet. Each segment then
 *	counts as one packet, even in PACKETS_IN
 * @TCA_LPD_STATS_MATCHED: offered packets that got the lifetime of a rule of TCA_LPD_MATCH
 * @TCA_LPD_STATS_LINK_RATE: rate of the link below that lpd uses now, in bytes/s, 0 for unlimited
 * @TCA_LPD_STATS_LINK_DELAY: delay of the link below that lpd uses now, in ns
 * @TCA_LPD_STATS_FAST: offered with an option and a lifetime, and enqueued on the fast path. The
 *	offered packets with an option and a lifetime are the sum of FAST and the SLOW counters
 * @TCA_LPD_STATS_SLOW_FORM: not on the fast path, because the header is not an IPv4 header with a
 *	relative lifetime as its only option, because the header is not linear, or because the
 *	packet is a fragment or a pure ACK of a local TCP
 * @TCA_LPD_STATS_SLOW_SHARED: not on the fast path, because the packet shares its header with
 *	another packet
 * @TCA_LPD_STATS_SLOW_ORDER: not on the fast path, because the packet's time is too far from the
 *	times of other packets, or too close to the times of many others
 * @TCA_LPD_STATS_SLOW_CONFIG: not on the fast path, because of TC_LPD_OVERFLOW_LEAST, because
 *	stale packets are forwarded, or because the packet was stale on arrival or the queue was
 *	full
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
	TCA_LPD_STATS_PROBES,
	TCA_LPD_STATS_PROBE_OVERFLOW,
	TCA_LPD_STATS_UNSEGMENTED,
	TCA_LPD_STATS_GATE,
	TCA_LPD_STATS_GATE_WINDOW,
	TCA_LPD_STATS_GATE_RATE,
	TCA_LPD_STATS_GATE_DELAY,
	TCA_LPD_STATS_GATE_BYTES,
	TCA_LPD_STATS_GATE_ACKED,
	TCA_LPD_STATS_GATE_CLOSED_NS,
	TCA_LPD_STATS_GATE_TIMEOUTS,
	TCA_LPD_STATS_CLASS_DROPS,
	TCA_LPD_STATS_MATCHED,
	TCA_LPD_STATS_LINK_RATE,
	TCA_LPD_STATS_LINK_DELAY,
	TCA_LPD_STATS_FAST,
	TCA_LPD_STATS_SLOW_FORM,
	TCA_LPD_STATS_SLOW_SHARED,
	TCA_LPD_STATS_SLOW_ORDER,
	TCA_LPD_STATS_SLOW_CONFIG,

	__TCA_LPD_STATS_MAX,
};

#define TCA_LPD_STATS_MAX (__TCA_LPD_STATS_MAX - 1)

#endif /* _UAPI_LINUX_PKT_SCHED_LPD_H */
