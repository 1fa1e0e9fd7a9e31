// SPDX-License-Identifier: GPL-2.0-or-later
/* Untrusted text: see text.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "text.h"

#define CHUNK		64
#define REPLACEMENT	0xfffd	/* Unicode's replacement character */

static int is_shown(unsigned char c)
{
	return c >= ' ' && c <= '~';
}

const char *fl_escape(const char *bytes, size_t len, char *buf)
{
	char *end = buf;

	for (size_t i = 0; i < len; i++)
		end += sprintf(end, is_shown(bytes[i]) ? "%c" : "\\x%02x",
			       (unsigned char)bytes[i]);
	*end = '\0';
	return buf;
}

void fl_put_text(const char *text, FILE *out)
{
	char buf[FL_ESCAPED(CHUNK)];
	size_t len;

	for (; *text; text += len) {
		len = strnlen(text, CHUNK);
		fputs(fl_escape(text, len, buf), out);
	}
}

/* Returns the number of bytes that follow the first byte of a character; -1 if the byte cannot
 * be the first byte of a character.
 */
static int bytes_behind(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first >= 0xc2 && first < 0xe0)
		return 1;
	if (first >= 0xe0 && first < 0xf0)
		return 2;
	return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

/* Reads a character of UTF-8 (RFC 3629). Returns its length, 1 for an invalid byte. */
static int decode(const char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	int behind = bytes_behind(*text);
	uint32_t value = (unsigned char)*text;

	*code = behind ? REPLACEMENT : value;
	if (behind <= 0)
		return 1;
	value &= 0x3f >> behind;
	for (int i = 1; i <= behind; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (text[i] & 0x3f);
	}
	if (value < least[behind] || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000))
		return 1;
	*code = value;
	return behind + 1;
}

/* A character above 16 bits becomes a surrogate pair of UTF-16. */
static void put_code(uint32_t code, FILE *out)
{
	if (code >= 0x10000) {
		code -= 0x10000;
		fprintf(out, "\\u%04x", 0xd800 | code >> 10);
		code = 0xdc00 | (code & 0x3ff);
	}
	fprintf(out, "\\u%04x", code);
}

void fl_put_json(const char *text, FILE *out)
{
	uint32_t code;

	fputc('"', out);
	while (*text) {
		text += decode(text, &code);
		if (code <= '~' && is_shown(code) && code != '"' &&
		    code != '\\')
			fputc(code, out);
		else
			put_code(code, out);
	}
	fputc('"', out);
}

void fl_verror(const char *who, const char *fmt, va_list ap)
{
	char *message;

	fprintf(stderr, "%s: ", who);
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	fl_put_text(message ? message : fmt, stderr);
	fputc('\n', stderr);
	free(message);
}

void fl_error(const char *who, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fl_verror(who, fmt, ap);
	va_end(ap);
}
