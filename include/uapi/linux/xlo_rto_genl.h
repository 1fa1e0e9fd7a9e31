/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "xlo_rto": whether links may adjust TCP's timeouts, and
 * how they do.
 *
 * The module xlo_rto takes messages (<linux/xlo_rto.h>) of links that have lost
 * a packet or see their channel improve, and moves the retransmission timeout of
 * the connection they are about; and it sends such messages for links of this
 * host. Everything here belongs to one network namespace: the one the socket is
 * in, or the link's device. Changes need CAP_NET_ADMIN in the user
 * namespace that owns it, and so do counters and events, which tell right guesses
 * of sequence numbers from wrong ones. Settings are for all to read. A request is applied whole or
 * not at all; a refusal carries an extended ack that names the attribute and
 * its range.
 *
 *   XRTO_CMD_SET    ACCEPT, ONE_HOP, KEY, ENCODING and EARLY as wanted
 *   XRTO_CMD_GET    answers ACCEPT, ONE_HOP, KEYED, ENCODING, EARLY; with that
 *                   privilege STATS and NOTICES, too
 *   XRTO_CMD_NOTIFY CODE, PACKET: tells the packet's source
 *   XRTO_CMD_LISTEN the socket hears events
 *
 * A socket that was opened with that privilege joins the multicast group
 * XRTO_GENL_GROUP and says XRTO_CMD_LISTEN, which is needed on kernels before 6.8
 * and does nothing on later ones. It hears
 *
 *   XRTO_CMD_SET    ACCEPT, ONE_HOP, KEYED, ENCODING and EARLY as they are now
 *   XRTO_CMD_MOVED  CAUSE, RTO, RUN, TIMEOUT, LOCAL, LOCAL_PORT, PEER, PEER_PORT:
 *                   a message has moved a timeout
 */
#ifndef _UAPI_LINUX_XLO_RTO_GENL_H
#define _UAPI_LINUX_XLO_RTO_GENL_H

#define XRTO_GENL_NAME		"xlo_rto"
#define XRTO_GENL_VERSION	1
#define XRTO_GENL_GROUP		"events"

#define XRTO_PACKET_MAX		1500	/* bytes of a packet that are looked at */

/**
 * enum xrto_cmd - what a message asks for
 * @XRTO_CMD_UNSPEC: unused
 * @XRTO_CMD_SET: the namespace's settings
 * @XRTO_CMD_GET: settings and counters
 * @XRTO_CMD_MOVED: event: a timeout was moved
 * @XRTO_CMD_NOTIFY: a message to be sent; refused where there is to be none
 * @XRTO_CMD_LISTEN: this socket hears events, as one of 8 in the namespace at
 *	most; needed before 6.8 alone, besides joining the group
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
 * @XRTO_A_ACCEPT: u8, XRTO_ACCEPT_* or-ed, default 0: in which encodings
 *	messages are taken; 0 for none
 * @XRTO_A_ONE_HOP: u8, 0 or 1, default 0: only with the hop limit 255, which
 *	no router has forwarded
 * @XRTO_A_STATS: nest of enum xrto_stats, each u64
 * @XRTO_A_CAUSE: u16, enum xrto_stats: what the message did
 * @XRTO_A_RTO: u32, ms: the timeout that ran
 * @XRTO_A_RUN: u32, ms: for how long it had
 * @XRTO_A_TIMEOUT: u32, ms: when it comes, since it began
 * @XRTO_A_LOCAL: binary, 4 or 16 bytes: the address of this end
 * @XRTO_A_LOCAL_PORT: u16
 * @XRTO_A_PEER: binary, 4 or 16 bytes: the address of the other end
 * @XRTO_A_PEER_PORT: u16
 * @XRTO_A_KEY: binary, 16 bytes, or 0, the default: messages that are sent
 *	carry tokens made with it, and those that are taken have to; never
 *	answered
 * @XRTO_A_KEYED: u8, 0 or 1: there is a key
 * @XRTO_A_ENCODING: u8, XRTO_ENCODING_*, default native: of messages that
 *	are sent
 * @XRTO_A_NOTICES: nest of enum xrto_notices, each u64
 * @XRTO_A_CODE: u8, XRTO_CODE_*: what a message says
 * @XRTO_A_PACKET: binary, up to XRTO_PACKET_MAX bytes: the beginning of the
 *	packet it is about, from its IP header on
 * @XRTO_A_EARLY: u8, XRTO_EARLY_*, default rtt: until when a DROP is ignored,
 *	since the packets sent last may still be in flight
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
#define XRTO_ACCEPT_NATIVE	1	/* ICMP types of their own */
#define XRTO_ACCEPT_EXTENSION	2	/* within Destination Unreachable */
#define XRTO_ACCEPT_ALL		3

#define XRTO_ENCODING_NATIVE	0
#define XRTO_ENCODING_EXTENSION	1

/* Until when a DROP is ignored, since the timer began. */
#define XRTO_EARLY_RTT		0	/* for a smoothed round-trip time */
#define XRTO_EARLY_QUARTER	1	/* for a quarter of the timeout, as in the paper */

/**
 * enum xrto_stats - counters of messages
 * @XRTO_STATS_UNSPEC: unused
 * @XRTO_STATS_PAD: padding
 * @XRTO_STATS_RECEIVED: all there were; each is one of those below, too, but
 *	for the few that wait
 * @XRTO_STATS_AT_ONCE: DROP late: timed out at once
 * @XRTO_STATS_SHORTENED: DROP: the timeout comes a quarter of it from now
 * @XRTO_STATS_IN_FLIGHT: DROP early: ignored
 * @XRTO_STATS_DROP_AGAIN: DROP where the timeout is shortened: ignored
 * @XRTO_STATS_CANCELLED: DEFER where the timeout is shortened: not any more
 * @XRTO_STATS_BACK: DROP after that: shortened as before
 * @XRTO_STATS_EXTENDED: DEFER after the timeout itself: extended by a quarter
 * @XRTO_STATS_DEFER_AGAIN: DEFER where it may be extended already: ignored
 * @XRTO_STATS_DEFER_MOST: DEFER where it is extended as far as can be: ignored
 * @XRTO_STATS_DEFER_NORMAL: DEFER where nothing was shortened: ignored
 * @XRTO_STATS_MALFORMED: refused: not a message as specified
 * @XRTO_STATS_CHECKSUM: refused: wrong checksum
 * @XRTO_STATS_CODE: refused: neither DROP nor DEFER nor LINK-UP
 * @XRTO_STATS_NOT_TCP: refused: quotes no TCP segment, or not its beginning
 * @XRTO_STATS_NOT_OURS: refused: quotes what another host has sent
 * @XRTO_STATS_HOPS: refused: has been forwarded, see XRTO_A_ONE_HOP
 * @XRTO_STATS_TOKEN: refused: not the token that the key makes
 * @XRTO_STATS_HELD: refused: too many messages in so short a time
 * @XRTO_STATS_QUEUE_FULL: refused: too many messages wait
 * @XRTO_STATS_NO_SOCKET: refused: no such connection
 * @XRTO_STATS_BUSY: refused: the program uses the socket right now
 * @XRTO_STATS_STATE: refused: being opened, left by its program, or repaired
 * @XRTO_STATS_SEQUENCE: refused: quotes nothing that is in flight
 * @XRTO_STATS_TIMESTAMP: refused: its time stamp is not the one last sent
 * @XRTO_STATS_OTHER_TIMER: refused: what runs is no retransmission timeout
 * @XRTO_STATS_EXPIRED: refused: the timeout has come
 * @XRTO_STATS_TOO_SOON: refused: less than an eighth of the timeout since one
 *	that moved it; LINK-UP: less than a round-trip time since the last one
 * @XRTO_STATS_NO_ROOM: refused: too many connections have moved timeouts
 * @XRTO_STATS_LINK_UP: LINK-UP: timed out at once, the back-off is over
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
 * enum xrto_notices - counters of messages that links of this host had to send
 * @XRTO_NOTICES_UNSPEC: unused
 * @XRTO_NOTICES_PAD: padding
 * @XRTO_NOTICES_ASKED: all that were to be sent; each is one of those below, too, but for
 *	the few that wait
 * @XRTO_NOTICES_SENT: sent
 * @XRTO_NOTICES_MALFORMED: not: about no IP packet, or one whose headers are not
 *	whole
 * @XRTO_NOTICES_FRAGMENT: not: about a fragment that is not the first
 * @XRTO_NOTICES_ICMP: not: about ICMP
 * @XRTO_NOTICES_ADDRESS: not: from or to what is no address of one host
 * @XRTO_NOTICES_NOT_TCP: not: DROP, DEFER or LINK-UP, and about no TCP segment
 * @XRTO_NOTICES_SYN: not: about a segment that opens a connection
 * @XRTO_NOTICES_RST: not: about one that resets it
 * @XRTO_NOTICES_NO_OPTION: not: DEFER, and the packet carries no cross-layer option
 * @XRTO_NOTICES_HOST_LIMIT: not: too many to this host in so short a time
 * @XRTO_NOTICES_LIMIT: not: too many in so short a time
 * @XRTO_NOTICES_QUEUE_FULL: not: too many messages wait
 * @XRTO_NOTICES_NOMEM: not: no memory
 * @XRTO_NOTICES_NO_ROUTE: not: there is no way to that host
 * @XRTO_NOTICES_DROPPED: not: dropped on its way out, by a packet filter or a queue
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
