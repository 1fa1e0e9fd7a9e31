// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with units: see units.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "units.h"

const struct fl_unit fl_units_none[] = {
	{ "", 1, 1 },
	{ NULL, 0, 0 },
};

const struct fl_unit fl_units_size[] = {
	{ "gb", 1ULL << 30, 1 },
	{ "mb", 1ULL << 20, 1 },
	{ "kb", 1ULL << 10, 1 },
	{ "b", 1, 1 },
	{ "g", 1ULL << 30, 1 },
	{ "m", 1ULL << 20, 1 },
	{ "k", 1ULL << 10, 1 },
	{ "", 1, 1 },
	{ NULL, 0, 0 },
};

const struct fl_unit fl_units_rate[] = {
	{ "tbit", 125000000000ULL, 1 },
	{ "gbit", 125000000ULL, 1 },
	{ "mbit", 125000ULL, 1 },
	{ "kbit", 125ULL, 1 },
	{ "bit", 1, 8 },
	{ NULL, 0, 0 },
};

const struct fl_unit fl_units_time[] = {
	{ "s", FL_SEC, 1 },
	{ "ms", FL_MS, 1 },
	{ "us", 1000ULL, 1 },
	{ "ns", 1, 1 },
	{ NULL, 0, 0 },
};

const struct fl_unit fl_units_percent[] = {
	{ "%", 10000ULL, 1 },
	{ NULL, 0, 0 },
};

/* Only fl_format() uses these exponents, because strtold() reads an exponent as part of the
 * number.
 */
const struct fl_unit fl_units_fraction[] = {
	{ "", 1000000000000ULL, 1 },
	{ "e-3", 1000000000ULL, 1 },
	{ "e-6", 1000000ULL, 1 },
	{ "e-9", 1000ULL, 1 },
	{ "e-12", 1, 1 },
	{ NULL, 0, 0 },
};

const struct fl_unit fl_units_decimal[] = {
	{ "", FL_ONE, 1 },
	{ NULL, 0, 0 },
};

const struct fl_unit fl_units_factor[] = {
	{ "", 1000, 1 },
	{ NULL, 0, 0 },
};

static const struct fl_unit *find_unit(const struct fl_unit *units,
				       const char *name)
{
	for (; units->name; units++)
		if (!strcasecmp(units->name, name))
			return units;
	return NULL;
}

bool fl_parse(const char *text, const struct fl_unit *units, uint64_t *value)
{
	const struct fl_unit *unit;
	long double number;
	char *end;

	/* strtold() would also accept signs, blanks, hexadecimal, "inf", "nan" */
	if (!isdigit((unsigned char)text[0]) || tolower((unsigned char)text[1]) == 'x')
		return false;
	errno = 0;
	number = strtold(text, &end);
	if (errno)
		return false;
	unit = find_unit(units, end);
	if (!unit && (number != 0 || *end))
		return false;
	if (unit)
		number = number * unit->num / unit->den;
	/* the product of 0.001 and 1000 is a little less than 1 */
	if (number > 0 && number < 1 - 1e-9L)
		return false;
	if (units == fl_units_none && number != floorl(number))
		return false;
	number = roundl(number);
	if (number >= 0x1p64L)
		return false;
	*value = (uint64_t)number;
	return true;
}

const char *fl_format(uint64_t value, const struct fl_unit *units,
		      char *buf, size_t len)
{
	if (!value) {
		snprintf(buf, len, "0");
		return buf;
	}
	while (units[1].name && value % units->num)
		units++;
	/* per cent, decimals and factors have no smaller unit: digits after the point */
	if (value % units->num)
		snprintf(buf, len, "%.15Lg%s", (long double)value / units->num,
			 units->name);
	else
		snprintf(buf, len, "%" PRIu64 "%s",
			 value / units->num * units->den, units->name);
	return buf;
}
