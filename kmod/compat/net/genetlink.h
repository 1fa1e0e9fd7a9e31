/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shim over <net/genetlink.h>; not needed from 6.8 on.
 *
 * From 6.8 on a sender can filter the members of a group that receive a message. Before 6.8, every
 * member received every message. A member could also join before the family existed, when the
 * family could not check the member's privilege. Therefore on older kernels a message goes only to
 * sockets that have asked for messages by a command of the family. The core checks the privilege
 * for that command. See genl_listeners.c.
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
int genl_listener_add(struct net *net, struct sock *sk, unsigned int group);

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

static inline int genl_listener_add(struct net *net, struct sock *sk,
				    unsigned int group)
{
	return 0;
}
#endif

#endif /* _COMPAT_NET_GENETLINK_H */
