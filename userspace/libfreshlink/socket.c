// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of a socket. */
#include <linux/net_tstamp.h>
#include <netinet/in.h>

#include "internal.h"

#define HOPOPTS_MAX	2040	/* bytes of hop-by-hop options that the kernel accepts */

/* Reads a property of the socket; -1 with errno on failure. */
static int property(int fd, int name)
{
	socklen_t len = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

static int ip_family(int fd)
{
	int family = property(fd, SO_DOMAIN);

	if (family < 0 || family == AF_INET || family == AF_INET6)
		return family;
	return fail(EAFNOSUPPORT);
}

static int packet_type(int fd)
{
	int type = property(fd, SO_TYPE);

	if (type < 0 || type == SOCK_DGRAM || type == SOCK_RAW)
		return type;
	return fail(EOPNOTSUPP);
}

/* An IPv6 socket also accepts IPv4 options. A raw IPv6 socket accepts no IPv4
 * options, because it never sends or receives IPv4 packets.
 */
static int without_ipv4(int family)
{
	return family == AF_INET6 && errno == ENOPROTOOPT ? 0 : -1;
}

int freshlink_enable_deadlines(int fd, clockid_t clock)
{
	const struct sock_txtime txtime = {
		.clockid = clock, .flags = SOF_TXTIME_DEADLINE_MODE,
	};

	if (packet_type(fd) < 0)
		return -1;
	/* kernels before 6.10 accept any number as a clock */
	if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME &&
	    clock != CLOCK_TAI)
		return fail(EINVAL);
	return setsockopt(fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime));
}

static int set_ipv4(int fd, const void *buf, int len)
{
	if (!setsockopt(fd, IPPROTO_IP, IP_OPTIONS, buf, len))
		return 0;
	/* the kernel returns EINVAL for an option that needs CAP_NET_RAW */
	return errno == EINVAL ? fail(EPERM) : -1;
}

/* Sets the option for packets of one family, or removes it. */
static int set_for(int fd, int family, const struct freshlink_lifetime *l)
{
	unsigned char buf[XLO_IPV6_HBH_LEN];
	int len = l ? freshlink_write_option(buf, family, l) : 0;

	if (len < 0)
		return -1;
	if (family == AF_INET)
		return set_ipv4(fd, buf, len);
	return setsockopt(fd, IPPROTO_IPV6, IPV6_HOPOPTS, buf, len);
}

/* Sets the option for packets of both families, or removes it. If the second step fails, the first
 * step is undone.
 */
static int set_for_both(int fd, const struct freshlink_lifetime *l)
{
	unsigned char before[HOPOPTS_MAX];
	socklen_t len = sizeof(before);
	int err;

	if (getsockopt(fd, IPPROTO_IPV6, IPV6_HOPOPTS, before, &len) ||
	    set_for(fd, AF_INET6, l))
		return -1;
	if (!set_for(fd, AF_INET, l) || !without_ipv4(AF_INET6))
		return 0;
	err = errno;
	setsockopt(fd, IPPROTO_IPV6, IPV6_HOPOPTS, before, len);
	return fail(err);
}

int freshlink_socket_lifetime(int fd,
			      const struct freshlink_lifetime *lifetime)
{
	int family = ip_family(fd);

	if (family < 0)
		return -1;
	if (lifetime && lifetime->kind == FRESHLINK_ABSOLUTE)
		return fail(EINVAL);
	return family == AF_INET6 ? set_for_both(fd, lifetime) :
				    set_for(fd, AF_INET, lifetime);
}

int freshlink_receive_lifetimes(int fd)
{
	int family = ip_family(fd), on = 1;

	if (family < 0 || packet_type(fd) < 0)
		return -1;
	if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_RECVHOPOPTS,
					     &on, sizeof(on)))
		return -1;
	return setsockopt(fd, IPPROTO_IP, IP_RECVOPTS, &on, sizeof(on)) ?
	       without_ipv4(family) : 0;
}
