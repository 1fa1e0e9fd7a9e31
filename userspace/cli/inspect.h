/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel tells about a device: see ../doctor/facts.h. */
#ifndef FRESHLINK_INSPECT_H
#define FRESHLINK_INSPECT_H

#include "../doctor/facts.h"
#include "netlink.h"

/**
 * inspect_qdiscs - look at the qdiscs of a device
 * @nl: a socket of NETLINK_ROUTE
 * @ifindex: index of the device
 * @facts: @qdiscs, @count and @lpd are written
 *
 * Return: true, or false with the reason in @nl
 */
bool inspect_qdiscs(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts);

/**
 * inspect_backlog - look at the qdiscs again
 * @nl: a socket of NETLINK_ROUTE
 * @ifindex: index of the device
 * @facts: as for inspect_qdiscs(); @present falls to the backlog, if the backlog is smaller
 *
 * Return: the bytes that wait in the root qdisc and below it
 */
uint32_t inspect_backlog(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts);

/**
 * inspect_device - look at the MTU and the offloads of a device
 * @nl: a socket of NETLINK_ROUTE
 * @ifindex: index of the device
 * @facts: @mtu, @segments and @merges are written
 *
 * Return: true, or false without the device
 */
bool inspect_device(struct netlink *nl, unsigned int ifindex, struct doctor_facts *facts);

/**
 * inspect_flowtables - look for a flowtable of nft with a device
 * @dev: name of the device
 * @flowtable: written. A flowtable that is offloaded to hardware goes before all others
 */
void inspect_flowtables(const char *dev, struct doctor_flowtable *flowtable);

#endif
