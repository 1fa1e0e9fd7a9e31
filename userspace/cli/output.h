/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that an option names and a command writes. */
#ifndef FRESHLINK_OUTPUT_H
#define FRESHLINK_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * output_open - open a file for writing
 * @who: prefix of error messages
 * @option: the option with the file, such as "--output"
 * @path: path of the file, which is overwritten
 *
 * Return: the file, or NULL after a message on standard error
 */
FILE *output_open(const char *who, const char *option, const char *path);

/**
 * output_close - close a file
 * @who: prefix of error messages
 * @option: as in output_open()
 * @path: as in output_open()
 * @file: the file
 *
 * Return: true if the whole file was written, or false after a message on standard error
 */
bool output_close(const char *who, const char *option, const char *path,
		  FILE *file);

#endif
