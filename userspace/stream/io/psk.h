/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of pre-shared keys, with lines "identity:key". */
#ifndef FSTREAM_PSK_H
#define FSTREAM_PSK_H

#include <stddef.h>
#include <stdint.h>

#define FSTREAM_IDENTITY_MAX	128	/* bytes, RFC 4279 section 5.3 */
#define FSTREAM_PSK_MIN		16	/* bytes of a key */
#define FSTREAM_PSK_MAX		64

/**
 * struct fstream_psk - a key
 * @identity: its name, which is sent in clear
 * @key: the key
 * @len: bytes of it
 */
struct fstream_psk {
	char identity[FSTREAM_IDENTITY_MAX + 1];
	uint8_t key[FSTREAM_PSK_MAX];
	size_t len;
};

/**
 * struct fstream_psks - the keys of a file, in its order
 * @psk: the keys
 * @count: how many
 */
struct fstream_psks {
	struct fstream_psk *psk;
	size_t count;
};

/**
 * fstream_secret_check() - check that only its owner can read a file
 * @path: the file
 * @why: written on failure: what was expected; room for FSTREAM_WHY_MAX bytes
 *
 * Return: 0, -EPERM (others can read it), or an error of stat()
 */
int fstream_secret_check(const char *path, char *why);

/**
 * fstream_psk_read() - read a file of keys
 * @keys: written
 * @path: the file
 * @why: as for fstream_secret_check(); names the wrong line
 *
 * Return: 0, -EPERM, -EINVAL (a wrong line, or no key), -ENOMEM, or an error of fopen()
 */
int fstream_psk_read(struct fstream_psks *keys, const char *path, char *why);

/* The key of an identity, or NULL. */
const struct fstream_psk *fstream_psk_find(const struct fstream_psks *keys, const void *identity,
					   size_t len);

/* Wipes and frees the keys. */
void fstream_psk_free(struct fstream_psks *keys);

#endif
