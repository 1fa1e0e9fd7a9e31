/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys in files. A key is not on the command line, because all users can read command lines. The
 * file has the key as hexadecimal digits.
 */
#ifndef FRESHLINK_KEY_H
#define FRESHLINK_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_MAX		64	/* bytes */

/**
 * struct key - a key
 * @byte: its bytes
 * @len: its length in bytes
 */
struct key {
	uint8_t byte[KEY_MAX];
	size_t len;
};

/**
 * key_read - read the key that the option --key names
 * @who: prefix of error messages
 * @path: path of the file
 * @min: minimum length of the key in bytes
 * @max: maximum length of the key in bytes, up to KEY_MAX
 * @key: written
 *
 * Return: true if the file contains exactly one such key, or false after a message on standard
 * error
 */
bool key_read(const char *who, const char *path, size_t min, size_t max,
	      struct key *key);

#endif
