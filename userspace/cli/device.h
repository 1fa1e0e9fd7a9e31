/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network devices by name and by index, in the namespace of the command. */
#ifndef FRESHLINK_DEVICE_H
#define FRESHLINK_DEVICE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * device_index - find a device
 * @name: name of the device; "if7" is the device with the index 7 if no device has that name
 *
 * Return: the device's index, or 0 if the device does not exist
 */
unsigned int device_index(const char *name);

/**
 * device_find - find a device, or print an error
 * @who: prefix of error messages
 * @name: as for device_index()
 *
 * Return: the index of the device, or 0 after a message on standard error
 */
unsigned int device_find(const char *who, const char *name);

/**
 * device_name - find the name of a device
 * @index: its index
 * @buf: written, IF_NAMESIZE bytes
 *
 * Return: @buf, which is "if7" if no device has the index 7
 */
const char *device_name(unsigned int index, char *buf);

struct netlink;

/**
 * device_received - number of packets that a device received
 * @nl: a socket of NETLINK_ROUTE
 * @index: index of the device
 * @packets: written
 *
 * Return: true, or false if the device does not exist
 */
bool device_received(struct netlink *nl, unsigned int index, uint64_t *packets);

#endif
