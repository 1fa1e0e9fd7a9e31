// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket's error queue: ICMP messages, and packets that became stale in a queue of this host.
 */
#include "io.h"

#include <endian.h>
#include <linux/errqueue.h>
#include <linux/xlo_rto.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/epoll.h>

#define LINK_HEADER_MAX	64	/* bytes before the IP header in a quoted frame */
#define EXT_VERSION	2	/* RFC 4884 section 7 */

/* Reads a transport header of a packet of ours. Return: whether it is one. */
static bool read_transport(const struct fdccp_io *io, uint8_t protocol, const uint8_t *at,
			   size_t len, struct fdccp_icmp *icmp)
{
	size_t skip = 0;

	if (io->carrier == FDCCP_CARRIER_UDP) {
		struct udphdr udp;

		skip = sizeof(udp);
		if (protocol != IPPROTO_UDP || len < skip)
			return false;
		memcpy(&udp, at, skip);
		/* both families have the port at the same place */
		icmp->path.local.in.sin_port = udp.uh_sport;
		icmp->path.remote.in.sin_port = udp.uh_dport;
	} else if (protocol != IPPROTO_DCCP) {
		return false;
	}
	icmp->quoted = at + skip;
	icmp->quoted_len = len - skip;
	return true;
}

static bool read_ipv4(const struct fdccp_io *io, const uint8_t *at, size_t len,
		      struct fdccp_icmp *icmp)
{
	struct ip ip;
	size_t header;

	if (len < sizeof(ip))
		return false;
	memcpy(&ip, at, sizeof(ip));
	header = ip.ip_hl * 4;
	if (ip.ip_v != 4 || header < sizeof(ip) || header > len || ntohs(ip.ip_len) != len)
		return false;
	icmp->path.local.in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = ip.ip_src };
	icmp->path.remote.in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = ip.ip_dst };
	return read_transport(io, ip.ip_p, at + header, len - header, icmp);
}

static bool read_ipv6(const struct fdccp_io *io, const uint8_t *at, size_t len,
		      struct fdccp_icmp *icmp)
{
	struct ip6_hdr ip;
	size_t header = sizeof(ip);
	uint8_t next;

	if (len < sizeof(ip) || at[0] >> 4 != 6)
		return false;
	memcpy(&ip, at, sizeof(ip));
	if (ntohs(ip.ip6_plen) != len - sizeof(ip))
		return false;
	icmp->path.local.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
						      .sin6_addr = ip.ip6_src };
	icmp->path.remote.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
						       .sin6_addr = ip.ip6_dst };
	next = ip.ip6_nxt;
	/* the lifetime is in a hop-by-hop header */
	if (next == IPPROTO_HOPOPTS && len >= header + 8) {
		next = at[header];
		header += (at[header + 1] + 1) * 8;
	}
	return header <= len && read_transport(io, next, at + header, len - header, icmp);
}

/* A quoted frame begins with the link's header, whose length nobody tells: the IP header is where
 * its length fits the frame's. The core believes only what quotes a packet in flight.
 */
static bool read_frame(const struct fdccp_io *io, const uint8_t *frame, size_t len,
		       struct fdccp_icmp *icmp)
{
	icmp->local = true;
	for (size_t at = 0; at < len && at <= LINK_HEADER_MAX; at++) {
		if (icmp->family == AF_INET ? read_ipv4(io, frame + at, len - at, icmp) :
			   read_ipv6(io, frame + at, len - at, icmp))
			return true;
	}
	return false;
}

/* Finds xlo_rto's object in the extension structure of RFC 4884. Return: its code, or -1. */
static int find_code(const uint8_t *ext, size_t len)
{
	size_t at = XRTO_EXT_HLEN;

	if (len < XRTO_EXT_HLEN || ext[0] >> 4 != EXT_VERSION)
		return -1;
	while (at + XRTO_OBJECT_LEN <= len) {
		size_t size = ext[at] << 8 | ext[at + 1];

		if (size < XRTO_OBJECT_LEN || size > len - at)
			return -1;
		if (ext[at + 2] == XRTO_OBJECT_CLASS)
			return ext[at + 3];
		at += size;
	}
	return -1;
}

/* Separates quote and extension, and turns a message of xlo_rto into its native type. */
static void read_extension(const struct sock_extended_err *ee, struct fdccp_icmp *icmp)
{
	size_t at = ee->ee_rfc4884.len;
	int code;

	if (!at || at > icmp->quoted_len)
		return;
	code = ee->ee_rfc4884.flags & SO_EE_RFC4884_FLAG_INVALID ? -1 :
	       find_code(icmp->quoted + at, icmp->quoted_len - at);
	icmp->quoted_len = at;
	if (code < 0 || ee->ee_code)
		return;
	if (icmp->family == AF_INET && ee->ee_type == ICMP_DEST_UNREACH)
		icmp->type = XRTO_TYPE_IPV4;
	else if (icmp->family == AF_INET6 && ee->ee_type == ICMP6_DST_UNREACH)
		icmp->type = XRTO_TYPE_IPV6;
	else
		return;
	icmp->code = code;
}

static void read_icmp(const struct fdccp_socket *s, struct msghdr *msg,
		      const struct sock_extended_err *ee, struct fdccp_icmp *icmp)
{
	struct fdccp_datagram d = { .path.local = s->local };

	fdccp_control_read(s, msg, &d);
	icmp->path.local = d.path.local;
	icmp->type = ee->ee_type;
	icmp->code = ee->ee_code;
	if (icmp->family == AF_INET ? ee->ee_type == ICMP_DEST_UNREACH &&
				      ee->ee_code == ICMP_FRAG_NEEDED :
				      ee->ee_type == ICMP6_PACKET_TOO_BIG)
		icmp->mtu = ee->ee_info;
	read_extension(ee, icmp);
}

static bool find_error(struct msghdr *msg, struct sock_extended_err *ee)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
		    (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR)) {
			memcpy(ee, CMSG_DATA(c), sizeof(*ee));
			return true;
		}
	}
	return false;
}

/* Reads what a message of the error queue says. Return: whether it quotes a packet. */
static bool read_error(const struct fdccp_io *io, const struct fdccp_socket *s, struct msghdr *msg,
		       struct fdccp_icmp *icmp)
{
	struct sock_extended_err ee;

	if (!find_error(msg, &ee))
		return false;
	switch (ee.ee_origin) {
	case SO_EE_ORIGIN_ICMP:
	case SO_EE_ORIGIN_ICMP6:
		read_icmp(s, msg, &ee, icmp);
		return true;
	case SO_EE_ORIGIN_TXTIME:
		return ee.ee_code == SO_EE_CODE_TXTIME_MISSED &&
		       read_frame(io, icmp->quoted, icmp->quoted_len, icmp);
	default:
		/* an error of this host, which the call that sends has returned */
		return false;
	}
}

/* An error for which the kernel had no memory to queue a message would make the socket readable for
 * ever.
 */
static void clear_error(struct fdccp_socket *s)
{
	socklen_t len = sizeof(int);
	int err;

	getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &err, &len);
	s->ready &= ~EPOLLERR;
}

/* Hands one message of a socket's error queue to the core. Return: false: none is left. */
static bool read_one(struct fdccp_io *io, struct fdccp_socket *s)
{
	char control[512] __attribute__((aligned(8)));
	struct fdccp_icmp icmp = { .family = s->local.sa.sa_family };
	struct iovec iov = { io->quote, sizeof(io->quote) };
	struct msghdr msg = {
		.msg_name = &icmp.path.remote, .msg_namelen = sizeof(icmp.path.remote),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(s->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT);

	if (len < 0) {
		clear_error(s);
		return false;
	}
	fdccp_io_count(io, FDCCP_IO_COUNT_errors);
	icmp.quoted = io->quote;
	icmp.quoted_len = len;
	if (read_error(io, s, &msg, &icmp))
		fdccp_icmp(io->ep, &icmp, fdccp_io_now(io));
	else
		fdccp_io_count(io, FDCCP_IO_COUNT_errors_ignored);
	return true;
}

bool fdccp_error_next(struct fdccp_io *io)
{
	for (unsigned int i = 0; i < io->sockets; i++) {
		struct fdccp_socket *s = &io->socket[i];

		if (!(s->ready & EPOLLERR) || !io->errors_left)
			continue;
		io->errors_left--;
		if (read_one(io, s))
			return true;
	}
	return false;
}
