// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data packets that leave as one message, which the kernel or the device divides (UDP_SEGMENT). The
 * kernel's network stack then works once for all of them. They have the same length; only the last
 * one may be shorter.
 *
 * A queue of this host takes or drops a message as a whole. Therefore a message has at most the
 * bytes that the connection's rate gives in 1 ms. A packet that carries its lifetime is never joined,
 * because such a queue would report one packet of the message only, nor one without UDP's checksum,
 * which the kernel cannot divide.
 */
#include "io.h"

#include <netinet/udp.h>
#include <string.h>

#include "../conn.h"

#define JOINED_MAX	65000	/* bytes: with headers less than the 64 KiB that devices take */
#define MSEC_PER_SEC	1000

_Static_assert(FDCCP_BATCH <= 64, "the kernel takes at most 64 datagrams in a message");

/* Whether a packet has to leave alone. */
static bool is_single(const struct fdccp_io *io, const struct fdccp_datagram *d)
{
	return d->bare || fdccp_lifetime_carried(io, d);
}

/* Whether all but the lengths lets two packets leave as one message. */
static bool alike(const struct fdccp_io *io, const struct fdccp_datagram *a,
		  const struct fdccp_datagram *b)
{
	return a->conn == b->conn && a->ecn == b->ecn && !is_single(io, a) &&
	       !is_single(io, b) && !memcmp(&a->path, &b->path, sizeof(a->path));
}

/* Whether a message of so many datagrams takes one more. */
static bool has_room(const struct fdccp_datagram *first, size_t count, size_t more)
{
	size_t bytes = first->len * count + more;

	return bytes <= JOINED_MAX && bytes <= fdccp_conn_rate(first->conn) / MSEC_PER_SEC;
}

bool fdccp_join(struct fdccp_io *io, unsigned int i)
{
	struct fdccp_tx *tx = io->tx;
	const struct fdccp_datagram *d = &tx->datagram[i], *first;
	struct msghdr *msg;

	if (!tx->messages || !fdccp_socket_of(io, d)->joins)
		return false;
	msg = &tx->msg[tx->messages - 1].msg_hdr;
	first = &d[-(ptrdiff_t)msg->msg_iovlen];
	if (!alike(io, first, d) || d[-1].len != first->len || d->len > first->len || !d->len ||
	    !has_room(first, msg->msg_iovlen, d->len))
		return false;
	tx->iov[i] = (struct iovec){ d->data, d->len };
	if (msg->msg_iovlen++ == 1)
		fdccp_control_write_segment(msg, first->len);
	return true;
}
