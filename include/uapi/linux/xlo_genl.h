/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "xlo", which configures which packets get a lifetime. The family
 * also configures which lifetimes of arriving packets are accepted.
 *
 * The module xlo writes the cross-layer option (<linux/xlo.h>) into packets
 * and checks the options of arriving packets. All settings and counters belong to
 * the network namespace of the socket. A change needs CAP_NET_ADMIN in the user
 * namespace that owns the network namespace. Reading needs no privilege. A
 * request is applied as a whole or not at all. A refusal because of an attribute carries
 * an extended ack that names this attribute.
 *
 *   XLO_CMD_PROFILE_ADD needs PROFILE_NAME, MARK and MASK. XLO_CMD_PROFILE_ADD also needs
 *   one of LIFETIME, RTO and REPEATS. The attributes REORDER, STALE, SLOW, CORRUPT_OK,
 *   CLOCK and PATH are optional.
 *
 *   XLO_CMD_PROFILE_DEL needs PROFILE_NAME.
 *
 *   XLO_CMD_PROFILE_GET is a dump with one message for each profile.
 *
 *   XLO_CMD_CAP_SET needs IFINDEX and CAP, and adds or changes a cap.
 *
 *   XLO_CMD_CAP_DEL needs IFINDEX.
 *
 *   XLO_CMD_CAP_GET is a dump with one message for each capped interface.
 *
 *   XLO_CMD_SET accepts TXTIME and VALIDATE, which are optional.
 *
 *   XLO_CMD_GET answers with TXTIME, VALIDATE and STATS.
 *
 * Each event is one message to the multicast group "events".
 *
 *   XLO_CMD_PROFILE_ADD, XLO_CMD_PROFILE_DEL, XLO_CMD_CAP_SET, XLO_CMD_CAP_DEL
 *   and XLO_CMD_SET report a change. The event describes the whole new or deleted
 *   object. The event of XLO_CMD_SET contains both settings.
 *
 *   XLO_CMD_PACKET reports that a packet has increased one of the counters NO_ROOM_MTU,
 *   NO_ROOM_HEADER and MALFORMED. CAUSE is the counter. IFINDEX is the output interface
 *   of a packet without space, and the input interface of a malformed packet, or 0.
 *
 * In each network namespace at most XLO_EVENTS_BURST messages about packets are sent in
 * XLO_EVENTS_MS.
 * XLO_STATS_EVENTS_HELD counts the messages that are not sent.
 */
#ifndef _UAPI_LINUX_XLO_GENL_H
#define _UAPI_LINUX_XLO_GENL_H

#include <linux/types.h>

#define XLO_GENL_NAME		"xlo"
#define XLO_GENL_VERSION	1
#define XLO_GENL_GROUP		"events"

#define XLO_PROFILES_MAX	64
#define XLO_CAPS_MAX		64
#define XLO_NAME_LEN		32		/* with the final 0 */
#define XLO_PROFILE_LIFETIME_MAX 43200000U	/* ms: 12 h */
#define XLO_EVENTS_BURST	10
#define XLO_EVENTS_MS		1000

/**
 * enum xlo_cmd - requests and events
 * @XLO_CMD_UNSPEC: unused
 * @XLO_CMD_PROFILE_ADD: add a profile
 * @XLO_CMD_PROFILE_DEL: delete a profile
 * @XLO_CMD_PROFILE_GET: dump all profiles
 * @XLO_CMD_CAP_SET: set the maximum lifetime of packets from an interface
 * @XLO_CMD_CAP_DEL: delete a cap
 * @XLO_CMD_CAP_GET: dump all caps
 * @XLO_CMD_SET: change the settings of the network namespace
 * @XLO_CMD_GET: read settings and counters
 * @XLO_CMD_PACKET: event only: a packet has increased a counter
 */
enum xlo_cmd {
	XLO_CMD_UNSPEC,
	XLO_CMD_PROFILE_ADD,
	XLO_CMD_PROFILE_DEL,
	XLO_CMD_PROFILE_GET,
	XLO_CMD_CAP_SET,
	XLO_CMD_CAP_DEL,
	XLO_CMD_CAP_GET,
	XLO_CMD_SET,
	XLO_CMD_GET,
	XLO_CMD_PACKET,

	__XLO_CMD_MAX,
};

#define XLO_CMD_MAX (__XLO_CMD_MAX - 1)

/**
 * enum xlo_attr - attributes of all messages
 * @XLO_A_UNSPEC: unused
 * @XLO_A_PAD: padding of 64-bit attributes
 * @XLO_A_PROFILE_NAME: string of 1 to XLO_NAME_LEN - 1 visible ASCII characters
 * @XLO_A_MARK: u32: bits of XLO_A_MASK that are set in the mark of a matching packet
 * @XLO_A_MASK: u32, not 0. A packet matches the profile if its mark, masked with
 *	XLO_A_MASK, equals XLO_A_MARK. A packet must not match two profiles on the
 *	same path
 * @XLO_A_LIFETIME: u32 in ms, 0 to XLO_PROFILE_LIFETIME_MAX. With
 *	XLO_CLOCK_RELATIVE the option carries at most XLO_RELATIVE_MAX.
 *	XLO_STATS_CLAMPED counts packets whose lifetime exceeded the maximum of the
 *	option. A profile has exactly one of XLO_A_LIFETIME, XLO_A_RTO and XLO_A_REPEATS
 * @XLO_A_RTO: flag: the lifetime of a TCP segment is the current retransmission
 *	timeout
 * @XLO_A_REORDER: u8, packets, see <linux/xlo.h>, default 0. XLO_A_RTO and XLO_A_REPEATS
 *	exclude this attribute, because the option then carries TCP's own reordering degree
 * @XLO_A_STALE: u8, enum xlo_stale without RESERVED, default XLO_STALE_DISCARD
 * @XLO_A_SLOW: flag: the option has XLO_FLAG_SLOW
 * @XLO_A_CORRUPT_OK: flag: the option has XLO_FLAG_CORRUPT_OK
 * @XLO_A_CLOCK: u8, enum xlo_clock, default XLO_CLOCK_RELATIVE
 * @XLO_A_PATH: u8, bitwise or of XLO_PATH_*, default XLO_PATH_OUTPUT. XLO_A_RTO and
 *	XLO_A_REPEATS allow only XLO_PATH_OUTPUT
 * @XLO_A_PACKETS: u64, answers only: packets stamped by this profile
 * @XLO_A_IFINDEX: u32, index of an interface in the network namespace
 * @XLO_A_CAP: u32, maximum lifetime in ms, 1 to XLO_PROFILE_LIFETIME_MAX
 * @XLO_A_TXTIME: u8, default 0. If 1, the SO_TXTIME deadline of a packet becomes its lifetime
 * @XLO_A_VALIDATE: u8, default 0. If 1, options of arriving packets are checked and counted. A cap
 *	implies XLO_A_VALIDATE
 * @XLO_A_STATS: nest of enum xlo_stats, each u64
 * @XLO_A_CAUSE: u16, enum xlo_stats: the counter that the packet has increased
 * @XLO_A_REPEATS: flag: like XLO_A_RTO, but a segment gets the option only when the
 *	retransmission timer has fired and TCP sends the segment again
 */
enum xlo_attr {
	XLO_A_UNSPEC,
	XLO_A_PAD,
	XLO_A_PROFILE_NAME,
	XLO_A_MARK,
	XLO_A_MASK,
	XLO_A_LIFETIME,
	XLO_A_RTO,
	XLO_A_REORDER,
	XLO_A_STALE,
	XLO_A_SLOW,
	XLO_A_CORRUPT_OK,
	XLO_A_CLOCK,
	XLO_A_PATH,
	XLO_A_PACKETS,
	XLO_A_IFINDEX,
	XLO_A_CAP,
	XLO_A_TXTIME,
	XLO_A_VALIDATE,
	XLO_A_STATS,
	XLO_A_CAUSE,
	XLO_A_REPEATS,

	__XLO_A_MAX,
};

#define XLO_A_MAX (__XLO_A_MAX - 1)

/**
 * enum xlo_clock - how a lifetime is written
 * @XLO_CLOCK_RELATIVE: as the remaining time in ms
 * @XLO_CLOCK_UTC: as the time of day at which the lifetime ends
 */
enum xlo_clock {
	XLO_CLOCK_RELATIVE,
	XLO_CLOCK_UTC,
};

/* Paths on which a profile stamps packets: a bit mask. */
#define XLO_PATH_OUTPUT		1	/* packets that this host sends */
#define XLO_PATH_FORWARD	2	/* packets that this host routes or bridges */
#define XLO_PATH_ALL		3

/**
 * enum xlo_stats - counters, in packets unless the description names another unit
 * @XLO_STATS_UNSPEC: unused
 * @XLO_STATS_PAD: padding
 * @XLO_STATS_STAMPED_OUTPUT: packets of this host that were stamped with the option
 * @XLO_STATS_STAMPED_FORWARD: forwarded packets that were stamped with the option
 * @XLO_STATS_DEADLINES: part of STAMPED_OUTPUT: packets with an SO_TXTIME deadline
 * @XLO_STATS_PRESENT: not stamped: the packet already has an option
 * @XLO_STATS_NO_ROOM_MTU: not stamped: the packet would exceed the MTU
 * @XLO_STATS_NO_ROOM_HEADER: not stamped: the header has no space for the option
 * @XLO_STATS_TOO_BIG: not stamped: with the option the packet would be too long for the length
 *	field of its IP header (BIG TCP, jumbograms)
 * @XLO_STATS_PIECES: not stamped: a forwarded fragment, or a list of packets that
 *	GRO has chained
 * @XLO_STATS_AUTHENTICATED: not stamped: the packet has an Authentication Header
 * @XLO_STATS_NOT_TCP: not stamped: the profile's lifetime is rto or repeats, but
 *	the packet does not come from this host's TCP
 * @XLO_STATS_BAD_HEADER: not stamped: the packet's header is incomplete or malformed
 * @XLO_STATS_NOMEM: not stamped, not checked, not capped or not clamped: no memory was available
 * @XLO_STATS_CLAMPED: stamped with a shorter lifetime than requested, because
 *	the option cannot carry a longer lifetime
 * @XLO_STATS_RESIZED: unsegmented TCP packets (GSO) whose segments were made smaller, so
 *	that the option fits into each segment
 * @XLO_STATS_MSS_CLAMPED: forwarded SYNs whose MSS was lowered
 * @XLO_STATS_RELATIVE: packets that arrived with a relative lifetime
 * @XLO_STATS_ABSOLUTE: packets that arrived with an absolute deadline
 * @XLO_STATS_NO_LIFETIME: packets that arrived with an option without a lifetime
 * @XLO_STATS_NO_OPTION: packets that arrived without an option
 * @XLO_STATS_MALFORMED: packets that arrived with a malformed option or header
 * @XLO_STATS_RESERVED: packets that arrived with an option whose stale treatment has the
 *	reserved value
 * @XLO_STATS_CAPPED: packets that arrived and got the cap as their lifetime, because their
 *	lifetime was longer or their option had none
 * @XLO_STATS_EVENTS_HELD: unsent events about packets: their rate exceeded the limit, or no
 *	memory was available. An unsent event is counted only if a listener exists, even
 *	in another network namespace
 */
enum xlo_stats {
	XLO_STATS_UNSPEC,
	XLO_STATS_PAD,
	XLO_STATS_STAMPED_OUTPUT,
	XLO_STATS_STAMPED_FORWARD,
	XLO_STATS_DEADLINES,
	XLO_STATS_PRESENT,
	XLO_STATS_NO_ROOM_MTU,
	XLO_STATS_NO_ROOM_HEADER,
	XLO_STATS_TOO_BIG,
	XLO_STATS_PIECES,
	XLO_STATS_AUTHENTICATED,
	XLO_STATS_NOT_TCP,
	XLO_STATS_BAD_HEADER,
	XLO_STATS_NOMEM,
	XLO_STATS_CLAMPED,
	XLO_STATS_RESIZED,
	XLO_STATS_MSS_CLAMPED,
	XLO_STATS_RELATIVE,
	XLO_STATS_ABSOLUTE,
	XLO_STATS_NO_LIFETIME,
	XLO_STATS_NO_OPTION,
	XLO_STATS_MALFORMED,
	XLO_STATS_RESERVED,
	XLO_STATS_CAPPED,
	XLO_STATS_EVENTS_HELD,

	__XLO_STATS_MAX,
};

#define XLO_STATS_MAX (__XLO_STATS_MAX - 1)

#endif /* _UAPI_LINUX_XLO_GENL_H */
