/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libfreshlink: packets that say how long they are of use.
 *
 * A lifetime travels in the packet's IP header, as the cross-layer option:
 * an IPv4 option or an IPv6 hop-by-hop option of 8 bytes. Routers on the way
 * discard what can no longer arrive in time. There are two ways to send it:
 *
 *   a deadline     for each datagram, freshlink_send() or, beside other control
 *                  messages, freshlink_set_deadline(). Needs no privilege, but
 *                  the kernel module xlo with its setting txtime, in the network
 *                  namespace that sends.
 *   the option     as it stands, freshlink_socket_lifetime() for all packets of
 *                  a socket, freshlink_set_option() for one. Needs CAP_NET_RAW,
 *                  but no module.
 *
 * The receiving side needs neither: freshlink_receive_lifetimes(), then
 * freshlink_get_lifetime() after each recvmsg().
 *
 * Everything here keeps to what it is handed; nothing is remembered. So any
 * thread may call any function at any time, and sockets and messages may be
 * used with everything else the kernel offers for them.
 *
 * Functions that can fail return -1 then, and errno says why.
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

/* What freshlink_set_deadline() and freshlink_set_option() take of the buffer
 * for control messages; and a buffer that receives all that can come with a
 * packet, if besides lifetimes only a receive time stamp is asked for.
 */
#define FRESHLINK_DEADLINE_ROOM	CMSG_SPACE(sizeof(uint64_t))
#define FRESHLINK_OPTION_ROOM	CMSG_SPACE(16)
#define FRESHLINK_RECEIVE_ROOM	(CMSG_SPACE(2048) + CMSG_SPACE(48))

/* By how much the option makes a packet longer. */
#define FRESHLINK_IPV4_SIZE	8
#define FRESHLINK_IPV6_SIZE	16

/* The greatest lifetimes there are, in ms. */
#define FRESHLINK_RELATIVE_MAX	65534
#define FRESHLINK_ABSOLUTE_MAX	43200000

/* Flags of struct freshlink_lifetime. */
#define FRESHLINK_CORRUPT_OK	0x01	/* a damaged payload is of use too */
#define FRESHLINK_CORRUPTED	0x02	/* a link says: this one is damaged */
#define FRESHLINK_SLOW		0x10	/* responds slowly to congestion */

/**
 * enum freshlink_kind - how a lifetime is written
 * @FRESHLINK_UNLIMITED: there is none; the option is there for its other fields
 * @FRESHLINK_RELATIVE: as the ms that remain; routers take their delay off
 * @FRESHLINK_ABSOLUTE: as the time of day at which it ends, for hosts whose
 *	clocks agree
 */
enum freshlink_kind {
	FRESHLINK_UNLIMITED,
	FRESHLINK_RELATIVE,
	FRESHLINK_ABSOLUTE,
};

/**
 * enum freshlink_stale - what routers shall do with the packet once it is stale
 * @FRESHLINK_FORWARD: send it like any other
 * @FRESHLINK_DISCARD: discard it
 * @FRESHLINK_TRUNCATE: send only its IP and transport headers
 * @FRESHLINK_RESERVED: only received: of no meaning yet, treated as forward
 */
enum freshlink_stale {
	FRESHLINK_FORWARD,
	FRESHLINK_DISCARD,
	FRESHLINK_TRUNCATE,
	FRESHLINK_RESERVED,
};

/**
 * enum freshlink_found - what freshlink_get_lifetime() found
 * @FRESHLINK_NONE: the packet came without the option
 * @FRESHLINK_FOUND: with a good one
 * @FRESHLINK_MALFORMED: with one that breaks the format's rules and so counts
 *	as none
 */
enum freshlink_found {
	FRESHLINK_NONE,
	FRESHLINK_FOUND,
	FRESHLINK_MALFORMED,
};

/**
 * struct freshlink_lifetime - what an option says
 * @kind: how its lifetime is written
 * @stale: what routers shall do once it is over
 * @remaining_ms: ms that remain at @at_ns: 0 to FRESHLINK_RELATIVE_MAX or, if
 *	absolute, -43199999 to FRESHLINK_ABSOLUTE_MAX, negative if it is over; not
 *	looked at, and received as 0, if unlimited
 * @at_ns: CLOCK_REALTIME. Received: when the packet arrived, see
 *	freshlink_get_lifetime(). Sent: what an absolute lifetime counts from, 0
 *	for now; not looked at otherwise
 * @reorder: how many packets of its flow may overtake or be overtaken by this
 *	one before the transport takes it for lost
 * @flags: FRESHLINK_CORRUPT_OK and the other two, or-ed
 *
 * Start with a zeroed one: fields that are not set are then as they should be.
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
 * freshlink_enable_deadlines() - let a socket's datagrams have deadlines
 * @fd: a datagram or raw socket
 * @clock: what the deadlines are told in: CLOCK_MONOTONIC, or with
 *	CAP_NET_ADMIN CLOCK_REALTIME or CLOCK_TAI
 *
 * This is SO_TXTIME in its deadline mode. Where the module xlo does not make
 * lifetimes of them, the queue of the network device gets to see the deadlines:
 * fq takes them for times of departure and holds packets back until then.
 *
 * Return: 0, or -1 with errno EINVAL (another clock), EOPNOTSUPP (another kind
 * of socket), EPERM (the clock needs CAP_NET_ADMIN), or one of setsockopt()
 */
int freshlink_enable_deadlines(int fd, clockid_t clock);

/**
 * freshlink_set_deadline() - give one message a deadline
 * @msg: the message, for sendmsg() on a socket with deadlines enabled. Its
 *	msg_control is a buffer, its msg_controllen how much of that is in use, 0
 *	at first
 * @room: size of the buffer; FRESHLINK_DEADLINE_ROOM more than is in use will do
 * @deadline_ns: on the clock of freshlink_enable_deadlines(), above 0. One that
 *	has passed is sent as such; one further away than can be written, with as
 *	much as can be
 *
 * Return: 0, or -1 with errno EINVAL (the deadline is not above 0) or ENOBUFS
 * (the buffer is too small), @msg as it was
 */
int freshlink_set_deadline(struct msghdr *msg, size_t room,
			   int64_t deadline_ns);

/**
 * freshlink_send() - send a datagram that is of use for a given time from now
 * @fd: a socket with deadlines enabled
 * @buf: the payload
 * @len: its size
 * @flags: as for sendto()
 * @dest: where to; NULL on a connected socket
 * @destlen: size of @dest
 * @lifetime_ns: the lifetime; the kernel writes it in whole ms, the nearest
 *
 * Return: as sendto(), and besides with errno EINVAL (the lifetime is negative
 * or does not fit the clock) or EOPNOTSUPP (deadlines are not enabled)
 */
ssize_t freshlink_send(int fd, const void *buf, size_t len, int flags,
		       const struct sockaddr *dest, socklen_t destlen,
		       int64_t lifetime_ns);

/**
 * freshlink_socket_lifetime() - have all packets of a socket carry one option
 * @fd: an IPv4 or IPv6 socket, of TCP too. An IPv6 socket sends the option over
 *	both: with IPv4-mapped addresses it is an IPv4 option
 * @lifetime: what it says, not FRESHLINK_ABSOLUTE; NULL: no option any more
 *
 * Needs CAP_NET_RAW, which may be given up afterwards. It takes the place of
 * other IPv4 options and hop-by-hop options that were set for the socket.
 *
 * Return: 0, or -1 with errno EAFNOSUPPORT (neither IPv4 nor IPv6), EINVAL (a
 * field is out of its range), EPERM (no CAP_NET_RAW), or one of setsockopt()
 */
int freshlink_socket_lifetime(int fd,
			      const struct freshlink_lifetime *lifetime);

/**
 * freshlink_set_option() - let one message carry an option
 * @msg: the message, for sendmsg(); as for freshlink_set_deadline()
 * @room: size of its buffer; FRESHLINK_OPTION_ROOM more than is in use will do
 * @family: how the packet goes, AF_INET or AF_INET6; AF_INET for IPv4-mapped
 *	addresses
 * @lifetime: what the option says
 *
 * Needs CAP_NET_RAW when it is sent: without it sendmsg() fails with EPERM over
 * IPv6, with EINVAL over IPv4.
 *
 * Return: 0, or -1 with errno EAFNOSUPPORT (another family), EINVAL (a field is
 * out of its range) or ENOBUFS (the buffer is too small), @msg as it was
 */
int freshlink_set_option(struct msghdr *msg, size_t room, int family,
			 const struct freshlink_lifetime *lifetime);

/**
 * freshlink_receive_lifetimes() - have a socket hand over received options
 * @fd: an IPv4 or IPv6 datagram or raw socket. An IPv6 socket then hands over
 *	those of IPv4 packets too
 *
 * Return: 0, or -1 with errno EAFNOSUPPORT (neither IPv4 nor IPv6), EOPNOTSUPP
 * (another kind of socket), or one of setsockopt()
 */
int freshlink_receive_lifetimes(int fd);

/**
 * freshlink_get_lifetime() - what the option of a received packet says
 * @msg: the message, as recvmsg() left it. FRESHLINK_RECEIVE_ROOM bytes for
 *	control messages are enough, whatever was sent
 * @lifetime: written: all of it with FRESHLINK_FOUND, else only at_ns
 *
 * What remains is counted from the packet's arrival: from its receive time
 * stamp if the message has one (SO_TIMESTAMP, SO_TIMESTAMPNS, or the software's
 * of SO_TIMESTAMPING), else from now.
 *
 * Return: enum freshlink_found, or -1 with errno ENOBUFS: the buffer for control
 * messages was too small (MSG_CTRUNC) and does not tell
 */
int freshlink_get_lifetime(const struct msghdr *msg,
			   struct freshlink_lifetime *lifetime);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* FRESHLINK_H */
