// SPDX-License-Identifier: GPL-2.0-or-later
/* Receives messages, up to FDCCP_BATCH with one system call, and hands their datagrams to the core.
 * A message is one datagram, or with UDP_GRO several of one peer: all have the same length but the
 * last one, which may be shorter.
 */
#include "io.h"

#include <netinet/udp.h>
#include <string.h>
#include <sys/epoll.h>

static void read_batch(struct fdccp_io *io, struct fdccp_socket *s)
{
	struct fdccp_rx *rx = io->rx;
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
	rx->segment = 0;
	rx->socket = s;
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

static void receive_one(struct fdccp_io *io, struct fdccp_datagram *d, bool truncated)
{
	fdccp_io_count(io, FDCCP_IO_COUNT_received);
	if (truncated || d->len > FDCCP_IP_HEADER_MAX + FDCCP_DATAGRAM_MAX)
		fdccp_io_count(io, FDCCP_IO_COUNT_too_long);
	else if (d->path.local.sa.sa_family == AF_UNSPEC ||
		 (io->carrier == FDCCP_CARRIER_IP && !fdccp_ip_strip(d)))
		fdccp_io_count(io, FDCCP_IO_COUNT_no_address);
	else if (!is_unicast(&d->path.local))
		fdccp_io_count(io, FDCCP_IO_COUNT_multicast);
	else
		fdccp_receive(io->ep, d, fdccp_io_now(io));
}

/* The length of a message's datagrams but the last one. */
static size_t segment_size(struct msghdr *msg, size_t len)
{
	int size = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO)
			memcpy(&size, CMSG_DATA(c), sizeof(size));
	}
	return size > 0 ? (size_t)size : len;
}

/* Reads what all datagrams of the next message have in common. */
static void begin_message(struct fdccp_rx *rx)
{
	struct mmsghdr *m = &rx->msg[rx->next];

	rx->datagram = (struct fdccp_datagram){
		.path.remote = rx->name[rx->next],
		.data = rx->data[rx->next],
	};
	fdccp_control_read(rx->socket, &m->msg_hdr, &rx->datagram);
	rx->left = m->msg_len;
	rx->segment = segment_size(&m->msg_hdr, rx->left);
}

/* Cuts the next datagram off. */
static struct fdccp_datagram next_datagram(struct fdccp_rx *rx)
{
	struct fdccp_datagram d;

	if (!rx->segment)
		begin_message(rx);
	d = rx->datagram;
	d.len = rx->left < rx->segment ? rx->left : rx->segment;
	rx->datagram.data += d.len;
	rx->left -= d.len;
	return d;
}

/* Reads the sockets in turn, so that one with many datagrams does not make the other one wait. */
static bool has_message(struct fdccp_io *io)
{
	struct fdccp_rx *rx = io->rx;
	unsigned int last = rx->socket - io->socket;

	for (unsigned int i = 1; i <= io->sockets && rx->next == rx->count; i++) {
		struct fdccp_socket *s = &io->socket[(last + i) % io->sockets];

		if (s->ready & EPOLLIN)
			read_batch(io, s);
	}
	return rx->next < rx->count;
}

bool fdccp_rx_next(struct fdccp_io *io)
{
	struct fdccp_rx *rx = io->rx;
	struct fdccp_datagram d;
	bool truncated;

	if (!io->receives_left || !has_message(io))
		return false;
	io->receives_left--;
	d = next_datagram(rx);
	truncated = rx->msg[rx->next].msg_hdr.msg_flags & MSG_TRUNC;
	if (!rx->left) {
		rx->next++;
		rx->segment = 0;
	}
	receive_one(io, &d, truncated);
	return true;
}
