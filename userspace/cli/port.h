/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device to put a root qdisc on, and how to put back exactly what was there.
 */
#ifndef FRESHLINK_PORT_H
#define FRESHLINK_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"

/**
 * struct root_qdisc - the root qdisc a device has
 * @kind: its kind
 * @handle: 0 for the one a device has by default
 * @has_more: a size table, a rate estimator or qdiscs below it
 * @options: its TCA_OPTIONS as the kernel told them
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
 * struct port - a device to put a root qdisc on
 * @who: for messages
 * @name: its name
 * @netns: file descriptor of its namespace, -1 for the current one
 * @ifindex: its index
 * @mtu: its MTU
 * @is_ethernet: it has Ethernet's 14-byte headers
 * @before: the root qdisc it had
 * @made: it has one of ours instead, or is about to get it; nobody else's is
 * ever taken for ours
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
 * port_find - look a device up and remember its root qdisc
 * @port: @who, @name and @netns are given, the rest is written
 * @replace: a root qdisc may be there, if it can be restored
 *
 * Return: whether a root qdisc may be put on it; if not, standard error says
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
 * port_restore - give a device back the root qdisc it had, if it was replaced
 * @port: the port
 * @changed: set if it had one of ours; otherwise left alone
 *
 * Return: whether it has exactly that now; if not, standard error says why
 */
bool port_restore(const struct port *port, bool *changed);

#endif
