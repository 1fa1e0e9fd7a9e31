/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command needs to run as a service. */
#ifndef FRESHLINK_SERVICE_H
#define FRESHLINK_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * service_drop_privileges - give up privileges for good
 * @keep: mask of the capabilities that the process keeps if it has them; it has no bits for
 *	capabilities above 31
 *
 * Root becomes the user and the group "nobody". The process loses all other capabilities, and a
 * program that it starts gains no capability.
 *
 * Return: true on success, or false with errno
 */
bool service_drop_privileges(uint32_t keep);

/**
 * service_notify - notify the service manager of a change, as sd_notify(3) does
 * @state: for example "READY=1"
 *
 * Does nothing if the environment has no NOTIFY_SOCKET. A service manager that does not answer
 * does not stop the command.
 */
void service_notify(const char *state);

#endif
