/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units, as people type them and as they are printed back.
 *
 * A value is kept in base units: bytes, bytes/s, nanoseconds, millionths, 10^-12.
 * What fl_format() prints, fl_parse() reads back as the same number.
 */
#ifndef FRESHLINK_UNITS_H
#define FRESHLINK_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FL_MS	1000000ULL
#define FL_SEC	1000000000ULL
#define FL_ONE	1000000ULL	/* what 1 is kept as where it may have decimals */

/**
 * struct fl_unit - one unit of a quantity
 * @name: as typed after the number, in lower case; upper case is read too
 * @num: base units in @den of this unit
 * @den: see @num
 */
struct fl_unit {
	const char *name;
	uint64_t num;
	uint64_t den;
};

/* Largest unit first, then other spellings; each table ends with a NULL name.
 * Times and rates have no unit of their own when none is typed: 300 could be
 * meant as seconds, ms or us. tc's "bps" for bytes/s is left out likewise.
 */
extern const struct fl_unit fl_units_none[];
extern const struct fl_unit fl_units_size[];
extern const struct fl_unit fl_units_rate[];
extern const struct fl_unit fl_units_time[];
extern const struct fl_unit fl_units_percent[];
extern const struct fl_unit fl_units_fraction[];
extern const struct fl_unit fl_units_decimal[];

/**
 * fl_parse - read a number with its unit
 * @text: for example "300ms", "1.5s", "30kbit" or "0", which needs no unit
 * @units: the quantity's table
 * @value: the number in base units, rounded to the nearest
 *
 * Return: whether @text is such a number; what is not zero never becomes zero.
 */
bool fl_parse(const char *text, const struct fl_unit *units, uint64_t *value);

/**
 * fl_format - print a number in the largest unit that keeps it whole, or the smallest
 * @value: in base units
 * @units: the quantity's table
 * @buf: where to
 * @len: room in @buf
 *
 * Return: @buf
 */
const char *fl_format(uint64_t value, const struct fl_unit *units,
		      char *buf, size_t len);

#endif
