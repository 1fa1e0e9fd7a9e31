/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network devices by name and by index, in the namespace of the command. */
#ifndef FRESHLINK_DEVICE_H
#define FRESHLINK_DEVICE_H

#include <net/if.h>

/**
 * device_index - find a device
 * @name: its name, or "if7" for the index 7 if no device has that name
 *
 * Return: its index, 0 if there is none
 */
unsigned int device_index(const char *name);

/**
 * device_find - find a device, or print an error
 * @who: prefix of error messages
 * @name: as for device_index()
 *
 * Return: its index, 0 if there is none, and standard error says so
 */
unsigned int device_find(const char *who, const char *name);

/**
 * device_name - find the name of a device
 * @index: its index
 * @buf: written, IF_NAMESIZE bytes
 *
 * Return: @buf; "if7" if no device has the index 7
 */
const char *device_name(unsigned int index, char *buf);

#endif
