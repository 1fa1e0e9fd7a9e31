/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device whose root qdisc is replaced and later restored exactly.
 */
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
 * port_find - look a device up and save its root qdisc
 * @port: the caller sets @who, @name and @netns, the rest is written
 * @replace: an existing root qdisc is accepted if it can be restored
 *
 * Return: whether the root qdisc may be replaced; if not, standard error says
 * why
 */
bool port_find(struct port *port, bool replace);

/**
 * port_connect - open a socket in a port's namespace
 * @port: the port
 * @nl: written
 *
 * Return: whether it worked; if not, standard error says why
 */
bool port_connect(const struct port *port, struct netlink *nl);

/**
 * port_restore - restore the original root qdisc of a device, if it was replaced
 * @port: the port
 * @changed: set if the device had a root qdisc of ours; otherwise not written
 *
 * Return: whether the device has exactly the original root qdisc now; if not,
 * standard error says why
 */
bool port_restore(const struct port *port, bool *changed);

#endif
