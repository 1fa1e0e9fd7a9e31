/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <linux/skbuff.h>; not needed from 6.12 on. The function has its own name, because a
 * stable series may backport the original.
 */
#ifndef _COMPAT_LINUX_SKBUFF_H
#define _COMPAT_LINUX_SKBUFF_H

#include_next <linux/skbuff.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define skb_frags_readable compat_skb_frags_readable
/* Before 6.12, no packet was in the memory of a device. */
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

#endif /* _COMPAT_LINUX_SKBUFF_H */
