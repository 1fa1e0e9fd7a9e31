/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the counters of all modules from the kernel: see ../metrics/state.h. */
#ifndef FRESHLINK_SNAPSHOT_H
#define FRESHLINK_SNAPSHOT_H

#include "../metrics/state.h"
#include "cli.h"

/**
 * snapshot_read - read the counters of all modules in the namespace of the command
 * @args: the command, for messages
 * @ifindex: index of the device whose qdiscs and arqlink are read, 0 for all devices
 * @state: written; state_forget() frees it, also after an error
 *
 * Modules that are not loaded are left out. So are the counters of xlo_rto without CAP_NET_ADMIN.
 *
 * Return: true on success, or false after a message on standard error
 */
bool snapshot_read(const struct cli_args *args, unsigned int ifindex, struct state *state);

#endif
