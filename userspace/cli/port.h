/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device, and a netlink socket in its namespace. */
#ifndef FRESHLINK_PORT_H
#define FRESHLINK_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"

/**
 * struct root_qdisc - the root qdisc of a device
 * @kind: its kind
 * @handle: 0 for the default qdisc of the device
 * @has_more: it has a size table, a rate estimator or child qdiscs
 * @options: its TCA_OPTIONS as the kernel reported them
 * @options_len: bytes of @options, -1 if they are more than fit
 */
struct root_qdisc {
	char kind[16];
	uint32_t handle;
	bool has_more;
	unsigned char options[1024] __attribute__((aligned(4)));
	int options_len;
};

/**
 * struct port - a device whose root qdisc is replaced
 * @who: prefix of error messages
 * @name: its name
 * @netns: file descriptor of its namespace, -1 for the current one
 * @ifindex: its index
 * @mtu: its MTU
 * @is_ethernet: it has Ethernet's 14-byte headers
 * @before: its original root qdisc
 * @made: a root qdisc of ours has replaced it, or is about to. Our handle
 *	distinguishes it from other qdiscs
 */
struct port {
	const char *who;
	const char *name;
	int netns;
	int ifindex;
	unsigned int mtu;
	bool is_ethernet;
	struct root_qdisc before;
	bool made;
};

/**
 * port_connect - open a socket in a port's namespace
 * @port: the port
 * @nl: written
 *
 * Return: whether it worked; if not, standard error says why
 */
bool port_connect(const struct port *port, struct netlink *nl);

/**
 * port_look_up - look a device up by its name
 * @port: @ifindex, @mtu and @is_ethernet are written
 * @nl: a socket of port_connect()
 *
 * Return: whether the device exists; if not, standard error says so
 */
bool port_look_up(struct port *port, struct netlink *nl);

#endif
