/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The versions of the command and of the loaded modules. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/**
 * print_versions() - print the command's version, and each loaded module that has another one
 * @folder: where the kernel lists the loaded modules: /sys/module
 *
 * Modules that are loaded stay loaded when a package is updated, so they may differ from the command
 * until the machine reboots.
 */
void print_versions(const char *folder);

#endif
