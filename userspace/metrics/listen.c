// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the address on which freshlink export answers: see listen.h. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "../lib/units.h"
#include "listen.h"

static bool parse_port(const char *text, in_port_t *port)
{
	uint64_t number;

	if (!fl_parse(text, fl_units_none, &number) || !number || number > UINT16_MAX)
		return false;
	*port = htons(number);
	return true;
}

static bool parse_path(const char *path, struct listen_address *a)
{
	struct sockaddr_un *to = (void *)&a->address;

	if (strlen(path) >= sizeof(to->sun_path))
		return false;
	to->sun_family = AF_UNIX;
	memcpy(to->sun_path, path, strlen(path) + 1);
	a->len = sizeof(*to);
	return true;
}

static bool parse_ipv6(const char *text, struct listen_address *a)
{
	struct sockaddr_in6 *to = (void *)&a->address;

	to->sin6_family = AF_INET6;
	a->len = sizeof(*to);
	return inet_pton(AF_INET6, text, &to->sin6_addr) == 1;
}

static bool parse_ipv4(const char *text, struct listen_address *a)
{
	struct sockaddr_in *to = (void *)&a->address;

	to->sin_family = AF_INET;
	a->len = sizeof(*to);
	return inet_pton(AF_INET, text, &to->sin_addr) == 1;
}

bool listen_parse(const char *text, struct listen_address *a)
{
	char address[INET6_ADDRSTRLEN + 2] = "127.0.0.1";
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	in_port_t port;

	*a = (struct listen_address){ 0 };
	if (*text == '/')
		return parse_path(text, a);
	if (!parse_port(colon ? colon + 1 : text, &port) || len >= sizeof(address))
		return false;
	if (colon) {
		memcpy(address, text, len);
		address[len] = '\0';
	}
	/* both kinds of address have the port in the same place */
	((struct sockaddr_in *)&a->address)->sin_port = port;
	if (*address != '[')
		return parse_ipv4(address, a);
	if (address[len - 1] != ']')
		return false;
	address[len - 1] = '\0';
	return parse_ipv6(address + 1, a);
}
