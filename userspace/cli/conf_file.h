/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of configuration. */
#ifndef FRESHLINK_CONF_FILE_H
#define FRESHLINK_CONF_FILE_H

#include "conf.h"

/**
 * conf_read_file - read the statements in a file
 * @conf: the configuration, to which the statements are added
 * @path: path of the file. It must belong to root or to the caller, and nobody else may write it
 *
 * Return: EXIT_OK, EXIT_USAGE if a line is wrong, or EXIT_FAILED if the file cannot be read or
 * must not be trusted. A message on standard error says why
 */
int conf_read_file(struct conf *conf, const char *path);

/**
 * conf_read_folder - read all files *.conf in a folder, in the order of their names as bytes
 * @conf: as in conf_read_file()
 * @path: path of the folder, with the same conditions. A folder that is missing has no files
 *
 * Return: as conf_read_file()
 */
int conf_read_folder(struct conf *conf, const char *path);

#endif
