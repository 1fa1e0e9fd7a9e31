/* SPDX-License-Identifier: GPL-2.0 */
/* The privilege for events of generic netlink. */
#ifndef _NET_FL_GENL_H
#define _NET_FL_GENL_H

#include <linux/capability.h>
#include <linux/net.h>
#include <net/genetlink.h>
#include <net/sock.h>

/**
 * fl_genl_withheld() - whether a member of a multicast group must not receive an event
 * @member: the member's socket
 * @msg: the event
 * @data: the network namespace
 *
 * The function is a netlink_filter_fn. Membership does not prove any privilege: a program that
 * knows the number of the group can join before the module is loaded. A member receives the event
 * only if its socket was opened with CAP_NET_ADMIN over the network namespace.
 */
static inline int fl_genl_withheld(struct sock *member, struct sk_buff *msg, void *data)
{
	const struct net *net = data;

	return !file_ns_capable(member->sk_socket->file, net->user_ns, CAP_NET_ADMIN);
}

#endif /* _NET_FL_GENL_H */
