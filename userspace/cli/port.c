// SPDX-License-Identifier: GPL-2.0-or-later
/* A device: see port.h. */
#include <errno.h>
#include <linux/if_arp.h>
#include <netlink/errno.h>
#include <netlink/route/link.h>
#include <string.h>

#include "../advice/look.h"
#include "cli.h"
#include "port.h"

bool port_connect(const struct port *port, struct netlink *nl)
{
	if (netlink_open(nl, NETLINK_ROUTE, port->netns))
		return true;
	cli_error(port->who, "%s: cannot open a netlink socket in its namespace: %s",
		  port->name, nl->error == EPERM && port->netns >= 0 ?
		  look_for_right("entering it needs", "CAP_SYS_ADMIN") :
		  strerror(nl->error));
	return false;
}

bool port_look_up(struct port *port, struct netlink *nl)
{
	struct rtnl_link *link;
	int err = rtnl_link_get_kernel(nl->sock, 0, port->name, &link);

	if (err) {
		cli_error(port->who, "%s: %s", port->name,
			  err == -NLE_NODEV || err == -NLE_OBJ_NOTFOUND ?
			  "no such network device" : nl_geterror(err));
		return false;
	}
	port->ifindex = rtnl_link_get_ifindex(link);
	port->mtu = rtnl_link_get_mtu(link);
	port->is_ethernet = rtnl_link_get_arptype(link) == ARPHRD_ETHER;
	rtnl_link_put(link);
	return true;
}
