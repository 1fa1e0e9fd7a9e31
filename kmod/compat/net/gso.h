/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <net/gso.h>; not needed from 6.5 on. */
#ifndef _COMPAT_NET_GSO_H
#define _COMPAT_NET_GSO_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include_next <net/gso.h>
#else
#include <linux/skbuff.h>
#endif

#endif /* _COMPAT_NET_GSO_H */
