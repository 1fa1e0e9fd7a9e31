// SPDX-License-Identifier: GPL-2.0-or-later
/* UDP packets, with the information that the kernel has about them: see datagram.h. */
#include <string.h>

#include "../lib/clock.h"
#include "../lib/units.h"
#include "address.h"
#include "datagram.h"

/* Room for all control messages of a packet. IPv4 packets have both kinds of PKTINFO if the
 * socket is of the family AF_INET6.
 */
#define CONTROL_LEN	256

static bool enable(int fd, int level, int option)
{
	int on = 1;

	return !setsockopt(fd, level, option, &on, sizeof(on));
}

static int family_of(int fd)
{
	int family = AF_UNSPEC;
	socklen_t len = sizeof(family);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	return family;
}

bool datagram_prepare(int fd)
{
	bool ipv4 = enable(fd, IPPROTO_IP, IP_PKTINFO) &&
		    enable(fd, IPPROTO_IP, IP_RECVTTL) &&
		    enable(fd, IPPROTO_IP, IP_RECVTOS) &&
		    enable(fd, SOL_SOCKET, SO_TIMESTAMPNS);

	if (!ipv4 || family_of(fd) == AF_INET)
		return ipv4;
	return enable(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO) &&
	       enable(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT) &&
	       enable(fd, IPPROTO_IPV6, IPV6_RECVTCLASS);
}

static void read_ipv4(struct datagram *d, const struct cmsghdr *c)
{
	struct in_pktinfo info;
	int ttl;

	switch (c->cmsg_type) {
	case IP_PKTINFO:
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		d->to = address_map(info.ipi_spec_dst);
		/* ipi_spec_dst is always an address of this host */
		d->is_unicast = info.ipi_addr.s_addr == info.ipi_spec_dst.s_addr;
		break;
	case IP_TTL:
		memcpy(&ttl, CMSG_DATA(c), sizeof(ttl));
		d->ttl = ttl;
		break;
	case IP_TOS:
		d->tos = *CMSG_DATA(c);
		break;
	}
}

static void read_ipv6(struct datagram *d, const struct cmsghdr *c)
{
	struct in6_pktinfo info;
	int number;

	switch (c->cmsg_type) {
	case IPV6_PKTINFO:
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		/* for an IPv4 packet, IP_PKTINFO has more information */
		if (IN6_IS_ADDR_V4MAPPED(&info.ipi6_addr))
			break;
		d->to = info.ipi6_addr;
		d->is_unicast = !IN6_IS_ADDR_MULTICAST(&info.ipi6_addr);
		break;
	case IPV6_HOPLIMIT:
		memcpy(&number, CMSG_DATA(c), sizeof(number));
		d->ttl = number;
		break;
	case IPV6_TCLASS:
		memcpy(&number, CMSG_DATA(c), sizeof(number));
		d->tos = number;
		break;
	}
}

static void read_control(struct datagram *d, struct msghdr *msg)
{
	struct timespec ts;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == IPPROTO_IP) {
			read_ipv4(d, c);
		} else if (c->cmsg_level == IPPROTO_IPV6) {
			read_ipv6(d, c);
		} else if (c->cmsg_level == SOL_SOCKET &&
			   c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			d->received_ns = ts.tv_sec * (int64_t)FL_SEC + ts.tv_nsec;
		}
	}
}

static void read_peer(struct datagram *d)
{
	const struct sockaddr_in6 *ipv6 = (void *)&d->peer;
	const struct sockaddr_in *ipv4 = (void *)&d->peer;

	if (d->peer.ss_family == AF_INET) {
		d->from = address_map(ipv4->sin_addr);
		d->port = ntohs(ipv4->sin_port);
	} else {
		d->from = ipv6->sin6_addr;
		d->port = ntohs(ipv6->sin6_port);
	}
}

bool datagram_receive(int fd, struct datagram *d)
{
	char control[CONTROL_LEN] __attribute__((aligned(sizeof(size_t))));
	struct iovec iov = { d->bytes, sizeof(d->bytes) };
	struct msghdr msg = {
		.msg_name = &d->peer, .msg_namelen = sizeof(d->peer),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(fd, &msg, MSG_DONTWAIT);

	if (len < 0)
		return false;
	d->len = len;
	d->peer_len = msg.msg_namelen;
	d->is_unicast = false;
	d->received_ns = fl_real();
	read_peer(d);
	read_control(d, &msg);
	return true;
}

/* Appends a control message. */
static void put(struct msghdr *msg, int level, int type, const void *data,
		size_t len)
{
	struct cmsghdr *c = (void *)((char *)msg->msg_control +
				     msg->msg_controllen);

	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

static void put_source(struct msghdr *msg, const struct datagram *d, int tos)
{
	struct in_pktinfo info4 = { .ipi_spec_dst = address_unmap(&d->to) };
	struct in6_pktinfo info6 = { .ipi6_addr = d->to };

	if (IN6_IS_ADDR_V4MAPPED(&d->to)) {
		put(msg, IPPROTO_IP, IP_PKTINFO, &info4, sizeof(info4));
		put(msg, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
		return;
	}
	put(msg, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6));
	put(msg, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
}

bool datagram_answer(int fd, const struct datagram *d, uint8_t tos)
{
	char control[CONTROL_LEN] __attribute__((aligned(sizeof(size_t)))) = { 0 };
	struct iovec iov = { (void *)d->bytes, d->len };
	struct msghdr msg = {
		.msg_name = (void *)&d->peer, .msg_namelen = d->peer_len,
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};

	put_source(&msg, d, tos);
	return sendmsg(fd, &msg, MSG_DONTWAIT) == (ssize_t)d->len;
}
