// SPDX-License-Identifier: GPL-2.0-or-later
/* The host that freshlink probe asks: see probe.h. */
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "probe.h"

struct in6_addr probe_mapped(const union fdccp_address *address)
{
	return address->sa.sa_family == AF_INET ? address_map(address->in.sin_addr) :
						  address->in6.sin6_addr;
}

static bool look_up(struct probe_host *host, const char *who)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	int err = getaddrinfo(host->name, NULL, &hints, &found);

	if (err) {
		cli_error(who, "HOST %s: expected an address or a known name: %s", host->name,
			  gai_strerror(err));
		return false;
	}
	memcpy(&host->remote, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

static bool is_group(const union fdccp_address *a)
{
	in_addr_t ip = ntohl(a->in.sin_addr.s_addr);

	if (a->sa.sa_family == AF_INET)
		return IN_MULTICAST(ip) || ip == INADDR_BROADCAST;
	return IN6_IS_ADDR_MULTICAST(&a->in6.sin6_addr);
}

static bool is_unspecified(const struct in6_addr *address)
{
	const struct in6_addr ipv4 = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	return IN6_IS_ADDR_UNSPECIFIED(address) || IN6_ARE_ADDR_EQUAL(address, &ipv4);
}

static bool is_loopback(const union fdccp_address *a)
{
	if (a->sa.sa_family == AF_INET)
		return ntohl(a->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
}

/* Whether a device of this host has the address. */
static bool is_own(const struct in6_addr *address)
{
	struct ifaddrs *list, *at;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (at = list; at && !found; at = at->ifa_next) {
		int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
		union fdccp_address own;
		struct in6_addr mapped;

		if (family != AF_INET && family != AF_INET6)
			continue;
		memcpy(&own, at->ifa_addr, family == AF_INET ? sizeof(own.in) : sizeof(own.in6));
		mapped = probe_mapped(&own);
		found = IN6_ARE_ADDR_EQUAL(&mapped, address);
	}
	freeifaddrs(list);
	return found;
}

bool probe_find_local(struct probe_host *host)
{
	socklen_t len = host->remote.sa.sa_family == AF_INET ? sizeof(host->remote.in) :
							       sizeof(host->remote.in6);
	union fdccp_address to = host->remote;
	int fd = socket(to.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool done;

	if (fd < 0)
		return false;
	/* any port but 0; both families have it at the same place */
	to.in.sin_port = htons(FDCCP_UDP_PORT);
	done = !connect(fd, &to.sa, len) && !getsockname(fd, &host->local.sa, &len);
	host->local.in.sin_port = 0;
	close(fd);
	return done;
}

bool probe_find_host(struct probe_host *host, const char *who, const char *name)
{
	struct in6_addr remote;

	host->name = name;
	if (!look_up(host, who))
		return false;
	remote = probe_mapped(&host->remote);
	if (is_group(&host->remote)) {
		cli_error(who, "HOST %s: it is a group: expected a single host", name);
		return false;
	}
	if (is_unspecified(&remote) || is_loopback(&host->remote) || is_own(&remote)) {
		cli_error(who, "HOST %s: it is this host: expected another one", name);
		return false;
	}
	if (!probe_find_local(host)) {
		/* of the broadcast address of a subnet */
		if (errno == EACCES)
			cli_error(who, "HOST %s: it is a group: expected a single host", name);
		else
			cli_error(who, "HOST %s: %s", name, strerror(errno));
		return false;
	}
	return true;
}
