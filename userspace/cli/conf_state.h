/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the kernel and of the units as statements of configuration. */
#ifndef FRESHLINK_CONF_STATE_H
#define FRESHLINK_CONF_STATE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli.h"

/**
 * conf_state_write - write everything that Freshlink has configured in this network namespace
 * @args: the command, for messages
 * @saves: the statements are for a file, in which a statement without its key is a comment
 * @out: the output file. Comments say what no statement can express
 *
 * A module that is not loaded has no statements.
 *
 * Return: true, or false after a message on standard error
 */
bool conf_state_write(const struct cli_args *args, bool saves, FILE *out);

/** conf_route_write - write the arqlink devices and the qdiscs lpd (in conf_route.c) */
bool conf_route_write(const struct cli_args *args, FILE *out);

/**
 * conf_route_has_root - whether a device has a root qdisc of its own (in conf_route.c)
 * @who: prefix of error messages
 * @device: the device
 *
 * Return: false, or true after a message on standard error
 */
bool conf_route_has_root(const char *who, const char *device);

/** conf_pace_write - write the units that freshlink apply has started (in conf_pace.c) */
bool conf_pace_write(const struct cli_args *args, FILE *out);

#endif
