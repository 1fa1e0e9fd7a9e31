/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address on which freshlink export answers. */
#ifndef FRESHLINK_LISTEN_H
#define FRESHLINK_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

/**
 * struct listen_address - an address for bind()
 * @address: the address
 * @len: its length
 */
struct listen_address {
	struct sockaddr_storage address;
	socklen_t len;
};

/**
 * listen_parse - read an address
 * @text: a path that begins with "/", for a Unix socket; "PORT", on 127.0.0.1; or "ADDRESS:PORT"
 *	with an IPv4 address or an IPv6 address in brackets. Ports are 1 to 65535
 * @a: written
 *
 * Return: whether @text is such an address
 */
bool listen_parse(const char *text, struct listen_address *a);

#endif
