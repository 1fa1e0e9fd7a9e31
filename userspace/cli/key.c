// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys in files: see key.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "key.h"

/* Room for the digits of the longest key, one more digit to detect a longer key, and a NUL */
#define DIGITS	(2 * KEY_MAX + 2)

/* Returns whether the file can be read. If other text follows the digits, @digits becomes empty. */
static bool read_digits(const char *path, char *digits)
{
	FILE *file = fopen(path, "re");
	char more;
	bool done;

	if (!file)
		return false;
	_Static_assert(DIGITS == 130, "width of the conversion");
	if (fscanf(file, "%129[0-9a-fA-F] %c", digits, &more) != 1)
		digits[0] = '\0';
	done = !ferror(file);
	fclose(file);
	return done;
}

static void complain(const char *who, const char *path, size_t min, size_t max)
{
	if (min == max)
		cli_error(who, "--key %s: expected a file with exactly %zu hexadecimal digits",
			  path, 2 * min);
	else
		cli_error(who, "--key %s: expected a file with an even number of hexadecimal digits from %zu to %zu",
			  path, 2 * min, 2 * max);
}

bool key_read(const char *who, const char *path, size_t min, size_t max,
	      struct key *key)
{
	char digits[DIGITS] = "";
	size_t count;

	if (!read_digits(path, digits)) {
		cli_error(who, "--key %s: expected a file that can be read: %s",
			  path, strerror(errno));
		return false;
	}
	count = strlen(digits);
	if (count % 2 || count < 2 * min || count > 2 * max) {
		complain(who, path, min, max);
		return false;
	}
	for (key->len = 0; key->len < count / 2; key->len++)
		sscanf(digits + 2 * key->len, "%2hhx", &key->byte[key->len]);
	return true;
}
