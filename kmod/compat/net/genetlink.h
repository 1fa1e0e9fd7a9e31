/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/genetlink.h>; not needed from 6.8 on.
 *
 * From 6.8 on the sender to a group is asked of each member whether it may hear. Before, a member
 * hears everything, and it may have joined before there was a family to ask for its privilege.
 * There a message goes to sockets that have asked for it by a command of the family, in place of
 * the group's members; the core checks the privilege for that command. See genl_listeners.c.
 */
#ifndef _COMPAT_NET_GENETLINK_H
#define _COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
typedef int (*netlink_filter_fn)(struct sock *dsk, struct sk_buff *skb,
				 void *data);

int genl_listeners_init(void);
void genl_listeners_exit(void);
int genl_listener_add(struct net *net, struct sock *sk);

#define genlmsg_multicast_netns_filtered compat_multicast_filtered
int genlmsg_multicast_netns_filtered(const struct genl_family *family,
				     struct net *net, struct sk_buff *skb,
				     u32 portid, unsigned int group,
				     gfp_t flags, netlink_filter_fn filter,
				     void *filter_data);
#else
static inline int genl_listeners_init(void)
{
	return 0;
}

static inline void genl_listeners_exit(void)
{
}

static inline int genl_listener_add(struct net *net, struct sock *sk)
{
	return 0;
}
#endif

#endif /* _COMPAT_NET_GENETLINK_H */
