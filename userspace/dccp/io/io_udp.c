// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The carrier udp: RFC 6773. One socket serves all connections of an endpoint.
 *
 * A datagram without UDP's checksum leaves from the same socket: the kernel reads that option when it
 * makes the datagram, inside the system call. So the option is switched between two calls, where
 * such datagrams and others take turns. A second socket on the same port would get a part of the
 * received datagrams and error messages.
 */
#include "io.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/udp.h>

#define UDP_CHECKSUM	6	/* offset in the UDP header */
#define DCCP_CHECKSUM	14	/* behind the UDP header */

/*
 * DCCP in UDP has no checksum of its own, so a datagram without UDP's checksum must be dropped (RFC
 * 6773 section 3.3.1). A socket cannot see the checksum, but its filter can: for a UDP socket, the
 * filter's offset 0 is the UDP header, over IPv4 and IPv6. A bare datagram has DCCP's checksum
 * instead, and the core verifies that.
 */
static int drop_unprotected(int fd, bool may_be_bare)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, UDP_CHECKSUM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, may_be_bare ? DCCP_CHECKSUM : UDP_CHECKSUM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ? -errno : 0;
}

/* Lets messages have several datagrams, where the kernel has that. */
static void open_joined(struct fdccp_socket *s)
{
	const int none = 0, on = 1;

	s->joins = !setsockopt(s->fd, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof(none));
	setsockopt(s->fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on));
}

static bool refuses(const struct fdccp_socket *s, int level, int name, int value)
{
	return setsockopt(s->fd, level, name, &value, sizeof(value));
}

int fdccp_udp_set_bare(struct fdccp_socket *s, bool bare)
{
	if (s->bare == bare)
		return 0;
	if (fdccp_is_ipv4(&s->local) ? refuses(s, SOL_SOCKET, SO_NO_CHECK, bare) :
				       refuses(s, IPPROTO_UDP, UDP_NO_CHECK6_TX, bare))
		return -errno;
	s->bare = bare;
	return 0;
}

/* Lets a socket take datagrams without UDP's checksum, and tries to send them. */
static int open_bare(struct fdccp_socket *s)
{
	int err;

	if (!fdccp_is_ipv4(&s->local) && refuses(s, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1))
		return -errno;
	err = fdccp_udp_set_bare(s, true);
	return err ? err : fdccp_udp_set_bare(s, false);
}

int fdccp_udp_open(struct fdccp_socket *s, bool may_be_bare, const char **why)
{
	const int on = 1;
	int err;

	*why = "the kernel makes no UDP socket of this family";
	s->fd = socket(s->local.sa.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || (!fdccp_is_ipv4(&s->local) &&
			  setsockopt(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on))))
		return -errno;
	err = fdccp_socket_setup(s, why);
	if (err)
		return err;
	*why = "the socket refuses to do without UDP's checksum";
	err = may_be_bare ? open_bare(s) : 0;
	if (err)
		return err;
	*why = "the socket refuses the filter of datagrams without checksum";
	err = drop_unprotected(s->fd, may_be_bare);
	open_joined(s);
	return err ? err : fdccp_socket_bind(s, why);
}
