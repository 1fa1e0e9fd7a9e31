/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "xlo_rto": whether links may adjust TCP's retransmission
 * timeouts, and how.
 *
 * A link sends messages (<linux/xlo_rto.h>) if it has lost a packet or its channel
 * improves. The module xlo_rto receives these messages and moves the
 * retransmission timeout of the connection that the quoted packet belongs to. It
 * also sends such messages for the links of this host. Everything here belongs to
 * the network namespace of the socket or of the link's device.
 *
 * Changes need CAP_NET_ADMIN in the user namespace that owns the network
 * namespace. Counters and events need it too, because they show whether a guessed
 * sequence number was right. Everybody may read the settings. A request is applied
 * whole or not at all. A refusal carries an extended ack that names the attribute
 * and its range.
 *
 *   XRTO_CMD_SET    optionally ACCEPT, ONE_HOP, KEY, ENCODING and EARLY
 *   XRTO_CMD_GET    answers ACCEPT, ONE_HOP, KEYED, ENCODING, EARLY; with the
 *                   privilege also STATS and NOTICES
 *   XRTO_CMD_NOTIFY CODE, PACKET: sends a message to the packet's source
 *   XRTO_CMD_LISTEN the socket receives events
 *
 * To receive events, a socket that was opened with the privilege joins the
 * multicast group XRTO_GENL_GROUP and sends XRTO_CMD_LISTEN. This command is
 * needed on kernels before 6.8 and does nothing on later ones. The events are
 *
 *   XRTO_CMD_SET    ACCEPT, ONE_HOP, KEYED, ENCODING and EARLY: the new settings
 *   XRTO_CMD_MOVED  CAUSE, RTO, RUN, TIMEOUT, LOCAL, LOCAL_PORT, PEER, PEER_PORT:
 *                   a message has moved a timeout
 */
#ifndef _UAPI_LINUX_XLO_RTO_GENL_H
#define _UAPI_LINUX_XLO_RTO_GENL_H

#define XRTO_GENL_NAME		"xlo_rto"
#define XRTO_GENL_VERSION	1
#define XRTO_GENL_GROUP		"events"

#define XRTO_PACKET_MAX		1500	/* bytes of a packet that are read */

/**
 * enum xrto_cmd - requests and events
 * @XRTO_CMD_UNSPEC: unused
 * @XRTO_CMD_SET: change the namespace's settings
 * @XRTO_CMD_GET: read settings and counters
 * @XRTO_CMD_MOVED: event only: a message has moved a timeout
 * @XRTO_CMD_NOTIFY: send a message about a packet; refused if no message may be
 *	sent about this packet
 * @XRTO_CMD_LISTEN: send events to this socket, needed only before 6.8, in
 *	addition to joining the group; at most 8 sockets in a namespace
 */
enum xrto_cmd {
	XRTO_CMD_UNSPEC,
	XRTO_CMD_SET,
	XRTO_CMD_GET,
	XRTO_CMD_MOVED,
	XRTO_CMD_NOTIFY,
	XRTO_CMD_LISTEN,

	__XRTO_CMD_MAX,
};

#define XRTO_CMD_MAX (__XRTO_CMD_MAX - 1)

/**
 * enum xrto_attr - attributes of all messages
 * @XRTO_A_UNSPEC: unused
 * @XRTO_A_PAD: padding of 64 bit attributes
 * @XRTO_A_ACCEPT: u8, bitwise or of XRTO_ACCEPT_*, default 0: encodings in which
 *	messages are accepted; 0 for none
 * @XRTO_A_ONE_HOP: u8, 0 or 1, default 0: accept only messages with the hop
 *	limit 255, because no router has forwarded them
 * @XRTO_A_STATS: nest of enum xrto_stats, each u64
 * @XRTO_A_CAUSE: u16, enum xrto_stats: effect of the message
 * @XRTO_A_RTO: u32, ms: the retransmission timeout before the message
 * @XRTO_A_RUN: u32, ms: time since the timer was started
 * @XRTO_A_TIMEOUT: u32, ms: the new timeout, from the start of the timer
 * @XRTO_A_LOCAL: binary, 4 or 16 bytes: address of this host
 * @XRTO_A_LOCAL_PORT: u16: port of this host
 * @XRTO_A_PEER: binary, 4 or 16 bytes: address of the peer
 * @XRTO_A_PEER_PORT: u16: port of the peer
 * @XRTO_A_KEY: binary, 16 bytes, or 0 bytes (the default) for no key: messages
 *	that are sent carry a token made with the key, and only messages with such
 *	a token are accepted; never in an answer
 * @XRTO_A_KEYED: u8, 0 or 1: whether a key is set
 * @XRTO_A_ENCODING: u8, XRTO_ENCODING_*, default native: encoding of messages
 *	that are sent
 * @XRTO_A_NOTICES: nest of enum xrto_notices, each u64
 * @XRTO_A_CODE: u8, XRTO_CODE_*: code of the message
 * @XRTO_A_PACKET: binary, up to XRTO_PACKET_MAX bytes: the beginning of the
 *	packet that the message is about, from its IP header on
 * @XRTO_A_EARLY: u8, XRTO_EARLY_*, default rtt: for how long after the start of
 *	the timer a DROP is ignored, because the last packets may still be in flight
 */
enum xrto_attr {
	XRTO_A_UNSPEC,
	XRTO_A_PAD,
	XRTO_A_ACCEPT,
	XRTO_A_ONE_HOP,
	XRTO_A_STATS,
	XRTO_A_CAUSE,
	XRTO_A_RTO,
	XRTO_A_RUN,
	XRTO_A_TIMEOUT,
	XRTO_A_LOCAL,
	XRTO_A_LOCAL_PORT,
	XRTO_A_PEER,
	XRTO_A_PEER_PORT,
	XRTO_A_KEY,
	XRTO_A_KEYED,
	XRTO_A_ENCODING,
	XRTO_A_NOTICES,
	XRTO_A_CODE,
	XRTO_A_PACKET,
	XRTO_A_EARLY,

	__XRTO_A_MAX,
};

#define XRTO_A_MAX (__XRTO_A_MAX - 1)

/* Encodings, see <linux/xlo_rto.h>. */
#define XRTO_ACCEPT_NATIVE	1	/* own ICMP types */
#define XRTO_ACCEPT_EXTENSION	2	/* within Destination Unreachable */
#define XRTO_ACCEPT_ALL		3

#define XRTO_ENCODING_NATIVE	0
#define XRTO_ENCODING_EXTENSION	1

/* How long a DROP is ignored after the start of the timer. */
#define XRTO_EARLY_RTT		0	/* a smoothed round-trip time */
#define XRTO_EARLY_QUARTER	1	/* a quarter of the timeout, as in the paper */

/**
 * enum xrto_stats - counters of received messages
 * @XRTO_STATS_UNSPEC: unused
 * @XRTO_STATS_PAD: padding
 * @XRTO_STATS_RECEIVED: all messages; each is also counted below, except the few
 *	that still wait
 * @XRTO_STATS_AT_ONCE: DROP, late: the timer fired at once
 * @XRTO_STATS_SHORTENED: DROP: the timer fires a quarter of the timeout from now
 * @XRTO_STATS_IN_FLIGHT: DROP, early: ignored
 * @XRTO_STATS_DROP_AGAIN: DROP, the timeout is shortened already: ignored
 * @XRTO_STATS_CANCELLED: DEFER, the timeout was shortened: no longer shortened
 * @XRTO_STATS_BACK: DROP after such a DEFER: shortened again
 * @XRTO_STATS_EXTENDED: DEFER after the original timeout has passed: extended by a
 *	quarter
 * @XRTO_STATS_DEFER_AGAIN: DEFER before that, the timeout is moved back already:
 *	ignored
 * @XRTO_STATS_DEFER_MOST: DEFER, the timeout is at its maximum: ignored
 * @XRTO_STATS_DEFER_NORMAL: DEFER, nothing was shortened: ignored
 * @XRTO_STATS_MALFORMED: refused: malformed message
 * @XRTO_STATS_CHECKSUM: refused: wrong checksum
 * @XRTO_STATS_CODE: refused: neither DROP nor DEFER nor LINK-UP
 * @XRTO_STATS_NOT_TCP: refused: does not quote the beginning of a TCP segment
 * @XRTO_STATS_NOT_OURS: refused: quotes a packet of another host
 * @XRTO_STATS_HOPS: refused: a router has forwarded the message, see
 *	XRTO_A_ONE_HOP
 * @XRTO_STATS_TOKEN: refused: the token does not match the key
 * @XRTO_STATS_HELD: refused: rate limit of messages
 * @XRTO_STATS_QUEUE_FULL: refused: too many messages wait
 * @XRTO_STATS_NO_SOCKET: refused: no such connection
 * @XRTO_STATS_BUSY: refused: the program is using the socket
 * @XRTO_STATS_STATE: refused: the connection is being opened, was left by its
 *	program, or is being repaired
 * @XRTO_STATS_SEQUENCE: refused: the quoted segment is not in flight
 * @XRTO_STATS_TIMESTAMP: refused: the quoted time stamp is not the last one sent
 * @XRTO_STATS_OTHER_TIMER: refused: the pending timer is not the retransmission
 *	timer
 * @XRTO_STATS_EXPIRED: refused: the timer has expired already
 * @XRTO_STATS_TOO_SOON: refused: less than an eighth of the timeout has passed
 *	since a message that moved the timeout; for LINK-UP: less than a round-trip
 *	time since the last LINK-UP
 * @XRTO_STATS_NO_ROOM: refused: too many connections have a moved timeout
 * @XRTO_STATS_LINK_UP: LINK-UP: the timer fired at once, and the back-off is
 *	reset
 */
enum xrto_stats {
	XRTO_STATS_UNSPEC,
	XRTO_STATS_PAD,
	XRTO_STATS_RECEIVED,
	XRTO_STATS_AT_ONCE,
	XRTO_STATS_SHORTENED,
	XRTO_STATS_IN_FLIGHT,
	XRTO_STATS_DROP_AGAIN,
	XRTO_STATS_CANCELLED,
	XRTO_STATS_BACK,
	XRTO_STATS_EXTENDED,
	XRTO_STATS_DEFER_AGAIN,
	XRTO_STATS_DEFER_MOST,
	XRTO_STATS_DEFER_NORMAL,
	XRTO_STATS_MALFORMED,
	XRTO_STATS_CHECKSUM,
	XRTO_STATS_CODE,
	XRTO_STATS_NOT_TCP,
	XRTO_STATS_NOT_OURS,
	XRTO_STATS_HOPS,
	XRTO_STATS_TOKEN,
	XRTO_STATS_HELD,
	XRTO_STATS_QUEUE_FULL,
	XRTO_STATS_NO_SOCKET,
	XRTO_STATS_BUSY,
	XRTO_STATS_STATE,
	XRTO_STATS_SEQUENCE,
	XRTO_STATS_TIMESTAMP,
	XRTO_STATS_OTHER_TIMER,
	XRTO_STATS_EXPIRED,
	XRTO_STATS_TOO_SOON,
	XRTO_STATS_NO_ROOM,
	XRTO_STATS_LINK_UP,

	__XRTO_STATS_MAX,
};

#define XRTO_STATS_MAX (__XRTO_STATS_MAX - 1)

/**
 * enum xrto_notices - counters of messages that links of this host wanted to send
 * @XRTO_NOTICES_UNSPEC: unused
 * @XRTO_NOTICES_PAD: padding
 * @XRTO_NOTICES_ASKED: all requested messages; each is also counted below, except
 *	the few that still wait
 * @XRTO_NOTICES_SENT: sent
 * @XRTO_NOTICES_MALFORMED: not sent: the packet is no IP packet, or its headers
 *	are incomplete
 * @XRTO_NOTICES_FRAGMENT: not sent: the packet is a fragment but not the first
 * @XRTO_NOTICES_ICMP: not sent: the packet is ICMP
 * @XRTO_NOTICES_ADDRESS: not sent: source or destination is not a unicast address
 * @XRTO_NOTICES_NOT_TCP: not sent: DROP, DEFER or LINK-UP, and the packet is no
 *	TCP segment
 * @XRTO_NOTICES_SYN: not sent: the segment opens a connection
 * @XRTO_NOTICES_RST: not sent: the segment resets a connection
 * @XRTO_NOTICES_NO_OPTION: not sent: DEFER, and the packet carries no cross-layer
 *	option
 * @XRTO_NOTICES_HOST_LIMIT: not sent: rate limit for this destination
 * @XRTO_NOTICES_LIMIT: not sent: rate limit for all destinations together
 * @XRTO_NOTICES_QUEUE_FULL: not sent: too many messages wait
 * @XRTO_NOTICES_NOMEM: not sent: no memory
 * @XRTO_NOTICES_NO_ROUTE: not sent: no route to the destination
 * @XRTO_NOTICES_DROPPED: not sent: a packet filter or a queue dropped the message
 */
enum xrto_notices {
	XRTO_NOTICES_UNSPEC,
	XRTO_NOTICES_PAD,
	XRTO_NOTICES_ASKED,
	XRTO_NOTICES_SENT,
	XRTO_NOTICES_MALFORMED,
	XRTO_NOTICES_FRAGMENT,
	XRTO_NOTICES_ICMP,
	XRTO_NOTICES_ADDRESS,
	XRTO_NOTICES_NOT_TCP,
	XRTO_NOTICES_SYN,
	XRTO_NOTICES_RST,
	XRTO_NOTICES_NO_OPTION,
	XRTO_NOTICES_HOST_LIMIT,
	XRTO_NOTICES_LIMIT,
	XRTO_NOTICES_QUEUE_FULL,
	XRTO_NOTICES_NOMEM,
	XRTO_NOTICES_NO_ROUTE,
	XRTO_NOTICES_DROPPED,

	__XRTO_NOTICES_MAX,
};

#define XRTO_NOTICES_MAX (__XRTO_NOTICES_MAX - 1)

#endif /* _UAPI_LINUX_XLO_RTO_GENL_H */
