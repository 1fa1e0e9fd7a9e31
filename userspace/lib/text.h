/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of others: words of the command line, lines of files, names of devices, what the kernel
 * answers. A terminal obeys control characters in it, so it is printed by these functions only.
 *
 * Every byte that is not printable ASCII is shown as \xNN, in any locale. That holds for UTF-8 as
 * well: it has control characters of its own, and others that change the order of what is read.
 */
#ifndef FRESHLINK_TEXT_H
#define FRESHLINK_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Room that fl_escape() needs for so many bytes. */
#define FL_ESCAPED(len)	(4 * (len) + 1)

/**
 * fl_escape - make bytes fit to be shown
 * @bytes: any bytes, NUL as well
 * @len: how many
 * @buf: where to, FL_ESCAPED(@len) bytes
 *
 * Text that has been escaped stays as it is.
 *
 * Return: @buf
 */
const char *fl_escape(const char *bytes, size_t len, char *buf);

/**
 * fl_put_text - print a text
 * @text: any text
 * @out: where to
 */
void fl_put_text(const char *text, FILE *out);

/**
 * fl_put_json - print a text as a string of JSON (RFC 8259), in ASCII
 * @text: UTF-8; a byte that is none becomes U+FFFD
 * @out: where to
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
 * fl_verror - fl_error() with its arguments in a list
 * @who: the program's name
 * @fmt: as for printf, without a newline
 * @ap: the arguments
 */
void fl_verror(const char *who, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
