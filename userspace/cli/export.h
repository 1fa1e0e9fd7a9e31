/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of freshlink export. */
#ifndef FRESHLINK_EXPORT_H
#define FRESHLINK_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../metrics/listen.h"
#include "cli.h"

/**
 * export_print - read the counters and print them
 * @args: the command
 * @out: the output file; nothing is printed after an error
 *
 * Return: true, or false after a message on standard error
 */
bool export_print(const struct cli_args *args, FILE *out);

/**
 * export_replace - write a file that another process may read at any time
 * @args: the command
 * @path: path of the file, which changes as a whole or not at all
 *
 * Return: true, or false after a message on standard error
 */
bool export_replace(const struct cli_args *args, const char *path);

/**
 * export_serve - answer scrapes over HTTP until a signal
 * @args: the command
 * @text: the address, as typed
 * @address: the address
 *
 * Return: true after a signal, or false after a message on standard error
 */
bool export_serve(const struct cli_args *args, const char *text,
		  const struct listen_address *address);

#endif
