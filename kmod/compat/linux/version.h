/* SPDX-License-Identifier: GPL-2.0 */
/* Shim over <linux/version.h>: refuses kernels that are too old for the other shims. */
#ifndef _COMPAT_LINUX_VERSION_H
#define _COMPAT_LINUX_VERSION_H

#include_next <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "Freshlink needs Linux 6.1 or newer"
#endif

#endif /* _COMPAT_LINUX_VERSION_H */
