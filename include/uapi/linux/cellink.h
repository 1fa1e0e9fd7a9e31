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
 * RTM_GETLINK returns every attribute but CELLINK_PEER, and in IFLA_INFO_XSTATS every
 * counter of enum cellink_stats, all 64 bit wide and read at one moment. They are
 * monotonic since the device was created, but for the gauge HELD. Always
 *
 *   PACKETS_IN = DELIVERED + HELD + the sum of all counters from PEER_DOWN to PURGED
 */
#ifndef _UAPI_LINUX_CELLINK_H
#define _UAPI_LINUX_CELLINK_H

#include <linux/types.h>

#define CELLINK_RATE_MAX		125000000000ULL	/* bytes/s */
#define CELLINK_DELAY_MAX		60000000000ULL	/* nanoseconds */
#define CELLINK_RING_PACKETS_DEFAULT	2U
#define CELLINK_RING_PACKETS_MAX	65536U
#define CELLINK_RING_BYTES_MAX		1073741824U

/**
 * enum cellink_attr - what IFLA_INFO_DATA of a cellink device holds
 * @CELLINK_UNSPEC: unused
 * @CELLINK_PAD: padding of 64 bit attributes
 * @CELLINK_PEER: the other device, on creation only: see above
 * @CELLINK_RATE: u64, bytes/s, 0 (the default) for unlimited, at most CELLINK_RATE_MAX.
 *	A packet counts with its link-layer header, a GSO packet with those of all
 *	its segments
 * @CELLINK_DELAY: u64, propagation delay in ns, default 0, at most CELLINK_DELAY_MAX
 * @CELLINK_RING_PACKETS: u32, packets that the device takes before it stops its queue,
 *	the one being sent included, 1..CELLINK_RING_PACKETS_MAX, default
 *	CELLINK_RING_PACKETS_DEFAULT
 * @CELLINK_RING_BYTES: u32, likewise in bytes, 0 (the default) for no such limit, at
 *	most CELLINK_RING_BYTES_MAX; a packet that is alone is always taken
 */
enum cellink_attr {
	CELLINK_UNSPEC,
	CELLINK_PAD,
	CELLINK_PEER,
	CELLINK_RATE,
	CELLINK_DELAY,
	CELLINK_RING_PACKETS,
	CELLINK_RING_BYTES,

	__CELLINK_MAX,
};

#define CELLINK_MAX (__CELLINK_MAX - 1)

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
 * @CELLINK_STATS_DELIVERED: received by the peer
 * @CELLINK_STATS_DELIVERED_BYTES: the bytes of these
 * @CELLINK_STATS_PEER_DOWN: lost, the peer was down or gone
 * @CELLINK_STATS_REFUSED: lost, the peer did not take it: longer than its MTU, or its
 *	input queue was full; or it has no link-layer header
 * @CELLINK_STATS_PURGED: lost, still held when the device went down
 * @CELLINK_STATS_HELD: waiting to be sent, or under way now
 */
enum cellink_stats {
	CELLINK_STATS_UNSPEC,
	CELLINK_STATS_PAD,
	CELLINK_STATS_PACKETS_IN,
	CELLINK_STATS_SENT,
	CELLINK_STATS_SENT_BYTES,
	CELLINK_STATS_DELIVERED,
	CELLINK_STATS_DELIVERED_BYTES,
	CELLINK_STATS_PEER_DOWN,
	CELLINK_STATS_REFUSED,
	CELLINK_STATS_PURGED,
	CELLINK_STATS_HELD,

	__CELLINK_STATS_MAX,
};

#define CELLINK_STATS_MAX (__CELLINK_STATS_MAX - 1)

#endif /* _UAPI_LINUX_CELLINK_H */
