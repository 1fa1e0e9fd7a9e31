// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The carrier ip: protocol 33 by a raw socket.
 *
 * The kernel gives each packet of protocol 33 to every raw socket of that protocol whose address
 * fits, and to its own DCCP if that is loaded. Two answers to one packet would end the connection
 * of the other receiver. Therefore the adapter refuses to start beside the kernel's DCCP, and the
 * core does not answer a packet without a connection over ip, unless it is for a port that this
 * endpoint listens on.
 */
#include "io.h"

#include <errno.h>
#include <netinet/ip.h>
#include <stdio.h>
#include <string.h>

#define PROTOCOLS	"/proc/net/protocols"

/* The kernel lists the protocols of its sockets there, DCCP as DCCP and DCCPv6. */
static bool is_kernel_dccp(const char *line)
{
	return !strncmp(line, "DCCP ", 5) || !strncmp(line, "DCCPv6 ", 7);
}

bool fdccp_kernel_has_dccp(void)
{
	FILE *file = fopen(PROTOCOLS, "re");
	bool found = false;
	char line[256];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = is_kernel_dccp(line);
	fclose(file);
	return found;
}

int fdccp_ip_open(struct fdccp_socket *s, const char **why)
{
	int err;

	*why = "the carrier ip has no UDP port: expected port 0";
	if (fdccp_port(&s->local))
		return -EINVAL;
	*why = "the carrier ip needs CAP_NET_RAW";
	s->fd = socket(s->local.sa.sa_family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       IPPROTO_DCCP);
	if (s->fd < 0)
		return -errno;
	err = fdccp_socket_setup(s, why);
	if (!err)
		err = fdccp_socket_bind(s, why);
	/* a raw socket has its protocol there */
	fdccp_set_port(&s->local, 0);
	return err;
}

/* An IPv4 raw socket delivers the IP header, an IPv6 one does not. */
bool fdccp_ip_strip(struct fdccp_datagram *d)
{
	const struct ip *ip = (const void *)d->data;
	size_t header;

	fdccp_set_port(&d->path.remote, 0);
	if (!fdccp_is_ipv4(&d->path.remote))
		return true;
	if (d->len < sizeof(*ip))
		return false;
	header = ip->ip_hl * 4;
	if (header < sizeof(*ip) || header > d->len)
		return false;
	d->data += header;
	d->len -= header;
	return true;
}
