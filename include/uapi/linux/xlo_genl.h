/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "xlo": who stamps, checks and caps lifetimes.
 *
 * The module xlo writes the cross-layer option (<linux/xlo.h>) into packets
 * and checks those that arrive. Everything here belongs to one network
 * namespace: the one the socket is in. Changes need CAP_NET_ADMIN in the user
 * namespace that owns it; reading needs nothing. A request is applied whole or
 * not at all; a refusal carries an extended ack that names the attribute and
 * its range.
 *
 *   XLO_CMD_PROFILE_ADD    PROFILE_NAME, MARK, MASK, LIFETIME, the other
 *                          PROFILE attributes as wanted
 *   XLO_CMD_PROFILE_DEL    PROFILE_NAME
 *   XLO_CMD_PROFILE_GET    dump: one message for each profile
 *   XLO_CMD_CAP_SET        IFINDEX, CAP: made or changed
 *   XLO_CMD_CAP_DEL        IFINDEX
 *   XLO_CMD_CAP_GET        dump: one message for each capped interface
 *   XLO_CMD_SET            TXTIME and VALIDATE as wanted
 *   XLO_CMD_GET            answers TXTIME, VALIDATE, STATS
 *
 * Events go to the multicast group "events", one message each:
 *
 *   XLO_CMD_PROFILE_ADD, XLO_CMD_PROFILE_DEL, XLO_CMD_CAP_SET,
 *   XLO_CMD_CAP_DEL, XLO_CMD_SET   what was changed, as in the request
 *   XLO_CMD_PACKET                 CAUSE, IFINDEX: something befell a packet
 *
 * Of packets no more than XLO_EVENTS_BURST messages go out in XLO_EVENTS_MS;
 * those held back are counted (XLO_STATS_EVENTS_HELD).
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
#define XLO_PROFILE_LIFETIME_MAX 43200000U	/* ms; what 12 h are */
#define XLO_EVENTS_BURST	10
#define XLO_EVENTS_MS		1000

/**
 * enum xlo_cmd - what a message asks for or tells
 * @XLO_CMD_UNSPEC: unused
 * @XLO_CMD_PROFILE_ADD: a new profile
 * @XLO_CMD_PROFILE_DEL: an end of a profile
 * @XLO_CMD_PROFILE_GET: dump of all profiles
 * @XLO_CMD_CAP_SET: a cap on lifetimes that come from an interface
 * @XLO_CMD_CAP_DEL: an end of a cap
 * @XLO_CMD_CAP_GET: dump of all caps
 * @XLO_CMD_SET: the namespace's settings
 * @XLO_CMD_GET: settings and counters
 * @XLO_CMD_PACKET: event only
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
 * @XLO_A_PAD: padding of 64 bit attributes
 * @XLO_A_PROFILE_NAME: string of 1 to XLO_NAME_LEN - 1 bytes, no blanks
 * @XLO_A_MARK: u32, no bit outside the mask
 * @XLO_A_MASK: u32, not 0: a packet is the profile's if its mark has these
 *	bits as in XLO_A_MARK. No packet may be two profiles'.
 * @XLO_A_LIFETIME: u32 in ms, 0 to XLO_PROFILE_LIFETIME_MAX; with
 *	XLO_CLOCK_RELATIVE no more than XLO_RELATIVE_MAX is written, and
 *	counted. Exactly one of this, XLO_A_RTO and XLO_A_REPEATS.
 * @XLO_A_RTO: flag: for TCP, the retransmission timeout of the moment
 * @XLO_A_REORDER: u8, packets, default 0; with XLO_A_RTO and XLO_A_REPEATS
 *	TCP's own degree stands and this is refused
 * @XLO_A_STALE: u8, enum xlo_stale but RESERVED, default XLO_STALE_DISCARD
 * @XLO_A_SLOW: flag, XLO_FLAG_SLOW
 * @XLO_A_CORRUPT_OK: flag, XLO_FLAG_CORRUPT_OK
 * @XLO_A_CLOCK: u8, enum xlo_clock, default XLO_CLOCK_RELATIVE
 * @XLO_A_PATH: u8, XLO_PATH_* or-ed, default XLO_PATH_OUTPUT; XLO_A_RTO and
 *	XLO_A_REPEATS go with XLO_PATH_OUTPUT alone
 * @XLO_A_PACKETS: u64, answers only: packets stamped by this profile
 * @XLO_A_IFINDEX: u32, an interface of the namespace
 * @XLO_A_CAP: u32 in ms, 1 to XLO_PROFILE_LIFETIME_MAX
 * @XLO_A_TXTIME: u8, 0 or 1, default 0: deadlines of SO_TXTIME are lifetimes
 * @XLO_A_VALIDATE: u8, 0 or 1, default 0: options that arrive are checked and
 *	counted; implied by a cap
 * @XLO_A_STATS: nest of enum xlo_stats, each u64
 * @XLO_A_CAUSE: u16, the counter of enum xlo_stats that rose
 * @XLO_A_REPEATS: flag: for TCP, the retransmission timeout of the moment, in
 *	what is sent again because that timeout expired; no option in the rest
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
 * @XLO_CLOCK_RELATIVE: as the time that remains
 * @XLO_CLOCK_UTC: as the time of day at which it ends
 */
enum xlo_clock {
	XLO_CLOCK_RELATIVE,
	XLO_CLOCK_UTC,
};

/* Which packets a profile is for. */
#define XLO_PATH_OUTPUT		1	/* of this host */
#define XLO_PATH_FORWARD	2	/* routed or bridged through it */
#define XLO_PATH_ALL		3

/**
 * enum xlo_stats - counters, packets unless they say otherwise
 * @XLO_STATS_UNSPEC: unused
 * @XLO_STATS_PAD: padding
 * @XLO_STATS_STAMPED_OUTPUT: of this host, option written
 * @XLO_STATS_STAMPED_FORWARD: forwarded, option written
 * @XLO_STATS_DEADLINES: among the first, those with an SO_TXTIME deadline
 * @XLO_STATS_PRESENT: not stamped: has an option already
 * @XLO_STATS_NO_ROOM_MTU: not stamped: would outgrow the MTU
 * @XLO_STATS_NO_ROOM_HEADER: not stamped: the header's options are full
 * @XLO_STATS_TOO_BIG: not stamped: too long for its length field (BIG TCP)
 * @XLO_STATS_PIECES: not stamped: a forwarded fragment, or packets that GRO has
 *	chained
 * @XLO_STATS_AUTHENTICATED: not stamped: has an Authentication Header
 * @XLO_STATS_NOT_TCP: not stamped: lifetime rto or repeats, but no TCP socket's
 *	packet
 * @XLO_STATS_BAD_HEADER: not stamped: its header is not whole or malformed
 * @XLO_STATS_NOMEM: not stamped, capped or clamped: no memory
 * @XLO_STATS_CLAMPED: stamped with less than asked for, as no more can be
 *	written
 * @XLO_STATS_RESIZED: TCP packets of several segments whose segments were made
 *	smaller by the option
 * @XLO_STATS_MSS_CLAMPED: forwarded SYNs whose MSS was lowered
 * @XLO_STATS_RELATIVE: arrived with a relative lifetime
 * @XLO_STATS_ABSOLUTE: arrived with an absolute deadline
 * @XLO_STATS_NO_LIFETIME: arrived with an option that says none
 * @XLO_STATS_NO_OPTION: arrived without an option
 * @XLO_STATS_MALFORMED: arrived with a malformed option or header
 * @XLO_STATS_RESERVED: among those with an option, reserved stale treatment
 * @XLO_STATS_CAPPED: among those with a lifetime, shortened
 * @XLO_STATS_EVENTS_HELD: events that were not sent although somebody listened,
 *	maybe in another namespace
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
