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
 * @has_more: the qdisc has a size table, a rate estimator or child qdiscs
 * @options: TCA_OPTIONS of the qdisc, as the kernel reported them
 * @options_len: length of @options in bytes, -1 if the options are too long
 */
struct root_qdisc {
	char kind[16];
	uint32_t handle;
	bool has_more;
	unsigned char options[2048] __attribute__((aligned(4)));
	int options_len;
};

/**
 * struct port - a device whose root qdisc is replaced
 * @who: prefix of error messages
 * @name: its name
 * @netns: file descriptor of the device's namespace, -1 for the current namespace
 * @ifindex: its index
 * @mtu: its MTU
 * @is_ethernet: the device has Ethernet headers of 14 bytes
 * @before: the original root qdisc
 * @made: a new root qdisc has replaced the original root qdisc, or the change is about to
 *	begin. The handle of the new qdisc distinguishes it from qdiscs of other programs
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
 * Return: true if the socket is open, or false after a message on standard error
 */
bool port_connect(const struct port *port, struct netlink *nl);

/**
 * port_look_up - find a device by its name
 * @port: @ifindex, @mtu and @is_ethernet are written
 * @nl: a socket of port_connect()
 *
 * Return: true if the device exists, or false after a message on standard error
 */
bool port_look_up(struct port *port, struct netlink *nl);

#endif
