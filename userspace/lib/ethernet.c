// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of network devices as they are typed: see ethernet.h. */
#include <ctype.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>

#include "ethernet.h"

#define GROUP	(UINT64_C(1) << 40)	/* the lowest bit of the first byte */

bool fl_ethernet_parse(const char *text, uint64_t *address)
{
	char *end;

	*address = 0;
	for (int i = 1; i <= ETH_ALEN; i++) {
		/* strtoul() would also accept signs and blanks */
		if (!isxdigit((unsigned char)*text))
			return false;
		*address = *address << 8 | strtoul(text, &end, 16);
		if (end - text > 2 || *end != (i < ETH_ALEN ? ':' : '\0'))
			return false;
		text = end + 1;
	}
	return *address && !(*address & GROUP);
}

const char *fl_ethernet_format(uint64_t address, char *buf, size_t len)
{
	size_t used = 0;

	for (int shift = 8 * (ETH_ALEN - 1); shift >= 0 && used < len; shift -= 8)
		used += snprintf(buf + used, len - used, "%02x%s",
				 (unsigned int)(address >> shift & 0xff), shift ? ":" : "");
	return buf;
}
