// SPDX-License-Identifier: GPL-2.0-or-later
/* Sends messages of one or more datagrams, up to FDCCP_BATCH datagrams with one system call. */
#include "io.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/epoll.h>

/* A pending error of an earlier packet (ICMP) makes a call fail that has nothing to do with it, and
 * is gone then. An error that comes so often in a row is the datagram's own. ENOBUFS always is: the
 * interface's queue has dropped the datagram.
 */
#define TRIES	8

struct fdccp_datagram *fdccp_tx_reserve(struct fdccp_io *io)
{
	struct fdccp_tx *tx = io->tx;

	if (tx->count == FDCCP_BATCH)
		fdccp_tx_flush(io);
	if (io->blocked)
		return NULL;
	tx->datagram[tx->count] = (struct fdccp_datagram){
		.data = tx->data[tx->count],
		.size = FDCCP_DATAGRAM_MAX,
		.deadline = FDCCP_NEVER,
	};
	return &tx->datagram[tx->count];
}

/* Makes a message of the datagram @i alone. */
static void add_message(struct fdccp_io *io, unsigned int i)
{
	struct fdccp_tx *tx = io->tx;
	const struct fdccp_datagram *d = &tx->datagram[i];
	unsigned int m = tx->messages++;
	struct msghdr *msg = &tx->msg[m].msg_hdr;

	tx->iov[i] = (struct iovec){ d->data, d->len };
	*msg = (struct msghdr){
		.msg_name = (void *)&d->path.remote,
		.msg_namelen = fdccp_address_size(&d->path.remote),
		.msg_iov = &tx->iov[i],
		.msg_iovlen = 1,
		.msg_control = tx->control[m],
	};
	fdccp_control_write(msg, d);
	fdccp_lifetime_write(io, msg, d);
}

void fdccp_tx_commit(struct fdccp_io *io, bool data)
{
	struct fdccp_tx *tx = io->tx;
	unsigned int i = tx->count++;

	if (!data || !fdccp_join(io, i))
		add_message(io, i);
}

static void watch_writable(struct fdccp_io *io, struct fdccp_socket *s, bool writable)
{
	struct epoll_event event = {
		.events = EPOLLIN | (writable ? EPOLLOUT : 0),
		.data.ptr = s,
	};

	epoll_ctl(io->epoll, EPOLL_CTL_MOD, s->fd, &event);
}

static void block(struct fdccp_io *io, struct fdccp_socket *s)
{
	io->blocked = s;
	fdccp_io_count(io, FDCCP_IO_COUNT_blocked);
	watch_writable(io, s, true);
}

void fdccp_tx_unblock(struct fdccp_io *io)
{
	watch_writable(io, io->blocked, false);
	io->blocked = NULL;
	fdccp_tx_flush(io);
	if (!io->blocked)
		fdccp_queue_all(io);
}

/* Tells the core what the kernel said of a datagram, in the form of an ICMP message. */
static void tell_core(struct fdccp_io *io, const struct fdccp_datagram *d, bool too_big)
{
	struct fdccp_icmp icmp = {
		.path = d->path,
		.family = d->path.local.sa.sa_family,
		.quoted = d->data,
		.quoted_len = d->len,
	};

	if (icmp.family == AF_INET) {
		icmp.type = ICMP_DEST_UNREACH;
		icmp.code = too_big ? ICMP_FRAG_NEEDED : ICMP_HOST_UNREACH;
	} else {
		icmp.type = too_big ? ICMP6_PACKET_TOO_BIG : ICMP6_DST_UNREACH;
	}
	fdccp_icmp(io->ep, &icmp, fdccp_io_now(io));
}

static void send_failed(struct fdccp_io *io, const struct fdccp_datagram *d, int err)
{
	switch (err) {
	case EMSGSIZE:
		fdccp_io_count(io, FDCCP_IO_COUNT_too_big);
		tell_core(io, d, true);
		break;
	case ENETUNREACH:
	case EHOSTUNREACH:
		fdccp_io_count(io, FDCCP_IO_COUNT_no_route);
		tell_core(io, d, false);
		break;
	default:
		fdccp_io_count(io, FDCCP_IO_COUNT_unsent);
	}
}

static const struct fdccp_datagram *first_datagram(const struct fdccp_tx *tx, unsigned int message)
{
	return &tx->datagram[tx->msg[message].msg_hdr.msg_iov - tx->iov];
}

/* Whether two messages can leave by one system call. */
static bool together(const struct fdccp_tx *tx, unsigned int message, unsigned int other)
{
	const struct fdccp_datagram *a = first_datagram(tx, message);
	const struct fdccp_datagram *b = first_datagram(tx, other);

	return a->path.local.sa.sa_family == b->path.local.sa.sa_family && a->bare == b->bare;
}

/* Sends messages that can leave together, from @tx->next on. Return: how many, or a negative error
 * of the first one.
 */
static int send_some(struct fdccp_tx *tx, struct fdccp_socket *s)
{
	unsigned int end = tx->next + 1;
	int count = fdccp_udp_set_bare(s, first_datagram(tx, tx->next)->bare);

	if (count)
		return count;
	while (end < tx->messages && together(tx, end, tx->next))
		end++;
	for (int i = 0; i < TRIES; i++) {
		count = sendmmsg(s->fd, tx->msg + tx->next, end - tx->next, MSG_DONTWAIT);
		if (count >= 0 || errno == EAGAIN || errno == ENOBUFS)
			break;
	}
	return count < 0 ? -errno : count;
}

static void count_sent(struct fdccp_io *io, unsigned int messages)
{
	struct fdccp_tx *tx = io->tx;

	for (; messages; messages--)
		io->counter[FDCCP_IO_COUNT_sent] += tx->msg[tx->next++].msg_hdr.msg_iovlen;
}

/* Makes a message of each datagram of the next message, and of all later ones. */
static void part(struct fdccp_io *io)
{
	struct fdccp_tx *tx = io->tx;

	tx->messages = tx->next;
	for (unsigned int i = first_datagram(tx, tx->next) - tx->datagram; i < tx->count; i++)
		add_message(io, i);
}

/* The kernel has refused the next message. EINVAL and EIO may mean that it does not take joined
 * datagrams on this path; alone, each of them has its own error.
 */
static void message_failed(struct fdccp_io *io, struct fdccp_socket *s, int err)
{
	struct fdccp_tx *tx = io->tx;
	const struct fdccp_datagram *first = first_datagram(tx, tx->next);
	size_t datagrams = tx->msg[tx->next].msg_hdr.msg_iovlen;

	if (datagrams > 1 && err != ENOBUFS) {
		if (err == EINVAL || err == EIO)
			s->joins = false;
		part(io);
		return;
	}
	tx->next++;
	for (size_t i = 0; i < datagrams; i++)
		send_failed(io, &first[i], err);
}

void fdccp_tx_flush(struct fdccp_io *io)
{
	struct fdccp_tx *tx = io->tx;

	while (!io->blocked && tx->next < tx->messages) {
		struct fdccp_socket *s = fdccp_socket_of(io, first_datagram(tx, tx->next));
		int count = send_some(tx, s);

		if (count >= 0)
			count_sent(io, count);
		else if (count == -EAGAIN)
			block(io, s);
		else
			message_failed(io, s, -count);
	}
	if (tx->next == tx->messages)
		tx->next = tx->messages = tx->count = 0;
}
