/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The qdiscs and classes that the kernel lists, with their statistics. */
#ifndef FRESHLINK_QDISCS_H
#define FRESHLINK_QDISCS_H

#include <linux/gen_stats.h>
#include <netlink/attr.h>
#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"

/**
 * struct qdisc_view - a qdisc or class in an answer of the kernel
 * @ifindex: index of its device
 * @handle: its handle
 * @parent: its parent, TC_H_ROOT at the root
 * @kind: its kind; that of a class is the kind of its qdisc
 * @options: TCA_OPTIONS, or NULL
 * @stats: attributes of TCA_STATS2, indexed by TCA_STATS_*
 */
struct qdisc_view {
	unsigned int ifindex;
	uint32_t handle;
	uint32_t parent;
	const char *kind;
	struct nlattr *options;
	struct nlattr *stats[TCA_STATS_MAX + 1];
};

/** qdisc_see_fn - function that is called with each qdisc or class, and the caller's argument */
typedef void (*qdisc_see_fn)(const struct qdisc_view *q, void *arg);

/**
 * qdiscs_each - look at all qdiscs, except those for received packets
 * @nl: a socket of NETLINK_ROUTE
 * @ifindex: index of the device, 0 for all devices
 * @see: function that is called with each qdisc
 * @arg: argument of @see
 *
 * Return: true, or false with the reason in @nl, as netlink_dump()
 */
bool qdiscs_each(struct netlink *nl, unsigned int ifindex, qdisc_see_fn see, void *arg);

/** classes_each - look at the classes of a device, like qdiscs_each() */
bool classes_each(struct netlink *nl, unsigned int ifindex, qdisc_see_fn see, void *arg);

/** qdisc_queue - queue statistics, 0 if the kernel has sent none */
struct gnet_stats_queue qdisc_queue(const struct qdisc_view *q);

/** qdisc_basic - sent bytes and packets, 0 if the kernel has sent none */
struct gnet_stats_basic qdisc_basic(const struct qdisc_view *q);

/** qdisc_packets - sent packets, as a number of 64 bits if the kernel has sent one */
uint64_t qdisc_packets(const struct qdisc_view *q);

#endif
