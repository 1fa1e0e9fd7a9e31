/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command needs to run as a service. */
#ifndef FRESHLINK_SERVICE_H
#define FRESHLINK_SERVICE_H

#include <stdbool.h>

/**
 * service_drop_privileges - give up every privilege for good
 *
 * Root becomes the user and the group "nobody". All capabilities are gone afterwards, and no
 * program that the process starts gains any.
 *
 * Return: true on success, or false with errno
 */
bool service_drop_privileges(void);

/**
 * service_notify - tell the service manager about a change, as sd_notify(3) does
 * @state: for example "READY=1"
 *
 * Does nothing if the environment has no NOTIFY_SOCKET. A service manager that does not answer
 * does not stop the command.
 */
void service_notify(const char *state);

#endif
