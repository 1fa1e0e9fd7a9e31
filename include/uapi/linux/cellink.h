/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * cellink: a cellular channel as a pair of network devices, its netlink interface.
 *
 * IFLA_INFO_KIND is "cellink". IFLA_INFO_DATA nests the attributes of enum
 * cellink_attr, which describe the direction that the device transmits: the other
 * one is its peer's. Each may be left out. On creation an attribute left out takes its
 * default, on change it keeps its value. A request is applied whole or not at all; a
 * refusal carries an extended ack that names the attribute.
 *
 * On creation CELLINK_PEER describes the other device as an RTM_NEWLINK message of its
 * own would: struct ifinfomsg, then attributes IFLA_*, among which
 * IFLA_LINKINFO/IFLA_INFO_DATA nests the attributes of the other direction.
 *
 * RTM_GETLINK returns every attribute but CELLINK_PEER and CELLINK_HANDOVER, of
 * CELLINK_TRACE and CELLINK_TURNS those that there are, and in
 * IFLA_INFO_XSTATS every counter of enum cellink_stats, all 64 bit wide and read at one
 * moment. They are monotonic since the device was created, but for the gauges HELD, STATE
 * and DOWN. Always
 *
 *   PACKETS_IN = DELIVERED + HELD + the sum of all counters from LOST to PURGED
 *
 * A direction may follow a trace in mahimahi's format in place of a rate: times in whole
 * ms, none before the one above it, at each of which some bytes may be sent. It is too
 * long for a request, so it goes through the generic netlink family "cellink":
 *
 *   CELLINK_CMD_TRACE_START    COUNT: an upload begins on this socket; one that was
 *                              under way on it is forgotten
 *   CELLINK_CMD_TRACE_ADD      TIMES, as often as needed: the next of them
 *   CELLINK_CMD_TRACE_COMMIT   IFINDEX, and TURNS, OPPORTUNITY, ONCE and OFFSET as
 *                              wanted: the device follows the trace from now on, in
 *                              place of another if it did; the upload is over
 *   CELLINK_CMD_TRACE_DEL      IFINDEX, TURNS as wanted: it follows none any more
 *
 * With TURNS the times are those at which the channel turns from the good state to the bad
 * one and back, in place of CELLINK_GOOD and CELLINK_BAD. It begins in the good one, and
 * again when the trace repeats.
 *
 * Each needs CAP_NET_ADMIN in the user namespace that owns the socket's network namespace,
 * to which the device belongs. A refusal, with an extended ack, changes neither the device
 * nor the upload. An upload is forgotten when its socket closes, or CELLINK_UPLOAD_MS
 * after the last request for it; a namespace has up to CELLINK_UPLOADS_MAX.
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
 * enum cellink_state - what a channel with two states is
 * @CELLINK_STATE_GOOD: the state in which it begins, and stays if there is no other
 * @CELLINK_STATE_BAD: the other one
 * @CELLINK_STATES: how many
 */
enum cellink_state {
	CELLINK_STATE_GOOD,
	CELLINK_STATE_BAD,

	CELLINK_STATES,
};

/**
 * enum cellink_law - how times are distributed
 * @CELLINK_LAW_EXPONENTIAL: exponentially about their mean
 * @CELLINK_LAW_CONSTANT: each is the mean
 */
enum cellink_law {
	CELLINK_LAW_EXPONENTIAL,
	CELLINK_LAW_CONSTANT,

	__CELLINK_LAW_MAX,
};

#define CELLINK_LAW_MAX (__CELLINK_LAW_MAX - 1)

/**
 * enum cellink_corrupt - what becomes of a packet with bad bits
 * @CELLINK_CORRUPT_DROP: it is dropped, as by a link layer with a checksum
 * @CELLINK_CORRUPT_DELIVER: it is delivered with them
 * @CELLINK_CORRUPT_TOLERANT: it is delivered with them if its cross-layer option
 *	(linux/xlo.h) has XLO_FLAG_CORRUPT_OK and none is in its headers up to IP's;
 *	then XLO_FLAG_CORRUPTED is set there. Any other is dropped
 */
enum cellink_corrupt {
	CELLINK_CORRUPT_DROP,
	CELLINK_CORRUPT_DELIVER,
	CELLINK_CORRUPT_TOLERANT,

	__CELLINK_CORRUPT_MAX,
};

#define CELLINK_CORRUPT_MAX (__CELLINK_CORRUPT_MAX - 1)

/**
 * enum cellink_handover - what becomes of packets under way in a change
 * @CELLINK_HANDOVER_KEEP: they arrive when they would have
 * @CELLINK_HANDOVER_LOSE: they are lost, as when the old cell does not pass them on
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
 * @start: ns from where the schedule begins to the outage
 * @length: ns that it lasts
 */
struct cellink_outage {
	__u64 start;
	__u64 length;
};

/**
 * enum cellink_attr - what IFLA_INFO_DATA of a cellink device holds
 * @CELLINK_UNSPEC: unused
 * @CELLINK_PAD: padding of 64 bit attributes
 * @CELLINK_PEER: the other device, on creation only: see above
 * @CELLINK_RATE: u64, bytes/s, 0 (the default) for unlimited, at most CELLINK_RATE_MAX.
 *	A packet counts with its link-layer header, a GSO packet with those of all
 *	its segments. Only without a trace
 * @CELLINK_DELAY: u64, propagation delay in ns, default 0, at most CELLINK_DELAY_MAX
 * @CELLINK_RING_PACKETS: u32, packets that the device takes before it stops its queue,
 *	the one being sent included, 1..CELLINK_RING_PACKETS_MAX, default
 *	CELLINK_RING_PACKETS_DEFAULT
 * @CELLINK_RING_BYTES: u32, likewise in bytes, 0 (the default) for no such limit, at
 *	most CELLINK_RING_BYTES_MAX; a packet that is alone is always taken
 * @CELLINK_LOSS: u32, chance in millionths that a packet is lost, default 0, at most
 *	CELLINK_LOSS_MAX; with @CELLINK_BAD in the good state
 * @CELLINK_BER: u64, chance in 10^-12 that a bit is bad, default 0, at most
 *	CELLINK_BER_MAX; likewise. A packet belongs to the state in which its last byte
 *	is sent
 * @CELLINK_GOOD: u64, mean time in ns that a good state lasts, CELLINK_SOJOURN_MIN ..
 *	CELLINK_SOJOURN_MAX, or 0 (the default) for ever; either both or neither of
 *	this and @CELLINK_BAD is 0, as both are with a trace of turns
 * @CELLINK_BAD: u64, likewise of a bad state
 * @CELLINK_BAD_LOSS: u32, as @CELLINK_LOSS in the bad state
 * @CELLINK_BAD_BER: u64, as @CELLINK_BER in the bad state
 * @CELLINK_SOJOURN: u8, enum cellink_law of @CELLINK_GOOD and @CELLINK_BAD, default
 *	CELLINK_LAW_EXPONENTIAL
 * @CELLINK_CORRUPT: u8, enum cellink_corrupt, default CELLINK_CORRUPT_DROP
 * @CELLINK_SEED: u32, what all chances of this direction begin with, default a random
 *	number. They begin when the device goes up, and anew when this changes; losses,
 *	bit errors and states also when one of the attributes from @CELLINK_LOSS to
 *	@CELLINK_SOJOURN does, outages also when one of their own does
 * @CELLINK_OUTAGE: u64, how long in ns an outage lasts, 0 (the default) for none, at most
 *	CELLINK_OUTAGE_TIME_MAX as all times of outages. Meanwhile nothing is sent; what
 *	is under way arrives
 * @CELLINK_OUTAGE_START: u64, ns until the first outage, default 0
 * @CELLINK_OUTAGE_EVERY: u64, ns from the start of an outage to that of the next, 0
 *	(the default): there is one. At least CELLINK_OUTAGE_EVERY_MIN, and more than
 *	@CELLINK_OUTAGE and @CELLINK_OUTAGE_JITTER together
 * @CELLINK_OUTAGE_JITTER: u64, each outage starts up to so many ns later, all times
 *	alike, default 0; only with CELLINK_LAW_CONSTANT
 * @CELLINK_OUTAGE_LAW: u8, enum cellink_law, default CELLINK_LAW_CONSTANT.
 *	Exponential are the lengths, and the times from an end to the next start
 * @CELLINK_OUTAGES: up to CELLINK_OUTAGES_MAX struct cellink_outage in order, none
 *	beginning before the one before it has ended; only without @CELLINK_OUTAGE
 * @CELLINK_HANDOVER: u8, enum cellink_handover, default CELLINK_HANDOVER_KEEP. Of this
 *	change alone: it is not kept, and RTM_GETLINK does not return it
 * @CELLINK_TRACE: nest of enum cellink_trace_attr but IFINDEX and TIMES, answers only: the
 *	trace that the direction follows; without a rate
 * @CELLINK_TURNS: nest likewise: the trace that its states follow
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
 * @CELLINK_CMD_TRACE_START: an upload begins
 * @CELLINK_CMD_TRACE_ADD: it goes on
 * @CELLINK_CMD_TRACE_COMMIT: it ends, and a device follows the trace
 * @CELLINK_CMD_TRACE_DEL: a device follows none any more
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
 * @CELLINK_A_COUNT: u32, how many opportunities the trace has, 1..CELLINK_TRACE_MAX
 * @CELLINK_A_TIMES: binary, when they are: u32 each, in ms, none less than the one before
 *	and the last one of the trace not 0
 * @CELLINK_A_OPPORTUNITY: u32, bytes that may be sent at each, with link-layer headers,
 *	1..CELLINK_OPPORTUNITY_MAX, default CELLINK_OPPORTUNITY_DEFAULT; not with
 *	CELLINK_A_TURNS
 * @CELLINK_A_ONCE: u8, 0 (the default): the trace repeats at its end, which is its last
 *	opportunity; 1: nothing is sent after it
 * @CELLINK_A_OFFSET: u64, where in the trace the direction begins, in ns, less than its
 *	length, default 0. It begins with this request, and anew when the device goes up
 * @CELLINK_A_LENGTH: u64, answers only: the time of the last opportunity, in ns
 * @CELLINK_A_POSITION: u64, answers only: where in the trace the direction is, in ns; at
 *	its end a trace that does not repeat stays
 * @CELLINK_A_TURNS: u8, requests only, 0 (the default): the trace is of opportunities; 1: of
 *	turns between the states
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
 * enum cellink_stats - what IFLA_INFO_XSTATS of a cellink device holds
 *
 * u64 each, in packets of the direction that the device transmits, unless said
 * otherwise. A GSO packet is one.
 *
 * @CELLINK_STATS_UNSPEC: unused
 * @CELLINK_STATS_PAD: padding of 64 bit attributes
 * @CELLINK_STATS_PACKETS_IN: taken from the queue above
 * @CELLINK_STATS_SENT: whose last byte has been sent
 * @CELLINK_STATS_SENT_BYTES: the bytes of these
 * @CELLINK_STATS_DELIVERED: received by the peer; those that it had not handed on yet when it
 *	went down it counts as rx_dropped (IFLA_STATS64)
 * @CELLINK_STATS_DELIVERED_BYTES: the bytes of these
 * @CELLINK_STATS_DAMAGED: of these, with bad bits
 * @CELLINK_STATS_GOOD_NS: ns that the good state has lasted so far, while the device was up
 * @CELLINK_STATS_BAD_NS: likewise the bad state
 * @CELLINK_STATS_OUTAGES: outages that have begun
 * @CELLINK_STATS_OUTAGE_NS: ns that they have lasted so far
 * @CELLINK_STATS_LOST: lost, by CELLINK_LOSS or CELLINK_BAD_LOSS
 * @CELLINK_STATS_CORRUPTED: dropped for bad bits
 * @CELLINK_STATS_HANDOVER: lost, by CELLINK_HANDOVER_LOSE
 * @CELLINK_STATS_PEER_DOWN: lost, the peer was down or gone
 * @CELLINK_STATS_REFUSED: lost, the peer did not take it: longer than its MTU, or its
 *	inbox of 1000 was full; or it has no link-layer header
 * @CELLINK_STATS_PURGED: lost, still held when the device went down, or come when it was
 * @CELLINK_STATS_HELD: waiting to be sent, or under way now
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
