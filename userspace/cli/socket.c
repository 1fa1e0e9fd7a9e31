// SPDX-License-Identifier: GPL-2.0-or-later
/* Sockets that receive on a port: see socket.h. */
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <unistd.h>

#include "socket.h"

static int bind_family(int family, int type, uint16_t port)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6,
				     .sin6_port = htons(port) };
	struct sockaddr_in any4 = { .sin_family = AF_INET,
				    .sin_port = htons(port) };
	int fd = socket(family, type | SOCK_CLOEXEC, 0);
	int off = 0, on = 1;

	if (fd < 0)
		return -1;
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	/* a port can be used again although old connections of this port are still in TIME_WAIT */
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, family == AF_INET6 ? (void *)&any6 : (void *)&any4,
		 family == AF_INET6 ? sizeof(any6) : sizeof(any4))) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

int socket_bind(int type, uint16_t port)
{
	int fd = bind_family(AF_INET6, type, port);

	if (fd < 0 && errno == EAFNOSUPPORT)
		fd = bind_family(AF_INET, type, port);
	return fd;
}

void socket_enlarge(int fd, int bytes)
{
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

uint32_t socket_drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len);
	return info[SK_MEMINFO_DROPS];
}
