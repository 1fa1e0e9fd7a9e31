// SPDX-License-Identifier: GPL-2.0-or-later
/* Receives and sends datagrams, up to FDCCP_BATCH with one system call. */
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

static void read_batch(struct fdccp_io *io, struct fdccp_socket *s)
{
	struct fdccp_batch *rx = io->rx;
	int count;

	for (unsigned int i = 0; i < FDCCP_BATCH; i++) {
		rx->iov[i] = (struct iovec){ rx->data[i], sizeof(rx->data[i]) };
		rx->msg[i].msg_hdr = (struct msghdr){
			.msg_name = &rx->name[i],
			.msg_namelen = sizeof(rx->name[i]),
			.msg_iov = &rx->iov[i],
			.msg_iovlen = 1,
			.msg_control = rx->control[i],
			.msg_controllen = sizeof(rx->control[i]),
		};
	}
	/* after an error the socket is still readable, so that the next round reads it */
	count = recvmmsg(s->fd, rx->msg, FDCCP_BATCH, MSG_DONTWAIT, NULL);
	rx->count = count > 0 ? count : 0;
	rx->next = 0;
	io->rx_socket = s;
	s->ready &= ~EPOLLIN;
}

/* DCCP connects two hosts; an address for several is not the address of a connection. */
static bool is_unicast(const union fdccp_address *address)
{
	in_addr_t ip = ntohl(address->in.sin_addr.s_addr);

	if (fdccp_is_ipv4(address))
		return !IN_MULTICAST(ip) && ip != INADDR_BROADCAST;
	return !IN6_IS_ADDR_MULTICAST(&address->in6.sin6_addr);
}

static void receive_one(struct fdccp_io *io, unsigned int i)
{
	struct msghdr *msg = &io->rx->msg[i].msg_hdr;
	struct fdccp_datagram d = {
		.path.remote = io->rx->name[i],
		.data = io->rx->data[i],
		.len = io->rx->msg[i].msg_len,
	};

	fdccp_io_count(io, FDCCP_IO_COUNT_received);
	fdccp_control_read(io->rx_socket, msg, &d);
	if (msg->msg_flags & MSG_TRUNC)
		fdccp_io_count(io, FDCCP_IO_COUNT_too_long);
	else if (d.path.local.sa.sa_family == AF_UNSPEC ||
		 (io->carrier == FDCCP_CARRIER_IP && !fdccp_ip_strip(&d)))
		fdccp_io_count(io, FDCCP_IO_COUNT_no_address);
	else if (!is_unicast(&d.path.local))
		fdccp_io_count(io, FDCCP_IO_COUNT_multicast);
	else
		fdccp_receive(io->ep, &d, fdccp_io_now(io));
}

bool fdccp_rx_next(struct fdccp_io *io)
{
	for (unsigned int i = 0; i < io->sockets && io->rx->next == io->rx->count; i++) {
		if (io->socket[i].ready & EPOLLIN)
			read_batch(io, &io->socket[i]);
	}
	if (io->rx->next == io->rx->count)
		return false;
	receive_one(io, io->rx->next++);
	return true;
}

struct fdccp_datagram *fdccp_tx_reserve(struct fdccp_io *io)
{
	struct fdccp_batch *tx = io->tx;

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

void fdccp_tx_commit(struct fdccp_io *io)
{
	unsigned int i = io->tx->count++;
	struct fdccp_datagram *d = &io->tx->datagram[i];
	struct msghdr *msg = &io->tx->msg[i].msg_hdr;

	io->tx->iov[i] = (struct iovec){ d->data, d->len };
	*msg = (struct msghdr){
		.msg_name = &d->path.remote,
		.msg_namelen = fdccp_address_size(&d->path.remote),
		.msg_iov = &io->tx->iov[i],
		.msg_iovlen = 1,
		.msg_control = io->tx->control[i],
	};
	fdccp_control_write(msg, d);
	fdccp_lifetime_write(io, msg, d);
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

static sa_family_t family_of(const struct fdccp_batch *tx, unsigned int i)
{
	return tx->datagram[i].path.local.sa.sa_family;
}

/* The socket for the next datagram. The core has only paths of sockets that exist. */
static struct fdccp_socket *next_socket(struct fdccp_io *io)
{
	bool second = io->socket[0].local.sa.sa_family != family_of(io->tx, io->tx->next);

	return &io->socket[second];
}

/* Sends datagrams of one family from @tx->next on. Return: how many, or a negative error of the
 * first one.
 */
static int send_some(struct fdccp_batch *tx, const struct fdccp_socket *s)
{
	unsigned int end = tx->next + 1;
	int count = 0;

	while (end < tx->count && family_of(tx, end) == family_of(tx, tx->next))
		end++;
	for (int i = 0; i < TRIES; i++) {
		count = sendmmsg(s->fd, tx->msg + tx->next, end - tx->next, MSG_DONTWAIT);
		if (count >= 0 || errno == EAGAIN || errno == ENOBUFS)
			break;
	}
	return count < 0 ? -errno : count;
}

void fdccp_tx_flush(struct fdccp_io *io)
{
	struct fdccp_batch *tx = io->tx;

	while (!io->blocked && tx->next < tx->count) {
		struct fdccp_socket *s = next_socket(io);
		int count = send_some(tx, s);

		if (count >= 0) {
			tx->next += count;
			io->counter[FDCCP_IO_COUNT_sent] += count;
		} else if (count == -EAGAIN) {
			block(io, s);
		} else {
			send_failed(io, &tx->datagram[tx->next++], -count);
		}
	}
	if (tx->next == tx->count)
		tx->next = tx->count = 0;
}
