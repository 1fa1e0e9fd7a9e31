/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * cellink: a cellular channel as a pair of network devices, its netlink interface.
 *
 * IFLA_INFO_KIND is "cellink". IFLA_INFO_DATA nests the attributes of enum
 * cellink_attr, which describe the direction in which the device transmits. The peer's
 * attributes describe the other direction. Each attribute is optional. On creation a
 * missing attribute has its default, on change it keeps its value. A request is applied
 * whole or not at all. A refusal carries an extended ack that names the attribute.
 *
 * On creation CELLINK_PEER describes the other device in the form of an RTM_NEWLINK
 * message: struct ifinfomsg, then attributes IFLA_*. IFLA_LINKINFO/IFLA_INFO_DATA among
 * them nests the attributes of the other direction.
 *
 * RTM_GETLINK returns every attribute except CELLINK_PEER and CELLINK_HANDOVER, and
 * CELLINK_TRACE and CELLINK_TURNS only if the direction follows such a trace.
 * IFLA_INFO_XSTATS has every counter of enum cellink_stats, all 64 bit wide and read at
 * one moment. The counters only rise from the creation of the device on, except the gauges
 * HELD, STATE and DOWN. At any time
 *
 *   PACKETS_IN = DELIVERED + HELD + the sum of all counters from LOST to PURGED
 *
 * A direction may follow a trace in mahimahi's format instead of a rate. The trace is a
 * list of ascending times in whole ms. At each time some bytes may be sent. A trace is too
 * long for one request, so it goes through the generic netlink family "cellink":
 *
 *   CELLINK_CMD_TRACE_START    COUNT: starts an upload on this socket, and drops one
 *                              that was under way on it
 *   CELLINK_CMD_TRACE_ADD      TIMES: the next part; as many requests as needed
 *   CELLINK_CMD_TRACE_COMMIT   IFINDEX, optionally TURNS, OPPORTUNITY, ONCE and OFFSET:
 *                              ends the upload; the device follows this trace from now
 *                              on, instead of any other
 *   CELLINK_CMD_TRACE_DEL      IFINDEX, optionally TURNS: the device follows no trace
 *                              any more
 *
 * With TURNS the trace replaces CELLINK_GOOD and CELLINK_BAD: at each time the channel
 * changes between the good and the bad state. It begins in the good state, also when the
 * trace repeats.
 *
 * Each request needs CAP_NET_ADMIN in the user namespace that owns the socket's network
 * namespace. The device belongs to this network namespace. A refusal, with an extended ack,
 * changes neither the device nor the upload. An upload is dropped when its socket closes, or
 * CELLINK_UPLOAD_MS after its last request. A namespace has at most CELLINK_UPLOADS_MAX
 * uploads.
 */
#ifndef _UAPI_LINUX_CELLINK_H
#define _UAPI_LINUX_CELLINK_H

#include <linux/types.h>

#define CELLINK_RATE_MAX		125000000000ULL	/* bytes/s */
#define CELLINK_DELAY_MAX		60000000000ULL	/* nanoseconds */
#define CELLINK_RING_PACKETS_DEFAULT	2U
#define CELLINK_RING_PACKETS_MAX	65536U
#define CELLINK_RING_BYTES_MAX		1073741824U
#define CELLINK_LOSS_MAX		1000000U	/* millionths */
#define CELLINK_BER_MAX			100000000000ULL	/* 10^-12: one bit in ten */
#define CELLINK_SOJOURN_MIN		1000000ULL	/* nanoseconds */
#define CELLINK_SOJOURN_MAX		86400000000000ULL

#define CELLINK_GENL_NAME		"cellink"
#define CELLINK_GENL_VERSION		1
#define CELLINK_TRACE_MAX		16777216U	/* opportunities */
#define CELLINK_OPPORTUNITY_DEFAULT	1504U		/* bytes */
#define CELLINK_OPPORTUNITY_MAX		65535U
#define CELLINK_UPLOADS_MAX		8
#define CELLINK_UPLOAD_MS		30000

/**
 * enum cellink_state - state of a channel with two states
 * @CELLINK_STATE_GOOD: the first state; without CELLINK_BAD the only one
 * @CELLINK_STATE_BAD: the other state
 * @CELLINK_STATES: number of states
 */
enum cellink_state {
	CELLINK_STATE_GOOD,
	CELLINK_STATE_BAD,

	CELLINK_STATES,
};

/**
 * enum cellink_law - how times are distributed
 * @CELLINK_LAW_EXPONENTIAL: exponentially, with the given mean
 * @CELLINK_LAW_CONSTANT: each time is the mean
 */
enum cellink_law {
	CELLINK_LAW_EXPONENTIAL,
	CELLINK_LAW_CONSTANT,

	__CELLINK_LAW_MAX,
};

#define CELLINK_LAW_MAX (__CELLINK_LAW_MAX - 1)

/**
 * enum cellink_corrupt - treatment of a packet with bad bits
 * @CELLINK_CORRUPT_DROP: drop the packet, as a link layer with a checksum does
 * @CELLINK_CORRUPT_DELIVER: deliver the packet with its bad bits
 * @CELLINK_CORRUPT_TOLERANT: deliver the packet with its bad bits if its cross-layer
 *	option (linux/xlo.h) has XLO_FLAG_CORRUPT_OK and no bad bit is in the headers up
 *	to the IP header, and set XLO_FLAG_CORRUPTED in the option. Drop any other packet
 */
enum cellink_corrupt {
	CELLINK_CORRUPT_DROP,
	CELLINK_CORRUPT_DELIVER,
	CELLINK_CORRUPT_TOLERANT,

	__CELLINK_CORRUPT_MAX,
};

#define CELLINK_CORRUPT_MAX (__CELLINK_CORRUPT_MAX - 1)

/**
 * enum cellink_handover - treatment of packets in flight when attributes change
 * @CELLINK_HANDOVER_KEEP: they arrive at the same time as without the change
 * @CELLINK_HANDOVER_LOSE: they are lost, as if the old cell did not pass them on
 */
enum cellink_handover {
	CELLINK_HANDOVER_KEEP,
	CELLINK_HANDOVER_LOSE,

	__CELLINK_HANDOVER_MAX,
};

#define CELLINK_HANDOVER_MAX (__CELLINK_HANDOVER_MAX - 1)

#define CELLINK_OUTAGES_MAX		32
#define CELLINK_OUTAGE_EVERY_MIN	1000000ULL	/* nanoseconds */
#define CELLINK_OUTAGE_TIME_MAX		86400000000000ULL

/**
 * struct cellink_outage - one outage of a schedule
 * @start: ns from the start of the schedule to the outage
 * @length: ns that the outage lasts
 */
struct cellink_outage {
	__u64 start;
	__u64 length;
};

/**
 * enum cellink_attr - attributes in IFLA_INFO_DATA of a cellink device
 * @CELLINK_UNSPEC: unused
 * @CELLINK_PAD: padding of 64 bit attributes
 * @CELLINK_PEER: the other device, on creation only: see above
 * @CELLINK_RATE: u64, bytes/s, 0 (the default) for unlimited, at most CELLINK_RATE_MAX.
 *	The size of a packet includes its link-layer header, that of a GSO packet the
 *	headers of all its segments. Only without a trace
 * @CELLINK_DELAY: u64, propagation delay in ns, default 0, at most CELLINK_DELAY_MAX
 * @CELLINK_RING_PACKETS: u32, packets that the device accepts before it stops its queue,
 *	including the packet being sent, 1..CELLINK_RING_PACKETS_MAX, default
 *	CELLINK_RING_PACKETS_DEFAULT
 * @CELLINK_RING_BYTES: u32, as @CELLINK_RING_PACKETS in bytes, 0 (the default) for no
 *	such limit, at most CELLINK_RING_BYTES_MAX; an empty ring accepts any packet
 * @CELLINK_LOSS: u32, probability in millionths that a packet is lost, default 0, at most
 *	CELLINK_LOSS_MAX; applies to the good state if there is a bad one
 * @CELLINK_BER: u64, probability in 10^-12 that a bit is bad, default 0, at most
 *	CELLINK_BER_MAX; applies to the good state if there is a bad one. A packet
 *	belongs to the state in which its last byte is sent
 * @CELLINK_GOOD: u64, mean time in ns that a good state lasts, CELLINK_SOJOURN_MIN ..
 *	CELLINK_SOJOURN_MAX, or 0 (the default) for ever. This and @CELLINK_BAD are
 *	either both 0 or both not 0. With a trace of turns both are 0
 * @CELLINK_BAD: u64, mean time in ns that a bad state lasts, as @CELLINK_GOOD
 * @CELLINK_BAD_LOSS: u32, as @CELLINK_LOSS in the bad state
 * @CELLINK_BAD_BER: u64, as @CELLINK_BER in the bad state
 * @CELLINK_SOJOURN: u8, enum cellink_law of @CELLINK_GOOD and @CELLINK_BAD, default
 *	CELLINK_LAW_EXPONENTIAL
 * @CELLINK_CORRUPT: u8, enum cellink_corrupt, default CELLINK_CORRUPT_DROP
 * @CELLINK_SEED: u32, seed of this direction's random numbers, default a random number.
 *	The random numbers start when the device goes up, and start again when the seed
 *	changes. Those of losses, bit errors and states also start again when one of the
 *	attributes from @CELLINK_LOSS to @CELLINK_SOJOURN changes, and those of outages
 *	when one of the attributes of outages changes
 * @CELLINK_OUTAGE: u64, how long in ns an outage lasts, 0 (the default) for none, at most
 *	CELLINK_OUTAGE_TIME_MAX, as all times of outages. During an outage nothing is
 *	sent; packets in flight arrive
 * @CELLINK_OUTAGE_START: u64, ns until the first outage, default 0
 * @CELLINK_OUTAGE_EVERY: u64, ns from the start of an outage to the start of the next,
 *	0 (the default) for a single outage. At least CELLINK_OUTAGE_EVERY_MIN, and more
 *	than the sum of @CELLINK_OUTAGE and @CELLINK_OUTAGE_JITTER
 * @CELLINK_OUTAGE_JITTER: u64, greatest random delay in ns of the start of an outage,
 *	uniformly distributed, default 0; only with CELLINK_LAW_CONSTANT
 * @CELLINK_OUTAGE_LAW: u8, enum cellink_law, default CELLINK_LAW_CONSTANT. With
 *	CELLINK_LAW_EXPONENTIAL the lengths of outages and the times between them are
 *	exponentially distributed
 * @CELLINK_OUTAGES: up to CELLINK_OUTAGES_MAX struct cellink_outage in ascending order,
 *	without overlap; only without @CELLINK_OUTAGE
 * @CELLINK_HANDOVER: u8, enum cellink_handover, default CELLINK_HANDOVER_KEEP. Applies to
 *	this change only: it is not stored, and RTM_GETLINK does not return it
 * @CELLINK_TRACE: nest of enum cellink_trace_attr without IFINDEX and TIMES, answers only:
 *	the trace that the direction follows instead of a rate
 * @CELLINK_TURNS: nest as @CELLINK_TRACE: the trace that the states follow
 */
enum cellink_attr {
	CELLINK_UNSPEC,
	CELLINK_PAD,
	CELLINK_PEER,
	CELLINK_RATE,
	CELLINK_DELAY,
	CELLINK_RING_PACKETS,
	CELLINK_RING_BYTES,
	CELLINK_LOSS,
	CELLINK_BER,
	CELLINK_GOOD,
	CELLINK_BAD,
	CELLINK_BAD_LOSS,
	CELLINK_BAD_BER,
	CELLINK_SOJOURN,
	CELLINK_CORRUPT,
	CELLINK_SEED,
	CELLINK_OUTAGE,
	CELLINK_OUTAGE_START,
	CELLINK_OUTAGE_EVERY,
	CELLINK_OUTAGE_JITTER,
	CELLINK_OUTAGE_LAW,
	CELLINK_OUTAGES,
	CELLINK_HANDOVER,
	CELLINK_TRACE,
	CELLINK_TURNS,

	__CELLINK_MAX,
};

#define CELLINK_MAX (__CELLINK_MAX - 1)

/**
 * enum cellink_cmd - requests of the generic netlink family, see above
 * @CELLINK_CMD_UNSPEC: unused
 * @CELLINK_CMD_TRACE_START: start an upload
 * @CELLINK_CMD_TRACE_ADD: upload the next part
 * @CELLINK_CMD_TRACE_COMMIT: end the upload and make a device follow the trace
 * @CELLINK_CMD_TRACE_DEL: make a device follow no trace
 */
enum cellink_cmd {
	CELLINK_CMD_UNSPEC,
	CELLINK_CMD_TRACE_START,
	CELLINK_CMD_TRACE_ADD,
	CELLINK_CMD_TRACE_COMMIT,
	CELLINK_CMD_TRACE_DEL,

	__CELLINK_CMD_MAX,
};

#define CELLINK_CMD_MAX (__CELLINK_CMD_MAX - 1)

/**
 * enum cellink_trace_attr - attributes of these requests, and of CELLINK_TRACE
 * @CELLINK_A_UNSPEC: unused
 * @CELLINK_A_PAD: padding of 64 bit attributes
 * @CELLINK_A_IFINDEX: u32, a cellink device of the namespace
 * @CELLINK_A_COUNT: u32, number of opportunities in the trace, 1..CELLINK_TRACE_MAX
 * @CELLINK_A_TIMES: binary, times of opportunities: u32 each, in ms, none less than the
 *	one before; the last time of the trace is not 0
 * @CELLINK_A_OPPORTUNITY: u32, bytes that may be sent at each opportunity, including
 *	link-layer headers, 1..CELLINK_OPPORTUNITY_MAX, default
 *	CELLINK_OPPORTUNITY_DEFAULT; not with CELLINK_A_TURNS
 * @CELLINK_A_ONCE: u8, 0 (the default): the trace repeats after its last opportunity;
 *	1: nothing is sent after the last opportunity
 * @CELLINK_A_OFFSET: u64, position in the trace at which the direction starts, in ns,
 *	less than the trace's length, default 0. The direction starts at this position
 *	when the request is made, and again whenever the device goes up
 * @CELLINK_A_LENGTH: u64, answers only: the time of the last opportunity, in ns
 * @CELLINK_A_POSITION: u64, answers only: current position in the trace, in ns; the
 *	position stays at the end of a trace that does not repeat
 * @CELLINK_A_TURNS: u8, requests only, 0 (the default): the times are opportunities; 1:
 *	the times are changes of the channel's state
 */
enum cellink_trace_attr {
	CELLINK_A_UNSPEC,
	CELLINK_A_PAD,
	CELLINK_A_IFINDEX,
	CELLINK_A_COUNT,
	CELLINK_A_TIMES,
	CELLINK_A_OPPORTUNITY,
	CELLINK_A_ONCE,
	CELLINK_A_OFFSET,
	CELLINK_A_LENGTH,
	CELLINK_A_POSITION,
	CELLINK_A_TURNS,

	__CELLINK_A_MAX,
};

#define CELLINK_A_MAX (__CELLINK_A_MAX - 1)

/**
 * enum cellink_stats - counters in IFLA_INFO_XSTATS of a cellink device
 *
 * u64 each, in packets of the direction in which the device transmits, unless stated
 * otherwise. A GSO packet counts as one.
 *
 * @CELLINK_STATS_UNSPEC: unused
 * @CELLINK_STATS_PAD: padding of 64 bit attributes
 * @CELLINK_STATS_PACKETS_IN: accepted from the queue above
 * @CELLINK_STATS_SENT: sent completely, up to the last byte
 * @CELLINK_STATS_SENT_BYTES: bytes of the packets in SENT
 * @CELLINK_STATS_DELIVERED: received by the peer. If the peer goes down before it has passed
 *	a packet to the stack, it counts the packet as rx_dropped (IFLA_STATS64)
 * @CELLINK_STATS_DELIVERED_BYTES: bytes of the packets in DELIVERED
 * @CELLINK_STATS_DAMAGED: part of DELIVERED: with bad bits
 * @CELLINK_STATS_GOOD_NS: ns in the good state so far, while the device was up
 * @CELLINK_STATS_BAD_NS: ns in the bad state so far, while the device was up
 * @CELLINK_STATS_OUTAGES: outages that have begun
 * @CELLINK_STATS_OUTAGE_NS: ns in outages so far
 * @CELLINK_STATS_LOST: lost, by CELLINK_LOSS or CELLINK_BAD_LOSS
 * @CELLINK_STATS_CORRUPTED: dropped for bad bits
 * @CELLINK_STATS_HANDOVER: lost, by CELLINK_HANDOVER_LOSE
 * @CELLINK_STATS_PEER_DOWN: lost, the peer was down or removed
 * @CELLINK_STATS_REFUSED: lost, the peer refused the packet: it is longer than the peer's
 *	MTU, has no link-layer header, or the peer's inbox of 1000 packets was full
 * @CELLINK_STATS_PURGED: lost, held by the device when it went down, or offered while it
 *	was down
 * @CELLINK_STATS_HELD: waiting to be sent, or in flight now
 * @CELLINK_STATS_STATE: enum cellink_state now
 * @CELLINK_STATS_DOWN: 1 in an outage, 0 otherwise
 */
enum cellink_stats {
	CELLINK_STATS_UNSPEC,
	CELLINK_STATS_PAD,
	CELLINK_STATS_PACKETS_IN,
	CELLINK_STATS_SENT,
	CELLINK_STATS_SENT_BYTES,
	CELLINK_STATS_DELIVERED,
	CELLINK_STATS_DELIVERED_BYTES,
	CELLINK_STATS_DAMAGED,
	CELLINK_STATS_GOOD_NS,
	CELLINK_STATS_BAD_NS,
	CELLINK_STATS_OUTAGES,
	CELLINK_STATS_OUTAGE_NS,
	CELLINK_STATS_LOST,
	CELLINK_STATS_CORRUPTED,
	CELLINK_STATS_HANDOVER,
	CELLINK_STATS_PEER_DOWN,
	CELLINK_STATS_REFUSED,
	CELLINK_STATS_PURGED,
	CELLINK_STATS_HELD,
	CELLINK_STATS_STATE,
	CELLINK_STATS_DOWN,

	__CELLINK_STATS_MAX,
};

#define CELLINK_STATS_MAX (__CELLINK_STATS_MAX - 1)

#endif /* _UAPI_LINUX_CELLINK_H */
