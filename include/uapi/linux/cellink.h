/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Netlink interface of cellink, which connects two network devices by a cellular channel.
 *
 * IFLA_INFO_KIND is "cellink". IFLA_INFO_DATA nests the attributes of enum
 * cellink_attr. The attributes of a device describe the direction in which this device
 * transmits. The peer's attributes describe the direction in which the peer transmits.
 *
 * Each attribute is optional. When a device is created, a missing attribute gets its
 * default. When a device is changed, a missing attribute keeps its value. A request is
 * applied as a whole or not at all. A refusal because of an attribute carries an extended ack
 * that names this attribute.
 *
 * A request that creates a device describes the peer in CELLINK_PEER. CELLINK_PEER has
 * the form of an RTM_NEWLINK message: struct ifinfomsg, followed by IFLA_* attributes.
 * IFLA_LINKINFO/IFLA_INFO_DATA inside CELLINK_PEER nests the attributes of the peer.
 *
 * RTM_GETLINK returns every attribute except CELLINK_PEER and CELLINK_HANDOVER.
 * RTM_GETLINK returns CELLINK_TRACE and CELLINK_TURNS only while the direction follows a
 * trace of this kind.
 *
 * IFLA_INFO_XSTATS contains every counter of enum cellink_stats. All counters are 64 bits
 * wide and are read at the same time. HELD, STATE and DOWN are gauges. All counters
 * except the gauges start at 0 when the device is created, and only rise. At any time
 *
 *   PACKETS_IN = DELIVERED + HELD + OVERFLOW + the sum of all counters from LOST to PURGED.
 *
 * Instead of a rate, a direction can follow a trace in mahimahi's format. A trace is a list
 * of ascending times in whole ms. At each time of the trace, the link may send some bytes.
 * A trace is too long for one request. The generic netlink family "cellink" has several
 * requests to upload a trace.
 *
 *   CELLINK_CMD_TRACE_START    starts the upload of a trace with COUNT entries. An
 *                              unfinished upload of this socket is dropped.
 *   CELLINK_CMD_TRACE_ADD      appends TIMES to the upload. A long trace needs several
 *                              requests of this type.
 *   CELLINK_CMD_TRACE_COMMIT   ends the upload and makes the device IFINDEX follow the
 *                              trace. The attributes TURNS, OPPORTUNITY, ONCE and OFFSET
 *                              are optional.
 *   CELLINK_CMD_TRACE_DEL      removes the trace of the device IFINDEX. TURNS is optional.
 *
 * The channel has a good and a bad state. CELLINK_GOOD and CELLINK_BAD set how long the
 * states last. A trace with TURNS replaces CELLINK_GOOD and CELLINK_BAD. At each time of
 * a trace with TURNS, the channel changes its state. Each pass through a trace with TURNS
 * begins in the good state.
 *
 * Each request needs CAP_NET_ADMIN in the user namespace that owns the socket's network
 * namespace. The device belongs to the socket's network namespace. A refusal carries an
 * extended ack, and changes neither the device nor the upload. An upload is dropped when
 * its socket closes, or CELLINK_UPLOAD_MS after its last request. A network namespace has
 * at most CELLINK_UPLOADS_MAX uploads.
 */
#ifndef _UAPI_LINUX_CELLINK_H
#define _UAPI_LINUX_CELLINK_H

#include <linux/types.h>

#define CELLINK_RATE_MAX		125000000000ULL	/* bytes/s */
#define CELLINK_DELAY_MAX		60000000000ULL	/* nanoseconds */
#define CELLINK_RING_PACKETS_DEFAULT	2U
#define CELLINK_RING_PACKETS_MAX	65536U
#define CELLINK_RING_BYTES_MAX		1073741824U
#define CELLINK_BUFFER_MAX		67108864U
#define CELLINK_GRANT_MAX		10000000000ULL	/* nanoseconds */
#define CELLINK_LOSS_MAX		1000000U	/* millionths */
#define CELLINK_BER_MAX			100000000000ULL	/* 10^-12: 10 % */
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
 * @CELLINK_STATE_GOOD: the first state, and the only state without CELLINK_BAD and without a trace
 *	of turns
 * @CELLINK_STATE_BAD: the second state
 * @CELLINK_STATES: number of states
 */
enum cellink_state {
	CELLINK_STATE_GOOD,
	CELLINK_STATE_BAD,

	CELLINK_STATES,
};

/**
 * enum cellink_law - probability distribution of times
 * @CELLINK_LAW_EXPONENTIAL: times are exponentially distributed with the given mean
 * @CELLINK_LAW_CONSTANT: each time is equal to the mean
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
 * @CELLINK_CORRUPT_TOLERANT: deliver the packet with XLO_FLAG_CORRUPTED if its
 *	cross-layer option (linux/xlo.h) has XLO_FLAG_CORRUPT_OK, and drop it otherwise. A
 *	packet with bad bits in its link-layer or IP header is always dropped
 */
enum cellink_corrupt {
	CELLINK_CORRUPT_DROP,
	CELLINK_CORRUPT_DELIVER,
	CELLINK_CORRUPT_TOLERANT,

	__CELLINK_CORRUPT_MAX,
};

#define CELLINK_CORRUPT_MAX (__CELLINK_CORRUPT_MAX - 1)

/**
 * enum cellink_ber_state - state whose bit error rate a bit has
 * @CELLINK_BER_STATE_PACKET: all bits of a packet have the bit error rate of the state in which
 *	the packet leaves
 * @CELLINK_BER_STATE_BIT: each bit has the bit error rate of the state in which the bit is sent.
 *	A bit during which the state changes has the bit error rate of the new state
 */
enum cellink_ber_state {
	CELLINK_BER_STATE_PACKET,
	CELLINK_BER_STATE_BIT,

	__CELLINK_BER_STATE_MAX,
};

#define CELLINK_BER_STATE_MAX (__CELLINK_BER_STATE_MAX - 1)

/**
 * enum cellink_handover - treatment of packets in flight when attributes change
 * @CELLINK_HANDOVER_KEEP: packets in flight arrive at the same time as without the change
 * @CELLINK_HANDOVER_LOSE: packets in flight are lost, as if the old cell did not forward them
 *	to the new cell
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
 * @start: time from the start of the schedule to the outage, in ns
 * @length: duration of the outage, in ns
 */
struct cellink_outage {
	__u64 start;
	__u64 length;
};

/**
 * enum cellink_attr - attributes in IFLA_INFO_DATA of a cellink device
 * @CELLINK_UNSPEC: unused
 * @CELLINK_PAD: padding of 64-bit attributes
 * @CELLINK_PEER: description of the peer, only when a device is created, see above
 * @CELLINK_RATE: u64, rate in bytes/s, 0 (the default) for unlimited, at most
 *	CELLINK_RATE_MAX. The size of a packet includes its link-layer header. The size
 *	of a GSO packet includes the headers of all its segments. A device with a trace
 *	cannot have a rate
 * @CELLINK_DELAY: u64, propagation delay in ns, default 0, at most CELLINK_DELAY_MAX
 * @CELLINK_RING_PACKETS: u32, size of the ring in packets, 1..CELLINK_RING_PACKETS_MAX,
 *	default CELLINK_RING_PACKETS_DEFAULT. The device stops its queue when the ring is
 *	full. The ring includes the packet being sent
 * @CELLINK_RING_BYTES: u32, size of the ring in bytes, 0 (the default) for unlimited, at
 *	most CELLINK_RING_BYTES_MAX. An empty ring accepts any packet
 * @CELLINK_LOSS: u32, probability in millionths that a packet is lost, default 0, at most
 *	CELLINK_LOSS_MAX. If the channel has a bad state, CELLINK_LOSS applies to the
 *	good state only. The state in which a packet leaves applies to the packet
 * @CELLINK_BER: u64, probability in 10^-12 that a bit is bad, default 0, at most
 *	CELLINK_BER_MAX. If the channel has a bad state, CELLINK_BER applies to the good state
 *	only. CELLINK_BER_STATE says which state applies to a bit
 * @CELLINK_GOOD: u64, mean duration of a good state in ns, from CELLINK_SOJOURN_MIN to
 *	CELLINK_SOJOURN_MAX, or 0 (the default) for unlimited. CELLINK_GOOD and
 *	CELLINK_BAD are both 0 or both not 0. A trace of turns requires that CELLINK_GOOD
 *	and CELLINK_BAD are 0
 * @CELLINK_BAD: u64, mean duration of a bad state in ns, with the same limits as
 *	CELLINK_GOOD
 * @CELLINK_BAD_LOSS: u32, like CELLINK_LOSS, but for the bad state
 * @CELLINK_BAD_BER: u64, like CELLINK_BER, but for the bad state
 * @CELLINK_SOJOURN: u8, enum cellink_law of CELLINK_GOOD and CELLINK_BAD, default
 *	CELLINK_LAW_EXPONENTIAL
 * @CELLINK_CORRUPT: u8, enum cellink_corrupt, default CELLINK_CORRUPT_DROP
 * @CELLINK_SEED: u32, seed of this direction's random numbers, default a random number.
 *	All random numbers start when the device goes up, and restart when the seed
 *	changes. A change of an attribute from CELLINK_LOSS to CELLINK_SOJOURN restarts
 *	the random numbers of losses, bit errors and states. A change of an attribute of
 *	outages restarts the random numbers of outages
 * @CELLINK_OUTAGE: u64, duration of an outage in ns, 0 (the default) for no outage. All
 *	times of outages are at most CELLINK_OUTAGE_TIME_MAX. During an outage no packet
 *	is sent, but packets in flight arrive
 * @CELLINK_OUTAGE_START: u64, time until the first outage in ns, default 0
 * @CELLINK_OUTAGE_EVERY: u64, period of the outages in ns, from start to start, 0
 *	(the default) for a single outage. The period must be at least
 *	CELLINK_OUTAGE_EVERY_MIN, and more than the sum of CELLINK_OUTAGE and
 *	CELLINK_OUTAGE_JITTER
 * @CELLINK_OUTAGE_JITTER: u64, largest random delay of the start of an outage in ns,
 *	uniformly distributed, default 0. CELLINK_LAW_EXPONENTIAL allows only 0
 * @CELLINK_OUTAGE_LAW: u8, enum cellink_law, default CELLINK_LAW_CONSTANT. With
 *	CELLINK_LAW_EXPONENTIAL the durations of outages and the times between outages
 *	are exponentially distributed
 * @CELLINK_OUTAGES: up to CELLINK_OUTAGES_MAX struct cellink_outage in ascending order,
 *	without overlap. This attribute excludes CELLINK_OUTAGE
 * @CELLINK_HANDOVER: u8, enum cellink_handover, default CELLINK_HANDOVER_KEEP.
 *	CELLINK_HANDOVER applies to one request only, and RTM_GETLINK does not return it
 * @CELLINK_TRACE: nest of enum cellink_trace_attr without IFINDEX and TIMES, answers only:
 *	the trace that the direction follows instead of a rate
 * @CELLINK_TURNS: nest like CELLINK_TRACE: the trace that the states follow
 * @CELLINK_BUFFER: u32, size of a modem's own buffer in bytes, 0 (the default) for no
 *	buffer, at most CELLINK_BUFFER_MAX. With a buffer the device never stops its queue,
 *	and CELLINK_RING_PACKETS and CELLINK_RING_BYTES have no effect. A packet that does
 *	not fit into the buffer is dropped. An empty buffer accepts any packet. The buffer
 *	contains all packets that have not left yet, at most CELLINK_RING_PACKETS_MAX
 * @CELLINK_GRANT: u64, time between two grants of the radio's scheduler in ns, 0 (the
 *	default) for a radio that always sends, at most CELLINK_GRANT_MAX. A packet leaves
 *	at the first grant at or after the time at which its last byte is sent by rate or
 *	trace. During an outage there are no grants. The grants count from the time when
 *	the device went up, or when CELLINK_GRANT was changed
 * @CELLINK_BER_STATE: u8, enum cellink_ber_state, default CELLINK_BER_STATE_PACKET
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
	CELLINK_BUFFER,
	CELLINK_GRANT,
	CELLINK_BER_STATE,

	__CELLINK_MAX,
};

#define CELLINK_MAX (__CELLINK_MAX - 1)

/**
 * enum cellink_cmd - requests of the generic netlink family "cellink"
 * @CELLINK_CMD_UNSPEC: unused
 * @CELLINK_CMD_TRACE_START: start an upload
 * @CELLINK_CMD_TRACE_ADD: upload the next part of the trace
 * @CELLINK_CMD_TRACE_COMMIT: end the upload and make a device follow the trace
 * @CELLINK_CMD_TRACE_DEL: remove the trace of a device
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
 * enum cellink_trace_attr - attributes of enum cellink_cmd, and of the nest CELLINK_TRACE
 * @CELLINK_A_UNSPEC: unused
 * @CELLINK_A_PAD: padding of 64-bit attributes
 * @CELLINK_A_IFINDEX: u32, index of a cellink device in the network namespace
 * @CELLINK_A_COUNT: u32, number of entries in the trace, 1..CELLINK_TRACE_MAX
 * @CELLINK_A_TIMES: binary, array of u32: times of the trace in ms. A time must not be
 *	less than the time before it. The last time of the trace must not be 0
 * @CELLINK_A_OPPORTUNITY: u32, bytes that may be sent at each opportunity, including
 *	link-layer headers, 1..CELLINK_OPPORTUNITY_MAX, default
 *	CELLINK_OPPORTUNITY_DEFAULT. CELLINK_A_TURNS excludes this attribute
 * @CELLINK_A_ONCE: u8: 0 (the default) to repeat the trace, 1 to send no packets
 *	after the last time of the trace
 * @CELLINK_A_OFFSET: u64, position in the trace at which the direction starts, in ns,
 *	less than the trace's length, default 0. The direction starts at CELLINK_A_OFFSET
 *	when the kernel starts the trace, and whenever the device goes up
 * @CELLINK_A_LENGTH: u64, answers only: length of the trace, which is its last time, in ns
 * @CELLINK_A_POSITION: u64, answers only: current position in the trace, in ns. A trace
 *	that does not repeat stays at its end
 * @CELLINK_A_TURNS: u8, requests only: 0 (the default) if the times are
 *	opportunities, 1 if the times are changes of the channel's state
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
 * Each counter is a u64. A counter counts packets of the direction in which the device
 * transmits, unless its description names another unit. A GSO packet counts as one
 * packet.
 *
 * @CELLINK_STATS_UNSPEC: unused
 * @CELLINK_STATS_PAD: padding of 64-bit attributes
 * @CELLINK_STATS_PACKETS_IN: packets accepted from the queue above
 * @CELLINK_STATS_SENT: packets that have left the radio, up to the last byte
 * @CELLINK_STATS_SENT_BYTES: bytes of the packets in SENT
 * @CELLINK_STATS_DELIVERED: packets received by the peer. A peer that goes down before it
 *	has passed a packet to the stack counts this packet as rx_dropped (IFLA_STATS64)
 * @CELLINK_STATS_DELIVERED_BYTES: bytes of the packets in DELIVERED
 * @CELLINK_STATS_DAMAGED: part of DELIVERED: packets with bad bits
 * @CELLINK_STATS_GOOD_NS: total time in the good state while the device was up, in ns
 * @CELLINK_STATS_BAD_NS: total time in the bad state while the device was up, in ns
 * @CELLINK_STATS_OUTAGES: outages that have begun
 * @CELLINK_STATS_OUTAGE_NS: total time in outages, in ns
 * @CELLINK_STATS_LOST: packets lost because of CELLINK_LOSS or CELLINK_BAD_LOSS
 * @CELLINK_STATS_CORRUPTED: packets dropped because of bad bits
 * @CELLINK_STATS_HANDOVER: packets lost because of CELLINK_HANDOVER_LOSE
 * @CELLINK_STATS_PEER_DOWN: packets lost because the peer was down or removed
 * @CELLINK_STATS_REFUSED: packets lost because the peer refused them. The peer
 *	refuses packets that exceed its MTU, and all packets while its inbox of 1000
 *	packets is full. REFUSED also counts packets that the device itself refused,
 *	because they lack a link-layer header
 * @CELLINK_STATS_PURGED: packets that waited in the device when it went down, and packets
 *	offered while the device was down
 * @CELLINK_STATS_HELD: packets that wait to be sent or are in flight now
 * @CELLINK_STATS_STATE: enum cellink_state of the channel now
 * @CELLINK_STATS_DOWN: 1 during an outage, and 0 at other times
 * @CELLINK_STATS_OVERFLOW: packets dropped because the buffer of CELLINK_BUFFER was full,
 *	or because CELLINK_RING_PACKETS_MAX packets waited for a grant
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
	CELLINK_STATS_OVERFLOW,

	__CELLINK_STATS_MAX,
};

#define CELLINK_STATS_MAX (__CELLINK_STATS_MAX - 1)

#endif /* _UAPI_LINUX_CELLINK_H */
