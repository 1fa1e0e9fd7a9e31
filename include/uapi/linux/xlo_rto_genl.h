/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "xlo_rto", which configures whether and how links adjust TCP's
 * retransmission timeouts.
 *
 * A link sends messages (<linux/xlo_rto.h>) when it has lost a packet or when its
 * channel improves. The module xlo_rto receives messages from links and moves the
 * retransmission timeout of the quoted packet's connection. The module also sends
 * messages for the links of this host. All settings and counters belong to the network
 * namespace of the socket or of the link's device.
 *
 * A change needs CAP_NET_ADMIN in the user namespace that owns the network
 * namespace. Counters and events also need CAP_NET_ADMIN, because they show whether a
 * guessed sequence number was right. Settings can be read without a privilege. A request
 * is applied as a whole or not at all. A refusal because of an attribute carries an
 * extended ack that names this attribute.
 *
 *   XRTO_CMD_SET accepts ACCEPT, ONE_HOP, KEY, ENCODING and EARLY, which are optional.
 *
 *   XRTO_CMD_GET answers with ACCEPT, ONE_HOP, KEYED, ENCODING and EARLY. A privileged
 *   socket also receives STATS and NOTICES.
 *
 *   XRTO_CMD_NOTIFY sends a message with CODE to the source of PACKET.
 *
 *   XRTO_CMD_LISTEN makes the socket receive events.
 *
 * Before a privileged socket receives events, it joins the multicast group
 * XRTO_GENL_GROUP and sends XRTO_CMD_LISTEN. Kernels before 6.8 need
 * XRTO_CMD_LISTEN. XRTO_CMD_LISTEN has no effect on later kernels.
 *
 *   The event XRTO_CMD_SET reports the new settings ACCEPT, ONE_HOP, KEYED, ENCODING
 *   and EARLY.
 *
 *   The event XRTO_CMD_MOVED reports that a message has moved a timeout. The attributes
 *   of XRTO_CMD_MOVED are CAUSE, RTO, RUN, TIMEOUT, LOCAL, LOCAL_PORT, PEER and
 *   PEER_PORT.
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
 * @XRTO_CMD_SET: change the settings of the network namespace
 * @XRTO_CMD_GET: read settings and counters
 * @XRTO_CMD_MOVED: event only: a message has moved a timeout
 * @XRTO_CMD_NOTIFY: send a message about a packet. XRTO_CMD_NOTIFY is refused if no
 *	message may be sent about the packet
 * @XRTO_CMD_LISTEN: send events to this socket. Kernels before 6.8 need
 *	XRTO_CMD_LISTEN in addition to joining the group. At most 8 sockets of a network
 *	namespace can listen
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
 * @XRTO_A_PAD: padding of 64-bit attributes
 * @XRTO_A_ACCEPT: u8, bitwise or of XRTO_ACCEPT_*, default 0 (none): encodings in
 *	which messages are accepted
 * @XRTO_A_ONE_HOP: u8, default 0. If 1, only messages with the hop limit 255 are accepted. A
 *	message with the hop limit 255 has not been forwarded by a router
 * @XRTO_A_STATS: nest of enum xrto_stats, each u64
 * @XRTO_A_CAUSE: u16, enum xrto_stats: effect of the message
 * @XRTO_A_RTO: u32, ms: the retransmission timeout before the first message that moved it
 * @XRTO_A_RUN: u32, ms: time from the start of the timer to the message
 * @XRTO_A_TIMEOUT: u32, ms: the new timeout, counted from the start of the timer
 * @XRTO_A_LOCAL: binary, 4 or 16 bytes: this host's IP address
 * @XRTO_A_LOCAL_PORT: u16: this host's TCP port
 * @XRTO_A_PEER: binary, 4 or 16 bytes: the peer's IP address
 * @XRTO_A_PEER_PORT: u16: the peer's TCP port
 * @XRTO_A_KEY: binary, 16 bytes, or 0 bytes (the default) for no key. Sent messages
 *	carry a token made with the key. Only messages with the right token are
 *	accepted. An answer never contains the key
 * @XRTO_A_KEYED: u8: 1 if a key is set, 0 without a key
 * @XRTO_A_ENCODING: u8, XRTO_ENCODING_*, default native: encoding of sent messages. DROP,
 *	DEFER and LINK-UP about UDP and DCCP packets always have the extension encoding
 * @XRTO_A_NOTICES: nest of enum xrto_notices, each u64
 * @XRTO_A_CODE: u8, XRTO_CODE_*: code of the message
 * @XRTO_A_PACKET: binary, up to XRTO_PACKET_MAX bytes: the beginning of the packet that the
 *	message is about, from the IP header on
 * @XRTO_A_EARLY: u8, XRTO_EARLY_*, default rtt: how long a DROP is ignored after the
 *	start of the timer. An early DROP is ignored because the last packets may still be
 *	in flight
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

/* How long after the start of the timer a DROP is ignored. */
#define XRTO_EARLY_RTT		0	/* a smoothed round-trip time */
#define XRTO_EARLY_QUARTER	1	/* a quarter of the timeout, as in the paper */

/**
 * enum xrto_stats - counters of received messages
 * @XRTO_STATS_UNSPEC: unused
 * @XRTO_STATS_PAD: padding
 * @XRTO_STATS_RECEIVED: all messages. Each message is also counted by one of the
 *	counters below, except the few messages that are pending
 * @XRTO_STATS_AT_ONCE: late DROP, which made the timer fire at once
 * @XRTO_STATS_SHORTENED: received DROP: the timer fires a quarter of the timeout from now
 * @XRTO_STATS_IN_FLIGHT: early DROP, which was ignored
 * @XRTO_STATS_DROP_AGAIN: ignored DROP: the timeout is already shortened, or a LINK-UP has moved
 *	it
 * @XRTO_STATS_CANCELLED: a DEFER that cancelled the shortening of the timeout
 * @XRTO_STATS_BACK: a DROP that shortened the timeout again after CANCELLED
 * @XRTO_STATS_EXTENDED: a DEFER after the original timeout, which extended the timeout
 *	by a quarter
 * @XRTO_STATS_DEFER_AGAIN: ignored DEFER: another DEFER has already cancelled the shortening,
 *	and the original timeout has not passed yet
 * @XRTO_STATS_DEFER_MOST: ignored DEFER: the timeout is at its maximum
 * @XRTO_STATS_DEFER_NORMAL: ignored DEFER: no DROP has shortened the timeout, or a LINK-UP has
 *	moved it
 * @XRTO_STATS_MALFORMED: refused: malformed message
 * @XRTO_STATS_CHECKSUM: refused: wrong checksum
 * @XRTO_STATS_CODE: refused: the code is not DROP, DEFER or LINK-UP
 * @XRTO_STATS_NOT_TCP: refused: the message does not quote the beginning of a TCP
 *	segment
 * @XRTO_STATS_NOT_OURS: refused: the message quotes a packet of another host
 * @XRTO_STATS_HOPS: refused: a router has forwarded the message, see
 *	XRTO_A_ONE_HOP
 * @XRTO_STATS_TOKEN: refused: the token does not match the key
 * @XRTO_STATS_HELD: refused: the message exceeds the rate limit
 * @XRTO_STATS_QUEUE_FULL: refused: too many messages are pending
 * @XRTO_STATS_NO_SOCKET: refused: this host has no such connection
 * @XRTO_STATS_BUSY: refused: the program is using the socket
 * @XRTO_STATS_STATE: refused: the connection is being opened or repaired, or its program
 *	has closed it
 * @XRTO_STATS_SEQUENCE: refused: the quoted segment is not in flight
 * @XRTO_STATS_TIMESTAMP: refused: the quoted time stamp is not that of the segment's last
 *	transmission. With a key, also if the quote lacks the connection's time stamp
 * @XRTO_STATS_OTHER_TIMER: refused: the pending timer is not the retransmission
 *	timer
 * @XRTO_STATS_EXPIRED: refused: the timer has already expired
 * @XRTO_STATS_TOO_SOON: refused: a DROP or DEFER less than an eighth of the timeout after
 *	a message that moved the timeout; or a LINK-UP less than a round-trip time, or less
 *	than 200 ms, after the last LINK-UP
 * @XRTO_STATS_NO_ROOM: refused: too many connections have a moved timeout
 * @XRTO_STATS_LINK_UP: a LINK-UP that made the timer fire as soon as a round-trip time and
 *	200 ms had passed since the timer was set, and reset the back-off
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
 * enum xrto_notices - counters of messages requested by the links of this host
 * @XRTO_NOTICES_UNSPEC: unused
 * @XRTO_NOTICES_PAD: padding
 * @XRTO_NOTICES_ASKED: all requested messages. Each message is also counted by one of
 *	the counters below, except the few messages that are pending
 * @XRTO_NOTICES_SENT: sent
 * @XRTO_NOTICES_MALFORMED: not sent: the packet is not an IP packet, or its headers
 *	are incomplete
 * @XRTO_NOTICES_FRAGMENT: not sent: the packet is a fragment but not the first fragment
 * @XRTO_NOTICES_ICMP: not sent: the packet is ICMP
 * @XRTO_NOTICES_ADDRESS: not sent: the source or the destination is not a unicast
 *	address
 * @XRTO_NOTICES_NOT_TCP: not sent: only DISCARDED is allowed for a packet that is not
 *	TCP, UDP or DCCP
 * @XRTO_NOTICES_SYN: not sent: the segment opens a connection
 * @XRTO_NOTICES_RST: not sent: the segment resets a connection
 * @XRTO_NOTICES_NO_OPTION: not sent: a DEFER needs a packet with a cross-layer option. A
 *	DROP or LINK-UP needs the option if the packet is UDP or DCCP
 * @XRTO_NOTICES_HOST_LIMIT: not sent: the message exceeds the rate limit of its
 *	destination
 * @XRTO_NOTICES_LIMIT: not sent: the message exceeds the rate limit of all destinations
 *	together
 * @XRTO_NOTICES_QUEUE_FULL: not sent: too many messages are pending
 * @XRTO_NOTICES_NOMEM: not sent: no memory was available
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
