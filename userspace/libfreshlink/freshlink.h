/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libfreshlink: packets that carry their lifetime.
 *
 * The lifetime is in the packet's IP header, in the cross-layer option: an IPv4
 * option or an IPv6 hop-by-hop option of 8 bytes. Routers on the path discard
 * packets that can no longer arrive in time. There are two ways to send a
 * lifetime:
 *
 *   a deadline     for each datagram, with freshlink_send() or, together with
 *                  other control messages, freshlink_set_deadline(). A deadline
 *                  needs no privilege. A deadline needs the kernel module xlo with
 *                  its setting txtime, in the sender's network namespace.
 *   the option     itself, with freshlink_socket_lifetime() for all packets of a
 *                  socket, or freshlink_set_option() for one message. The option
 *                  needs CAP_NET_RAW, but no module.
 *
 * The receiver needs no privilege and no module. The receiver calls freshlink_receive_lifetimes()
 * once, and freshlink_get_lifetime() after each recvmsg().
 *
 * The library keeps no state between calls. Any thread may call any function at
 * any time. Sockets and messages may at the same time be used with all other system calls.
 *
 * A function that can fail returns -1 on failure, and errno gives the reason.
 */
#ifndef FRESHLINK_H
#define FRESHLINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that freshlink_set_deadline() and freshlink_set_option() need in the buffer for control
 * messages. FRESHLINK_RECEIVE_ROOM is the size of a buffer for received control messages. This size
 * is always enough if a socket receives only lifetimes and a receive time stamp.
 */
#define FRESHLINK_DEADLINE_ROOM	CMSG_SPACE(sizeof(uint64_t))
#define FRESHLINK_OPTION_ROOM	CMSG_SPACE(16)
#define FRESHLINK_RECEIVE_ROOM	(CMSG_SPACE(2048) + CMSG_SPACE(48))

/* Bytes that the option adds to a packet. */
#define FRESHLINK_IPV4_SIZE	8
#define FRESHLINK_IPV6_SIZE	16

/* The longest lifetimes, in ms. */
#define FRESHLINK_RELATIVE_MAX	65534
#define FRESHLINK_ABSOLUTE_MAX	43200000

/* Flags of struct freshlink_lifetime. */
#define FRESHLINK_CORRUPT_OK	0x01	/* a damaged payload is still useful */
#define FRESHLINK_CORRUPTED	0x02	/* a link marked the payload as damaged */
#define FRESHLINK_SLOW		0x10	/* the flow responds slowly to congestion */

/**
 * enum freshlink_kind - how a lifetime is written
 * @FRESHLINK_UNLIMITED: there is no lifetime, but the other fields are valid
 * @FRESHLINK_RELATIVE: as the remaining ms; routers subtract their delay
 * @FRESHLINK_ABSOLUTE: as the time of day at which the lifetime ends, for hosts whose clocks agree
 */
enum freshlink_kind {
	FRESHLINK_UNLIMITED,
	FRESHLINK_RELATIVE,
	FRESHLINK_ABSOLUTE,
};

/**
 * enum freshlink_stale - what routers do with the packet when it is stale
 * @FRESHLINK_FORWARD: send the packet like any other packet
 * @FRESHLINK_DISCARD: discard the packet
 * @FRESHLINK_TRUNCATE: send only the packet's IP and transport headers
 * @FRESHLINK_RESERVED: reserved; only in received options, and treated as forward
 */
enum freshlink_stale {
	FRESHLINK_FORWARD,
	FRESHLINK_DISCARD,
	FRESHLINK_TRUNCATE,
	FRESHLINK_RESERVED,
};

/**
 * enum freshlink_found - the result of freshlink_get_lifetime()
 * @FRESHLINK_NONE: the packet has no option
 * @FRESHLINK_FOUND: the packet has a well-formed option
 * @FRESHLINK_MALFORMED: the packet has an option that breaks the rules of the format. The option
 *	is ignored
 */
enum freshlink_found {
	FRESHLINK_NONE,
	FRESHLINK_FOUND,
	FRESHLINK_MALFORMED,
};

/**
 * struct freshlink_lifetime - the content of an option
 * @kind: how the lifetime is written
 * @stale: what routers do with the packet after its lifetime has ended
 * @remaining_ms: remaining ms at the time @at_ns. The range is 0 to FRESHLINK_RELATIVE_MAX for a
 *	relative lifetime, and -43199999 to FRESHLINK_ABSOLUTE_MAX for an absolute lifetime. The
 *	remaining lifetime is negative if the lifetime has ended. For an unlimited lifetime the
 *	value is 0 in a received packet, and ignored in a packet to send
 * @at_ns: CLOCK_REALTIME in ns. For a received packet, the packet's time of arrival, see
 *	freshlink_get_lifetime(). For a packet to send, the time from which an absolute lifetime
 *	counts, or 0 for the current time. Other lifetimes ignore the field
 * @reorder: number of packets of the flow that overtake a packet until the transport assumes that
 *	this packet is lost; 3 for standard TCP. Routers let fewer packets overtake a packet, and
 *	none with 0 or 1
 * @flags: bitwise or of FRESHLINK_CORRUPT_OK, FRESHLINK_CORRUPTED and
 *	FRESHLINK_SLOW
 *
 * Initialize the structure with 0, because 0 is a sensible value for each field that you do not
 * set.
 */
struct freshlink_lifetime {
	enum freshlink_kind kind;
	enum freshlink_stale stale;
	int32_t remaining_ms;
	int64_t at_ns;
	uint8_t reorder;
	uint8_t flags;
};

#pragma GCC visibility push(default)

/**
 * freshlink_enable_deadlines() - enable deadlines for a socket's datagrams
 * @fd: a datagram or raw socket
 * @clock: the clock of the deadlines: CLOCK_MONOTONIC, or with CAP_NET_ADMIN
 *	CLOCK_REALTIME or CLOCK_TAI
 *
 * The function sets SO_TXTIME in its deadline mode. If the module xlo does not turn the deadlines
 * into lifetimes, the queue of the network device sees the deadlines. The queue fq treats a
 * deadline as a time of departure, and delays the packet until its deadline.
 *
 * Return: 0, or -1 with errno EINVAL (another clock), EOPNOTSUPP (another kind
 * of socket), EPERM (the clock needs CAP_NET_ADMIN), or an error of setsockopt()
 */
int freshlink_enable_deadlines(int fd, clockid_t clock);

/**
 * freshlink_set_deadline() - give one message a deadline
 * @msg: the message, for sendmsg() on a socket with deadlines enabled.
 *	msg_control is a buffer; msg_controllen is the number of bytes in use, 0
 *	at first
 * @room: size of the buffer in bytes; FRESHLINK_DEADLINE_ROOM more than the bytes
 *	in use is enough
 * @deadline_ns: time in ns on the clock of freshlink_enable_deadlines(), above 0.
 *	A packet whose deadline has passed is sent as stale. If the deadline is
 *	farther away than the option can express, the longest lifetime is sent: 65534 ms, or 12 h
 *	if the packet's profile has the clock utc
 *
 * Return: 0, or -1 with errno EINVAL (the deadline is not above 0) or ENOBUFS
 * (the buffer is too small); on failure @msg is unchanged
 */
int freshlink_set_deadline(struct msghdr *msg, size_t room,
			   int64_t deadline_ns);

/**
 * freshlink_send() - send a datagram with a lifetime that starts now
 * @fd: a socket with deadlines enabled
 * @buf: the payload
 * @len: size of the payload in bytes
 * @flags: as for sendto()
 * @dest: the destination; NULL on a connected socket
 * @destlen: size of @dest
 * @lifetime_ns: the lifetime; the kernel rounds it to the nearest ms
 *
 * Return: as sendto(). Additional errors: EINVAL (the lifetime is negative or
 * exceeds the range of the clock) and EOPNOTSUPP (deadlines are not enabled)
 */
ssize_t freshlink_send(int fd, const void *buf, size_t len, int flags,
		       const struct sockaddr *dest, socklen_t destlen,
		       int64_t lifetime_ns);

/**
 * freshlink_socket_lifetime() - send all packets of a socket with one option
 * @fd: an IPv4 or IPv6 socket, which may be a TCP socket. An IPv6 socket sends
 *	the option over both protocols: with IPv4-mapped addresses, the packets have the IPv4
 *	option
 * @lifetime: the content of the option, not FRESHLINK_ABSOLUTE; NULL removes the
 *	option
 *
 * The function needs CAP_NET_RAW, which the program may drop afterwards. The option replaces all
 * IPv4 options and hop-by-hop options that were set for the socket.
 *
 * Return: 0, or -1 with errno EAFNOSUPPORT (neither IPv4 nor IPv6), EINVAL (a
 * field is out of its range), EPERM (no CAP_NET_RAW), or an error of setsockopt(); on
 * failure the socket keeps its earlier options
 */
int freshlink_socket_lifetime(int fd,
			      const struct freshlink_lifetime *lifetime);

/**
 * freshlink_set_option() - add an option to one message
 * @msg: the message, for sendmsg(); as for freshlink_set_deadline()
 * @room: size of its buffer in bytes; FRESHLINK_OPTION_ROOM more than the bytes in
 *	use is enough
 * @family: protocol of the packet, AF_INET or AF_INET6; AF_INET for IPv4-mapped
 *	addresses
 * @lifetime: the content of the option
 *
 * With the option, sendmsg() needs CAP_NET_RAW. Without CAP_NET_RAW, sendmsg() fails with EPERM
 * over IPv6 and with EINVAL over IPv4.
 *
 * Return: 0, or -1 with errno EAFNOSUPPORT (another family), EINVAL (a field is
 * out of its range) or ENOBUFS (the buffer is too small); on failure @msg is
 * unchanged
 */
int freshlink_set_option(struct msghdr *msg, size_t room, int family,
			 const struct freshlink_lifetime *lifetime);

/**
 * freshlink_receive_lifetimes() - make a socket deliver received options
 * @fd: an IPv4 or IPv6 datagram or raw socket. An IPv6 socket also delivers the
 *	options of IPv4 packets
 *
 * Return: 0, or -1 with errno EAFNOSUPPORT (neither IPv4 nor IPv6), EOPNOTSUPP (another kind of
 * socket), or an error of setsockopt()
 */
int freshlink_receive_lifetimes(int fd);

/**
 * freshlink_get_lifetime() - read the option of a received packet
 * @msg: the message, as recvmsg() left it. Its buffer for control messages should have
 *	FRESHLINK_RECEIVE_ROOM bytes
 * @lifetime: with FRESHLINK_FOUND, all fields are written; otherwise only at_ns
 *
 * The remaining lifetime counts from the packet's arrival. The time of arrival is the message's
 * receive time stamp (SO_TIMESTAMP, SO_TIMESTAMPNS, or the software time stamp of
 * SO_TIMESTAMPING). Without a time stamp, the time of arrival is the current time.
 *
 * Return: enum freshlink_found, or -1 with errno ENOBUFS: the buffer for control
 * messages was too small (MSG_CTRUNC), so the option may be missing from the buffer
 */
int freshlink_get_lifetime(const struct msghdr *msg,
			   struct freshlink_lifetime *lifetime);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* FRESHLINK_H */
