// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "freshlink-stream.h"
#include "psk.h"

/* the longest line, with its end, and a byte more to notice a longer one */
#define LINE_ROOM	(FSTREAM_IDENTITY_MAX + 1 + 2 * FSTREAM_PSK_MAX + 4)

int fstream_secret_check(const char *path, char *why)
{
	struct stat st;

	if (stat(path, &st)) {
		int err = errno;

		snprintf(why, FSTREAM_WHY_MAX, "%s: %s", path, strerror(err));
		return -err;
	}
	if (st.st_mode & (S_IRWXG | S_IRWXO)) {
		snprintf(why, FSTREAM_WHY_MAX, "%s: others than its owner have access (mode %04o): "
			 "expected mode 0600", path, st.st_mode & 07777);
		return -EPERM;
	}
	return 0;
}

const struct fstream_psk *fstream_psk_find(const struct fstream_psks *keys, const void *identity,
					   size_t len)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strlen(keys->psk[i].identity) == len &&
		    memcmp(keys->psk[i].identity, identity, len) == 0)
			return &keys->psk[i];
	return NULL;
}

/* Reads "identity:key". Return: NULL, or what was expected. */
static const char *read_key(struct fstream_psk *psk, const char *line)
{
	const char *colon = strchr(line, ':');
	gnutls_datum_t hex;

	/* psktool writes an identity that is not plain text as # and hexadecimal digits */
	if (!colon || colon == line || colon - line > FSTREAM_IDENTITY_MAX || *line == '#')
		return "an identity of 1 to 128 bytes that does not begin with #, a colon, a key";
	*psk = (struct fstream_psk){ .len = sizeof(psk->key) };
	memcpy(psk->identity, line, colon - line);
	hex.data = (unsigned char *)colon + 1;
	hex.size = strlen(colon + 1);
	if (gnutls_hex_decode(&hex, psk->key, &psk->len) || psk->len < FSTREAM_PSK_MIN)
		return "a key of 16 to 64 bytes as hexadecimal digits";
	return NULL;
}

/* Room for one more. The room doubles, and old copies of the keys are wiped. */
static struct fstream_psk *add(struct fstream_psks *keys)
{
	size_t count = keys->count;
	struct fstream_psk *psk;

	if (count & (count - 1))
		return &keys->psk[count];
	psk = calloc(count ? 2 * count : 1, sizeof(*psk));
	if (!psk)
		return NULL;
	if (count)
		memcpy(psk, keys->psk, count * sizeof(*psk));
	fstream_psk_free(keys);
	*keys = (struct fstream_psks){ .psk = psk, .count = count };
	return &psk[count];
}

static const char *take_line(struct fstream_psks *keys, char *line)
{
	size_t end = strcspn(line, "\r\n");
	struct fstream_psk *psk = add(keys);
	const char *wrong;

	if (!psk)
		return "more memory";
	if (end + 2 >= LINE_ROOM)
		return "a shorter line";
	line[end] = '\0';
	wrong = read_key(psk, line);
	if (!wrong && fstream_psk_find(keys, psk->identity, strlen(psk->identity)))
		return "each identity once";
	keys->count++;
	return wrong;
}

static int read_lines(struct fstream_psks *keys, FILE *file, const char *path, char *why)
{
	char line[LINE_ROOM];
	const char *wrong = NULL;
	unsigned int number = 0;

	while (!wrong && fgets(line, sizeof(line), file)) {
		number++;
		wrong = take_line(keys, line);
	}
	gnutls_memset(line, 0, sizeof(line));
	if (!wrong && keys->count)
		return 0;
	if (wrong)
		snprintf(why, FSTREAM_WHY_MAX, "%s:%u: expected %s", path, number, wrong);
	else
		snprintf(why, FSTREAM_WHY_MAX, "%s: expected a line identity:key, the key as "
			 "hexadecimal digits", path);
	return -EINVAL;
}

int fstream_psk_read(struct fstream_psks *keys, const char *path, char *why)
{
	int err = fstream_secret_check(path, why);
	FILE *file;

	if (err)
		return err;
	file = fopen(path, "re");
	if (!file) {
		err = -errno;
		snprintf(why, FSTREAM_WHY_MAX, "%s: %s", path, strerror(-err));
		return err;
	}
	/* stdio's buffer would keep a copy of the keys */
	setbuf(file, NULL);
	err = read_lines(keys, file, path, why);
	fclose(file);
	if (err)
		fstream_psk_free(keys);
	return err;
}

void fstream_psk_free(struct fstream_psks *keys)
{
	if (keys->psk)
		gnutls_memset(keys->psk, 0, keys->count * sizeof(*keys->psk));
	free(keys->psk);
	*keys = (struct fstream_psks){ 0 };
}
