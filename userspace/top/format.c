// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers in few characters: see top.h. */
#include <inttypes.h>
#include <stdio.h>

#include "top.h"

/* Three or four digits, with a point where there is room. */
static const char *scale(double value, double step, char buf[TOP_NUMBER])
{
	static const char prefixes[] = " kMGTPE";
	int i = 0, digits;

	for (; value >= 999.5 && i < (int)sizeof(prefixes) - 2; i++)
		value /= step;
	digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	if (value == (int)value)
		digits = 0;
	snprintf(buf, TOP_NUMBER, "%.*f%.*s", digits, value, i > 0, prefixes + i);
	return buf;
}

const char *top_bits(double rate, char buf[TOP_NUMBER])
{
	return scale(8 * rate, 1000, buf);
}

const char *top_bytes(double bytes, char buf[TOP_NUMBER])
{
	return scale(bytes, 1024, buf);
}

const char *top_count(double packets, char buf[TOP_NUMBER])
{
	return scale(packets, 1000, buf);
}

const char *top_time(uint64_t ns, char buf[TOP_NUMBER])
{
	if (ns < 1000000)
		snprintf(buf, TOP_NUMBER, "%" PRIu64 "us", ns / 1000);
	else if (ns < 10000000000)
		snprintf(buf, TOP_NUMBER, "%" PRIu64 "ms", ns / 1000000);
	else
		snprintf(buf, TOP_NUMBER, "%.4gs", ns < 99999000000000 ? ns / 1e9 : 99999);
	return buf;
}
