/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/dst.h>; not needed from 6.17 on. The function has its own name, because a stable
 * series may backport the original.
 */
#ifndef _COMPAT_NET_DST_H
#define _COMPAT_NET_DST_H

#include_next <net/dst.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define skb_dst_dev compat_skb_dst_dev
static inline struct net_device *skb_dst_dev(const struct sk_buff *skb)
{
	return skb_dst(skb)->dev;
}
#endif

#endif /* _COMPAT_NET_DST_H */
