/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves the root qdisc of a device, and later restores it exactly. */
#ifndef FRESHLINK_ROOT_H
#define FRESHLINK_ROOT_H

#include <stdbool.h>

#include "port.h"

/**
 * root_save - look a device up and save its root qdisc
 * @port: the caller sets @who, @name and @netns, the rest is written
 * @replace: an existing root qdisc is accepted if it can be restored
 *
 * Return: whether the root qdisc may be replaced; if not, standard error says
 * why
 */
bool root_save(struct port *port, bool replace);

/**
 * root_restore - restore the original root qdisc of a device, if it was replaced
 * @port: the port
 * @changed: set if the device had a root qdisc of ours; otherwise not written
 *
 * Return: whether the device has exactly the original root qdisc now; if not,
 * standard error says why
 */
bool root_restore(const struct port *port, bool *changed);

#endif
