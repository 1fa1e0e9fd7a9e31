// SPDX-License-Identifier: GPL-2.0-or-later
/* Network devices by name and by index: see device.h. */
#include <netlink/route/link.h>
#include <stdio.h>
#include <string.h>

#include "../lib/units.h"
#include "cli.h"
#include "device.h"
#include "netlink.h"

#define UNNAMED	"if"	/* prefix of an index, as in ip(8) */

unsigned int device_index(const char *name)
{
	unsigned int index = if_nametoindex(name);
	uint64_t number;

	if (index || strncmp(name, UNNAMED, strlen(UNNAMED)) ||
	    !fl_parse(name + strlen(UNNAMED), fl_units_none, &number) ||
	    number > INT32_MAX)
		return index;
	return number;
}

unsigned int device_find(const char *who, const char *name)
{
	unsigned int index = device_index(name);

	if (!index)
		cli_error(who, "%s: no such network device", name);
	return index;
}

const char *device_name(unsigned int index, char *buf)
{
	if (!if_indextoname(index, buf))
		snprintf(buf, IF_NAMESIZE, UNNAMED "%u", index);
	return buf;
}

bool device_received(struct netlink *nl, unsigned int index, uint64_t *packets)
{
	struct rtnl_link *link;

	if (rtnl_link_get_kernel(nl->sock, index, NULL, &link))
		return false;
	*packets = rtnl_link_get_stat(link, RTNL_LINK_RX_PACKETS);
	rtnl_link_put(link);
	return true;
}
