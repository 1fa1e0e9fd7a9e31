// SPDX-License-Identifier: GPL-2.0-or-later
/* What both carriers need of a socket: local addresses, ECN, don't-fragment, and errors. */
#include "io.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

#ifndef IP_RECVERR_RFC4884
#define IP_RECVERR_RFC4884	26
#endif
#ifndef IPV6_RECVERR_RFC4884
#define IPV6_RECVERR_RFC4884	31
#endif

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

/**
 * struct setting - an option of a socket
 * @name: its number
 * @value: its value
 */
struct setting {
	int name, value;
};

/* PMTUDISC_PROBE sets don't-fragment, and leaves the search for the path's MTU to the core. */
static const struct setting settings4[] = {
	{ IP_PKTINFO, 1 },
	{ IP_RECVTOS, 1 },
	{ IP_RECVOPTS, 1 },
	{ IP_MTU_DISCOVER, IP_PMTUDISC_PROBE },
	{ IP_RECVERR, 1 },
	{ IP_RECVERR_RFC4884, 1 },
};

static const struct setting settings6[] = {
	{ IPV6_RECVPKTINFO, 1 },
	{ IPV6_RECVTCLASS, 1 },
	{ IPV6_RECVHOPOPTS, 1 },
	{ IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE },
	{ IPV6_RECVERR, 1 },
	{ IPV6_RECVERR_RFC4884, 1 },
};

static int set_all(int fd, int level, const struct setting *settings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct setting *s = &settings[i];

		if (setsockopt(fd, level, s->name, &s->value, sizeof(s->value)))
			return -errno;
	}
	return 0;
}

int fdccp_socket_setup(const struct fdccp_socket *s, const char **why)
{
	const int size = FDCCP_RECEIVE_BUFFER;

	*why = "the socket refuses an option that the library needs";
	/* the kernel takes at most net.core.rmem_max */
	if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		return -errno;
	if (fdccp_is_ipv4(&s->local))
		return set_all(s->fd, IPPROTO_IP, settings4, COUNT(settings4));
	return set_all(s->fd, IPPROTO_IPV6, settings6, COUNT(settings6));
}

void fdccp_set_port(union fdccp_address *address, in_port_t port)
{
	if (fdccp_is_ipv4(address))
		address->in.sin_port = port;
	else
		address->in6.sin6_port = port;
}

in_port_t fdccp_port(const union fdccp_address *address)
{
	return fdccp_is_ipv4(address) ? address->in.sin_port : address->in6.sin6_port;
}

int fdccp_socket_bind(struct fdccp_socket *s, const char **why)
{
	socklen_t len = sizeof(s->local);

	*why = "the local address or UDP port cannot be bound";
	if (bind(s->fd, &s->local.sa, fdccp_address_size(&s->local)) ||
	    getsockname(s->fd, &s->local.sa, &len))
		return -errno;
	return 0;
}

static bool is_any(const union fdccp_address *address)
{
	if (fdccp_is_ipv4(address))
		return address->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

/* Lets the kernel choose the source address, by a socket that sends nothing. */
static int ask_route(const union fdccp_address *remote, socklen_t len, union fdccp_address *source)
{
	int fd = socket(remote->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, &remote->sa, len) || getsockname(fd, &source->sa, &len))
		err = -errno;
	close(fd);
	return err;
}

static const struct fdccp_socket *find_socket(const struct fdccp_io *io, sa_family_t family)
{
	for (unsigned int i = 0; i < io->sockets; i++) {
		if (io->socket[i].local.sa.sa_family == family)
			return &io->socket[i];
	}
	return NULL;
}

struct fdccp_socket *fdccp_socket_of(struct fdccp_io *io, const struct fdccp_datagram *d)
{
	return &io->socket[io->socket[0].local.sa.sa_family != d->path.local.sa.sa_family];
}

int fdccp_socket_source(const struct fdccp_io *io, const union fdccp_address *remote,
			union fdccp_address *source)
{
	const struct fdccp_socket *s = find_socket(io, remote->sa.sa_family);
	int err;

	if (!s)
		return -EAFNOSUPPORT;
	*source = s->local;
	if (!is_any(&s->local))
		return 0;
	err = ask_route(remote, fdccp_address_size(remote), source);
	fdccp_set_port(source, fdccp_port(&s->local));
	return err;
}

static void read_pktinfo4(const struct cmsghdr *c, struct fdccp_datagram *d, in_port_t port,
			  bool received)
{
	struct in_pktinfo info;

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	/* a packet to all hosts of a subnet: the address for an answer is another one */
	if (received && info.ipi_addr.s_addr != info.ipi_spec_dst.s_addr)
		info.ipi_addr.s_addr = htonl(INADDR_BROADCAST);
	d->path.local.in = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = port,
		.sin_addr = info.ipi_addr,
	};
}

static void read_pktinfo6(const struct cmsghdr *c, struct fdccp_datagram *d, in_port_t port)
{
	struct in6_pktinfo info;

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	d->path.local.in6 = (struct sockaddr_in6){
		.sin6_family = AF_INET6,
		.sin6_port = port,
		.sin6_addr = info.ipi6_addr,
	};
	if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr))
		d->path.local.in6.sin6_scope_id = info.ipi6_ifindex;
}

static bool is_option(const struct cmsghdr *c)
{
	return (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVOPTS) ||
	       (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPOPTS);
}

void fdccp_control_read(const struct fdccp_socket *s, struct msghdr *msg, struct fdccp_datagram *d)
{
	in_port_t port = fdccp_port(&s->local);
	struct freshlink_lifetime lifetime;
	int tclass;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			read_pktinfo4(c, d, port, !(msg->msg_flags & MSG_ERRQUEUE));
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			read_pktinfo6(c, d, port);
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
			d->ecn = *CMSG_DATA(c) & 3;
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
			memcpy(&tclass, CMSG_DATA(c), sizeof(tclass));
			d->ecn = tclass & 3;
		} else if (is_option(c)) {
			d->stamped = freshlink_get_lifetime(msg, &lifetime) == FRESHLINK_FOUND;
		}
	}
}

/* Appends a control message. FDCCP_CONTROL_ROOM suffices for all that the adapter writes. */
static void append(struct msghdr *msg, int level, int type, const void *data, size_t len)
{
	struct cmsghdr head = { .cmsg_level = level, .cmsg_type = type, .cmsg_len = CMSG_LEN(len) };
	char *to = (char *)msg->msg_control + msg->msg_controllen;

	memcpy(to, &head, sizeof(head));
	memcpy(to + CMSG_LEN(0), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

void fdccp_control_write(struct msghdr *msg, const struct fdccp_datagram *d)
{
	const int ecn = d->ecn;

	if (fdccp_is_ipv4(&d->path.local)) {
		struct in_pktinfo info = { .ipi_spec_dst = d->path.local.in.sin_addr };

		append(msg, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
		append(msg, IPPROTO_IP, IP_TOS, &ecn, sizeof(ecn));
	} else {
		struct in6_pktinfo info = {
			.ipi6_addr = d->path.local.in6.sin6_addr,
			.ipi6_ifindex = d->path.local.in6.sin6_scope_id,
		};

		append(msg, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
		append(msg, IPPROTO_IPV6, IPV6_TCLASS, &ecn, sizeof(ecn));
	}
}

void fdccp_control_write_segment(struct msghdr *msg, uint16_t size)
{
	append(msg, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size));
}
