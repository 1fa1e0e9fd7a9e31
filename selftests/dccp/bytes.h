/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that unit tests of DCCP write as hexadecimal text. */
#ifndef DCCP_BYTES_H
#define DCCP_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy that AddressSanitizer guards on both sides, which the caller frees. */
static inline uint8_t *exact(const void *data, size_t len)
{
	uint8_t *copy = malloc(len);

	if (!copy)
		abort();
	return memcpy(copy, data, len);
}

/* The bytes of a text such as "01 a2b3", as exact() copies them, which the caller frees. */
static inline uint8_t *hex(const char *text, size_t *len)
{
	uint8_t bytes[4096];
	unsigned int byte;
	int used;

	for (*len = 0; sscanf(text, " %2x%n", &byte, &used) == 1; text += used)
		bytes[(*len)++] = byte;
	return exact(bytes, *len);
}

/* Whether the bytes are those of a text. */
static inline bool is_hex(const void *data, size_t len, const char *text)
{
	size_t want_len;
	uint8_t *want = hex(text, &want_len);
	bool same = len == want_len && memcmp(data, want, len) == 0;

	free(want);
	return same;
}

#endif
