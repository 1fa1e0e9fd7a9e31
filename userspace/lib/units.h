/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units, as they are typed and printed.
 *
 * A value is in base units: bytes for sizes, bytes/s for rates, nanoseconds for times,
 * millionths for percentages and decimals, thousandths for factors, and 10^-12 for fractions
 * such as 1e-6.
 * fl_parse() reads the output of fl_format() as the same number.
 */
#ifndef FRESHLINK_UNITS_H
#define FRESHLINK_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FL_MS	1000000ULL
#define FL_SEC	1000000000ULL
#define FL_ONE	1000000ULL	/* the number 1 in millionths, for quantities with decimals */

/**
 * struct fl_unit - one unit of a quantity
 * @name: as typed after the number, in lower case; upper case is also accepted
 * @num: number of base units that equal @den of this unit
 * @den: see @num
 */
struct fl_unit {
	const char *name;
	uint64_t num;
	uint64_t den;
};

/* Each table begins with the largest unit, has other spellings at the end, and ends
 * with a NULL name. Times and rates have no default unit, because 300 could mean
 * seconds, ms or us. For the same reason tc's "bps" for bytes/s is not accepted.
 */
extern const struct fl_unit fl_units_none[];
extern const struct fl_unit fl_units_size[];
extern const struct fl_unit fl_units_rate[];
extern const struct fl_unit fl_units_time[];
extern const struct fl_unit fl_units_percent[];
extern const struct fl_unit fl_units_fraction[];
extern const struct fl_unit fl_units_decimal[];
extern const struct fl_unit fl_units_factor[];

/**
 * fl_parse - read a number with its unit
 * @text: for example "300ms", "1.5s", "30kbit" or "0", which needs no unit
 * @units: the quantity's table
 * @value: the number in base units, rounded to the nearest whole number
 *
 * Return: whether @text is a number with a unit of the table. A number above 0 that
 * is less than one base unit is refused.
 */
bool fl_parse(const char *text, const struct fl_unit *units, uint64_t *value);

/**
 * fl_format - print a number in the largest unit in which the number is whole, or else
 * in the smallest unit
 * @value: in base units
 * @units: the quantity's table
 * @buf: written
 * @len: size of @buf
 *
 * Return: @buf
 */
const char *fl_format(uint64_t value, const struct fl_unit *units,
		      char *buf, size_t len);

#endif
