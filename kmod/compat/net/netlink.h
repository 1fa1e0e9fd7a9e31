/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/netlink.h>; not needed from 6.7 on. */
#ifndef _COMPAT_NET_NETLINK_H
#define _COMPAT_NET_NETLINK_H

#include_next <net/netlink.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
/* Before 6.7, a policy's pointer to a range was not const, though nothing wrote to the range. */
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

#endif /* _COMPAT_NET_NETLINK_H */
