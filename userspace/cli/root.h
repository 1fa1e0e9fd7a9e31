/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves the root qdisc of a device, and later restores it exactly. */
#ifndef FRESHLINK_ROOT_H
#define FRESHLINK_ROOT_H

#include <stdbool.h>

#include "port.h"

/**
 * root_save - find a device and save its root qdisc
 * @port: the port. The caller sets @who, @name and @netns, and the function writes all other
 *	members
 * @replace: accept an existing root qdisc that can be restored
 *
 * Return: true if the root qdisc may be replaced, or false after a message on standard error
 */
bool root_save(struct port *port, bool replace);

/**
 * root_restore - restore the original root qdisc of a device, if the program has replaced it
 * @port: the port
 * @changed: set to true if the program had replaced the root qdisc, otherwise not written
 *
 * Return: true if the device has its original root qdisc, or false after a message on standard
 *	error
 */
bool root_restore(const struct port *port, bool *changed);

#endif
