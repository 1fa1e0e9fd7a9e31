/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted text: words of the command line, lines of files, names of devices, answers of the
 * kernel. Such text may contain control characters for a terminal, so only these functions print
 * it.
 *
 * Every byte that is not printable ASCII is shown as \xNN, in any locale. UTF-8 is also shown as
 * \xNN, because UTF-8 has more control characters, and characters that change the order of the
 * displayed text.
 */
#ifndef FRESHLINK_TEXT_H
#define FRESHLINK_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Size of the buffer that fl_escape() needs for @len bytes. */
#define FL_ESCAPED(len)	(4 * (len) + 1)

/**
 * fl_escape - make bytes safe to print
 * @bytes: any bytes, also NUL
 * @len: number of bytes
 * @buf: written, FL_ESCAPED(@len) bytes
 *
 * Escaped text is not changed.
 *
 * Return: @buf
 */
const char *fl_escape(const char *bytes, size_t len, char *buf);

/**
 * fl_put_text - print a text
 * @text: any text
 * @out: the output file
 */
void fl_put_text(const char *text, FILE *out);

/**
 * fl_put_json - print a text as a string of JSON (RFC 8259), in ASCII
 * @text: UTF-8; a byte that is not valid UTF-8 becomes U+FFFD
 * @out: the output file
 */
void fl_put_json(const char *text, FILE *out);

/**
 * fl_error - print "WHO: MESSAGE" on standard error
 * @who: the program's name
 * @fmt: as for printf, without a newline
 */
void fl_error(const char *who, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * fl_verror - fl_error() with its arguments as a va_list
 * @who: the program's name
 * @fmt: as for printf, without a newline
 * @ap: the arguments
 */
void fl_verror(const char *who, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
