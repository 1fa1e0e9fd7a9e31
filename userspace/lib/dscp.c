// SPDX-License-Identifier: GPL-2.0-or-later
/* DSCPs as they are typed: see dscp.h. */
#include <stdio.h>
#include <string.h>

#include "dscp.h"
#include "units.h"

/* The usual names (RFC 2474, 2597, 3246, 5865, 8622). The first name of a value is printed. */
static const struct {
	const char *name;
	unsigned int dscp;
} names[] = {
	{ "cs0", 0 }, { "be", 0 }, { "df", 0 }, { "le", 1 }, { "cs1", 8 }, { "af11", 10 },
	{ "af12", 12 }, { "af13", 14 }, { "cs2", 16 }, { "af21", 18 }, { "af22", 20 },
	{ "af23", 22 }, { "cs3", 24 }, { "af31", 26 }, { "af32", 28 }, { "af33", 30 },
	{ "cs4", 32 }, { "af41", 34 }, { "af42", 36 }, { "af43", 38 }, { "cs5", 40 },
	{ "va", 44 }, { "ef", 46 }, { "cs6", 48 }, { "cs7", 56 },
};

#define NAMES	(sizeof(names) / sizeof(names[0]))

bool fl_dscp_parse(const char *text, uint32_t *dscp)
{
	uint64_t number;

	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(names[i].name, text)) {
			*dscp = names[i].dscp;
			return true;
		}
	if (!fl_parse(text, fl_units_none, &number) || number > FL_DSCP_MAX)
		return false;
	*dscp = number;
	return true;
}

const char *fl_dscp_name(unsigned int dscp, char *buf, size_t len)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].dscp == dscp)
			return names[i].name;
	snprintf(buf, len, "%u", dscp);
	return buf;
}

bool fl_dscps_parse(const char *text, uint64_t *set)
{
	char word[16];
	uint32_t dscp;

	*set = 0;
	for (;;) {
		size_t len = strcspn(text, ",");

		if (len >= sizeof(word))
			return false;
		memcpy(word, text, len);
		word[len] = '\0';
		if (!fl_dscp_parse(word, &dscp))
			return false;
		*set |= UINT64_C(1) << dscp;
		if (!text[len])
			return true;
		text += len + 1;
	}
}

const char *fl_dscps_format(uint64_t set, char *buf, size_t len)
{
	size_t used = 0;
	char name[16];

	for (unsigned int i = 0; i <= FL_DSCP_MAX && used < len; i++)
		if (set >> i & 1)
			used += snprintf(buf + used, len - used, "%s%s", used ? "," : "",
					 fl_dscp_name(i, name, sizeof(name)));
	return buf;
}
