// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cross-layer option through the socket interface: IP_RETOPTS and
 * IPV6_HOPOPTS per message to send it, IP_RECVOPTS and IPV6_RECVHOPOPTS to see
 * what arrived. Formats are the codec's (net/xlo.h).
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "../lib/units.h"
#include "cli.h"
#include "traffic.h"

#define IPV4_OPTIONS_MAX	40
#define IPV6_HOPOPTS_MAX	2048

uint32_t traffic_ms_of_day(int64_t real_ns)
{
	return real_ns / (int64_t)FL_MS % XLO_DAY_MS;
}

size_t traffic_option_size(int family)
{
	return family == AF_INET ? XLO_LEN : XLO_IPV6_HBH_LEN;
}

static int write_option(void *buf, int family, const struct xlo *opt)
{
	return family == AF_INET ? xlo_write4(buf, opt) :
				   xlo_write6(buf, 0, opt);
}

/* The kernel knows neither option and lets only CAP_NET_RAW send what it does
 * not know. It says EPERM for IPv6 and EINVAL for IPv4.
 */
bool traffic_option_allowed(const char *who, int fd, int family)
{
	const struct xlo none = { .lifetime = XLO_LIFETIME_NONE };
	int level = family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	int name = family == AF_INET ? IP_OPTIONS : IPV6_HOPOPTS;
	unsigned char buf[XLO_IPV6_HBH_LEN];
	int len = write_option(buf, family, &none);

	if (setsockopt(fd, level, name, buf, len)) {
		cli_error(who, "cannot send the cross-layer option: %s",
			  errno == EPERM || errno == EINVAL ?
			  "it needs CAP_NET_RAW (root has it)" :
			  strerror(errno));
		return false;
	}
	setsockopt(fd, level, name, NULL, 0);
	return true;
}

void traffic_option_attach(struct msghdr *msg, int family,
			   const struct xlo *opt)
{
	struct cmsghdr *cmsg;

	msg->msg_controllen = CMSG_SPACE(traffic_option_size(family));
	cmsg = CMSG_FIRSTHDR(msg);
	cmsg->cmsg_level = family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	cmsg->cmsg_type = family == AF_INET ? IP_RETOPTS : IPV6_HOPOPTS;
	cmsg->cmsg_len = CMSG_LEN(write_option(CMSG_DATA(cmsg), family, opt));
}

bool traffic_option_listen(int fd, int family)
{
	int on = 1;

	/* an IPv6 socket takes IPv4 packets too */
	if (setsockopt(fd, IPPROTO_IP, IP_RECVOPTS, &on, sizeof(on)))
		return false;
	return family == AF_INET ||
	       !setsockopt(fd, IPPROTO_IPV6, IPV6_RECVHOPOPTS, &on, sizeof(on));
}

/* The codec reads headers; the kernel hands over what follows the fixed part,
 * so that part is put before it.
 */
static bool read_ipv4(const void *options, size_t len, struct xlo *opt)
{
	unsigned char header[XLO_IPV4_HLEN + IPV4_OPTIONS_MAX] = { 0 };
	struct xlo_ref ref;

	if (len > IPV4_OPTIONS_MAX)
		return false;
	header[0] = 4 << 4 | (XLO_IPV4_HLEN + len) / 4;
	memcpy(header + XLO_IPV4_HLEN, options, len);
	return xlo_find4(header, XLO_IPV4_HLEN + len, &ref, opt) == XLO_FOUND;
}

static bool read_ipv6(const void *hopopts, size_t len, struct xlo *opt)
{
	unsigned char header[XLO_IPV6_HLEN + IPV6_HOPOPTS_MAX] = { 6 << 4 };
	struct xlo_ref ref;

	if (len > IPV6_HOPOPTS_MAX)
		return false;
	header[XLO_IPV6_NEXTHDR] = XLO_IPV6_HOPOPTS;
	memcpy(header + XLO_IPV6_HLEN, hopopts, len);
	return xlo_find6(header, XLO_IPV6_HLEN + len, &ref, opt) == XLO_FOUND;
}

bool traffic_option_read(struct msghdr *msg, struct xlo *opt)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t len = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVOPTS)
			return read_ipv4(CMSG_DATA(c), len, opt);
		if (c->cmsg_level == IPPROTO_IPV6 &&
		    c->cmsg_type == IPV6_HOPOPTS)
			return read_ipv6(CMSG_DATA(c), len, opt);
	}
	return false;
}
